"""What a reader cannot see: what can mislead is marked unasked, the rest on demand."""

from __future__ import annotations

import unicodedata
from time import monotonic

import pytest

from adjudication.corpus.hidden import hidden_places, name_of
from adjudication.corpus.reading import Mark, parts_of
from tests.horrors import HORRORS


def hidden(text: str, *, every: bool = False) -> list[str]:
    return [text[place] for place in hidden_places(text, 0, len(text), every=every)]


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("paid\u202e 000,9\u202c", "\u202e\u202c"),
        ("pass\u200bword\u2060", "\u200b\u2060"),
        ("a\u200db \u200c.", "\u200d\u200c"),
        ("\ufeffVat\ufeff", "\ufeff"),
        ("Vat 8\r\nVat 9\rend", "\r"),
        ("one\u2028two\u2029three\x85four\vfive\fsix", "\u2028\u2029\x85\v\f"),
        ("logo \ue000, none \ufffe", "\ue000\ufffe"),
        ("name\u3164 \u2800", "\u3164\u2800"),
        ("safe\U000e0065\U000e0076", "\U000e0065\U000e0076"),
        ("\x1b[31m", "\x1b"),
        # Harmless: blanks with a width, soft hyphens, what joins pictures or shapes letters.
        ("9\u202f000\u00a0kg\u3000\t\n", ""),
        ("con\u00adstitution", ""),
        ("👩🏽\u200d🚒 ☁\ufe0f 1\ufe0f\u20e3", ""),
        ("می\u200cخواهم श्री\u200dमान", ""),
        ("🏴\U000e0067\U000e0062\U000e007f", ""),
        ("\u0601١٢", ""),
    ],
)
def test_only_what_can_mislead_is_marked_unasked(text: str, marked: str) -> None:
    """A reader of a CR LF file is not shown a mark at every line; an override always is."""
    assert "".join(hidden(text)) == marked


@pytest.mark.parametrize("text", [horror.text for horror in HORRORS], ids=map(str, HORRORS))
def test_every_hidden_character_can_be_shown(text: str) -> None:
    """On demand nothing without a form of its own is left out, by the slow obvious rule."""
    formless = {"Cc", "Cf", "Cn", "Co", "Zl", "Zp", "Zs"}
    selectors = "\ufe0e\ufe0f\U000e0100"
    shown = hidden(text, every=True)
    for character in text:
        kind = unicodedata.category(character)
        if (kind in formless and character not in " \u0601") or character in selectors:
            assert character in shown, name_of(character)
    assert set(hidden(text)) <= set(shown)


def test_hidden_characters_have_names() -> None:
    """Controls have none in Unicode and get one here."""
    assert name_of("\u202e") == "RIGHT-TO-LEFT OVERRIDE"
    assert name_of("\r") == "CARRIAGE RETURN"
    assert name_of("\ue000") == "PRIVATE USE"
    assert name_of("\ufffe") == "NOT A CHARACTER OF UNICODE"
    assert name_of("\x01") == "CONTROL CHARACTER"


def test_line_breaks_are_shown_by_kind_on_demand() -> None:
    """CR LF and LF look alike; asked for, each is named, and still ends the line."""
    parts = parts_of("a\r\nb\nc", every=True)
    assert [(part.text, part.breaks) for part in parts if part.kind == "unseen"] == [
        ("U+000D", False),
        ("U+000A", True),
        ("U+000A", True),
    ]


def test_carriage_return_keeps_a_part_where_a_script_counts() -> None:
    """HTML reads CR LF as LF; the position after it must not move."""
    parts = parts_of("a\r\nb", exact=True)
    assert [(part.text, part.kind, part.start) for part in parts] == [
        ("a", "", 0),
        ("U+000D", "quiet", 1),
        ("\nb", "", 2),
    ]


def test_marks_of_thousands_of_spans_are_found_in_time() -> None:
    """Each part knows what covers it without asking every mark."""
    text = "word " * 4_000
    marks = [Mark(n * 5, n * 5 + 40, chosen=n == 7) for n in range(3_900)]
    begin = monotonic()
    parts = parts_of(text, marks)
    assert monotonic() - begin < 2
    assert "".join(part.text for part in parts) == text
    covered = "".join(part.text for part in parts if part.within == "chosen")
    assert covered == text[35:75]
