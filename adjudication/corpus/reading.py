"""A text as a reader sees it: windows of a long one, marks on it, and what cannot be seen."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

WINDOW = 20_000  # code points on one page
NUDGE = 2_000  # a window begins after a line break or a space, if one is that near

_HIDING = {"Cc", "Cf", "Co", "Cn", "Zl", "Zp", "Zs"}
_PLAIN = {"\n", "\t", " "}
_BLANK_LETTERS = set("\u115f\u1160\u2800\u3164\uffa0")
_JOINER = "\u200d"


@dataclass(frozen=True, slots=True)
class Mark:
    """A range to show as marked; ``chosen`` is the one the reader came for."""

    start: int
    end: int
    chosen: bool = False


NOBODY = "nobody"
BLOCKED = "\0"
"""In a text as somebody may read it, stands for each character that they may not."""


@dataclass(frozen=True, slots=True)
class Blocked:
    """Characters ``start``–``end`` of a text that its reader may not read, and who may."""

    start: int
    end: int
    readers: str

    @property
    def who(self) -> str:
        """For a sentence: "only Legal", or "nobody"."""
        return self.readers if self.readers == NOBODY else f"only {self.readers}"


@dataclass(frozen=True, slots=True)
class Part:
    """A run of text of one kind: "", "mark", "unseen" with the character's number, or "blocked"
    with the words for who may read it.

    ``start`` and ``end`` count code points from the text's begin. ``within`` is "", "mark" or
    "chosen".
    """

    text: str
    kind: str
    start: int
    end: int
    within: str = ""


def parts_of(
    text: str,
    marks: Sequence[Mark] = (),
    blocked: Sequence[Blocked] = (),
    *,
    start: int = 0,
    end: int | None = None,
) -> list[Part]:
    """``text[start:end]`` in order, cut wherever a mark, a hidden character or a ``blocked``
    range begins or ends. No mark reaches into a blocked range."""
    end = len(text) if end is None else end
    closed = [one for one in blocked if one.start < end and start < one.end]
    edges = [start, *(edge for one in closed for edge in (one.start, one.end)), end]
    parts: list[Part] = []
    for number, (here, there) in enumerate(zip(edges[::2], edges[1::2], strict=True)):
        parts += _open_parts(text, marks, here, there)
        if number < len(closed):
            one = closed[number]
            parts.append(Part(one.who, "blocked", max(start, one.start), min(end, one.end)))
    return parts


def _open_parts(text: str, marks: Sequence[Mark], start: int, end: int) -> list[Part]:
    if start >= end:
        return []
    hidden = set(_hidden_places(text, start, end))
    cuts = {start, end, *hidden, *(place + 1 for place in hidden)}
    cuts.update(place for one in marks for place in (one.start, one.end) if start < place < end)
    order = sorted(cuts)
    return [_part(text, here, there, here in hidden, marks) for here, there in pairwise(order)]


def _part(text: str, start: int, end: int, hidden: bool, marks: Sequence[Mark]) -> Part:
    covering = [one for one in marks if one.start <= start and end <= one.end]
    within = "chosen" if any(one.chosen for one in covering) else "mark" if covering else ""
    if hidden:
        return Part(f"U+{ord(text[start]):04X}", "unseen", start, end, within)
    return Part(text[start:end], "mark" if within else "", start, end, within)


def _hidden_places(text: str, start: int, end: int) -> Iterable[int]:
    hiding = "".join(filter(_hides, set(text[start:end])))
    if not hiding:
        return ()
    pattern = re.compile(f"[{re.escape(hiding)}]")
    found = (match.start() for match in pattern.finditer(text, start, end))
    return (place for place in found if not _joins_pictures(text, place))


def _hides(character: str) -> bool:
    if character in _PLAIN:
        return False
    return unicodedata.category(character) in _HIDING or character in _BLANK_LETTERS


def _joins_pictures(text: str, place: int) -> bool:
    """Whether a joiner stands between two pictures, where its effect is what one sees."""
    return (
        text[place] == _JOINER
        and 0 < place < len(text) - 1
        and unicodedata.category(text[place - 1]) in {"So", "Sk", "Mn"}
        and unicodedata.category(text[place + 1]) == "So"
    )


@dataclass(frozen=True, slots=True)
class Window:
    """The part of a long text on one page. ``number`` counts from 1."""

    start: int
    end: int
    number: int
    count: int


def window_at(text: str, place: int) -> Window:
    """The window that holds ``place``; every place belongs to exactly one."""
    starts = _starts(text)
    number = bisect_right(starts, max(0, place)) or 1
    end = starts[number] if number < len(starts) else len(text)
    return Window(starts[number - 1], end, number, len(starts))


def window_numbered(text: str, number: int) -> Window:
    """The window ``number``, or the nearest there is."""
    starts = _starts(text)
    return window_at(text, starts[min(max(number, 1), len(starts)) - 1])


def _starts(text: str) -> list[int]:
    starts = [0]
    while len(text) - starts[-1] > WINDOW:
        limit = starts[-1] + WINDOW
        near = limit - NUDGE
        gap = max(text.rfind("\n", near, limit), text.rfind(" ", near, limit))
        starts.append(gap + 1 if gap >= 0 else limit)
    return starts
