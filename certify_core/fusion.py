"""Several rankings made one: what stands high in many of them comes first."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

K = 60
"""How little the very first ranks weigh more than the next ones: Cormack, Clarke and Büttcher,
"Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods", SIGIR 2009,
doi:10.1145/1571941.1572114."""


def fused(rankings: Sequence[Sequence[str]], k: int = K) -> list[str]:
    """Every item of ``rankings`` once, by the sum of 1 / (k + rank) over those that have it.

    Ranks count from 1. An item repeated in one ranking counts where it comes first. Equal sums
    are ordered by the items themselves, so that the order of the rankings decides nothing; sums
    are exact, so that rounding does not either.
    """
    scores: dict[str, Fraction] = {}
    for ranking in rankings:
        for rank, item in enumerate(dict.fromkeys(ranking), start=1):
            scores[item] = scores.get(item, Fraction(0)) + Fraction(1, k + rank)
    return sorted(scores, key=lambda item: (-scores[item], item))
