"""A release: two people, every decided set, once and for good."""

from __future__ import annotations

import threading

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction
from pytest_django import DjangoAssertNumQueries

from adjudication.accounts.models import User
from adjudication.errors import Refused
from adjudication.journal.models import Entry
from adjudication.projects.models import Project, Role
from adjudication.releases.actions import (
    approve_request,
    release,
    request_release,
    withdraw_request,
)
from adjudication.releases.models import AnnotationVersion, FrozenItem, ReleaseRequest
from adjudication.releases.queries import changes_in, draft_of, home_counts
from adjudication.releases.sealing import body_from
from adjudication.review.models import Item, Reopening, Verdict
from tests.conftest import Cast, CommittedDatabase, make_cast
from tests.factories import add_member, make_claim, make_evidence_set, make_project, make_user
from tests.releases.decided import decided_set, judge, member, open_item, released, specified


def contents(project: Project) -> str:
    return draft_of(specified(project)).contents


@transaction.atomic
def overrule(item: Item, adjudicator: User) -> Verdict:
    """A later verdict that turns the one in force round."""
    before = Verdict.objects.get(item=item)
    after = "rejected" if before.decision == "accepted" else "accepted"
    item.state = Item.State(after)
    item.save()
    Reopening.objects.create(verdict=before, by=adjudicator, reason="A later edition.")
    return Verdict.objects.create(
        item=item,
        round=1,
        decision=after,
        basis="adjudication",
        by=adjudicator,
        reason="Read again.",
        judgements=before.judgements,
        supersedes=before,
    )


def test_release_freezes_every_decided_set(project: Project, cast: Cast) -> None:
    """Accepted and rejected sets are in it; what waits is counted as one number."""
    accepted = decided_set(project, [cast.rosa, cast.rui])
    rejected = decided_set(project, [cast.rosa, cast.rui], accepted=False)
    for state in (Item.State.PROPOSED, Item.State.IN_REVIEW, Item.State.DISPUTED):
        open_item(make_evidence_set(make_claim(project)), state)
    version = released(project, cast.lead, cast.adjudicator)
    assert {row.evidence_set for row in version.items.all()} == {accepted, rejected}
    head = body_from(version.body)["shown"]
    assert head["counts"] == {"accepted": 1, "rejected": 1, "awaiting": 3}
    assert (version.number, version.parent) == (1, None)
    assert Entry.objects.filter(verb="released annotation version").count() == 1


def test_frozen_body_holds_what_decided(project: Project, cast: Cast) -> None:
    """Claim, members, verdict and nameless answers are in; names and machine origin are not."""
    evidence_set = decided_set(project, [cast.rosa, cast.rui], by=cast.adjudicator)
    item = Item.objects.get(evidence_set=evidence_set)
    judge(item, late_reviewer(project), surplus=True)
    version = released(project, cast.lead, cast.adjudicator)
    text = version.items.get().body
    body = body_from(text)
    assert [one["reviewer"] for one in body["shown"]["judgements"]] == [1, 2]
    assert body["shown"]["surplus"] == 1
    assert body["shown"]["verdict"]["basis"] == "adjudication"
    assert body["parts"]["reasons"]["content"]["verdict"] == "The second member settles it."
    assert body["parts"]["claim"]["content"]["value"] == "Entity R"
    assert body["parts"]["member-2"]["content"]["exact"] == "Entity R holds the rights to R17."
    people = (cast.rosa, cast.rui, cast.adjudicator, cast.lead)
    hidden = [name for person in people for name in (person.username, str(person.pk))]
    hidden += [person.display_name for person in people]
    assert not [name for name in (*hidden, "certify", "reference") if name in text]


def late_reviewer(project: Project) -> User:
    user = make_user("ravi")
    add_member(project, user, Role.REVIEWER)
    return user


def test_items_are_ordered_by_question_claim_and_route(project: Project, cast: Cast) -> None:
    """The order follows names given from outside, not when a set was decided."""
    claims = [make_claim(project) for _ in range(3)]
    for claim in reversed(claims):
        decided_set(project, [cast.rosa, cast.rui], claim=claim)
    version = released(project, cast.lead, cast.adjudicator)
    frozen = [body_from(row.body)["shown"]["question"]["key"] for row in version.items.all()]
    assert frozen == sorted(claim.question.key for claim in claims)


def test_one_person_alone_is_refused(project: Project, cast: Cast) -> None:
    """The lead who asks cannot approve, whatever else they are."""
    add_member(project, cast.lead, Role.LEAD, Role.ADJUDICATOR)
    decided_set(project, [cast.rosa, cast.rui])
    with pytest.raises(Refused, match="two people"):
        released(project, cast.lead, cast.lead)


@pytest.mark.parametrize("role", ["rosa", "auditor", "reader"])
def test_approver_without_right_is_refused(project: Project, cast: Cast, role: str) -> None:
    """Only another lead or an adjudicator approves."""
    decided_set(project, [cast.rosa, cast.rui])
    with pytest.raises(Refused, match="needs the role lead or adjudicator"):
        released(project, cast.lead, getattr(cast, role))


def test_requester_must_be_lead(project: Project, cast: Cast) -> None:
    """An adjudicator approves but does not ask."""
    decided_set(project, [cast.rosa, cast.rui])
    with pytest.raises(Refused, match="needs the role lead"):
        released(project, cast.adjudicator, cast.lead)


def test_two_people_are_demanded_by_the_database(version: AnnotationVersion) -> None:
    """No code path stores a release that one person made."""
    alone = AnnotationVersion(
        project=version.project,
        specification=version.specification,
        number=2,
        parent=version,
        released_by=version.released_by,
        approved_by=version.released_by,
        body=version.body,
        key=version.key,
        sha256=version.sha256,
    )
    with pytest.raises(IntegrityError, match="release_needs_two_people"), transaction.atomic():
        alone.save()


def test_released_version_takes_no_further_item(
    project: Project, cast: Cast, version: AnnotationVersion
) -> None:
    """Not even adding is possible once the version exists."""
    evidence_set = decided_set(project, [cast.rosa, cast.rui])
    item = FrozenItem(
        annotation_version=version,
        evidence_set=evidence_set,
        verdict=Verdict.objects.get(item__evidence_set=evidence_set),
        ordinal=99,
        body="{}",
        sha256="0" * 64,
    )
    with pytest.raises(IntegrityError, match="is released"), transaction.atomic():
        item.save()


@pytest.mark.parametrize("table", ["releases_annotationversion", "releases_frozenitem"])
@pytest.mark.parametrize("statement", ["UPDATE {} SET sha256 = ''", "DELETE FROM {}"])
def test_released_rows_refuse_change(
    version: AnnotationVersion, table: str, statement: str
) -> None:
    """The application's own role cannot touch what is released."""
    with (
        pytest.raises(DatabaseError, match="permission denied"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement.format(table))


def test_nothing_decided_is_refused(project: Project, cast: Cast) -> None:
    """An empty version would say nothing."""
    open_item(make_evidence_set(make_claim(project)))
    with pytest.raises(Refused, match="nothing to release"):
        released(project, cast.lead, cast.adjudicator)


def test_nothing_new_is_refused(project: Project, cast: Cast, version: AnnotationVersion) -> None:
    """A second press does not make a second version."""
    with pytest.raises(Refused, match="No verdict changed since annotation version 1"):
        released(project, cast.lead, cast.adjudicator)
    assert AnnotationVersion.objects.count() == 1


def test_next_version_names_its_parent_and_changes(
    project: Project, cast: Cast, version: AnnotationVersion
) -> None:
    """New sets and changed verdicts are told apart; an unchanged item keeps its digest."""
    turned = Item.objects.get(evidence_set=version.items.get(ordinal=1).evidence_set)
    overrule(turned, cast.adjudicator)
    decided_set(project, [cast.rosa, cast.rui])
    after = released(project, cast.lead, cast.adjudicator)
    changes = changes_in(after)
    assert (changes.new, changes.changed, changes.unchanged, changes.gone) == (1, 1, 2, 0)
    assert (after.number, after.parent) == (2, version)
    assert body_from(after.body)["shown"]["parent"] == version.sha256
    before = dict(version.items.values_list("evidence_set", "sha256"))
    now = dict(after.items.values_list("evidence_set", "sha256"))
    assert sum(now[one] == before[one] for one in before) == 2


def test_queries_do_not_grow_with_items(
    project: Project, cast: Cast, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    """One new set or three: freezing asks the database the same questions."""
    counts = []
    decided_set(project, [cast.rosa, cast.rui])
    released(project, cast.lead, cast.adjudicator)
    for sets in (1, 3):
        for _ in range(sets):
            decided_set(project, [cast.rosa, cast.rui])
        with django_assert_max_num_queries(60) as asked:
            released(project, cast.lead, cast.adjudicator)
        counts.append(len(asked.captured_queries))
    assert counts[0] == counts[1]


def test_request_waits_for_another_person(project: Project, cast: Cast) -> None:
    """Asked twice is asked once; the other person approves what they have seen."""
    decided_set(project, [cast.rosa, cast.rui])
    lead, ada = member(project, cast.lead), member(project, cast.adjudicator)
    request = request_release(lead)
    assert request_release(lead) == request
    assert [one.label for one in home_counts(ada)] == ["release to approve"]
    assert home_counts(lead) == ()
    with pytest.raises(Refused, match="two people"):
        approve_request(request, by=lead, contents=contents(project))
    version = approve_request(request, by=ada, contents=contents(project))
    assert (version.released_by, version.approved_by) == (cast.lead, cast.adjudicator)
    request.refresh_from_db()
    assert request.state == ReleaseRequest.State.APPROVED
    with pytest.raises(Refused, match="no longer waits"):
        approve_request(request, by=ada, contents=contents(project))


def test_approval_of_other_contents_is_refused(project: Project, cast: Cast) -> None:
    """A verdict that came after the page was opened is not released unseen."""
    decided_set(project, [cast.rosa, cast.rui])
    request = request_release(member(project, cast.lead))
    seen = contents(project)
    decided_set(project, [cast.rosa, cast.rui])
    with pytest.raises(Refused, match="Verdicts changed"):
        approve_request(request, by=member(project, cast.adjudicator), contents=seen)
    request.refresh_from_db()
    assert request.state == ReleaseRequest.State.WAITING


def test_withdrawn_request_cannot_be_approved(project: Project, cast: Cast) -> None:
    """Withdrawing twice is harmless; afterwards a new request can be made."""
    decided_set(project, [cast.rosa, cast.rui])
    lead = member(project, cast.lead)
    request = request_release(lead)
    withdraw_request(request, by=lead)
    withdraw_request(request, by=lead)
    assert Entry.objects.filter(verb="withdrew release request").count() == 1
    with pytest.raises(Refused, match="it is withdrawn"):
        approve_request(request, by=member(project, cast.adjudicator), contents=contents(project))
    assert request_release(lead) != request


def test_lead_is_told_what_is_unreleased(project: Project, cast: Cast) -> None:
    """Reviewers and readers are told nothing: the count rests on others' judgements."""
    decided_set(project, [cast.rosa, cast.rui])
    (line,) = home_counts(member(project, cast.lead))
    assert (line.label, line.count) == ("decided sets not released yet", 1)
    for person in (cast.rosa, cast.reader, cast.auditor, cast.adjudicator):
        assert home_counts(member(project, person)) == ()


def test_two_releases_at_once_make_one(committed: CommittedDatabase) -> None:
    """Two people press at the same moment: one version, the other is told."""
    project = make_project("film-study")
    cast = make_cast(project)
    decided_set(project, [cast.rosa, cast.rui])
    specification = specified(project)
    lead, ada = member(project, cast.lead), member(project, cast.adjudicator)
    start, outcomes = threading.Barrier(4), []

    def press() -> None:
        start.wait()
        try:
            made = release(specification, requested_by=lead, approved_by=ada)
            outcomes.append(f"version {made.number}")
        except Refused as refusal:
            outcomes.append(str(refusal))
        finally:
            connection.close()

    threads = [threading.Thread(target=press) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes.count("version 1") == 1
    refusals = {one.split(".")[0] for one in outcomes} - {"version 1"}
    assert refusals <= {
        "A release of this project is being made right now",
        "No verdict changed since annotation version 1",
    }
    assert list(AnnotationVersion.objects.values_list("number", flat=True)) == [1]
    assert FrozenItem.objects.count() == 1
