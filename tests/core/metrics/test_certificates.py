"""False certificates, what bounds them, and whether length gives twins away."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from certify_core.metrics.certificates import TwinAudit, false_certificates, length_auroc
from certify_core.metrics.rates import Rate

LENGTHS = st.lists(st.integers(0, 9), min_size=1, max_size=9)


def test_rate_and_bound_of_a_small_audit():
    """One false certificate by each cause, one surviving statement that did no harm."""
    found = false_certificates(
        [
            TwinAudit(True, True, False),
            TwinAudit(True, False, True),
            TwinAudit(False, True, False),
            TwinAudit(False, False, False),
        ]
    )
    assert found.rate == Rate(2, 4)
    assert (found.surviving, found.false_links) == (Rate(2, 4), Rate(1, 4))
    assert found.bound == 0.75
    assert found.unexplained == Rate(0, 2)


def test_certificate_without_a_cause_is_unexplained():
    """Then the requirements were wrong or the audit missed something; it must show."""
    found = false_certificates([TwinAudit(True, False, False), TwinAudit(False, False, False)])
    assert found.unexplained == Rate(1, 1)
    assert (found.rate.value, found.bound) == (0.5, 0.0)


def test_bound_waits_for_the_audit():
    """A bound from half an audit would be no bound."""
    found = false_certificates([TwinAudit(True, None, False), TwinAudit(None, True, False)])
    assert found.rate == Rate(1, 2, missing=1)
    assert found.bound is None
    assert false_certificates([]).bound is None


@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans()), min_size=1, max_size=9))
def test_bound_holds_wherever_every_certificate_is_explained(rows):
    """The rate cannot exceed the bound unless a certificate has neither cause."""
    found = false_certificates([TwinAudit(*row) for row in rows])
    assert found.rate.value is not None
    assert found.bound is not None
    assert found.rate.value <= found.bound or found.unexplained.numerator


@given(LENGTHS, LENGTHS)
def test_length_auroc_is_the_share_of_pairs(originals, twins):
    """Against the definition: all pairs, ties one half."""
    pairs = [(o > t) + (o == t) / 2 for o in originals for t in twins]
    assert length_auroc(originals, twins).value == pytest.approx(sum(pairs) / len(pairs))


def test_length_auroc_extremes():
    """Equal lengths tell nothing, disjoint lengths everything, one empty side is undefined."""
    assert length_auroc([3, 3], [3]).value == 0.5
    assert length_auroc([5, 6], [1, 2]).value == 1.0
    assert length_auroc([5], []).value is None
