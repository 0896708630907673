"""Verdicts to carry over, made through the actions."""

from __future__ import annotations

from typing import Any

from adjudication.projects.models import Project
from adjudication.review import actions
from adjudication.review.models import CarryOver
from adjudication.specifications.actions import change_draft, freeze, start_draft
from adjudication.specifications.models import Specification
from tests.conftest import Cast
from tests.review.scenes import Scene, judge, member, open_scene


def decided(project: Project, cast: Cast, *, sets: int = 1) -> Scene:
    """``sets`` accepted sets under specification 1."""
    scene = open_scene(project, cast.lead, sets=sets)
    for item in scene.items:
        judge(member(project, cast.rosa), item)
        judge(member(project, cast.rui), item)
    return scene


def following(project: Project, **changes: Any) -> Specification:
    """The next specification, frozen."""
    return freeze(change_draft(start_draft(project, by=None), changes, by=None), by=None)


def carry(project: Project, cast: Cast, scene: Scene, later: Specification) -> CarryOver:
    lead = member(project, cast.lead)
    return actions.carry_over(scene.specification, later, by=lead, reason="Same sources.")
