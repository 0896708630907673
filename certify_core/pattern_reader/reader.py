"""A reader without a model: fixed patterns, equal answers every time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from certify_core.folding import fold, split_title
from certify_core.linking import names
from certify_core.model import Certificate, Requirement, RequirementGraph, Unit
from certify_core.pattern_reader.cues import Article, Statement, narrowed, statement
from certify_core.pattern_reader.free import free_statement
from certify_core.pattern_reader.plans import plan
from certify_core.pattern_reader.questions import Chain, bare, chain_of
from certify_core.pattern_reader.relations import BY_KEY
from certify_core.protocols import Reading
from certify_core.search import Policy, certify
from certify_core.sentences import sentence_at


class PatternReader:
    """Reads English questions and encyclopedic passages; unsure means no value."""

    def decompose(self, question: str) -> RequirementGraph | None:
        return plan(question)

    def link(
        self, requirement: Requirement, text: str, units: Sequence[Unit]
    ) -> Sequence[Reading | None]:
        chain = chain_of(text)
        return [_read(unit, text, chain) for unit in units]

    def verify(self, requirement: Requirement, text: str, unit: Unit, reading: Reading) -> bool:
        """Whether the value's sentence names exactly the entity asked about, before it.

        Words in parentheses after the name ("(1940 film)") must be in the sentence too.
        """
        chain = chain_of(text)
        if chain is None:
            return False
        start, end = reading.sentence
        told = set(fold(unit.text[start:end]).split())
        asked = split_title(chain.name)[1]
        fits = set(fold(asked).split()) <= told
        return fits and names(unit.text[start : reading.start], chain.name)

    def answer(self, question: str, units: Sequence[Unit]) -> str | None:
        """The answer its plan leads to over these units alone, whomever they speak of."""
        policy = Policy((len(units),), check="off", conflict="lenient")
        found = certify(question, None, self, _Given(units), policy).result
        return found.answer if isinstance(found, Certificate) else None


@dataclass(frozen=True, slots=True)
class _Given:
    """Units that answer every search in the order they came."""

    units: Sequence[Unit]

    def search(self, query: str, limit: int) -> Sequence[Unit]:
        return self.units[:limit]

    def namesakes(self, title: str) -> Sequence[str]:
        return ()


def _read(unit: Unit, text: str, chain: Chain | None) -> Reading | None:
    if chain is None:
        return _reading(unit, free_statement(_article(unit), bare(text)), "free question")
    if len(chain.relations) != 1:
        return None
    relation = BY_KEY[chain.relations[0]]
    return _reading(unit, statement(_article(unit), relation), relation.key, narrow=chain.narrow)


def _reading(
    unit: Unit, found: Statement | None, rule: str, narrow: bool = False
) -> Reading | None:
    if found is None:
        return None
    value = narrowed(unit.text, found.value) if narrow else found.value
    return Reading(
        value=unit.text[value.start : value.end],
        canonical=value.canonical,
        kind=value.kind,
        start=value.start,
        end=value.end,
        sentence=sentence_at(unit.text, value.start, value.end),
        cue=f"{rule}: {found.words}",
        subject=unit.title,
    )


@lru_cache(maxsize=512)
def _article(unit: Unit) -> Article:
    return Article.of(unit)
