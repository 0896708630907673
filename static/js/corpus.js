"use strict";
// Selecting in a version's text fills in the form for a span: positions in code points, and the
// characters themselves (as JSON), which the server compares with its own. With the mouse, or
// with the arrow keys by word and by sentence.
(() => {
  const reading = document.querySelector("[data-reading]");
  const form = document.querySelector("[data-span-form]");
  if (!reading || !form) return;

  // --- Characters and positions ------------------------------------------------------------

  const runs = [...reading.querySelectorAll("[data-at]")];
  const closed = (run) => "to" in run.dataset; // words that the reader may not see
  const hidden = (run) => "code" in run.dataset; // a character that is named, or not shown
  const at = (run) => Number(run.dataset.at);
  const charactersOf = (run) => closed(run) ? Array(run.dataset.to - run.dataset.at).fill("\0")
    : hidden(run) ? [String.fromCodePoint(parseInt(run.dataset.code, 16))] : [...run.textContent];
  const first = runs.length ? at(runs[0]) : 0;
  const characters = runs.flatMap(charactersOf);
  const last = first + characters.length;
  const textOf = (start, end) => characters.slice(start - first, end - first).join("");

  // A point of the page as a position in the text; a hidden character is taken whole, and so
  // is what is blocked, which the server refuses with the reason.
  function placeOf(node, offset, end) {
    const run = (node.nodeType === Node.TEXT_NODE ? node.parentElement : node).closest("[data-at]");
    if (run && closed(run)) return Number(end ? run.dataset.to : run.dataset.at);
    if (run && hidden(run)) return at(run) + (end ? 1 : 0);
    if (run && node.nodeType === Node.TEXT_NODE) return at(run) + [...node.data.slice(0, offset)].length;
    const point = document.createRange();
    point.setStart(node, offset);
    const next = runs.find((one) => point.comparePoint(one, 0) >= 0);
    return next ? at(next) : last;
  }

  // A position as a point of the page: the run that holds it, found by halving.
  function pointOf(place, end) {
    let low = 0, high = runs.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (end ? at(runs[middle]) < place : at(runs[middle]) <= place) low = middle; else high = middle - 1;
    }
    const run = runs[low];
    if (closed(run) || hidden(run)) return [run.parentNode, [...run.parentNode.childNodes].indexOf(run) + (end ? 1 : 0)];
    return [run.firstChild, [...run.firstChild.data].slice(0, place - at(run)).join("").length];
  }

  // --- The form ----------------------------------------------------------------------------

  const status = form.querySelector("[data-selection]");
  const number = (character) => `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;

  // The character, as people see it, that a cut at this place would take apart.
  function split(place) {
    if (!("Segmenter" in Intl) || place <= first || place >= last) return null;
    const from = Math.max(first, place - 60), text = textOf(from, Math.min(last, place + 60));
    const cut = textOf(from, place).length;
    for (const { segment, index } of new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text)) {
      if (index < cut && cut < index + segment.length) return segment;
    }
    return null;
  }

  function said(start, end) {
    const words = textOf(start, end);
    const shown = words.length > 120 ? `${words.slice(0, 60)} … ${words.slice(-40)}` : words;
    const torn = [split(start), split(end)].filter(Boolean).map((one) => ` It splits the character “${one}” (${[...one].slice(0, 8).map(number).join(" ")}).`);
    return `Selected: “${shown}”, characters ${start}–${end}.${torn.join("")}`;
  }

  function fill(start, end) {
    form.elements.start.value = start;
    form.elements.end.value = end;
    form.elements.selected.value = JSON.stringify(textOf(start, end));
    form.elements.quoted.value = "";
    status.textContent = said(start, end);
  }

  // Positions that somebody types are no longer those of the selection.
  function typed(event) {
    if (event.target.name !== "selected") form.elements.selected.value = "";
  }

  function taken() {
    const selection = document.getSelection();
    if (!selection.rangeCount || selection.isCollapsed) return;
    const range = selection.getRangeAt(0);
    if (!reading.contains(range.commonAncestorContainer)) return;
    const start = placeOf(range.startContainer, range.startOffset, false);
    const end = placeOf(range.endContainer, range.endOffset, true);
    if (end > start && (start !== chosen?.start || end !== chosen?.end)) {
      chosen = { start, end, anchor: [start, end], focus: [start, end] };
      fill(start, end);
    }
  }

  // --- By keyboard -------------------------------------------------------------------------

  let chosen = null; // what is selected, from the unit where it began to the one where it is now
  const units = {};

  function words() {
    const text = textOf(first, last);
    const places = []; // UTF-16 offset → code point
    let place = first;
    for (const character of characters) { for (let n = 0; n < character.length; n++) places.push(place); place++; }
    places.push(last);
    const found = "Segmenter" in Intl
      ? [...new Intl.Segmenter(undefined, { granularity: "word" }).segment(text)].filter((one) => one.isWordLike).map((one) => [one.index, one.segment.length])
      : [...text.matchAll(/[\p{L}\p{N}\p{M}_]+/gu)].map((match) => [match.index, match[0].length]);
    return found.map(([index, length]) => [places[index], places[index + length]]);
  }

  units.word = () => (units.words ??= words());
  units.sentence = () => (units.sentences ??= JSON.parse(reading.dataset.sentences));

  // The unit after or before the one where the selection is; the first on screen without one.
  function next(list, step) {
    if (!chosen) return list.find(([start]) => visible(start)) ?? list[0];
    const [start, end] = chosen.focus;
    return step > 0 ? list.find((one) => one[0] >= end) : list.findLast((one) => one[1] <= start);
  }

  function visible(place) {
    const [node, offset] = pointOf(place, false);
    const range = document.createRange();
    range.setStart(node, offset);
    return range.getBoundingClientRect().top >= 0;
  }

  function move(kind, step, extend) {
    const unit = next(units[kind](), step);
    if (!unit) return;
    const anchor = extend && chosen ? chosen.anchor : unit;
    const start = Math.min(anchor[0], unit[0]), end = Math.max(anchor[1], unit[1]);
    chosen = { start, end, anchor, focus: unit };
    const selection = document.getSelection();
    selection.setBaseAndExtent(...pointOf(start, false), ...pointOf(end, true));
    const range = document.createRange();
    range.setStart(...pointOf(unit[0], false));
    range.setEnd(...pointOf(unit[1], true));
    const box = range.getBoundingClientRect();
    if (box.top < 80 || box.bottom > innerHeight - 80) scrollBy(0, box.top - innerHeight / 3);
    fill(start, end);
  }

  const MOVES = { ArrowRight: ["word", 1], ArrowLeft: ["word", -1], ArrowDown: ["sentence", 1], ArrowUp: ["sentence", -1] };

  function pressed(event) {
    if (event.target !== reading || event.altKey || event.ctrlKey || event.metaKey || event.isComposing) return;
    if (MOVES[event.key]) move(...MOVES[event.key], event.shiftKey);
    else if (event.key === "Enter" && chosen) form.querySelector(".button-main").focus();
    else if (event.key === "Escape" && chosen) { chosen = null; document.getSelection().removeAllRanges(); status.textContent = "Nothing is selected."; }
    else return;
    event.preventDefault();
  }

  reading.addEventListener("keydown", pressed);
  document.addEventListener("mouseup", taken);
  document.addEventListener("keyup", taken);
  form.addEventListener("input", typed);
  Keys.bind("t", () => reading.focus());
})();
