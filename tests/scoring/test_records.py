"""What a system answered is kept whole, for good, and inside its own project."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, transaction

from adjudication.projects.models import Project
from adjudication.scoring.models import Citation, Output, OutputClaim, Retrieved
from tests.conftest import CommittedDatabase
from tests.factories import make_claim, make_project, make_question, make_version, span_of
from tests.scoring.samples import make_output


def test_answer_keeps_its_order(project: Project) -> None:
    """Citations and retrieved places come back in the system's own order."""
    version = make_version(project)
    first, second = span_of(version, "record R17"), span_of(version, "Project Cedar")
    output = make_output(
        project, make_question(project), retrieved=[version, second], cited=[first, second]
    )
    claim = output.claims.get()
    assert [one.span for one in claim.citations.all()] == [first, second]
    assert [(one.span, one.version) for one in output.retrieved.all()] == [
        (None, version),
        (second, None),
    ]


def test_nothing_of_another_project_is_cited(project: Project) -> None:
    """The database refuses spans, documents, questions and claims from elsewhere."""
    question = make_question(project)
    elsewhere = make_project()
    version = make_version(elsewhere)
    for foreign in ({"cited": [span_of(version, "R17")]}, {"retrieved": [version]}):
        with pytest.raises(IntegrityError, match="of its own project"), transaction.atomic():
            make_output(project, question, **foreign)
    with pytest.raises(IntegrityError, match="of its own project"), transaction.atomic():
        make_output(project, make_question(elsewhere))
    with pytest.raises(IntegrityError, match="another question"), transaction.atomic():
        make_output(project, question, claim=make_claim(project))
    assert not Output.objects.exists()


@pytest.mark.parametrize(("start", "end"), [(3, 3), (4, 3), (0, 27)])
def test_claim_lies_within_its_output(project: Project, start: int, end: int) -> None:
    """A range that is empty, reversed or past the end is refused."""
    output = make_output(project, make_question(project))
    with pytest.raises(IntegrityError):
        OutputClaim.objects.create(output=output, ordinal=2, text="R", start=start, end=end)


def test_place_is_a_span_or_a_document(project: Project) -> None:
    """Both, neither, and the same place twice are refused."""
    version = make_version(project)
    span = span_of(version, "R17")
    output = make_output(project, make_question(project), cited=[span])
    said = output.claims.get()
    for wrong in ({}, {"span": span, "version": version}, {"span": span}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Citation.objects.create(output_claim=said, ordinal=2, **wrong)


def test_nothing_joins_an_output_later(committed: CommittedDatabase) -> None:
    """A citation, claim or retrieved place in a later transaction would make another output."""
    project = make_project()
    version = make_version(project)
    output = make_output(project, make_question(project))
    said = output.claims.get()
    for late in (
        lambda: Citation.objects.create(output_claim=said, ordinal=1, version=version),
        lambda: Retrieved.objects.create(output=output, ordinal=1, version=version),
        lambda: OutputClaim.objects.create(output=output, ordinal=2, text="R", start=0, end=1),
    ):
        with pytest.raises(IntegrityError, match="was stored with it"):
            late()
