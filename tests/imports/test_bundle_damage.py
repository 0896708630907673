"""What is damaged does not leave the project as if it were sound."""

from __future__ import annotations

import psycopg
import pytest

from adjudication.errors import Refused
from tests.conftest import CommittedDatabase
from tests.factories import make_project, make_version, span_of
from tests.imports.bundles import bundle_of

CHANGES = {
    "Cedar · version 1 is damaged": "UPDATE corpus_sourceversion SET text = 'Cedar\nR18.'",
    "version 1 is damaged: its digest": "UPDATE corpus_sourceversion SET sha256 = repeat('0', 64)",
    "The span .* is damaged": "UPDATE corpus_span SET exact = 'R18.'",
}


@pytest.mark.parametrize("words", CHANGES)
def test_damage_stops_the_export_by_name(committed: CommittedDatabase, words: str) -> None:
    """Bytes changed behind the triggers are found before the first line goes out."""
    project = make_project()
    span_of(make_version(project, "Cedar\nR17."), "R17.")
    with psycopg.connect(committed.environment["DATABASE_OWNER_URL"]) as owner:
        for table in ("corpus_sourceversion", "corpus_span"):
            owner.execute(f"ALTER TABLE {table} DISABLE TRIGGER append_only_row")
        owner.execute(CHANGES[words])
    with pytest.raises(Refused, match=words):
        bundle_of(project)


def test_export_sees_one_moment(committed: CommittedDatabase) -> None:
    """Outside a test's own transaction, the whole file is of one snapshot."""
    project = make_project()
    make_version(project)
    assert bundle_of(project) == bundle_of(project)
