"""Characters that a reader cannot see, and which of them can mislead. Pure; no database."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

BREAKING: Final = frozenset("\n\v\f\r\x85\u2028\u2029")
"""What ends a line somewhere."""

_HIDING: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Zl", "Zp", "Zs"})
_PLAIN: Final = frozenset("\n\t ")
_BLANK_LETTERS: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
# Marks without a form of their own: variation selectors, joiners of graphemes, silent vowels.
_FORMLESS: Final = re.compile(
    "[\u034f\u17b4\u17b5\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)
# Signs for numbers and years, which Unicode counts among the format characters.
_VISIBLE: Final = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2")
_FLAG: Final = re.compile("\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f")
_JOINERS: Final = frozenset("\u200c\u200d")
_PICTURES: Final = frozenset({"So", "Sk", "Mn"})
# Scripts in which a joiner decides which form of a letter is written.
_SHAPING: Final = re.compile(
    "[\u0620-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u17ff\u1800-\u18aa\ufb50-\ufdff\ufe70-\ufefc]"
)
_NAMES: Final = {
    "\t": "TAB",
    "\n": "LINE FEED",
    "\v": "LINE TABULATION",
    "\f": "FORM FEED",
    "\r": "CARRIAGE RETURN",
    "\x1b": "ESCAPE",
    "\x7f": "DELETE",
    "\x85": "NEXT LINE",
    "\ufeff": "BYTE ORDER MARK",
}
_KINDS: Final = {"Co": "PRIVATE USE", "Cn": "NOT A CHARACTER OF UNICODE", "Cc": "CONTROL CHARACTER"}


def name_of(character: str) -> str:
    """What a character is called in Unicode, or what kind it is."""
    kind = _KINDS.get(unicodedata.category(character), "UNNAMED")
    return _NAMES.get(character, unicodedata.name(character, kind))


def hidden_places(text: str, start: int, end: int, *, every: bool = False) -> Iterator[int]:
    """Where in ``text[start:end]`` a character stands that a reader cannot see.

    By default only those that can mislead: controls of direction, what has no width, other
    controls, blanks that pass for letters, private and unassigned characters. With ``every``
    also blanks of other widths, soft hyphens, tabs, line breaks, joiners and selectors of
    pictures, and whatever else has no form of its own.
    """
    hiding = "".join(filter(_shown_always if every else _may_mislead, set(text[start:end])))
    if not hiding:
        return
    harmless = set() if every else _in_flags(text, start, end)
    for match in re.compile(f"[{re.escape(hiding)}]").finditer(text, start, end):
        place = match.start()
        if every or not (place in harmless or _is_harmless(text, place)):
            yield place


def _shown_always(character: str) -> bool:
    if character == " " or character in _VISIBLE:
        return False
    hides = unicodedata.category(character) in _HIDING or character in _BLANK_LETTERS
    return hides or _FORMLESS.match(character) is not None


def _may_mislead(character: str) -> bool:
    if character in _PLAIN or character in _VISIBLE or character == "\u00ad":
        return False
    kind = unicodedata.category(character)
    return (kind in _HIDING and kind != "Zs") or character in _BLANK_LETTERS


def _in_flags(text: str, start: int, end: int) -> set[int]:
    """Places of the letters behind a flag of a region, such as that of Scotland."""
    return {place for flag in _FLAG.finditer(text, start, end) for place in range(*flag.span())}


def _is_harmless(text: str, place: int) -> bool:
    """Whether a character that can mislead does not where it stands."""
    character = text[place]
    if character == "\r":
        return text[place + 1 : place + 2] == "\n"
    if character == "\ufeff":
        return place == 0
    return character in _JOINERS and _joins(text, place)


def _joins(text: str, place: int) -> bool:
    """Whether a joiner stands where its effect is what one sees: between two pictures, or in a
    word whose letters it shapes."""
    before, after = text[place - 1 : place], text[place + 1 : place + 2]
    if not before or not after:
        return False
    pictures = unicodedata.category(before) in _PICTURES and unicodedata.category(after) == "So"
    shapes = _SHAPING.match(before) is not None and _SHAPING.match(after) is not None
    return (pictures and text[place] == "\u200d") or shapes
