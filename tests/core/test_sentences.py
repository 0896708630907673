"""Where sentences end. The corpus and the reader both stand on this one rule."""

import pytest

from certify_core.sentences import sentence_at, sentences


def parts(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Title\nOne. Two.", ["Title", "One.", "Two."]),
        ("J. R. Smith met Dr. Lee. He left.", ["J. R. Smith met Dr. Lee.", "He left."]),
        ("Born in St. Louis. Died.", ["Born in St. Louis.", "Died."]),
        ("He (b. 5 May. 1900) sang. So.", ["He (b. 5 May. 1900) sang.", "So."]),
        ('"Yes." She said so! Why?', ['"Yes."', "She said so!", "Why?"]),
        ("An open ( bracket. Next one.", ["An open ( bracket.", "Next one."]),
        ("", []),
        (" \n ", []),
    ],
)
def test_sentences_end_where_a_reader_would_stop(text: str, expected: list[str]) -> None:
    """Protects spans of evidence from being cut at initials, abbreviations, parentheses."""
    assert parts(text) == expected


def test_sentences_hold_every_visible_character() -> None:
    """Protects against text that belongs to no sentence and so can never be a span."""
    text = "T\n  A b. C (d. e) f?  G\n\nh."
    kept = "".join(parts(text))
    assert kept.replace(" ", "") == "".join(text.split())


def test_sentence_at_joins_the_sentences_a_range_touches() -> None:
    """Protects a value that spans two sentences from losing its context."""
    text = "One here. Two there. Three."
    assert sentence_at(text, 4, 6) == (0, 9)
    assert sentence_at(text, 4, 13) == (0, 20)
    with pytest.raises(ValueError, match="no sentence"):
        sentence_at(text, 9, 10)
