"""MultiHop-RAG: what its code counts, what its paper says, and what a complete set is."""

from __future__ import annotations

import pytest

from certify_core.datasets import multihoprag
from certify_core.metrics import hits
from certify_core.metrics.hits import Retrieval
from certify_core.metrics.rates import Rate
from tests.core.datasets.samples import real

TEXTS = ("has one fact.", "noise", "two\nfacts. here")
TWO = Retrieval(("one fact.", "two facts."), TEXTS)


def test_code_and_paper_differ():
    """One of two facts in the first text: a full hit for the code, half for the paper."""
    assert hits.hits_as_coded([TWO], 1) == Rate(1, 1)
    assert hits.hits_as_defined([TWO], 1) == Rate(1, 2)
    assert hits.complete_sets([TWO], 1) == Rate(0, 1)
    assert hits.complete_sets([TWO], 3) == Rate(1, 1)


def test_authors_own_retrieval_has_no_complete_set():
    """Real file of 8 queries: 6 hits as coded, 7 of 18 facts, and not one complete set."""
    data = real("multihop-rag/llm-embedder_retrieval_test.json").read_bytes()
    queries = multihoprag.retrievals(multihoprag.parse(data))
    assert hits.hits_as_coded(queries, 10) == Rate(6, 8)
    assert hits.hits_as_defined(queries, 10) == Rate(7, 18)
    assert hits.complete_sets(queries, 10) == Rate(0, 8)


def test_map_of_a_perfect_ranking_is_not_one():
    """As upstream: (1/1 + 1/2) / 2 for two facts at ranks 1 and 2."""
    perfect = Retrieval(("a", "b"), ("a", "b"))
    assert hits.map_at_10_as_coded([perfect]).value == 0.75


def test_map_counts_a_fact_once_and_divides_by_repeats():
    """As upstream: found again adds nothing; listed again lowers the score."""
    assert hits.map_at_10_as_coded([Retrieval(("a",), ("a", "a"))]).value == 1.0
    assert hits.map_at_10_as_coded([Retrieval(("a", "a"), ("a",))]).value == 0.5


def test_ranks_beyond_ten_count_nowhere():
    """The eleventh text is too late for MAP and MRR."""
    late = Retrieval(("a",), (*["x"] * 10, "a"))
    assert hits.mrr_at_10_as_coded([late]).value == 0.0
    assert hits.map_at_10_as_coded([late]).value == 0.0


def test_mrr_uses_the_first_text_with_a_fact():
    """Whichever fact it is."""
    assert hits.mrr_at_10_as_coded([Retrieval(("b", "a"), ("x", "a", "b"))]).value == 0.5


def test_null_queries_leave_everything():
    """As upstream; alone they leave nothing to count."""
    null = Retrieval((), ("a",), null=True)
    for metric in (hits.hits_as_coded, hits.hits_as_defined, hits.complete_sets):
        assert metric([TWO, null], 10) == metric([TWO], 10)
        assert metric([null], 10).value is None
    assert hits.mrr_at_10_as_coded([null]).value is None


def test_query_without_facts_is_never_complete():
    """Empty set: not a hit, not complete, and undefined for MAP, where upstream crashes."""
    empty = Retrieval((), ("a",))
    assert hits.hits_as_coded([empty], 10) == Rate(0, 1)
    assert hits.complete_sets([empty], 10) == Rate(0, 1)
    assert hits.map_at_10_as_coded([empty]).value is None


def test_absent_result_is_counted():
    """A query the system never ran stays in the denominator."""
    absent = Retrieval(("a", "b"), None)
    assert hits.hits_as_coded([TWO, absent], 10) == Rate(1, 2, missing=1)
    assert hits.hits_as_defined([TWO, absent], 10) == Rate(2, 4, missing=2)
    assert hits.mrr_at_10_as_coded([TWO, absent]) == Rate(1.0, 2, missing=1)


@pytest.mark.parametrize("metric", [hits.hits_as_defined, hits.complete_sets, hits.hits_as_coded])
def test_repeats_order_and_distractors_change_nothing(metric):
    """Metamorphic: duplicate evidence, reorder, add a text at the end."""
    facts = ("two facts.", "one fact.", "one fact.")
    changed = Retrieval(facts, (*TEXTS[::-1], *TEXTS, "noise"))
    assert metric([changed], 10) == metric([TWO], 10)
