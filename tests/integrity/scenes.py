"""A project with one of everything that has a digest, and a hand that changes it unseen."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

import psycopg
from psycopg import sql
from psycopg.types.json import Jsonb

from adjudication.claims.models import EvidenceSet
from adjudication.projects.models import Project
from adjudication.releases.models import AnnotationVersion
from adjudication.runs.actions import start_run
from adjudication.runs.rules import Configuration
from certify_core.model import Requirement
from tests.conftest import Cast, CommittedDatabase
from tests.releases.decided import decided_set, released, specified
from tests.runs.specified import give_graph


def fill(project: Project, cast: Cast) -> tuple[EvidenceSet, AnnotationVersion]:
    """Sources, spans, a graph, a route, a frozen specification, a run and a release."""
    route = decided_set(project, [cast.rosa, cast.rui])
    question = route.claim.question
    give_graph(question, Requirement(1, "lookup", "Who holds the rights to Cedar?"))
    start_run(specified(project), [question], Configuration(), None)
    return route, released(project, cast.lead, cast.adjudicator)


@contextmanager
def changed(
    database: CommittedDatabase, table: str, column: str, value: str, row: UUID | int
) -> Iterator[None]:
    """The owner of the tables switches the triggers off and sets ``column`` to an expression.

    Afterwards everything is as it was.
    """
    names = {"table": sql.Identifier(table), "column": sql.Identifier(column)}
    off = sql.SQL("ALTER TABLE {table} DISABLE TRIGGER USER").format(**names)
    read = sql.SQL("SELECT {column} FROM {table} WHERE id = %s").format(**names)
    change = sql.SQL("UPDATE {table} SET {column} = {value} WHERE id = %s")
    back = sql.SQL("UPDATE {table} SET {column} = %s WHERE id = %s").format(**names)
    with psycopg.connect(database.environment["DATABASE_OWNER_URL"], autocommit=True) as owner:
        owner.execute(off)
        found = owner.execute(read, [row]).fetchone()
        assert found is not None, f"nothing to change in {table}"
        owner.execute(change.format(value=sql.SQL(value), **names), [row])
        now = owner.execute(read, [row]).fetchone()
        assert now != found, "the change must change something"
        try:
            yield
        finally:
            owner.execute(back, [_stored(found[0]), row])


def _stored(value: object) -> object:
    return Jsonb(value) if isinstance(value, dict) else value
