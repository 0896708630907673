"""Whatever happens to an export, its offline check finds it and names the record."""

from __future__ import annotations

import ast
import hashlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adjudication.projects.models import Project
from adjudication.releases import verification
from adjudication.releases.exports import export_lines
from adjudication.releases.models import AnnotationVersion
from adjudication.releases.verification import Report, verify
from tests.conftest import ROOT, Cast
from tests.releases.decided import decided_set, released


def check(data: bytes, expected: str = "") -> Report:
    return verify(io.BytesIO(data), expected=expected)


def found(data: bytes) -> list[str]:
    return [str(finding) for finding in check(data).findings]


def ids(data: bytes) -> list[str]:
    manifest = json.loads(data.split(b"\n")[0])["record"]
    return ["manifest", *(f"item {entry['id']}" for entry in manifest["records"])]


def canonical(value: Any) -> bytes:
    """Written here once more: a forger has no use for our code."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode()


def digest(value: Any) -> str:
    return hashlib.sha256(canonical(value)).hexdigest()


def forged(
    data: bytes, forge: Callable[[list[dict[str, Any]]], None], *, whole: bool = False
) -> bytes:
    """The file with records changed and all line digests and the manifest's list made to fit.

    ``whole`` also makes the digest of the version fit.
    """
    records = [json.loads(line)["record"] for line in data.splitlines()]
    forge(records)
    manifest, items = records[0], records[1:]
    manifest["records"] = [{"id": one.get("id"), "sha256": digest(one)} for one in items]
    if whole:
        listed = [digest(one["item"]) for one in items]
        manifest["sha256"] = digest({**manifest["version"], "items": listed})
    return b"".join(canonical({"record": r, "sha256": digest(r)}) + b"\n" for r in records)


def test_intact_export_is_ok(version: AnnotationVersion, export: bytes) -> None:
    """The check says yes to what was written, and shows the digest of the version."""
    report = check(export, version.sha256)
    assert report.intact, report.findings
    assert report.items == 3
    assert report.title == "film-study, annotation version 1 for reader class public"
    assert report.manifest is not None
    assert report.manifest["sha256"] == version.sha256


def test_flipped_byte_anywhere_is_named(project: Project, cast: Cast) -> None:
    """Every single byte of the file is covered, and the fault is placed in its own line."""
    decided_set(project, [cast.rosa, cast.rui], "Réglisse 🧪 is R17.")
    version = released(project, cast.lead, cast.adjudicator)
    data = b"".join(export_lines(version, "public"))
    names = ids(data)
    for place in range(len(data)):
        damaged = bytearray(data)
        damaged[place] ^= 1 << place % 8
        line = data[:place].count(b"\n") + 1
        report = check(bytes(damaged))
        assert not report.intact, f"byte {place} is not covered"
        first = report.findings[0]
        assert (first.line, first.record) == (line, names[line - 1]), f"byte {place}: {first}"


@pytest.mark.parametrize("cut", [1, 2, 100])
def test_truncated_file_names_where_it_ends(export: bytes, cut: int) -> None:
    """A download that broke off is not taken for a shorter export."""
    assert found(export[:-cut]) == [
        f"line 4, {ids(export)[3]}: the line has no end: the file was cut short here"
    ]


def test_missing_line_is_named(export: bytes) -> None:
    """A record that was left out is named by its id."""
    lines = export.splitlines(keepends=True)
    del lines[2]
    assert found(b"".join(lines)) == [f"line 3, {ids(export)[2]}: missing"]


def test_doubled_line_is_named(export: bytes) -> None:
    """The second copy is the fault, not the lines after it."""
    lines = export.splitlines(keepends=True)
    lines.insert(2, lines[1])
    assert found(b"".join(lines)) == [f"line 3, {ids(export)[1]}: repeats line 2"]


def test_moved_line_is_named(export: bytes) -> None:
    """The order of the records is part of what was released."""
    lines = export.splitlines(keepends=True)
    lines[1], lines[2] = lines[2], lines[1]
    assert found(b"".join(lines)) == [
        f"line 3, {ids(export)[1]}: out of order: it belongs before {ids(export)[2]}"
    ]


def test_appended_line_is_named(export: bytes) -> None:
    """A well-formed record that the manifest does not list is foreign."""
    record = {"kind": "item", "id": "added"}
    line = canonical({"record": record, "sha256": digest(record)}) + b"\n"
    assert found(export + line) == ["line 5, item added: the manifest does not list this record"]
    assert found(export + b"\n")[0].startswith("line 5, a line beyond the last record: not JSON")


def test_changed_verdict_with_fitting_lines_is_found(export: bytes) -> None:
    """Line digests made to fit do not help: the digest of the version covers each item."""

    def forge(records: list[dict[str, Any]]) -> None:
        records[1]["item"]["verdict"]["basis"] = "adjudication"

    assert found(forged(export, forge))[0].startswith("line 1, manifest: the digest of the version")


def test_forged_whole_is_found_by_the_published_digest(
    version: AnnotationVersion, export: bytes
) -> None:
    """A file that is consistent in itself shows a digest that was never published."""

    def forge(records: list[dict[str, Any]]) -> None:
        records[1]["item"]["verdict"]["basis"] = "adjudication"

    data = forged(export, forge, whole=True)
    assert check(data).intact
    assert "not the expected" in check(data, version.sha256).findings[0].what


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("exact", "Cedar is mapped to record R18.", "the commitment to 'member-1'"),
        ("start", 7, "the commitment to 'member-1'"),
    ],
)
def test_changed_excerpt_does_not_open_its_commitment(
    export: bytes, name: str, value: object, says: str
) -> None:
    """Words in an export are those the version committed to, even if every digest fits."""

    def forge(records: list[dict[str, Any]]) -> None:
        records[1]["opened"]["member-1"]["content"][name] = value

    assert says in found(forged(export, forge, whole=True))[0]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"start": 7}, "the length of 'member-1'"),
        ({"byte_end": 99}, "the length in bytes of 'member-1'"),
        ({"sha256": "0" * 64}, "the digest of the words of 'member-1'"),
        ({"span": "another"}, "the span of 'member-1'"),
        ({"end": True}, "'end' is missing or not of the kind int"),
    ],
)
def test_span_that_contradicts_itself_is_found(
    export: bytes, changes: dict[str, object], says: str
) -> None:
    """Offsets, length, digest and id of an excerpt agree, whoever made the commitment."""

    def forge(records: list[dict[str, Any]]) -> None:
        one = records[1]["opened"]["member-1"]
        one["content"].update(changes)
        records[1]["item"]["sealed"]["member-1"] = verification._commitment(
            one["opening"], one["content"]
        )

    assert says in found(forged(export, forge, whole=True))[0]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda manifest: manifest["withheld"].update(member=1), "the number of withheld parts"),
        (lambda manifest: manifest["version"]["counts"].update(accepted=9), "accepted items"),
    ],
)
def test_counts_that_are_not_so_are_found(
    export: bytes, change: Callable[[dict[str, Any]], None], says: str
) -> None:
    """What the manifest counts is what the file holds."""
    data = forged(export, lambda records: change(records[0]), whole=True)
    assert says in found(data)[0]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "the file is empty"),
        (b"\n", "not JSON"),
        (b"id,text\n1,Cedar\n", "not JSON"),
        (b"\xff\xfe\n", "byte 1 is not UTF-8"),
        (b"[" * 300_000 + b"\n", "not JSON that can be read"),
        (b"9" * 6_000 + b"\n", "not JSON that can be read"),
        (b'{"record":{},"record":{},"sha256":""}\n', "not in canonical form"),
        (b'{"record":{"kind":NaN},"sha256":""}\n', "not JSON that can be read"),
        (b'{"record":{"a":"\\ud800"},"sha256":""}\n', "not JSON that can be read"),
        (b"{}\n", "not a record with its digest"),
        (b"1\n", "not a record with its digest"),
        (canonical({"record": {}, "sha256": digest({})}) + b"\n", "not the manifest of"),
    ],
)
def test_file_that_is_no_export_gets_one_clear_line(data: bytes, says: str) -> None:
    """Rubbish is refused in one line, never with a traceback."""
    lines = found(data)
    assert len(lines) == 1
    assert lines[0].startswith("line 1, manifest: ")
    assert says in lines[0]


def test_endless_line_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A huge line is refused for its length instead of filling the memory."""
    monkeypatch.setattr(verification, "LONGEST_LINE", 1000)
    assert "longer than 1000 bytes" in found(b"{" * 5000)[0]


def test_many_faults_end_the_reading(export: bytes) -> None:
    """A file of rubbish lines after a manifest gives a bounded report."""
    lines = found(export + b"x\n" * 500)
    assert len(lines) == verification.MOST_FINDINGS + 1
    assert lines[-1].endswith("not checked")


def test_manifest_of_a_later_format_is_refused(export: bytes) -> None:
    """A format this check does not know is not waved through."""

    def forge(records: list[dict[str, Any]]) -> None:
        records[0]["format_version"] = 2

    assert "format version 2 is not known" in found(forged(export, forge))[0]


@pytest.mark.parametrize("name", ["version", "records", "opened", "withheld", "reader_class"])
def test_manifest_without_a_field_is_refused(export: bytes, name: str) -> None:
    """Missing fields are named, with the digest of the line made to fit."""
    record = json.loads(export.splitlines()[0])["record"]
    del record[name]
    lines = found(canonical({"record": record, "sha256": digest(record)}) + b"\n")
    assert f"{name!r} is missing" in lines[0]


def test_check_shares_no_code_with_the_writing_side() -> None:
    """A fault of the writer cannot hide in the check: it imports the standard library alone."""
    tree = ast.parse(Path(verification.__file__).read_text())
    imported = [
        name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (
            [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else [one.name for one in node.names]
        )
    ]
    assert set(imported) <= sys.stdlib_module_names


def test_commands_check_without_database(export: bytes, tmp_path: Path) -> None:
    """The command and the bare file need no server, and name file, line and record."""
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    good.write_bytes(export)
    bad.write_bytes(export.replace(b"R17", b"R18", 1))
    nowhere = os.environ | {
        "DATABASE_URL": "postgresql://nobody:none@localhost:1/none",
        "CELERY_BROKER_URL": "redis://localhost:1/0",
        "SECRET_KEY": "x" * 50,
    }
    programs = (["manage.py", "verify"], ["adjudication/releases/verification.py"])
    for program in programs:
        command = [sys.executable, *program]
        done = subprocess.run([*command, str(good)], **_run(nowhere))
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith("OK: film-study, annotation version 1")
        done = subprocess.run([*command, str(bad)], **_run(nowhere))
        assert done.returncode == 1
        assert done.stderr.startswith(f"{bad}: line 2, {ids(export)[1]}: the digest of the record")
        done = subprocess.run([*command, str(tmp_path / "none")], **_run(nowhere))
        assert done.returncode == 1
        assert done.stderr.strip().endswith("none: cannot be read: No such file or directory")


def _run(environment: dict[str, str]) -> dict[str, Any]:
    return {"cwd": ROOT, "env": environment, "capture_output": True, "text": True}
