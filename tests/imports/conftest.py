from __future__ import annotations

import pytest

from adjudication.imports import tasks
from adjudication.imports.formats import format_named
from adjudication.imports.jobs import Sent, begin, begin_check, confirm
from adjudication.imports.models import Import
from adjudication.imports.tasks import work_on
from adjudication.imports.uploads import receive
from adjudication.projects.models import Project
from tests.conftest import Cast
from tests.corpus.conftest import lead, public

__all__ = ["lead", "public"]


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Signs of life go over a connection of their own, which sees only committed rows."""
    monkeypatch.setattr(tasks, "BEAT", 3600)


def announced(project: Project, cast: Cast, size: int, **more: str) -> Import:
    layout = format_named(more.pop("layout", "musique"))
    classes = list(project.reader_classes.all())
    return begin(project, cast.lead, Sent("data.jsonl", size, layout, classes, **more))


def sent(project: Project, cast: Cast, data: bytes, layout: str = "musique") -> Import:
    """A file that is wholly here and waits for a worker to check it."""
    one = announced(project, cast, len(data), layout=layout)
    receive(one.pk, 0, [data])
    one.refresh_from_db()
    assert begin_check(one)
    return one


def checked(project: Project, cast: Cast, data: bytes, layout: str = "musique") -> Import:
    """The same after a worker had it."""
    return worked_on(sent(project, cast, data, layout))


def imported(project: Project, cast: Cast, data: bytes, layout: str = "musique") -> Import:
    one = checked(project, cast, data, layout)
    confirm(one)
    return worked_on(one)


def worked_on(one: Import) -> Import:
    work_on(one.pk)
    one.refresh_from_db()
    return one
