"""Simultaneous people on committed rows, with real threads and connections."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from time import monotonic, sleep
from typing import TypeVar
from uuid import uuid4

import pytest
from django.db import connection, transaction
from django.db.models import Count

from adjudication.errors import Refused
from adjudication.projects.models import Membership, Role
from adjudication.review import actions
from adjudication.review.answers import all_accepting
from adjudication.review.models import Assignment, Item, Judgement, Verdict
from tests.conftest import CommittedDatabase, make_cast
from tests.factories import add_member, make_project, make_user
from tests.review.scenes import Scene, judge, member, open_scene, refusing

T = TypeVar("T")


def at_once(calls: Sequence[Callable[[], T]]) -> list[T | Exception]:
    """Run every call in its own thread and connection, from one starting shot."""
    start = Barrier(len(calls))

    def run(call: Callable[[], T]) -> T | Exception:
        try:
            start.wait()
            return call()
        except Exception as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


@pytest.fixture
def stage(committed: CommittedDatabase) -> Callable[[int], Scene]:
    """Makes a number of sets under review by two."""
    project = make_project("film-study")
    lead = make_cast(project).lead
    return lambda sets: open_scene(project, lead, sets=sets)


def reviewers(scene: Scene, count: int) -> list[Membership]:
    project = scene.lead.project
    users = [make_user(f"reviewer-{number}") for number in range(count)]
    for user in users:
        add_member(project, user, Role.REVIEWER)
    return [member(project, user) for user in users]


def waiting_for_locks(count: int) -> bool:
    """Whether ``count`` connections are waiting for a lock at this moment."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
        waiting: int = cursor.fetchone()[0]
        return waiting >= count


def test_six_claim_two_slots_and_two_win(stage: Callable[[int], Scene]) -> None:
    """Nobody is turned away while a slot is free, and none gets in over k.

    The item is locked until all six have found it free and wait for it, so that each of
    them decides on what was true before the others.
    """
    scene = stage(1)
    calls = [lambda one=one: actions.take_next(one) for one in reviewers(scene, 6)]
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            Item.objects.select_for_update().get()
            race = pool.submit(at_once, calls)
            deadline = monotonic() + 2.5
            while not waiting_for_locks(6):
                assert monotonic() < deadline, "the six never waited together"
                sleep(0.02)
        taken = race.result()
    won = [one for one in taken if isinstance(one, Assignment)]
    assert sorted(one.slot for one in won) == [1, 2]
    assert taken.count(None) == 4


def test_many_on_many_items_fill_every_slot_once(stage: Callable[[int], Scene]) -> None:
    """Eight people on four items of two slots, again and again: no slot is lost or doubled."""
    scene = stage(4)
    people = reviewers(scene, 8)
    taken = at_once([lambda one=one: actions.take_next(one) for one in people])
    assert all(isinstance(one, Assignment) for one in taken), taken
    held = Assignment.objects.values("item").annotate(n=Count("pk")).values_list("n", flat=True)
    assert list(held) == [2, 2, 2, 2]


def test_double_click_on_next_takes_one_item(stage: Callable[[int], Scene]) -> None:
    """Two requests of one person find the same item."""
    scene = stage(5)
    (person,) = reviewers(scene, 1)
    taken = at_once([lambda: actions.take_next(person)] * 4)
    assert len({one.pk for one in taken}) == 1
    assert Assignment.objects.count() == 1


def test_double_click_on_seal_makes_one_judgement(stage: Callable[[int], Scene]) -> None:
    """Four requests with one key are one judgement, and all four are told so."""
    scene = stage(1)
    (person,) = reviewers(scene, 1)
    held, key = actions.take_next(person), uuid4()

    def click() -> Judgement:
        return actions.seal(held, all_accepting(), idempotency_key=key)

    sealed = at_once([click] * 4)
    assert {one.pk for one in sealed} == {Judgement.objects.get().pk}


@pytest.mark.parametrize("differ", [False, True])
def test_two_seal_at_the_same_instant_and_the_item_is_decided_once(
    stage: Callable[[int], Scene], differ: bool
) -> None:
    """Whoever comes second sees the first: one verdict, or one dispute, never neither."""
    scene = stage(1)
    held = [actions.take_next(one) for one in reviewers(scene, 2)]
    answers = [all_accepting(), refusing("entailment") if differ else all_accepting()]
    sealed = at_once(
        [
            lambda one=one, said=said: actions.seal(one, said, idempotency_key=uuid4())
            for one, said in zip(held, answers, strict=True)
        ]
    )
    assert all(isinstance(one, Judgement) for one in sealed), sealed
    assert Item.objects.get().state == ("disputed" if differ else "accepted")
    assert Verdict.objects.count() == (0 if differ else 1)


def test_draft_and_seal_at_the_same_instant_keep_the_seal(stage: Callable[[int], Scene]) -> None:
    """An autosave that collides with the seal makes no second judgement and loses none."""
    scene = stage(1)
    (person,) = reviewers(scene, 1)
    held = actions.take_next(person)
    done = at_once(
        [
            lambda: actions.save_draft(held, refusing("boundary")),
            lambda: actions.seal(held, all_accepting(), idempotency_key=uuid4()),
        ]
    )
    assert not [one for one in done if isinstance(one, Exception)]
    assert Judgement.objects.get().boundary == "within"


def test_two_adjudicators_at_once_make_one_verdict(stage: Callable[[int], Scene]) -> None:
    """The second is told that someone settled it."""
    scene = stage(1)
    first, second, *judges = reviewers(scene, 4)
    for one in (first, second):
        add_member(scene.lead.project, one.user, Role.ADJUDICATOR)
    judge(judges[0], scene.item, refusing("entailment"))
    judge(judges[1], scene.item)
    settlers = [member(scene.lead.project, one.user) for one in (first, second)]
    done = at_once(
        [
            lambda one=one, d=d: actions.adjudicate(scene.item, d, reason=d, by=one)
            for one, d in zip(settlers, ("accepted", "rejected"), strict=True)
        ]
    )
    assert len([one for one in done if isinstance(one, Verdict)]) == 1
    assert len([one for one in done if isinstance(one, Refused)]) == 1
    assert Verdict.objects.count() == 1
