"""How many items are mine is counted once for a large test, and anew after every change."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from adjudication.claims.models import EvidenceMember, EvidenceSet
from adjudication.corpus.clearing import open_to, tighten
from adjudication.projects.actions import add_reader_class, set_membership
from adjudication.projects.models import Project, ReaderClass, Role
from adjudication.review import actions
from adjudication.review.queries import counts, progress_of
from adjudication.review.queries.queue import cleared_items
from tests.conftest import ROOT, Cast
from tests.factories import make_claim, make_evidence_set
from tests.review.scenes import Scene, judge, member, open_scene

pytestmark = pytest.mark.django_db


@pytest.fixture
def scene(project: Project, cast: Cast, monkeypatch: pytest.MonkeyPatch) -> Scene:
    """Three items, and a program to which two are many."""
    monkeypatch.setattr(counts, "_counted", {})
    monkeypatch.setattr(counts, "_LARGE", 2)
    return open_scene(project, cast.lead, sets=3)


def open_another(scene: Scene) -> None:
    make_evidence_set(make_claim(scene.lead.project), "Another says so.")
    actions.open_items(scene.specification, EvidenceSet.objects.all(), by=scene.lead)


def close_span(scene: Scene) -> None:
    first = EvidenceMember.objects.filter(evidence_set=scene.item.evidence_set).first()
    assert first is not None
    public = ReaderClass.objects.filter(key="public")
    tighten(first.span.version, first.span, public, reason="Private.", by=scene.lead)


def close_version(scene: Scene) -> None:
    first = EvidenceMember.objects.filter(evidence_set=scene.item.evidence_set).first()
    assert first is not None
    public = ReaderClass.objects.filter(key="public")
    tighten(first.span.version, None, public, reason="Private.", by=scene.lead)


@pytest.mark.parametrize(
    ("change", "by"), [(open_another, 1), (close_span, -1), (close_version, -1)]
)
def test_what_changes_the_number_is_counted_at_once(
    cast: Cast, scene: Scene, change: Callable[[Scene], None], by: int
) -> None:
    """Everything in the journal that can change it, for whoever was counted before."""
    rosa = member(scene.lead.project, cast.rosa)
    before = progress_of(rosa, scene.specification).of
    change(scene)
    after = progress_of(rosa, scene.specification).of
    assert (before, after) == (3, 3 + by)
    assert after == cleared_items(rosa).filter(specification=scene.specification).count()


def test_opening_a_version_to_a_class_is_counted(cast: Cast, scene: Scene) -> None:
    """People with other classes have another number, and it is theirs that changes."""
    project = scene.lead.project
    legal = add_reader_class(project, key="legal", title="Legal", actor=None)
    set_membership(project, cast.rui, roles=[Role.REVIEWER], reader_classes=["legal"], actor=None)
    rosa, rui = member(project, cast.rosa), member(project, cast.rui)
    assert [progress_of(one, scene.specification).of for one in (rosa, rui)] == [3, 0]
    for one in EvidenceMember.objects.select_related("span__version"):
        open_to(one.span.version, legal, reason="Needed.", by=scene.lead)
    assert [progress_of(one, scene.specification).of for one in (rosa, rui)] == [3, 3]


def test_without_a_change_it_is_not_counted_again(
    cast: Cast, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What others judge is no change, and nothing of it shows."""
    rosa = member(scene.lead.project, cast.rosa)
    before = progress_of(rosa, scene.specification)
    judge(member(scene.lead.project, cast.rui), scene.item)

    def counted(*_: object) -> None:
        raise AssertionError("it was counted again")

    monkeypatch.setattr(counts, "_theirs", counted)
    assert progress_of(rosa, scene.specification) == before


def test_every_change_is_one_that_is_written() -> None:
    """A verb that was renamed where it is written would leave a count standing."""
    written = "".join(path.read_text() for path in (ROOT / "adjudication").rglob("actions/*.py"))
    written += (ROOT / "adjudication" / "corpus" / "clearing.py").read_text()
    assert not [verb for verb in counts.CHANGES if f'"{verb}"' not in written]
