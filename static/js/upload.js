"use strict";
// Sends a file in pieces instead of with the form: it shows how far it is, goes on by itself
// after a lost connection, and where it stopped when the same file is chosen again later.
(() => {
  const form = document.querySelector("form[data-upload]");
  if (!form || !window.fetch || !form.elements.file) return;
  const sending = form.querySelector("[data-sending]");
  const bar = sending.querySelector("progress");
  const words = sending.querySelector("[data-sent]");
  const button = form.querySelector("button.button-main");
  const RETRIES = [1, 2, 5, 10, 20, 30];
  const AWAY = [502, 503, 504];
  const CHANGED = "Your session ended or changed. Load the page again; what was sent so far is kept.";
  const FAULT = "The program failed at this. What was sent so far is kept: choose the same file later to go on.";
  let stopped = null;

  const megabytes = (bytes) => (bytes / 1e6).toFixed(1);
  const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

  // Tells this file from another of the same name and size. Not a digest to rely on: the
  // server makes its own of what arrives.
  async function markOf(file) {
    const bytes = new Uint8Array(await file.slice(0, 1 << 20).arrayBuffer());
    let a = 0xdeadbeef, b = 0x41c6ce57;
    for (const byte of bytes) {
      a = Math.imul(a ^ byte, 2654435761);
      b = Math.imul(b ^ byte, 1597334677);
    }
    return `${file.lastModified}-${(a >>> 0).toString(16)}-${(b >>> 0).toString(16)}`;
  }

  async function answer(response) {
    const isOurs = response.headers.get("Content-Type")?.startsWith("application/json");
    const said = isOurs ? await response.json() : { problem: response.status < 500 ? CHANGED : FAULT };
    return { status: response.status, ...said };
  }

  async function announce(file) {
    const data = new FormData(form);
    data.delete("file");
    data.set("name", file.name);
    data.set("size", file.size);
    data.set("mark", await markOf(file));
    return answer(await fetch(form.dataset.upload, { method: "POST", body: data, signal: stopped.signal }));
  }

  async function put(file, where) {
    const body = file.slice(where.received, where.received + where.piece);
    const headers = { "X-CSRFToken": form.elements.csrfmiddlewaretoken.value, "Content-Type": "application/octet-stream" };
    const address = `${where.pieces}?offset=${where.received}`;
    return answer(await fetch(address, { method: "PUT", body, headers, signal: stopped.signal }));
  }

  function show(received, size, began, at) {
    bar.value = size ? received / size : 0;
    const seconds = (performance.now() - began) / 1000;
    const rate = (received - at) / seconds;
    const left = rate > 0 ? `, about ${Math.ceil((size - received) / rate)} s left` : "";
    words.textContent = `${megabytes(received)} of ${megabytes(size)} MB sent${left}`;
  }

  // Tries again while the connection is lost or the server is not up; every other answer counts.
  async function patiently(step) {
    for (let tries = 0; ; tries++) {
      try {
        const found = await step();
        if (!AWAY.includes(found.status)) return found;
      } catch (error) {
        if (error.name === "AbortError" || error.name === "NotReadableError") throw error;
      }
      const wait = RETRIES[Math.min(tries, RETRIES.length - 1)];
      words.textContent = `The connection was lost. Trying again in ${wait} s; what was sent is kept.`;
      await pause(wait);
      if (stopped.signal.aborted) throw new DOMException("stopped", "AbortError");
    }
  }

  async function send(file) {
    let where = await patiently(() => announce(file));
    if (where.status !== 200) throw new Error(where.problem);
    const began = performance.now(), at = where.received;
    show(where.received, file.size, began, at);
    while (where.received < file.size) {
      const next = await patiently(() => put(file, where));
      if (next.status !== 200 && next.status !== 409) throw new Error(next.problem);
      where = next;
      show(where.received, file.size, began, at);
    }
    window.location.assign(where.page);
  }

  const REASONS = {
    AbortError: "Stopped. What was sent is kept: choose the same file to go on.",
    NotReadableError: "The file changed or can no longer be read. Choose it again.",
  };

  form.addEventListener("submit", async (event) => {
    const file = form.elements.file.files[0];
    if (!file || !file.size) return;
    event.preventDefault();
    stopped = new AbortController();
    sending.hidden = false;
    button.disabled = true;
    words.textContent = "Beginning …";
    try {
      await send(file);
    } catch (error) {
      words.textContent = REASONS[error.name] ?? error.message;
      button.disabled = false;
    }
  });
  sending.querySelector("[data-stop]").addEventListener("click", () => stopped?.abort());
  window.addEventListener("pageshow", () => { button.disabled = false; });
})();
