"""Kept scenes: every test begins with the same rows and its own copies."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, connection

from adjudication.accounts.models import User
from adjudication.projects.models import Project
from tests.conftest import Cast
from tests.factories import make_project, make_user


@pytest.mark.parametrize("turn", ["first", "second"])
def test_what_a_test_changes_no_other_sees(project: Project, cast: Cast, turn: str) -> None:
    """Neither in the rows nor in the objects."""
    assert project.title == "Film-Study"
    assert project.title == Project.objects.get().title
    assert User.objects.count() == 7
    project.title = cast.lead.username = "changed"
    project.save()
    make_user("another")


def test_rows_are_those_that_the_test_asks_for(project: Project) -> None:
    """Who asks for a project alone finds no cast, whoever made one before."""
    assert not User.objects.exists()
    assert Project.objects.get() == project


def test_other_tests_begin_without_rows(db: None) -> None:
    """Kept scenes lie in databases of their own."""
    assert not Project.objects.exists()
    make_project("film-study")


def test_broken_transaction_spoils_no_later_test(cast: Cast) -> None:
    """It is rolled back like any other."""
    with pytest.raises(IntegrityError):
        User.objects.bulk_create([User(username="lena")])
    assert connection.needs_rollback
