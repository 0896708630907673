"""Which sealed judgements of a test are compared, and who may read how far they agree."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from django.db.models import Count, Q

from adjudication.accounts.models import User
from adjudication.errors import Refused
from adjudication.projects.models import Membership
from adjudication.review.agreement import Agreement, Pair, Rated, agreement_of, pairs_of
from adjudication.review.dimensions import DIMENSIONS, Dimension
from adjudication.review.models import OPEN_STATES, Item, Judgement
from adjudication.review.queries.originals import is_still_carried
from adjudication.review.queries.queue import may_still_judge
from adjudication.review.queries.records import letter
from adjudication.specifications.models import Specification
from certify_core.canonical import digest


class Row(NamedTuple):
    """A sealed judgement. ``independent`` is neither surplus nor after an exposure; ``answers``
    are in the order of the dimensions."""

    pk: UUID
    amends: UUID | None
    item: UUID
    question: UUID
    reviewer: UUID
    round: int
    independent: bool
    answers: tuple[str, ...]


Rounds = Mapping[UUID, Sequence[Row]]
"""By item, the judgements of one of its rounds, one per reviewer."""


@dataclass(frozen=True, slots=True)
class Sets:
    """Every set of a test, and how many of them still wait."""

    whole: int
    open: int
    disputed: int
    carried: int


@dataclass(frozen=True, slots=True)
class People:
    """Two reviewers, by name or by letter, over the sets they shared; a pair per dimension."""

    names: tuple[str, str]
    sets: int
    pairs: tuple[tuple[Dimension, Pair], ...]


@dataclass(frozen=True, slots=True)
class Measured:
    """How far the reviewers of a test agree.

    ``first`` compares what they sealed alone; ``last`` compares, of the same sets, what stood
    after amendments and later rounds, of which there were ``changed``. ``set_aside`` counts
    judgements that are compared nowhere: surplus, or made after an exposure.
    """

    sets: Sets
    compared: int
    set_aside: int
    first: tuple[tuple[Dimension, Agreement], ...]
    people: tuple[People, ...]
    named: bool
    changed: int
    last: tuple[tuple[Dimension, Agreement], ...]


def check_may_read_totals(membership: Membership, specification: Specification) -> None:
    """Raises Refused while sets of the test may still come to this person for judgement."""
    if may_still_judge(membership).filter(specification=specification).exists():
        raise Refused(
            "Sets of this test may still come to you as a reviewer, and totals would tell what "
            "others answered. The page opens once none is left for you."
        )


def measured(specification: Specification) -> Measured:
    """The agreement of a test; for whoever ``check_may_read_totals`` lets pass."""
    rows = list(_rows(specification))
    needed = specification.reviewers_per_item
    first = first_rounds(rows, needed)
    last = {item: sealed for item, sealed in last_rounds(rows, needed).items() if item in first}
    changed = sum(_keys(last[item]) != _keys(sealed) for item, sealed in first.items())
    sets = _sets(specification)
    pending = _pending(specification, first)
    gaps = {"pending": pending, "missing": sets.whole - len(first) - pending}
    answers = _by_dimension(first)
    return Measured(
        sets=sets,
        compared=len(first),
        set_aside=sum(row.amends is None and not row.independent for row in rows),
        first=_agreements(answers, **gaps),
        people=_people(specification, answers, named=not sets.open),
        named=not sets.open,
        changed=changed,
        last=_agreements(_by_dimension(last), **gaps) if changed else (),
    )


def first_rounds(rows: Sequence[Row], needed: int) -> Rounds:
    """What the ``needed`` first reviewers of each item sealed before they knew of each other.

    An item that still waits for one of them is left out: its figures would be answers.
    """
    found: dict[UUID, list[Row]] = defaultdict(list)
    for row in rows:
        if row.amends is None and row.independent and row.round == 1:
            found[row.item].append(row)
    return {item: sealed for item, sealed in found.items() if len(sealed) == needed}


def last_rounds(rows: Sequence[Row], needed: int) -> Rounds:
    """The last complete round of each item, each judgement as its reviewer last amended it,
    also after they were shown the others'."""
    amended = {row.amends: row for row in rows if row.amends}
    found: dict[UUID, dict[int, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row.amends is None and row.independent:
            found[row.item][row.round].append(_last(row, amended))
    complete = {
        item: max((n for n, sealed in rounds.items() if len(sealed) == needed), default=0)
        for item, rounds in found.items()
    }
    return {item: found[item][number] for item, number in complete.items() if number}


def _last(row: Row, amended: Mapping[UUID, Row]) -> Row:
    while row.pk in amended:
        row = amended[row.pk]
    return row


def _keys(sealed: Sequence[Row]) -> set[UUID]:
    return {row.pk for row in sealed}


def _rows(specification: Specification) -> Iterator[Row]:
    """By question, so that every look at the same judgements draws the same samples."""
    found = (
        Judgement.objects.filter(item__specification=specification)
        .order_by("item__evidence_set__claim__question", "item", "id")
        .values_list(
            "id",
            "amends",
            "item",
            "item__evidence_set__claim__question",
            "reviewer",
            "round",
            "surplus",
            "after_exposure",
            *(dimension.key for dimension in DIMENSIONS),
        )
    )
    for *place, surplus, exposed, a, b, c, d, e, f in found.iterator():
        pk, amends, item, question, reviewer, number = place
        independent = not (surplus or exposed)
        yield Row(pk, amends, item, question, reviewer, number, independent, (a, b, c, d, e, f))


def _sets(specification: Specification) -> Sets:
    counts = Item.objects.filter(specification=specification).aggregate(
        whole=Count("pk"),
        open=Count("pk", filter=Q(state__in=OPEN_STATES)),
        disputed=Count("pk", filter=Q(state=Item.State.DISPUTED)),
        carried=Count("pk", filter=is_still_carried()),
    )
    return Sets(**counts)


def _pending(specification: Specification, first: Rounds) -> int:
    """Open sets that wait for a first judgement; those in a later round have theirs."""
    waiting = Item.objects.filter(specification=specification, state__in=OPEN_STATES)
    return len(set(waiting.values_list("pk", flat=True)).difference(first))


def _by_dimension(rounds: Rounds) -> list[list[Rated]]:
    """The answers set by set, for each dimension."""
    return [
        [
            Rated(sealed[0].question, {row.reviewer: row.answers[place] for row in sealed})
            for sealed in rounds.values()
        ]
        for place in range(len(DIMENSIONS))
    ]


def _agreements(
    answers: Sequence[Sequence[Rated]], **gaps: int
) -> tuple[tuple[Dimension, Agreement], ...]:
    return tuple(
        (dimension, agreement_of(rated, **gaps))
        for dimension, rated in zip(DIMENSIONS, answers, strict=True)
    )


def _people(
    specification: Specification, answers: Sequence[Sequence[Rated]], *, named: bool
) -> tuple[People, ...]:
    """Every pair; by name only where ``named``, else by letters that tell no order."""
    pairs = [pairs_of(rated) for rated in answers]
    keys = {key for pair in pairs[0] for key in pair.people}
    names = _names(keys) if named else _letters(specification, keys)
    return tuple(
        sorted(
            (
                People(
                    _in_order(names[key] for key in same[0].people),
                    same[0].rate.denominator,
                    tuple(zip(DIMENSIONS, same, strict=True)),
                )
                for same in zip(*pairs, strict=True)
            ),
            key=lambda people: people.names,
        )
    )


def _in_order(names: Iterable[str]) -> tuple[str, str]:
    first, second = sorted(names)
    return first, second


def _names(keys: set[UUID]) -> dict[UUID, str]:
    return {user.pk: str(user) for user in User.objects.filter(pk__in=keys)}


def _letters(specification: Specification, keys: set[UUID]) -> dict[UUID, str]:
    shuffled = sorted(keys, key=lambda key: digest([str(specification.pk), str(key)]))
    return {key: letter(place) for place, key in enumerate(shuffled)}
