"""Several people at once, on committed rows."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from django.db import connection

from adjudication.claims.models import InferenceRule
from adjudication.specifications.actions import add_rule
from tests.conftest import CommittedDatabase
from tests.factories import make_project

PEOPLE = 4


def test_rule_added_twice_at_once_is_one_rule(committed: CommittedDatabase) -> None:
    """A double click on "Add" finds the rule of the first click."""
    project = make_project()
    start = Barrier(PEOPLE)

    def add(_: int) -> InferenceRule:
        try:
            start.wait()
            return add_rule(project, key="join", kind="join", statement="As one.", by=None)
        finally:
            connection.close()

    with ThreadPoolExecutor(PEOPLE) as pool:
        assert len(set(pool.map(add, range(PEOPLE)))) == 1
