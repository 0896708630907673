"""A rate shows what it was counted over, and has no value where there is nothing to count."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from certify_core.metrics.rates import EMPTY, UNDECIDED, Rate, both, mean, share

OUTCOMES = st.sampled_from([True, False, "missing", "pending"])
ROWS = st.lists(st.tuples(OUTCOMES, OUTCOMES), max_size=12)


def test_rate_without_denominator_is_undefined():
    """Nothing counted is neither 0 nor 1, and says why."""
    rate = share([])
    assert (rate.value, rate.reason) == (None, EMPTY)
    assert Rate(0, 0).value is None
    assert mean([None, None]).reason == EMPTY


def test_rate_counts_gaps_inside_and_beside_the_denominator():
    """Unknown success stays in the denominator; unknown membership does not enter it."""
    rate = share(
        [(True, True), (True, "missing"), (True, "pending"), ("pending", True), (False, True)]
    )
    assert rate == Rate(1, 3, missing=1, pending=2)
    assert rate.value == pytest.approx(1 / 3)


def test_rate_of_gaps_only_has_no_value():
    """Nothing known must not read as a score of 0."""
    rate = share([(True, "missing"), (True, "pending")])
    assert (rate.denominator, rate.value, rate.reason) == (2, None, UNDECIDED)
    assert mean(["missing"]).value is None


def test_mean_leaves_out_what_is_undefined_and_counts_what_is_missing():
    """An absent result lowers a mean; a row for which the measure has no meaning does not."""
    assert mean([1.0, None, 0.5]) == Rate(1.5, 2)
    assert mean([1.0, "missing"]) == Rate(1.0, 2, missing=1)
    assert mean([1.0, "missing"]).value == 0.5


def test_mean_is_the_same_in_any_order():
    """The sum is exactly rounded, so reordering rows changes no digit."""
    values = [0.1, 0.7, 1.0, 1e-17, 0.2] * 7
    assert mean(values) == mean(sorted(values)) == mean(values[::-1])


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        ((True, True), True),
        ((True, False, "pending"), False),
        (("pending", True), "pending"),
        (("pending", "missing"), "missing"),
        ((), True),
    ],
)
def test_both_is_decided_by_one_refusal(outcomes, expected):
    """A gap leaves a conjunction open only while nothing refuses it."""
    assert both(*outcomes) == expected


@given(ROWS)
def test_share_loses_no_row(rows):
    """Every row is a success, a failure, a gap or outside, and the value stays within 0..1."""
    rate = share(rows)
    outside = sum(belongs is False for belongs, _ in rows)
    unknown = sum(isinstance(belongs, str) for belongs, _ in rows)
    assert rate.denominator + outside + unknown == len(rows)
    assert unknown <= rate.missing + rate.pending <= len(rows) - outside
    assert rate.value is None or 0 <= rate.value <= 1
    assert (rate.value is None) == bool(rate.reason)


@given(ROWS, st.randoms(use_true_random=False))
def test_share_ignores_order(rows, random):
    """Reordering rows changes nothing."""
    shuffled = random.sample(rows, len(rows))
    assert share(shuffled) == share(rows)


def test_counts_hold_the_five_figures():
    """The JSON form is what others read: null where undefined."""
    assert Rate(0, 0, 1, 2).counts() == {
        "numerator": 0,
        "denominator": 0,
        "missing": 1,
        "pending": 2,
        "value": None,
    }
