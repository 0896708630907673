"""The entity check: is this passage about exactly the entity the requirement names?

Every decision comes with a reason in words. Rules the source leaves open are the named
switches of :class:`Rules`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from certify_core.folding import fold, split_title
from certify_core.model import Unit
from certify_core.regions import regions_in, split_place
from certify_core.sentences import sentences

_STOP = frozenset("a an the of and or in on at to for by with from as is s".split())
_KIND = frozenset(
    "film movie song single album novel book play band series show opera magazine "
    "television tv soundtrack".split()
)
_HONORIFIC = frozenset("sir dame lord lady king queen prince princess dr saint st".split())
_CONNECTORS = frozenset(
    "of the and in on at to for de da di do du del della des der den la le les el von van "
    "zu bin ibn y e et und av af al ap ab mac o".split()
)
_ASKING = frozenset(
    "who whom whose what when where which why how is are was were do does did has have in on "
    "at to by from for of the a an".split()
)
_PRONOUNS = frozenset("i me you he him his she her it its we us they them this that".split())
_WEAK = _STOP | _ASKING | _PRONOUNS
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_SAME_NAME = re.compile(r"[\s,.\-\u2013\u2014&'\u2019:!?]*")
_INITIAL = re.compile(r"\b[^\W\d_a-z]\.(?=[\s\w-])")
_PARENTHESIS = re.compile(r"\([^()]*\)")
_ALIAS = re.compile(
    r"\b(?:known(?: \w+){0,2} as|also called|a\.k\.a\.|alias|n\u00e9e?|born as)\s+"
    r"[\"\u201c']?\s*([^\W\d_a-z][^,;()\"\u201d.]*)"
)


@dataclass(frozen=True, slots=True)
class Rules:
    """Switches of the entity check.

    ``partial``: what a title that names only part of a longer name counts as.
    ``suffix``: whether a title's trailing parenthesis must fit the requirement.
    ``aliases``: whether names from "known as" in the first sentence count as titles.
    ``places``: whether "Reno, Nevada" counts as a title "Reno" while no other is stored.
    """

    partial: Literal["verify", "anchor"] = "verify"
    suffix: Literal["fit", "drop"] = "fit"
    aliases: bool = True
    places: bool = True


DEFAULT_RULES = Rules()


@dataclass(frozen=True, slots=True)
class Anchoring:
    """Whether a unit is anchored to a requirement, and why."""

    holds: bool
    reason: str


@dataclass(frozen=True, slots=True)
class _Word:
    token: str
    start: int
    end: int
    capital: bool


def anchoring(
    text: str,
    unit: Unit,
    namesakes: Sequence[str] = (),
    rules: Rules = DEFAULT_RULES,
    subject: str = "",
) -> Anchoring:
    """Check ``unit`` against the instantiated requirement ``text``.

    ``namesakes`` are the other stored titles with the same base as the unit's title;
    ``subject`` is the entity the value's sentence speaks of, where the reader can tell.
    """
    if subject and not _speaks_of(unit, subject):
        return Anchoring(False, f"the sentence speaks of “{subject}”, not of “{unit.title}”")
    found = _by_name(text, unit.title, rules)
    if found.holds:
        found = _spelling_fits(text, unit.title, namesakes) or found
    if found.holds and rules.suffix == "fit":
        found = _suffix_fits(text, unit.title, namesakes) or found
    if not found.holds and rules.places:
        found = _by_place(text, unit, namesakes, rules) or found
    if not found.holds and rules.aliases:
        known = (_by_name(text, name, rules) for name in aliases(unit))
        found = next((_as_alias(unit.title, one) for one in known if one.holds), found)
    return found


def names(text: str, name: str) -> bool:
    """Whether ``text`` names exactly this entity: all of it, and not as part of another."""
    return _by_name(text, name, DEFAULT_RULES).holds


def informative_tokens(title: str) -> tuple[str, ...]:
    """The tokens a requirement must name, in order; none when the title folds to nothing.

    A trailing parenthesis goes; stop words, then kind words and honorifics go as long as
    something remains. A title of one token stays whole.
    """
    tokens = fold(split_title(title)[0]).split() or fold(title).split()
    for drop in (_STOP, _KIND, _HONORIFIC):
        rest = [t for t in tokens if t not in drop]
        tokens = rest if rest and len(tokens) > 1 else tokens
    return tuple(tokens)


def aliases(unit: Unit) -> tuple[str, ...]:
    """Other names that the first sentence of the body gives ("known as …").

    A single word is left out: it is mostly a surname or a nickname that many share.
    """
    spans = sentences(unit.text)
    if len(spans) < 2:
        return ()
    first = unit.text[slice(*spans[1])]
    names = (match[1].strip() for match in _ALIAS.finditer(first))
    return tuple(name for name in names if len(informative_tokens(name)) > 1)


def _speaks_of(unit: Unit, subject: str) -> bool:
    spoken = set(informative_tokens(subject))
    names = (set(informative_tokens(name)) for name in (unit.title, *aliases(unit)))
    return any(spoken <= name or name <= spoken for name in names)


def _by_name(text: str, name: str, rules: Rules) -> Anchoring:
    needed = informative_tokens(name)
    if len(needed) < 2 and _WEAK.issuperset(needed):
        # The first word of a question asks; it names nothing.
        return _by_characters(text, name, first=1 if needed else 0)
    words = _words(text)
    missing = [t for t in needed if t not in {w.token for w in words}]
    if missing:
        return Anchoring(False, f"the requirement does not name {_listed(missing)} of “{name}”")
    whole = _longer_name(text, words, needed)
    if whole == "":
        return Anchoring(True, f"the requirement names “{name}”")
    part = f"is only part of “{whole}”" if whole else "is not named in one piece"
    return Anchoring(rules.partial == "anchor", f"“{name}” {part}")


def _by_place(text: str, unit: Unit, namesakes: Sequence[str], rules: Rules) -> Anchoring | None:
    """The acceptance of a place named without its region, if it shares its name with none.

    The body must do so too: "Good Morning, Vietnam" calls itself nothing shorter. A
    parenthesis ("near Reno") tells the place asked about from others, and is not asked about.
    """
    name, region = split_place(unit.title)
    body = unit.text.removeprefix(unit.title).lstrip()
    if not region or namesakes or not body.startswith(name) or body.startswith(unit.title):
        return None
    asked = _PARENTHESIS.sub(" ", text)
    elsewhere = regions_in(asked) - regions_in(unit.title)
    found = _by_name(asked, name, rules)
    if elsewhere or not found.holds:
        return None
    return Anchoring(True, f"{found.reason}, the only one stored")


def _by_characters(text: str, name: str, first: int) -> Anchoring:
    """The rule for names without a word of their own: the very characters, as a whole."""
    whole = re.escape(split_title(name)[0] or name)
    holds = re.compile(rf"(?<!\w){whole}(?!\w)").search(text, first) is not None
    return Anchoring(holds, f"the requirement {'names' if holds else 'does not name'} “{name}”")


def _longer_name(text: str, words: Sequence[_Word], needed: tuple[str, ...]) -> str | None:
    """``""`` if the name stands alone in the text, the longer name around it, or ``None``
    if its tokens are scattered."""
    wholes = [_surrounding(text, words, *place) for place in _mentions(words, needed)]
    extended = [
        whole for whole in wholes if len(informative_tokens(_INITIAL.sub("", whole))) > len(needed)
    ]
    if not wholes:
        return None
    return "" if len(extended) < len(wholes) else extended[0]


def _mentions(words: Sequence[_Word], needed: tuple[str, ...]) -> Iterable[tuple[int, int]]:
    """Index ranges of ``words`` in which the needed tokens follow one another."""
    skipped = (_STOP | _KIND | _HONORIFIC) - set(needed)
    kept = [i for i, word in enumerate(words) if word.token not in skipped]
    for at in range(len(kept) - len(needed) + 1):
        window = kept[at : at + len(needed)]
        if all(words[i].token == token for i, token in zip(window, needed, strict=True)):
            yield window[0], window[-1] + 1


def _surrounding(text: str, words: Sequence[_Word], first: int, last: int) -> str:
    """The whole capitalised name around ``words[first:last]``."""
    while (step := _reach(text, words, first, -1)) is not None:
        first = step
    end = last - 1
    while (step := _reach(text, words, end, 1)) is not None:
        end = step
    return text[words[first].start : words[end].end]


def _reach(text: str, words: Sequence[_Word], at: int, way: int) -> int | None:
    """The next capitalised word that belongs to the same name, connectors skipped."""
    here = at + way
    while 0 <= here < len(words) and _joined(text, words, here - way, here):
        word = words[here]
        if here == 0 and word.token in _ASKING:
            return None
        if word.capital:
            return here
        if word.token not in _CONNECTORS:
            return None
        here += way
    return None


def _joined(text: str, words: Sequence[_Word], one: int, other: int) -> bool:
    left, right = sorted((one, other))
    if _possessive(text[words[left].start : words[left].end]):
        return False
    return _SAME_NAME.fullmatch(text, words[left].end, words[right].start) is not None


def _possessive(word: str) -> bool:
    return word.endswith(("'s", "\u2019s"))


def _words(text: str) -> tuple[_Word, ...]:
    return tuple(
        _Word(token, match.start(), match.end(), not match[0][0].islower())
        for match in _WORD.finditer(text)
        for token in fold(match[0]).split()
    )


def _spelling_fits(text: str, title: str, namesakes: Sequence[str]) -> Anchoring | None:
    """The refusal if folding makes titles alike and the text does not spell just this one.

    Questions often write titles in capitals of their own, so letter case comes last.
    """
    alike = [name for name in namesakes if fold(name) == fold(title)]
    spelt = [name for name in (title, *alike) if name.casefold() in text.casefold()]
    return _shared(title, alike) if alike and title not in text and spelt != [title] else None


def _suffix_fits(text: str, title: str, namesakes: Sequence[str]) -> Anchoring | None:
    """The refusal if the title's parenthesis does not fit the requirement, else ``None``."""
    own, asked = _suffix_tokens(title), _asked_suffix(text, title)
    if asked is not None and asked != own:
        return Anchoring(False, f"the requirement says “({' '.join(asked)})”, not “{title}”")
    named = {w.token for w in _words(text)}
    other_kinds = [t for t in own if t in _KIND and t not in named and named & _KIND]
    if other_kinds:
        return Anchoring(False, f"“{title}” is not of the kind the requirement names")
    if not namesakes or set(own) <= named:
        better = [n for n in namesakes if set(own) < set(_suffix_tokens(n)) <= named]
        return _shared(title, better) if better else None
    return _shared(title, namesakes)


def _shared(title: str, others: Sequence[str]) -> Anchoring:
    return Anchoring(False, f"“{title}” shares its name with {_listed(others)}")


def _suffix_tokens(title: str) -> tuple[str, ...]:
    base, suffix = split_title(title)
    return tuple(fold(suffix).split()) if base else ()


def _asked_suffix(text: str, title: str) -> tuple[str, ...] | None:
    """The parenthesis that follows the title's base in the requirement, folded."""
    base = fold(split_title(title)[0])
    for match in re.finditer(r"\(([^()]*)\)", text):
        if base and fold(text[: match.start()]).endswith(base):
            return tuple(fold(match[1]).split())
    return None


def _as_alias(title: str, found: Anchoring) -> Anchoring:
    return Anchoring(True, f"“{title}” gives itself another name: {found.reason}")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"“{name}”" for name in list(names)[:3])
