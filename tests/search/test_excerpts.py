"""What of a text a hit shows, and where its marks stand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudication.search.excerpts import LENGTH, Asked, Excerpt, excerpt_of, places

FILLER = "Nothing of interest is said here. " * 40


def marked(excerpt: Excerpt) -> list[str]:
    return [part.text for part in excerpt.parts if part.within]


def shown(excerpt: Excerpt) -> str:
    return "".join(part.text for part in excerpt.parts)


@pytest.mark.parametrize(
    ("text", "query", "marks"),
    [
        ("Zoe\u0308 Vale owns vat 9.", "zoë VALE", ["Zoe\u0308", "Vale"]),
        ("O’Brien's vats (Oslo–Ghent)", "o'brien ghent", ["O’Brien's", "Ghent"]),
        ("🧪 Larkspur\u202e vat", "🧪 vat", ["🧪", "vat"]),
        ("東京は日本の首都です。", "首都", ["首都"]),
        ("Ṃahā vs. maha", "maha", ["Ṃahā", "maha"]),
        ("नई दिल्ली राजधानी", "दिल्ली", ["दिल्ली"]),
        ("nothing", "elsewhere", []),
    ],
)
def test_words_are_marked_as_they_stand_in_the_text(text: str, query: str, marks: list[str]):
    """Folding finds them; what is marked keeps its own letters and accents."""
    assert marked(excerpt_of(text, Asked.of(query))) == marks


def test_excerpt_shows_where_most_of_the_words_stand_together():
    """Not the first of them, if another place says more."""
    text = f"cedar {FILLER}cedar and birch and alder {FILLER}"
    excerpt = excerpt_of(text, Asked.of("alder birch cedar"))
    assert marked(excerpt) == ["cedar", "birch", "alder"]
    assert (excerpt.cut_before, excerpt.cut_after) == (True, True)
    assert text[excerpt.place :].startswith("cedar and")


def test_short_text_is_shown_whole():
    """Wherever its words stand: there is room for all of it."""
    text = f"{FILLER[:200]}cedar"
    assert shown(excerpt_of(text, Asked.of("cedar"))) == text


@given(st.text(max_size=1200), st.text(max_size=30))
def test_excerpt_is_a_stretch_of_the_text(text: str, query: str):
    """No text and no query make an excerpt show what the text does not have there."""
    excerpt = excerpt_of(text, Asked.of(query))
    ends = [part.start for part in excerpt.parts]
    assert ends == sorted(ends)
    for part in excerpt.parts:
        if part.kind != "unseen":
            assert text[part.start : part.start + len(part.text)] == part.text
    assert len(shown(excerpt)) <= 8 * LENGTH
    for start, end in places(text, Asked.of(query)):
        assert 0 <= start < end <= len(text)
