"""The JSON form of an instance: read strictly, every fault named at its place."""

from __future__ import annotations

from collections import Counter
from typing import Any

from certify_core.errors import InvalidInstance
from certify_core.model import Edge, Instance


def instance_of(document: Any) -> Instance:
    """The instance a document describes, with all parts in sorted order.

    ``{"given": [atom], "units": [{"id", "states": [atom]}], "rules": [{"id", "tail",
    "head", "witnesses"?}], "targets": [atom]}``; a rule without witnesses is free.

    Raises:
        InvalidInstance: a wrong type, an unknown or missing key, an id used twice, a
            witness that is no unit, or no target. ``field`` is a path such as
            ``rules[2].head``.
    """
    _keys(document, "document", {"given", "units", "rules", "targets"})
    units = dict(sorted(_unit(u, f"units[{i}]") for i, u in _items(document, "units")))
    _unique([unit["id"] for unit in document["units"]], "units")
    edges = [_edge(r, f"rules[{i}]", units) for i, r in _items(document, "rules")]
    _unique([str(edge.eid) for edge in edges], "rules")
    targets = _atoms(document["targets"], "targets")
    if not targets:
        raise InvalidInstance("targets", "there is no target")
    return Instance(
        targets=targets,
        given=_atoms(document["given"], "given"),
        facts=units,
        edges=tuple(sorted(edges, key=lambda edge: str(edge.eid))),
    )


def _unit(value: Any, place: str) -> tuple[str, tuple[str, ...]]:
    _keys(value, place, {"id", "states"})
    return _text(value["id"], f"{place}.id"), _atoms(value["states"], f"{place}.states")


def _edge(value: Any, place: str, units: dict[str, tuple[str, ...]]) -> Edge:
    _keys(value, place, {"id", "tail", "head"}, {"witnesses"})
    witnesses = None
    if "witnesses" in value:
        witnesses = _atoms(value["witnesses"], f"{place}.witnesses")
        for position, uid in enumerate(value["witnesses"]):
            if uid not in units:
                raise InvalidInstance(f"{place}.witnesses[{position}]", f"{uid!r} is no unit")
    return Edge(
        head=_text(value["head"], f"{place}.head"),
        tail=_atoms(value["tail"], f"{place}.tail"),
        witnesses=witnesses,
        eid=_text(value["id"], f"{place}.id"),
    )


def _keys(
    value: Any, place: str, required: set[str], optional: frozenset[str] | set[str] = frozenset()
) -> None:
    if not isinstance(value, dict):
        raise InvalidInstance(place, "not an object")
    for key in sorted(required - value.keys()):
        raise InvalidInstance(place, f"the key {key!r} is missing")
    for key in sorted(value.keys() - required - optional):
        raise InvalidInstance(place, f"unknown key {key!r}")


def _items(document: dict[str, Any], name: str) -> list[tuple[int, Any]]:
    return list(enumerate(_list(document[name], name)))


def _atoms(value: Any, place: str) -> tuple[str, ...]:
    """Sorted, without repeats."""
    texts = [_text(item, f"{place}[{i}]") for i, item in enumerate(_list(value, place))]
    return tuple(sorted(set(texts)))


def _list(value: Any, place: str) -> list[Any]:
    if not isinstance(value, list):
        raise InvalidInstance(place, "not a list")
    return value


def _text(value: Any, place: str) -> str:
    if not isinstance(value, str):
        raise InvalidInstance(place, "not a string")
    return value


def _unique(ids: list[str], place: str) -> None:
    for repeated in (text for text, count in Counter(ids).items() if count > 1):
        raise InvalidInstance(place, f"the id {repeated!r} is used twice")
