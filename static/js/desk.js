"use strict";
// The desk by keyboard. A digit answers the marked question (keys.js presses it) and the mark
// moves on; without this script every answer is still a radio button and every step a button.
(() => {
  const form = document.getElementById("desk");
  if (!form) return;
  const UNDO = 10;
  const ACTIVE = 5 * 60_000; // ms between renewals of the lease by activity
  const SHORT = 5; // minutes left from which the lease is shown as short

  const stops = () => [...form.querySelectorAll("[data-keys-scope]")].filter((stop) => stop.checkVisibility());
  const scopeOf = (element) => element?.closest?.("[data-keys-scope]") ?? null;
  const marked = () => form.querySelector("[data-keys-current]");

  function mark(stop) {
    if (marked() === stop) return;
    marked()?.removeAttribute("data-keys-current");
    stop?.setAttribute("data-keys-current", "");
  }

  function goTo(stop) {
    if (!stop) return form.querySelector(".seal, .button-main")?.focus();
    mark(stop);
    const own = [...stop.querySelectorAll("input, button")].filter((field) => scopeOf(field) === stop);
    (own.find((field) => field.checked) ?? own[0])?.focus();
    stop.scrollIntoView({ block: "nearest" });
  }

  function step(from, by) {
    const all = stops();
    return goTo(all[all.indexOf(from) + by]);
  }

  // A part of a question, such as one member's line, that has its answer.
  function isDone(stop) {
    return scopeOf(stop.parentElement) !== null && stop.querySelector("input[type=radio]:checked") !== null;
  }

  function advance(from) {
    const after = stops().slice(stops().indexOf(from) + 1);
    return goTo(after.find((stop) => !isDone(stop)));
  }

  // --- Answering -------------------------------------------------------------------------

  // A press by key is a click that no person made by hand: only then the mark moves on.
  form.addEventListener("click", (event) => {
    const field = event.target;
    if (event.isTrusted || !field.matches?.("input[type=radio]")) return;
    const stop = scopeOf(field);
    if (field.hasAttribute("data-words")) return stop.querySelector("textarea").focus();
    advance(stop);
  });

  form.addEventListener("focusin", (event) => { if (scopeOf(event.target)) mark(scopeOf(event.target)); });

  form.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by || event.ctrlKey || event.altKey || event.metaKey || !event.target.matches("input[type=radio], input[type=checkbox]")) return;
    event.preventDefault();
    step(scopeOf(event.target), by);
  });

  const removal = form.querySelector("[data-removal]");
  if (removal) goTo(removal);

  // --- Undo ------------------------------------------------------------------------------

  const undone = [];
  const values = new Map();
  const chosen = (name) => form.querySelector(`input[name="${CSS.escape(name)}"]:checked`);
  const read = (name) => chosen(name)?.value ?? null;
  for (const field of form.querySelectorAll("input[type=radio]")) values.set(field.name, read(field.name));

  form.addEventListener("change", ({ target }) => {
    if (!values.has(target.name)) return;
    undone.push([target.name, values.get(target.name)]);
    if (undone.length > UNDO) undone.shift();
    values.set(target.name, target.value);
  });

  function undo() {
    const [name, value] = undone.pop() ?? [];
    if (!name) return;
    for (const field of form.elements[name]) field.checked = field.value === value;
    values.set(name, value);
    const stop = scopeOf(form.elements[name][0]);
    goTo(stop);
    htmx.trigger("#kept", "activity"); // saves what is now on the desk
  }

  const undoButton = form.querySelector("[data-undo]");
  if (undoButton) {
    undoButton.hidden = false;
    undoButton.addEventListener("click", undo);
  }

  // --- Blind removal ---------------------------------------------------------------------

  function hide() {
    const here = document.activeElement?.closest("[data-member]");
    const button = (here ?? form).querySelector("[data-hide]");
    button?.click();
  }
  if (form.querySelector("[data-hide]")) Keys.bind("h", hide);

  // --- Beside the answers ----------------------------------------------------------------

  // What a key unfolds is where the next key should go; a press by hand leaves the focus alone.
  for (const summary of form.querySelectorAll(".beside summary")) {
    summary.addEventListener("click", (event) => {
      if (event.isTrusted) return;
      const opens = !summary.parentElement.open;
      requestAnimationFrame(() => {
        const first = summary.parentElement.querySelector("select, textarea, [tabindex]");
        (opens ? first : summary).focus();
      });
    });
  }

  // --- Lease -----------------------------------------------------------------------------

  const kept = document.getElementById("kept");
  let renewed = Date.now();

  function active() {
    if (Date.now() - renewed < ACTIVE) return;
    renewed = Date.now();
    htmx.trigger("#kept", "activity");
  }

  function count() {
    const lease = kept?.querySelector("[data-until]");
    if (!lease) return;
    const left = Math.floor((Date.parse(lease.dataset.until) - Date.now()) / 60_000);
    lease.classList.toggle("lease-short", left < SHORT);
    lease.textContent = left < 0 ? "lease ended: renew it" : `yours for ${left} min`;
    lease.title = `until ${lease.dataset.until.slice(11, 16)} UTC`;
  }

  if (kept) {
    for (const kind of ["keydown", "pointerdown", "wheel"]) addEventListener(kind, active, { passive: true });
    kept.addEventListener("htmx:afterSwap", () => { renewed = Date.now(); count(); });
    setInterval(count, 20_000);
    count();
  }
})();
