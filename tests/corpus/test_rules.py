"""Finding a span by its words, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from adjudication.corpus.models import SourceVersion
from adjudication.corpus.rules import check_partial_time, find_quotation
from adjudication.corpus.soundness import damage_of
from adjudication.errors import Refused
from certify_core.canonical import sha256_hex


def test_quotation_is_found_by_occurrence() -> None:
    """The same words twice are two places; overlapping ones count too."""
    text = "Vat 8 is sealed. Vat 9 is sealed."
    assert find_quotation(text, "is sealed", 1) == (6, 15)
    assert find_quotation(text, "is sealed", 2) == (23, 32)
    assert find_quotation("aaa", "aa", 2) == (1, 3)


@pytest.mark.parametrize("typed", ["Vat 8\nVat 9", "Vat 8\r\nVat 9", "Vat 8\rVat 9"])
def test_quotation_matches_any_line_break(typed: str) -> None:
    """A browser rewrites line breaks; the span keeps those of the source."""
    assert find_quotation("x Vat 8\r\nVat 9", typed) == (2, 14)


def test_quotation_is_counted_in_code_points() -> None:
    """Emoji and combining marks do not shift the place."""
    assert find_quotation("🧪 Larkspur owns vat 9", "vat 9") == (16, 21)
    assert find_quotation("Zoe\u0308 Vale", "Vale") == (5, 9)


def test_quotation_with_another_character_names_the_first_difference() -> None:
    """A no-break space cannot be seen; the refusal says that it is one."""
    with pytest.raises(Refused, match=r"first 3 characters.*U\+00A0.*U\+0020"):
        find_quotation("Ada\u00a0Lovelace", "Ada Lovelace")
    with pytest.raises(Refused, match=r"has U\+0061 \(a\), the quotation U\+0430 \(а\)\."):
        find_quotation("Vale", "Vаle")
    with pytest.raises(Refused, match="first character does, up to position 1"):
        find_quotation("abc", "axc")
    with pytest.raises(Refused, match="Not even its first character"):
        find_quotation("abc", "xyz")
    with pytest.raises(Refused, match="the text has its end"):
        find_quotation("abc", "abcd")


def test_quotation_is_never_found_nearby() -> None:
    """A lookalike is no match: "Vat 9 is sealed" is not "Vat 8 is sealed"."""
    with pytest.raises(Refused, match="do not stand in this version"):
        find_quotation("Vat 9 is sealed", "Vat 8 is sealed")


def test_occurrence_beyond_the_last_is_refused() -> None:
    """Nothing is chosen in place of what was asked for."""
    with pytest.raises(Refused, match="stand here 2 times; there is no 3"):
        find_quotation("ab ab", "ab", 3)


@pytest.mark.parametrize("value", ["2013", "2013-05", "2012-02-29", "-0044-03-15", "0000"])
def test_time_in_the_calendar_is_taken(value: str) -> None:
    """Years before our era and coarse dates are times too."""
    check_partial_time(value)


@pytest.mark.parametrize("value", ["2013-13", "2013-02-30", "2013-00", "-0044-02-31"])
def test_time_outside_the_calendar_is_refused(value: str) -> None:
    """The pattern alone lets the thirtieth of February pass."""
    with pytest.raises(Refused, match="not in the calendar"):
        check_partial_time(value)


@pytest.mark.parametrize(
    ("part", "change"),
    [
        ("bytes", {"snapshot": "CCedar 🧪".encode()}),
        ("text", {"text": "Cedar "}),
        ("text", {"encoding": "koi8-r"}),
        ("digest", {"sha256": "0" * 64}),
        ("bytes and text", {"snapshot": b"Cedar", "text": "Pine"}),
    ],
)
def test_what_was_changed_is_damaged(part: str, change: dict[str, Any]) -> None:
    """What the integrity badge says is measured, and names what the others disagree with."""
    stored: dict[str, Any] = {"snapshot": "Cedar 🧪".encode(), "text": "Cedar 🧪"}
    version = SourceVersion(**stored, sha256=sha256_hex(stored["snapshot"]))
    assert damage_of(version) is None
    for name, value in change.items():
        setattr(version, name, value)
    found = damage_of(version)
    assert found is not None
    assert found.part == part
