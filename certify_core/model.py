"""The frozen values that the engine takes and returns.

Terms follow arXiv 2610.34684 sections 3 and 4. Every collection is a tuple in a
stated order, so that equal inputs give equal bytes under any hash seed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from certify_core.errors import InvalidGraph

Atom = str
"""One fact that may be derived. The text is opaque to the closure."""

Binding = tuple[tuple[int, str], ...]
"""Values of the requirements a lookup depends on: ``((rid, canonical value), ...)`` by rid."""

Grade = Literal["anchored", "verified", "rejected"]
ValueKind = Literal["any", "person", "place", "date", "number", "name", "nationality"]
Operation = Literal[
    "select-earlier",
    "select-later",
    "select-greater",
    "select-less",
    "same",
    "and",
    "or",
    "not",
    "intersection",
    "difference",
    "count",
    "copy",
]
Cause = Literal[
    "nothing-retrieved",
    "no-value",
    "entity-check",
    "conflict",
    "operation-failed",
    "no-plan",
    "blocked",
]

_REFERENCE = re.compile(r"#(\d+)")


@dataclass(frozen=True, slots=True)
class Unit:
    """A passage that may state atoms. ``text`` starts with ``title`` and a line break."""

    uid: str
    title: str
    text: str
    version: str = ""


@dataclass(frozen=True, slots=True)
class Requirement:
    """One fact a question needs.

    A *lookup* asks ``template`` of the corpus; ``#k`` in it stands for the value of
    requirement k. A *reasoning* step applies ``op`` to ``args``; each argument is ``#k``
    or a literal. ``select-*`` take pairs ``(label, #value)`` flattened: label, value, ….
    """

    rid: int
    kind: Literal["lookup", "reasoning"]
    template: str
    op: Operation | None = None
    args: tuple[str, ...] = ()
    expect: ValueKind = "any"

    @property
    def deps(self) -> tuple[int, ...]:
        """The requirements this one refers to, ascending, without repeats."""
        parts = (self.template,) if self.kind == "lookup" else self.args
        return tuple(sorted({int(k) for part in parts for k in _REFERENCE.findall(part)}))

    def filled(self, values: Mapping[int, str]) -> str:
        """The template with every known ``#k`` replaced by its value."""
        return _REFERENCE.sub(lambda m: values.get(int(m[1]), m[0]), self.template)


@dataclass(frozen=True, slots=True)
class RequirementGraph:
    """Requirements in order; the last one yields the answer.

    Raises:
        InvalidGraph: empty, numbers not 1..n, or a reference to itself, a later or
            an unknown step (so a graph cannot be cyclic).
    """

    requirements: tuple[Requirement, ...]

    def __post_init__(self) -> None:
        if not self.requirements:
            raise InvalidGraph(0, "the graph has no requirement")
        for position, requirement in enumerate(self.requirements, start=1):
            if requirement.rid != position:
                raise InvalidGraph(requirement.rid, f"expected number {position}")
            for dep in requirement.deps:
                if not 1 <= dep < position:
                    raise InvalidGraph(position, f"#{dep} is not an earlier step")
            if (requirement.kind == "reasoning") != (requirement.op is not None):
                raise InvalidGraph(position, "exactly the reasoning steps have an operation")

    @property
    def final(self) -> Requirement:
        return self.requirements[-1]


@dataclass(frozen=True, slots=True)
class Edge:
    """Tail atoms jointly yield the head.

    ``witnesses`` is ``None`` for a free edge; otherwise one of the named units must be in
    the context, so an empty tuple never fires. Tail and witnesses are kept sorted and
    duplicate-free.
    """

    head: Atom
    tail: tuple[Atom, ...] = ()
    witnesses: tuple[str, ...] | None = None
    eid: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "tail", tuple(sorted(set(self.tail))))
        if self.witnesses is not None:
            object.__setattr__(self, "witnesses", tuple(sorted(set(self.witnesses))))


@dataclass(frozen=True, slots=True)
class Instance:
    """A closure problem: given atoms, units with the atoms they state, edges, targets."""

    targets: tuple[Atom, ...]
    given: tuple[Atom, ...] = ()
    facts: Mapping[str, tuple[Atom, ...]] = field(default_factory=dict)
    edges: tuple[Edge, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One line of a derivation: ``atom`` follows from ``premises``.

    ``edge`` is the edge's id (``None`` for a given or stated atom), ``unit`` the unit that
    states the atom or witnesses the edge (``None`` for given atoms and free edges).
    """

    atom: Atom
    edge: str | None
    unit: str | None
    premises: tuple[Atom, ...] = ()


@dataclass(frozen=True, slots=True)
class Link:
    """A unit states a value for a requirement about exactly the required entity, or not.

    ``start``/``end`` are code-point offsets of ``value`` in the unit's text;
    ``sentence`` is the range of the sentence around it. ``canonical`` is the normalised
    value that closure compares. ``cue`` names the reading rule or model that fired.
    """

    rid: int
    binding: Binding
    uid: str
    value: str
    canonical: str
    start: int
    end: int
    sentence: tuple[int, int]
    grade: Grade
    reason: str
    cue: str
    rank: int

    @property
    def accepted(self) -> bool:
        return self.grade != "rejected"


@dataclass(frozen=True, slots=True)
class Certificate:
    """A minimal sufficient set of units with its derivation.

    ``core`` are the units in every minimal set; ``alternatives`` the other minimal sets
    found; ``complete`` says whether all of them were found within the limits;
    ``closures`` counts the closures for confirming and pruning.
    """

    units: tuple[str, ...]
    derivation: tuple[Step, ...]
    closures: int
    core: tuple[str, ...] = ()
    alternatives: tuple[tuple[str, ...], ...] = ()
    complete: bool = True
    answer: str = ""
    links: tuple[Link, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OpenRequirement:
    """A requirement whose inputs are known and whose value is not."""

    rid: int
    text: str
    cause: Cause
    uids: tuple[str, ...] = ()
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Abstention:
    """Which requirements are open (and why) and which wait behind them."""

    open: tuple[OpenRequirement, ...]
    blocked: tuple[OpenRequirement, ...] = ()


@dataclass(frozen=True, slots=True)
class Search:
    """One retrieval: the query asked for a requirement, its round and the ranked units."""

    rid: int
    binding: Binding
    query: str
    round: int
    uids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What Certify found for one question, with everything it did on the way."""

    result: Certificate | Abstention
    graph: RequirementGraph | None
    links: tuple[Link, ...] = ()
    searches: tuple[Search, ...] = ()
