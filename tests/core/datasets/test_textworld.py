"""TextWorld logs: fact intervals, detours, and logs that contradict themselves."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from certify_core.closure import Compiled
from certify_core.datasets import textworld
from certify_core.datasets.records import ClosureRecord
from certify_core.errors import InvalidRecord
from certify_core.evidence import all_minimal_sets
from tests.core.datasets.samples import as_lines


def turn(number: int, pre: list[str], add: list[str], delete: list[str]) -> dict[str, Any]:
    return {
        "turn": number,
        "command": f"do {number}",
        "rule": "r",
        "pre": pre,
        "add": add,
        "delete": delete,
    }


LOG: dict[str, Any] = {
    "id": "log",
    "initial": ["at hall", "door"],
    "turns": [
        turn(1, ["at hall", "door"], ["at yard"], ["at hall"]),
        turn(2, ["at yard", "door"], ["at hall"], ["at yard"]),
        turn(4, ["door"], ["open"], []),
        turn(5, ["at hall"], ["key"], []),
    ],
}


def only(log: dict[str, Any]) -> ClosureRecord:
    (found,) = textworld.parse(as_lines(log))
    return found


def changed(position: int, **fields: object) -> dict[str, Any]:
    log = copy.deepcopy(LOG)
    log["turns"][position].update(fields)
    return log


def test_undone_detour_belongs_to_what_enables_the_action():
    """Going away and back opens a new interval; the turn that changes nothing relevant is out."""
    found = only(LOG)
    assert found.instance.targets == ("at hall since 2",)
    sets = all_minimal_sets(Compiled.of(found.instance))
    assert (sets.sets, sets.complete) == ((("t0001", "t0002"),), True)
    assert found.text == "Which turns made 'do 5' in turn 5 possible?"


def test_units_are_the_turns_before_the_action():
    """The action itself and later turns cannot have enabled it."""
    assert [unit.uid for unit in only(LOG).units] == ["t0001", "t0002", "t0004"]


def test_deletion_only_closes_an_interval():
    """What an earlier turn used stays derived: closure is monotone."""
    found = only(LOG)
    assert "at hall since 0" in found.instance.given
    edge = next(edge for edge in found.instance.edges if edge.head == "at yard since 1")
    assert edge.tail == ("at hall since 0", "door since 0")
    assert edge.witnesses == ("t0001",)


def test_first_of_equal_actions_is_asked():
    """The choice is fixed: same log, same question."""
    log = copy.deepcopy(LOG)
    log["turns"].append(turn(6, ["at hall"], ["lamp"], []))
    assert only(log).text == only(LOG).text


def test_fact_added_while_it_holds_is_remarked():
    """Its interval goes on; a second producer would make the enabling set ambiguous."""
    found = only(changed(2, add=["door", "open"]))
    assert [problem.code for problem in found.problems] == ["already-true"]
    assert not any(edge.head == "door since 4" for edge in found.instance.edges)


@pytest.mark.parametrize(
    ("log", "fault"),
    [
        (changed(1, pre=["at hall"]), r"turns\[1\].pre\[0\]: 'at hall' does not hold"),
        (changed(1, delete=["key"]), r"turns\[1\].delete\[0\]: 'key' does not hold"),
        (changed(1, turn=1), r"turns\[1\].turn: 1 does not come after 1"),
        (changed(0, add=[""]), r"turns\[0\].add\[0\]: is empty"),
        ({**LOG, "turns": []}, "turns: no turn has a precondition"),
        ({**LOG, "initial": None}, "initial: expected a list"),
    ],
)
def test_log_that_contradicts_itself_is_refused(log, fault):
    """The line and the path of the fault."""
    with pytest.raises(InvalidRecord, match=rf"line 1 \(log\): {fault}"):
        textworld.parse(as_lines(log, {**LOG, "id": "other"}))
