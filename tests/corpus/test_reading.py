"""A text on a page: every character accounted for, what hides is named, windows do not overlap."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from adjudication.corpus.reading import (
    WINDOW,
    Mark,
    Part,
    Window,
    parts_of,
    window_at,
    window_numbered,
)

HIDDEN = "\u200b\u202e\r\u2028\ufeff\u00ad\u00a0"
texts = st.text(st.sampled_from("ab é\n🧪" + HIDDEN), max_size=60)
places = st.tuples(st.integers(0, 60), st.integers(1, 60))


def restored(part: Part) -> str:
    return chr(int(part.code, 16)) if part.kind in ("unseen", "quiet") else part.text


@given(texts, st.lists(places, max_size=4), st.booleans(), st.booleans())
def test_parts_give_back_the_text(
    text: str, ranges: list[tuple[int, int]], every: bool, exact: bool
) -> None:
    """Nothing is lost, repeated or normalised by showing it, whatever is marked."""
    marks = [Mark(start, start + length) for start, length in ranges]
    parts = parts_of(text, marks, every=every, exact=exact)
    assert "".join(map(restored, parts)) == text
    assert [part.start for part in parts] == [
        sum(len(restored(before)) for before in parts[:n]) for n in range(len(parts))
    ]


@given(texts, places)
def test_marks_cover_exactly_their_range(text: str, place: tuple[int, int]) -> None:
    """A mark that shows one character more or less points at other evidence."""
    start, end = place[0], place[0] + place[1]
    parts = parts_of(text, [Mark(start, end)])
    marked = "".join(restored(part) for part in parts if part.within)
    assert marked == text[start:end]


def test_hidden_characters_are_named_and_take_no_effect() -> None:
    """A right-to-left override must not reorder the words of evidence."""
    parts = parts_of("paid\u202e 12\u200b\r\n")
    unseen = [part.text for part in parts if part.kind == "unseen"]
    assert unseen == ["U+202E", "U+200B"]
    assert not any("\u202e" in part.text for part in parts)


def test_joiner_between_pictures_stays() -> None:
    """A firefighter is one picture, not a woman and a fire engine."""
    assert [part.text for part in parts_of("👩🏽‍🚒 Ada")] == ["👩🏽‍🚒 Ada"]
    assert [part.text for part in parts_of("a\u200db")] == ["a", "U+200D", "b"]


def test_chosen_mark_is_told_apart_inside_another() -> None:
    """Overlapping spans: the one asked for is the one framed."""
    parts = parts_of("Vat 8\r\nVat 9", [Mark(0, 12), Mark(7, 12, chosen=True)])
    assert [(p.text, p.within) for p in parts] == [
        ("Vat 8\r\n", "mark"),
        ("Vat 9", "chosen"),
    ]


def test_windows_follow_on_each_other() -> None:
    """Every character of a long text is on exactly one page."""
    text = ("word " * 30 + "\n") * 700 + "x" * (WINDOW * 2)
    count = window_at(text, 0).count
    windows = [window_numbered(text, number) for number in range(1, count + 1)]
    assert "".join(text[one.start : one.end] for one in windows) == text
    assert max(one.end - one.start for one in windows) <= WINDOW
    for one in windows:
        assert window_at(text, one.start) == window_at(text, one.end - 1) == one


def test_window_out_of_range_is_the_nearest() -> None:
    """A number in an address that is too large or small shows a page, not a fault."""
    assert window_numbered("short", 99) == window_numbered("short", -3) == Window(0, 5, 1, 1)
    assert window_at("", 0) == Window(0, 0, 1, 1)
