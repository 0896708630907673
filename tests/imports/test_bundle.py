"""A project's evidence goes out and comes in again, exact to the byte."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from adjudication.claims.models import Claim, EvidenceSet, InferenceRule, Question
from adjudication.corpus.encodings import ENCODINGS
from adjudication.corpus.models import Clearance, Invalidation, Source, SourceVersion, Span
from adjudication.errors import Refused
from adjudication.journal.queries import history
from adjudication.projects.actions import add_reader_class
from adjudication.projects.models import Project
from adjudication.scoring.models import Citation, Output, Retrieved, SystemRun
from certify_core.canonical import sha256_hex
from certify_core.datasets import bundle
from tests.core.datasets.bundles import EXAMPLE, Line, as_file, counted, example, first
from tests.factories import make_project
from tests.imports.bundles import bundle_of, counts, look_at, take_in

pytestmark = pytest.mark.django_db

ROWS = (Source, SourceVersion, Span, Clearance, Invalidation, Question, InferenceRule, Claim)
MORE_ROWS = (EvidenceSet, SystemRun, Output, Retrieved, Citation)


def stored() -> list[int]:
    return [model._default_manager.count() for model in (*ROWS, *MORE_ROWS)]


def readable_example() -> bytes:
    """The published example without what is withheld in it."""
    lines = [line for line in example() if line["record"] != "withheld"]
    return as_file(counted(lines))


def test_example_is_stored_as_it_stands(project: Project) -> None:
    """Every record becomes its row, in the file's own words, times and bytes."""
    report, problems = take_in(project, EXAMPLE.read_bytes())
    assert counts(report) == {
        **{"sources": (3, 0), "versions": (3, 0), "spans": (2, 0), "inference rules": (1, 0)},
        **{"questions": (1, 0), "requirement graphs": (1, 0), "claims": (1, 0)},
        **{"evidence sets": (1, 0), "system runs": (1, 0), "outputs": (1, 0)},
    }
    assert [one.code for one in problems] == ["withheld"]
    latin = SourceVersion.objects.get(source__key="bremen")
    assert (latin.encoding, latin.text) == (
        "iso-8859-1",
        "Réalisatrice\nIlse Maren est née à Brême.",
    )
    assert bytes(latin.snapshot) == latin.text.encode("iso-8859-1")
    assert latin.invalidation.reason == "The page was withdrawn by its publisher."
    evidence_set = EvidenceSet.objects.get()
    assert [one.span.exact for one in evidence_set.members.all()] == [
        "The Salt Road was directed by Ilse Maren 🎬.",
        "Ilse Maren was born on 4 May 1961.",
    ]
    assert (evidence_set.origin, evidence_set.author) == ("reference", None)
    assert [rule.key for rule in evidence_set.rules.all()] == ["join"]
    output = Output.objects.get()
    assert output.claims.get().claim == evidence_set.claim
    assert output.claims.get().citations.get().span.exact.startswith("Ilse Maren was born")


def test_bundle_comes_back_to_the_same_bytes(project: Project) -> None:
    """Out, into an empty project, and out again: not a byte differs."""
    take_in(project, readable_example())
    once = bundle_of(project)
    other = make_project()
    type(other).objects.filter(pk=other.pk).update(title=project.title)
    other.refresh_from_db()
    report, problems = take_in(other, once)
    assert problems == []
    assert all(known == 0 for _, known in counts(report).values())
    assert bundle_of(other) == once


def test_same_bundle_again_changes_nothing(project: Project) -> None:
    """By the file itself and by the project's own export of it; the journal says it once."""
    take_in(project, readable_example())
    before = stored()
    for data in (readable_example(), bundle_of(project)):
        report, _ = take_in(project, data)
        assert not report.changes
        assert sum(known for _, known in counts(report).values()) == 15
    assert stored() == before
    verbs = [one.verb for one in history(project_id=project.pk)]
    assert verbs.count("imported data") == 1
    assert verbs.count("exported bundle") == 1


def test_looking_writes_nothing(project: Project) -> None:
    """A preview counts what an import would store, and stores none of it."""
    before = stored()
    report, problems = look_at(project, EXAMPLE.read_bytes())
    assert counts(report)["versions"] == (3, 0)
    assert len(problems) == 1
    assert stored() == before


Change = Callable[[list[Line]], object]


def other_bytes(lines: list[Line]) -> None:
    text = "Ilse Maren\nIlse Maren was born on 4 May 1962."
    version = next(one for one in lines if one.get("key") == "maren.1")
    version.update(text=text, sha256=sha256_hex(text.encode()))
    span = next(one for one in lines if one.get("key") == "born")
    span.update(exact=text[11:], sha256=sha256_hex(text[11:].encode()))


REUSED: dict[str, tuple[Change, str]] = {
    "bytes": (
        other_bytes,
        "line 7: version 1 of “Ilse Maren” is here already with other content (text)",
    ),
    "title": (lambda b: first(b, "source").update(title="Salt"), "'salt-road' of 'film-study'"),
    "licence": (
        lambda b: first(b, "version").update(licence="CC0"),
        "with other content (licence)",
    ),
    "number": (lambda b: first(b, "version").update(number=2), "is here already as version 1"),
    "rule": (lambda b: first(b, "rule").update(statement="No."), "rule 'join' is here already"),
    "question": (lambda b: first(b, "question").update(text="Why?"), "question 'q1' of"),
    "claim": (lambda b: first(b, "claim").update(aliases=[]), "with other content (aliases)"),
    "graph": (
        lambda b: first(b, "graph")["requirements"].pop(),
        "requirement graph 1 of the question 'q1' is here already with other steps",
    ),
    "run": (lambda b: first(b, "system-run").update(system="B"), "'baseline' is here already"),
    "output": (lambda b: first(b, "citation").update(span="directed"), "output 'q1' of the run"),
}


@pytest.mark.parametrize("name", REUSED)
def test_identity_with_other_content_is_refused_by_name(project: Project, name: str) -> None:
    """What is here is never overwritten, and nothing else of the file goes in either."""
    take_in(project, readable_example())
    before = stored()
    change, words = REUSED[name]
    lines = example()
    lines.insert(1, {**lines[1], "key": "new", "id": "new"})
    change(lines[2:])
    with pytest.raises(Refused) as error:
        take_in(project, as_file(counted(lines)))
    assert words in str(error.value)
    assert "Nothing was imported." in str(error.value)
    assert stored() == before


def test_unknown_reader_class_is_refused_by_name(project: Project) -> None:
    """A class that the project does not have never becomes public by itself."""
    lines = example()
    first(lines, "version")["reader_classes"] = ["legal", "public"]
    for attempt in (take_in, look_at):
        with pytest.raises(Refused, match=r"line 3: .*no reader class legal"):
            attempt(project, as_file(lines))
    add_reader_class(project, key="legal", title="Legal", actor=None)
    take_in(project, as_file(lines))
    version = SourceVersion.objects.get(source__key="salt-road")
    assert {one.reader_class.key for one in version.clearances.all()} == {"legal", "public"}


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"observed_at": "9999-01-01T00:00:00Z"}, "observed_at: 9999-01-01T00:00:00Z is in the f"),
        ({"effective_from": "2020-06", "effective_to": "2019"}, "before effective_from"),
        (
            {"invalidation": {"at": "9999-01-01T00:00:00Z", "reason": "Soon."}},
            "invalidation: 9999-01-01T00:00:00Z is in the future",
        ),
    ],
)
def test_times_that_nobody_could_enter_are_refused(
    project: Project, fields: Line, said: str
) -> None:
    """A file brings in no version that a person could not have captured."""
    lines = example()
    first(lines, "version").update(fields)
    with pytest.raises(Refused, match=f"line 3: .*{said}"):
        take_in(project, as_file(lines))


def test_broken_bundle_leaves_nothing(project: Project) -> None:
    """A fault on the last line takes the first line's source back."""
    data = readable_example()
    before = stored()
    with pytest.raises(Refused, match="its header announces"):
        take_in(project, data[: data.rindex(b"\n", 0, -1) + 1])
    assert stored() == before


def test_later_version_joins_its_source(project: Project) -> None:
    """A second bundle adds version 2 beside version 1, and withdraws what it says is withdrawn."""
    take_in(project, readable_example())
    lines = example()
    second = {**lines[2], "key": "second", "number": 2, "text": "New.", "licence": ""}
    second["sha256"] = sha256_hex(b"New.")
    lines.insert(4, second)
    lines[2]["invalidation"] = {"at": "2026-03-01T00:00:00Z", "reason": "Replaced."}
    report, _ = take_in(project, as_file(counted(lines)))
    assert counts(report)["versions"] == (1, 3)
    source = Source.objects.get(key="salt-road")
    assert [one.text for one in source.versions.order_by("number")][1] == "New."
    assert source.versions.get(number=1).invalidation.reason == "Replaced."


def test_version_that_is_open_to_more_here_is_reported(project: Project) -> None:
    """A file for lawyers alone does not close what is public here, and that is not kept quiet."""
    add_reader_class(project, key="legal", title="Legal", actor=None)
    take_in(project, readable_example())
    lines = example()
    first(lines, "version")["reader_classes"] = ["legal"]
    report, problems = take_in(project, as_file(lines))
    assert counts(report)["versions"][0] == 0
    told = [one for one in problems if one.code == "open-to-more"]
    assert [one.where for one in told] == ["line 3"]
    assert "open here to Public too" in told[0].message
    _, problems = take_in(project, bundle_of(project))
    assert "open-to-more" not in [one.code for one in problems]


def test_every_encoding_that_can_be_captured_can_be_carried() -> None:
    """A project never holds a version that its own bundle would refuse."""
    assert set(bundle.records.ENCODINGS) == set(ENCODINGS)
