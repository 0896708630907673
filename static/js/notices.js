"use strict";
// Says so when the server could not be asked, or refused: htmx by itself stays silent and
// the person would believe that the step was taken.
(() => {
  const WORDS = {
    0: "Not sent: the connection failed. What you typed is still here; try again.",
    401: "You are signed out. Sign in again in another tab, then repeat this step here.",
    403: "Not done: your session changed. Load the page again, then repeat this step.",
    404: "Not done: this is no longer here for you.",
    409: "Not done: it was changed in the meantime. Load the page again to see how it stands.",
  };

  function say(words) {
    const line = document.createElement("p");
    line.className = "notice notice-error";
    line.setAttribute("role", "alert");
    line.textContent = words;
    document.getElementById("notices").replaceChildren(line);
    line.scrollIntoView({ block: "nearest" });
  }

  function failed(event) {
    const status = event.detail.xhr?.status ?? 0;
    say(WORDS[status] ?? "Not done: something failed on the server. What you typed is still here; try again.");
  }

  document.addEventListener("htmx:sendError", failed);
  document.addEventListener("htmx:timeout", failed);
  document.addEventListener("htmx:responseError", failed);
  document.addEventListener("DOMContentLoaded", () => document.querySelector("[data-focus]")?.focus());
})();
