"""A set over the same words in later versions: offered, proposed by a person, never moved."""

from __future__ import annotations

from uuid import uuid4

from django.test import Client

from adjudication.claims.models import Claim, EvidenceSet
from adjudication.corpus.actions import confirm_successor
from adjudication.corpus.models import Span
from adjudication.projects.actions import add_reader_class
from adjudication.projects.models import Project
from tests.conftest import Cast, client_for
from tests.corpus.browsing import address, page
from tests.factories import make_claim, make_evidence_set, make_version
from tests.review.scenes import member

OFFER = "Propose the same set over the later versions"


def follow(span: Span, cast: Cast, reader_classes: tuple[str, ...] = ("public",)) -> Span:
    """The span's words confirmed in a new version of its source."""
    project, text = span.version.source.project, f"New\n{span.exact}"
    later = make_version(project, text, key=span.version.source.key, reader_classes=reader_classes)
    return confirm_successor(span, later, 4, by=member(project, cast.lead))


def members(evidence_set: EvidenceSet) -> list[Span]:
    return [one.span for one in evidence_set.members.order_by("ordinal")]


def again(claim: Claim, evidence_set: EvidenceSet) -> str:
    return address("propose-route-again", claim.pk, evidence_set.pk)


def test_same_set_is_offered_over_the_later_versions(project: Project, cast: Cast) -> None:
    """Once every stale member was found again; the old route stays, and twice is once."""
    claim = make_claim(project)
    old = make_evidence_set(claim)
    first, second = members(old)
    rosa = client_for(cast.rosa)
    later = follow(first, cast)
    make_version(project, "New\nSomething else.", key=second.version.source.key)
    assert OFFER not in page(rosa, address("claim", claim.pk))
    again_second = follow(second, cast)
    assert OFFER in page(rosa, address("claim", claim.pk))
    assert OFFER not in page(client_for(cast.reader), address("claim", claim.pk))
    for _ in range(2):
        assert rosa.post(again(claim, old)).status_code == 302
    made = claim.evidence_sets.exclude(pk=old.pk).get()
    assert members(made) == [later, again_second]
    assert (made.origin, made.author) == (EvidenceSet.Origin.PERSON, cast.rosa)
    assert members(old) == [first, second]
    assert OFFER not in page(rosa, address("claim", claim.pk))


def test_member_that_is_not_stale_stays_in_the_renewed_set(
    project: Project, cast: Cast, lead: Client
) -> None:
    """Only what is to be checked again is replaced, each at its place."""
    claim = make_claim(project)
    old = make_evidence_set(claim)
    first, second = members(old)
    later = follow(second, cast)
    lead.post(again(claim, old))
    assert members(claim.evidence_sets.exclude(pk=old.pk).get()) == [first, later]


def test_nothing_is_offered_over_a_version_that_one_may_not_read(
    project: Project, cast: Cast, lead: Client
) -> None:
    """Nor from a route with a blocked member; a post by hand proposes nothing."""
    add_reader_class(project, key="legal", title="Legal", actor=None)
    claim, hidden = make_claim(project), make_claim(project)
    old = make_evidence_set(claim, "Vat 8 is sealed.")
    follow(members(old)[0], cast, ("legal",))
    blocked = make_evidence_set(hidden, "Vat 9 is sealed.", reader_classes=("legal",))
    follow(members(blocked)[0], cast)
    for one, evidence_set in ((claim, old), (hidden, blocked)):
        assert OFFER not in page(lead, address("claim", one.pk))
        lead.post(again(one, evidence_set))
        assert one.evidence_sets.count() == 1


def test_route_of_another_claim_or_person_is_missing(project: Project, cast: Cast) -> None:
    """By an id of nothing, of another claim's route, and for who may not write."""
    claim, other = make_claim(project), make_claim(project)
    route = make_evidence_set(other)
    lead = client_for(cast.lead)
    assert lead.post(address("propose-route-again", claim.pk, uuid4())).status_code == 404
    assert lead.post(again(claim, route)).status_code == 404
    assert client_for(cast.stranger).post(again(other, route)).status_code == 404
    assert client_for(cast.reader).post(again(other, route)).status_code == 403
    assert lead.get(again(other, route)).status_code == 405
