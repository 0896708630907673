"""Where a passage states a relation of its own subject."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from certify_core.folding import fold
from certify_core.linking import aliases, informative_tokens
from certify_core.model import Unit
from certify_core.pattern_reader.countries import COUNTRIES, COUNTRY_OF
from certify_core.pattern_reader.lead import Life, life, opening_end
from certify_core.pattern_reader.relations import Relation, compiled
from certify_core.pattern_reader.values import MONTH, Value, countries, value_at
from certify_core.sentences import sentences

_PRONOUNS = frozenset("he she it they his her its their this".split())
_KIN = frozenset(
    "son sons daughter daughters brother brothers sister sisters father mother wife husband "
    "uncle aunt cousin children parents grandfather grandmother nephew niece widow who whom whose "
    "couple".split()
)
_BEFORE_OBJECT = frozenset("in at from of on by to with for near the and into".split())
_WORK = frozenset(
    "film movie song single album track novel book play series show band company story poem "
    "opera video journal magazine group museum documentary".split()
)
_WORDS = re.compile(r"[^\W_]+(?:['\u2019.-]+[^\W_]+)*\.?|[,;]")
_FEMALE = re.compile(
    r"(?:the )?(?:\w+ )?(?:Queen|Princess|Empress|Infanta|Duchess|Countess|Lady|Dame|Archduchess"
    r"|Marchioness|Baroness|Grand Duchess|actress)\b"
)
_PREDICATE = re.compile(r"\s(?:is|was|were|are)\s(?:an?|the|one)\s")


@dataclass(frozen=True, slots=True)
class Article:
    """A unit with its sentences; the first is the one after the title line."""

    unit: Unit
    body: int
    opening: int
    spans: tuple[tuple[int, int], ...]
    names: frozenset[str]

    @classmethod
    def of(cls, unit: Unit) -> Article:
        text = unit.text
        body = len(unit.title) + 1 if text.startswith(unit.title + "\n") else 0
        spans = tuple(span for span in sentences(text) if span[0] >= body)
        names = {t for name in (unit.title, *aliases(unit)) for t in fold(name).split()}
        opening = opening_end(text, body)
        return cls(unit, body, opening, spans, frozenset(names))

    @property
    def text(self) -> str:
        return self.unit.text

    def life(self) -> Life:
        return life(self.text, self.body, self.unit.title)


@dataclass(frozen=True, slots=True)
class Statement:
    """A value with the words that announce it."""

    value: Value
    words: str


def statement(article: Article, relation: Relation) -> Statement | None:
    """The first value the article states for the relation, if any."""
    if relation.key == "country":
        return _country(article)
    if relation.life:
        value = getattr(article.life(), relation.life)
        if value is not None:
            return Statement(value, "opening parenthesis")
    return next(_cued(article, relation), None)


def _cued(article: Article, relation: Relation) -> Iterator[Statement]:
    for cue in relation.cues:
        for start, end in article.spans[: 1 if relation.first else None]:
            for match in compiled(cue).finditer(article.text, start, end):
                if not _about_subject(article, start, match.start()):
                    continue
                value = _value(article.text, match.end(), end, relation)
                if value is not None:
                    yield Statement(value, match[0].strip())


def _value(text: str, at: int, end: int, relation: Relation) -> Value | None:
    if relation.key == "father" and _FEMALE.match(text, at, end):
        return None
    value = value_at(text, at, end, relation.kind)
    if value is None or not relation.narrow or "," not in text[value.start : value.end]:
        return value
    stop = text.index(",", value.start)
    return Value(value.start, stop, fold(text[value.start : stop]), value.kind)


def _about_subject(article: Article, start: int, cue: int) -> bool:
    """Whether the words before a cue speak of the article's subject.

    Looks back for the nearest grammatical subject: a pronoun or the title's words accept,
    another name or a relative refuses. Names after a preposition are objects.
    """
    first = bool(article.spans) and start == article.spans[0][0]
    if first and cue <= article.opening:
        return True
    words = _WORDS.findall(_without_parentheses(article.text[start:cue]))
    if not words:
        return True
    for at in range(len(words) - 1, -1, -1):
        verdict = _subject_word(words, at, article.names)
        if verdict is not None:
            return verdict
    return first or words[0].lower().endswith(("ed", "en", "rn"))


def _subject_word(words: list[str], at: int, names: frozenset[str]) -> bool | None:
    word, previous = words[at], words[at - 1].lower() if at else ""
    token = fold(word)
    if token in _PRONOUNS or (token and set(token.split()) <= names and word[0].isupper()):
        return True
    if token in _WORK and previous in {"the", "this"}:
        return True
    if token in _KIN:
        return False
    named = word[0].isupper() and at > 0 and word not in COUNTRY_OF and not re.match(MONTH, word)
    return False if named and not _is_object(words, at) else None


def _is_object(words: list[str], at: int) -> bool:
    """A capitalised word is an object when its whole name follows a preposition."""
    while at > 0 and words[at - 1][0].isupper():
        at -= 1
    return at > 0 and words[at - 1].lower() in _BEFORE_OBJECT


def _without_parentheses(text: str) -> str:
    return re.sub(r"\([^()]*\)?", " ", text)


def _country(article: Article) -> Statement | None:
    """The country in "is a Norwegian actress", else the last one named in the sentence."""
    if not article.spans:
        return None
    start, end = article.spans[0]
    verb = _PREDICATE.search(article.text, min(article.opening, end), end)
    if verb is None:
        return None
    found = list(countries(article.text, verb.end(), end))
    adjective = next((v for v in found if _describes(article.text, verb.end(), v)), None)
    named = [v for v in found if article.text[v.start : v.end] in COUNTRIES]
    value = adjective or (named[-1] if named else None)
    return Statement(value, verb[0].strip()) if value else None


def _describes(text: str, start: int, value: Value) -> bool:
    """The word stands before the noun: no comma and no preposition in between."""
    before = text[start : value.start]
    adjective = text[value.start : value.end] not in COUNTRIES
    born = re.match(r"[-\u2013 ]+born\b", text[value.end : value.end + 7])
    return adjective and not born and not re.search(r"[,;]|\b(?:of|in|by|from|for|at)\b", before)
