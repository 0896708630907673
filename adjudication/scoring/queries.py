"""Reading what systems answered, as a member may see it.

An answer is written from what its system had retrieved, and tells what that says. Who may not
read all that an output retrieved or cites, or a claim that it makes, learns that the output
exists, and who may read what it rests on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast
from uuid import UUID

from django.db.models import Count, QuerySet
from django.http import Http404

from adjudication.claims.models import Claim
from adjudication.claims.queries import claims_of
from adjudication.corpus.clearance import in_words, may_read_whole, openings_of
from adjudication.corpus.models import SourceVersion
from adjudication.corpus.queries import Premise, premises, versions_in
from adjudication.errors import Refused
from adjudication.projects.models import Membership, Role
from adjudication.projects.queries import check_role
from adjudication.scoring.models import Citation, Output, OutputClaim, Retrieved, SystemRun

READERS = (Role.LEAD, Role.AUDITOR)


def check_may_read(membership: Membership) -> None:
    """Refuse who may still judge: a system's answer and citations would lead them.

    Leads configure and import; auditors read the whole record. A lead who also judges brought
    the answers in, and knows them anyway.
    """
    check_role(membership, *READERS)
    if membership.judges and not membership.has(Role.LEAD):
        raise Refused("What systems answered is not shown to those who still judge here.")


def system_runs_of(membership: Membership) -> QuerySet[SystemRun]:
    """The system runs of the member's project by key, each with ``answered``."""
    runs = SystemRun.objects.filter(project=membership.project)
    return runs.annotate(answered=Count("outputs")).order_by("key")


def system_run_for(membership: Membership, key: str) -> SystemRun:
    """One system run of the member's project (Http404)."""
    found = system_runs_of(membership).filter(key=key).first()
    if found is None:
        raise Http404("no such system run")
    return found


def outputs_of(run: SystemRun) -> QuerySet[Output]:
    return run.outputs.select_related("question").order_by("question__text", "key")


@dataclass(frozen=True, slots=True)
class Document:
    """A version as a whole. Who may not read all of it gets no ``version``: only who may."""

    readers: str
    version: SourceVersion | None


Cited = Premise | Document


@dataclass(frozen=True, slots=True)
class ReadClaim:
    """``matched`` is the claim it is matched with, if any that the member may know."""

    claim: OutputClaim
    matched: Claim | None
    cited: tuple[Cited, ...]


@dataclass(frozen=True, slots=True)
class ReadOutput:
    """An output as a member may read it; a ``withheld`` one only says what it rests on."""

    output: Output
    withheld: bool
    retrieved: tuple[Cited, ...]
    claims: tuple[ReadClaim, ...]


def read_outputs(membership: Membership, outputs: Iterable[Output]) -> list[ReadOutput]:
    """The outputs of one page with all that belongs to them, in a few queries."""
    shown = list(outputs)
    claims = list(OutputClaim.objects.filter(output__in=shown).order_by("ordinal"))
    retrieved = list(Retrieved.objects.filter(output__in=shown))
    citations = list(Citation.objects.filter(output_claim__in=claims))
    places = _Places(membership, [*retrieved, *citations])
    of_output: dict[UUID, list[Cited]] = defaultdict(list)
    of_claim: dict[UUID, list[Cited]] = defaultdict(list)
    said: dict[UUID, list[OutputClaim]] = defaultdict(list)
    wanted = {one.claim_id for one in claims if one.claim_id}
    matched = claims_of(membership).in_bulk(wanted)
    for one in retrieved:
        of_output[one.output_id].append(places.of(one))
    for cited in citations:
        of_claim[cited.output_claim_id].append(places.of(cited))
    for claim in claims:
        said[claim.output_id].append(claim)
    return [
        _read(
            one,
            tuple(of_output[one.pk]),
            tuple(
                ReadClaim(
                    claim,
                    matched.get(claim.claim_id) if claim.claim_id else None,
                    tuple(of_claim[claim.pk]),
                )
                for claim in said[one.pk]
            ),
        )
        for one in shown
    ]


def _read(
    output: Output, retrieved: tuple[Cited, ...], claims: tuple[ReadClaim, ...]
) -> ReadOutput:
    rests_on = [*retrieved, *(cited for claim in claims for cited in claim.cited)]
    hidden = any(map(_blocked, rests_on)) or any(_withheld(claim.matched) for claim in claims)
    return ReadOutput(output, hidden, retrieved, claims)


def _withheld(claim: Claim | None) -> bool:
    """Annotated by ``claims_of``: whether the claim's words are withheld from the member."""
    return claim is not None and cast(Any, claim).withheld


def _blocked(one: Cited) -> bool:
    return one.span is None if isinstance(one, Premise) else one.version is None


class _Places:
    """The spans and versions of some places, as a member may read them."""

    def __init__(self, membership: Membership, places: Iterable[Retrieved | Citation]) -> None:
        listed = list(places)
        versions = {one.version_id for one in listed if one.version_id}
        self._premises = premises(membership, {one.span_id for one in listed if one.span_id})
        readable = versions_in(membership.project).filter(
            may_read_whole(membership.reader_classes.all())
        )
        self._versions = (
            readable.defer("snapshot", "text").select_related("source").in_bulk(versions)
        )
        self._openings = openings_of(versions)

    def of(self, one: Retrieved | Citation) -> Cited:
        if one.span_id is not None:
            return self._premises[one.span_id]
        assert one.version_id is not None, "the database keeps one of the two"
        readers = in_words(self._openings[one.version_id].whole)
        return Document(readers, self._versions.get(one.version_id))
