"""A statement said once finds what its query finds, whatever it is asked with."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.db.models import F, QuerySet
from django.db.transaction import TransactionManagementError, atomic
from pytest_django import DjangoAssertNumQueries

from adjudication.accounts.models import User
from adjudication.journal.models import Entry
from adjudication.projects.models import Membership, Project, ReaderClass, Role
from adjudication.statements import Statement, insert, insert_all, now, update
from tests.conftest import Cast, CommittedDatabase
from tests.factories import make_project


def of_people(project: UUID, people: tuple[UUID, ...]) -> QuerySet[Membership]:
    return (
        Membership.objects.filter(project=project, user__in=people)
        .select_related("project", "user")
        .annotate(name=F("user__username"))
        .order_by("user__username")
    )


def test_rows_are_those_of_the_query(project: Project, cast: Cast) -> None:
    """Models with what is joined and annotated, asked twice with other values."""
    said = Statement(of_people)
    for people in [(cast.rosa.pk, cast.rui.pk), (cast.lead.pk, uuid4()), (cast.rosa.pk,), ()]:
        found, expected = said(project.pk, people), list(of_people(project.pk, people))
        assert found == expected
        for one, other in zip(found, expected, strict=True):
            assert (one.name, one.roles, one.project) == (other.name, other.roles, other.project)
            assert (one.user.pk, one.user.username) == (other.user.pk, other.name)
    assert said(make_project().pk, (cast.rosa.pk,)) == []


def test_an_unchanged_shape_is_built_once(
    project: Project, cast: Cast, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    """Other ids are the same text; another number of them, or another word, is not."""
    built: list[tuple[UUID, ...]] = []

    def build(people: tuple[UUID, ...], username: str) -> QuerySet[User, str]:
        built.append(people)
        return User.objects.filter(pk__in=people, username=username).values_list(
            "username", flat=True
        )

    said = Statement(build)
    with django_assert_num_queries(4):
        assert said((cast.rosa.pk,), "rosa") == ["rosa"]
        assert said((cast.rui.pk,), "rosa") == []
        assert said((cast.rui.pk,), "rui") == ["rui"]
        assert said((cast.rui.pk, cast.rosa.pk), "rui") == ["rui"]
    assert len(built) == 3
    assert not {cast.rosa.pk, cast.rui.pk}.intersection(*built)


def test_words_in_a_tuple_are_given_anew(cast: Cast) -> None:
    said = Statement(lambda names: User.objects.filter(username__in=names).order_by("username"))
    assert said(("rui", "rosa")) == [cast.rosa, cast.rui]
    assert said(("lena", "rui' OR '1'='1")) == [cast.lead]


def test_prefetched_rows_come_along(
    project: Project, cast: Cast, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    said = Statement(
        lambda user: Membership.objects.filter(user=user).prefetch_related("reader_classes")
    )
    with django_assert_num_queries(2):
        [found] = said(cast.rosa.pk)
        assert [one.key for one in found.reader_classes.all()] == ["public"]


def test_an_argument_that_is_not_asked_for_is_an_error(project: Project) -> None:
    """A build that looks at what it is given would answer every later call like the first."""
    said = Statement(lambda project, person: Membership.objects.filter(project=project))
    with pytest.raises(AssertionError, match="does not ask"):
        said(project.pk, uuid4())


def test_rows_are_locked_in_a_transaction_only(committed: CommittedDatabase) -> None:
    """Also by a text that was kept from a call inside one."""
    project = make_project()
    said = Statement(lambda pk: Project.objects.select_for_update().filter(pk=pk))
    with atomic():
        assert said(project.pk) == [project]
    with pytest.raises(TransactionManagementError):
        said(project.pk)


def test_each_thread_asks_over_its_own_connection(committed: CommittedDatabase) -> None:
    """A text that one thread built is asked by others at once."""
    projects = [make_project() for _ in range(8)]
    said = Statement(lambda pk: Project.objects.filter(pk=pk))
    said(projects[0].pk)

    def ask(project: Project) -> bool:
        try:
            return all(said(project.pk) == [project] for _ in range(20))
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(ask, projects))


@pytest.fixture
def entry(project: Project, cast: Cast) -> Entry:
    return Entry(
        project_id=project.pk,
        actor=cast.rosa,
        verb="did",
        object_kind="project",
        object_id=project.pk,
        detail={"words": ["a", "é", None, {"n": 1.5}]},
    )


def test_inserted_rows_are_those_the_orm_would_store(entry: Entry) -> None:
    """Every field, and what the database fills in."""
    insert(entry)
    stored = Entry.objects.get(pk=entry.pk)
    for field in Entry._meta.concrete_fields:
        assert getattr(stored, field.attname) == getattr(entry, field.attname)
    assert not entry._state.adding


def test_many_are_inserted_at_once(entry: Entry, project: Project) -> None:
    other = Entry(verb="was done", object_kind="project", object_id=project.pk)
    before = Entry.objects.count()
    insert_all([entry, other])
    insert_all([])
    assert Entry.objects.count() == before + 2
    assert Entry.objects.get(pk=entry.pk).detail == entry.detail
    assert Entry.objects.get(pk=other.pk).actor is None


def test_updated_fields_are_stored_and_no_other(project: Project, cast: Cast) -> None:
    """Of one row, which must be there."""
    one = Membership.objects.get(user=cast.rosa)
    one.roles, one.active = [Role.READER], False
    update(one, "roles")
    stored = {m.user_id: (m.roles, m.active) for m in Membership.objects.all()}
    assert stored.pop(cast.rosa.pk) == ([Role.READER], True)
    assert ([Role.READER], False) not in stored.values()
    with pytest.raises(AssertionError, match="0 rows"):
        update(ReaderClass(project=project, key="none", title="None"), "title")


def test_now_is_the_time_of_the_database(project: Project) -> None:
    before = now()
    assert before.tzinfo is not None
    assert before <= now()
