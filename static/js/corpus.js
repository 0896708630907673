"use strict";
// Selecting in a version's text fills in the form for a span: positions in code points, and the
// characters themselves (as JSON), which the server compares with its own.
(() => {
  const reading = document.querySelector("[data-reading]");
  const form = document.querySelector("[data-span-form]");
  if (!reading || !form) return;

  const runs = [...reading.querySelectorAll("[data-at]")];
  const closed = (run) => "to" in run.dataset; // words that the reader may not see
  const hidden = (run) => run.classList.contains("unseen");
  const charactersOf = (run) => closed(run) ? Array(run.dataset.to - run.dataset.at).fill("\0")
    : hidden(run) ? [String.fromCodePoint(parseInt(run.textContent.slice(2), 16))] : [...run.textContent];
  const first = Number(runs[0]?.dataset.at ?? 0);
  const characters = runs.flatMap(charactersOf);
  const last = first + characters.length;

  // A point of the page as a position in the text; a hidden character is taken whole, and so
  // is what is blocked, which the server refuses with the reason.
  function placeOf(node, offset, end) {
    const run = (node.nodeType === Node.TEXT_NODE ? node.parentElement : node).closest("[data-at]");
    if (run && closed(run)) return Number(end ? run.dataset.to : run.dataset.at);
    if (run && hidden(run)) return Number(run.dataset.at) + (end ? 1 : 0);
    if (run && node.nodeType === Node.TEXT_NODE) return Number(run.dataset.at) + [...node.data.slice(0, offset)].length;
    const point = document.createRange();
    point.setStart(node, offset);
    const next = runs.find((one) => point.comparePoint(one, 0) >= 0);
    return next ? Number(next.dataset.at) : last;
  }

  function taken() {
    const selection = document.getSelection();
    if (!selection.rangeCount || selection.isCollapsed) return;
    const range = selection.getRangeAt(0);
    if (!reading.contains(range.commonAncestorContainer)) return;
    const start = placeOf(range.startContainer, range.startOffset, false);
    const end = placeOf(range.endContainer, range.endOffset, true);
    if (end > start) fill(start, end);
  }

  function fill(start, end) {
    const words = characters.slice(start - first, end - first).join("");
    form.elements.start.value = start;
    form.elements.end.value = end;
    form.elements.selected.value = JSON.stringify(words);
    form.elements.quoted.value = "";
    form.querySelector("[data-selection]").textContent = `Selected: characters ${start}–${end}.`;
  }

  // Positions that somebody types are no longer those of the selection.
  function typed(event) {
    if (event.target.name !== "selected") form.elements.selected.value = "";
  }

  document.addEventListener("mouseup", taken);
  document.addEventListener("keyup", taken);
  form.addEventListener("input", typed);
})();
