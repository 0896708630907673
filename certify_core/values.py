"""Typed values: what a text says as a date, number, country, name or closed list.

Texts are of different precision, so dates and numbers are intervals. Every ``read_*``
gives ``None`` for text that is not of its type, never a guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from certify_core.canonical import canonical_bytes, strict_loads
from certify_core.countries import COUNTRY_OF
from certify_core.dates import Date, read_date
from certify_core.errors import InvalidJson
from certify_core.folding import fold
from certify_core.model import ValueKind
from certify_core.quantities import Number, read_number

# A state and what was or is part of it, rules it or claims it: such a pair is neither
# clearly one country nor clearly two.
_PARTS = {
    whole: frozenset(parts.strip().split(", "))
    for whole, _, parts in (
        line.partition(":")
        for line in """
byzantine empire: turkey, greece, ottoman empire
china: taiwan, hong kong, macau
czechoslovakia: czech republic, slovakia
denmark: greenland, iceland, faroe islands
east germany: west germany, prussia
france: french polynesia, guadeloupe, martinique, new caledonia
germany: east germany, west germany, prussia
india: pakistan, bangladesh
israel: palestine
netherlands: aruba, curaçao
new zealand: cook islands
ottoman empire: turkey, greece, bulgaria, serbia, egypt, syria, lebanon, iraq, albania
prussia: poland, russia, lithuania, west germany
soviet union: russia, ukraine, belarus, georgia, armenia, azerbaijan, estonia, latvia, lithuania, moldova, kazakhstan, uzbekistan, turkmenistan, tajikistan, kyrgyzstan
united kingdom: ireland, hong kong, anguilla, bermuda, british virgin islands, cayman islands, falkland islands, gibraltar, isle of man, montserrat, turks and caicos islands
united states: puerto rico, american samoa, guam, northern mariana islands, united states virgin islands
yugoslavia: serbia, croatia, slovenia, montenegro, north macedonia, kosovo, bosnia and herzegovina
""".strip().splitlines()  # noqa: E501
    )
}
_COUNTRIES = {fold(word): country.lower() for word, country in COUNTRY_OF.items()}
_COUNTRY = "|".join(sorted((re.escape(word) for word in _COUNTRIES), key=len, reverse=True))
_ALL_COUNTRIES = re.compile(rf"(?:the )?(?:{_COUNTRY})(?: (?:and )?(?:the )?(?:{_COUNTRY}))*")
_NUMERAL = re.compile("[ivx]+")
_EACH_COUNTRY = re.compile(rf"\b(?:{_COUNTRY})\b")


def canonical(text: str, kind: ValueKind) -> str:
    """The form of a value that is compared: equal values have equal forms.

    Text that is not of its kind is folded; text that folds to nothing stays as it is.
    """
    if kind == "date" and (date := read_date(text)):
        return date.canonical
    if kind == "number" and (number := read_number(text)):
        return number.canonical
    if kind == "nationality" and (countries := read_countries(text)):
        return " and ".join(sorted(countries))
    return fold(text) or text


def read_countries(text: str) -> frozenset[str] | None:
    """The countries that a text names, in lower case; ``None`` if it says anything else."""
    folded = fold(text)
    if not _ALL_COUNTRIES.fullmatch(folded):
        return None
    return frozenset(_COUNTRIES[word] for word in _EACH_COUNTRY.findall(folded))


def closed_list(members: Iterable[str]) -> str:
    """A value that stands for exactly these members: sorted, without repeats, as JSON."""
    return canonical_bytes(sorted(set(members))).decode("utf-8")


def read_list(value: str) -> tuple[str, ...] | None:
    """The members of a closed list, or ``None`` for any other value."""
    try:
        members = strict_loads(value)
    except InvalidJson:
        return None
    if not isinstance(members, list) or not all(isinstance(m, str) for m in members):
        return None
    return tuple(members)


def same_dates(one: Date, other: Date) -> bool | None:
    """Whether they are the same at the precision stated; ``None`` if that is open."""
    if one == other and not one.circa and not _is_span(one):
        return True
    return _apart(one, other)


def same_numbers(one: Number, other: Number) -> bool | None:
    """``None`` for other units and for intervals that meet."""
    if one.unit != other.unit:
        return None
    return True if one == other and one.low == one.high else _apart(one, other)


def same_countries(one: frozenset[str], other: frozenset[str]) -> bool | None:
    """``None`` where only some are shared, or one state was part of the other."""
    if one == other:
        return True
    kindred = any(b in _PARTS.get(a, ()) or a in _PARTS.get(b, ()) for a in one for b in other)
    return None if kindred or one & other else False


def same_names(one: str, other: str) -> bool | None:
    """Equal after folding; ``None`` where one may be a shorter form of the other.

    Names that share neither all words nor initials count as different: our choice, since
    texts seldom say that two names mean two things.
    """
    if one == other or (fold(one) and fold(one) == fold(other)):
        return True
    return None if _may_shorten(fold(one).split(), fold(other).split()) else False


def _may_shorten(one: list[str], other: list[str]) -> bool:
    if set(one) <= set(other) or set(other) <= set(one):
        return True
    return len(one) == len(other) and all(
        a == b or _initial(a, b) or _initial(b, a) for a, b in zip(one, other, strict=True)
    )


def _initial(short: str, long: str) -> bool:
    """ "j" for "john", but not "i" for "ii"."""
    return len(short) == 1 and long.startswith(short) and not _NUMERAL.fullmatch(long)


def _is_span(date: Date) -> bool:
    return date.low[0] != date.high[0]


def _apart(one: Date | Number, other: Date | Number) -> bool | None:
    return False if before(one, other) or before(other, one) else None


def before(one: Date | Number, other: Date | Number) -> bool:
    """Whether every reading of ``one`` lies before every reading of ``other``."""
    return one.bounds[1] < other.bounds[0]  # type: ignore[operator]
