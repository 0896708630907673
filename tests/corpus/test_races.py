"""Several people who capture at once, on committed rows."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from django.db import connection

from adjudication.corpus.models import SourceVersion
from tests.conftest import CommittedDatabase
from tests.factories import make_project, make_version

PEOPLE = 6


def test_versions_captured_at_once_are_all_kept_and_numbered(
    committed: CommittedDatabase,
) -> None:
    """Nobody's text is lost to another's number; the same text twice is one version."""
    project = make_project()
    make_version(project, "Vat 9\nfirst", key="vats")
    start = Barrier(PEOPLE)

    def capture(number: int) -> str:
        try:
            start.wait()
            return make_version(project, f"Vat 9\ntext {number // 2}", key="vats").text
        finally:
            connection.close()

    with ThreadPoolExecutor(PEOPLE) as pool:
        texts = list(pool.map(capture, range(PEOPLE)))
    assert texts == [f"Vat 9\ntext {number // 2}" for number in range(PEOPLE)]
    numbers = SourceVersion.objects.order_by("number").values_list("number", flat=True)
    assert list(numbers) == [1, 2, 3, 4]
