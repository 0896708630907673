"""Retrieval metrics of MultiHop-RAG: as its code counts them, and as its paper defines them.

Source: yixuantt/MultiHop-RAG, ``retrieval_evaluate.py``. There a gold fact is found when
it is part of a retrieved text after spaces and line feeds are removed from both. Queries
without evidence ("null queries") are left out before anything is counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from certify_core.metrics.families import satisfied
from certify_core.metrics.rates import Gap, Rate, mean, share


@dataclass(frozen=True, slots=True)
class Retrieval:
    """The gold facts of a query and the texts retrieved for it, best first.

    ``retrieved`` is ``None`` where the run has no result.
    """

    facts: tuple[str, ...]
    retrieved: tuple[str, ...] | None
    null: bool = False


def hits_as_coded(queries: Sequence[Retrieval], k: int) -> Rate:
    """Hits@k of the code: queries with *any* gold fact in the first k / non-null queries."""
    return share(
        (not query.null, "missing" if query.retrieved is None else bool(_found(query, k)))
        for query in queries
    )


def hits_as_defined(queries: Sequence[Retrieval], k: int) -> Rate:
    """Hit@K of the paper: gold facts found in the first k / gold facts, over all queries.

    A fact listed twice for one query is one fact.
    """
    return share(
        (not query.null, "missing" if query.retrieved is None else fact in _found(query, k))
        for query in queries
        for fact in _distinct(query)
    )


def complete_sets(queries: Sequence[Retrieval], k: int) -> Rate:
    """Queries with *every* gold fact in the first k / non-null queries: our measure."""
    return share(
        (
            not query.null,
            "missing"
            if query.retrieved is None
            else satisfied([_distinct(query)], _found(query, k)),
        )
        for query in queries
    )


def map_at_10_as_coded(queries: Sequence[Retrieval]) -> Rate:
    """MAP@10 of the code, which is no average precision.

    At each rank it adds the facts *newly* found there divided by the rank, instead of all
    found so far, so that a perfect ranking of two facts scores 0.75. The divisor counts
    repeated facts. Upstream divides by zero for a query without facts; here that query is
    undefined and leaves the mean.
    """
    return mean(_average_precision(query) for query in queries if not query.null)


def mrr_at_10_as_coded(queries: Sequence[Retrieval]) -> Rate:
    """MRR@10: the mean of 1 / rank of the first text with a gold fact, 0 beyond rank 10."""
    return mean(_reciprocal_rank(query) for query in queries if not query.null)


def _found(query: Retrieval, k: int) -> frozenset[str]:
    return frozenset(fact for new in _by_rank(query)[:k] for fact in new)


def _by_rank(query: Retrieval) -> list[list[str]]:
    """Per retrieved text the distinct facts it holds."""
    facts = _distinct(query)
    texts = [_squeezed(text) for text in query.retrieved or ()]
    return [[fact for fact in facts if fact in text] for text in texts]


def _distinct(query: Retrieval) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_squeezed(fact) for fact in query.facts))


def _squeezed(text: str) -> str:
    return text.replace(" ", "").replace("\n", "")


def _average_precision(query: Retrieval) -> float | Gap | None:
    if query.retrieved is None:
        return "missing"
    if not query.facts:
        return None
    seen: set[str] = set()
    total = 0.0
    for rank, facts in enumerate(_by_rank(query)[:10], start=1):
        total += len(set(facts) - seen) / rank
        seen.update(facts)
    return total / min(len(query.facts), 10)


def _reciprocal_rank(query: Retrieval) -> float | Gap:
    if query.retrieved is None:
        return "missing"
    ranks = (rank for rank, facts in enumerate(_by_rank(query)[:10], start=1) if facts)
    first = next(ranks, None)
    return 1 / first if first else 0.0
