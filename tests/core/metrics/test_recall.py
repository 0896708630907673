"""ID-based context recall under its own name."""

from __future__ import annotations

from certify_core.metrics.rates import Rate
from certify_core.metrics.recall import id_context_recall


def test_recall_is_the_mean_share_of_reference_ids():
    """Half the references score one half: it never demands a complete set."""
    assert id_context_recall([(["a", "x"], ["a", "b"]), (["c"], ["c"])]) == Rate(1.5, 2)


def test_recall_ignores_order_repeats_and_distractors():
    """Metamorphic: it can never exceed 1, however often an id is retrieved."""
    once = id_context_recall([(["a", "b"], ["a", "b", "c"])])
    assert id_context_recall([(["x", "b", "a", "a"], ["c", "b", "a", "a"])]) == once


def test_recall_compares_numbers_by_their_text():
    """As upstream: 7 and "7" are one id."""
    assert id_context_recall([([7], ["7"])]).value == 1.0


def test_recall_without_references_leaves_the_mean():
    """As upstream, where it is NaN; alone it leaves nothing to average."""
    assert id_context_recall([(["a"], ["a"]), (["b"], [])]) == Rate(1.0, 1)
    assert id_context_recall([(["b"], [])]).value is None


def test_recall_counts_an_absent_result():
    """Unlike upstream: no result lowers the mean; an empty retrieval is a plain 0."""
    assert id_context_recall([(None, ["a"]), (["a"], ["a"])]) == Rate(1.0, 2, missing=1)
    assert id_context_recall([([], ["a"])]) == Rate(0.0, 1)
