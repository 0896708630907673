"""The queue: in an order of one's own that tells nothing, with nothing lost on the way."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations
from statistics import mean
from types import SimpleNamespace
from typing import Any, cast
from uuid import UUID, uuid4

import pytest

from adjudication.projects.models import Membership, Project, Role
from adjudication.review import actions
from adjudication.review.models import Assignment
from adjudication.review.queries import order
from adjudication.review.queries.order import BUCKETS, bucket_of, waiting_for
from adjudication.review.queries.queue import available_in, available_to
from adjudication.specifications.models import Specification
from tests.conftest import Cast
from tests.factories import add_member, make_user
from tests.review.scenes import Scene, judge, member, open_scene, refusing

SOMEWHERE = cast(Any, SimpleNamespace(pk=uuid4()))


class Shelf:
    """Items without a database: every id that is still there, and how it was asked for."""

    def __init__(self, number: int, chance: random.Random) -> None:
        self.ids = [UUID(int=chance.getrandbits(128)) for _ in range(number)]
        self.asked: list[int] = []

    def within(
        self, person: Membership, test: Specification, buckets: tuple[str, ...] | None
    ) -> list[UUID]:
        found = [one for one in self.ids if buckets is None or bucket_of(one) in buckets]
        self.asked.append(len(found))
        return found


def shelf(monkeypatch: pytest.MonkeyPatch, number: int) -> Shelf:
    made = Shelf(number, random.Random(number))
    monkeypatch.setattr(order, "available_in", made.within)
    monkeypatch.setattr(order, "_widths", {})
    return made


def person() -> Any:
    return SimpleNamespace(user_id=uuid4())


def in_order(one: Any, last: UUID | None = None) -> list[UUID]:
    return [item for few in waiting_for(one, SOMEWHERE, last) for item in few]


def sorted_twin(one: Any, ids: list[UUID], last: UUID | None) -> list[UUID]:
    """The slow twin: every item at once, sorted by what the order is said to be."""
    key = order._key_of(one.user_id)
    buckets = sorted(BUCKETS, key=lambda bucket: order._hashed(key, bucket))
    at = {bucket: number for number, bucket in enumerate(buckets)}
    begin = at[bucket_of(last)] if last else 0

    def place(item: UUID) -> tuple[int, bytes]:
        return (at[bucket_of(item)] - begin) % len(buckets), order._hashed(key, str(item))

    return sorted(ids, key=place)


@pytest.mark.parametrize("number", [0, 1, 7, 60, 900, 5_000])
def test_some_at_a_time_is_the_order_of_all(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Whatever is looked at first, and wherever one begins: all come once, in the one order."""
    made = shelf(monkeypatch, number)
    one = person()
    for last in (None, *made.ids[:1], uuid4()):
        assert in_order(one, last) == sorted_twin(one, made.ids, last)


def test_few_are_looked_at_to_find_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 40,000 items a few dozen are asked about, once one or two questions have been asked."""
    made = shelf(monkeypatch, 40_000)
    for _ in range(8):
        next(waiting_for(person(), SOMEWHERE, None))
    made.asked.clear()
    next(waiting_for(person(), SOMEWHERE, None))
    assert made.asked[0] == sum(made.asked) < 100


def test_the_place_of_an_item_tells_nothing_about_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over 150 people, items of two kinds stand as far ahead as each other, and so does each item;
    and whom two people meet first has nothing to do with each other."""
    made = shelf(monkeypatch, 200)
    people = [person() for _ in range(150)]
    orders = [in_order(one) for one in people]
    places: Counter[UUID] = Counter()
    for one in orders:
        places.update({item: at for at, item in enumerate(one)})
    # The mean place of an item has a standard error of 58 / 12; of half the items, far less.
    means = {item: places[item] / len(people) for item in made.ids}
    assert all(abs(one - 99.5) < 5 * 4.7 for one in means.values())
    assert abs(mean(means[item] for item in made.ids[:100]) - 99.5) < 3
    firsts = [set(one[:20]) for one in orders[:60]]
    shared = mean(len(a & b) for a, b in combinations(firsts, 2))
    assert abs(shared - 2) < 0.3  # 20 of 200, chosen independently


@pytest.mark.django_db
def test_everything_available_is_offered_and_nothing_else(project: Project, cast: Cast) -> None:
    """Beside items that are taken, sealed, handed back and decided, the statement that is said
    once finds what the query itself finds, for everybody and with and without buckets."""
    scene = open_scene(project, cast.lead, sets=12)
    people = [member(project, cast.rosa), member(project, cast.rui)]
    for number in range(3):
        user = make_user(f"reviewer-{number}")
        add_member(project, user, Role.REVIEWER)
        people.append(member(project, user))
    chance = random.Random(5)
    for _ in range(7):
        _do_something(chance, people, scene)
        for one in people:
            expected = set(available_to(one, scene.specification).values_list("pk", flat=True))
            offered = [i for few in waiting_for(one, scene.specification, None) for i in few]
            assert len(offered) == len(set(offered))
            assert set(offered) == expected
            some = tuple(bucket_of(item.pk) for item in scene.items[:5])
            found = set(available_in(one, scene.specification, some))
            assert found == {i for i in expected if bucket_of(i) in some}


def _do_something(chance: random.Random, people: list[Membership], scene: Scene) -> None:
    one = chance.choice(people)
    taken = actions.take_next(one)
    if taken is None:
        return
    if (what := chance.randrange(4)) == 0:
        actions.release(taken)
    elif what == 1:
        Assignment.objects.filter(pk=taken.pk).update(lease_until=taken.held_at)
    elif what == 2:
        judge(one, taken.item, refusing("entailment") if chance.random() < 0.5 else None)


@pytest.mark.django_db
def test_what_was_handed_back_behind_one_comes_round_again(project: Project, cast: Cast) -> None:
    """Where the walk ends it goes on from the beginning: nothing that is free is passed over."""
    scene = open_scene(project, cast.lead, sets=6, reviewers=1)
    rosa, rui = member(project, cast.rosa), member(project, cast.rui)
    mine = [i for few in waiting_for(rosa, scene.specification, None) for i in few]
    behind = actions.take(rui, mine[0])
    done: list[Assignment] = []
    while taken := actions.take_next(rosa, done[-1] if done else None):
        judge(rosa, taken.item)
        done.append(taken)
    assert [one.item_id for one in done] == mine[1:]
    actions.release(behind)
    back = actions.take_next(rosa, done[-1])
    assert back is not None
    assert back.item_id == mine[0]
