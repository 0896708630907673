"""Lists cost as many queries for many rows as for two."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from adjudication.claims.actions import record_contradiction
from adjudication.claims.models import Claim, Contradiction
from adjudication.corpus.models import SourceVersion
from adjudication.projects.models import Project, Role
from tests.api.calls import Program
from tests.conftest import Cast
from tests.factories import (
    add_member,
    make_claim,
    make_evidence_set,
    make_project,
    make_version,
    span_of,
)
from tests.imports.conftest import announced

pytestmark = pytest.mark.django_db


@pytest.fixture
def claim(project: Project) -> Claim:
    return make_claim(project)


@pytest.fixture
def version(project: Project) -> SourceVersion:
    return make_version(project, "Numbers\n" + " ".join(f"word{n:02}" for n in range(20)))


def test_lists_ask_as_often_for_many_rows_as_for_two(
    project: Project, cast: Cast, claim: Claim, version: SourceVersion
) -> None:
    """A list that asks once more for each row is slow where the project is large."""
    number = iter(range(20))

    def contradict() -> None:
        record_contradiction(
            claim,
            [span_of(version, f"word{next(number):02}")],
            material=True,
            treatment=Contradiction.Treatment.UNRESOLVED,
            note="They disagree.",
            by=cast.lead,
        )

    more: Mapping[str, Callable[[], object]] = {
        "/api/v1/projects": lambda: add_member(make_project(), cast.lead, Role.LEAD),
        "sources": lambda: make_version(project, f"Source {next(number)}\nIts text."),
        f"versions/{version.pk}/spans": lambda: span_of(version, f"word{next(number):02}"),
        "questions": lambda: make_claim(project),
        f"claims/{claim.pk}/evidence-sets": lambda: make_evidence_set(claim, f"{next(number)}"),
        f"claims/{claim.pk}/contradictions": contradict,
        "imports": lambda: announced(project, cast, 10),
    }
    lead = Program(cast.lead)
    for address, make in more.items():
        number = iter(range(20))
        make()
        make()
        few = asked(lead, address)
        for _ in range(4):
            make()
        assert (address, asked(lead, address)) == (address, few)


def asked(program: Program, address: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert len(program.read(address)["items"]) >= 2
    return len(queries)
