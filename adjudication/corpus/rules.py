"""What makes a text, a span and a time acceptable. Pure functions; no database."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from adjudication.corpus.encodings import UTF_8, encode
from adjudication.corpus.reading import BLOCKED
from adjudication.errors import Refused
from certify_core.dates import in_calendar

CONTEXT = 32  # code points of prefix and suffix kept with a span, to find it by eye


@dataclass(frozen=True, slots=True)
class Extent:
    """A span's place and words: code points and bytes, both half open."""

    start: int
    end: int
    byte_start: int
    byte_end: int
    exact: str
    prefix: str
    suffix: str


def extent_of(text: str, start: int, end: int, encoding: str = UTF_8) -> Extent:
    """The span ``text[start:end]`` of a text whose bytes are in ``encoding``.

    Raises:
        Refused: the range is empty, reversed or outside the text.
    """
    if not 0 <= start < end <= len(text):
        raise Refused(f"The range {start}–{end} is not inside the text of {len(text)} characters.")
    before = len(encode(text[:start], encoding))
    exact = text[start:end]
    return Extent(
        start=start,
        end=end,
        byte_start=before,
        byte_end=before + len(encode(exact, encoding)),
        exact=exact,
        prefix=text[max(0, start - CONTEXT) : start],
        suffix=text[end : end + CONTEXT],
    )


def check_quotation(text: str, start: int, end: int, quoted: str) -> None:
    """Refuse a span whose quoted words are not at its place, naming the first difference."""
    found = text[start:end]
    if found == quoted:
        return
    for offset, (here, claimed) in enumerate(zip(found, quoted, strict=False)):
        if here != claimed:
            raise Refused(
                f"The words differ at position {start + offset}: the text has "
                f"{_called(here)}, the quotation {_called(claimed)}."
            )
    raise Refused(
        f"The quotation has {len(quoted)} characters, the range {start}–{end} has {len(found)}."
    )


def find_quotation(text: str, quoted: str, occurrence: int = 1) -> tuple[int, int]:
    """Where ``quoted`` stands for the ``occurrence``-th time (from 1), as code points.

    A line break of the quotation stands for any line break of the text, since browsers
    rewrite the line breaks of what is typed. Whoever searches gives the text as the person
    who quotes may read it.

    Raises:
        Refused: it stands there less often, or never (names the first difference).
    """
    if not quoted:
        raise Refused("Quote the words of the span.")
    places = [match.span(1) for match in re.finditer(f"(?=({_flexible(quoted)}))", text)]
    if 0 < occurrence <= len(places):
        return places[occurrence - 1]
    if places:
        raise Refused(f"These words stand here {len(places)} times; there is no {occurrence}.")
    raise Refused(f"These words do not stand in this version. {first_difference(text, quoted)}")


def places_of(text: str, words: str) -> list[int]:
    """Where exactly ``words`` stand in ``text``, line breaks included; overlapping ones too."""
    found, place = [], text.find(words)
    while place >= 0:
        found.append(place)
        place = text.find(words, place + 1)
    return found


def _flexible(quoted: str) -> str:
    return r"(?:\r\n|\r|\n)".join(map(re.escape, re.split(r"\r\n|\r|\n", quoted)))


def first_difference(text: str, quoted: str) -> str:
    """How far ``quoted`` stands somewhere in ``text``, and the code points that then differ."""
    found, missing = 0, len(quoted)
    while missing - found > 1:
        middle = (found + missing) // 2
        if re.search(_flexible(quoted[:middle]), text):
            found = middle
        else:
            missing = middle
    if not found:
        return "Not even its first character does."
    match = re.search(_flexible(quoted[:found]), text)
    end = match.end() if match else 0
    return (
        f"Its first {_characters(found)}, up to position {end}; "
        f"then the text {_has(text, end)}, the quotation {_called(quoted[found])}."
    )


def _has(text: str, place: int) -> str:
    """What stands at ``place`` of a text, as somebody may read it."""
    if place == len(text):
        return "has its end"
    return "is blocked for you" if text[place] == BLOCKED else f"has {_called(text[place])}"


def _characters(count: int) -> str:
    return "character does" if count == 1 else f"{count} characters do"


def _called(character: str) -> str:
    """A character by its code point, and as it looks where it has a look of its own."""
    code = f"U+{ord(character):04X}"
    looks = unicodedata.category(character)[0] in "LNPS"
    return f"{code} ({character})" if looks else code


def check_partial_time(value: str) -> None:
    """Refuse a year, month or day that is not in the calendar, such as 2013-02-30."""
    if not in_calendar(value):
        raise Refused(f"{value} is not in the calendar.")
