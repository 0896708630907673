"""The times of sources as a small picture: one lane per version, one scale for all. Pure.

Where a time is only known to the month or year, its mark is as wide as that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from adjudication.corpus.times import UNESTABLISHED, Observed, Precision
from adjudication.specifications.admissibility import (
    Day,
    effective_in_words,
    first_day,
    last_day,
    partial_in_words,
)

WIDTH, LEFT, RIGHT = 640, 10, 630
LANE, TOP, AXIS = 46, 8, 26
LETTERS = 70  # of a title that fit a lane
LEAST = 9  # the width of a mark: that of its height, so that a moment is round
TICKS = 6
STEPS: Final = (1 / 12, 1 / 4, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)


@dataclass(frozen=True, slots=True)
class Dated:
    """A version's four times, and the title of its source."""

    title: str
    observed: Observed
    published: str
    effective_from: str
    effective_to: str

    @property
    def observed_day(self) -> str:
        """The time of capture as a partial time."""
        if self.observed.precision is Precision.MOMENT:
            return f"{self.observed.at.astimezone(UTC):%Y-%m-%d}"
        return self.observed.stated if self.observed.is_established else UNESTABLISHED

    @property
    def stated(self) -> list[tuple[str, str]]:
        """The partial times in words, each after the heading of its column."""
        return [
            ("Published", partial_in_words(self.published)),
            ("In effect from", partial_in_words(self.effective_from)),
            ("In effect to", partial_in_words(self.effective_to)),
        ]


@dataclass(frozen=True, slots=True)
class Mark:
    """From ``x`` over ``width``; ``kind`` becomes its class, ``words`` its title."""

    kind: str
    x: float
    width: float
    words: str

    @property
    def middle(self) -> float:
        return round(self.x + self.width / 2, 1)


@dataclass(frozen=True, slots=True)
class Lane:
    y: int
    title: str
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """``band`` is the time of the claim, ``cutoff`` the place of the observation cutoff."""

    height: int
    lanes: tuple[Lane, ...]
    ticks: tuple[tuple[float, str], ...]
    band: Mark | None
    cutoff: float | None
    width: int = WIDTH

    @property
    def floor(self) -> int:
        """Where the lanes end and the axis begins."""
        return self.height - AXIS


@dataclass(frozen=True, slots=True)
class Scale:
    """Places years (with fractions) between the edges of the picture."""

    low: float
    high: float

    def x(self, place: float) -> float:
        share = (place - self.low) / (self.high - self.low)
        return round(LEFT + share * (RIGHT - LEFT), 1)

    def mark(self, kind: str, begin: float, end: float, words: str) -> Mark:
        """From ``begin`` to ``end``, wide enough to be seen and inside the picture."""
        x = self.x(begin)
        width = max(self.x(end) - x, LEAST)
        return Mark(kind, min(x, RIGHT - width), round(width, 1), words)

    def ticks(self) -> Iterator[tuple[float, str]]:
        """At most a few round years or months, with their names."""
        step = next((one for one in STEPS if (self.high - self.low) / one <= TICKS), STEPS[-1])
        number = -(-self.low // step)
        while number * step <= self.high:
            place = number * step
            yield self.x(place), _named(place, step)
            number += 1


def draw(dated: Sequence[Dated], *, applies_at: str, cutoff: datetime | None) -> Picture | None:
    """The picture; None where no time of a source is established."""
    places = [place for one in dated for place in _places(one)]
    if not places:
        return None
    at = _place(_day_of(cutoff)) if cutoff else None
    claimed = _extent(applies_at) if applies_at != UNESTABLISHED else None
    scale = _scale([*places, *([at] if at is not None else []), *(claimed or ())])
    return Picture(
        height=TOP + LANE * len(dated) + AXIS,
        lanes=tuple(_lane(one, number, scale) for number, one in enumerate(dated)),
        ticks=tuple(scale.ticks()),
        band=scale.mark("claimed", *claimed, f"the claim: {applies_at}") if claimed else None,
        cutoff=scale.x(at) if at is not None else None,
    )


def _scale(places: Sequence[float]) -> Scale:
    """A little wider than what it has to hold."""
    low, high = min(places), max(places)
    margin = max((high - low) * 0.04, 1 / 12)
    return Scale(low - margin, high + margin)


def _lane(one: Dated, number: int, scale: Scale) -> Lane:
    title = one.title if len(one.title) <= LETTERS else f"{one.title[: LETTERS - 1]}…"
    marks = [*_effective(one, scale)]
    for kind, word, time in (
        ("published", "published", one.published),
        ("observed", "observed", one.observed_day),
    ):
        if time != UNESTABLISHED:
            marks.append(scale.mark(kind, *_extent(time), f"{word} {time}"))
    return Lane(TOP + LANE * number, title, tuple(marks))


def _effective(one: Dated, scale: Scale) -> Iterator[Mark]:
    """A bar; a side that nobody can establish runs out of the picture and says so."""
    begin, end = one.effective_from, one.effective_to
    if begin == end == UNESTABLISHED:
        return
    known = UNESTABLISHED not in (begin, end)
    low = _extent(begin)[0] if begin != UNESTABLISHED else scale.low
    high = _extent(end)[1] if end != UNESTABLISHED else scale.high
    if low <= high:
        words = f"in effect {effective_in_words(begin, end)}"
        yield scale.mark("effective" if known else "effective ends-unknown", low, high, words)


def _places(one: Dated) -> Iterator[float]:
    for time in (one.observed_day, one.published, one.effective_from, one.effective_to):
        if time != UNESTABLISHED:
            yield from _extent(time)


def _extent(partial: str) -> tuple[float, float]:
    """Where a partial time begins and ends, in years."""
    year, month, day = last_day(partial)
    return _place(first_day(partial)), _place((year, month, day + 1))


def _place(day: Day) -> float:
    """Years with fractions: even enough to look at, and never out of order."""
    year, month, number = day
    return year + (month - 1 + (number - 1) / 31) / 12


def _day_of(moment: datetime) -> Day:
    at = moment.astimezone(UTC)
    return at.year, at.month, at.day


def _named(place: float, step: float) -> str:
    year = int(place // 1)
    if step >= 1:
        return f"{year}"
    return f"{year}-{round((place - year) * 12) + 1:02d}"
