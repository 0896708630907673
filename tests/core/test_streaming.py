"""Arrays read element by element are what the whole text says, and refused where it is."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from certify_core import streaming
from certify_core.canonical import strict_loads
from certify_core.errors import InvalidJson
from certify_core.streaming import strict_items

TEXT = st.text(max_size=8) | st.sampled_from(['"', "\\", "\n", "🧪", "\u2028", "]", "}"])
VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=12,
)


class Trickle(io.BytesIO):
    """A file that gives a few bytes at a time, so that every token is cut somewhere."""

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(min(3, size) if size and size > 0 else 3)


def outcome(read: Any) -> Any:
    """The value, or where and why there is none."""
    try:
        return read()
    except InvalidJson as error:
        return (error.place, error.problem)


def streamed(data: bytes) -> Any:
    return outcome(lambda: list(strict_items(Trickle(data))))


@given(st.lists(VALUE, max_size=5), st.sampled_from([None, 1]), st.booleans())
def test_array_in_pieces_is_the_array(values: list[Any], indent: int | None, escaped: bool) -> None:
    """Numbers, escapes and letters of several bytes are not torn where a piece ends."""
    data = json.dumps(values, indent=indent, ensure_ascii=escaped).encode()
    assert streamed(data) == outcome(lambda: strict_loads(data))


@given(st.lists(VALUE, min_size=1, max_size=3), st.data())
def test_broken_array_is_refused_at_the_same_place(values: list[Any], data: st.DataObject) -> None:
    """One character lost or put in: the stream agrees with reading the whole text.

    Where an element before it has a fault of its own kind, the stream comes to that first.
    """
    text = json.dumps(values, indent=1, ensure_ascii=False)
    at = data.draw(st.integers(1, len(text) - 1))
    put = data.draw(st.sampled_from(["", ",", "]", "}", '"', "0", "nul", "\\", " x", "[[["]))
    broken = ("[" + text[1:at] + put + text[at + 1 :]).encode()
    expected, found = outcome(lambda: strict_loads(broken)), streamed(broken)
    if isinstance(expected, tuple) and isinstance(found, tuple) and expected != found:
        assert found[0].startswith("$[")
    else:
        assert found == expected


@pytest.mark.parametrize(
    ("data", "place", "problem"),
    [
        (b'[1, {"a": 1, "a": 2}]', "$[1].a", "twice"),
        (b"[1, NaN]", "$[1]", "not a number"),
        (b"[1, 1e999]", "$[1]", "range"),
        (b'["\\ud800"]', "$[0]", "surrogate"),
        (b"[0, " + b"9" * 5000 + b"]", "$[1]", "digits"),
        (b"[" * 200_000, "$[0]", "nested"),
        (b"[" * 101 + b"]" * 101, "$[0]", "nested"),
        (b"[1,\n 2", "line 2 column 3", "delimiter"),
        (b'[1,\n "ab', "line 2 column 2", "Unterminated"),
        (b"[1]\n2", "line 2 column 1", "Extra data"),
        (b"[1,\n]", "line 2 column 1", "Expecting value"),
        (b'["a", "\xff"]', "byte 7", "UTF-8"),
        (b'["a\xc3', "byte 3", "UTF-8"),
    ],
)
def test_fault_is_named_at_its_place(data: bytes, place: str, problem: str) -> None:
    """The element by its path, text that is no JSON by line and column, bytes by their number."""
    found = streamed(data)
    path = found[0] if place != "$[0]" or "nested" not in problem else found[0][:4]
    assert path == place
    assert problem in found[1]


def test_element_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """One element would have to be held as a whole: it has a limit."""
    monkeypatch.setattr(streaming, "ELEMENT_LIMIT", 1000)
    assert "longer than" in streamed(b'["' + b"a" * 2000)[1]


def test_long_array_needs_a_small_window() -> None:
    """What is used is dropped: the window never holds more than a few blocks."""

    class Counted(io.BytesIO):
        most = 0

        def read(self, size: int | None = -1, /) -> bytes:
            self.most = max(self.most, size or 0)
            return super().read(size)

    file = Counted(json.dumps(["x" * 1000] * 3000).encode())
    assert sum(1 for _ in strict_items(file)) == 3000
    assert file.most <= 2**19
