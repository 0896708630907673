"""A frozen item as one member may read it on a page: the parts open to any of their classes."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from adjudication.projects.models import Membership
from adjudication.releases.models import FrozenItem
from adjudication.releases.sealing import body_from


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A member of the set; without ``content`` it is hidden from this person."""

    ordinal: int
    span: str
    content: dict[str, Any] | None

    @property
    def observed(self) -> datetime | None:
        if self.content is None:
            return None
        return datetime.fromisoformat(self.content["version"]["observed_at"])


@dataclass(frozen=True, slots=True)
class ReadItem:
    """``shown`` is what every reader sees; ``claim`` and ``reasons`` are None where withheld."""

    row: FrozenItem
    shown: dict[str, Any]
    claim: dict[str, Any] | None
    members: tuple[Excerpt, ...]
    reasons: dict[str, Any] | None

    @property
    def hidden(self) -> int:
        """How many members this person may not inspect."""
        return sum(member.content is None for member in self.members)


def classes_of(membership: Membership) -> frozenset[str]:
    return frozenset(membership.reader_classes.values_list("key", flat=True))


def read_item(row: FrozenItem, classes: Set[str]) -> ReadItem:
    """``row`` as somebody holding ``classes`` may read it."""
    body = body_from(row.body)

    def content(name: str) -> dict[str, Any] | None:
        part = body["parts"][name]
        readable = not classes.isdisjoint(part["reader_classes"])
        return part["content"] if readable else None

    return ReadItem(
        row=row,
        shown=body["shown"],
        claim=content("claim"),
        members=tuple(
            Excerpt(one["ordinal"], one["span"], content(f"member-{one['ordinal']}"))
            for one in body["shown"]["members"]
        ),
        reasons=content("reasons"),
    )
