"""Requirement graphs as JSON, both ways. The one place that knows their stored form."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from certify_core.errors import InvalidGraph
from certify_core.model import Requirement, RequirementGraph


def to_json(graph: RequirementGraph) -> dict[str, Any]:
    """``{"requirements": [{rid, kind, template, op, args, expect}, …]}`` in order."""
    steps = [asdict(requirement) for requirement in graph.requirements]
    return {"requirements": [step | {"args": list(step["args"])} for step in steps]}


def from_json(body: dict[str, Any]) -> RequirementGraph:
    """The graph that ``to_json`` wrote.

    Raises:
        InvalidGraph: another shape, or steps that refer to no earlier one.
    """
    try:
        steps = [step | {"args": tuple(step["args"])} for step in body["requirements"]]
        requirements = tuple(Requirement(**step) for step in steps)
    except (KeyError, TypeError) as error:
        raise InvalidGraph(0, f"not a stored graph ({error})") from error
    return RequirementGraph(requirements)
