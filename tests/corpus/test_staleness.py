"""What rests on an earlier version says "re-check" wherever it is shown, and nothing moves."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from adjudication.claims.actions import record_contradiction
from adjudication.claims.models import Contradiction
from adjudication.corpus.actions import confirm_successor, invalidate
from adjudication.corpus.models import Invalidation, Span, Successor
from adjudication.corpus.newer import newest_for, successors_of
from adjudication.corpus.staleness import rechecks
from adjudication.errors import Refused
from adjudication.journal.models import Entry
from adjudication.projects.actions import add_reader_class
from adjudication.projects.models import Project, Role
from adjudication.projects.queries import membership_for
from tests.conftest import Cast, client_for
from tests.corpus.browsing import address, page
from tests.factories import (
    add_member,
    make_claim,
    make_evidence_set,
    make_project,
    make_version,
    span_of,
)
from tests.review.scenes import member

OLD, NEW = "T\nVat 8 is sealed.", "T\nSince May, Vat 8 is sealed. Indeed Vat 8 is sealed."
SAYS = "Version 2 of this source exists."


def test_later_version_and_invalidation_ask_for_a_recheck(project: Project, cast: Cast) -> None:
    """Each with its reason; the newest version, still to be used, asks for none."""
    old, other = make_version(project, OLD, key="s"), make_version(project)
    new = make_version(project, NEW, key="s")
    invalidate(other, reason="Withdrawn.", by=member(project, cast.lead))
    invalidate(old, reason="Misprint.", by=member(project, cast.lead))
    with CaptureQueriesContext(connection) as queries:
        found = rechecks([old.pk, other.pk, new.pk])
    assert len(queries) == 1
    assert new.pk not in found
    assert (found[old.pk].newest, found[old.pk].reason) == (2, "Misprint.")
    assert (found[other.pk].newest, found[other.pk].reason) == (0, "Withdrawn.")
    assert rechecks([]) == {}


def test_span_is_shown_for_recheck_wherever_it_stands(
    project: Project, cast: Cast, lead: Client
) -> None:
    """Its source, its version and the claim that rests on it say so."""
    claim = make_claim(project)
    evidence_set = make_evidence_set(claim, "Vat 8 is sealed.")
    span = evidence_set.members.get().span
    urls = [
        address("version", span.version_id),
        address("source", span.version.source_id),
        address("claim", claim.pk),
        address("propose-route", claim.pk),
        address("contradict", claim.pk),
    ]
    assert not any(SAYS in page(lead, url) for url in urls)
    make_version(project, NEW, key=span.version.source.key)
    for url in urls:
        assert SAYS in page(lead, url), url


def test_contradiction_shows_its_stale_span(project: Project, cast: Cast, lead: Client) -> None:
    """What contradicts a claim can be out of date as well."""
    claim = make_claim(project)
    old = make_version(project, OLD, key="s")
    record_contradiction(
        claim,
        [span_of(old, "sealed")],
        material=True,
        treatment=Contradiction.Treatment.UNRESOLVED,
        note="Says otherwise.",
        by=cast.lead,
    )
    make_version(project, NEW, key="s")
    assert SAYS in page(lead, address("claim", claim.pk))


def test_later_version_that_one_may_not_read_is_named_and_nothing_more(
    project: Project, cast: Cast
) -> None:
    """That it exists concerns whoever relies on the earlier; what it says does not."""
    add_reader_class(project, key="legal", title="Legal", actor=None)
    old = make_version(project, OLD, key="s")
    new = make_version(project, NEW, key="s", reader_classes=["legal"])
    shown = page(client_for(cast.rosa), address("version", old.pk))
    assert SAYS in shown
    assert str(new.pk) not in shown
    assert "Since May" not in shown
    assert newest_for(membership_for(cast.rosa, project.slug), old) is None


def test_blocked_premise_says_nothing_of_a_recheck(project: Project, cast: Cast) -> None:
    """Whoever may not read a member learns that it exists and who may, and nothing else."""
    add_reader_class(project, key="legal", title="Legal", actor=None)
    claim = make_claim(project)
    evidence_set = make_evidence_set(claim, "Vat 8 is sealed.", reader_classes=["legal"])
    source = evidence_set.members.get().span.version.source
    make_version(project, NEW, key=source.key)
    assert "re-check" not in page(client_for(cast.reader), address("claim", claim.pk)).lower()


# --- The same words again ----------------------------------------------------------------------


def test_same_words_are_found_again_once(project: Project, cast: Cast) -> None:
    """A new span in the later version and who found it; the old span and its set stay."""
    old = make_version(project, OLD, key="s")
    span = span_of(old, "Vat 8 is sealed.")
    new = make_version(project, NEW, key="s")
    start = NEW.rindex("Vat 8")
    made = confirm_successor(span, new, start, by=member(project, cast.lead))
    assert confirm_successor(span, new, start, by=member(project, cast.rosa)) == made
    assert (made.version_id, made.start, made.exact) == (new.pk, start, span.exact)
    pair = Successor.objects.get()
    assert (pair.span, pair.successor, pair.by) == (span, made, cast.lead)
    assert Entry.objects.filter(object_id=pair.pk).count() == 1


def test_other_words_are_not_the_same_words(project: Project, cast: Cast) -> None:
    """Refused by name where others stand; the database refuses it too."""
    old = make_version(project, OLD, key="s")
    span = span_of(old, "Vat 8 is sealed.")
    new, elsewhere = make_version(project, NEW, key="s"), make_version(project, NEW)
    with pytest.raises(Refused, match="differ at position 2"):
        confirm_successor(span, new, 2, by=member(project, cast.lead))
    for version in (old, elsewhere):
        with pytest.raises(Refused, match="later version of the same source"):
            confirm_successor(span, version, 2, by=member(project, cast.lead))
    assert Span.objects.count() == 1
    with pytest.raises(IntegrityError), transaction.atomic():
        Successor.objects.create(span=span, successor=span_of(new, "Since"), by=cast.lead)


def test_actions_ask_who_may_themselves(project: Project, cast: Cast) -> None:
    """Whatever page or command calls them: only who adds spans here finds words again, only a
    lead of this project says that a version is no longer to be used."""
    old = make_version(project, OLD, key="s")
    span, new = span_of(old, "Vat 8 is sealed."), make_version(project, NEW, key="s")
    reader = member(project, cast.reader)
    elsewhere = make_project()
    add_member(elsewhere, cast.lead, Role.LEAD)
    stranger = member(elsewhere, cast.lead)
    for by in (reader, stranger):
        with pytest.raises(Refused, match=r"needs the role|another project"):
            confirm_successor(span, new, NEW.rindex("Vat 8"), by=by)
    for by in (member(project, cast.rosa), stranger):
        with pytest.raises(Refused, match=r"needs the role|another project"):
            invalidate(old, reason="Misprint.", by=by)
    assert not Successor.objects.exists()
    assert not Invalidation.objects.exists()


def test_successor_of_the_latest_readable_version_counts(project: Project, cast: Cast) -> None:
    """A version closed to a member offers them none."""
    add_reader_class(project, key="legal", title="Legal", actor=None)
    add_member(project, cast.auditor, reader_classes=["public", "legal"])
    span = span_of(make_version(project, OLD, key="s"), "Vat 8 is sealed.")
    made = [
        confirm_successor(span, version, version.text.index("Vat 8"), by=member(project, cast.lead))
        for version in (
            make_version(project, NEW, key="s"),
            make_version(project, f"{NEW} Again.", key="s", reader_classes=["legal"]),
        )
    ]
    for person, found in ((cast.lead, made[0]), (cast.auditor, made[1])):
        membership = membership_for(person, project.slug)
        assert successors_of(membership, [span.pk]) == {span.pk: found}
