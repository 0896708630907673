"""FEVER's scores as its scorer computes them, and the same questions asked properly.

Source: sheffieldnlp/fever-scorer, ``src/fever/scorer.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from certify_core.metrics.families import GivenLine, Line, satisfied
from certify_core.metrics.rates import Outcome, Rate, mean, share

NOT_ENOUGH_INFO = "NOT ENOUGH INFO"
CAP = 5
"""How many predicted sentences count: the first five."""


@dataclass(frozen=True, slots=True)
class Case:
    """A claim's label and alternative sets as annotated, and what was predicted in order."""

    label: str
    sets: tuple[tuple[GivenLine, ...], ...]
    predicted_label: str
    predicted: tuple[Line, ...]

    @property
    def verifiable(self) -> bool:
        return self.label.upper() != NOT_ENOUGH_INFO

    @property
    def label_right(self) -> bool:
        return self.label.upper() == self.predicted_label.upper()


@dataclass(frozen=True, slots=True)
class FeverScore:
    """The scorer's figures with their counts; ``printed`` has them as it prints them."""

    strict: Rate
    label_accuracy: Rate
    precision: Rate
    recall: Rate

    @property
    def printed(self) -> tuple[float | None, float | None, float, float, float | None]:
        """Strict score, label accuracy, precision, recall, F1.

        Without a verifiable claim upstream gives precision 1.0 and recall 0.0. ``None``
        stands where it divides by zero: no claims at all, or precision and recall both 0.
        """
        precision = 1.0 if self.precision.value is None else self.precision.value
        recall = self.recall.value or 0.0
        total = precision + recall
        f1 = 2 * precision * recall / total if total else None
        return self.strict.value, self.label_accuracy.value, precision, recall, f1


def fever_score(cases: Sequence[Case], cap: int | None = CAP) -> FeverScore:
    """What the upstream scorer computes, its quirks included.

    Strict: label right and (not enough info, or some set within the first ``cap``
    predictions) / claims. Precision: mean over verifiable claims of predictions found in
    the *union* of all sets / predictions. Recall: verifiable claims with a complete set /
    verifiable claims.

    Quirks: an empty set is contained in anything, so ``[[]]`` has recall 1 and is strictly
    correct; ``[]`` has recall 1 and is never strictly correct; no prediction has precision
    1; a repeated right prediction raises precision.
    """
    verifiable = [case for case in cases if case.verifiable]
    return FeverScore(
        strict=share((True, _strictly_correct(case, cap)) for case in cases),
        label_accuracy=share((True, case.label_right) for case in cases),
        precision=mean(_precision(case, cap) for case in verifiable),
        recall=share((True, not c.sets or _contains_a_set(c, cap)) for c in verifiable),
    )


def accepted_claims(cases: Sequence[Case], cap: int | None = CAP) -> Rate:
    """The strict score properly: label right and (not enough info or a complete set) / claims.

    A set without members, or with a member that names no sentence, is no evidence. A
    verifiable claim with no usable set at all counts as missing its annotation.
    """
    return share((True, _accepted(case, cap)) for case in cases)


def complete_set_recall(cases: Sequence[Case], cap: int | None = CAP) -> Rate:
    """Verifiable claims with some usable set predicted completely / verifiable claims."""
    return share((case.verifiable, _complete(case, cap)) for case in cases)


def union_recall(cases: Sequence[Case], cap: int | None = CAP) -> Rate:
    """As ``complete_set_recall`` but demanding all sets at once: what flattening does."""
    return share((c.verifiable, _judged(c, [_union(c)], cap)) for c in cases)


def any_hit(cases: Sequence[Case], cap: int | None = CAP) -> Rate:
    """As ``complete_set_recall`` but content with one sentence of any set."""
    return share((c.verifiable, _judged(c, [{m} for m in _union(c)], cap)) for c in cases)


def sentence_precision(cases: Sequence[Case], cap: int | None = CAP) -> Rate:
    """Mean over verifiable claims of distinct predictions in some usable set / distinct ones.

    Without a prediction a claim's precision is undefined and leaves the mean.
    """
    return mean(_distinct_precision(case, cap) for case in cases if case.verifiable)


def usable(sets: Sequence[Sequence[GivenLine]]) -> list[frozenset[Line]]:
    """The sets that have members, all of which name a sentence."""
    whole = []
    for given in sets:
        members = {(page, line) for page, line in given if page is not None and line is not None}
        if members and len(members) == len(set(given)):
            whole.append(frozenset(members))
    return whole


def _contains_a_set(case: Case, cap: int | None) -> bool:
    predicted: set[GivenLine] = set(case.predicted[:cap])
    return any(predicted.issuperset(members) for members in case.sets)


def _strictly_correct(case: Case, cap: int | None) -> bool:
    return case.label_right and (not case.verifiable or _contains_a_set(case, cap))


def _precision(case: Case, cap: int | None) -> float:
    relevant = {member for members in case.sets for member in members if member[1] is not None}
    counted = case.predicted[:cap]
    return sum(line in relevant for line in counted) / len(counted) if counted else 1.0


def _union(case: Case) -> frozenset[Line]:
    return frozenset(member for members in usable(case.sets) for member in members)


def _judged(case: Case, family: Sequence[set[Line] | frozenset[Line]], cap: int | None) -> Outcome:
    return satisfied(family, case.predicted[:cap]) if usable(case.sets) else "missing"


def _complete(case: Case, cap: int | None) -> Outcome:
    return _judged(case, usable(case.sets), cap)


def _accepted(case: Case, cap: int | None) -> Outcome:
    if not case.label_right:
        return False
    return _complete(case, cap) if case.verifiable else True


def _distinct_precision(case: Case, cap: int | None) -> float | None:
    distinct = set(case.predicted[:cap])
    return len(distinct & _union(case)) / len(distinct) if distinct else None
