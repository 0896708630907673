"""Folding is fast by short cuts that change nothing."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from certify_core import folding
from certify_core.folding import fold


def slow_fold(text: str) -> str:
    """Every text the same long way, character by character."""
    decomposed = unicodedata.normalize("NFKD", text.translate(folding._APOSTROPHES))
    unmarked = "".join(c for c in decomposed if unicodedata.category(c) != "Mn")
    plain = unmarked.casefold().translate(folding._LETTERS)
    return folding._NOT_WORD.sub(" ", folding._POSSESSIVE.sub("", plain)).strip()


@given(
    st.one_of(st.text(), st.text(st.characters(max_codepoint=127)), st.text("aÁs's` .-ŉı\u0308"))
)
def test_short_cuts_fold_as_the_long_way_does(text: str) -> None:
    """Plain letters take another way than marked ones, to the same words."""
    assert fold(text) == slow_fold(text)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Zoë`s Vats", "zoe vats"),
        ("the Joneses' 2nd", "the joneses 2nd"),
        ("?!", ""),
        ("ŒUVRE", "oeuvre"),
    ],
)
def test_folded_words(text: str, folded: str) -> None:
    """Marks, possessives and punctuation go; letters and digits stay."""
    assert fold(text) == folded
