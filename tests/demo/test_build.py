"""The demo project shows what it promises, and introduces its people again."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from pytest_django import Settings

from adjudication.claims.models import Claim, Contradiction, EvidenceSet
from adjudication.claims.queries import claims_of
from adjudication.corpus.models import SourceVersion, Span
from adjudication.corpus.queries import premises, visible_to
from adjudication.demo.build import build
from adjudication.demo.content import PEOPLE
from adjudication.projects.models import Membership, Project
from adjudication.projects.queries import member_named
from adjudication.review.models import Item, Verdict
from adjudication.runs.models import Attempt
from adjudication.runs.tasks import certify_attempt
from adjudication.scoring.queries import outputs_of, read_outputs, system_run_for
from adjudication.specifications.queries import current_or_refuse, eligible_versions
from tests.kept import kept

pytestmark = pytest.mark.django_db


@kept
def demo() -> Project:
    return build({person.username: "long enough to sign in" for person in PEOPLE})


def test_demo_certifies_the_films_and_abstains_on_the_twin(demo: Project) -> None:
    """The twin lacks the one birth date, and a namesake's does not pass for it."""
    for attempt in Attempt.objects.filter(run__project=demo):
        certify_attempt(str(attempt.pk))
    ends = {
        attempt.question.key: attempt.state for attempt in Attempt.objects.filter(run__project=demo)
    }
    assert ends == {"films": "certified", "films-twin": "abstained"}
    certified = Attempt.objects.get(run__project=demo, question__key="films")
    assert certified.outcome.claim.value == "The Glass Orchard"
    assert certified.outcome.claim.origin == "reference"


def test_demo_has_one_set_agreed_on_and_one_in_dispute(demo: Project) -> None:
    """The adjudicator has work and a release has content from the first minute."""
    states = sorted(Item.objects.filter(project=demo).values_list("state", flat=True))
    assert states == ["accepted", "disputed", *["proposed"] * 4]
    assert [verdict.basis for verdict in Verdict.objects.filter(item__project=demo)] == [
        "agreement"
    ]


def test_demo_keeps_the_later_tariff_out_of_the_evidence(demo: Project) -> None:
    """A version observed after the cutoff exists beside the eligible one."""
    tariff = SourceVersion.objects.filter(source__project=demo, source__key="tariff-t3")
    eligible = eligible_versions(current_or_refuse(demo))
    assert [version.number for version in tariff.order_by("number")] == [1, 2]
    assert [version.number for version in tariff.filter(pk__in=eligible)] == [1]


def test_demo_blocks_one_source_for_reviewers(demo: Project) -> None:
    """What only the legal department may read is there, and not for Rosa."""
    attorney = SourceVersion.objects.get(source__project=demo, source__key="power-of-attorney")
    assert attorney in visible_to(member_named(demo, "lena"))
    assert attorney not in visible_to(member_named(demo, "rosa"))


def test_demo_closes_one_premise_to_the_public_and_leaves_the_other_route(demo: Project) -> None:
    """Remy reads the Cypress claim by the gazette, and of the log only that it is closed to him."""
    claim = Claim.objects.get(question__project=demo, question__key="cypress-c")
    members = Span.objects.filter(memberships__evidence_set__claim=claim)
    closed = members.get(version__source__key="signing-log").pk
    for name, blocked in (("remy", {closed}), ("rosa", set())):
        seen = premises(member_named(demo, name), {one.pk for one in members})
        assert {span for span, premise in seen.items() if premise.span is None} == blocked
    assert not claims_of(member_named(demo, "remy")).get(pk=claim.pk).withheld


def test_demo_finds_the_words_of_one_later_version_again_and_not_of_the_other(
    demo: Project,
) -> None:
    """The file on Dogwood can be re-proposed; the tariff says something else now."""
    for key, again in (("dogwood-file", True), ("tariff-t3", False)):
        first, later = SourceVersion.objects.filter(source__project=demo, source__key=key).order_by(
            "number"
        )
        (span,) = first.spans.all()
        assert (span.exact in later.text) is again


def test_demo_system_cites_as_the_ledger_tells(demo: Project) -> None:
    """Of the four answers only one cites all that an evidence set needs."""
    lena = member_named(demo, "lena")
    outputs = outputs_of(system_run_for(lena, "harbour-assistant"))
    complete = {}
    for one in read_outputs(lena, outputs):
        (said,) = one.claims
        cited = {place.span.pk for place in said.cited}
        sets = EvidenceSet.objects.filter(claim__question=one.output.question)
        wanted = [{member.span_id for member in route.members.all()} for route in sets]
        complete[one.output.key] = any(spans <= cited for spans in wanted)
    assert complete == {
        "cedar-a": False,
        "birch-b": False,
        "cypress-c": True,
        "dogwood-d": False,
    }


def test_demo_has_an_unresolved_contradiction(demo: Project) -> None:
    """Somebody has to settle the date of the Cypress agreement."""
    found = Contradiction.objects.get(claim__question__project=demo)
    assert (found.material, found.treatment) == (True, "unresolved")


def test_demo_has_every_role(demo: Project) -> None:
    """Each role of the domain can be tried."""
    roles = {role for one in Membership.objects.filter(project=demo) for role in one.roles}
    assert roles == {"lead", "reviewer", "annotator", "adjudicator", "reader", "auditor"}


def test_demo_command_shows_the_same_passwords_again(settings: Settings, tmp_path: Path) -> None:
    """Whoever lost the first lines of the log finds the passwords, and can sign in with them."""
    settings.DATA_DIR = tmp_path
    first, second = StringIO(), StringIO()
    call_command("demo", stdout=first)
    call_command("demo", stdout=second)
    assert first.getvalue() == second.getvalue()
    lena = member_named(Project.objects.get(slug="demo"), "lena").user
    password = first.getvalue().split("lena ")[1].split()[0]
    assert lena.check_password(password)
    assert (tmp_path / "demo_passwords.json").stat().st_mode & 0o077 == 0
