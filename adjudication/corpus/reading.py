"""A text as a reader sees it: windows of a long one, marks on it, and what cannot be seen."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from adjudication.corpus.hidden import BREAKING, hidden_places, name_of

WINDOW = 20_000  # code points on one page
NUDGE = 2_000  # a window begins after a line break or a space, if one is that near


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
    """A run of text of one kind: "", "mark", "unseen" with the character's number, "quiet" with
    that of a carriage return which needs no mark, or "blocked" with the words for who may read it.

    ``start`` and ``end`` count code points from the text's begin. ``within`` is "", "mark" or
    "chosen", and ``breaks`` says whether a hidden character ends a line.
    """

    text: str
    kind: str
    start: int
    end: int
    within: str = ""
    breaks: bool = False

    @property
    def code(self) -> str:
        """The hexadecimal number of a hidden character."""
        return self.text[2:]

    @property
    def name(self) -> str:
        """What a hidden character is called."""
        return name_of(chr(int(self.code, 16)))


def parts_of(
    text: str,
    marks: Sequence[Mark] = (),
    blocked: Sequence[Blocked] = (),
    *,
    start: int = 0,
    end: int | None = None,
    every: bool = False,
    exact: bool = False,
) -> list[Part]:
    """``text[start:end]`` in order, cut wherever a mark, a hidden character or a ``blocked``
    range begins or ends. No mark reaches into a blocked range.

    Args:
        every: mark every hidden character, and not only those that can mislead.
        exact: give the carriage return of each CR LF a part of its own, since HTML loses it
            and a script that counts characters must not.
    """
    end = len(text) if end is None else end
    closed = [one for one in blocked if one.start < end and start < one.end]
    edges = [start, *(edge for one in closed for edge in (one.start, one.end)), end]
    parts: list[Part] = []
    for number, (here, there) in enumerate(zip(edges[::2], edges[1::2], strict=True)):
        if here < there:
            unseen = dict.fromkeys(hidden_places(text, here, there, every=every), "unseen")
            quiet = dict.fromkeys(_returns(text, here, there), "quiet") if exact else {}
            parts += _open_parts(text, marks, here, there, quiet | unseen)
        if number < len(closed):
            one = closed[number]
            parts.append(Part(one.who, "blocked", max(start, one.start), min(end, one.end)))
    return parts


def _returns(text: str, start: int, end: int) -> Iterator[int]:
    """Where the carriage returns in front of line feeds are."""
    place = text.find("\r\n", start)
    while 0 <= place < end:
        yield place
        place = text.find("\r\n", place + 2)


def _open_parts(
    text: str, marks: Sequence[Mark], start: int, end: int, kinds: dict[int, str]
) -> Iterator[Part]:
    near = [one for one in marks if one.start < end and start < one.end]
    opens = Counter(max(start, one.start) for one in near)
    opens.subtract(one.end for one in near)
    chosen = Counter(max(start, one.start) for one in near if one.chosen)
    chosen.subtract(one.end for one in near if one.chosen)
    cuts = {start, end, *kinds, *(place + 1 for place in kinds)}
    cuts.update(place for place in opens if start < place < end)
    covering = covering_chosen = 0
    for here, there in pairwise(sorted(cuts)):
        covering, covering_chosen = covering + opens[here], covering_chosen + chosen[here]
        within = "chosen" if covering_chosen else "mark" if covering else ""
        if here in kinds:
            breaks = text[here] in BREAKING and text[here : here + 2] != "\r\n"
            yield Part(f"U+{ord(text[here]):04X}", kinds[here], here, there, within, breaks)
        else:
            yield Part(text[here:there], "mark" if within else "", here, there, within)


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
