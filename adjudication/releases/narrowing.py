"""What a released version still opens to whom: clearance that was tightened since closes it.

A part is open to a reader class only if it was when the version was frozen and would be now.
What is sealed stays as it is, and so does every digest.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from adjudication.claims.models import EvidenceMember
from adjudication.corpus.clearance import openings_of
from adjudication.corpus.models import Tightening
from adjudication.projects.models import ReaderClass
from adjudication.releases.models import AnnotationVersion
from adjudication.releases.queries import items_of
from adjudication.releases.rules import Route, claim_readers, common
from adjudication.releases.sealing import Body, body_from
from adjudication.review.models import Verdict

Keys: TypeAlias = frozenset[str]
"""Of reader classes."""


def keys(classes: Collection[ReaderClass]) -> Keys:
    return frozenset(one.key for one in classes)


@dataclass(frozen=True, slots=True)
class Narrowing:
    """The classes to which parts may be open now, by the span of a member and by claim.

    What is not named was not tightened, and stays open to those it was open to.
    """

    lost_corpus: Keys = frozenset()
    members: Mapping[str, Keys] = field(default_factory=dict)
    snapshots: Mapping[str, Keys] = field(default_factory=dict)
    claims: Mapping[str, Keys] = field(default_factory=dict)

    @classmethod
    def of(cls, version: AnnotationVersion) -> Narrowing:
        """What was tightened of the sources of ``version``; most often nothing."""
        eligible = version.specification.eligible.values("version")
        tightened = Tightening.objects.filter(version__in=eligible)
        lost = frozenset(tightened.values_list("reader_class__key", flat=True))
        rows = EvidenceMember.objects.filter(
            evidence_set__in=items_of(version).order_by().values("evidence_set"),
            span__version__in=Tightening.objects.values("version"),
        ).select_related("span")
        spans = {str(row.span_id): row.span for row in rows}
        openings = openings_of(span.version_id for span in spans.values())
        found = cls(
            lost_corpus=lost,
            members={
                key: keys(openings[span.version_id].readers(span.start, span.end))
                for key, span in spans.items()
            },
            snapshots={key: keys(openings[span.version_id].whole) for key, span in spans.items()},
        )
        sets = {row.evidence_set_id for row in rows}
        beside = items_of(version).filter(
            evidence_set__claim__in=items_of(version)
            .order_by()
            .filter(evidence_set__in=sets)
            .values("evidence_set__claim")
        )
        return replace(found, claims=found._claims([body_from(row.body) for row in beside]))

    def head(self, body: Body) -> Body:
        """The head of a version as it is open now."""
        was_open = body["parts"]["specification"]["reader_classes"]
        return _limited(body, {"specification": frozenset(was_open) - self.lost_corpus})

    def item(self, body: Body) -> Body:
        """An item of a version as it is open now."""
        limits = {"reasons": self._route(body).readers}
        if (claim := self.claims.get(body["shown"]["claim"])) is not None:
            limits |= {"claim": claim, "reasons": limits["reasons"] & claim}
        for member in body["shown"]["members"]:
            ordinal, span = member["ordinal"], member["span"]
            if span in self.members:
                name = f"member-{ordinal}"
                limits[name] = self.members[span]
                limits[f"snapshot-{ordinal}"] = self.snapshots[span]
                if "sha256" in body["parts"][name]["content"]["version"]:
                    # Released before the digest of the whole version had a part of its own.
                    limits[name] &= self.snapshots[span]
        return _limited(body, limits)

    def _route(self, body: Body) -> Route:
        """The set of an item, with the classes that may read all of it now."""

        def readers(ordinal: int, span: str) -> Keys:
            frozen = frozenset(body["parts"][f"member-{ordinal}"]["reader_classes"])
            return frozen & self.members.get(span, frozen)

        members = body["shown"]["members"]
        accepted = body["shown"]["verdict"]["decision"] == Verdict.Decision.ACCEPTED
        return Route(common(readers(one["ordinal"], one["span"]) for one in members), accepted)

    def _claims(self, bodies: Collection[Body]) -> dict[str, Keys]:
        """By claim, the classes to which all its sets together open it now."""
        routes: dict[str, list[Route]] = defaultdict(list)
        for body in bodies:
            routes[body["shown"]["claim"]].append(self._route(body))
        classes = {key for body in bodies for key in body["parts"]["claim"]["reader_classes"]}
        return {claim: claim_readers(every, classes) for claim, every in routes.items()}


def _limited(body: Body, limits: Mapping[str, Keys]) -> Body:
    """``body`` with each part open to no class beyond its limit."""
    parts = {
        name: {**one, "reader_classes": sorted(limits[name].intersection(one["reader_classes"]))}
        if name in limits
        else one
        for name, one in body["parts"].items()
    }
    return {**body, "parts": parts}
