"""Reciprocal rank fusion: what several rankings agree on comes first, always in one order."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from certify_core.fusion import K, fused

rankings = st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True), max_size=4)


def naive(lists: list[list[str]]) -> list[str]:
    """The formula as it is printed: a sum over rankings for each document by itself."""

    def score(item: str) -> Fraction:
        return sum(
            (Fraction(1, 60 + one.index(item) + 1) for one in lists if item in one), Fraction(0)
        )

    everything = sorted({item for one in lists for item in one})
    return sorted(everything, key=score, reverse=True)


@given(rankings)
def test_fused_order_is_that_of_the_formula(lists: list[list[str]]) -> None:
    """Each item once, by the published formula; ties by the items themselves."""
    assert fused(lists) == naive(lists)


@given(rankings)
def test_order_of_the_rankings_decides_nothing(lists: list[list[str]]) -> None:
    """Equal scores must not depend on which retriever was named first."""
    assert len({tuple(fused(one)) for one in permutations(lists)}) == 1


def test_found_by_both_comes_before_first_of_one() -> None:
    """What two rankings place third is worth more than what one places first."""
    assert K == 60
    assert fused([["a", "b", "x"], ["c", "d", "x"]])[0] == "x"
    assert fused([["a", "a", "b"], ["b"]]) == ["b", "a"]
