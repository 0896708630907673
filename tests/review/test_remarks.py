"""Comments and flags: who may say what, who reads it when, and what follows from a flag."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from adjudication.accounts.models import User
from adjudication.errors import Refused
from adjudication.journal.models import Exposure
from adjudication.projects.models import Project, Role
from adjudication.review import actions
from adjudication.review.answers import WORDS, all_accepting
from adjudication.review.discussion import Comment, Flag, FlagResolution
from adjudication.review.models import Assignment, Draft, Item, Judgement
from adjudication.review.queries import home_counts, progress_of
from adjudication.review.queries.discussion import discussion_seen, own_discussion
from adjudication.review.queries.queue import fresh_reviewers
from tests.conftest import Cast, client_for
from tests.factories import add_member, make_user
from tests.releases.decided import released
from tests.review.scenes import Scene, frozen, judge, member, open_scene, refusing

pytestmark = pytest.mark.django_db
HERE = "/p/film-study/"
CONFLICT = Flag.Kind.CONFLICT


@pytest.fixture
def scene(project: Project, cast: Cast) -> Scene:
    return open_scene(project, cast.lead, sets=2)


def words(project: Project, user: User, item: Item) -> list[tuple[str, str]]:
    """Who said what on ``item``, as ``user`` may see it."""
    seen = discussion_seen(member(project, user), item)
    return [(one.who, one.text) for one in seen.comments]


def answers_to_flags(project: Project, user: User, item: Item) -> list[tuple[str, str]]:
    return [(one.who, one.answer) for one in discussion_seen(member(project, user), item).flags]


# --- Comments --------------------------------------------------------------------------------


def test_comments_follow_the_phases(project: Project, cast: Cast, scene: Scene) -> None:
    """Own ones always; others' without names once all have sealed, and with names for a lead."""
    rosa, rui, item = member(project, cast.rosa), member(project, cast.rui), scene.item
    judge(rosa, item)
    actions.comment(rosa, item, "The date is in the title alone.")
    held = actions.take(rui, item.pk)
    actions.comment(rui, item, "I read it otherwise.")
    actions.comment(member(project, cast.adjudicator), item, "Which date?")
    assert words(project, cast.rosa, item) == [("you", "The date is in the title alone.")]
    assert words(project, cast.rui, item) == [("you", "I read it otherwise.")]
    assert words(project, cast.lead, item) == []
    actions.seal(held, refusing("entailment"), idempotency_key=held.pk)
    item.refresh_from_db()
    nameless = dict(words(project, cast.rosa, item))
    assert nameless["you"] == "The date is in the title alone."
    other = (set(nameless) & {"Reviewer A", "Reviewer B"}).pop()
    assert set(nameless) == {"you", other, "Adjudicator C"}
    assert [who for who, _ in words(project, cast.lead, item)] == ["Rosa", "Rui", "Ada"]
    assert words(project, cast.auditor, item) == []
    times = {one.who: one.at for one in discussion_seen(rosa, item).comments}
    assert times.pop("you") is not None
    assert set(times.values()) == {None}


def test_letters_are_those_of_the_judgements(project: Project, cast: Cast, scene: Scene) -> None:
    """Beside "Reviewer A" in the comparison stands what reviewer A said."""
    item = scene.item
    for user, refused in ((cast.rosa, ()), (cast.rui, ("entailment",))):
        judge(member(project, user), item, refusing(*refused))
        actions.comment(member(project, user), item, f"By {user.username}.")
    item.refresh_from_db()
    page = client_for(cast.adjudicator).get(f"{HERE}adjudication/{item.pk}/")
    for comparison in page.context["comparisons"]:
        for column in comparison.columns:
            said = f"By {column.judgement.reviewer.username}."
            assert (f"Reviewer {column.letter}", said) in words(project, cast.adjudicator, item)
    assert b"Rosa" not in page.content
    assert b"Rui" not in page.content


def test_comment_of_a_fresh_round_says_nothing_before_its_seal(
    project: Project, cast: Cast, scene: Scene
) -> None:
    """Whoever was in the first round has seen everything; the blind of the second see nothing."""
    item = scene.item
    judge(member(project, cast.rosa), item)
    judge(member(project, cast.rui), item, refusing("entailment"))
    for name in ("nell", "noor"):
        add_member(project, make_user(name), Role.REVIEWER)
    ada = member(project, cast.adjudicator)
    item.refresh_from_db()
    assert client_for(cast.adjudicator).get(f"{HERE}adjudication/{item.pk}/").status_code == 200
    actions.ask_fresh_round(item, reason="Read the title.", by=ada)
    actions.comment(member(project, cast.rosa), item, "I was shown the others.")
    nell = project.memberships.get(user__username="nell").user
    held = actions.take(member(project, nell), item.pk)
    item.refresh_from_db()
    assert words(project, nell, item) == []
    page = client_for(nell).get(f"{HERE}review/desk/{held.pk}/").content
    assert b"I was shown" not in page
    assert words(project, cast.rosa, item) == [("you", "I was shown the others.")]


def test_reviewer_reads_others_comments_after_asking(
    project: Project, cast: Cast, scene: Scene
) -> None:
    """Shown with the other answers, which is recorded; until then only one's own are there."""
    item = scene.item
    judge(member(project, cast.rosa), item)
    actions.comment(member(project, cast.rosa), item, "By rosa alone.")
    own = judge(member(project, cast.rui), item)
    rui, url = client_for(cast.rui), f"{HERE}review/judgements/{own.pk}/"
    assert rui.post(url + "comment/", {"comment": "  By rui. "}).status_code == 302
    before = rui.get(url).content
    assert b"By rui." in before
    assert b"By rosa alone." not in before
    rui.post(url + "others/")
    assert b"By rosa alone." in rui.get(url).content


def test_who_may_comment(project: Project, cast: Cast, scene: Scene) -> None:
    """Those who had it in hand, adjudicators and leads; the same words once."""
    item = scene.item
    for user in (cast.rosa, cast.auditor, cast.reader):
        with pytest.raises(Refused, match="Reviewers of this set"):
            actions.comment(member(project, user), item, "Mine.")
    first = actions.comment(scene.lead, item, "Mine.")
    assert actions.comment(scene.lead, item, " Mine.\n") == first
    assert actions.comment(member(project, cast.adjudicator), item, "Mine.") != first
    with pytest.raises(Refused, match="Write the comment"):
        actions.comment(scene.lead, item, " \n")
    assert Comment.objects.count() == 2


def test_lines_count_as_a_browser_counts_them(project: Project, cast: Cast, scene: Scene) -> None:
    """A line break is one character of the limit, and is stored as one."""
    held = actions.take(member(project, cast.rosa), scene.item.pk)
    url, text = f"{HERE}review/desk/{held.pk}/comment/", "a\r\n" * (WORDS // 2 - 1) + "aa"
    assert client_for(cast.rosa).post(url, {"comment": text}).status_code == 302
    assert Comment.objects.get().text == text.replace("\r\n", "\n")
    assert client_for(cast.rosa).post(url, {"comment": text + "a"}).status_code == 422


def test_adjudicator_who_had_the_set_in_hand_comments_beside_their_judgement(
    project: Project, cast: Cast, scene: Scene
) -> None:
    """The page they may not open takes nothing from them either."""
    add_member(project, cast.rosa, Role.REVIEWER, Role.ADJUDICATOR)
    actions.take(member(project, cast.rosa), scene.item.pk)
    url = f"{HERE}adjudication/{scene.item.pk}/comment/"
    assert client_for(cast.rosa).post(url, {"comment": "Which?"}).status_code == 403
    assert not Comment.objects.exists()


def test_desk_keeps_what_is_not_sent(project: Project, cast: Cast, scene: Scene) -> None:
    """A comment or flag half typed survives every other button, and the seal too."""
    held = actions.take(member(project, cast.rosa), scene.item.pk)
    rosa, url = client_for(cast.rosa), f"{HERE}review/desk/{held.pk}/"
    typed = {"comment": "Half a tho", "flag": "other", "flag_words": "Hm", **all_accepting().given}
    rosa.post(url + "renew/", typed)
    page = rosa.get(url).content.decode()
    assert "Half a tho" in page
    assert ">\nHm</textarea>" in page
    missing = typed | {"comment": "x" * 2001}
    wrong = rosa.post(url + "comment/", missing)
    assert wrong.status_code == 422
    assert b"at most 2000 characters" in wrong.content
    assert rosa.post(url + "comment/", typed).status_code == 302
    assert Draft.objects.get().unsent == {"flag": "other", "flag_words": "Hm"}
    rosa.post(url + "draft/", typed | {"comment": "More"})
    rosa.post(url + "seal/", typed | {"comment": "More\0"})
    own = Judgement.objects.get()
    assert ">\nMore</textarea>" in rosa.get(f"{HERE}review/judgements/{own.pk}/").content.decode()
    assert [one.text for one in own_discussion(member(project, cast.rosa), own.item).comments] == [
        "Half a tho"
    ]


# --- Flags -----------------------------------------------------------------------------------


def test_flag_is_neither_a_skip_nor_a_judgement(project: Project, cast: Cast, scene: Scene) -> None:
    """The item stays in hand, nothing is sealed, and a lead's home says it waits."""
    rosa = member(project, cast.rosa)
    held = actions.take(rosa, scene.item.pk)
    before = progress_of(rosa, scene.specification)
    client, url = client_for(cast.rosa), f"{HERE}review/desk/{held.pk}/flag/"
    for wrong in ({}, {"flag": "boring"}, {"flag": "other", "flag_words": " "}):
        assert client.post(url, wrong).status_code == 422
    assert client.post(url, {"flag": "wrong-claim"}).status_code == 302
    assert client.post(url, {"flag": "wrong-claim"}).status_code == 302
    flag = Flag.objects.get()
    held.refresh_from_db()
    assert (held.state, flag.by, flag.kind) == ("held", cast.rosa, "wrong-claim")
    assert progress_of(rosa, scene.specification) == before
    assert not Judgement.objects.exists()
    waiting = {line.label: line.count for line in home_counts(scene.lead)}
    assert waiting["flags to resolve"] == 1
    sealed = judge(member(project, cast.rui), scene.item)
    with pytest.raises(Refused, match="You sealed this item"):
        actions.flag(sealed.assignment, "wrong-claim")


def test_lead_resolves_with_a_reason_that_the_blind_do_not_see(
    project: Project, cast: Cast, scene: Scene
) -> None:
    """What a lead says of an item is another's comment on it, to its own flagger as well."""
    rosa, item = member(project, cast.rosa), scene.item
    flag = actions.flag(actions.take(rosa, item.pk), "broken-excerpt", "It ends mid-word.")
    lead = client_for(cast.lead)
    assert b"It ends mid-word." in lead.get(f"{HERE}review/flags/{flag.pk}/").content
    assert Exposure.objects.filter(person=cast.lead, object_id=item.pk).exists()
    url = f"{HERE}review/flags/{flag.pk}/resolve/"
    assert lead.post(url, {"reason": " "}).status_code == 422
    assert lead.post(url, {"reason": "The source is so."}).status_code == 302
    assert lead.post(url, {"reason": "The source is so."}).status_code == 302
    assert lead.post(url, {"reason": "No, it is not."}).status_code == 422
    assert FlagResolution.objects.get().reason == "The source is so."
    assert answers_to_flags(project, cast.rosa, item) == [("you", "")]
    assert answers_to_flags(project, cast.rui, item) == []
    judge(rosa, item)
    judge(member(project, cast.rui), item)
    item.refresh_from_db()
    assert answers_to_flags(project, cast.rosa, item) == [("you", "The source is so.")]
    [(who, answer)] = answers_to_flags(project, cast.rui, item)
    assert who in {"Reviewer A", "Reviewer B"}
    assert answer == "The source is so."
    for user in (cast.rosa, cast.adjudicator, cast.auditor):
        assert client_for(user).post(url, {"reason": "Mine."}).status_code == 403


def test_lead_who_reviews_sees_flags_only_of_what_they_gave_up(
    project: Project, cast: Cast, scene: Scene
) -> None:
    """Any other set may still come to them, and a flag is somebody's opinion of it."""
    flag = actions.flag(actions.take(member(project, cast.rosa), scene.item.pk), "wrong-claim")
    add_member(project, cast.lead, Role.LEAD, Role.REVIEWER)
    lead, url = client_for(cast.lead), f"{HERE}review/flags/{flag.pk}/"
    assert lead.get(url).status_code == 404
    assert b"wrong or not atomic" not in lead.get(f"{HERE}review/flags/").content
    waiting = home_counts(member(project, cast.lead))
    assert "flags to resolve" not in {line.label for line in waiting}
    actions.open_flags(member(project, cast.lead), [flag], place="flags")
    assert lead.get(url).status_code == 200


def test_lead_without_clearance_sees_that_there_is_a_flag_and_not_what_it_says(
    project: Project, cast: Cast, scene: Scene
) -> None:
    """Its words may quote the evidence."""
    held = actions.take(member(project, cast.rosa), scene.item.pk)
    flag = actions.flag(held, "broken-excerpt", "It quotes R0.")
    add_member(project, cast.lead, Role.LEAD, reader_classes=())
    lead = client_for(cast.lead)
    page = lead.get(f"{HERE}review/flags/").content
    assert b"blocked for you" in page
    assert b"Entity 0" not in page
    assert lead.get(f"{HERE}review/flags/{flag.pk}/").status_code == 404


def test_auditor_reads_what_was_said_until_the_release(
    project: Project, cast: Cast, scene: Scene
) -> None:
    """With names, on the page of the released item, and only if cleared for its members."""
    item = scene.item
    for user in (cast.rosa, cast.rui):
        judge(member(project, user), item)
        actions.comment(member(project, user), item, f"Said by {user.username}.")
    released(project, cast.lead, cast.adjudicator)
    url = f"{HERE}releases/1/items/1/"
    page = client_for(cast.auditor).get(url).content.decode()
    assert "Said by rosa." in page
    assert "Rosa" in page
    assert "Said by rosa." not in client_for(cast.reader).get(url).content.decode()
    add_member(project, cast.auditor, Role.AUDITOR, reader_classes=())
    assert "Said by rosa." not in client_for(cast.auditor).get(url).content.decode()


# --- A conflict of interest ------------------------------------------------------------------


def test_conflict_hands_the_item_back_for_good(project: Project, cast: Cast, scene: Scene) -> None:
    """By no way does it come again: next, by name, from the old page, by the lease, by a seal."""
    rosa, item = member(project, cast.rosa), scene.item
    held = actions.take(rosa, item.pk)
    client, url = client_for(cast.rosa), f"{HERE}review/desk/{held.pk}/"
    client.post(url + "flag/", {"flag": "conflict", "flag_words": "I wrote the source."})
    held.refresh_from_db()
    assert held.state == Assignment.State.RELEASED
    assert actions.take_next(rosa).item == scene.items[1]
    assert client.get(url).status_code == 403
    for act in (
        lambda: actions.take(rosa, item.pk),
        lambda: actions.renew(held),
        lambda: actions.seal(held, all_accepting(), idempotency_key=held.pk),
    ):
        with pytest.raises(Refused):
            act()
    assert client.post(url + "seal/", dict(all_accepting().given)).status_code == 409
    assert not Judgement.objects.exists()
    progress = progress_of(rosa, scene.specification)
    assert (progress.skipped, progress.aside, progress.of, progress.left) == (0, 1, 2, 1)
    actions.take(member(project, cast.rui), item.pk)


def test_conflict_closes_the_desk_after_the_lease_ended_too(
    project: Project, cast: Cast, scene: Scene
) -> None:
    """However the item left their hands: no desk, no comment, and the flag twice is once."""
    held = actions.take(member(project, cast.rosa), scene.item.pk)
    Assignment.objects.update(lease_until=timezone.now() - timedelta(hours=1))
    actions.sweep()
    rosa, url = client_for(cast.rosa), f"{HERE}review/desk/{held.pk}/"
    for _ in range(2):
        assert rosa.post(url + "flag/", {"flag": "conflict"}).status_code == 302
    assert Flag.objects.count() == 1
    assert rosa.get(url).status_code == 403
    assert rosa.post(url + "comment/", {"comment": "It follows."}).status_code == 403
    assert not Comment.objects.exists()


def test_conflict_holds_for_the_set_under_any_specification(
    project: Project, cast: Cast, scene: Scene
) -> None:
    """The same set opened for the next test comes to others."""
    rosa = member(project, cast.rosa)
    actions.flag(actions.take(rosa, scene.item.pk), CONFLICT)
    later = frozen(project)
    actions.open_items(later, type(scene.item.evidence_set).objects.all(), by=scene.lead)
    again = Item.objects.get(specification=later, evidence_set=scene.item.evidence_set)
    with pytest.raises(Refused):
        actions.take(rosa, again.pk)
    taken = actions.take_next(rosa)
    assert taken.item.evidence_set == scene.items[1].evidence_set
    assert fresh_reviewers(again) == 1
    with pytest.raises(IntegrityError, match="conflict of interest"), transaction.atomic():
        Assignment.objects.create(
            item=again, reviewer=cast.rosa, round=1, slot=1, lease_until="2099-01-01T00:00Z"
        )


def test_lead_is_told_when_too_few_are_left(project: Project, cast: Cast, scene: Scene) -> None:
    """A conflict of interest strands nothing in silence."""
    flag = actions.flag(actions.take(member(project, cast.rosa), scene.item.pk), CONFLICT)
    url, lead = f"{HERE}review/flags/{flag.pk}/", client_for(cast.lead)
    assert b"Add people" in lead.get(url).content
    add_member(project, make_user("nell"), Role.REVIEWER)
    assert b"Add people" not in lead.get(url).content


def test_database_refuses_who_declared_a_conflict(
    project: Project, cast: Cast, scene: Scene
) -> None:
    """Past every action: no assignment in hand or sealed, and no conflict while one is held."""
    rosa = member(project, cast.rosa)
    held = actions.take(rosa, scene.items[1].pk)
    with transaction.atomic():
        Flag.objects.create(item=held.item, by=cast.rosa, kind=CONFLICT)
        with pytest.raises(IntegrityError, match="hands the set back"):
            connection.check_constraints()
        transaction.set_rollback(True)
    with pytest.raises(IntegrityError, match="only who had an item"), transaction.atomic():
        Flag.objects.create(item=scene.item, by=cast.rosa, kind="wrong-claim")
    actions.flag(held, CONFLICT)
    for state in ("held", "sealed"):
        with pytest.raises(IntegrityError, match="conflict of interest"), transaction.atomic():
            Assignment.objects.filter(pk=held.pk).update(state=state)
