"""Two ways to list all minimal sufficient sets; ``evidence`` chooses between them."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence

from certify_core.closure import Closure, Compiled
from certify_core.cone import producers, reachable


class _Capped(Exception):
    """An antichain outgrew its cap, or the time is up."""


class _Antichain:
    """Sets as bit masks of which none contains another."""

    def __init__(self, cap: int) -> None:
        self.cap = cap
        self.masks: list[int] = []

    def add(self, mask: int) -> bool:
        """Insert unless a subset is there, dropping supersets. Whether it was inserted."""
        for kept in self.masks:
            if kept & mask == kept:
                return False
        self.masks = [kept for kept in self.masks if kept & mask != mask]
        self.masks.append(mask)
        if len(self.masks) > self.cap:
            raise _Capped
        return True


def labels(
    compiled: Compiled, closure: Closure, cap: int, deadline: float
) -> list[list[int]] | None:
    """All minimal sets of unit ids, by propagating antichains through the targets' cone.

    ``None`` once an atom holds more than ``cap`` sets or the deadline (monotonic
    seconds) passes: sets found so far would not be known to be minimal.
    """
    return _Labels(compiled, closure, cap, deadline).run()


class _Labels:
    """Per atom the minimal unit sets that yield it, to a fixpoint.

    Each round of an edge combines every label of its tail, so an atom that gained a set
    asks all edges that watch it again.
    """

    def __init__(self, compiled: Compiled, closure: Closure, cap: int, deadline: float) -> None:
        self.compiled, self.cap, self.deadline = compiled, cap, deadline
        fired = producers(compiled, lambda edge: not closure.left[edge])
        cone = reachable(compiled.targets, compiled, fired)
        self.sets = {atom: _Antichain(cap) for atom in cone}
        self.watch: dict[int, list[int]] = {atom: [] for atom in cone}
        self.edges = [edge for atom in cone for edge in fired.get(atom, ())]
        self.tails = {edge: compiled.tail(edge) for edge in self.edges}
        for edge, tail in self.tails.items():
            for premise in tail:
                self.watch[premise].append(edge)
        self.context = closure.context

    def run(self) -> list[list[int]] | None:
        try:
            self._seed()
            self._propagate()
            masks = self._combine([self.sets[target].masks for target in self.compiled.targets])
        except _Capped:
            return None
        return [list(_bits(mask)) for mask in masks]

    def _seed(self) -> None:
        for atom in self.compiled.given:
            if atom in self.sets:
                self.sets[atom].add(0)
        for unit in self.context:
            for atom in self.compiled.states[unit]:
                if atom in self.sets:
                    self.sets[atom].add(1 << unit)

    def _propagate(self) -> None:
        enabling = self._enabling()
        pending = deque(self.edges)
        waiting = set(pending)
        while pending:
            edge = pending.popleft()
            waiting.discard(edge)
            tail = [self.sets[premise].masks for premise in self.tails[edge]]
            head = self.compiled.heads[edge]
            grown = [self.sets[head].add(m) for m in self._combine([*tail, enabling[edge]])]
            if any(grown):
                for watcher in self.watch[head]:
                    if watcher not in waiting:
                        waiting.add(watcher)
                        pending.append(watcher)

    def _enabling(self) -> dict[int, list[int]]:
        """Per edge the masks that enable it: none needed, or one of its witnesses."""
        enabling = {
            edge: [0] if self.compiled.edges[edge].witnesses is None else [] for edge in self.edges
        }
        for unit in self.context:
            for edge in self.compiled.enables[unit]:
                if edge in enabling:
                    enabling[edge].append(1 << unit)
        return enabling

    def _combine(self, parts: Sequence[Sequence[int]]) -> list[int]:
        """The minimal unions that take one mask from every part."""
        masks = [0]
        for part in sorted(parts, key=len):
            union = _Antichain(self.cap)
            for left in masks:
                if time.monotonic() > self.deadline:
                    raise _Capped
                for right in part:
                    union.add(left | right)
            masks = union.masks
        return masks


def hitting_sets(
    units: Sequence[int],
    minimal: Callable[[list[int]], list[int] | None],
    limit: int,
    deadline: float,
) -> tuple[list[list[int]], bool]:
    """Minimal sets by Reiter's hitting-set tree, breadth first, and whether all are found.

    ``minimal`` gives a minimal sufficient part of some units, or ``None``. A node removes
    one unit of every set on its path; a set disjoint from the removed units is reused.
    At least one set is found however short the time.
    """
    found: list[int] = []
    seen = {0}
    pending = deque([0])
    while pending:
        if found and (len(found) >= limit or time.monotonic() > deadline):
            return [list(_bits(mask)) for mask in found], False
        removed = pending.popleft()
        label = next((mask for mask in found if not mask & removed), None)
        if label is None:
            part = minimal([unit for unit in units if not removed >> unit & 1])
            if part is None:
                continue
            label = _mask(part)
            found.append(label)
        for unit in _bits(label):
            child = removed | 1 << unit
            if child not in seen:
                seen.add(child)
                pending.append(child)
    return [list(_bits(mask)) for mask in found], True


def _mask(units: Iterable[int]) -> int:
    return sum(1 << unit for unit in units)


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
