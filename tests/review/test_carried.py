"""After verdicts were carried over: counts, fresh rounds, releases, the page and the command."""

from __future__ import annotations

import json
from io import BytesIO, StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction

from adjudication.claims.models import EvidenceSet
from adjudication.errors import Refused
from adjudication.projects.models import Project, Role
from adjudication.releases.actions import release
from adjudication.releases.exports import export_lines
from adjudication.releases.queries import changes_in
from adjudication.releases.verification import verify
from adjudication.review import actions
from adjudication.review.models import CarryOver, Item, Verdict
from adjudication.review.queries.counts import progress_of, state_counts
from adjudication.review.queries.queue import available_to, fresh_reviewers
from adjudication.review.queries.records import current_verdict
from tests.conftest import Cast, client_for
from tests.factories import (
    add_member,
    make_claim,
    make_evidence_set,
    make_user,
)
from tests.review.carried import carry, decided, following
from tests.review.scenes import judge, member, open_scene, refusing

PAGE = "/p/film-study/review/carry-over/"

# --- Afterwards ---------------------------------------------------------------------------------


def test_carried_sets_come_to_nobody_and_count_apart(project: Project, cast: Cast) -> None:
    """Neither waiting nor accepted anew; a reviewer's own whole leaves them out."""
    scene = decided(project, cast)
    later = following(project)
    carry(project, cast, scene, later)
    actions.open_items(later, EvidenceSet.objects.all(), by=scene.lead)
    counts = state_counts(later)
    assert (counts.carried, counts.accepted, counts.open, counts.whole) == (1, 0, 0, 1)
    rosa = member(project, cast.rosa)
    assert progress_of(rosa, later).of == 0
    assert not available_to(rosa, later).exists()
    assert "carried over" in client_for(cast.lead).get("/p/film-study/review/").text


def test_fresh_round_goes_to_reviewers_who_had_not_even_the_original(
    project: Project, cast: Cast
) -> None:
    """An adjudicator may doubt a carried verdict; the new one supersedes it."""
    scene = decided(project, cast)
    later = following(project)
    carry(project, cast, scene, later)
    item = Item.objects.get(specification=later)
    ada = member(project, cast.adjudicator)
    assert fresh_reviewers(item) == 0
    with pytest.raises(Refused, match="reviewers cleared for this set who never had it"):
        actions.ask_fresh_round(item, reason="Times changed.", by=ada)
    fresh = [make_user(name) for name in ("nils", "nora")]
    for person in fresh:
        add_member(project, person, Role.REVIEWER)
    item = actions.ask_fresh_round(item, reason="Times changed.", by=ada)
    assert (item.state, item.round) == (Item.State.IN_REVIEW, 2)
    assert state_counts(later).carried == 0
    assert not available_to(member(project, cast.rosa), later).exists()
    for person in fresh:
        judge(member(project, person), item, refusing("entailment"))
    verdict = current_verdict(item)
    assert (verdict.decision, verdict.basis) == ("rejected", "agreement")
    assert verdict.supersedes.basis == "carried"
    with pytest.raises(Refused, match="not in dispute"):
        actions.ask_fresh_round(Item.objects.get(pk=item.pk), reason="Again.", by=ada)


def test_adjudicator_of_the_original_is_no_fresh_reviewer(project: Project, cast: Cast) -> None:
    """A round that counted on them could never be filled."""
    add_member(project, cast.adjudicator, Role.ADJUDICATOR, Role.REVIEWER)
    scene = open_scene(project, cast.lead)
    assert fresh_reviewers(scene.item) == 3
    judge(member(project, cast.rosa), scene.item)
    judge(member(project, cast.rui), scene.item, refusing("entailment"))
    ada = member(project, cast.adjudicator)
    actions.adjudicate(scene.item, "accepted", reason="It is stated.", by=ada)
    later = following(project)
    carry(project, cast, scene, later)
    assert fresh_reviewers(Item.objects.get(specification=later)) == 0


def test_judge_of_the_original_does_not_adjudicate_the_carried_set(
    project: Project, cast: Cast
) -> None:
    """Not by the page, nor past it in the database."""
    add_member(project, cast.rosa, Role.REVIEWER, Role.ADJUDICATOR)
    scene = decided(project, cast)
    later = following(project)
    carry(project, cast, scene, later)
    item = Item.objects.get(specification=later)
    with pytest.raises(Refused, match="You had this set in hand"):
        actions.ask_fresh_round(item, reason="Doubt.", by=member(project, cast.rosa))
    with pytest.raises(IntegrityError), transaction.atomic():
        Verdict.objects.create(
            item=item,
            round=2,
            decision="rejected",
            basis="adjudication",
            by=cast.rosa,
            reason="Mine.",
            supersedes=current_verdict(item),
        )


def test_adjudicator_reads_the_carried_verdict_and_asks_anew(project: Project, cast: Cast) -> None:
    """The page shows the judgements of then, by whom it was carried, and offers a round."""
    scene = decided(project, cast)
    later = following(project)
    carry(project, cast, scene, later)
    item = Item.objects.get(specification=later)
    page = client_for(cast.adjudicator).get(f"/p/film-study/adjudication/{item.pk}/").text
    assert "carried over from specification 1" in page
    assert "Same sources." in page
    assert "Reviewer A" in page
    assert "Ask for a fresh round" in page


def test_release_says_carried_and_from_where(project: Project, cast: Cast) -> None:
    """The export names the specification of then, verifies, and counts no change."""
    scene = decided(project, cast)
    people = {
        "requested_by": member(project, cast.lead),
        "approved_by": member(project, cast.adjudicator),
    }
    release(scene.specification, **people)
    later = following(project)
    carry(project, cast, scene, later)
    version = release(later, **people)
    changes = changes_in(version)
    assert (changes.unchanged, changes.any) == (1, False)
    lines = list(export_lines(version, "public"))
    item = json.loads(lines[1])["record"]["item"]
    assert item["verdict"]["basis"] == "carried"
    assert item["verdict"]["carried_from"]["specification"] == 1
    assert item["verdict"]["carried_from"]["basis"] == "agreement"
    assert len(item["judgements"]) == 2
    assert item["surplus"] == 0
    page = client_for(cast.lead).get(f"/p/film-study/releases/{version.number}/").text
    assert "agreement, carried over from specification 1" in page
    assert verify_lines(lines)


def verify_lines(lines: list[bytes]) -> bool:
    return verify(BytesIO(b"".join(lines))).intact


# --- Page and command ---------------------------------------------------------------------------


def test_lead_previews_and_carries_over_in_the_browser(project: Project, cast: Cast) -> None:
    """What is taken and what not is listed before; without a reason nothing happens."""
    scene = decided(project, cast)
    claim = make_claim(project, value="Waiting")
    make_evidence_set(claim)
    actions.open_items(scene.specification, EvidenceSet.objects.all(), by=scene.lead)
    following(project)
    browser = client_for(cast.lead)
    page = browser.get(PAGE).text
    assert "Carry 1 verdict over" in page
    assert "no verdict in the earlier specification" in page
    assert browser.post(PAGE, {"reason": ""}).status_code == 422
    assert not CarryOver.objects.exists()
    answer = browser.post(PAGE, {"reason": "Same sources."}, follow=True)
    assert "Carried over: 1 verdict." in answer.text
    assert "Nothing to carry over" in browser.get(PAGE).text
    assert browser.get(PAGE + "?from=7").status_code == 404


def test_lead_who_reviews_carries_over_without_seeing(project: Project, cast: Cast) -> None:
    """No list, no number: how many sets are decided would tell what others answered."""
    decided(project, cast)
    following(project)
    add_member(project, cast.lead, Role.LEAD, Role.REVIEWER)
    browser = client_for(cast.lead)
    page = browser.get(PAGE).text
    assert "You also review" in page
    assert "accepted" not in page
    answer = browser.post(PAGE, {"reason": "Same sources."}, follow=True)
    assert "Carried over." in answer.text
    assert CarryOver.objects.count() == 1


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("carry_over", "film-study", *arguments, stdout=out)
    return out.getvalue()


def test_command_counts_first_and_then_carries_over(project: Project, cast: Cast) -> None:
    """A dry run changes nothing; what is left out is counted with its reason."""
    scene = decided(project, cast)
    make_evidence_set(make_claim(project, value="Waiting"))
    actions.open_items(scene.specification, EvidenceSet.objects.all(), by=scene.lead)
    following(project)
    dry = run("--by", "lena", "--dry-run")
    assert "Would be carried over: 1" in dry
    assert "Not taken, no verdict in the earlier specification: 1" in dry
    assert not CarryOver.objects.exists()
    with pytest.raises(CommandError, match="Give the reason"):
        run("--by", "lena")
    assert "from specification 1 into 2: 1 verdict." in run(
        "--by", "lena", "--from", "1", "--reason", "Same sources."
    )
    with pytest.raises(CommandError, match="Earlier ones: 1"):
        run("--by", "lena", "--from", "3", "--reason", "x")
