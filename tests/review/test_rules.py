"""The rule that decides an evidence set, against a slow twin, over every pair of judgements."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from random import Random

import pytest

from adjudication.review.answers import Answers, all_accepting
from adjudication.review.dimensions import ALTERNATIVES, DIMENSIONS, ENTAILMENT, MINIMALITY
from adjudication.review.rules import Outcome, decide

ACCEPTING = {
    "entailment": {"entails"},
    "minimality": {"minimal"},
    "admissibility": {"admissible"},
    "alternatives": {"on-its-own", "not-applicable"},
    "contradiction": {"none", "immaterial", "resolved"},
    "boundary": {"within", "not-applicable"},
}
REFUSING = {
    "entailment": "does-not",
    "minimality": "not-minimal",
    "admissibility": "not-admissible",
    "alternatives": "leans",
    "contradiction": "material",
    "boundary": "adds",
}


def slow_twin(judgements: Sequence[Answers], required: int) -> str:
    """Rule 6 word by word, from lists of answers written down here once more."""
    if len(judgements) != required:
        return "waiting"
    accepts = True
    for answers in judgements:
        for key, accepting in ACCEPTING.items():
            if answers.given[key] not in accepting:
                accepts = False
    if accepts:
        return "accepted"
    for key, refusing in REFUSING.items():
        if len([a for a in judgements if a.given[key] == refusing]) == len(judgements):
            return "rejected"
    return "disputed"


ALL = [
    Answers(given=dict(zip(ACCEPTING, combination, strict=True)))
    for combination in product(*([o.key for o in d.options] for d in DIMENSIONS))
]


def test_every_single_judgement_decides_as_the_slow_twin() -> None:
    """One reviewer per item: all 972 possible judgements."""
    assert len(ALL) == 3 * 3 * 3 * 3 * 4 * 3
    for answers in ALL:
        assert decide([answers], 1).value == slow_twin([answers], 1)


@pytest.mark.parametrize("seed", range(4))
def test_every_judgement_beside_another_decides_as_the_slow_twin(seed: int) -> None:
    """Two and three reviewers: every judgement, each beside others drawn at random."""
    random = Random(seed)
    for answers in ALL:
        for required in (2, 3):
            beside = [answers, *random.choices(ALL, k=required - 1)]
            assert decide(beside, required).value == slow_twin(beside, required)


def test_every_outcome_of_two_differing_in_two_dimensions() -> None:
    """Exhaustive where it matters: two dimensions vary for both, the others accept."""
    base = all_accepting()
    pairs = [
        base.with_answer(first, a.key).with_answer(second, b.key)
        for first, second in ((ENTAILMENT, MINIMALITY), (MINIMALITY, ALTERNATIVES))
        for a, b in product(first.options, second.options)
    ]
    found = {decide([x, y], 2).value for x, y in product(pairs, pairs)}
    assert found == {"accepted", "rejected", "disputed"}
    for x, y in product(pairs, pairs):
        assert decide([x, y], 2).value == slow_twin([x, y], 2)


def test_refusing_on_different_dimensions_is_a_dispute() -> None:
    """Two refusals agree only where they refuse the same thing."""
    entails_not = all_accepting().with_answer(ENTAILMENT, "does-not")
    not_minimal = all_accepting().with_answer(MINIMALITY, "not-minimal")
    assert decide([entails_not, not_minimal], 2) is Outcome.DISPUTED


def test_unsure_is_never_agreement() -> None:
    """Two who are both unsure have not accepted and not refused."""
    unsure = all_accepting().with_answer(ENTAILMENT, "unsure")
    assert decide([unsure, unsure], 2) is Outcome.DISPUTED


def test_surplus_must_be_left_out_before_deciding() -> None:
    """More judgements than reviewers asked is a fault of the caller, not a majority."""
    with pytest.raises(ValueError, match="surplus"):
        decide([all_accepting()] * 3, 2)
