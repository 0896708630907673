"""The commands of review walk the path from open to verdict, and refuse in one line."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from adjudication.projects.models import Project
from adjudication.review.models import Item, Judgement, Verdict
from tests.conftest import Cast
from tests.factories import make_claim, make_evidence_set
from tests.review.scenes import frozen

pytestmark = pytest.mark.django_db


def run(name: str, *args: object) -> str:
    out = StringIO()
    call_command(name, "film-study", *map(str, args), stdout=out)
    return out.getvalue()


@pytest.fixture
def opened(project: Project, cast: Cast) -> Item:
    make_evidence_set(make_claim(project))
    frozen(project)
    assert "Opened for review: 1." in run("open_review", "--by", "lena")
    return Item.objects.get()


def test_commands_open_judge_and_adjudicate(opened: Item) -> None:
    """Open, two judgements that differ, and a decision, each said in plain words."""
    assert str(opened.pk) in run("judge", "--by", "rosa", "--list")
    assert "Sealed" in run("judge", "--by", "rosa", "--next", "--all-accept")
    refuse = ["--entailment", "does-not", "--reason", "entailment=missing-step"]
    assert "Sealed" in run(
        "judge", "--by", "rui", "--item", opened.pk, "--all-accept", *refuse, "--needed", "1,2"
    )
    assert str(opened.pk) in run("adjudicate", "--by", "ada", "--list")
    decide = ["--item", opened.pk, "--decision", "rejected", "--reason", "the date is missing"]
    assert "is rejected" in run("adjudicate", "--by", "ada", *decide)
    verdict = Verdict.objects.get()
    assert (verdict.by.username, verdict.reason) == ("ada", "the date is missing")
    assert "to settle: 0" in run("adjudicate", "--by", "ada", "--list")


def test_a_set_is_read_before_it_is_judged(opened: Item) -> None:
    """A reviewer by command sees what the desk shows, and seals nothing by looking."""
    shown = run("judge", "--by", "rosa", "--item", opened.pk)
    assert f"Claim: {opened.evidence_set.claim.text}" in shown
    for member in opened.evidence_set.members.all():
        assert f"Member {member.ordinal}: {member.span.version.source.title}" in shown
        assert member.span.exact in shown
    assert shown == run("judge", "--by", "rosa", "--next")
    assert not Judgement.objects.exists()
    assert "Sealed" in run("judge", "--by", "rosa", "--item", opened.pk, "--all-accept")


def test_opening_again_opens_nothing(opened: Item) -> None:
    """The same command twice changes nothing and counts what there is."""
    said = run("open_review", "--by", "lena", "--origin", "reference")
    assert "Opened for review: 0." in said
    assert "under review in all: 1" in said


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--all-accept", "--needed", "3"], "1 to 2"),
        (["--entailment", "entails"], "Missing: --minimality"),
        (["--all-accept", "--boundary", "adds"], "boundary: You refuse"),
        (["--all-accept", "--reason", "taste=bad"], "DIMENSION=TEXT"),
        (["--all-accept", "--needed", "1"], "member 2 as not needed"),
    ],
)
def test_judging_incompletely_is_refused_in_one_line(
    opened: Item, args: list[str], says: str
) -> None:
    """What is wrong is named and nothing is sealed."""
    with pytest.raises(CommandError, match=says) as refusal:
        run("judge", "--by", "rosa", "--next", *args)
    assert "\n" not in str(refusal.value)
    assert not Judgement.objects.exists()


@pytest.mark.parametrize(
    ("command", "args"),
    [
        ("open_review", ["--by", "rosa"]),
        ("judge", ["--by", "lena", "--next", "--all-accept"]),
        ("adjudicate", ["--by", "rui", "--list"]),
    ],
)
def test_commands_ask_for_the_role(opened: Item, command: str, args: list[str]) -> None:
    """A command is no way around a role."""
    with pytest.raises(CommandError, match="needs the role"):
        run(command, *args)
