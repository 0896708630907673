"""Guidelines are versioned, and each judgement names the version it was sealed under."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import IntegrityError, transaction
from django.test import Client

from adjudication.errors import Refused
from adjudication.projects.models import Project, Role
from adjudication.review import actions, queries
from adjudication.review.answers import all_accepting
from adjudication.review.discussion import GUIDELINE_LENGTH, Guideline
from adjudication.review.models import Assignment, Draft, Judgement
from tests.conftest import Cast, client_for
from tests.factories import add_member, make_project
from tests.review.scenes import Scene, judge, member, open_scene

pytestmark = pytest.mark.django_db
PAGE = "/p/film-study/review/guidelines/"
ANSWERS = dict(all_accepting().given)


@pytest.fixture
def scene(project: Project, cast: Cast) -> Scene:
    return open_scene(project, cast.lead, sets=2)


def publish(scene: Scene, text: str, **more: str) -> Guideline:
    return actions.publish_guidelines(scene.lead, text, reason="It was asked.", **more)


def test_each_judgement_names_the_version_in_force(
    project: Project, cast: Cast, scene: Scene
) -> None:
    """None, then the first, then the second; an amendment names the one of its own day."""
    rosa, rui = member(project, cast.rosa), member(project, cast.rui)
    before = judge(rosa, scene.items[0])
    first = publish(scene, "Read every member.")
    publish_elsewhere(cast)
    under_first = judge(rosa, scene.items[1])
    second = publish(scene, "Read every member twice.")
    under_second = judge(rui, scene.items[1])
    amended = actions.amend(before, all_accepting(), reason="again", idempotency_key=uuid4())
    found = [one.guideline for one in (before, under_first, under_second, amended)]
    assert found == [None, first, second, second]
    assert (second.number, queries.guidelines_in_force(project)) == (2, second)


def publish_elsewhere(cast: Cast) -> None:
    """Guidelines of another project are in force there alone."""
    other = make_project("elsewhere")
    add_member(other, cast.lead, Role.LEAD)
    actions.publish_guidelines(member(other, cast.lead), "Other rules.", reason="Theirs.")


def test_database_names_the_version_whatever_the_program_says(
    project: Project, cast: Cast, scene: Scene
) -> None:
    """A judgement cannot be stored under guidelines that were not in force."""
    first, second = publish(scene, "One."), publish(scene, "Two.")
    held = actions.take(member(project, cast.rosa), scene.item.pk)
    made = Judgement.objects.create(
        item=held.item,
        assignment=held,
        reviewer=cast.rosa,
        round=1,
        idempotency_key=uuid4(),
        minimality_basis="asserted",
        guideline=first,
        **ANSWERS,
    )
    made.refresh_from_db()
    assert made.guideline == second


@pytest.mark.parametrize("wrong", [{"number": 3}, {"number": 1}, {"sha256": "0" * 64}])
def test_versions_follow_each_other_with_the_digest_of_their_text(
    cast: Cast, scene: Scene, wrong: dict[str, object]
) -> None:
    """Written past every action, a version with another number or digest is refused."""
    known = publish(scene, "One.")
    fields = {"number": 2, "sha256": known.sha256, "text": "One.", "reason": "r", "by": cast.lead}
    with pytest.raises(IntegrityError), transaction.atomic():
        Guideline.objects.create(project=known.project, **(fields | wrong))
    Guideline.objects.create(project=known.project, **fields)


def test_only_leads_change_them_and_never_over_another_change(
    project: Project, cast: Cast, scene: Scene
) -> None:
    """Two leads with one page open: the second is told, and what they typed is still there."""
    with pytest.raises(Refused, match="needs the role lead"):
        actions.publish_guidelines(member(project, cast.rosa), "Mine.", reason="I say so.")
    assert client_for(cast.rosa).post(PAGE, {"text": "Mine.", "reason": "r"}).status_code == 403
    first = publish(scene, "One.", seen="")
    assert publish(scene, "One.", seen="") == first
    publish(scene, "Two.", seen=str(first.pk))
    lead = client_for(cast.lead)
    post = {"text": "Three.", "reason": "r", "seen": str(first.pk)}
    late = lead.post(PAGE, post)
    assert late.status_code == 422
    assert b"Version 2 came in force since" in late.content
    assert b"Three." in late.content
    with pytest.raises(Refused, match="Nothing changed"):
        actions.publish_guidelines(scene.lead, "Two.", reason="Another reason.")
    assert Guideline.objects.count() == 2


def test_page_shows_versions_and_what_changed(project: Project, cast: Cast, scene: Scene) -> None:
    """Whoever takes part reads every version; the comparison marks the words."""
    reader = client_for(cast.reader)
    assert b"No guidelines yet" in reader.get(PAGE).content
    assert reader.get(PAGE + "diff/").status_code == 404
    lead = client_for(cast.lead)
    for text in ("# How\r\n\r\nRead **every** member.", "# How\n\nRead **each** member."):
        latest = queries.guidelines_in_force(project)
        post = {"text": text, "reason": "Clearer.", "seen": str(latest.pk) if latest else ""}
        assert lead.post(PAGE, post).status_code == 302
    page = reader.get(PAGE).content.decode()
    assert "Read <strong>each</strong> member." in page
    assert "Change the guidelines" not in page
    assert "Read <strong>every</strong> member." in reader.get(PAGE + "?version=1").content.decode()
    diff = reader.get(PAGE + "diff/").content.decode()
    assert "<del>every</del>" in diff
    assert "<ins>each</ins>" in diff
    for query in ("?version=3", "?version=x", "?version=99999999999"):
        assert reader.get(PAGE + query).status_code == 404


def test_reviewer_mid_item_is_told_and_seals_knowingly(
    project: Project, cast: Cast, scene: Scene
) -> None:
    """The desk that was open says so at the next save, and a seal waits until it is read."""
    first = publish(scene, "One.")
    held = actions.take(member(project, cast.rosa), scene.item.pk)
    url, rosa = f"/p/film-study/review/desk/{held.pk}/", client_for(cast.rosa)
    assert "changed since" not in rosa.get(url).content.decode()
    begun = ANSWERS | {"guideline": str(first.pk)}
    assert b"The guidelines changed" not in saved(rosa, url, begun)
    second = publish(scene, "Two.")
    assert b"will name version" in saved(rosa, url, begun)
    page = rosa.get(url).content.decode()
    assert "changed since you took this item" in page
    assert str(second.pk) in page
    refused = rosa.post(url + "seal/", begun)
    assert refused.status_code == 422
    assert b"The guidelines changed while you judged" in refused.content
    assert not Judgement.objects.exists()
    assert Draft.objects.get().answers["given"] == ANSWERS
    assert Assignment.objects.get().state == "held"
    assert rosa.post(url + "seal/", begun | {"guideline": str(second.pk)}).status_code == 302
    assert Judgement.objects.get().guideline == second


def test_amendment_too_is_sealed_knowingly(project: Project, cast: Cast, scene: Scene) -> None:
    """It names a version, and that is the one which stood on the page."""
    first = publish(scene, "One.")
    before = judge(member(project, cast.rosa), scene.item)
    url, rosa = f"/p/film-study/review/judgements/{before.pk}/", client_for(cast.rosa)
    assert f'name="guideline" value="{first.pk}"' in rosa.get(url).text
    begun = ANSWERS | {"guideline": str(first.pk), "reason": "I misread it."}
    second = publish(scene, "Two.")
    refused = rosa.post(url + "amend/", begun)
    assert refused.status_code == 422
    assert "The guidelines changed meanwhile" in refused.text
    assert Judgement.objects.count() == 1
    assert f'name="guideline" value="{second.pk}"' in refused.text
    assert rosa.post(url + "amend/", begun | {"guideline": str(second.pk)}).status_code == 302
    assert Judgement.objects.get(amends=before).guideline == second


def test_lines_of_guidelines_count_as_a_browser_counts_them(cast: Cast, scene: Scene) -> None:
    """As many as fit are taken, each break as one character."""
    text = "a\r\n" * (GUIDELINE_LENGTH // 2 - 1) + "aa"
    post = {"text": text, "reason": "Asked for.", "seen": ""}
    assert client_for(cast.lead).post(PAGE, post).status_code == 302
    assert len(Guideline.objects.get().text) == GUIDELINE_LENGTH


def saved(client: Client, url: str, post: dict[str, str]) -> bytes:
    return client.post(url + "draft/", post, headers={"HX-Request": "true"}).content


def test_command_shows_and_changes_them(project: Project, cast: Cast, tmp_path: Path) -> None:
    """The same action, and a refusal is one line."""
    text = tmp_path / "guidelines.md"
    text.write_text("# Judge alone\n")
    out = StringIO()
    call_command("guidelines", "film-study", stdout=out)
    call_command("guidelines", "film-study", by="lena", file=text, reason="First.", stdout=out)
    call_command("guidelines", "film-study", stdout=out)
    assert out.getvalue().splitlines() == [
        "No guidelines are in force.",
        "Version 1 of the guidelines is in force.",
        "# Judge alone",
    ]
    text.write_bytes(b"a\0b")
    for by, reason in (("lena", ""), ("lena", "NUL."), (None, "Nobody.")):
        with pytest.raises(CommandError):
            call_command("guidelines", "film-study", by=by, file=text, reason=reason)
