"""Free questions: a sentence of the page that says all the question says.

No relation is known, so nothing is guessed about its wording: every content word of the
question must be in one sentence about the page's subject, beside exactly one value that
stands where the form of the question wants it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Literal

from certify_core.folding import fold
from certify_core.pattern_reader.cues import Article, Statement, speaks_of_subject
from certify_core.pattern_reader.values import Value, dates, value_at

_DO = r"(?:did|was|were|is|are|does|do|has|had)"
_WHEN = re.compile(
    rf"(?:when|(?:in |on )?(?:what|which) (?:year|date|day)) {_DO} (?P<rest>.+)", re.I
)
_WHERE = re.compile(rf"where {_DO} (?P<rest>.+ (?P<verb>[a-z]+))(?: in| at)?", re.I)
_HOLDER = re.compile(r"who (?:is|was|were) (?:the )?(?P<role>[a-z ]+?) when (?P<rest>.+)", re.I)
_AGENT = re.compile(
    r"(?:who|what|which)(?: [a-z]+){0,2}? (?P<verb>[a-z]+(?:ed|ought|ook|ote|ound|uilt|ade))"
    r" (?P<rest>.+)",
    re.I,
)
_EMPTY = frozenset(
    "the a an of in on at to for by with from and or as is are was were be been did do does "
    "has have had it its his her their there this that ad around about when while".split()
)
_VERBS = {
    form: forms.split()[0]
    for forms in (
        "become became, begin began begun, leave left, win won, build built, hold held, make made, "
        "take took taken, write wrote written, come came, go went gone, fall fell fallen, "
        "rise rose risen, fight fought, lose lost, send sent, meet met, break broke broken, "
        "give gave given, buy bought, sell sold, find found, lead led, grow grew grown, "
        "die dies died death, enter enters entered entry, marry marries married marriage, "
        "start starts started begin began, join joins joined"
    ).split(", ")
    for form in forms.split()
}
_ENDING = re.compile(r"(?<=\w{3})(?:ing|ed|es|s|e|d)$")
_WORD = re.compile(r"[^\W_]+")

_Finder = Callable[[str, int, int], Iterable[Value]]
"""The values that stand in the right place of a sentence, given as a range of a text."""


def free_statement(article: Article, question: str) -> Statement | None:
    """The one value in the first sentence that says what the question says."""
    if match := _WHEN.fullmatch(question):
        return _stated(article, match["rest"], dates)
    if match := _HOLDER.fullmatch(question):
        return _stated(article, match["rest"], _following(match["role"], "", "person"))
    if match := _AGENT.fullmatch(question):
        return _stated(article, match["rest"], _following(match["verb"], "by", "name"))
    if match := _WHERE.fullmatch(question):
        return _stated(article, match["rest"], _following(match["verb"], "in|at", "place"))
    return None


def stem(word: str) -> str:
    """A word without the ending of its form, irregular verbs by their first form."""
    return _VERBS.get(word) or _ENDING.sub("", word)


def _stated(article: Article, rest: str, find: _Finder) -> Statement | None:
    asked = _content(rest)
    wanted = asked - {stem(name) for name in article.names}
    if not wanted or wanted == asked:
        return None
    for start, end in article.spans:
        if wanted <= _content(article.text[start:end]) and speaks_of_subject(article, start, end):
            found = list(find(article.text, start, end))
            return Statement(found[0], "all words of the question") if len(found) == 1 else None
    return None


def _content(text: str) -> set[str]:
    return {stem(word) for word in set(fold(text).split()) - _EMPTY}


def _following(words: str, link: str, kind: Literal["person", "name", "place"]) -> _Finder:
    """Values right after these words, in any form of them, and a linking word."""
    wanted = [stem(word) for word in fold(words).split()]
    after = re.compile(rf"\W+(?:(?:{link})\W+)" if link else r"\W+")

    def find(text: str, start: int, end: int) -> Iterator[Value]:
        found = list(_WORD.finditer(text, start, end))
        for at in range(len(found) - len(wanted)):
            run = found[at : at + len(wanted)]
            same = [stem(fold(word[0])) for word in run] == wanted
            if same and (gap := after.match(text, run[-1].end(), end)):
                value = value_at(text, gap.end(), end, kind)
                if value is not None:
                    yield value

    return find
