"""Check an export offline. Standard library only, and no code shared with the writing side.

    python verification.py FILE [--digest SHA256]

Hand this file over together with an export: whoever receives both can find every changed,
missing, doubled, moved or added line without asking anybody. A file that was forged as a
whole is consistent in itself; it is found by its digest, which differs from the published one.
"""

from __future__ import annotations

import argparse
import hashlib
import hmac
import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO, NoReturn, TypeVar

FORMAT = "certify-adjudication-export"
FORMAT_VERSION = 1
LONGEST_LINE = 64 * 1024 * 1024  # bytes; a longer line is no record of ours
MOST_FINDINGS = 50  # after so many, the rest is not read

T = TypeVar("T")


class Fault(Exception):
    """What is wrong with one record, in words."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One difference: the line (from 1), the record in it, what is wrong."""

    line: int
    record: str
    what: str

    def __str__(self) -> str:
        return f"line {self.line}, {self.record}: {self.what}"


@dataclass(slots=True)
class Report:
    """What a file claims to be, and every difference found. It is intact if there is none."""

    manifest: dict[str, Any] | None = None
    items: int = 0
    findings: list[Finding] = field(default_factory=list)

    @property
    def intact(self) -> bool:
        return not self.findings

    @property
    def title(self) -> str:
        """The version, and for whom it was exported. Only for a manifest that was read."""
        if self.manifest is None:
            return "no readable export"
        version = self.manifest["version"]
        return (
            f"{version['project']}, annotation version {version['number']}"
            f" for reader class {self.manifest['reader_class']}"
        )


def verify(file: BinaryIO, *, expected: str = "") -> Report:
    """Check every digest, commitment and span of an export.

    ``expected`` is the published digest of the version, where the reader knows it.
    """
    report = Report()
    lines = _numbered(file)
    _, first = next(lines, (1, b""))
    try:
        report.manifest = _manifest(_record(first), expected)
    except Fault as fault:
        report.findings.append(Finding(1, "manifest", str(fault)))
        return report
    check = _Items(report, report.manifest)
    for number, line in lines:
        if len(report.findings) >= MOST_FINDINGS:
            report.findings.append(Finding(number, "this and later lines", "not checked"))
            return report
        check.line(number, line)
    check.end()
    return report


# --- One line --------------------------------------------------------------------------------


def _numbered(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    number = 0
    while line := file.readline(LONGEST_LINE + 1):
        number += 1
        yield number, line
        if len(line) > LONGEST_LINE:
            return


def _record(line: bytes) -> dict[str, Any]:
    """The record in a line whose form and digest are right."""
    if not line:
        raise Fault("the file is empty")
    if len(line) > LONGEST_LINE:
        raise Fault(f"longer than {LONGEST_LINE} bytes, which no record is")
    if not line.endswith(b"\n"):
        raise Fault("the line has no end: the file was cut short here")
    parsed = _parsed(line[:-1])
    if not isinstance(parsed, dict) or parsed.keys() != {"record", "sha256"}:
        raise Fault("not a record with its digest")
    record: dict[str, Any] = _get(parsed, "record", dict)
    found, written = _digest(record), _get(parsed, "sha256", str)
    if found != written:
        raise Fault(f"the digest of the record is {found}, the line says {written}")
    return record


def _parsed(text: bytes) -> Any:
    try:
        value = json.loads(text.decode("utf-8"))
        again = _canonical(value)
    except UnicodeDecodeError as error:
        raise Fault(f"byte {error.start + 1} is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise Fault(f"not JSON: {error.msg} at character {error.colno}") from None
    except (ValueError, RecursionError):
        raise Fault("not JSON that can be read: a number or nesting is out of bounds") from None
    if again != text:
        raise Fault(f"not in canonical form, from byte {_first_difference(again, text)} on")
    return value


def _first_difference(left: bytes, right: bytes) -> int:
    pairs = zip(left, right, strict=False)
    same = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(left), len(right)))
    return same + 1


def _canonical(value: Any) -> bytes:
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode("utf-8")


def _digest(value: Any) -> str:
    return hashlib.sha256(_canonical(value)).hexdigest()


def _get(record: dict[str, Any], name: str, kind: type[T]) -> T:
    """A field of the right kind. JSON's true and false are no numbers."""
    value = record.get(name)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise Fault(f"{name!r} is missing or not of the kind {kind.__name__}")
    return value


def _differ(what: str, found: object, written: object) -> NoReturn:
    raise Fault(f"{what} is {found}, the record says {written}")


# --- The manifest ----------------------------------------------------------------------------


def _manifest(record: dict[str, Any], expected: str) -> dict[str, Any]:
    """A manifest whose own fields are in order; what it says of the items is checked later."""
    if record.get("kind") != "manifest" or record.get("format") != FORMAT:
        raise Fault(f"not the manifest of a {FORMAT}")
    if record.get("format_version") != FORMAT_VERSION:
        raise Fault(f"format version {record.get('format_version')!r} is not known here")
    version = _get(record, "version", dict)
    _get(version, "project", str)
    _get(version, "number", int)
    _get(version, "counts", dict)
    _get(record, "reader_class", str)
    _get(record, "withheld", dict)
    for entry in _get(record, "records", list):
        if not isinstance(entry, dict):
            raise Fault("'records' holds something that is no entry")
        _get(entry, "id", str)
        _get(entry, "sha256", str)
    _check_commitments(version, _get(record, "opened", dict))
    written = _get(record, "sha256", str)
    if expected and written != expected.strip().lower():
        raise Fault(f"the version's digest is {written}, not the expected {expected}")
    return record


# --- Items -----------------------------------------------------------------------------------


class _Items:
    """Checks the lines after the manifest, each by itself and all in their order."""

    def __init__(self, report: Report, manifest: dict[str, Any]) -> None:
        self.report = report
        self.manifest = manifest
        self.entries = manifest["records"]
        self.places = {entry["sha256"]: place for place, entry in enumerate(self.entries)}
        self.lines: dict[int, int] = {}  # place in the manifest -> line where it was found
        self.latest = -1
        self.digests: list[str] = []
        self.decisions: Counter[str] = Counter()
        self.withheld: Counter[str] = Counter(_withheld(manifest["version"], manifest["opened"]))

    def line(self, number: int, line: bytes) -> None:
        self.report.items += 1
        place = number - 2
        try:
            record = _record(line)
        except Fault as fault:
            # What stands here in the intact file is damaged, not missing.
            self.lines.setdefault(place, number)
            self._find(number, self._name(place), str(fault))
            return
        name = f"item {record.get('id')}"
        try:
            self._place(number, record)
            self._item(record)
        except Fault as fault:
            self._find(number, name, str(fault))

    def end(self) -> None:
        """What can only be said once all lines are read."""
        for place in range(len(self.entries)):
            if place not in self.lines:
                self._find(place + 2, self._name(place), "missing")
        if self.report.intact:
            try:
                self._totals()
            except Fault as fault:
                self._find(1, "manifest", str(fault))

    def _place(self, number: int, record: dict[str, Any]) -> None:
        place = self.places.get(_digest(record))
        if place is None or self.entries[place]["id"] != record.get("id"):
            raise Fault("the manifest does not list this record")
        if place in self.lines:
            raise Fault(f"repeats line {self.lines[place]}")
        self.lines[place] = number
        if place < self.latest:
            raise Fault(f"out of order: it belongs before {self._name(self.latest)}")
        self.latest = place

    def _item(self, record: dict[str, Any]) -> None:
        item, parts = _get(record, "item", dict), _get(record, "opened", dict)
        if record.get("kind") != "item" or record.get("id") != _get(item, "set", str):
            raise Fault("'id' is not that of the evidence set in the record")
        _check_commitments(item, parts)
        _check_members(item, parts)
        self.digests.append(_digest(item))
        self.decisions[_get(_get(item, "verdict", dict), "decision", str)] += 1
        self.withheld.update(_withheld(item, parts))

    def _totals(self) -> None:
        version, withheld = self.manifest["version"], self.manifest["withheld"]
        for decision in sorted({"accepted", "rejected"} | self.decisions.keys()):
            if self.decisions[decision] != version["counts"].get(decision):
                _differ(
                    f"the number of {decision} items",
                    self.decisions[decision],
                    version["counts"].get(decision),
                )
        if {kind: n for kind, n in withheld.items() if n} != dict(self.withheld):
            _differ("the number of withheld parts", dict(self.withheld), withheld)
        found = _digest({**version, "items": self.digests})
        if found != self.manifest["sha256"]:
            _differ("the digest of the version", found, self.manifest["sha256"])

    def _name(self, place: int) -> str:
        listed = 0 <= place < len(self.entries)
        return f"item {self.entries[place]['id']}" if listed else "a line beyond the last record"

    def _find(self, line: int, record: str, what: str) -> None:
        self.report.findings.append(Finding(line, record, what))


def _withheld(face: dict[str, Any], parts: dict[str, Any]) -> list[str]:
    """The kinds of the parts that are sealed but not opened."""
    return [name.partition("-")[0] for name in face["sealed"] if name not in parts]


def _check_commitments(face: dict[str, Any], parts: dict[str, Any]) -> None:
    """Every opened part is the content its commitment was made for."""
    commitments = _get(face, "sealed", dict)
    for name, one in parts.items():
        if name not in commitments or not isinstance(one, dict):
            raise Fault(f"{name!r} is opened but was never sealed")
        found = _commitment(_get(one, "opening", str), one.get("content"))
        if found != commitments[name]:
            _differ(f"the commitment to {name!r}", found, commitments[name])


def _commitment(opening: str, content: Any) -> str:
    try:
        key = bytes.fromhex(opening)
    except ValueError:
        raise Fault("an opening is not hexadecimal") from None
    return hmac.digest(key, _canonical(content), "sha256").hex()


def _check_members(item: dict[str, Any], parts: dict[str, Any]) -> None:
    """Every excerpt shown is the listed span, as long as its offsets say, with its digest."""
    for member in _get(item, "members", list):
        name = f"member-{_get(member, 'ordinal', int)}"
        if name not in item["sealed"]:
            raise Fault(f"{name!r} has no commitment")
        if name in parts:
            _check_span(name, _get(member, "span", str), _get(parts[name], "content", dict))


def _check_span(name: str, span: str, content: dict[str, Any]) -> None:
    exact = _get(content, "exact", str)
    sha256 = hashlib.sha256(exact.encode("utf-8")).hexdigest()
    facts: list[tuple[str, object, object]] = [
        ("the span", content.get("span"), span),
        ("the digest of the words", sha256, content.get("sha256")),
        ("the length", len(exact), _get(content, "end", int) - _get(content, "start", int)),
        (
            "the length in bytes",
            len(_as_captured(exact, _get(content, "version", dict))),
            _get(content, "byte_end", int) - _get(content, "byte_start", int),
        ),
    ]
    for what, found, written in facts:
        if found != written:
            _differ(f"{what} of {name!r}", found, written)


def _as_captured(exact: str, version: dict[str, Any]) -> bytes:
    """The bytes of ``exact`` in its version; one that names no encoding is in UTF-8."""
    encoding = version.get("encoding", "utf-8")
    if not isinstance(encoding, str):
        raise Fault("'encoding' is not of the kind str")
    try:
        return exact.encode(encoding)
    except (LookupError, ValueError):
        raise Fault(f"the words cannot be written in {encoding!r}") from None


# --- From the command line -------------------------------------------------------------------


def main(arguments: list[str] | None = None) -> int:
    """Print what was found. Returns 0 for an intact file, 1 for any other."""
    parser = argparse.ArgumentParser(description="Check an export without any server.")
    add_arguments(parser)
    options = parser.parse_args(arguments)
    return run(options.file, options.digest)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="the export, a .jsonl file")
    parser.add_argument(
        "--digest", default="", help="the published digest of the version, to compare with"
    )


def run(name: str, expected: str = "") -> int:
    try:
        with open(name, "rb") as file:  # noqa: PTH123  (a plain name keeps the message plain)
            report = verify(file, expected=expected)
    except OSError as error:
        print(f"{name}: cannot be read: {error.strerror}", file=sys.stderr)
        return 1
    for finding in report.findings:
        print(f"{name}: {finding}", file=sys.stderr)
    if report.manifest is None or not report.intact:
        return 1
    withheld = sum(report.manifest["withheld"].values())
    print(
        f"OK: {report.title}: {_counted(report.items, 'item')},"
        f" {_counted(withheld, 'part')} withheld."
        f"\nDigest of the version: {report.manifest['sha256']}"
    )
    return 0


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


if __name__ == "__main__":
    sys.exit(main())
