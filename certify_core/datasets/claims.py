"""What the claim data sets share: labels under one name, and which sets can be used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from certify_core.datasets.reading import Node
from certify_core.datasets.records import ClaimLabel, Problem
from certify_core.evidence import antichain
from certify_core.metrics.families import GivenLine, Line

GivenSet = tuple[Node, tuple[GivenLine, ...]]
"""Where a set stands, and its members as annotated."""


def read_label(
    node: Node, names: Mapping[str, ClaimLabel], aliases: Mapping[str, str]
) -> tuple[ClaimLabel, list[Problem]]:
    """The label under our name; one that the format does not define is an alias or refused."""
    given = node.text()
    if given in names:
        return names[given], []
    name = aliases.get(given)
    if name is None:
        raise node.fail(f"{given!r} is none of the labels {', '.join(sorted(names))}")
    return names[name], [node.problem("label-alias", f"{given!r} is read as {name!r}")]


def assertion(text: str, label: ClaimLabel) -> str:
    """What a set that justifies ``label`` entails: the claim, or that it is refuted."""
    return f"{text} — refuted" if label == "refuted" else text


def usable(sets: Sequence[GivenSet]) -> tuple[tuple[tuple[Line, ...], ...], list[Problem]]:
    """The sets without faults, reduced to those that contain no other, and what was left out.

    Alternatives stay alternatives: nothing is merged into a union.
    """
    whole: list[tuple[Node, frozenset[Line]]] = []
    problems: list[Problem] = []
    for node, given in sets:
        members = [(page, line) for page, line in given if page is not None and line is not None]
        if not given:
            problems.append(node.problem("empty-set", "a set without members is no evidence"))
        elif len(members) < len(given):
            problems.append(node.problem("null-page", "a member names no sentence"))
        else:
            whole.append((node, frozenset(members)))
            if len(set(members)) < len(members):
                problems.append(node.problem("repeated-member", "counted once"))
    kept = antichain(members for _, members in whole)
    return kept, problems + _surplus(whole, {frozenset(members) for members in kept})


def _surplus(
    whole: Sequence[tuple[Node, frozenset[Line]]], kept: set[frozenset[Line]]
) -> list[Problem]:
    """Sets that add nothing to the family: repeats, and those that contain another set."""
    problems = []
    seen: set[frozenset[Line]] = set()
    for node, members in whole:
        if members in seen:
            problems.append(node.problem("repeated-set", "given before; counted once"))
        elif members not in kept:
            problems.append(node.problem("superset", "contains another set and is not minimal"))
        seen.add(members)
    return problems
