"""A data set's file goes in whole or not at all, and only once."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO

import pytest
from django.core.exceptions import ValidationError
from django.db import connection

from adjudication.claims.graphs import from_json
from adjudication.claims.models import (
    Claim,
    EvidenceMember,
    EvidenceSet,
    Question,
    RequirementGraph,
)
from adjudication.corpus.models import Clearance, Source, SourceVersion, Span
from adjudication.errors import Refused
from adjudication.imports.actions import import_file
from adjudication.imports.formats import format_named
from adjudication.imports.reports import Collected, Options, Report, Watch
from adjudication.journal.queries import history
from adjudication.projects.actions import add_reader_class
from adjudication.projects.models import Project, ReaderClass
from certify_core.canonical import sha256_hex
from tests.claims.samples import MAREN, SALT_ROAD, json_lines, musique_record
from tests.conftest import CommittedDatabase
from tests.factories import OBSERVED, make_project

STORED = (Source, SourceVersion, Clearance, Span, Question, Claim, EvidenceSet, EvidenceMember)


def do_import(
    project: Project,
    data: bytes,
    dialect: str = "musique",
    *,
    classes: Sequence[ReaderClass] | None = None,
    licence: str = "",
    watch: Watch | None = None,
) -> Report:
    return import_file(
        project,
        format_named(dialect),
        BytesIO(data),
        Options(
            observed_at=OBSERVED,
            reader_classes=list(project.reader_classes.all()) if classes is None else classes,
            licence=licence,
        ),
        watch or Collected(),
        sha256=sha256_hex(data),
    )


def counts(report: Report) -> dict[str, tuple[int, int]]:
    return {count.what: (count.new, count.known) for count in report.counts}


def stored() -> list[int]:
    return [model._default_manager.count() for model in (*STORED, RequirementGraph)]


def test_record_becomes_claim_set_and_graph(project: Project) -> None:
    """Everything the record says is there, with the data set's own words."""
    report = do_import(project, json_lines(musique_record()), licence="CC BY 4.0")
    assert counts(report) == {
        "passages": (3, 0),
        "questions": (1, 0),
        "reference sets": (1, 0),
        "requirement graphs": (1, 0),
    }
    claim = Claim.objects.get()
    assert (claim.value, claim.aliases, claim.origin) == (
        "4 May 1961",
        ["May 4, 1961"],
        "reference",
    )
    evidence_set = claim.evidence_sets.get()
    spans = [member.span for member in evidence_set.members.all()]
    assert [span.exact for span in spans] == [SALT_ROAD, MAREN]
    assert [
        requirement.template
        for requirement in from_json(claim.question.graphs.get().body).requirements
    ] == ["The Salt Road >> director", "When was #1 born?"]


def test_passage_becomes_a_dated_cleared_version(project: Project) -> None:
    """Title, a line break, the body; times that the data set does not give say so."""
    do_import(project, json_lines(musique_record()), licence="CC BY 4.0")
    version = SourceVersion.objects.get(source__title="Ilse Maren")
    text = f"Ilse Maren\n{MAREN}"
    assert (bytes(version.snapshot), version.text) == (text.encode(), text)
    assert version.source.key == version.sha256 == sha256_hex(text.encode())
    assert (version.observed_at, version.licence) == (OBSERVED, "CC BY 4.0")
    assert version.published == version.effective_from == "cannot-be-established"
    assert [one.reader_class.key for one in version.clearances.all()] == ["public"]


def test_same_file_again_changes_nothing(project: Project) -> None:
    """Counts say so, no row is added, and the journal has one entry."""
    data = json_lines(musique_record())
    do_import(project, data)
    before = stored()
    report = do_import(project, data)
    assert not report.changes
    assert counts(report)["passages"] == (0, 3)
    assert counts(report)["requirement graphs"] == (0, 1)
    assert stored() == before
    entries = [one for one in history(project_id=project.pk) if one.verb == "imported data"]
    assert [one.detail["sha256"] for one in entries] == [sha256_hex(data)]
    assert entries[0].detail["new"]["passages"] == 3


def test_file_with_more_records_adds_the_new_ones(project: Project) -> None:
    """What is shared with the file before is stored once, spans included."""
    do_import(project, json_lines(musique_record()))
    other = musique_record("2hop__3_4", question="When was Ilse Maren born?")
    report = do_import(project, json_lines(musique_record(), other))
    assert counts(report)["questions"] == (1, 1)
    assert counts(report)["passages"] == (0, 3)
    assert (EvidenceSet.objects.count(), Span.objects.count(), Source.objects.count()) == (2, 2, 3)


def test_reused_id_with_other_content_is_refused_by_name(project: Project) -> None:
    """A changed record is never mistaken for the known one, nor anything of its file stored."""
    do_import(project, json_lines(musique_record()))
    before = stored()
    changed = musique_record(answer="4 June 1961")
    with pytest.raises(Refused, match=r"2hop__1_2.*Nothing was imported"):
        do_import(project, json_lines(musique_record("2hop__9_9"), changed))
    assert stored() == before


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (json_lines(musique_record()) + b'\n{"id": "x"', "line 2"),
        (json_lines(musique_record(), musique_record("k", question=None)), r"line 2 \(k\)"),
        (json_lines(musique_record(), musique_record()), "already used by line 1"),
        (json.dumps([musique_record(), {"id": "k"}]).encode(), r"record 2 \(k\)"),
        (json_lines(musique_record(answer="a\0b")), "NUL"),
        (b"\xff", "not UTF-8"),
        (b"", "is empty"),
    ],
)
def test_broken_record_is_named_and_nothing_is_stored(
    project: Project, data: bytes, place: str
) -> None:
    """Half a file is worse than none: the line or record at fault is said."""
    with pytest.raises(Refused, match=place):
        do_import(project, data)
    assert stored() == [0] * len(stored())


def test_failure_late_in_the_import_leaves_nothing(project: Project) -> None:
    """Sources stored before the questions fail go too."""
    too_long = musique_record("k" * 201)
    with pytest.raises(Refused, match="Question kkk"):
        do_import(project, json_lines(musique_record(), too_long))
    assert stored() == [0] * len(stored())


def test_problem_is_reported_and_never_a_satisfied_set(project: Project) -> None:
    """A question whose support names a missing paragraph has a claim, and no set."""
    steps = musique_record()["question_decomposition"]
    steps[1]["paragraph_support_idx"] = 17
    watch = Collected()
    data = json_lines(musique_record(question_decomposition=steps))
    report = do_import(project, data, watch=watch)
    assert "retrieval-miss" in [problem.code for problem in watch.problems]
    assert counts(report)["reference sets"] == (0, 0)
    assert (Claim.objects.count(), EvidenceSet.objects.count()) == (1, 0)


@pytest.mark.parametrize(
    "body",
    [
        "<script>alert(1)</script> & <b hx-get='/sign-out/'>",
        "right-to-left \u202e override",
        "🧪 👩🏽‍🚒 Zoe\u0308",
        "Vat 8\r\nVat 9\rVat 10",
        "line\u2028paragraph\u2029end\u0085",
        "\ufeffbyte order mark, zero\u200bwidth, \u00a0 no-break",
        "tab\tback\\slash \\N \\. copy \x01\x1b",
    ],
)
def test_hostile_text_keeps_its_characters(project: Project, body: str) -> None:
    """What a parser, a browser or COPY could rewrite is stored as it came."""
    data = json.dumps([{"title": "T\\N", "text": body}]).encode()
    do_import(project, data, "passages")
    version = SourceVersion.objects.get()
    assert version.text == f"T\\N\n{body}"
    assert bytes(version.snapshot) == version.text.encode()


def test_sources_are_cleared_for_the_classes_named_only(project: Project) -> None:
    """A file for staff is not open to the public."""
    staff = add_reader_class(project, key="staff", title="Staff", actor=None)
    do_import(project, json_lines(musique_record()), classes=[staff])
    assert set(Clearance.objects.values_list("reader_class__key", flat=True)) == {"staff"}


def test_import_without_reader_class_is_refused(project: Project) -> None:
    """A source nobody may read would be lost in sight of all."""
    with pytest.raises(Refused, match="reader class"):
        do_import(project, json_lines(musique_record()), classes=[])


def test_licence_that_does_not_fit_is_refused(project: Project) -> None:
    """The limit is told as a refusal, not as a fault of the database."""
    with pytest.raises(ValidationError, match="200"):
        do_import(project, json_lines(musique_record()), licence="x" * 201)


def test_two_projects_keep_their_own(project: Project) -> None:
    """The same file in two projects is two sets of sources."""
    do_import(project, json_lines(musique_record()))
    assert counts(do_import(make_project("other"), json_lines(musique_record())))["questions"] == (
        1,
        0,
    )


def test_claim_longer_than_an_index_entry_is_stored(project: Project) -> None:
    """A question may be as long as a page."""
    noise = "".join(random.Random(1).choices("abcdefghij0123456789 ", k=20_000))
    do_import(project, json_lines(musique_record(question=noise)))
    assert Claim.objects.get().question.text == noise


def test_two_imports_at_once_store_one_file(committed: CommittedDatabase) -> None:
    """The second waits for the first and finds everything there: a double click is harmless."""
    project = make_project()
    data = json_lines(*(musique_record(f"2hop__{n}") for n in range(40)))

    def once(_: int) -> bool:
        try:
            return do_import(project, data).changes
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(once, range(2))) == [False, True]
    assert Question.objects.count() == 40
