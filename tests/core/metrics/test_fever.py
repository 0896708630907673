"""FEVER: the scorer's own figures to 8 digits, its quirks, and the scores without them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from certify_core.datasets import fever as reader
from certify_core.metrics import fever
from certify_core.metrics.fever import Case, fever_score
from certify_core.metrics.rates import Rate
from tests.core.datasets.samples import real

CASE = Case(
    "SUPPORTS",
    ((("A", 0), ("B", 1)), (("C", 2),)),
    "supports",
    (("X", 0), ("A", 0), ("B", 1)),
)
HALF = replace(CASE, predicted=(("A", 0),))
INFO = Case("NOT ENOUGH INFO", (((None, None),),), "NOT ENOUGH INFO", (("A", 0),))


@cache
def real_cases() -> tuple[Case, ...]:
    claims = reader.parse(real("fever-scorer/actual.jsonl").read_bytes())
    predictions = reader.parse_predictions(real("fever-scorer/predictions.jsonl").read_bytes())
    return reader.cases(claims, predictions)


def test_real_predictions_give_the_upstream_figures():
    """Golden: 9,999 real predictions, the figures that the scorer's own tests expect."""
    score = fever_score(real_cases())
    assert [score.strict.numerator, score.strict.denominator] == [3257, 9999]
    assert score.recall == Rate(2948, 6666)
    assert [f"{figure:.8f}" for figure in score.printed] == [
        "0.32573257",
        "0.52085209",
        "0.10438044",
        "0.44224422",
        "0.16889705",
    ]


def test_real_recall_by_union_and_by_any_hit():
    """Demanding all routes loses claims; on claims of joint routes one sentence is not enough."""
    cases = real_cases()
    assert fever.complete_set_recall(cases) == Rate(2948, 6666)
    assert fever.union_recall(cases) == Rate(2580, 6666)
    joint = [c for c in cases if c.verifiable and all(len(s) > 1 for s in fever.usable(c.sets))]
    assert fever.any_hit(joint) == Rate(285, 623)
    assert fever.complete_set_recall(joint) == Rate(36, 623)


def test_strict_needs_label_and_a_complete_set():
    """Half a set is worthless, a right set under a wrong label too; other info needs no set."""
    cases = [CASE, HALF, replace(CASE, predicted_label="REFUTES"), INFO]
    score = fever_score(cases)
    assert score.strict == Rate(2, 4)
    assert score.label_accuracy == Rate(3, 4)
    assert score.recall == Rate(2, 3)


def test_only_the_first_five_predictions_count():
    """The sixth completes the set too late, unless the cap is lifted."""
    late = replace(CASE, predicted=(*[("X", n) for n in range(4)], ("A", 0), ("B", 1)))
    assert fever_score([late]).recall == Rate(0, 1)
    assert fever_score([late], cap=None).recall == Rate(1, 1)
    assert fever.complete_set_recall([late]) == Rate(0, 1)


def test_empty_set_satisfies_upstream_and_never_ours():
    """Quirk: [[]] is strictly correct with recall 1; [] has recall 1 but is not strict."""
    hollow = replace(CASE, sets=((),))
    assert fever_score([hollow]).strict == fever_score([hollow]).recall == Rate(1, 1)
    none = replace(CASE, sets=())
    assert (fever_score([none]).strict, fever_score([none]).recall) == (Rate(0, 1), Rate(1, 1))
    for case in (hollow, none):
        assert fever.accepted_claims([CASE, case]) == Rate(1, 2, missing=1)
        assert fever.complete_set_recall([CASE, case]) == Rate(1, 2, missing=1)


def test_null_page_is_no_evidence():
    """A set with a member that names no sentence cannot be completed."""
    broken = replace(CASE, sets=((("A", 0), (None, None)),), predicted=(("A", 0),))
    assert fever.usable(broken.sets) == []
    assert fever.accepted_claims([CASE, broken]) == Rate(1, 2, missing=1)


def test_no_prediction_has_precision_one_upstream_and_none_of_ours():
    """Quirk: predicting nothing is perfect precision."""
    silent = replace(CASE, predicted=())
    assert fever_score([silent]).precision == Rate(1.0, 1)
    assert fever.sentence_precision([silent]).value is None
    assert fever.sentence_precision([silent, HALF]) == Rate(1.0, 1)


def test_repeated_prediction_raises_precision_upstream_and_not_ours():
    """Quirk, and metamorphic: duplicate evidence."""
    noisy = replace(CASE, predicted=(("A", 0), ("X", 0)))
    twice = replace(CASE, predicted=(("A", 0), ("A", 0), ("X", 0)))
    assert fever_score([twice]).precision == Rate(2 / 3, 1)
    assert fever_score([noisy]).precision == Rate(0.5, 1)
    assert fever.sentence_precision([twice]) == fever.sentence_precision([noisy]) == Rate(0.5, 1)


def test_printed_figures_where_upstream_has_no_denominator():
    """Quirk: without a verifiable claim precision 1 and recall 0; our rates are undefined."""
    score = fever_score([INFO])
    assert score.printed == (1.0, 1.0, 1.0, 0.0, 0.0)
    assert score.precision.value is score.recall.value is None


def test_printed_figures_where_upstream_divides_by_zero():
    """Precision and recall both 0, or no claim at all: no figure, no crash."""
    assert fever_score([replace(CASE, predicted=(("X", 0),))]).printed == (0, 1, 0, 0, None)
    assert fever_score([]).printed == (None, None, 1.0, 0.0, 0.0)


@pytest.mark.parametrize(
    "metric",
    [
        lambda cases: fever_score(cases),
        fever.accepted_claims,
        fever.complete_set_recall,
        fever.union_recall,
        fever.any_hit,
        fever.sentence_precision,
    ],
)
def test_order_of_claims_and_sets_changes_nothing(metric):
    """Metamorphic: reorder."""
    cases = [CASE, HALF, INFO, replace(CASE, predicted=())]
    turned = [replace(case, sets=case.sets[::-1]) for case in cases[::-1]]
    assert metric(turned) == metric(cases)


def test_supersets_and_repeated_sets_change_nothing():
    """Metamorphic: alternatives are existential."""
    grown = replace(HALF, sets=(*HALF.sets, *HALF.sets, (*HALF.sets[1], ("Z", 9))))
    for metric in (fever.accepted_claims, fever.complete_set_recall):
        assert metric([grown, CASE]) == metric([HALF, CASE]) == Rate(1, 2)


def test_distractor_within_the_cap_costs_precision_alone():
    """Metamorphic: add a distractor."""
    noisy = replace(CASE, predicted=(*CASE.predicted, ("Y", 3)))
    assert fever.accepted_claims([noisy]) == fever.accepted_claims([CASE])
    assert fever.complete_set_recall([noisy]) == fever.complete_set_recall([CASE])
    assert fever.sentence_precision([CASE]) == Rate(2 / 3, 1)
    assert fever.sentence_precision([noisy]) == Rate(2 / 4, 1)


def test_dropped_claim_shows_in_the_counts():
    """Metamorphic: drop a row."""
    assert fever.accepted_claims([CASE, HALF]) == Rate(1, 2)
    assert fever.accepted_claims([CASE]) == Rate(1, 1)
