"""Dates of any precision as intervals of days: years, months, spans, BC and circa."""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass

CIRCA_YEARS = 25
"""How far a "circa" year may be off, either way. Our choice: the source is silent."""

Day = tuple[int, int, int]
"""Year, month, day; years before Christ are negative and there is no year 0."""


@dataclass(frozen=True, slots=True)
class Date:
    """The days from ``low`` to ``high``, both included; one of them is meant."""

    low: Day
    high: Day
    circa: bool = False

    @property
    def canonical(self) -> str:
        """ISO 8601 in the precision given; ``low/high`` for spans, ``c. `` if uncertain.

        A year before Christ is its number with a minus sign: 44 BC is ``-0044``.
        """
        mark = "c. " if self.circa else ""
        (year, month, day), (last, until, end) = self.low, self.high
        if self.low == self.high:
            return f"{mark}{_year(year)}-{month:02d}-{day:02d}"
        if (month, day, until, end) == (1, 1, 12, 31):
            span = "" if year == last else f"/{_year(last)}"
            return f"{mark}{_year(year)}{span}"
        return f"{mark}{_year(year)}-{month:02d}"

    @property
    def bounds(self) -> tuple[Day, Day]:
        """The interval, widened on both sides where the date is uncertain."""
        slack = CIRCA_YEARS if self.circa else 0
        return (
            (_later(self.low[0], -slack), *self.low[1:]),
            (_later(self.high[0], slack), *self.high[1:]),
        )


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>\d{1,4})"
_WRITTEN = [
    re.compile(pattern)
    for pattern in (
        rf"{_DAY}(?: of)? {_MONTH},? {_YEAR}",
        rf"{_MONTH} {_DAY},? {_YEAR}",
        rf"{_MONTH},? {_YEAR}",
        r"(?P<year>-?\d{4})-(?P<number>\d\d)-(?P<day>\d\d)",
        r"(?P<year>-?\d{4})-(?P<number>\d\d)",
        r"(?P<year>-?\d{1,4})",
    )
]
_ERA = re.compile(r"\s*\b(b\.?\s?c\.?(?:\s?e\.?)?)$|\s*\b(?:c\.?\s?e\.?|a\.?\s?d\.?)$|^a\.?d\.?\s+")
_CIRCA = re.compile(r"^(?:c\.|ca\.?|c(?=\s?\d)|circa|about|around|approximately|~)\s*")
_DECADE = re.compile(r"(?:the )?(\d{2,3})0s")
_CENTURY = re.compile(r"(?:the )?(\d{1,2})(?:st|nd|rd|th) century")
_SPAN = re.compile(r"(-?\d{1,4})\s?[/\u2013\u2014]\s?(-?\d{1,4})|(\d{3,4})\s?-\s?(\d{3,4})")


def read_date(text: str) -> Date | None:
    """A date of any precision: day, month, year, span, decade, century; BC and circa."""
    plain = " ".join(text.casefold().split()).strip(" .,").replace("\u2212", "-")
    bare = _CIRCA.sub("", plain)
    era = _ERA.search(bare)
    undated = _ERA.sub("", bare) if era else bare
    found = _span(undated) or _written(undated)
    if found is None:
        return None
    if era and era[1]:
        if found.low[0] < 0:
            return None
        found = _before_christ(found)
    return Date(found.low, found.high, circa=bare != plain)


def _written(text: str) -> Date | None:
    match = next((m for pattern in _WRITTEN if (m := pattern.fullmatch(text))), None)
    if match is None:
        return None
    part = match.groupdict()
    name, number = part.get("month"), part.get("number")
    month = _MONTHS.index(name[:3]) + 1 if name else int(number or 0)
    return _precise(int(part["year"]), month, int(part.get("day") or 0))


def _precise(year: int, month: int, day: int) -> Date | None:
    """The days a year, a month (if not 0) and a day (if not 0) leave open."""
    if year == 0 or month > 12:
        return None
    if month == 0:
        return Date((year, 1, 1), (year, 12, 31)) if day == 0 else None
    last = monthrange(2000 if _leap(year) else 2001, month)[1]
    if day > last:
        return None
    return Date((year, month, day or 1), (year, month, day or last))


def _span(text: str) -> Date | None:
    if match := _DECADE.fullmatch(text):
        return _years(int(match[1]) * 10, int(match[1]) * 10 + 9)
    if match := _CENTURY.fullmatch(text):
        return _years(int(match[1]) * 100 - 99, int(match[1]) * 100)
    if match := _SPAN.fullmatch(text):
        first, second = (part for part in match.groups() if part is not None)
        if len(second) == 2 and len(first) > 2:
            second = first[:-2] + second
        return _years(int(first), int(second))
    return None


def _years(first: int, last: int) -> Date | None:
    return Date((first, 1, 1), (last, 12, 31)) if first and first <= last and last else None


def _before_christ(date: Date) -> Date:
    """Years counted backwards: a span's later number is its earlier end."""
    low, high = sorted((-date.low[0], -date.high[0]))
    return Date((low, *date.low[1:]), (high, *date.high[1:]))


def _year(year: int) -> str:
    return f"-{-year:04d}" if year < 0 else f"{year:04d}"


def _astronomical(year: int) -> int:
    return year + 1 if year < 0 else year


def _later(year: int, years: int) -> int:
    moved = _astronomical(year) + years
    return moved if moved > 0 else moved - 1


def _leap(year: int) -> bool:
    """By the calendar of the time: Julian until 1582."""
    counted = _astronomical(year)
    return counted % 4 == 0 and (year <= 1582 or counted % 100 != 0 or counted % 400 == 0)


def day_number(day: Day) -> int:
    """The Julian day number (at noon); Julian calendar before 15 October 1582."""
    month_shift = (14 - day[1]) // 12
    year = _astronomical(day[0]) + 4800 - month_shift
    days = day[2] + (153 * (day[1] + 12 * month_shift - 3) + 2) // 5 + 365 * year + year // 4
    return days - 32083 if day < (1582, 10, 15) else days - year // 100 + year // 400 - 32045


_PARTIAL = re.compile(r"-?(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?", re.ASCII)


def in_calendar(value: str) -> bool:
    """Whether ``value`` is a year, month or day of the calendar as ISO 8601 writes them."""
    found = _PARTIAL.fullmatch(value)
    if found is None:
        return False
    year, month, day = (int(part or 1) for part in found.groups())
    # Before the year 1 any year may be a leap year: sources count those years differently.
    counted = 4 if year == 0 or value.startswith("-") else year
    return 1 <= month <= 12 and 1 <= day <= monthrange(counted, month)[1]
