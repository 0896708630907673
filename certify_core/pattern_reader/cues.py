"""Where a passage states a relation of its own subject."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from certify_core.countries import COUNTRIES
from certify_core.folding import fold, split_title
from certify_core.linking import aliases
from certify_core.model import Unit
from certify_core.pattern_reader.lead import Life, life, opening_end
from certify_core.pattern_reader.relations import Relation, compiled
from certify_core.pattern_reader.values import (
    COUNTRY_WORDS,
    MONTH,
    Value,
    countries,
    value_at,
    value_of,
)
from certify_core.sentences import sentences

_PRONOUNS = frozenset("he she it they his her its their this".split())
_KIN = frozenset(
    "son sons daughter daughters brother brothers sister sisters father mother wife husband "
    "uncle aunt cousin children parents grandfather grandmother nephew niece widow "
    "couple".split()
)
_RELATIVES = frozenset("who whom whose which".split())
_BEFORE_OBJECT = frozenset("in at from of on by to with for near the into".split())
_TITLE_NOUNS = frozenset(
    "queen king prince princess duke duchess count countess earl emperor empress lord lady baron "
    "baroness margrave landgrave holy roman grand archduke archduchess infante infanta".split()
)
_WORK = frozenset(
    "film movie song single album track novel book play series show band company story poem "
    "opera video journal magazine group museum documentary drama comedy thriller musical".split()
)
_WORDS = re.compile(r"[^\W_]+(?:['\u2019.-]+[^\W_]+)*\.?|[,;]")
_FEMALE = re.compile(
    r"(?:the )?(?:\w+ )?(?:Queen|Princess|Empress|Infanta|Duchess|Countess|Lady|Dame|Archduchess"
    r"|Marchioness|Baroness|Grand Duchess|actress)\b"
)
_PARENTHESES = re.compile(r"\([^()]*\)?")
_AND_ALSO = re.compile(r"\band (?:the |an? )?(?:\w+ )?$")
_IN_COUNTRY = re.compile(
    r"(?:, |\b(?:in|from) |\b(?:district|region|province|part|state|county|municipality|department"
    r"|north|south|east|west|coast|capital|city) of )(?:the )?(?:[a-z-]+ )?$"
)
_OWN = re.compile(r"(?:his|her|its) ")
_ADJUNCT = re.compile(
    r"(?:On|Upon|At|In|After|Before|During|Following|Through|With|Along|Alongside|Like|Unlike)"
    r"(?: [a-z]+){0,4}"
)
"""What may stand before "his father" at the head of a sentence: "On the death of"."""
_DETERMINED = re.compile(r"\b(?:[Tt]he|[Tt]his)(?: [a-z-]+){0,3}$")
_WITH = re.compile(r"\b(?:with|had|has|and) (?:the |its |an? )?(?:\w+ )?$")
_WORK_AT_START = re.compile(r"(?:It|Starring|The (?:film|movie|picture)) ")
_PREDICATE_WHO = re.compile(
    r"\b(?:is|was) (?:an?|the) (?:(?!(?:of|by|to|from|with)\b)[\w-]+ )*"
    r"(?:[^,.;]* [a-z-]+,)? ?who (?:was )?$"
)
"""In "was a scholar (of old books,) who", "who" is the one the sentence says it of."""
_POSSESSIVE = re.compile(r"['\u2019]s\b")
_PERSONAL = re.compile(r"(?:He|She|It|They) ")
_RESUMED = re.compile(
    r"(?:He|She|It|They|The (?:film|movie|picture|song|album|novel|book|series)) "
)
_ALIKE = 5
"""First letters that names of two spellings share: "Gunasekhar", "Gunasekar"."""
_DATED_WORK = re.compile(r"\s+(?:is|was) an? [12]\d{3} ")
_OTHER_WORK = re.compile(r"\b(?:based on|adapted from)\b")
_ASIDE = re.compile(r", (?:which|who) [^,]*(?:,[^,]*)??, (?=(?:is|was|were|had|has) )")
_PREDICATE = re.compile(r"\s(?:is|was|were|are)\s(?:an?|the|one)\s")


@dataclass(frozen=True, slots=True)
class Article:
    """A unit with its sentences; the first is the one after the title line.

    ``lead``: whether that sentence opens the page by naming its subject. A later paragraph
    of a page opens with whatever it goes on about.
    """

    unit: Unit
    body: int
    opening: int
    spans: tuple[tuple[int, int], ...]
    names: frozenset[str]
    lead: bool

    @classmethod
    def of(cls, unit: Unit) -> Article:
        text = unit.text
        body = len(unit.title) + 1 if text.startswith(unit.title + "\n") else 0
        spans = tuple(span for span in sentences(text) if span[0] >= body)
        names = {t for name in (unit.title, *aliases(unit)) for t in fold(name).split()}
        opening = opening_end(text, body)
        lead = _is_lead(text, body, opening, names)
        return cls(unit, body, opening, spans, frozenset(names), lead)

    @property
    def text(self) -> str:
        return self.unit.text

    def life(self) -> Life:
        return life(self.text, self.body, self.unit.title) if self.lead else Life()

    def opens_at(self, start: int) -> bool:
        """Whether the sentence that starts here is the page's lead."""
        return self.lead and bool(self.spans) and start == self.spans[0][0]


def _is_lead(text: str, body: int, opening: int, names: set[str]) -> bool:
    """Whether the first sentence's subject is the title's, spelt alike at least.

    A lead may also give a foreign title ("Vaghe stelle is a 1965 film") or lack the name
    before its comma or parenthesis.
    """
    subject = fold(text[body:opening]).split()
    alike = {name[:_ALIKE] for name in names} & {word[:_ALIKE] for word in subject}
    opens = text[body:].lstrip()[:1] in {",", "("} or _RESUMED.match(text, body)
    return bool(alike or opens or not names or _DATED_WORK.match(text, opening))


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
            sentence = article.text[start].lower() + article.text[start + 1 : end]
            for match in compiled(cue).finditer(sentence):
                if not _about_subject(article, relation, start, start + match.start(), match[0]):
                    continue
                value = _value(article.text, start + match.end(), end, relation)
                if value is not None:
                    yield Statement(value, match[0].strip())


def _value(text: str, at: int, end: int, relation: Relation) -> Value | None:
    if relation.key == "father" and _FEMALE.match(text, at, end):
        return None
    if relation.shape:
        shaped = compiled(relation.shape).match(text, at, end)
        return value_of(text, *shaped.span(), relation.kind) if shaped else None
    value = value_at(text, at, end, relation.kind)
    if value and value.kind != "person" and _POSSESSIVE.match(text, value.end):
        return None  # "studied at Jo Roy's workshop"
    return narrowed(text, value) if value and relation.narrow else value


def narrowed(text: str, value: Value) -> Value:
    """A place without the region behind its comma; any other value as it is."""
    cut = text.find(",", value.start, value.end) if value.kind == "place" else -1
    return value if cut < 0 else value_of(text, value.start, cut, value.kind)


def _about_subject(
    article: Article, relation: Relation, start: int, cue: int, words_of_cue: str
) -> bool:
    """Whether the words before a cue speak of the article's subject.

    Looks back for the nearest grammatical subject: a pronoun or the title's words accept,
    another name or a relative refuses. Names after a preposition are objects. The first
    sentence of an article on a work speaks of the work.
    """
    first = article.opens_at(start)
    if first and (relation.work or cue <= article.opening):
        return True
    before = _PARENTHESES.sub(" ", article.text[article.opening if first else start : cue])
    before = _ASIDE.sub(" ", before)
    and_also = _AND_ALSO.search(before) and not _OTHER_WORK.search(before)
    if and_also and (first or _RESUMED.match(before)):
        return True
    if relation.work and _WITH.search(before) and _WORK_AT_START.match(before):
        return True
    if first and _PREDICATE_WHO.search(before):
        return True
    words = _WORDS.findall(COUNTRY_WORDS.sub(" ", before))
    for at in range(len(words) - 1, -1, -1):
        verdict = _subject_word(words, at, article.names)
        if verdict is not None:
            return verdict
    own = _OWN.match(words_of_cue) is not None and _ADJUNCT.fullmatch(" ".join(words))
    return first or bool(own) or not words or _heads_sentence(words)


def speaks_of_subject(article: Article, start: int, end: int) -> bool:
    """Whether a whole sentence speaks of the subject: the first, or one that names it or
    begins with a pronoun."""
    told = set(fold(article.text[start:end]).split())
    first = article.opens_at(start)
    named = set(fold(split_title(article.unit.title)[0]).split()) <= told
    return first or named or _PERSONAL.match(article.text, start) is not None


def _heads_sentence(words: list[str]) -> bool:
    """Words with no subject before a cue that describes one: "The only son of …"."""
    determined = words[0] in {"The", "A", "An", "As"} and len(words) <= 5
    return determined or words[0].lower().endswith(("ed", "en", "rn"))


def _subject_word(words: list[str], at: int, names: frozenset[str]) -> bool | None:
    word, following = words[at], [*words, ""][at + 1]
    token = fold(word)
    if token in _PRONOUNS or (token and word[0].isupper() and set(token.split()) <= names):
        return True
    if token in _WORK and _DETERMINED.search(" ".join(words[:at])):
        return True
    if token in _RELATIVES:
        return False if _after_a_name(words, at, names) else None
    if token in _KIN:
        acts = following in {"", "was", "is", "were", "died", "married"} or following[0].isupper()
        return False if acts else None
    common = at == 0 or token in _TITLE_NOUNS or following in _WORK or re.match(MONTH, word)
    return False if word[0].isupper() and not common and not _is_object(words, at) else None


def _after_a_name(words: list[str], at: int, names: frozenset[str]) -> bool:
    """Whether ", who" or ", which" at this word goes on about a name other than the subject's."""
    if at < 2 or words[at - 1] != ",":
        return False
    begin = at - 2
    while begin > 0 and (words[begin - 1][0].isupper() or words[begin - 1] in {"of", "de", "von"}):
        begin -= 1
    place = begin > 0 and words[begin - 1].lower() in {"in", "at", "from", "near"}
    name = set(fold(" ".join(words[begin : at - 1])).split()) - {"of"}
    return words[at - 2][0].isupper() and not place and not name <= names


def _is_object(words: list[str], at: int) -> bool:
    """A capitalised word is an object when its whole name follows a preposition.

    Names joined by "and" share the preposition, unless the last goes on behind a comma.
    """
    joints = {","} if "," in words[-3:] else {",", "and"}
    while at > 0 and (words[at - 1][0].isupper() or words[at - 1] in joints):
        at -= 1
    return at > 0 and words[at - 1].lower() in _BEFORE_OBJECT


def _country(article: Article) -> Statement | None:
    """The country in "is a Norwegian actress", else the one in which something lies."""
    for at, (start, end) in enumerate(article.spans[:3]):
        verb = _PREDICATE.search(article.text, min(article.opening, end) if at == 0 else start, end)
        if verb is None or not (article.opens_at(start) or _PERSONAL.match(article.text, start)):
            continue
        if value := _country_in(article.text, verb.end(), end):
            return Statement(value, verb[0].strip())
    return None


def _country_in(text: str, start: int, end: int) -> Value | None:
    found = list(countries(text, start, end))
    noun = next((v for v in found if _describes(text, start, v)), None)
    return noun or next((v for v in found if _lies_in(text, v)), None)


def _describes(text: str, start: int, value: Value) -> bool:
    """The word stands before the noun: no comma and no preposition in between."""
    born = re.match(r"[-\u2013 ]+(?:born|language)\b", text[value.end : value.end + 12])
    return not born and not re.search(
        r"[,;]|\b(?:of|in|by|from|for|at)\b", text[start : value.start]
    )


def _lies_in(text: str, value: Value) -> bool:
    """The country itself, announced as a place and not part of a longer name."""
    place = _IN_COUNTRY.search(text, max(0, value.start - 30), value.start)
    longer = re.match(r" [^\W\d_a-z]", text[value.end : value.end + 2])
    return bool(place) and not longer and text[value.start : value.end] in COUNTRIES
