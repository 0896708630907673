"""What others say on an item changes no byte for whoever has not sealed it.

Two worlds differ in comments, flags and what became of flags; they are crawled as a reviewer who
has the item in hand, and as one who also leads. Each way in which it could show is planted once.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeAlias
from uuid import UUID

import pytest
from django.db import transaction
from django.db.models import Count, F
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.test import Client

from adjudication.errors import Refused
from adjudication.projects.models import Membership, Project, Role
from adjudication.review import actions, queries
from adjudication.review.discussion import Comment, Flag
from adjudication.review.models import Assignment, Item, Judgement
from adjudication.review.queries import counts, discussion, queue
from adjudication.review.queries.records import sealed_by
from adjudication.review.views import discussing, overview
from adjudication.review.visibility import Sight
from tests.conftest import Cast, client_for
from tests.factories import add_member
from tests.review.crawling import TOKEN, differing
from tests.review.scenes import Scene, judge, member, open_scene, refusing

pytestmark = pytest.mark.django_db
HERE = "/p/film-study/"
WORDS = "The title names another film."
MOMENT = re.compile(rb"\d\d:\d\d(?::\d\d)?")  # of what one says oneself, by the clock
Plant: TypeAlias = Callable[[pytest.MonkeyPatch, "Stage"], None]


class Stage:
    """Rui holds the first set, where he commented and raised a flag, and sealed the second."""

    def __init__(self, project: Project, cast: Cast, scene: Scene) -> None:
        self.project, self.cast, self.scene = project, cast, scene
        self.rui, self.rosa = member(project, cast.rui), member(project, cast.rosa)
        self.held = actions.take(self.rui, scene.items[0].pk)
        self.flag = actions.flag(self.held, "broken-excerpt", "It begins mid-word.")
        actions.comment(self.rui, scene.items[0], "I am not sure of the date.")
        judge(self.rui, scene.items[1])

    def say(self) -> None:
        """Everybody speaks, Rosa after her seal; a lead answers every flag, Rui's too."""
        first, second = self.scene.items[:2]
        flag = actions.flag(actions.take(self.rosa, first.pk), "wrong-claim", "Two claims.")
        judge(self.rosa, first, refusing("entailment"))
        for item in (first, second):
            for who in (self.rosa, member(self.project, self.cast.adjudicator), self.scene.lead):
                if who is not self.rosa or item == first:
                    actions.comment(who, item, WORDS)
        for one in (flag, self.flag):
            actions.resolve_flag(one, reason="The source is so.", by=self.scene.lead)

    def decline(self) -> None:
        """Rosa hands both sets back for a conflict of interest."""
        for item in self.scene.items[:2]:
            actions.flag(actions.take(self.rosa, item.pk), Flag.Kind.CONFLICT, WORDS)


@pytest.fixture
def stage(project: Project, cast: Cast) -> Stage:
    return Stage(project, cast, open_scene(project, cast.lead, sets=2))


def secret_of(stage: Stage, secret: str) -> Callable[[], None]:
    return {"remarks": stage.say, "conflict": stage.decline}[secret]


BOTH = (Role.REVIEWER, Role.LEAD)


@pytest.mark.parametrize(
    ("roles", "under"),
    [
        (BOTH, "review/"),
        pytest.param((Role.REVIEWER,), "", marks=pytest.mark.slow),
        pytest.param(BOTH, "", marks=pytest.mark.slow),
    ],
)
def test_what_others_say_changes_no_byte(stage: Stage, roles: tuple[Role, ...], under: str) -> None:
    """Comments of reviewers, of the adjudicator and of a lead; flags; answers, also to his own."""
    add_member(stage.project, stage.cast.rui, *roles)
    assert not differing(client_for(stage.cast.rui), stage.say, under=under)


def test_anothers_conflict_of_interest_changes_no_byte(stage: Stage) -> None:
    """Nor does the slot that it sets free."""
    assert not differing(client_for(stage.cast.rui), stage.decline, under="review/")


def answers_to_posts(stage: Stage, viewer: Client) -> list[tuple[int, str, bytes]]:
    """What comes back for saying the very words of others, and for a form that is wrong."""
    base, own = (
        f"{HERE}review/desk/{stage.held.pk}/",
        Judgement.objects.get(reviewer=stage.cast.rui),
    )
    found = []
    for url, data in (
        (base + "comment/", {"comment": WORDS}),
        (base + "comment/", {"comment": ""}),
        (base + "flag/", {"flag": "wrong-claim", "flag_words": "Two claims."}),
        (base + "flag/", {"flag": "other"}),
        (base + "draft/", {"comment": WORDS}),
        (f"{HERE}review/judgements/{own.pk}/comment/", {"comment": WORDS}),
        (f"{HERE}review/judgements/{own.pk}/others/", {}),
        (f"{HERE}review/flags/{stage.flag.pk}/resolve/", {"reason": "So it is."}),
        (f"{HERE}adjudication/{stage.scene.item.pk}/comment/", {"comment": WORDS}),
    ):
        response = viewer.post(url, data)
        body = MOMENT.sub(b"", TOKEN.sub(b"", response.content))
        found.append((response.status_code, response.headers.get("Location", ""), body))
    return found


def test_saying_what_others_said_is_answered_the_same(stage: Stage) -> None:
    """No error, receipt or redirection tells that the words were there before."""
    assert not differing_posts(stage)


def differing_posts(stage: Stage) -> list[tuple[int, str, bytes]]:
    """The answers that tell the world in which others spoke from the one in which they did not."""
    viewer = client_for(stage.cast.rui)

    def answers(before: Callable[[], None]) -> list[tuple[int, str, bytes]]:
        with transaction.atomic():
            before()
            found = answers_to_posts(stage, viewer)
            transaction.set_rollback(True)
        return found

    plain, planted = answers(lambda: None), answers(stage.say)
    return [one for one, other in zip(planted, plain, strict=True) if one != other]


# --- Planted on purpose ----------------------------------------------------------------------


def shown_early(patch: pytest.MonkeyPatch, stage: Stage) -> None:
    """The desk shows all comments."""
    everything = discussion._discussion
    patch.setattr(
        queries,
        "own_discussion",
        lambda who, item: everything(who, item, Sight.NAMELESS, Sight.NAMELESS),
    )


def an_answer_to_ones_own_flag(patch: pytest.MonkeyPatch, stage: Stage) -> None:
    """The desk shows what became of one's own flag, and nothing else of others."""
    everything = discussion._discussion
    patch.setattr(
        queries,
        "own_discussion",
        lambda who, item: everything(who, item, Sight.NOTHING, Sight.NAMELESS),
    )


def granted_early(patch: pytest.MonkeyPatch, stage: Stage) -> None:
    """The visibility service grants a reviewer who sealed what only all seals open."""
    patch.setattr(discussion, "may_see", lambda *_: Sight.NAMELESS)
    patch.setattr(queries, "own_discussion", discussion.discussion_seen)


def total(patch: pytest.MonkeyPatch, stage: Stage) -> None:
    """Somebody's conflict of interest counts for everybody."""
    declared = Flag.objects.filter(kind=Flag.Kind.CONFLICT).values("item__evidence_set")

    def of_anybody(*asked: Any) -> list[UUID]:
        return list(counts._theirs(*asked[:-1]).filter(evidence_set__in=declared))

    patch.setattr(counts, "_ASIDE", of_anybody)


def order(patch: pytest.MonkeyPatch, stage: Stage) -> None:
    """One's own judgements are sorted by how much is said on them."""

    def talked_about(membership: Membership) -> Any:
        said = Comment.objects.filter(item=queue.OuterRef("item")).order_by().values("item")
        number = queue.Subquery(said.annotate(n=Count("pk")).values("n"))
        return sealed_by(membership).annotate(said=number).order_by(F("said").asc(nulls_first=True))

    judge(stage.rui, stage.scene.items[2])
    patch.setattr(overview.queries, "sealed_by", talked_about)


def identifier(patch: pytest.MonkeyPatch, stage: Stage) -> None:
    """A flag that there is answers otherwise than one that there is not."""
    add_member(stage.project, stage.cast.rui, Role.REVIEWER, Role.LEAD)

    def refusing_to_show(_: Membership, flag_id: UUID) -> Flag:
        if Flag.objects.filter(pk=flag_id).exists():
            raise Refused("This flag is not for you.")
        raise Http404("no such flag")

    patch.setattr(discussing.queries, "flag_for", refusing_to_show)


def rendered(patch: pytest.MonkeyPatch, change: Callable[[HttpResponse], None]) -> None:
    def changed(request: HttpRequest, template: str, *rest: Any, **more: Any) -> HttpResponse:
        response = render(request, template, *rest, **more)
        change(response)
        return response

    patch.setattr(overview, "render", changed)


def etag(patch: pytest.MonkeyPatch, stage: Stage) -> None:
    """A header made from what is said in the project."""

    def tagged(response: HttpResponse) -> None:
        response.headers["ETag"] = f'"{Comment.objects.count()}"'

    rendered(patch, tagged)


def moment(patch: pytest.MonkeyPatch, stage: Stage) -> None:
    """The time of the last word on anything."""

    def dated(response: HttpResponse) -> None:
        last = Comment.objects.exclude(by=stage.cast.rui).order_by("at").last()
        response.headers["Last-Modified"] = str(last.at if last else "never")

    rendered(patch, dated)


def css_class(patch: pytest.MonkeyPatch, stage: Stage) -> None:
    """A page that looks the same, but for the name of a class."""

    def marked(response: HttpResponse) -> None:
        if Flag.objects.filter(resolution__isnull=False).exists():
            response.content = response.content.replace(b'class="card"', b'class="card told"')

    rendered(patch, marked)


# Few addresses, and always the pages of one's own review.
FEW = "review/guidelines/"


QUICK = [
    (shown_early, "remarks", "review/desk/", "review/desk/"),
    (total, "conflict", FEW, "review/"),
]
SLOW = [
    (an_answer_to_ones_own_flag, "remarks", "review/desk/", "review/desk/"),
    (granted_early, "remarks", "review/judgements/", "review/judgements/"),
    (order, "remarks", FEW, "review/"),
    (identifier, "remarks", "review/flags/", "review/flags/"),
    (etag, "remarks", FEW, "review/"),
    (moment, "remarks", FEW, "review/"),
    (css_class, "remarks", FEW, "review/"),
]


@pytest.mark.parametrize(
    ("plant", "secret", "under", "where"),
    [*QUICK, *(pytest.param(*one, marks=pytest.mark.slow) for one in SLOW)],
)
def test_a_planted_leak_is_caught(
    project: Project,
    cast: Cast,
    monkeypatch: pytest.MonkeyPatch,
    plant: Plant,
    secret: str,
    under: str,
    where: str,
) -> None:
    """Each way in which remarks could show, built in on purpose, makes the worlds differ."""
    stage = Stage(project, cast, open_scene(project, cast.lead, sets=3))
    plant(monkeypatch, stage)
    found = differing(client_for(cast.rui), secret_of(stage, secret), under=under)
    assert found
    assert all(url.startswith(HERE + where) for url in found)


def test_an_error_that_names_anothers_words_is_caught(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted on purpose: were the same words refused whoever said them, the answer would tell."""

    says = actions.comment

    def once(by: Membership, item: Item, text: str) -> Comment:
        said = Comment.objects.filter(item=item, text=text).exclude(by=by.user)
        if by.user == stage.cast.rui and said.exists():
            raise Refused("Somebody said so before.")
        return says(by, item, text)

    monkeypatch.setattr(actions, "comment", once)
    assert differing_posts(stage)


def test_assignments_of_a_conflict_look_like_any_others(stage: Stage) -> None:
    """What Rosa handed back for a conflict is, to Rui's eyes and ids, as missing as the rest."""
    stage.decline()
    rui = client_for(stage.cast.rui)
    theirs = Assignment.objects.filter(reviewer=stage.cast.rosa).first()
    known = rui.get(f"{HERE}review/desk/{theirs.pk}/")
    missing = rui.get(f"{HERE}review/desk/{UUID(int=7)}/")
    assert TOKEN.sub(b"", known.content) == TOKEN.sub(b"", missing.content)
    assert known.status_code == missing.status_code == 404
