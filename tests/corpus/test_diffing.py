"""A comparison loses nothing, tells apart what looks alike, and ends in time."""

from __future__ import annotations

import re
import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudication.corpus.diffing import Comparison, Kind, Piece, compare, hunks_of, words_of

ALPHABET = "ab. é\u0301\u00a0\u200b\r\n🧪日"
texts = st.text(st.sampled_from(ALPHABET), max_size=60)


def side(found: Comparison, other: str) -> str:
    return "".join(piece.text for piece in found.pieces if piece.kind != other)


def one_break(text: str) -> str:
    return re.sub(r"\r\n|\r", "\n", text)


def shown(found: Comparison) -> list[tuple[str, str]]:
    return [(piece.kind, piece.text) for piece in found.pieces]


@given(texts, texts)
@settings(max_examples=300, deadline=None)
def test_both_texts_can_be_read_off_a_comparison(old: str, new: str) -> None:
    """The old one exactly, the new one but for the kind of its line breaks, which are counted."""
    found = compare(old, new)
    assert side(found, "new") == old
    # Piece by piece: a CR that is new and an LF that stayed are no CR LF.
    kept = (one_break(piece.text) for piece in found.pieces if piece.kind != "gone")
    assert "".join(kept) == one_break(new)
    assert (side(found, "gone") == new) or found.breaks
    assert found.same == (old == new)


@given(texts, texts)
@settings(max_examples=300, deadline=None)
def test_every_piece_is_where_it_says(old: str, new: str) -> None:
    """A link from a change must lead to it, in either version."""
    for piece in compare(old, new).pieces:
        if piece.kind != "new":
            assert old[piece.old : piece.old + len(piece.text)] == piece.text
        if piece.kind == "new":
            assert new[piece.new : piece.new + len(piece.text)] == piece.text
        if piece.kind == "":
            assert one_break(new[piece.new :]).startswith(one_break(piece.text).rstrip("\n"))


@given(st.lists(st.tuples(st.sampled_from(["", "gone", "new"]), texts), max_size=8))
def test_folding_hides_only_what_is_the_same(given_pieces: list[tuple[Kind, str]]) -> None:
    """Every change is shown, and what is folded is counted to the character."""
    pieces = [Piece(kind, text * 30, 0, 0) for kind, text in given_pieces if text]
    pieces = [
        piece
        for before, piece in pairwise([None, *pieces])
        if not before or before.kind or piece.kind
    ]
    hunks, rest = hunks_of(pieces)
    seen = [piece for hunk in hunks for piece in hunk.pieces]
    changed = [piece for piece in pieces if piece.kind]
    assert [piece for piece in seen if piece.kind] == changed
    if changed:
        kept = sum(len(piece.text) for piece in seen)
        folded = rest + sum(hunk.folded for hunk in hunks)
        assert kept + folded == sum(len(piece.text) for piece in pieces)


def test_words_are_the_unit_of_a_change() -> None:
    """A changed number is one change, and its neighbours stay."""
    assert shown(compare("Vat 8 is sealed.", "Vat 9 is sealed.")) == [
        ("", "Vat "),
        ("gone", "8"),
        ("new", "9"),
        ("", " is sealed."),
    ]


@pytest.mark.parametrize(
    ("old", "new", "why", "counts"),
    [
        ("Zoë", "Zoe\u0308", "U+00EB → U+0065 U+0308", (1, 0)),
        ("Ada Lovelace", "Ada\u00a0Lovelace", "U+0020 → U+00A0", (0, 1)),
        ("9\u202f000", "9 000", "U+202F → U+0020", (0, 1)),
    ],
)
def test_words_that_look_alike_are_told_apart(
    old: str, new: str, why: str, counts: tuple[int, int]
) -> None:
    """What differs in code points alone is named by them, beside a change that can be seen."""
    found = compare(f"one {old} two x", f"one {new} two y")
    assert [piece.why for piece in found.pieces if piece.why] == [why]
    assert (found.composed, found.hidden) == counts
    assert ("gone", "x") in shown(found)


def test_hidden_characters_that_came_or_went_are_changes() -> None:
    """A zero-width space between two words is a change, whatever it looks like."""
    assert shown(compare("ab", "a\u200bb")) == [("gone", "ab"), ("new", "a\u200bb")]
    assert shown(compare("a b", "a \u202eb"))[1] == ("new", "\u202e")
    assert shown(compare("a\u200b \u200cb", "a\u200b b"))[1] == ("gone", "\u200c")


def test_other_line_breaks_are_counted_and_not_shown() -> None:
    """A file saved on another system is one sentence, not a page of changes."""
    old = "Vat 8\r\n" * 120 + "end\r"
    found = compare(old, "Vat 8\n" * 120 + "end\n")
    assert found.breaks == {"CR LF → LF": 120, "CR → LF": 1}
    assert [piece.kind for piece in found.pieces] == [""]
    assert not found.same


def test_blank_line_that_went_is_a_change() -> None:
    """Two breaks are not another kind of one."""
    found = compare("One.\r\n\r\nTwo x.", "One.\nTwo y.")
    assert side(found, "new") == "One.\r\n\r\nTwo x."
    assert any(piece.kind == "gone" and "\n" in piece.text for piece in found.pieces)


def test_marks_stay_with_their_letter_and_scripts_without_spaces_are_cut() -> None:
    """A Hindi word is one word; of a Chinese sentence one letter can change."""
    assert words_of("हिन्दी Zoe\u0308") == ["हिन्दी", " ", "Zoe\u0308"]
    assert ("gone", "八") in shown(compare("第八桶已封", "第九桶已封"))


@pytest.mark.parametrize("joint", ["\n", " ", ". "])
def test_comparison_of_long_texts_ends_in_time(joint: str) -> None:
    """Two unlike texts are shown as replaced, and that this may hide what is the same is said."""
    old = joint.join(f"word{n * 7919 % 10007} and {n}" for n in range(40_000))
    new = joint.join(f"term{n * 104729 % 20011} or {n}" for n in range(40_000, 0, -1))
    begin = time.monotonic()
    found = compare(old, new, seconds=0.2)
    assert time.monotonic() - begin < 5
    assert found.coarse
    assert (side(found, "new"), side(found, "gone")) == (old, new)


def test_small_changes_of_a_long_text_are_found_one_by_one() -> None:
    """Two changed words far apart in half a million characters are two changes."""
    lines = [f"Line {n}: the vat {n % 9} is sealed.\n" for n in range(15_000)]
    old = "".join(lines)
    lines[77], lines[14_000] = "Line 77: the vat is open.\n", lines[14_000].replace("vat", "tank")
    found = compare(old, "".join(lines), seconds=20)
    assert not found.coarse
    assert [piece.text for piece in found.pieces if piece.kind == "new"] == ["open", "tank"]
    hunks, rest = hunks_of(found.pieces)
    assert len(hunks) == 2
    assert rest + sum(hunk.folded for hunk in hunks) > len(old) * 0.99


def test_what_is_near_a_change_begins_with_a_line() -> None:
    """Whole lines around a change, and none that is blank because a break was cut off."""
    lines = [f"Line {n}.\n" for n in range(30)]
    other = [*lines[:15], "Another.\n", *lines[16:]]
    hunks, rest = hunks_of(compare("".join(lines), "".join(other)).pieces)
    shown = "".join(piece.text for piece in hunks[0].pieces if piece.kind != "new")
    assert shown.startswith("Line 13.\nLine 14.\nLine ")
    assert hunks[0].folded + len(shown) + rest == len("".join(lines))
