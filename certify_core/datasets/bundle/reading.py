"""From the lines of a bundle to checked records. Strict: what is not understood is refused.

Only one version's text is held at a time, and of what was read before its keys alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import Any

from certify_core.canonical import sha256_hex, strict_loads
from certify_core.datasets.bundle import records
from certify_core.datasets.bundle.fields import (
    SHAPES,
    Wrong,
    base64_bytes,
    check_one_place,
    shaped,
    text,
)
from certify_core.datasets.bundle.ranges import Ranges
from certify_core.errors import InvalidJson, InvalidRecord

KEYED = (
    *("source", "version", "span", "rule", "question", "claim"),
    *("system-run", "output", "output-claim"),
)
"""Records that have a key, which is unique among the records of one kind."""

PARENTS = {
    "version": "source",
    "claim": "question",
    "evidence-set": "claim",
    "output": "system-run",
}
"""What something withheld belongs to."""


def read(lines: Iterable[bytes]) -> Iterator[tuple[str, records.Record]]:
    """Every record with its place ("line 7"), the header first.

    Raises:
        InvalidRecord: when the iterator gets there: a line that is no strict JSON, an unknown
            record or field, a value that its field cannot hold, a key used twice, a reference
            to what has not been read, a digest or range that is not that of its text, or
            fewer or more records than the header announces.
    """
    reader = _Reader()
    place = "line 1"
    for count, line in enumerate(lines, start=1):
        place = f"line {count}"
        try:
            yield place, reader.take(_parsed(line))
        except Wrong as error:
            raise InvalidRecord(place, str(error)) from error
    try:
        reader.finish()
    except Wrong as error:
        raise InvalidRecord(place, str(error)) from error


def _parsed(line: bytes) -> dict[str, Any]:
    if not line.strip():
        raise Wrong("is empty")
    try:
        value = strict_loads(line)
    except InvalidJson as error:
        place = error.place.removeprefix("$").removeprefix(".")
        column = place.removeprefix("line 1 ")
        raise Wrong(f"{column}: {error.problem}" if column else error.problem) from error
    if not isinstance(value, dict):
        raise Wrong("expected an object")
    return value


def _record(value: dict[str, Any]) -> records.Record:
    """The record of a line, by its fields alone."""
    kind = value.pop("record", None)
    if not isinstance(kind, str) or kind not in SHAPES:
        raise Wrong(f"record: {kind!r} is none of {', '.join(SHAPES)}"[:300])
    content = _taken_content(value) if kind == "version" else {}
    found = content | shaped(value, SHAPES[kind])
    if kind == "header":
        del found["format"]
        if (version := found.pop("version")) != records.FORMAT_VERSION:
            raise Wrong(f"version: {version} is not {records.FORMAT_VERSION}, which is read here")
    return records.KINDS[kind](**found)


def _taken_content(value: dict[str, Any]) -> dict[str, Any]:
    """A version's bytes, taken out of its fields."""
    if ("text" in value) == ("base64" in value):
        raise Wrong("has either the field 'text' or the field 'base64'")
    name = "text" if "text" in value else "base64"
    try:
        given = value.pop(name)
        snapshot = text(given).encode() if name == "text" else base64_bytes(given)
    except Wrong as error:
        raise Wrong(f"{name}: {error}") from error
    return {"snapshot": snapshot}


class _Reader:
    """What has been read so far, as far as later records may refer to it."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.announced: Mapping[str, int] | None = None
        self.keys: dict[str, set[str]] = {kind: set() for kind in KEYED}
        self.question_of: dict[str, str] = {}
        self.identities: set[bytes] = set()
        # What can only come twice under one source, version or claim of an output is
        # forgotten with it: most of a long file.
        self.of_source: set[bytes] = set()
        self.of_version: set[bytes] = set()
        self.of_output_claim: set[bytes] = set()
        self.source = ""
        self.version = ""
        self.ranges = Ranges("", "utf-8")
        self.output: records.Output | None = None
        self.output_claim = ""
        self.citations = 0

    def take(self, value: dict[str, Any]) -> records.Record:
        found = _record(value)
        if (self.announced is None) != isinstance(found, records.Header):
            raise Wrong("the header is the first line, and only that")
        self._check(found)
        kind = records.NAMES[type(found)]
        self.counts[kind] += 1
        if kind in self.keys:
            self._add_key(kind, getattr(found, "key"))  # noqa: B009 - not every record has one
        return found

    def finish(self) -> None:
        if self.announced is None:
            raise Wrong("the file is empty")
        for kind, announced in self.announced.items():
            if self.counts[kind] != announced:
                raise Wrong(
                    f"the file ends after {self.counts[kind]} records {kind!r}; "
                    f"its header announces {announced}"
                )

    def _add_key(self, kind: str, key: str) -> None:
        if key in self.keys[kind]:
            raise Wrong(f"key: {key!r} is used for two records {kind!r}")
        self.keys[kind].add(key)

    def _known(self, field: str, kind: str, key: str | None) -> None:
        if key is not None and key not in self.keys[kind]:
            raise Wrong(f"{field}: no record {kind!r} before this line has the key {key!r}")

    def _once(self, *identity: str, among: set[bytes] | None = None) -> None:
        """Refuse a second record of the same identity, in the file or ``among`` some."""
        among = self.identities if among is None else among
        # No text holds NUL, and a digest is all that long texts need to be known again.
        known = blake2b("\0".join(identity).encode(), digest_size=16).digest()
        if known in among:
            raise Wrong(f"{' '.join(identity)!r} stands in the file twice"[:300])
        among.add(known)

    def _check(self, one: records.Record) -> None:
        match one:
            case records.Header():
                self.announced = one.counts
            case records.Source():
                self._once("source", one.origin, one.id)
                self.source, self.version, self.of_source = one.key, "", set()
            case records.Version():
                self._check_version(one)
            case records.Span():
                self._check_span(one)
            case records.Question():
                self._once("question", one.origin, one.id)
            case records.Graph():
                self._known("question", "question", one.question)
                self._once("graph", one.question, str(one.number))
            case records.Claim():
                self._check_claim(one)
            case records.EvidenceSet():
                self._check_set(one)
            case records.Output():
                self._check_output(one)
            case records.OutputClaim():
                self._check_output_claim(one)
            case records.Citation():
                self._check_citation(one)
            case records.Withheld():
                self._known("of", PARENTS[one.kind], one.of)
            case records.Rule() | records.SystemRun():
                pass

    def _check_version(self, one: records.Version) -> None:
        if one.source != self.source:
            raise Wrong("source: a version stands after its source and before the next source")
        if sha256_hex(one.snapshot) != one.sha256:
            raise Wrong(f"sha256: the digest of the bytes is {sha256_hex(one.snapshot)}")
        try:
            content = one.text
        except UnicodeDecodeError as error:
            raise Wrong(f"encoding: byte {error.start} is not {one.encoding}") from error
        if "\0" in content:
            raise Wrong("contains a NUL character, which a text cannot hold")
        self._once("version", one.source, str(one.number), among=self.of_source)
        self._once("version", one.source, one.sha256, one.encoding, among=self.of_source)
        self.version, self.of_version = one.key, set()
        self.ranges = Ranges(content, one.encoding)

    def _check_span(self, one: records.Span) -> None:
        if one.version != self.version:
            raise Wrong("version: a span stands after its version and before the next version")
        self.ranges.check(one)
        self._once("span", one.version, str(one.start), str(one.end), among=self.of_version)

    def _check_claim(self, one: records.Claim) -> None:
        self._known("question", "question", one.question)
        self._known("supersedes", "claim", one.supersedes)
        if one.supersedes and self.question_of[one.supersedes] != one.question:
            raise Wrong("supersedes: a claim supersedes one of the same question")
        self._once("claim", one.question, one.text, one.value)
        self.question_of[one.key] = one.question

    def _check_set(self, one: records.EvidenceSet) -> None:
        self._known("claim", "claim", one.claim)
        for member in one.members:
            self._known("members", "span", member)
        for rule in one.rules:
            self._known("rules", "rule", rule)
        self._once("evidence set", one.claim, *sorted(one.members), "under", *sorted(one.rules))

    def _check_output(self, one: records.Output) -> None:
        self._known("run", "system-run", one.run)
        self._known("question", "question", one.question)
        for place in one.retrieved:
            self._check_place("retrieved", place.span, place.version)
        self._once("output", one.run, one.id)
        self.output, self.output_claim = one, ""

    def _check_output_claim(self, one: records.OutputClaim) -> None:
        if self.output is None or one.output != self.output.key:
            raise Wrong("output: a claim of an output stands after it and before the next output")
        if not one.start < one.end <= len(self.output.text):
            size = len(self.output.text)
            raise Wrong(f"start: {one.start}–{one.end} is not a range of the {size} characters")
        self._known("claim", "claim", one.claim)
        if one.claim and self.question_of[one.claim] != self.output.question:
            raise Wrong("claim: it answers another question than the output")
        self.output_claim, self.citations, self.of_output_claim = one.key, 0, set()

    def _check_citation(self, one: records.Citation) -> None:
        if one.output_claim != self.output_claim:
            raise Wrong("output_claim: a citation stands after its claim and before the next one")
        check_one_place(one.span, one.version)
        self._check_place("", one.span, one.version)
        self.citations += 1
        if one.order != self.citations:
            raise Wrong(f"order: expected {self.citations}, got {one.order}")
        place = (one.span or "", one.version or "")
        self._once("citation", one.output_claim, *place, among=self.of_output_claim)

    def _check_place(self, field: str, span: str | None, version: str | None) -> None:
        self._known(field or "span", "span", span)
        self._known(field or "version", "version", version)
