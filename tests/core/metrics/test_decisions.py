"""Answer or abstain: the figures of originals and twins."""

from __future__ import annotations

import pytest

from certify_core.metrics import decisions as d
from certify_core.metrics.decisions import Decision
from certify_core.metrics.rates import EMPTY, UNDECIDED, Rate

ORIGINALS = [
    Decision("1", False, "answered", True),
    Decision("2", False, "answered", False),
    Decision("3", False, "abstained"),
    Decision("4", False, "answered", True),
]
TWINS = [Decision("1", True, "abstained"), Decision("2", True, "answered", False)]
RUN = [*ORIGINALS, *TWINS]


def test_rates_of_a_small_run():
    """Each rate has its own denominator."""
    assert d.accuracy(RUN) == Rate(2, 4)
    assert d.coverage(RUN) == Rate(3, 4)
    assert d.selective_accuracy(RUN) == Rate(2, 3)
    assert d.twin_answer_rate(RUN) == Rate(1, 2)
    assert d.abstention_precision(RUN) == Rate(1, 2)


def test_decision_accuracy_weighs_both_classes_alike():
    """Half of 2/4 and half of 1/2, although there are twice as many originals."""
    assert d.decision_accuracy(RUN).value == pytest.approx((2 / 4 + 1 / 2) / 2)
    more_twins = [*RUN, *TWINS, *TWINS]
    assert d.decision_accuracy(more_twins).value == d.decision_accuracy(RUN).value


def test_decision_accuracy_paired_leaves_out_questions_without_a_twin():
    """Only questions 1 and 2 have a twin: 1 of 2 right, 1 of 2 abstained."""
    assert d.decision_accuracy(RUN, paired=True) == Rate(4, 8)


def test_always_abstaining_scores_one_half():
    """And answers nothing, so its accuracy on answers is undefined, not perfect."""
    silent = [Decision("1", False, "abstained"), Decision("1", True, "abstained")]
    assert d.decision_accuracy(silent).value == 0.5
    assert d.selective_accuracy(silent).reason == EMPTY


def test_missing_results_stay_in_the_denominator():
    """A run that fails must not score better; an unjudged answer is pending."""
    failed = [*RUN, Decision("5", False, "missing"), Decision("6", False, "answered")]
    assert d.accuracy(failed) == Rate(2, 6, missing=1, pending=1)
    assert d.coverage(failed) == Rate(4, 6, missing=1)
    assert d.selective_accuracy(failed) == Rate(2, 4, missing=1, pending=1)


def test_decision_accuracy_without_a_class_is_undefined():
    """No twins, or twins without any result, give no figure."""
    assert d.decision_accuracy(ORIGINALS).reason == EMPTY
    undone = [*ORIGINALS, Decision("1", True, "pending")]
    assert d.decision_accuracy(undone).reason == UNDECIDED


def test_order_changes_nothing_and_a_dropped_row_shows():
    """Metamorphic: reorder, drop a row."""
    metrics = (d.accuracy, d.coverage, d.selective_accuracy, d.decision_accuracy)
    assert all(metric(RUN[::-1]) == metric(RUN) for metric in metrics)
    assert d.accuracy(RUN[1:]) == Rate(1, 3)
