"""A frozen item as one member may read it on a page: the parts open to any of their classes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import TextChoices

from adjudication.corpus.times import Observed, Precision
from adjudication.projects.models import Membership
from adjudication.releases.models import FrozenItem
from adjudication.releases.narrowing import Narrowing
from adjudication.releases.sealing import body_from
from adjudication.review.answers import reasons_from_json
from adjudication.review.dimensions import BY_KEY
from adjudication.review.models import (
    Admissibility,
    Alternatives,
    Boundary,
    ContradictionAnswer,
    Entailment,
    Judgement,
    MemberJudgement,
    Minimality,
)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A member of the set; without ``content`` it is hidden from this person. ``digest`` is that
    of its version, empty for who may not read all of it."""

    ordinal: int
    span: str
    content: dict[str, Any] | None
    digest: str

    @property
    def observed(self) -> Observed | None:
        if self.content is None:
            return None
        version = self.content["version"]
        # Bodies that were released before the precision was kept know moments only.
        precision = version.get("observed_precision", Precision.MOMENT.value)
        return Observed(datetime.fromisoformat(version["observed_at"]), Precision(precision))


@dataclass(frozen=True, slots=True)
class ReadJudgement:
    """``answers`` are (dimension, words); ``reasons`` is empty where withheld or not given."""

    reviewer: int
    answers: tuple[tuple[str, str], ...]
    reasons: dict[str, str]


@dataclass(frozen=True, slots=True)
class ReadItem:
    """``shown`` is what every reader sees; ``claim`` and ``reasons`` are None where withheld."""

    row: FrozenItem
    shown: dict[str, Any]
    claim: dict[str, Any] | None
    members: tuple[Excerpt, ...]
    reasons: dict[str, Any] | None
    judgements: tuple[ReadJudgement, ...]

    @property
    def verdict_by(self) -> str:
        """How the verdict was reached; of a carried one, how and where people reached it."""
        verdict = self.shown["verdict"]
        if (original := verdict.get("carried_from")) is None:
            return str(verdict["basis"])
        return f"{original['basis']}, carried over from specification {original['specification']}"

    @property
    def hidden(self) -> int:
        """How many members this person may not inspect."""
        return sum(member.content is None for member in self.members)


def classes_of(membership: Membership) -> frozenset[str]:
    return frozenset(membership.reader_classes.values_list("key", flat=True))


def read_item(row: FrozenItem, classes: Set[str], narrowing: Narrowing) -> ReadItem:
    """``row`` as somebody holding ``classes`` may read it."""
    body = narrowing.item(body_from(row.body))

    def content(name: str) -> dict[str, Any] | None:
        part = body["parts"].get(name)
        readable = part and not classes.isdisjoint(part["reader_classes"])
        return part["content"] if readable else None

    def member(ordinal: int, span: str) -> Excerpt:
        snapshot = content(f"snapshot-{ordinal}")
        digest = snapshot["sha256"] if snapshot else ""
        return Excerpt(ordinal, span, content(f"member-{ordinal}"), digest)

    return ReadItem(
        row=row,
        shown=body["shown"],
        claim=content("claim"),
        members=tuple(member(one["ordinal"], one["span"]) for one in body["shown"]["members"]),
        reasons=content("reasons"),
        judgements=tuple(_judgements(body["shown"]["judgements"], content("reasons"))),
    )


_DIMENSIONS: tuple[tuple[str, type[TextChoices]], ...] = (
    ("entailment", Entailment),
    ("minimality", Minimality),
    ("admissibility", Admissibility),
    ("alternatives", Alternatives),
    ("contradiction", ContradictionAnswer),
    ("boundary", Boundary),
)


def _judgements(
    answers: Iterable[dict[str, Any]], reasons: dict[str, Any] | None
) -> Iterator[ReadJudgement]:
    given = {one["reviewer"]: one["reasons"] for one in reasons["judgements"]} if reasons else {}
    for one in answers:
        words = [(name, str(kind(one[name]).label)) for name, kind in _DIMENSIONS]
        needed = ", ".join(
            f"{member['ordinal']} {MemberJudgement.Needed(member['needed']).label}"
            for member in one["members"]
        )
        basis = Judgement.Basis(one["minimality_basis"]).label
        yield ReadJudgement(
            reviewer=one["reviewer"],
            answers=(
                *words,
                ("minimality is", str(basis)),
                ("members", needed),
                ("guidelines", _version_in_words(one.get("guidelines"))),
            ),
            reasons=_in_words(given.get(one["reviewer"], {})),
        )


def _version_in_words(guidelines: Mapping[str, Any] | None) -> str:
    """Bodies released before there were guidelines name none either."""
    return f"version {guidelines['number']}" if guidelines else "none"


def _in_words(reasons: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """By dimension, the choice as its label and after it what the reviewer wrote."""
    said = {}
    for name, reason in reasons_from_json(reasons).items():
        choices = {choice.key: choice.label for choice in BY_KEY[name].choices}
        parts = (choices.get(reason.choice, ""), f"“{reason.words}”" if reason.words else "")
        said[name] = " ".join(part for part in parts if part)
    return said
