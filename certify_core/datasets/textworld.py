"""Turn logs of TextWorld games: which earlier turns made an action possible?

Source of the encoding: arXiv 2610.34684 section 3. An atom is a *fact interval*, a fact
with the turn it became true. A turn's edges lead from the live intervals of its
preconditions to each fact it adds; a deletion only closes an interval. Going away and back
opens a new interval, so undone detours belong to what enables a later action.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from certify_core.datasets.closures import questions
from certify_core.datasets.reading import Node, parse_records, read_records
from certify_core.datasets.records import ClosureRecord, Problem, QuestionRecord
from certify_core.evidence import MinimalSets
from certify_core.model import Atom, Edge, Instance, Unit

DATASET = "textworld"


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn: its unit, the intervals it needed, its edges, and the turns behind it.

    ``enabled_by`` is a bit mask over the positions of earlier turns.
    """

    unit: Unit
    needed: tuple[Atom, ...]
    edges: tuple[Edge, ...]
    enabled_by: int


def parse(data: bytes) -> tuple[ClosureRecord, ...]:
    """One question per log: the action that rests on most earlier turns, the first if several.

    Its targets are that turn's preconditions, its units the turns before.

    Raises:
        InvalidRecord: another shape, turns out of order, a precondition or deletion that
            does not hold at its turn, or no turn with a precondition.
    """
    return parse_records(data, _episode)


def items(file: BinaryIO) -> Iterator[QuestionRecord]:
    """Each log as a question with the turns before as passages."""
    return questions(read_records(file, _episode), _turns_needed)


def _turns_needed(record: ClosureRecord, found: MinimalSets) -> str:
    """The turns of the smallest set. Each interval begins in one turn, so there is no other."""
    numbers = [str(int(uid[1:])) for uid in found.sets[0]] if found.sets else []
    return f"turns {', '.join(numbers)}" if numbers else "no earlier turn"


def _episode(record: Node) -> ClosureRecord:
    initial = [fact.filled() for fact in record.field("initial").items()]
    turns, problems = _turns(initial, record.field("turns"))
    askable = [position for position, turn in enumerate(turns) if turn.needed]
    if not askable:
        raise record.field("turns").fail("no turn has a precondition")
    asked = max(askable, key=lambda position: turns[position].enabled_by.bit_count())
    earlier, last = turns[:asked], turns[asked]
    return ClosureRecord(
        dataset=DATASET,
        key=record.field("id").filled(),
        text=f"Which turns made {last.unit.title!r} in turn {int(last.unit.uid[1:])} possible?",
        label="true",
        instance=Instance(
            targets=last.needed,
            given=tuple(_interval(fact, 0) for fact in initial),
            facts={turn.unit.uid: () for turn in earlier},
            edges=tuple(edge for turn in earlier for edge in turn.edges),
        ),
        units=tuple(turn.unit for turn in earlier),
        problems=tuple(problems),
    )


def _turns(initial: Sequence[str], listed: Node) -> tuple[list[Turn], list[Problem]]:
    live = {fact: _interval(fact, 0) for fact in initial}
    behind = dict.fromkeys(live.values(), 0)
    turns: list[Turn] = []
    problems: list[Problem] = []
    last = 0
    for node in listed.items():
        number = node.field("turn").number()
        if number <= last:
            raise node.field("turn").fail(f"{number} does not come after {last}")
        last = number
        turn, already = _turn(node, number, live, behind, 1 << len(turns))
        turns.append(turn)
        problems.extend(already)
    return turns, problems


def _turn(
    node: Node, number: int, live: dict[str, Atom], behind: dict[Atom, int], bit: int
) -> tuple[Turn, list[Problem]]:
    """One turn; ``live`` and ``behind`` (turns behind each interval) move on to its end."""
    needed = tuple(_live(fact, live) for fact in node.field("pre").items())
    enabled_by = 0
    for interval in needed:
        enabled_by |= behind[interval]
    for fact in node.field("delete").items():
        _live(fact, live)
        del live[fact.filled()]
    unit, edges, problems = _unit(node, number), [], []
    for fact in node.field("add").items():
        name = fact.filled()
        if name in live:
            message = f"{name!r} holds already; its interval goes on"
            problems.append(fact.problem("already-true", message))
            continue
        live[name] = head = _interval(name, number)
        behind[head] = enabled_by | bit
        edges.append(Edge(head, needed, (unit.uid,), f"{unit.uid}:{name}"))
    return Turn(unit, needed, tuple(edges), enabled_by), problems


def _unit(node: Node, number: int) -> Unit:
    command = node.field("command").title()
    added = "; ".join(fact.filled() for fact in node.field("add").items())
    ended = "; ".join(fact.filled() for fact in node.field("delete").items())
    text = f"{command}\nturn {number}; now true: {added}; no longer: {ended}"
    return Unit(f"t{number:04d}", command, text)


def _live(fact: Node, live: dict[str, Atom]) -> Atom:
    if fact.filled() not in live:
        raise fact.fail(f"{fact.value!r} does not hold at this turn")
    return live[fact.filled()]


def _interval(fact: str, turn: int) -> Atom:
    return f"{fact} since {turn}"
