"""The opening of an article: "Name (12 May 1901, Ghent – 3 June 1970) was …"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from certify_core.countries import COUNTRIES
from certify_core.folding import fold
from certify_core.pattern_reader.values import Value, dates, value_at

_COPULA = re.compile(r"\s(?:is|was|were|are|became)\s")
_OPENING = 600
_DASH = re.compile(r"\s*[\u2013\u2014]\s*|\s?-\s|(?<=\d)-(?=[\dA-Z])")
_NOT_LIFE = re.compile(r"\s*(?:r|fl|reigned|ruled|reign|in office|active)\b", re.IGNORECASE)
_BORN = re.compile(r"\s*(?:born|b\.)(?:\s+on)?\s*", re.IGNORECASE)
_DIED = re.compile(r"\s*(?:died|d\.)(?:\s+on)?\s*", re.IGNORECASE)
_BEFORE_PLACE = re.compile(r"\s*,?\s*(?:(?:in|at|from)\b)?\s*")
_SPACES = re.compile(r"\s*")


@dataclass(frozen=True, slots=True)
class Life:
    """When and where someone was born and died, as far as the opening says."""

    born: Value | None = None
    birthplace: Value | None = None
    died: Value | None = None
    deathplace: Value | None = None


def opening_end(text: str, start: int) -> int:
    """Where the subject of the first sentence ends: the first verb outside parentheses."""
    masked = _masked(text[start : start + _OPENING])
    verb = _COPULA.search(masked)
    stop = masked.find("\n")
    return start + (verb.start() if verb else stop if stop >= 0 else len(masked))


def life(text: str, start: int, title: str) -> Life:
    """Read the parentheses between ``start`` and the first verb of ``text``."""
    parts: dict[str, Value] = {}
    for first, last in _segments(text, start, opening_end(text, start)):
        for key, value in _segment(text, first, last, set(fold(title).split())):
            parts.setdefault(key, value)
    return Life(**parts)


def _masked(text: str) -> str:
    """The same length with everything inside parentheses blanked."""
    depth, kept = 0, []
    for character in text:
        depth += character == "("
        kept.append(character if depth == 0 else " ")
        depth -= character == ")" and depth > 0
    return "".join(kept)


def _segments(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Ranges between semicolons in the outermost parentheses; inner ones end a range."""
    depth, first = 0, start
    for at in range(start, end):
        if text[at] in "();" and (depth == 1 or text[at] == "("):
            if depth >= 1 and text[first:at].strip():
                yield first, at
            first = at + 1
        if text[at] == ")" and depth > 1:
            first = at + 1
        depth += (text[at] == "(") - (text[at] == ")")


def _segment(text: str, start: int, end: int, title: set[str]) -> Iterator[tuple[str, Value]]:
    if _NOT_LIFE.match(text, start, end):
        return
    for cut in _DASH.finditer(text, start, end):
        if any(dates(text, start, cut.start())) or any(dates(text, cut.end(), end)):
            yield from _half(text, start, cut.start(), title, "born", "birthplace")
            yield from _half(text, cut.end(), end, title, "died", "deathplace")
            return
    yield from _undivided(text, start, end, title)


def _undivided(text: str, start: int, end: int, title: set[str]) -> Iterator[tuple[str, Value]]:
    full = [date for date in dates(text, start, end) if len(date.canonical) > 7]
    if len(full) == 2:
        yield from _half(text, start, full[0].end, title, "born", "birthplace")
        yield from _half(text, full[1].start, end, title, "died", "deathplace")
    elif _DIED.match(text, start, end):
        yield from _half(text, start, end, title, "died", "deathplace")
    elif _BORN.match(text, start, end) or full:
        yield from _half(text, start, end, title, "born", "birthplace")


def _half(
    text: str, start: int, end: int, title: set[str], when: str, where: str
) -> Iterator[tuple[str, Value]]:
    """The date and the place of one side of a life.

    A bare name is no place if it repeats a word of the title: it is another name then.
    """
    mark = _BORN.match(text, start, end) or _DIED.match(text, start, end)
    at = mark.end() if mark else _after(_SPACES, text, start, end)[0]
    date = next(dates(text, at, end), None)
    if date is not None:
        yield when, date
    place, named = _place(text, at, end, date, bool(mark))
    if place is not None and (named or not title & set(place.canonical.split())):
        yield where, place


def _place(
    text: str, at: int, end: int, date: Value | None, marked: bool
) -> tuple[Value | None, bool]:
    """The place beside a date, and whether a preposition announces it."""
    start, lead = _after(_BEFORE_PLACE, text, date.end if date else at, end)
    announced = any(letter.isalpha() for letter in lead)
    if date is None and not announced:
        return None, False
    place = value_at(text, start, end, "place")
    if place is None and date is not None and not marked:
        place = value_at(text, at, date.start, "place")
        if place is not None and not _only_a_country(text[place.end : date.start]):
            place = None
    return place, announced


def _only_a_country(between: str) -> bool:
    """Whether nothing but the country of a place stands between it and a date."""
    return between.strip().endswith(",") and between.strip(" ,") in {"", *COUNTRIES}


def _after(pattern: re.Pattern[str], text: str, start: int, end: int) -> tuple[int, str]:
    """Where an optional pattern ends and what it matched."""
    match = pattern.match(text, start, end)
    return (match.end(), match[0]) if match else (start, "")
