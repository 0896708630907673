"""Lists of a large corpus: the plans behind them, and the order they keep."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.db import connection

from adjudication.corpus.actions import Capture
from adjudication.corpus.bulk import add_sources, refresh_statistics
from adjudication.corpus.queries import sources_of
from adjudication.projects.models import Membership, Project
from tests.conftest import Cast
from tests.factories import make_version

SOURCES = 3_000


@pytest.fixture
def reader(project: Project, cast: Cast) -> Membership:
    return Membership.objects.select_related("project").get(project=project, user=cast.reader)


def fill(project: Project, count: int = SOURCES) -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    captures = (
        Capture("test", f"{n:05}", f"Source {n % 97:02}-{n:05}", f"Text {n}".encode(), now)
        for n in range(count)
    )
    add_sources(project, captures, reader_classes=list(project.reader_classes.filter(key="public")))


def test_first_page_reads_only_its_own_rows(project: Project, reader: Membership) -> None:
    """Right after an import, a page of fifty does not sort the whole corpus."""
    fill(project, 6_000)
    refresh_statistics()
    plan = sources_of(reader)[:50].explain(analyze=True)
    assert "source_by_title" in plan, plan
    assert "Sort" not in plan


def test_sources_come_by_title_to_the_last_page(project: Project, reader: Membership) -> None:
    """The order is total, so that no source is on two pages or on none."""
    fill(project)
    pages = [list(sources_of(reader)[start : start + 50]) for start in range(0, SOURCES, 50)]
    listed = [source for page in pages for source in page]
    assert len({source.pk for source in listed}) == SOURCES
    assert [source.title for source in listed] == sorted(source.title for source in listed)


def test_title_of_any_length_is_stored_and_listed(project: Project, reader: Membership) -> None:
    """The index of titles holds only the beginning of a long one."""
    make_version(project, "𠮷" * 20_000 + "\nText.")
    assert sources_of(reader).get().title == "𠮷" * 20_000


def test_application_counts_anew_without_owning_the_tables(project: Project) -> None:
    """What it may call is the counting, nothing else of the owner's."""
    fill(project)
    refresh_statistics()
    with connection.cursor() as cursor:
        cursor.execute("SELECT reltuples FROM pg_class WHERE relname = 'corpus_source'")
        assert cursor.fetchone()[0] >= SOURCES
