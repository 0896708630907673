"""Guidelines, comments and flags as someone may see them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db.models import Exists, F, OuterRef, QuerySet
from django.http import Http404

from adjudication.accounts.models import User
from adjudication.projects.models import Membership, Project, Role
from adjudication.review.discussion import Comment, Flag, FlagResolution, Guideline
from adjudication.review.models import Item
from adjudication.review.queries.originals import with_original
from adjudication.review.queries.queue import cleared_items, shown_to
from adjudication.review.queries.records import letters_on, phase_of, relation_to
from adjudication.review.visibility import Phase, Relation, Side, Sight, may_see
from adjudication.statements import Statement

# --- Guidelines ------------------------------------------------------------------------------


def guidelines_of(project: Project) -> QuerySet[Guideline]:
    """Every version, the one in force first. No member is kept from any."""
    return Guideline.objects.filter(project=project).select_related("by").order_by("-number")


def guidelines_in_force(project: Project) -> Guideline | None:
    return _IN_FORCE.first(project.pk)


_IN_FORCE = Statement(
    lambda project: (
        Guideline.objects.filter(project=project).select_related("by").order_by("-number")[:1]
    )
)


# --- Comments and flags on one item ----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Remark:
    """A comment as shown. Without names there is no time either: it would tell who wrote it."""

    who: str
    own: bool
    text: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class Raised:
    """A flag as shown. ``answer`` is what became of it, "" while nothing did or may be known."""

    who: str
    own: bool
    kind: str
    words: str
    answer: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class Discussion:
    """What is said on one item, in order, as far as somebody may know it."""

    comments: tuple[Remark, ...] = ()
    flags: tuple[Raised, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.comments or self.flags)


def own_discussion(membership: Membership, item: Item) -> Discussion:
    """What this person said themselves, which is theirs in every phase; no answer to it."""
    return _discussion(membership, item, Sight.NOTHING, Sight.NOTHING)


def discussion_seen(membership: Membership, item: Item) -> Discussion:
    """What this person may see of comments and flags, beside their own."""
    relation, phase = relation_to(membership, item), phase_of(membership, item)
    comments, flags = (may_see(relation, phase, side) for side in (Side.JUDGEMENTS, Side.FLAGS))
    return _discussion(membership, item, comments, flags)


def audited_discussion(membership: Membership, item: Item, released_at: datetime) -> Discussion:
    """What an auditor who judges nothing may see of what was said until ``released_at``."""
    cleared = cleared_items(membership).filter(pk=item.pk)
    relation = relation_to(membership, item)
    if membership.judges or relation is not Relation.AUDITOR or not cleared.exists():
        return Discussion()
    comments, flags = (
        may_see(relation, Phase.RELEASED, side) for side in (Side.JUDGEMENTS, Side.FLAGS)
    )
    return _discussion(membership, item, comments, flags, until=released_at)


_WITHOUT_OTHERS = (Sight.NOTHING, Sight.TOTALS)


def _discussion(
    membership: Membership,
    item: Item,
    comments: Sight,
    flags: Sight,
    until: datetime | None = None,
) -> Discussion:
    until = until or datetime.max.replace(tzinfo=UTC)
    items, own = tuple(with_original(item)), membership.user_id
    said = _SAID(items, own if comments in _WITHOUT_OTHERS else None)
    said = [one for one in said if one.at <= until]
    raised = _RAISED(items, own if flags in _WITHOUT_OTHERS else None)
    raised = [one for one in raised if one.at <= until]
    names = _Names(membership, item, {*(one.by_id for one in said), *(one.by_id for one in raised)})
    return Discussion(
        tuple(_remark(one, names, comments) for one in said),
        tuple(_raised(one, names, flags, until) for one in raised),
    )


def _on(remarks: QuerySet[Any], items: tuple[UUID, ...], person: UUID | None) -> QuerySet[Any]:
    """Those on these items, in order; of ``person`` where one is named."""
    found = remarks.filter(item__in=items).order_by("at", "id")
    return found.filter(by=person) if person else found


_SAID: Statement[Comment] = Statement(
    lambda items, person: _on(Comment.objects.select_related("by"), items, person)
)
_RAISED: Statement[Flag] = Statement(
    lambda items, person: _on(Flag.objects.select_related("by", "resolution__by"), items, person)
)


class _Names:
    """What people on an item are called: by name, by letter where names are off, or "you".

    A letter is the one that a person's judgement has beside it.
    """

    def __init__(self, membership: Membership, item: Item, people: set[UUID]) -> None:
        self.own = membership.user_id
        others = people - {self.own}
        self.letters = letters_on(item, others) if others else {}

    def of(self, person: User, capacity: str, sight: Sight) -> str:
        if person.pk == self.own:
            return "you"
        if sight is Sight.NAMELESS:
            return f"{capacity} {self.letters[person.pk]}"
        return str(person)


def _remark(one: Comment, names: _Names, sight: Sight) -> Remark:
    own = one.by_id == names.own
    who = names.of(one.by, one.get_capacity_display(), sight)
    return Remark(who, own, one.text, one.at if own or sight is not Sight.NAMELESS else None)


def _raised(one: Flag, names: _Names, sight: Sight, until: datetime) -> Raised:
    own = one.by_id == names.own
    resolution: FlagResolution | None = getattr(one, "resolution", None)
    # What a lead says of an item is another's comment on it, to its flagger as well.
    told = resolution and resolution.at <= until and sight not in _WITHOUT_OTHERS
    return Raised(
        who=names.of(one.by, "Reviewer", sight),
        own=own,
        kind=one.get_kind_display(),
        words=one.words,
        answer=resolution.reason if resolution and told else "",
        at=one.at if own or sight is not Sight.NAMELESS else None,
    )


# --- A lead's flags --------------------------------------------------------------------------


def flags_seen(membership: Membership) -> QuerySet[Any]:
    """Flags of the project that this lead may see, those without an answer first.

    ``cleared`` says whether they may read the item, whose evidence the words may quote. Of a
    lead who also reviews, only flags on sets of which they were shown the hidden side before:
    any other may still come to them.
    """
    if (
        not membership.has(Role.LEAD)
        or may_see(Relation.LEAD, Phase.OPEN, Side.FLAGS) is Sight.NOTHING
    ):
        return Flag.objects.none()
    flags = Flag.objects.filter(item__project=membership.project)
    if membership.has(Role.REVIEWER):
        flags = flags.filter(item__in=Item.objects.filter(shown_to(membership.user)))
    return (
        flags.annotate(cleared=Exists(cleared_items(membership).filter(pk=OuterRef("item"))))
        .select_related(
            "by", "item__specification", "item__evidence_set__claim__question", "resolution__by"
        )
        .order_by(F("resolution__at").desc(nulls_first=True), "-at", "id")
    )


def flag_for(membership: Membership, flag_id: UUID) -> Flag:
    """One flag on an item this lead may read; any other is as missing (Http404)."""
    found: Flag | None = flags_seen(membership).filter(pk=flag_id, cleared=True).first()
    if found is None:
        raise Http404("no such flag")
    return found


def unresolved(flags: QuerySet[Any]) -> QuerySet[Any]:
    return flags.filter(resolution__isnull=True)
