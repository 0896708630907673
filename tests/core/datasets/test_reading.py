"""Files are recognised by content and every complaint says where."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify_core.datasets import DIALECTS, parse
from certify_core.datasets.records import Batch
from certify_core.errors import CoreError

from .samples import (
    HOTPOT,
    MUSIQUE,
    TWOWIKI,
    as_array,
    as_lines,
    changed,
    hugging_face,
    refusal,
)

SAMPLES = {"musique": MUSIQUE, "hotpotqa": HOTPOT, "2wiki": TWOWIKI}


def second(record: dict[str, Any]) -> dict[str, Any]:
    return {**record, "_id" if "_id" in record else "id": "other"}


@pytest.mark.parametrize("dialect", SAMPLES)
def test_file_in_any_shape_gives_the_same_records(dialect: str) -> None:
    """Array, JSON Lines, CRLF, byte order mark, blank lines and indentation do not matter."""
    records = SAMPLES[dialect], second(SAMPLES[dialect])
    expected = parse(dialect, as_array(*records))
    lines = as_lines(*records)
    assert len(expected.questions) == 2
    for data in (
        lines,
        b"\xef\xbb\xbf" + lines,
        b"\n \n" + lines.replace(b"\n", b"\r\n\r\n") + b"\n",
        json.dumps(records, indent=2).encode(),
    ):
        assert parse(dialect, data).questions == expected.questions


@pytest.mark.parametrize("dialect", SAMPLES)
def test_single_object_is_one_record_however_it_is_laid_out(dialect: str) -> None:
    """One record on one line or over many is read, not taken for something else."""
    record = SAMPLES[dialect]
    expected = parse(dialect, as_array(record)).questions
    assert parse(dialect, as_lines(record)).questions == expected
    assert parse(dialect, json.dumps(record, indent=1).encode()).questions == expected


def test_line_separator_in_a_text_does_not_end_a_line() -> None:
    """U+2028 is legal inside JSON text and must not split a line of JSON Lines."""
    record = changed(HOTPOT, lambda r: r.update(question="Which\u2028ferry?"))
    first, _ = parse("hotpotqa", as_lines(record, second(HOTPOT))).questions
    assert first.text == "Which\u2028ferry?"


def test_error_in_json_lines_names_the_line_and_id() -> None:
    """Blank lines count, as they do in an editor."""
    data = as_lines(HOTPOT) + b"\n\n" + as_lines({**HOTPOT, "_id": "h2", "question": 5})
    error = refusal("hotpotqa", data)
    assert error.where == "line 3 (h2)"
    assert error.problem == "question: expected text, got a number"


def test_broken_line_is_named() -> None:
    """A line that is not JSON is found where it stands, also as the second line."""
    cut = refusal("hotpotqa", as_lines(HOTPOT, second(HOTPOT)) + b'\n{"_id"')
    assert cut.where == "line 3"
    assert cut.problem.startswith("column 7: ")
    assert refusal("hotpotqa", as_lines(HOTPOT) + b"\noops").where == "line 2"
    assert refusal("hotpotqa", b"[\n" + as_lines(HOTPOT) + b",\noops]").where == "line 3"


@pytest.mark.parametrize("bad", ['"\\ud800"', "NaN", "[1e999]", '{"b": 1, "b": 2}'])
def test_value_json_leaves_open_is_named_by_line_or_record(bad: str) -> None:
    """The record is told even where the whole file is read at once."""
    record = f'{{"_id": "h2", "question": {bad}}}'.encode()
    lines = refusal("hotpotqa", as_lines(HOTPOT) + b"\n" + record)
    array = refusal("hotpotqa", b"[" + as_lines(HOTPOT) + b"," + record + b"]")
    assert (lines.where, array.where) == ("line 2", "record 2")
    assert lines.problem == array.problem
    assert lines.problem.startswith("question")


def test_error_in_an_array_names_the_record_and_the_field() -> None:
    """Records count from 1; the path leads to the wrong value."""
    bad = changed(MUSIQUE, lambda r: r.update(id="m2"))
    bad["paragraphs"][2]["title"] = None
    error = refusal("musique", as_array(MUSIQUE, bad))
    assert error.where == "record 2 (m2)"
    assert error.problem == "paragraphs[2].title: expected text, got null"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" \n\t",
        b"\xff\xfe[\x00]\x00",
        b"[" * 100_000,
        b'[{"_id": NaN}]',
        b'[{"_id": "a", "_id": "b"}]',
        b'[{"_id": "\\ud800"}]',
        b"nothing",
        b"[1",
    ],
    ids=["empty", "blank", "utf-16", "deep", "nan", "twice", "surrogate", "word", "cut"],
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_bytes_that_are_not_strict_json_are_refused(dialect: str, data: bytes) -> None:
    """What Python's own reader would accept or crash on is refused with a place."""
    assert refusal(dialect, data).where


def test_empty_file_is_called_empty() -> None:
    """The commonest accident gets plain words."""
    assert str(refusal("musique", b"\xef\xbb\xbf\n")) == "file: is empty"


@pytest.mark.parametrize("value", [b"3", b'"text"', b"[3]", b"[null]", b'[["a", "b"]]'])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_json_of_another_shape_is_refused(dialect: str, value: bytes) -> None:
    """Valid JSON without records is not an empty batch."""
    assert refusal(dialect, value).where.startswith("record 1")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_empty_list_is_an_empty_batch(dialect: str) -> None:
    """No record is a statement, not an error."""
    assert parse(dialect, b"[]") == Batch(dialect)


@pytest.mark.parametrize(
    ("dialect", "name"),
    [(d, n) for d in SAMPLES for n in SAMPLES[d] if n not in ("type", "level", "evidences")],
)
def test_missing_or_mistyped_field_is_refused(dialect: str, name: str) -> None:
    """Missing and null are refused by name; nothing has a default."""
    record = SAMPLES[dialect]
    missing = refusal(dialect, as_array({k: v for k, v in record.items() if k != name}))
    assert repr(name.lstrip("_")) in missing.problem or repr(name) in missing.problem
    assert name in refusal(dialect, as_array({**record, name: None})).problem


@pytest.mark.parametrize("dialect", SAMPLES)
@pytest.mark.parametrize("text", ["a\0b", "", " \n"])
def test_question_with_nul_or_without_text_is_refused(dialect: str, text: str) -> None:
    """NUL cannot be stored and an empty question cannot be asked."""
    error = refusal(dialect, as_array({**SAMPLES[dialect], "question": text}))
    assert error.problem.startswith("question:")


@pytest.mark.parametrize("dialect", SAMPLES)
def test_id_that_comes_twice_is_refused(dialect: str) -> None:
    """Two records under one id: neither may silently win."""
    error = refusal(dialect, as_lines(SAMPLES[dialect], SAMPLES[dialect]))
    assert error.where.startswith("line 2")
    assert "line 1" in error.problem


def test_unknown_dialect_is_a_key_error() -> None:
    """A dialect is never guessed."""
    with pytest.raises(KeyError):
        parse("fever", b"[]")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


def outcome(dialect: str, data: bytes) -> Batch | CoreError:
    try:
        return parse(dialect, data)
    except CoreError as error:
        return error


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(sorted(DIALECTS)), st.binary(max_size=60) | JSON.map(as_array))
def test_any_bytes_give_a_batch_or_a_core_error(dialect: str, data: bytes) -> None:
    """A hostile file can only be refused, never crash the caller."""
    assert isinstance(outcome(dialect, data), Batch | CoreError)


def places(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value)  # type: ignore[arg-type]
    found = []
    for key, part in inner:
        found.append((*path, key))
        if isinstance(part, dict | list):
            found += places(part, (*path, key))
    return found


SEEDS = [("musique", MUSIQUE), ("hotpotqa", HOTPOT), ("hotpotqa", hugging_face(HOTPOT)),
         ("2wiki", TWOWIKI), ("passages", {"title": "A", "text": ["b", " c"]}),
         ("passages", {"A": "b", "C": ["d"]})]  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_damaged_record_gives_a_batch_or_a_core_error(data: st.DataObject) -> None:
    """One value anywhere in a good record replaced by anything; offsets stay inside."""
    dialect, record = data.draw(st.sampled_from(SEEDS))
    path = data.draw(st.sampled_from(places(record)))
    value: object = data.draw(JSON | st.just("#" + "9" * 5000) | st.just([[]]) | st.just(-1))

    def damage(target: dict[str, Any]) -> None:
        part: object = target
        for key in path[:-1]:
            part = part[key]  # type: ignore[index]
        part[path[-1]] = value  # type: ignore[index]

    result = outcome(dialect, as_lines(changed(record, damage)))
    for question in result.questions if isinstance(result, Batch) else ():
        for excerpt in (e for found in question.sets for e in found):
            text = question.passages[excerpt.passage].text
            assert len(question.passages[excerpt.passage].title) < excerpt.start
            assert excerpt.start < excerpt.end <= len(text)
