"""Evidence, a trial on it, and the judgement of what a system did in the trial."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from certify_core.errors import CoreError
from certify_core.evidence import antichain
from certify_core.metrics.families import satisfied

Name = Literal[
    "gold-only",
    "single-hop-removal",
    "alternative-route-check",
    "contradiction-replacement",
    "citation-restriction",
    "identity-perturbation",
    "temporal-perturbation",
    "permission-perturbation",
]
Expected = Literal["supported-answer", "appropriate-abstention"]
Result = Literal[
    "supported-answer", "appropriate-abstention", "unsupported-synthesis", "needless-abstention"
]
Reason = Literal["not-found", "contradiction", "not-citable", "ineligible-version", "blocked"]
"""Why abstaining is right. "blocked" is there but not for this reader, unlike "not-found"."""


class InvalidIntervention(CoreError):
    """The change cannot be made to this evidence. ``name`` and ``problem`` say which and why."""

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(f"{name}: {problem}")
        self.name = name
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Evidence:
    """A claim's evidence: the set under test, the family of known sets, all spans on offer.

    Sets and corpus hold ids of spans. ``family`` is reduced to its antichain; ``corpus``
    keeps its order and gains the members it lacks at its end.

    Raises:
        InvalidIntervention: ``selected`` is no minimal set of the family, or is empty.
    """

    selected: tuple[str, ...]
    family: tuple[tuple[str, ...], ...]
    corpus: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        family = antichain(self.family)
        members = [member for known in family for member in known]
        object.__setattr__(self, "selected", tuple(sorted(set(self.selected))))
        object.__setattr__(self, "family", family)
        object.__setattr__(self, "corpus", tuple(dict.fromkeys([*self.corpus, *members])))
        if not self.selected or self.selected not in family:
            raise InvalidIntervention("evidence", "the selected set is no minimal set of spans")

    def within(self, usable: Iterable[str]) -> tuple[tuple[str, ...], ...]:
        """The sets of which every member is usable."""
        held = frozenset(usable)
        return tuple(known for known in self.family if held.issuperset(known))

    def without(self, *spans: str) -> tuple[str, ...]:
        """The corpus in its order, but for these spans."""
        return tuple(span for span in self.corpus if span not in spans)


@dataclass(frozen=True, slots=True)
class Trial:
    """An intervention applied to evidence.

    ``changed`` are the spans taken away, replaced, hidden or not citable; ``added`` the
    replacement. ``survivors`` are the sets that are supplied and citable whole. ``reason``
    says why abstaining is right, and is ``None`` where a supported answer is.
    """

    name: Name
    evidence: Evidence
    changed: tuple[str, ...]
    added: tuple[str, ...]
    supplied: tuple[str, ...]
    citable: tuple[str, ...]
    survivors: tuple[tuple[str, ...], ...]
    reason: Reason | None

    @property
    def expected(self) -> Expected:
        return "supported-answer" if self.reason is None else "appropriate-abstention"


@dataclass(frozen=True, slots=True)
class Response:
    """What a system did: whether it answered, what it cited, whether the answer is correct.

    ``correct`` is ``None`` for an abstention and for an answer nobody has judged.
    """

    answered: bool
    cited: tuple[str, ...] = ()
    correct: bool | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """A response to a trial. Correctness is kept apart: an answer may be known by heart."""

    trial: Trial
    response: Response
    result: Result

    @property
    def as_expected(self) -> bool:
        return self.result == self.trial.expected

    @property
    def correct_but_unsupported(self) -> bool:
        return self.result == "unsupported-synthesis" and self.response.correct is True


def judge(trial: Trial, response: Response) -> Judged:
    """Classify a response: an answer is supported if it cites a surviving set whole.

    The citations decide, not the answer: an unchanged answer does not show that a removed
    premise was used. Abstaining where a set survives is a result of its own.
    """
    return Judged(trial, response, _result(trial, response))


def _result(trial: Trial, response: Response) -> Result:
    if not response.answered:
        return "needless-abstention" if trial.reason is None else "appropriate-abstention"
    supported = satisfied(trial.survivors, response.cited)
    return "supported-answer" if supported else "unsupported-synthesis"
