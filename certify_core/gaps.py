"""What keeps targets from following, and what would let them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from certify_core.closure import Compiled
from certify_core.cone import cyclic, producers, reachable
from certify_core.evidence import MinimalSets, all_minimal_sets
from certify_core.model import Atom, Instance


@dataclass(frozen=True, slots=True)
class Gaps:
    """Underived atoms the targets need, sorted.

    No enabled edge yields an ``open`` atom, or the atom lies on a cycle of underived
    atoms. The ``blocked`` ones wait for others.
    """

    open: tuple[Atom, ...]
    blocked: tuple[Atom, ...]


def gaps(compiled: Compiled, context: Iterable[str] | None = None) -> Gaps:
    """What keeps the targets from following. Both parts are empty if they follow.

    Only enabled edges count: where an edge lacks a witness, its head itself is open.
    """
    closure = compiled.closure(context)
    origin = closure.origin
    missing = [target for target in compiled.targets if origin[target] < 0]
    by_head = producers(
        compiled, lambda edge: origin[compiled.heads[edge]] < 0 and closure.enabled(edge)
    )
    needed = [atom for atom in reachable(missing, compiled, by_head) if origin[atom] < 0]
    waits_for = {
        atom: [p for e in by_head.get(atom, ()) for p in compiled.tail(e) if origin[p] < 0]
        for atom in needed
    }
    circular = cyclic(waits_for)
    blocked = {atom for atom in needed if waits_for[atom] and atom not in circular}
    return Gaps(
        open=tuple(sorted(compiled.atoms[atom] for atom in needed if atom not in blocked)),
        blocked=tuple(sorted(compiled.atoms[atom] for atom in blocked)),
    )


def completions(
    instance: Instance,
    context: Iterable[str] | None = None,
    *,
    limit: int = 20,
    seconds: float = 1.0,
) -> MinimalSets:
    """The minimal sets of open atoms that, if they held, would yield every target.

    Empty if the targets already follow. Smallest first.
    """
    compiled = Compiled.of(instance)
    missing = gaps(compiled, context).open
    if not missing:
        return MinimalSets((), True)
    closure = compiled.closure(context)
    hypothetical = Instance(
        targets=instance.targets,
        given=tuple(compiled.atoms[atom] for atom in closure.order),
        facts={atom: (atom,) for atom in missing},
        edges=tuple(
            replace(edge, witnesses=None)
            for number, edge in enumerate(instance.edges)
            if closure.enabled(number)
        ),
    )
    return all_minimal_sets(Compiled.of(hypothetical), limit=limit, seconds=seconds)
