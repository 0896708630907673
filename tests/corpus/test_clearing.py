"""Closing and opening: for good, by leads, with a reason, said before it happens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.test import Client

from adjudication.corpus.clearance import openings_of, readable
from adjudication.corpus.clearing import open_to, tighten
from adjudication.corpus.models import Clearance, SourceVersion, Span, Tightening
from adjudication.corpus.queries import spans_of, visible_to
from adjudication.errors import Refused
from adjudication.journal.models import Entry
from adjudication.projects.actions import add_reader_class
from adjudication.projects.models import Membership, Project, ReaderClass, Role
from adjudication.review import actions
from adjudication.review.models import Item
from adjudication.review.queries import short_of_reviewers
from tests.conftest import Cast, client_for
from tests.corpus.browsing import address, page
from tests.factories import add_member, make_project, make_user, make_version, span_of
from tests.review.scenes import member, open_scene

pytestmark = pytest.mark.django_db
TEXT = "Cedar\nThe vault code is 4711. The door is blue."


@pytest.fixture
def legal(project: Project) -> ReaderClass:
    return add_reader_class(project, key="legal", title="Legal", actor=None)


@pytest.fixture
def public_class(project: Project) -> ReaderClass:
    return project.reader_classes.get(key="public")


@pytest.fixture
def version(project: Project, legal: ReaderClass) -> SourceVersion:
    return make_version(project, TEXT, reader_classes=("public", "legal"))


@pytest.fixture
def code(version: SourceVersion) -> Span:
    return span_of(version, "4711")


@pytest.fixture
def lena(project: Project, cast: Cast) -> Membership:
    return member(project, cast.lead)


def close(
    version: SourceVersion, span: Span | None, classes: Sequence[ReaderClass], by: Membership
) -> list[Tightening]:
    return tighten(version, span, classes, reason="A code.", by=by)


def test_closed_span_takes_its_words_and_what_overlaps_them(
    project: Project,
    cast: Cast,
    lena: Membership,
    version: SourceVersion,
    code: Span,
    public_class: ReaderClass,
) -> None:
    """For that class; the other reads on, and the record says who closed it and why."""
    around, beside = span_of(version, "code is 4711."), span_of(version, "The door is blue.")
    close(version, code, [public_class], lena)
    reader = member(project, cast.reader)
    assert set(spans_of(reader)) == {beside}
    assert "4711" not in readable(reader, version).text
    add_member(project, cast.auditor, Role.AUDITOR, reader_classes=["legal"])
    assert set(spans_of(member(project, cast.auditor))) == {code, around, beside}
    entry = Entry.objects.get(verb="closed span")
    assert (entry.actor, entry.object_id) == (cast.lead, version.pk)
    assert entry.detail == {
        "reader_classes": ["public"],
        "reason": "A code.",
        "start": code.start,
        "end": code.end,
    }


def test_closed_version_is_gone_for_the_class(
    project: Project,
    cast: Cast,
    lena: Membership,
    version: SourceVersion,
    public_class: ReaderClass,
) -> None:
    """Not listed, not opened, its digest nowhere."""
    close(version, None, [public_class], lena)
    assert not visible_to(member(project, cast.reader)).exists()
    page(client_for(cast.reader), address("version", version.pk), 404)


def test_what_was_closed_is_never_opened_again(
    lena: Membership, version: SourceVersion, legal: ReaderClass
) -> None:
    """Neither by clearing the class anew nor by anything else."""
    close(version, None, [legal], lena)
    with pytest.raises(Refused, match="never opened again"):
        open_to(version, legal, reason="They asked.", by=lena)
    assert legal not in openings_of([version.pk])[version.pk].classes


def test_opening_is_recorded_and_keeps_closed_spans_closed(
    project: Project, cast: Cast, lena: Membership, version: SourceVersion, code: Span
) -> None:
    """A class that comes later reads all but what was closed to it before."""
    staff = add_reader_class(project, key="staff", title="Staff", actor=None)
    close(version, code, [staff], lena)
    made = open_to(version, staff, reason="They audit.", by=lena)
    assert (made.by, made.reason) == (cast.lead, "They audit.")
    openings = openings_of([version.pk])[version.pk]
    assert staff in openings.readers(0, code.start)
    assert staff not in openings.readers(code.start, code.end)
    assert Entry.objects.get(verb="opened version").detail["reason"] == "They audit."


def test_later_clearance_says_who_and_why(
    project: Project, cast: Cast, version: SourceVersion
) -> None:
    """The database refuses one that names a person and no reason."""
    staff = add_reader_class(project, key="staff", title="Staff", actor=None)
    with pytest.raises(IntegrityError, match="later_clearance_has_reason"), transaction.atomic():
        Clearance.objects.create(version=version, reader_class=staff, by=cast.lead)


def test_refusals_change_nothing(
    project: Project,
    cast: Cast,
    lena: Membership,
    version: SourceVersion,
    code: Span,
    legal: ReaderClass,
    public_class: ReaderClass,
) -> None:
    """No reason, no class, no lead, another's span, version or class, done before."""
    elsewhere = make_project().reader_classes.get(key="public")
    other = span_of(make_version(project, "T\nsomething else"), "else")
    tighten(version, code, [legal], reason="A code.", by=lena)
    refused: list[Callable[[], object]] = [
        lambda: tighten(version, code, [public_class], reason=" \n", by=lena),
        lambda: close(version, code, [], lena),
        lambda: close(version, code, [public_class], member(project, cast.rosa)),
        lambda: close(version, other, [public_class], lena),
        lambda: close(version, None, [elsewhere], lena),
        lambda: close(version, code, [legal], lena),
        lambda: open_to(version, elsewhere, reason="They asked.", by=lena),
        lambda: open_to(version, legal, reason="They asked.", by=lena),
        lambda: open_to(version, public_class, reason="", by=lena),
    ]
    for one in refused:
        with pytest.raises(Refused):
            one()
    assert Tightening.objects.count() == 1
    assert not Clearance.objects.filter(by__isnull=False).exists()


def test_item_in_hand_is_gone_when_its_words_are_closed(
    project: Project, cast: Cast, lena: Membership, public_class: ReaderClass
) -> None:
    """As if clearance had been taken from the person; staffing reports what is left."""
    scene = open_scene(project, cast.lead)
    rosa = member(project, cast.rosa)
    taken = actions.take(rosa, scene.item.pk)
    desk = address("desk", taken.pk)
    client = client_for(cast.rosa)
    assert "mapped to record" in page(client, desk)
    assert not short_of_reviewers(scene.specification).exists()
    span = scene.item.evidence_set.members.first().span
    close(span.version, span, [public_class], lena)
    page(client, desk, 404)
    assert list(short_of_reviewers(scene.specification)) == [scene.item]
    with pytest.raises(Refused):
        actions.take(member(project, cast.rui), Item.objects.get().pk)


# --- Pages -------------------------------------------------------------------------------------


def test_page_says_first_what_closing_does(
    project: Project,
    cast: Cast,
    lead: Client,
    version: SourceVersion,
    code: Span,
    public_class: ReaderClass,
) -> None:
    """Nothing changes until it is said again; then the marker stands in place of the words."""
    url = address("close-version", version.pk)
    data = {"reader_classes": [public_class.pk], "reason": "A code.", "span": code.pk}
    asked = lead.post(url, data).content.decode()
    assert "Close this span for good?" in asked
    assert "1 → 0" in asked
    assert "You will no longer be able to read it either." in asked
    assert not Tightening.objects.exists()
    assert not Entry.objects.filter(verb="closed span").exists()
    done = lead.post(url, data | {"sure": "1"})
    assert done.headers["Location"] == address("version-clearance", version.pk)
    shown = page(client_for(cast.reader), address("version", version.pk))
    assert "4711" not in shown
    assert "blocked: only Legal may read this" in shown
    assert version.sha256[:8] not in shown
    history = page(client_for(cast.reader), address("version-clearance", version.pk))
    assert "closed characters 24–28 to Public" in history
    assert "A code." in history


def test_page_names_other_versions_with_the_same_words(
    project: Project,
    lead: Client,
    lena: Membership,
    version: SourceVersion,
    code: Span,
    public_class: ReaderClass,
) -> None:
    """Whoever closes words here is told where they stay open, and only what they may read."""
    later = make_version(project, f"The code is still {code.exact}.", key=version.source.key)
    hidden = make_version(
        project, f"For legal: {code.exact}", key=version.source.key, reader_classes=["legal"]
    )
    data = {"reader_classes": [public_class.pk], "reason": "A code.", "span": code.pk}
    asked = lead.post(address("close-version", version.pk), data).content.decode()
    assert f'<a href="{address("version", later.pk)}">version 2</a>' in asked
    assert "stay open there" in asked
    assert str(hidden.pk) not in asked
    close(later, span_of(later, code.exact), [public_class], lena)
    asked = lead.post(address("close-version", version.pk), data).content.decode()
    assert "stay open there" not in asked


def test_quotation_finds_nothing_in_what_is_blocked(
    project: Project,
    cast: Cast,
    lena: Membership,
    version: SourceVersion,
    code: Span,
    public_class: ReaderClass,
) -> None:
    """Neither by its words, nor by how far a guess comes, nor by positions."""
    close(version, code, [public_class], lena)
    rosa = client_for(cast.rosa)
    for guess in ("code is 4711", "code is 9999"):
        refused = rosa.post(address("cut-span", version.pk), {"quoted": guess, "occurrence": 1})
        said = refused.content.decode()
        assert refused.status_code == 422
        assert "up to position 24; then the text is blocked for you" in said
    places = {"start": 20, "end": 30, "occurrence": 1, "selected": '"ode is 471"'}
    refused = rosa.post(address("cut-span", version.pk), places)
    assert "The characters 24–28 are blocked for you: only Legal" in refused.content.decode()
    assert Span.objects.count() == 1


def test_span_that_is_blocked_is_missing_by_its_id(
    project: Project,
    cast: Cast,
    lena: Membership,
    version: SourceVersion,
    code: Span,
    public_class: ReaderClass,
) -> None:
    """In the address of a version, and of the page on clearance."""
    close(version, code, [public_class], lena)
    client = client_for(cast.reader)
    for name in ("version", "version-clearance"):
        page(client, f"{address(name, version.pk)}?span={code.pk}", 404)


def test_only_leads_change_clearance(
    project: Project, cast: Cast, version: SourceVersion, public_class: ReaderClass
) -> None:
    """Others read the page and are shown no form."""
    data = {"reader_classes": [public_class.pk], "reason": "A code.", "sure": "1"}
    for user in (cast.rosa, cast.auditor, cast.reader):
        client = client_for(user)
        assert "See what" not in page(client, address("version-clearance", version.pk))
        assert client.post(address("close-version", version.pk), data).status_code == 403
        assert client.post(address("open-version", version.pk), data).status_code == 403


def test_page_opens_a_version(
    project: Project, cast: Cast, lead: Client, version: SourceVersion, code: Span
) -> None:
    """To a class that was never cleared; the journal names the lead."""
    staff = add_reader_class(project, key="staff", title="Staff", actor=None)
    sonja = make_user("sonja")
    add_member(project, sonja, Role.READER, reader_classes=["staff"])
    page(client_for(sonja), address("version", version.pk), 404)
    data = {"reader_class": staff.pk, "reason": "They audit."}
    asked = lead.post(address("open-version", version.pk), data).content.decode()
    assert "Open this version?" in asked
    assert "0 → 1" in asked
    lead.post(address("open-version", version.pk), data | {"sure": "1"})
    assert "4711" in page(client_for(sonja), address("version", version.pk))


def test_closing_ones_own_way_leads_to_the_list(
    cast: Cast, lead: Client, version: SourceVersion, public_class: ReaderClass
) -> None:
    """A lead who may no longer open the version is not sent to a missing page."""
    data = {"reader_classes": [public_class.pk], "reason": "All of it.", "sure": "1"}
    done = lead.post(address("close-version", version.pk), data)
    assert done.headers["Location"] == address("sources")


def test_a_lead_who_reviews_learns_no_totals(
    project: Project, cast: Cast, version: SourceVersion, code: Span, public_class: ReaderClass
) -> None:
    """How many open items lack people depends on what others decided."""
    open_scene(project, cast.lead)
    add_member(project, cast.rui, Role.LEAD, Role.REVIEWER, reader_classes=["public", "legal"])
    data = {"reader_classes": [public_class.pk], "reason": "A code.", "span": code.pk}
    url = address("close-version", version.pk)
    words = "too few reviewers are cleared for"
    assert words not in client_for(cast.rui).post(url, data).content.decode()
    assert words in client_for(cast.lead).post(url, data).content.decode()


def test_commands_close_and_open(
    project: Project, cast: Cast, version: SourceVersion, code: Span
) -> None:
    """With the same refusals as the page: a lead, a reason, and nothing taken back."""
    add_reader_class(project, key="staff", title="Staff", actor=None)
    said = StringIO()
    closing = ["--reader-class", "public", "legal", "--reason", "A code.", "--by", "lena"]
    place = ["tighten", "film-study", str(version.pk)]
    call_command(*place, "--span", str(code.pk), *closing, stdout=said)
    assert "Closed characters 24–28" in said.getvalue()
    assert "to Legal, Public." in said.getvalue()
    with pytest.raises(CommandError, match="may read no span"):
        call_command(*place, "--span", str(code.pk), *closing)
    with pytest.raises(CommandError, match="needs the role lead"):
        call_command(*place, *closing[:-1], "rosa")
    opening = ["open_version", "film-study", str(version.pk), "--reason", "They audit."]
    call_command(*opening, "--reader-class", "staff", "--by", "lena", stdout=said)
    assert "to Staff." in said.getvalue()
    with pytest.raises(CommandError, match="open to Staff already"):
        call_command(*opening, "--reader-class", "staff", "--by", "lena")
