"""A project drawn at random, built twice: the same but for what one class may not read.

The readers of these tests hold the class "public" alone. In what is hidden from it, the two
worlds have other letters (as many); everywhere else they are the same, down to the ids.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from adjudication.claims.actions import open_claim, propose_evidence_set, record_contradiction
from adjudication.claims.models import Claim, Contradiction, EvidenceSet, Question
from adjudication.corpus.actions import Capture, capture_version, make_span
from adjudication.corpus.models import SourceVersion, Span, Tightening
from adjudication.projects.models import Project
from adjudication.review import actions
from adjudication.review.models import Assignment, Item, Judgement, Verdict
from adjudication.specifications.actions import freeze, start_draft
from adjudication.specifications.models import Specification
from certify_core.canonical import digest
from tests.conftest import Cast
from tests.factories import OBSERVED
from tests.releases.decided import judge, member, released

READER = "public"
LENGTH = 48
SPANS = ((0, 9), (10, 20), (15, 30), (25, 48))

Range = tuple[int, int]


@dataclass(frozen=True)
class Rights:
    """Classes cleared for a version, and what was tightened: (class, range or the whole)."""

    cleared: frozenset[str]
    tightened: frozenset[tuple[str, Range | None]] = frozenset()

    def readers(self, place: int) -> set[str]:
        """The slow, obvious rule: ask for one character after the other."""
        return {one for one in self.cleared if not self._closed(one, place)}

    def _closed(self, reader_class: str, place: int) -> bool:
        return any(
            who == reader_class and (where is None or where[0] <= place < where[1])
            for who, where in self.tightened
        )

    def opens(self, held: frozenset[str]) -> bool:
        whole = {who for who, where in self.tightened if where is None}
        return bool((self.cleared - whole) & held)

    def reads(self, held: frozenset[str], start: int, end: int) -> bool:
        return all(self.readers(place) & held for place in range(start, end))


@dataclass(frozen=True)
class Drawn:
    """A version of the source ``source``. ``late`` is tightened only after the release."""

    source: int
    rights: Rights
    late: frozenset[tuple[str, Range | None]]

    @cached_property
    def in_the_end(self) -> Rights:
        return Rights(self.rights.cleared, self.rights.tightened | self.late)

    @property
    def opens(self) -> bool:
        return self.in_the_end.opens(frozenset([READER]))

    def reads(self, start: int, end: int) -> bool:
        return self.in_the_end.reads(frozenset([READER]), start, end)


Place = tuple[int, int]
"""A member: the number of a version, and of a span in it."""


@dataclass(frozen=True)
class Plan:
    """``claims`` hold their routes, each of which holds its members."""

    versions: tuple[Drawn, ...]
    claims: tuple[tuple[tuple[Place, ...], ...], ...]
    against: tuple[Place, ...]

    def reads(self, places: Sequence[Place]) -> bool:
        return all(self.versions[number].reads(*SPANS[span]) for number, span in places)

    def shows(self, routes: Sequence[Sequence[Place]]) -> bool:
        """Whether the words of a claim with these routes are shown."""
        return not routes or any(map(self.reads, routes))

    def lists(self, source: int) -> bool:
        return any(one.opens for one in self.versions if one.source == source)

    def text(self, number: int, world: int) -> str:
        """The text of a version: hidden characters are another world's."""
        drawn = self.versions[number]
        shown, hidden = random.Random(number), random.Random(f"{number} {world}")
        letters = (shown.choice("abcde fgh ") for _ in range(LENGTH))
        return "".join(
            letter if drawn.reads(place, place + 1) else hidden.choice("uvwxyz")
            for place, letter in enumerate(letters)
        )

    def told(self, words: str, shown: bool, world: int) -> str:
        """Words that people wrote; about what is hidden, each world has its own."""
        return words if shown else f"{words} {'ab'[world] * 3}"


class World:
    """The project of ``plan`` as it stands in world number ``world``, made by the actions."""

    def __init__(self, project: Project, cast: Cast, plan: Plan, world: int) -> None:
        self.project, self.cast, self.plan, self.world = project, cast, plan, world
        self.classes = {one.key: one for one in project.reader_classes.all()}
        self.versions = [self._version(number) for number in range(len(plan.versions))]
        self.spans = [
            [make_span(one, *place, actor=None) for place in SPANS] for one in self.versions
        ]
        for drawn, version in zip(plan.versions, self.versions, strict=True):
            self._tighten(version, drawn.rights.tightened)
        self.sets = [self._claim(number) for number in range(len(plan.claims))]
        self._contradict()
        self._review()
        released(project, cast.lead, cast.adjudicator)
        for drawn, version in zip(plan.versions, self.versions, strict=True):
            self._tighten(version, drawn.late)

    def _version(self, number: int) -> SourceVersion:
        drawn = self.plan.versions[number]
        title = self.plan.told(f"Source {drawn.source}", self.plan.lists(drawn.source), self.world)
        capture = Capture(
            origin="test",
            key=f"s{drawn.source}",
            title=title,
            snapshot=self.plan.text(number, self.world).encode(),
            observed_at=OBSERVED,
            authority=self.plan.told("Registry", drawn.opens, self.world),
        )
        classes = [self.classes[key] for key in sorted(drawn.rights.cleared)]
        return capture_version(self.project, capture, reader_classes=classes, actor=self.cast.lead)

    def _tighten(self, version: SourceVersion, closed: frozenset[tuple[str, Range | None]]) -> None:
        for key, place in sorted(closed, key=str):
            Tightening.objects.get_or_create(
                version=version,
                span=make_span(version, *place, actor=None) if place else None,
                reader_class=self.classes[key],
                defaults={"reason": "They asked.", "by": self.cast.lead},
            )

    def _span(self, place: Place) -> Span:
        return self.spans[place[0]][place[1]]

    def _claim(self, number: int) -> list[EvidenceSet]:
        routes = self.plan.claims[number]
        question = Question.objects.create(
            project=self.project,
            origin="test",
            key=f"q{number}",
            text="Who holds it?",
            sha256=digest({"key": number}),
        )
        shown = self.plan.shows(routes)
        value = self.plan.told(f"Entity {number}", shown, self.world)
        claim = open_claim(question, value=value, origin=Claim.Origin.REFERENCE, author=None)
        return [
            propose_evidence_set(
                claim,
                [self._span(place) for place in route],
                origin=EvidenceSet.Origin.REFERENCE,
                author=None,
            )
            for route in routes
        ]

    def _contradict(self) -> None:
        record_contradiction(
            Claim.objects.filter(question__key="q0").get(),
            [self._span(place) for place in self.plan.against],
            material=False,
            treatment=Contradiction.Treatment.IMMATERIAL,
            note=self.plan.told("It says so.", self.plan.reads(self.plan.against), self.world),
            by=self.cast.lead,
        )

    def _review(self) -> None:
        """The first set of each claim is decided; the others are open, some in a hand."""
        specification = self._frozen()
        lead = member(self.project, self.cast.lead)
        actions.open_items(specification, EvidenceSet.objects.all(), by=lead)
        for routes, sets in zip(self.plan.claims, self.sets, strict=True):
            self._decide(Item.objects.get(evidence_set=sets[0]), self.plan.reads(routes[0]))
        self._flag(actions.take_next(member(self.project, self.cast.rui)))

    def _flag(self, held: Assignment | None) -> None:
        """What a reviewer says of a set may quote its evidence."""
        if held is None:
            return
        routes = zip(self.plan.claims, self.sets, strict=True)
        shown = {
            made.pk: self.plan.reads(route)
            for claim, sets in routes
            for route, made in zip(claim, sets, strict=True)
        }[held.item.evidence_set_id]
        actions.flag(held, "other", self.plan.told("It ends mid-word.", shown, self.world))
        by = member(self.project, self.cast.rui)
        actions.comment(by, held.item, self.plan.told("It says so.", shown, self.world))

    def _frozen(self) -> Specification:
        """Its digest covers the cutoff, which is the same in both worlds."""
        draft = start_draft(self.project, by=None)
        draft.observation_cutoff = OBSERVED
        draft.save()
        return freeze(draft, by=None)

    def _decide(self, item: Item, shown: bool) -> None:
        words = self.plan.told("It lacks a step.", shown, self.world)
        reasons = {"entailment": {"choice": "other", "words": words}}
        judgements: list[Judgement] = [
            judge(item, reviewer, entailment="does-not", reasons=reasons)
            for reviewer in (self.cast.rosa, self.cast.rui)
        ]
        lead = member(self.project, self.cast.lead)
        actions.comment(lead, item, self.plan.told("Both say so.", shown, self.world))
        item.state = Item.State.REJECTED
        item.save()
        Verdict.objects.create(
            item=item,
            round=item.round,
            decision="rejected",
            basis="adjudication",
            by=self.cast.adjudicator,
            reason=self.plan.told("Seen by both.", shown, self.world),
            judgements=[one.pk for one in judgements],
        )
