"use strict";
// Hotkeys: <button data-key="1">. A page script may add its own with Keys.bind().
// Keys rest in text fields, while composing and in open dialogs; two things on one key in
// one scope are refused rather than left to chance. A scope is an element with data-keys-scope:
// its keys count while the focus is inside it (or while it carries data-keys-current).
const Keys = (() => {
  const TYPING = "textarea, select, [contenteditable=''], [contenteditable=true], input:not([type=checkbox], [type=radio], [type=button], [type=submit], [type=reset])";
  const OFF = "keys-off";
  const RESERVED = "?";
  const bound = new Map();

  // The character meant: as typed if Latin, else by the place of the key, so that a Cyrillic
  // layout's "т" is "n" and a French layout's unshifted digit row still gives digits.
  function keyOf(event) {
    const place = /^(?:Key|Digit|Numpad)([A-Z0-9])$/.exec(event.code)?.[1].toLowerCase();
    if (event.key.length > 1) return event.key;
    const digitRow = event.code.startsWith("Digit") && !event.shiftKey;
    const latin = /^[\x21-\x7e]$/.test(event.key);
    return place && (digitRow || !latin) ? place : event.key.toLowerCase();
  }

  function chordOf(event) {
    if (event.altKey || event.getModifierState("AltGraph")) return null;
    if (event.ctrlKey || event.metaKey) return event.key.length > 1 ? `Ctrl+${event.key}` : null;
    return event.shiftKey && event.key.length > 1 ? null : keyOf(event);
  }

  const inDialog = () => document.querySelector("dialog[open], dialog:popover-open") !== null;
  const typing = (target) => target instanceof Element && target.closest(TYPING) !== null;
  const off = () => localStorage.getItem(OFF) === "yes";

  function rests(event, chord) {
    if (!chord || event.defaultPrevented || event.repeat) return true;
    if (event.isComposing || event.keyCode === 229 || inDialog()) return true;
    return !chord.startsWith("Ctrl+") && (typing(event.target) || (off() && chord.length === 1));
  }

  const usable = (element) => !element.disabled && !element.dataset.keyRefused && element.checkVisibility();
  const scopeOf = (element) => element.closest("[data-keys-scope]");

  function currentScope() {
    const focused = document.activeElement?.closest("[data-keys-scope]");
    return focused ?? document.querySelector("[data-keys-scope][data-keys-current]");
  }

  function elementFor(chord) {
    const all = [...document.querySelectorAll(`[data-key="${CSS.escape(chord)}"]`)].filter(usable);
    const scope = currentScope();
    return all.find((element) => scope && scopeOf(element) === scope) ?? all.find((element) => !scopeOf(element));
  }

  function press(element) {
    if (element.matches(TYPING)) element.focus();
    else element.click();
  }

  // Words that have a button of their own are sent by it: the chord of the page means more.
  function ownButton(target, chord) {
    return chord === "Ctrl+Enter" && typing(target) ? target.closest("[data-keys-own]")?.querySelector("button") : null;
  }

  function showKeys() {
    document.getElementById("keys")?.showPopover();
  }

  function onKey(event) {
    if (!event.key) return; // a browser filling in a form sends keydown without a key
    const chord = chordOf(event);
    if (rests(event, chord)) return;
    const element = ownButton(event.target, chord) ?? elementFor(chord);
    const action = chord === RESERVED ? showKeys : element ? () => press(element) : bound.get(chord);
    if (!action) return;
    event.preventDefault();
    action(event);
  }

  function refuse(element, chord) {
    element.dataset.keyRefused = chord;
    element.removeAttribute("aria-keyshortcuts");
    console.error(`The key ${chord} is already taken here`, element);
  }

  const clash = (a, b) => a === b || a === null || b === null;

  function check() {
    const taken = new Map([[RESERVED, [null]], ...[...bound.keys()].map((chord) => [chord, [null]])]);
    for (const element of document.querySelectorAll("[data-key]")) {
      delete element.dataset.keyRefused;
      const chord = element.dataset.key;
      const scopes = taken.get(chord) ?? [];
      const scope = scopeOf(element);
      if (scopes.some((other) => clash(other, scope))) { refuse(element, chord); continue; }
      taken.set(chord, [...scopes, scope]);
      element.setAttribute("aria-keyshortcuts", chord.replace("Ctrl", "Control"));
    }
  }

  /** Runs action(event) on a key that belongs to no element, e.g. "ArrowDown" or "u". */
  function bind(chord, action) {
    if (bound.has(chord) || chord === RESERVED) { console.error(`The key ${chord} is already taken`); return false; }
    bound.set(chord, action);
    return true;
  }

  // Whoever steers by voice or has a tremor must be able to turn single keys off.
  function offerSwitch() {
    const label = document.querySelector("[data-keys-switch]");
    if (!label) return;
    const box = label.querySelector("input");
    label.hidden = false;
    box.checked = !off();
    box.addEventListener("change", () => localStorage.setItem(OFF, box.checked ? "no" : "yes"));
  }

  document.addEventListener("keydown", onKey);
  document.addEventListener("DOMContentLoaded", () => { check(); offerSwitch(); });
  document.addEventListener("htmx:afterSettle", check);
  return { bind, check };
})();
