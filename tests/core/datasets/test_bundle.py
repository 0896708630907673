"""Our own bundle: what is exact is read, and nothing else is."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from certify_core.canonical import sha256_hex
from certify_core.datasets import bundle
from certify_core.datasets.bundle.fields import SHAPES, Wrong
from certify_core.datasets.bundle.ranges import Ranges
from certify_core.errors import InvalidRecord

from .bundles import EXAMPLE, SCHEMA, Line, as_file, counted, example, first, read

Change = Callable[[list[Line]], object]
VALIDATOR = Draft202012Validator(json.loads(SCHEMA.read_bytes()))


def fits_schema(lines: list[Line]) -> bool:
    return all(VALIDATOR.is_valid(line) for line in lines)


def test_example_is_read_and_written_to_the_same_bytes() -> None:
    """The published example is a whole bundle in canonical form, with every kind of record."""
    data = EXAMPLE.read_bytes()
    records = read(data)
    assert b"".join(map(bundle.line, records)) == data
    assert {line["record"] for line in example()} == set(SHAPES)
    assert fits_schema(example())


def test_schema_names_the_fields_that_the_parser_reads() -> None:
    """No field is read that is not published, and none is published that is not read."""
    schema = json.loads(SCHEMA.read_bytes())
    Draft202012Validator.check_schema(schema)
    for kind, shape in SHAPES.items():
        published = schema["$defs"][kind]
        extra = {"text", "base64"} if kind == "version" else set()
        assert set(published["properties"]) == {"record", *shape, *extra}
        assert set(published["required"]) == {"record", *shape}
        assert published["additionalProperties"] is False


# Each: what is changed, the line and words of the refusal, whether the schema can see it.
REFUSED: dict[str, tuple[Change, str, bool]] = {
    "unknown field": (lambda b: first(b, "claim").update(note=""), "the field 'note' is unk", True),
    "unknown record": (lambda b: first(b, "rule").update(record="law"), "'law' is none of", True),
    "missing field": (lambda b: first(b, "span").pop("exact"), "the field 'exact' is missi", True),
    "wrong type": (lambda b: first(b, "span").update(start="4"), "start: expected a whole", True),
    "other version": (lambda b: b[0].update(version=2), "version: 2 is not 1", True),
    "other format": (lambda b: b[0].update(format="zip"), "format: 'zip' is none of", True),
    "no bytes": (lambda b: first(b, "version").pop("text"), "either the field 'text' or", True),
    "bytes twice": (lambda b: first(b, "version").update(base64=""), "either the field 'te", True),
    "no set member": (lambda b: first(b, "evidence-set").update(members=[]), "is an empty", True),
    "member twice": (
        lambda b: first(b, "evidence-set").update(members=["born", "born"]),
        "members: entry 2: 'born' is listed twice",
        True,
    ),
    "cites nothing": (lambda b: first(b, "citation").update(span=None), "a span or a ver", True),
    "time": (lambda b: first(b, "claim").update(applicable_time="May"), "expected 2013", True),
    "moment": (lambda b: first(b, "version").update(observed_at="now"), "observed_at: ex", True),
    "30 February": (
        lambda b: first(b, "version").update(published="2013-02-30"),
        "published: expected 2013",
        False,
    ),
    "no reader class": (
        lambda b: first(b, "version").update(reader_classes=[]),
        "reader_classes: is an empty list",
        True,
    ),
    "no title": (lambda b: first(b, "source").update(title=" "), "title: is empty", True),
    "no question": (lambda b: first(b, "question").update(text=""), "text: is empty", True),
    "no claim": (lambda b: first(b, "claim").update(text="\n"), "text: is empty", True),
    "NUL": (lambda b: first(b, "source").update(title="a\0b"), "title: contains a NUL", False),
    "digest of bytes": (
        lambda b: first(b, "version").update(sha256="0" * 64),
        "sha256: the digest of the bytes is",
        False,
    ),
    "encoding": (
        lambda b: (
            first(b, "version").update(base64="/w==", sha256=sha256_hex(b"\xff"), text=b and None)
            or first(b, "version").pop("text")
        ),
        "encoding: byte 0 is not utf-8",
        False,
    ),
    "words": (
        lambda b: first(b, "span").update(exact="The Salt Roat was directed by Ilse Maren 🎬."),
        "exact: the words differ at position 22: the text has U+0064, the span U+0074",
        False,
    ),
    "longer than its range": (
        lambda b: first(b, "span").update(end=52),
        "exact: has 43 characters, the range has 42",
        False,
    ),
    "outside": (lambda b: first(b, "span").update(end=400), "10–400 is not a range", False),
    "reversed": (lambda b: first(b, "span").update(start=53), "53–53 is not a range", False),
    "UTF-16 counted": (lambda b: first(b, "span").update(byte_end=55), "stand at 10–56", False),
    "digest of words": (
        lambda b: first(b, "span").update(sha256="0" * 64),
        "sha256: the digest of the words is",
        False,
    ),
    "unknown member": (
        lambda b: first(b, "evidence-set").update(members=["directed", "nowhere"]),
        "members: no record 'span' before this line has the key 'nowhere'",
        False,
    ),
    "unknown question": (lambda b: first(b, "claim").update(question="q9"), "key 'q9'", False),
    "supersedes itself": (lambda b: first(b, "claim").update(supersedes="c1"), "'c1'", False),
    "range of an output": (
        lambda b: first(b, "output-claim").update(end=28),
        "0–28 is not a range of the 27 characters",
        False,
    ),
    "gap in the order": (lambda b: first(b, "citation").update(order=2), "expected 1, got", False),
    "graph in a circle": (
        lambda b: first(b, "graph")["requirements"][0].update(template="#2"),
        "requirements: requirement 1: #2 is not an earlier step",
        False,
    ),
    "version before its source": (lambda b: b.insert(1, b.pop(2)), "after its source", False),
    "record before the header": (lambda b: b.insert(0, b.pop(1)), "header is the first", False),
    "second header": (lambda b: b.append(b[0]), "header is the first line, and only", False),
    "same key twice": (
        lambda b: b.insert(2, deepcopy(b[1]) | {"id": "another"}),
        "key: 'salt-road' is used for two records 'source'",
        False,
    ),
    "same source twice": (
        lambda b: b.insert(1, deepcopy(b[1]) | {"key": "another"}),
        "'source film-study salt-road' stands in the file twice",
        False,
    ),
    "same set twice": (
        lambda b: b.append(first(b, "evidence-set") | {"members": ["born", "directed"]}),
        "stands in the file twice",
        False,
    ),
    "same citation twice": (
        lambda b: b.insert(18, first(b, "citation") | {"order": 2}),
        "stands in the file twice",
        False,
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_fault_is_refused_at_its_line(name: str) -> None:
    """Line and field are named. The schema refuses whatever a schema can see."""
    change, words, visible = REFUSED[name]
    lines = example()
    change(lines)
    with pytest.raises(InvalidRecord) as error:
        read(as_file(counted(lines)))
    assert words in error.value.problem
    assert error.value.where.startswith("line ")
    assert fits_schema(lines) is not visible


@pytest.mark.parametrize("lost", range(1, 19))
def test_lost_line_is_noticed(lost: int) -> None:
    """A file that was cut short, or lost a line that nothing names, is not a smaller bundle."""
    lines = example()
    del lines[lost]
    with pytest.raises(InvalidRecord):
        read(as_file(lines))


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "the file is empty"),
        (b"\n", "is empty"),
        (b"[]\n", "expected an object"),
        (b'{"record":"header","record":"header"}\n', "the key occurs twice"),
        (b'{"record":NaN}\n', "NaN is not a number"),
        (b'{"record":"\\ud800"}\n', "a surrogate without its partner"),
        (b'{"record":' + b"[" * 200_000 + b"\n", "nested deeper"),
        (b'{"record":"\xff"}\n', "not UTF-8"),
    ],
)
def test_line_that_is_no_strict_json_is_refused(data: bytes, problem: str) -> None:
    """The line is named, and what is wrong with it."""
    with pytest.raises(InvalidRecord, match=problem) as error:
        read(data)
    assert error.value.where == "line 1"


def test_long_list_takes_time_in_proportion() -> None:
    """To find what is listed twice, nothing is compared with all that stood before."""
    names = [f"span-{number}" for number in range(100_000)]
    check = SHAPES["evidence-set"]["members"]
    start = time.process_time()
    assert check(names) == tuple(names)
    assert time.process_time() - start < 2
    with pytest.raises(Wrong, match="entry 100001: 'span-0' is listed twice"):
        check([*names, "span-0"])


NASTY = st.text(
    st.one_of(
        st.sampled_from("ab .\r\n\u2028\u200d\u0308\u202e\ufeff\u00ad🎬👩𝔘שׁ"),
        st.characters(exclude_characters="\0", exclude_categories=["Cs"]),
    ),
    min_size=1,
)


@given(NASTY, st.lists(st.tuples(st.integers(0, 50), st.integers(1, 9)), max_size=8))
def test_ranges_agree_with_slicing(text: str, places: list[tuple[int, int]]) -> None:
    """Bytes counted along the spans are those counted anew for each, in any order."""
    ranges = Ranges(text, "utf-8")
    for start, length in places:
        exact = text[start : start + length]
        if len(exact) < length:
            continue
        before = len(text[:start].encode())
        after = len(text[: start + length].encode())
        digest = sha256_hex(exact.encode())
        ranges.check(bundle.Span("s", "v", start, start + length, before, after, exact, digest))


@given(NASTY)
def test_text_comes_back_exactly(text: str) -> None:
    """Whatever code points a text holds, a line keeps them and stays one line."""
    source = bundle.Source("s", "test", "s", "Title", text)
    version = replace(
        next(one for one in read(EXAMPLE.read_bytes()) if isinstance(one, bundle.Version)),
        source="s",
        snapshot=text.encode(),
        sha256=sha256_hex(text.encode()),
    )
    counts = dict.fromkeys((kind for kind in SHAPES if kind != "header"), 0)
    header = bundle.Header("Test", "", counts | {"source": 1, "version": 1})
    records: list[bundle.Record] = [header, source, version]
    lines = [bundle.line(record) for record in records]
    assert all(line.count(b"\n") == 1 for line in lines)
    assert read(b"".join(lines)) == records
