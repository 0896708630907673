"""A separate, obvious check of a derivation: every step against the instance, nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from certify_core.model import Instance, Step


def check(instance: Instance, units: Sequence[str], derivation: Sequence[Step]) -> None:
    """Raises AssertionError unless the derivation proves every target from these units."""
    proven: set[str] = set()
    for step in derivation:
        assert set(step.premises) <= proven, f"{step.atom} uses what is not proven yet"
        assert step.unit is None or step.unit in units, f"{step.unit} is not in the certificate"
        if step.edge is None and step.unit is None:
            assert step.atom in instance.given
        elif step.edge is None:
            assert step.atom in instance.facts[str(step.unit)]
        else:
            edge = next(edge for edge in instance.edges if edge.eid == step.edge)
            assert (edge.head, edge.tail) == (step.atom, step.premises)
            assert step.unit in (edge.witnesses or (None,))
        proven.add(step.atom)
    assert proven >= set(instance.targets), "a target is not proven"
