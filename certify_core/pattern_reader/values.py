"""Typed values as they stand in running text: names, places, dates, countries, phrases."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from certify_core.countries import COUNTRIES, COUNTRY_OF
from certify_core.model import ValueKind
from certify_core.values import canonical

MONTH = (
    "(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?)"
)
_DAY = r"[0-3]?\d(?:st|nd|rd|th)?"
_YEAR = (
    rf"(?:(?:[12]\d{{3}}(?=\d\d?\s{MONTH})|(?:[12]\d{{3}}|[3-9]\d\d)(?!\d|s\b))(?:\s?BCE?\b)?"
    r"|\d{1,3}\s?BCE?\b)"
)
_DATE = re.compile(
    rf"(?<![^\W\d_])(?:(?:(?:c|ca)\.|circa) ?)?(?:(?<!\d\d\d\d\d){_DAY}(?: of)?\s{MONTH},?\s{_YEAR}"
    rf"|{MONTH}\s{_DAY},?\s{_YEAR}|{MONTH},?\s{_YEAR}|\d{{4}}-\d\d-\d\d(?!\d)"
    rf"|(?<![\d.,/]){_YEAR}(?:/\d{{3,4}}(?!\d))?)"
)
_VAGUE = re.compile(
    r"(?:(?<![^\W_])(?:about|around|before|after|aft|bef|by|fl|r|reigned|ruled|"
    r"between|early|late|mid|possibly|probably)\b\.?|[/?])\s*$",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_][^\s,;:()\[\]\"\u201c\u201d\u2013\u2014/]*")
_LOWER_PARTS = frozenset(
    "of the de da di do du del della des dei der den dem la le les el los las von van zu zur "
    "und bin ibn bint al y e et av af ap ab mac mic ten upon sur".split()
)
_ABBREVIATED = frozenset("jr. sr. st. dr. mt. ft. bros. inc. co. ltd. u.s. u.k.".split())
_NOBLE = re.compile(
    r", (?:\d+(?:st|nd|rd|th) )?(?=(?:Grand |Holy Roman |Crown |Hereditary )?"
    r"(?:Duke|Duchess|Earl|Count|Countess|Prince|Princess|King|Queen|Lord|Lady|Baron|Baroness|"
    r"Baronet|Marquess|Marquis|Marchioness|Margrave|Landgrave|Elector|Viscount|Viscountess|"
    r"Emperor|Empress|Burgrave|Archduke|Archduchess)\b)|,? (?=[JS]r\.)"
)
_HONOUR = re.compile(
    r"(?:High King|King|Queen|Emperor|Empress|Tsar|Sultan|Pope|President|Sir|Dame|Dr\.|Captain|"
    r"Supreme Leader|General|Colonel|Major|Admiral|Reverend|Rev\.|Professor|Shah|Chancellor|"
    r"Prime Minister|"
    r"Bishop|Archbishop|Prince(?:ss)?(?=(?: [^\W\d_a-z][\w'\u2019-]*)+(?:[,.;]| and )))"
    r"\s+(?=[^\W\d_a-z])"
)
_NO_ROLE = frozenset(
    "of in on at for with from by to who which that and or as his her their its is was into "
    "about under after before during than but it he she they them".split()
)
_ROLE_WORDS = 9
_ROLE = re.compile(
    r" (?:director|filmmaker|producer|writer|author|singer|songwriter|rapper|musician|composer|"
    r"artist|actor|actress|member|band|group|duo|politician|king|queen|prince|princess|poet) $"
)
_ARTICLE = re.compile(r"(?:the |an? )?(?:[a-z]+ ){0,3}")
_TO_PLACE = re.compile(r"(?:(?:the )?(?:\w+ )?(?:city|town|village|borough|suburb) of |the )?")
_PLACE_GOES_ON = re.compile(rf", (?=[^\W\d_a-z])(?!{MONTH}|He |She |The |In )")
_ALSO_REGIONS = frozenset({"Georgia"})
_OWNER = re.compile(r"['\u2019]s (?=[^\W\d_a-z])")
_VERB = re.compile(r" (?:is|was|has|had|began|became|grew|made|won|went|\w+ed)\b")
_PHRASE = re.compile(
    r"(?:an? |the )?"
    r"([^\W_](?:[^\s,;.()\[\]]|\.(?=\w)| (?!(?:at|on|in|while|after|when|aged|and) ))+)"
)
_RELATIVE = re.compile(
    r"(?:one of )?(?:his|her|its|their) (?:[a-z-]+ ){0,2}[a-z-]+,? (?=[^\W\d_a-z])"
)
"""Before a name in apposition: "her co-star, Jo Roy", "one of its stars, Jo Roy"."""
_CALLED = re.compile(
    r"(?:the )?(?:[\w-]+ ){0,4}?(?:group|band|duo|trio|singer|rapper|artist|musician|director"
    r"|filmmaker), (?=[^\W\d_a-z])"
)
"""Before a name behind the words that say what it is: "Thai rock group, The Kilns"."""
_COMPOUND = r"(?:[-\u2013]\s?| )"


@dataclass(frozen=True, slots=True)
class Value:
    """A value at ``start``..``end`` of a text, with its comparable form."""

    start: int
    end: int
    canonical: str
    kind: ValueKind


def value_at(text: str, at: int, limit: int, kind: ValueKind) -> Value | None:
    """The value of ``kind`` that begins at ``at``; role words may precede a name."""
    if kind == "date":
        found = next(dates(text, at, min(limit, at + 30)), None)
        return found if found and found.start - at <= 4 else None
    if kind == "nationality":
        return next(countries(text, at, limit), None)
    if kind == "place":
        return _place(text, at, limit)
    if kind == "any":
        return _phrase(text, at, limit)
    return _named(text, at, limit, kind)


def dates(text: str, start: int, end: int) -> Iterator[Value]:
    """The dates in a range. Bounds ("after 938") and doubtful ones are left out."""
    for match in _DATE.finditer(text, start, end):
        vague = _VAGUE.search(text, max(start, match.start() - 12), match.start())
        if vague is None and not re.match(r"\s?[/?]", text[match.end() : match.end() + 2]):
            yield value_of(text, match.start(), match.end(), "date")


def countries(text: str, start: int, end: int) -> Iterator[Value]:
    """Words that name a country or its people, compounds ("Chinese American") as one."""
    for match in COUNTRY_WORDS.finditer(text, start, end):
        yield value_of(text, match.start(), match.end(), "nationality")


def name_end(text: str, at: int, limit: int) -> int | None:
    """Where the capitalised name that begins at ``at`` ends, or ``None`` if none does."""
    end: int | None = None
    while match := _WORD.match(text, at, limit):
        word = match[0]
        if word[0].isupper() or (word[0].isdigit() and end is not None):
            end = match.start() + len(_bare(word))
            if _bare(word) != word:
                break
        elif end is None or word.rstrip("-") not in _LOWER_PARTS:
            break
        at = match.end() + 1
        if text[match.end() : at] != " ":
            break
    return end


def _owned_end(text: str, at: int, limit: int) -> int | None:
    """The end of a name that may go on behind a possessive: "Saint Paul's Parish"."""
    end = name_end(text, at, limit)
    if end is not None and (owner := _OWNER.match(text, end, limit)):
        return name_end(text, owner.end(), limit)
    return end


def _bare(word: str) -> str:
    """A word without the possessive or full stop that ends a name with it."""
    for ending in ("'s", "\u2019s", "'", "\u2019"):
        if word.endswith(ending):
            return word[: -len(ending)]
    stop = word.endswith(".") and len(word) > 2 and word.lower() not in _ABBREVIATED
    return word.rstrip(".!?") if stop and "." not in word[:-1] else word


def _named(text: str, at: int, limit: int, kind: ValueKind) -> Value | None:
    if kind == "person" and (
        apposed := _RELATIVE.match(text, at, limit) or _CALLED.match(text, at, limit)
    ):
        at = apposed.end()
    at = _after_roles(text, at, limit) if kind == "person" else _after_article(text, at, limit)
    while honour := _HONOUR.match(text, at, limit):
        at = honour.end()
    end = name_end(text, at, limit) if kind == "person" else _owned_end(text, at, limit)
    if end is None or (kind == "person" and COUNTRY_WORDS.fullmatch(text, at, end)):
        return None
    if noble := _NOBLE.match(text, end, limit):
        end = name_end(text, noble.end(), limit) or end
    return value_of(text, at, end, kind)


def _after_article(text: str, at: int, limit: int) -> int:
    match = _ARTICLE.match(text, at, limit)
    return match.end() if match else at


def _after_roles(text: str, at: int, limit: int) -> int:
    """Past words that say what a person is: "Swedish prime minister", "Quebec director"."""
    here = _role(text, at, limit)
    end = name_end(text, here, limit)
    if end is not None and text[end : end + 1] == " ":
        further = _role(text, end + 1, limit)
        if _ROLE.search(text, end, further) and text[further].isupper():
            return further
    return here


def _role(text: str, at: int, limit: int) -> int:
    """Past lower-case words and words of a country, up to a capitalised name."""
    here = at
    for _ in range(_ROLE_WORDS):
        people = COUNTRY_WORDS.match(text, here, limit)
        if people and text[people.end() : people.end() + 1] == " ":
            here = people.end() + 1
        word = _WORD.match(text, here, limit)
        if word is None or text[word.end() : word.end() + 1] != " ":
            return here if word is not None and word[0][0].isupper() else at
        joined = word[0] == "and" and here > at and text[word.end() + 1].islower()
        if word[0].lower() in _NO_ROLE and not joined:
            return at
        if word[0][0].isupper() and not _of_a_country(word[0]):
            return here
        here = word.end() + 1
    return at


def _of_a_country(word: str) -> bool:
    parts = [part for part in re.split(r"[-\u2013]", word) if part]
    return parts[0] in COUNTRY_OF and all(p in COUNTRY_OF or p in {"born", "based"} for p in parts)


def _place(text: str, at: int, limit: int) -> Value | None:
    """A place with the region that tells it from namesakes, without the country it lies in."""
    start = match.end() if (match := _TO_PLACE.match(text, at, limit)) else at
    end = None if re.match(MONTH + r"\b", text[start:]) else _owned_end(text, start, limit)
    while end is not None and (more := _PLACE_GOES_ON.match(text, end, limit)):
        further = name_end(text, more.end(), limit)
        if further is None or _VERB.match(text, further, limit):
            break
        if text[more.end() : further] in COUNTRIES - _ALSO_REGIONS:
            break
        end = further
    return None if end is None else value_of(text, start, end, "place")


def _phrase(text: str, at: int, limit: int) -> Value | None:
    match = _PHRASE.match(text, at, limit)
    if match is None:
        return None
    return value_of(text, *match.span(1), "any")


def value_of(text: str, start: int, end: int, kind: ValueKind) -> Value:
    """The value that these characters are."""
    return Value(start, end, canonical(text[start:end], kind), kind)


def _country_pattern() -> str:
    names = sorted(COUNTRY_OF, key=lambda name: (-len(name), name))
    return r"(?<![^\W_])(?:" + "|".join(re.escape(name) for name in names) + r")(?![^\W_])"


COUNTRY_WORDS = re.compile(rf"{_country_pattern()}(?:{_COMPOUND}{_country_pattern()})*")
