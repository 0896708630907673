"""An export holds what its reader class may inspect, and its bytes depend on nothing else."""

from __future__ import annotations

import copy
import hashlib
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adjudication.accounts.models import User
from adjudication.claims.actions import propose_evidence_set
from adjudication.claims.models import EvidenceSet
from adjudication.errors import Refused
from adjudication.journal.models import Entry
from adjudication.projects.actions import add_reader_class
from adjudication.projects.models import Project, Role
from adjudication.releases.exports import export_lines, item_record, write_file
from adjudication.releases.models import AnnotationVersion
from adjudication.releases.rules import Route, claim_readers
from adjudication.releases.sealing import body_from
from adjudication.releases.verification import verify
from tests.conftest import ROOT, Cast, CommittedDatabase, make_cast
from tests.factories import add_member, make_claim, make_project, make_version, span_of
from tests.releases.decided import decide, decided_set, open_item, released

KEY = "5a" * 32


def export_of(version: AnnotationVersion, reader_class: str = "public") -> bytes:
    return b"".join(export_lines(version, reader_class))


def records(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line)["record"] for line in data.splitlines()]


# --- What is withheld ------------------------------------------------------------------------


def mixed(project: Project, cast: Cast, hidden: str) -> AnnotationVersion:
    """A set with one public and one staff member whose words are ``hidden``."""
    claim = make_claim(project, value=f"the value {hidden}")
    spans = [
        span_of(make_version(project, f"Title\n{text}", reader_classes=classes), text)
        for text, classes in (
            ("Cedar is mapped to record R17.", ["public", "staff"]),
            (hidden, ["staff"]),
        )
    ]
    evidence_set = propose_evidence_set(
        claim, spans, origin=EvidenceSet.Origin.REFERENCE, author=None
    )
    item = open_item(evidence_set)
    decide(item, [cast.rosa, cast.rui], by=cast.adjudicator)
    return released(project, cast.lead, cast.adjudicator)


def test_hidden_member_is_withheld_with_all_that_may_quote_it(
    project: Project, cast: Cast, staff: str
) -> None:
    """No word, offset, title or plain digest of what is hidden is in the file."""
    version = mixed(project, cast, "Entity Q sold R17 in secret.")
    data = export_of(version)
    manifest, item = records(data)
    assert sorted(item["opened"]) == ["member-1", "snapshot-1"]
    parts = ["claim", "member-1", "member-2", "reasons", "snapshot-1", "snapshot-2"]
    assert sorted(item["item"]["sealed"]) == parts
    kinds = ("claim", "member", "reasons", "snapshot", "specification")
    assert manifest["withheld"] == dict.fromkeys(kinds, 1)
    body = body_from(version.items.get().body)
    hidden = body["parts"]["member-2"]["content"]
    secrets = ["secret", hidden["sha256"], hidden["version"]["id"]]
    secrets += [body["parts"]["snapshot-2"]["content"]["sha256"]]
    secrets += [hidden["source"]["id"], version.specification.sha256, "settles", "staff"]
    secrets += [version.specification.corpus_sha256, version.key]
    assert not [one for one in secrets if one.encode() in data]


def test_cleared_class_gets_everything_under_the_same_digest(
    project: Project, cast: Cast, staff: str
) -> None:
    """Both files are checked by the same published digest, so one vouches for the other."""
    version = mixed(project, cast, "Entity Q sold R17 in secret.")
    public, cleared = export_of(version), export_of(version, staff)
    assert b"sold R17 in secret" in cleared
    assert sum(records(cleared)[0]["withheld"].values()) == 0
    for data in (public, cleared):
        assert verify(io.BytesIO(data), expected=version.sha256).intact
    assert records(public)[1]["item"] == records(cleared)[1]["item"]


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_bytes_depend_on_hidden_parts_by_commitments_alone(
    project: Project, cast: Cast, data: st.DataObject
) -> None:
    """Whatever is hidden is changed: the rest of a record stays the same byte for byte."""
    body = _frozen_body(project, cast)
    classes = ["public", "staff", "legal"]
    for part in body["parts"].values():
        part["reader_classes"] = data.draw(st.lists(st.sampled_from(classes), unique=True))
    reader = data.draw(st.sampled_from(classes))
    twin = copy.deepcopy(body)
    texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
    for part in twin["parts"].values():
        if reader not in part["reader_classes"]:
            part["content"] = data.draw(st.dictionaries(texts, texts | st.integers()))
            others = st.lists(st.sampled_from([c for c in classes if c != reader]), unique=True)
            part["reader_classes"] = data.draw(others)
    assert _masked(item_record(body, KEY, reader)) == _masked(item_record(twin, KEY, reader))


_body: list[dict[str, Any]] = []


def _frozen_body(project: Project, cast: Cast) -> dict[str, Any]:
    """A body as really frozen, made once: the examples share one transaction."""
    if not _body:
        decided_set(project, [cast.rosa, cast.rui])
        version = released(project, cast.lead, cast.adjudicator)
        _body.append(body_from(version.items.get().body))
    return copy.deepcopy(_body[0])


def _masked(record: dict[str, Any]) -> bytes:
    """The record with the commitments to its hidden parts blanked."""
    sealed = record["item"]["sealed"]
    for name in sealed.keys() - record["opened"].keys():
        sealed[name] = "commitment"
    return json.dumps(record, sort_keys=True).encode()


def test_twin_projects_that_differ_in_hidden_words_export_alike(db: None) -> None:
    """From rows to bytes: ids and digests aside, nothing tells which of two worlds it is."""
    worlds: list[bytes] = []
    for hidden in ("Entity Q sold R17.", "Ünlike the other 🧪, this runs on for very much longer."):
        project = make_project(f"world-{len(worlds)}")
        cast = make_twin_cast(project)
        add_reader_class(project, key="staff", title="Staff", actor=None)
        worlds.append(_anonymous(export_of(mixed(project, cast, hidden))))
    assert worlds[0] == worlds[1]


def make_twin_cast(project: Project) -> Cast:
    """The same people in both worlds."""
    if not User.objects.exists():
        return make_cast(project)
    found = {user.username: user for user in User.objects.all()}
    names = ("lena", "rosa", "rui", "ada", "otto", "remy", "sam")
    cast = Cast(*(found[name] for name in names))
    for person, role in ((cast.lead, Role.LEAD), (cast.adjudicator, Role.ADJUDICATOR)):
        add_member(project, person, role)
    return cast


def _anonymous(data: bytes) -> bytes:
    """Random ids, digests, moments and counters replaced by their kind."""
    text = data.decode()
    for pattern, kind in (
        (r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "id"),
        (r"[0-9a-f]{64}", "digest"),
        (r"\d{4}-\d\d-\d\dT[\d:.]+Z", "moment"),
        (r"(world|question)-\d+", "name"),
    ):
        text = re.sub(pattern, kind, text)
    return text.encode()


@pytest.mark.parametrize(
    ("routes", "readers"),
    [
        ([(["public"], True)], {"public"}),
        ([([], True)], set()),
        ([(["public"], False)], {"public"}),
        ([(["public"], True), ([], True)], {"public"}),
        ([(["public"], False), ([], True)], set()),
    ],
)
def test_claim_is_read_where_open_evidence_supports_it(
    routes: list[tuple[list[str], bool]], readers: set[str]
) -> None:
    """A value that only hidden evidence supports is hidden with it."""
    made = [Route(frozenset(classes), accepted) for classes, accepted in routes]
    assert claim_readers(made, {"public"}) == readers


# --- Determinism and files -------------------------------------------------------------------


def test_export_is_the_same_bytes_in_every_process(
    committed: CommittedDatabase, tmp_path: Path
) -> None:
    """Two processes with other hash seeds and time zones write the very same file."""
    project = make_project("film-study")
    cast = make_cast(project)
    for accepted in (True, False):
        decided_set(project, [cast.rosa, cast.rui], accepted=accepted)
    here = export_of(released(project, cast.lead, cast.adjudicator))
    for seed, zone in (("1", "UTC"), ("2", "Asia/Tokyo")):
        out = tmp_path / f"{seed}.jsonl"
        command = [sys.executable, "manage.py", "export", "film-study", "--version", "1"]
        subprocess.run(
            [*command, "--out", str(out)],
            cwd=ROOT,
            env=committed.environment | {"PYTHONHASHSEED": seed, "TZ": zone},
            check=True,
            capture_output=True,
        )
        assert out.read_bytes() == here


def test_commands_lead_from_verdicts_to_a_checked_file(
    project: Project, cast: Cast, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """release, export and verify in a row, in plain words with counts."""
    decided_set(project, [cast.rosa, cast.rui])
    call_command("release", project.slug, "--by", "lena", "--approved-by", "ada")
    out = tmp_path / "out.jsonl"
    call_command("export", project.slug, "--version", "1", "--out", str(out))
    call_command("export", project.slug, "--version", "1", "--out", str(out))
    call_command("verify", str(out))
    said = capsys.readouterr().out
    assert "annotation version 1: 1 accepted, 0 rejected, 0 awaiting a verdict." in said
    assert "Already there, with the same bytes" in said
    assert (
        "OK: film-study, annotation version 1 for reader class public: 1 item, 0 parts withheld."
        in said
    )
    assert [one.name for one in tmp_path.iterdir()] == ["out.jsonl"]
    assert Entry.objects.filter(verb="exported annotation version").count() == 2


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--version", "2"], "no annotation version 2. The last one is 1"),
        (["--version", "1", "--reader-class", "none"], "No reader class 'none'"),
    ],
)
def test_export_of_what_is_not_there_is_refused(
    version: AnnotationVersion, tmp_path: Path, arguments: list[str], says: str
) -> None:
    """One clear line, and no file."""
    out = tmp_path / "out.jsonl"
    with pytest.raises(CommandError, match=says):
        call_command("export", "film-study", *arguments, "--out", str(out))
    assert not out.exists()


def test_other_file_is_not_overwritten(version: AnnotationVersion, tmp_path: Path) -> None:
    """What stands there stays, and nothing half-written beside it."""
    out = tmp_path / "out.jsonl"
    out.write_text("mine")
    with pytest.raises(Refused, match="holds something else"):
        write_file(out, export_lines(version, "public"))
    assert out.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [out]


def test_export_that_breaks_off_leaves_no_file(tmp_path: Path) -> None:
    """A file has its name only when it is whole."""

    def lines() -> Any:
        yield b"first\n"
        raise Refused("damaged")

    with pytest.raises(Refused, match="damaged"):
        write_file(tmp_path / "out.jsonl", lines())
    assert list(tmp_path.iterdir()) == []


def test_place_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    """In words, with the reason, instead of a traceback."""
    with pytest.raises(Refused, match="cannot be written: No such file or directory"):
        write_file(tmp_path / "none" / "out.jsonl", [b"x"])


@pytest.mark.parametrize("field", ["item", "head"])
def test_damaged_store_is_not_exported(
    version: AnnotationVersion, monkeypatch: pytest.MonkeyPatch, field: str
) -> None:
    """Every digest is checked on the way out: damage is found before it is published."""
    if field == "head":
        version.body = version.body.replace('"accepted":2', '"accepted":3')
    else:
        rows = list(version.items.select_related("verdict"))
        rows[1].body = rows[1].body.replace("R17", "R18")
        monkeypatch.setattr("adjudication.releases.exports.items_of", lambda _version: _Rows(rows))
    with pytest.raises(Refused, match="is damaged"):
        export_of(version)


class _Rows(list[Any]):
    def iterator(self) -> Any:
        return iter(self)


# --- The format ------------------------------------------------------------------------------


def test_export_follows_its_schema(project: Project, cast: Cast, staff: str) -> None:
    """docs/export.schema.json describes every field that is written, and no other."""
    decided_set(project, [cast.rosa, cast.rui], accepted=False)
    version = mixed(project, cast, "Entity Q sold R17.")
    schema = json.loads((ROOT / "docs/export.schema.json").read_text())
    for reader_class in ("public", staff):
        for line in export_of(version, reader_class).splitlines():
            problems = list(_problems(json.loads(line), schema, schema, "$"))
            assert problems == []


def _problems(value: Any, schema: dict[str, Any], root: dict[str, Any], place: str) -> Any:
    """What a JSON Schema (the part of it that ours uses) has to say against ``value``."""
    known = {"$schema", "$id", "$defs", "title", "description", "$ref", "oneOf", "type", "const"}
    known |= {"enum", "pattern", "minimum", "required", "properties", "items"}
    known |= {"patternProperties", "additionalProperties"}
    assert schema.keys() <= known, f"{place}: {schema.keys() - known}"
    if "$ref" in schema:
        yield from _problems(value, root["$defs"][schema["$ref"].split("/")[-1]], root, place)
    if "oneOf" in schema:
        fits = [one for one in schema["oneOf"] if not list(_problems(value, one, root, place))]
        if len(fits) != 1:
            yield f"{place}: fits {len(fits)} of the alternatives"
    kinds = {
        "object": dict,
        "array": list,
        "string": str,
        "integer": int,
        "boolean": bool,
        "null": type(None),
    }
    if "type" in schema and type(value) is not kinds[schema["type"]]:
        yield f"{place}: {value!r} is no {schema['type']}"
        return
    if "const" in schema and value != schema["const"]:
        yield f"{place}: {value!r}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{place}: {value!r}"
    if "pattern" in schema and not re.search(schema["pattern"], value):
        yield f"{place}: {value!r}"
    if "minimum" in schema and value < schema["minimum"]:
        yield f"{place}: {value!r}"
    if schema.get("type") == "object":
        yield from _object_problems(value, schema, root, place)
    if schema.get("type") == "array":
        for number, one in enumerate(value):
            yield from _problems(one, schema["items"], root, f"{place}[{number}]")


def _object_problems(value: Any, schema: dict[str, Any], root: dict[str, Any], place: str) -> Any:
    yield from (
        f"{place}.{name}: missing" for name in schema.get("required", ()) if name not in value
    )
    patterns = schema.get("patternProperties", {})
    for name, one in value.items():
        below = schema.get("properties", {}).get(name) or next(
            (patterns[pattern] for pattern in patterns if re.search(pattern, name)),
            schema.get("additionalProperties"),
        )
        if isinstance(below, dict):
            yield from _problems(one, below, root, f"{place}.{name}")
        elif below is not True:
            yield f"{place}.{name}: not described"


def test_opaque_ids_stay_the_same_across_classes(project: Project, cast: Cast, staff: str) -> None:
    """A hidden member keeps its random id, so that sets can be compared without its words."""
    version = mixed(project, cast, "Entity Q sold R17.")
    shown = [records(export_of(version, one))[1]["item"]["members"] for one in ("public", staff)]
    assert shown[0] == shown[1]
    assert hashlib.sha256(b"Entity Q sold R17.").hexdigest() not in str(shown)
