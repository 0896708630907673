"""Stable JSON: one form for equal values, and a reader that accepts nothing ambiguous."""

from __future__ import annotations

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from certify_core.canonical import canonical_bytes, digest, sha256_hex, strict_loads
from certify_core.errors import LONGEST, InvalidJson
from certify_core.folding import fold

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_canonical_form_reads_back_unchanged(value):
    """Nothing is lost, and the form of what was read is the same bytes."""
    form = canonical_bytes(value)
    assert strict_loads(form) == value == json.loads(form)
    assert canonical_bytes(strict_loads(form)) == form


@given(st.dictionaries(TEXT, st.integers(), max_size=6))
def test_digest_ignores_the_order_of_keys(value):
    """Equal objects have equal digests however they were built."""
    turned = dict(reversed(value.items()))
    assert digest(value) == digest(turned) == sha256_hex(canonical_bytes(turned))


def test_canonical_form_is_fixed():
    """Stored digests must stay valid: sorted keys, no spaces, plain UTF-8."""
    form = canonical_bytes({"ö": [1, 1.5, None, True], "a": "é\n"})
    assert form == '{"a":"é\\n","ö":[1,1.5,null,true]}'.encode()
    assert digest("é") == hashlib.sha256('"é"'.encode()).hexdigest()


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ({"a": [float("nan")]}, "$.a[0]"),
        ([float("-inf")], "$[0]"),
        ({"a": "\udc00"}, "$.a"),
        ({1: "a"}, "$"),
        ({"\ud800": 1}, "$"),
        ({"a": {1, 2}}, "$.a"),
        ([b"bytes"], "$[0]"),
    ],
)
def test_canonical_form_refuses_what_json_cannot_hold(value, place):
    """The place of the fault is named; nothing is written approximately."""
    with pytest.raises(InvalidJson) as refused:
        canonical_bytes(value)
    assert refused.value.place == place


@pytest.mark.parametrize("depth", [100, 101])
def test_nesting_is_limited_on_both_ways(depth):
    """A hundred levels are read and written, one more is refused by both."""
    text = "[" * depth + "]" * depth
    if depth == 100:
        assert canonical_bytes(strict_loads(text)) == text.encode()
        return
    value: list[object] = []
    for _ in range(depth - 1):
        value = [value]
    for attempt in (lambda: strict_loads(text), lambda: canonical_bytes(value)):
        with pytest.raises(InvalidJson, match="nested deeper than 100 levels"):
            attempt()


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"a": {"b": 1, "b": 1}}', "$.a.b"),
        ('{"a": [1, NaN]}', "$.a[1]"),
        ("Infinity", "$"),
        ("[1e999]", "$[0]"),
        ('["\\udfff"]', "$[0]"),
        ('{"\\udfff": 1}', "$"),
        ('{"a": 1,\n "b" 2}', "line 2 column 6"),
        (b'"\xc3\x28"', "byte 1"),
        ("\ufeff{}", "line 1 column 1"),
    ],
)
def test_strict_reader_names_the_place(text, place):
    """Repeated keys, constants, broken text: refused where they stand."""
    with pytest.raises(InvalidJson) as refused:
        strict_loads(text)
    assert refused.value.place == place


@pytest.mark.parametrize(
    ("key", "shown"),
    [("a\\u0000b", "$.a\\x00b"), ("\\u001b[31m", "$.\\x1b[31m"), ("\\u202e", "$.\\u202e")],
)
def test_place_can_be_printed_and_stored(key, shown):
    """A file chooses its own keys; a complaint quotes them without what acts on its reader."""
    with pytest.raises(InvalidJson) as refused:
        strict_loads(f'{{"{key}": NaN}}')
    assert refused.value.place == shown


def test_place_is_short():
    """A key of a megabyte does not become a message of one."""
    with pytest.raises(InvalidJson) as refused:
        strict_loads(f'{{"{"k" * 2**20}": NaN}}')
    assert refused.value.place.startswith("$.kkk")
    assert len(refused.value.place) <= LONGEST + 1


def test_strict_reader_accepts_a_pair_of_surrogates():
    """An escaped character beyond the first plane is one character."""
    assert strict_loads('"\\ud83d\\ude00"') == "\U0001f600"


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Łódź", "lodz"),
        ("Straße", "strasse"),
        ("Þór Æsir Øre Đorđe", "thor aesir ore dorde"),
        ("God'S War", "god war"),
        ("the Joneses\u2019 house", "the joneses house"),
        ("Lothair Ii", "lothair ii"),
        ("Who? (1999 film)", "who 1999 film"),
        ("O'Brien", "o brien"),
        ("Zoe\u0308", "zoe"),
        ("東京", "東京"),
        ("!!!", ""),
    ],
)
def test_fold_gives_comparable_tokens(text, folded):
    """Marks, case, possessives and punctuation go; digits and numerals stay."""
    assert fold(text) == folded


@given(st.text())
def test_fold_is_idempotent(text):
    """Folding folded text changes nothing more."""
    once = fold(text)
    assert fold(once) == once
