"""Linear Horn closure with derivations.

The counter algorithm of Dowling and Gallier (1984) on integer ids: every edge counts the
premises it still waits for, every atom knows the edges that watch it. An instance is
compiled once; a closure copies the counters, so its cost is linear in the tails.
"""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count

from certify_core.errors import InvalidInstance
from certify_core.model import Atom, Edge, Instance, Step

UNDERIVED = -1


@dataclass(frozen=True, slots=True)
class Compiled:
    """An instance on integer ids. Build with ``Compiled.of``; never change its lists.

    Origins number, in this order: edges, then units (the unit states the atom), then
    "given". ``needs`` counts an edge's tail, plus one if it has witnesses.
    """

    atoms: tuple[Atom, ...]
    ids: dict[Atom, int]
    units: tuple[str, ...]
    unit_ids: dict[str, int]
    edges: tuple[Edge, ...]
    heads: list[int]
    needs: list[int]
    watch: list[list[int]]
    states: list[list[int]]
    enables: list[list[int]]
    given: list[int]
    unconditional: list[int]
    targets: tuple[int, ...]

    @classmethod
    def of(cls, instance: Instance) -> Compiled:
        """Compile an instance.

        Raises:
            InvalidInstance: no targets, or a witness that is none of ``instance.facts``.
        """
        if not instance.targets:
            raise InvalidInstance("targets", "there is no target")
        collecting = gc.isenabled()
        # Compiling makes millions of containers and no cycle: collecting costs a third of it.
        gc.disable()
        try:
            return cls._build(instance)
        finally:
            if collecting:
                gc.enable()

    @classmethod
    def _build(cls, instance: Instance) -> Compiled:
        edges, units = instance.edges, tuple(instance.facts)
        unit_ids = {uid: position for position, uid in enumerate(units)}
        watch = _watch(edges)
        ids = defaultdict(count(len(watch)).__next__, zip(watch, range(len(watch)), strict=True))
        number = ids.__getitem__
        given = [number(atom) for atom in dict.fromkeys(instance.given)]
        states = [[number(atom) for atom in instance.facts[uid]] for uid in units]
        heads = [number(edge.head) for edge in edges]
        targets = tuple([number(atom) for atom in dict.fromkeys(instance.targets)])
        ids.default_factory = None
        needs = [len(edge.tail) + (edge.witnesses is not None) for edge in edges]
        return cls(
            atoms=tuple(ids),
            ids=ids,
            units=units,
            unit_ids=unit_ids,
            edges=edges,
            heads=heads,
            needs=needs,
            watch=[*watch.values(), *([] for _ in range(len(ids) - len(watch)))],
            states=states,
            enables=_enables(edges, unit_ids),
            given=given,
            unconditional=[edge for edge, need in enumerate(needs) if not need],
            targets=targets,
        )

    def tail(self, edge: int) -> list[int]:
        """The premises of an edge (by number)."""
        return [self.ids[premise] for premise in self.edges[edge].tail]

    def ordered(self, context: Iterable[str] | None) -> list[int]:
        """Ids of the context's units in its order, once each; ``None`` means all units.

        Ids the instance does not know are left out: such a unit states nothing here.
        """
        if context is None:
            return list(range(len(self.units)))
        return [self.unit_ids[uid] for uid in dict.fromkeys(context) if uid in self.unit_ids]

    def closure(self, context: Iterable[str] | None = None) -> Closure:
        """Everything that follows with the context's units, in their order of rank."""
        return self.close(self.ordered(context))

    def close(self, context: Sequence[int]) -> Closure:
        """As ``closure``, on unit ids. Linear in the tails; first in, first out."""
        left = self.needs.copy()
        origin = [UNDERIVED] * len(self.atoms)
        witness = [UNDERIVED] * len(left) if context else []
        queue: list[int] = []
        heads, watch = self.heads, self.watch
        stated, known = len(left), len(left) + len(self.units)
        for atom in self.given:
            origin[atom] = known
            queue.append(atom)
        for unit in context:
            for atom in self.states[unit]:
                if origin[atom] < 0:
                    origin[atom] = stated + unit
                    queue.append(atom)
            for edge in self.enables[unit]:
                if witness[edge] < 0:
                    witness[edge] = unit
                    left[edge] -= 1
                    if not left[edge] and origin[heads[edge]] < 0:
                        origin[heads[edge]] = edge
                        queue.append(heads[edge])
        for edge in self.unconditional:
            if origin[heads[edge]] < 0:
                origin[heads[edge]] = edge
                queue.append(heads[edge])
        for atom in queue:
            for edge in watch[atom]:
                left[edge] -= 1
                if not left[edge]:
                    head = heads[edge]
                    if origin[head] < 0:
                        origin[head] = edge
                        queue.append(head)
        return Closure(self, tuple(context), left, origin, witness, queue)


@dataclass(frozen=True, slots=True)
class Closure:
    """The atoms that follow, in the order they were found, with their first reason.

    ``origin`` holds per atom ``UNDERIVED`` or an origin number (see ``Compiled``),
    ``witness`` per edge the first enabling unit, ``order`` the atoms by rank. Ranks never
    fall with depth, so the reasons are acyclic and each derivation is of least depth.
    """

    compiled: Compiled
    context: tuple[int, ...]
    left: list[int]
    origin: list[int]
    witness: list[int]
    order: list[int]

    @property
    def atoms(self) -> frozenset[Atom]:
        return frozenset(self.compiled.atoms[atom] for atom in self.order)

    @property
    def sufficient(self) -> bool:
        """Whether every target follows."""
        origin = self.origin
        return all(origin[target] >= 0 for target in self.compiled.targets)

    def enabled(self, edge: int) -> bool:
        """Whether the edge (by number) is free or has a witness in the context."""
        if self.compiled.edges[edge].witnesses is None:
            return True
        return bool(self.witness) and self.witness[edge] >= 0

    def derivation(self) -> tuple[Step, ...]:
        """The steps that the derived targets rest on; each uses earlier ones only."""
        return tuple(self._step(atom) for atom in self._slice())

    def support(self) -> list[int]:
        """Ids of the units that the derived targets' first reasons use, ascending."""
        used = {self._unit(atom) for atom in self._slice()}
        return sorted(used - {UNDERIVED})

    def _slice(self) -> list[int]:
        """Atoms needed for the derived targets by their first reasons, by rank."""
        wanted = {target for target in self.compiled.targets if self.origin[target] >= 0}
        if not wanted:
            return []
        needed = []
        for atom in reversed(self.order):
            if atom in wanted:
                needed.append(atom)
                wanted.update(self._premises(atom))
        return needed[::-1]

    def _premises(self, atom: int) -> list[int]:
        origin = self.origin[atom]
        return self.compiled.tail(origin) if origin < len(self.compiled.edges) else []

    def _unit(self, atom: int) -> int:
        """The unit that states the atom or witnesses its edge, else ``UNDERIVED``."""
        origin, edges = self.origin[atom], len(self.compiled.edges)
        if origin < edges:
            return self.witness[origin] if self.witness else UNDERIVED
        unit = origin - edges
        return unit if unit < len(self.compiled.units) else UNDERIVED

    def _step(self, atom: int) -> Step:
        compiled, origin, unit = self.compiled, self.origin[atom], self._unit(atom)
        return Step(
            atom=compiled.atoms[atom],
            edge=compiled.edges[origin].eid if origin < len(compiled.edges) else None,
            unit=compiled.units[unit] if unit >= 0 else None,
            premises=tuple(compiled.atoms[premise] for premise in self._premises(atom)),
        )


def _watch(edges: Sequence[Edge]) -> defaultdict[Atom, list[int]]:
    """The edges that watch each premise; measured faster than numbering the tails first."""
    watch: defaultdict[Atom, list[int]] = defaultdict(list)
    for number, edge in enumerate(edges):
        for premise in edge.tail:
            watch[premise].append(number)
    return watch


def _enables(edges: Sequence[Edge], unit_ids: dict[str, int]) -> list[list[int]]:
    enables: list[list[int]] = [[] for _ in unit_ids]
    for number, edge in enumerate(edges):
        for uid in edge.witnesses or ():
            if uid not in unit_ids:
                raise InvalidInstance("edges", f"witness {uid!r} is no unit of the instance")
            enables[unit_ids[uid]].append(number)
    return enables
