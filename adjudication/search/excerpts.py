"""Where the words of a query stand in a text, and the part of it that shows most of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from adjudication.corpus.reading import Blocked, Mark, Part, parts_of
from adjudication.search.signs import sign_places, signs_asked, words_asked
from certify_core.folding import fold

LENGTH = 320  # code points of an excerpt
LEAD = 60  # of them before the first mark
NUDGE = 24  # an excerpt begins and ends at a space, if one is that near
MOST = 60  # marks looked for in one text

# A run that folding takes for words: letters with their marks, apostrophes inside.
_WORDS = re.compile(
    r"(?:[^\W_]|[\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    r"\u06d6-\u06ed\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f'\u2019\u2018\u02bc\uff07])+"
)


@dataclass(frozen=True, slots=True)
class Asked:
    """The words and signs of a query, folded as the index folds them."""

    words: frozenset[str]
    signs: frozenset[str]

    @classmethod
    def of(cls, query: str) -> Asked:
        return cls(frozenset(words_asked(query)), frozenset(signs_asked(query)))


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Part of a text with the words that were asked for marked. ``start`` counts code points."""

    start: int
    parts: list[Part]
    cut_before: bool
    cut_after: bool
    place: int
    """Where the first mark is, or the part begins."""


def excerpt_of(text: str, asked: Asked, blocked: Sequence[Blocked] = ()) -> Excerpt:
    """The part of ``text`` that shows most of what was asked for; its begin, if nothing.

    ``text`` is as its reader may read it, with what of it is ``blocked`` for them.
    """
    found = sorted(islice(places(text, asked), MOST))
    first = _best(text, found)
    earliest = min(first - LEAD, len(text) - LENGTH)
    start = _after_space(text, earliest) if earliest > 0 else 0
    end = _before_space(text, min(len(text), start + LENGTH))
    marks = [Mark(*one) for one in _joined(found) if start <= one[0] and one[1] <= end]
    parts = parts_of(text, marks, blocked, start=start, end=end)
    return Excerpt(start, parts, start > 0, end < len(text), first)


def places(text: str, asked: Asked) -> Iterator[tuple[int, int]]:
    """Where words and signs of ``asked`` stand, as code points."""
    if asked.signs:
        yield from islice(sign_places(text, asked.signs), MOST // 2)
    known: dict[str, bool] = {}
    for run in _WORDS.finditer(text) if asked.words else ():
        word = run[0]
        if word not in known:
            known[word] = not asked.words.isdisjoint(fold(word).split())
        if known[word]:
            yield run.span()


def _best(text: str, found: Sequence[tuple[int, int]]) -> int:
    """The mark from which on an excerpt shows most different words."""

    def shown(first: int) -> int:
        reach = first + LENGTH - LEAD
        return len({fold(text[a:b]) or text[a:b] for a, b in found if first <= a and b <= reach})

    starts = [start for start, _ in found]
    return max(starts, key=lambda start: (shown(start), -start), default=0)


def _joined(found: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Places that overlap or touch, as one: pairs of signs run into each other."""
    joined: list[tuple[int, int]] = []
    for start, end in found:
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined


def _after_space(text: str, place: int) -> int:
    space = text.find(" ", place, place + NUDGE)
    return space + 1 if space >= 0 else place


def _before_space(text: str, place: int) -> int:
    if place == len(text):
        return place
    space = text.rfind(" ", place - NUDGE, place)
    return space if space >= 0 else place
