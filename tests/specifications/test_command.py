"""`manage.py freeze`."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from adjudication.projects.models import Project
from adjudication.specifications.models import Specification
from adjudication.specifications.queries import current
from tests.conftest import Cast
from tests.factories import make_version


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("freeze", *arguments, stdout=out)
    return out.getvalue()


def test_freeze_prints_number_digest_and_count(project: Project, cast: Cast) -> None:
    """From nothing to a frozen test in one command, by a named person."""
    make_version(project)
    printed = run("film-study", "--by", "lena", "--reviewers", "1", "--boundary", "Films only.")
    frozen = current(project)
    assert frozen is not None
    assert (frozen.frozen_by, frozen.reviewers_per_item) == (cast.lead, 1)
    assert frozen.corpus_boundary == "Films only."
    assert "Specification 1 of film-study is frozen." in printed
    assert f"digest {frozen.sha256}" in printed
    assert "eligible source versions: 1" in printed


def test_second_freeze_keeps_the_cutoff_unless_told(project: Project, cast: Cast) -> None:
    """A copy is a copy; "now" takes in what was observed since."""
    make_version(project)
    run("film-study", "--cutoff", "2026-01-05T12:00:00Z")
    first = current(project)
    run("film-study")
    second = current(project)
    run("film-study", "--cutoff", "now")
    third = current(project)
    assert first
    assert second
    assert third
    assert first.observation_cutoff == second.observation_cutoff < third.observation_cutoff


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere"], "There is no project 'nowhere'"),
        (["film-study"], "No source version was observed"),
        (["film-study", "--by", "rosa"], "needs the role lead"),
        (["film-study", "--by", "sam"], "not an active member"),
        (["film-study", "--cutoff", "soon"], "'soon' is not a moment"),
        (["film-study", "--cutoff", "2026-13-45T99:00:00"], "is not a moment"),
        (["film-study", "--reviewers", "12"], "reviewers_per_item"),
    ],
)
def test_refused_freeze_leaves_nothing(
    project: Project, cast: Cast, arguments: list[str], words: str
) -> None:
    """One clear line, a failing exit, and no draft half made."""
    with pytest.raises(CommandError, match=words):
        run(*arguments)
    assert not Specification.objects.exists()


def test_freeze_sets_what_is_computed(project: Project, cast: Cast) -> None:
    """Origins, demands and what reviewers see are options, kept by the next unless given."""
    make_version(project)
    run("film-study", "--origins", "test", "--demands", "licence-recorded", "--show-proposer")
    run("film-study", "--origins", "--no-show-proposer", "--show-links")
    frozen = current(project)
    assert frozen is not None
    assert (frozen.origins, frozen.source_policy) == ([], ["licence-recorded"])
    assert (frozen.shows_proposer, frozen.shows_machine) == (False, True)
