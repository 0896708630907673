"""Requirement graphs survive being stored."""

from __future__ import annotations

import json
from typing import Any

import pytest

from adjudication.claims.graphs import from_json, to_json
from certify_core.errors import InvalidGraph
from certify_core.model import Requirement, RequirementGraph

GRAPH = RequirementGraph(
    (
        Requirement(1, "lookup", "The Salt Road >> director", expect="person"),
        Requirement(2, "lookup", "When was #1 born?", expect="date"),
        Requirement(3, "reasoning", "", op="select-earlier", args=("a", "#2", "b", "1970")),
    )
)


def test_graph_is_the_same_after_storing() -> None:
    """Runs decide on what was imported, not on something like it."""
    assert from_json(json.loads(json.dumps(to_json(GRAPH)))) == GRAPH


@pytest.mark.parametrize(
    "body",
    [{}, {"requirements": None}, {"requirements": []}, {"requirements": [{"rid": 1}]}],
)
def test_other_json_is_refused(body: dict[str, Any]) -> None:
    """A damaged graph is named as such, never read as an empty one."""
    with pytest.raises(InvalidGraph):
        from_json(body)
