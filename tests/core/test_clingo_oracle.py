"""A second oracle: an answer-set solver lists the same minimal sets on mid-size instances."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable

import pytest

from certify_core.closure import Compiled
from certify_core.evidence import all_minimal_sets, certificate, core
from certify_core.model import Edge, Instance

clingo = pytest.importorskip("clingo", reason="the answer-set solver clingo is not installed")

MOST = 2000
"""Sets per instance beyond which neither side is asked to go on."""


def minimal_sets(instance: Instance) -> set[frozenset[str]]:
    """All inclusion-minimal choices of units under which the targets hold.

    Preferring each unit out, and blocking supersets of what was found (domain heuristic
    with recorded domain), makes every answer set a minimal one.
    """
    control = clingo.Control(["--heuristic=Domain", "--enum-mode=domRec", str(MOST)])
    control.add("base", [], "\n".join(_program(instance)))
    control.ground([("base", [])])
    found: set[frozenset[str]] = set()
    with control.solve(yield_=True) as handle:
        for model in handle:
            found.add(frozenset(a.arguments[0].string for a in model.symbols(shown=True)))
    return found


def _program(instance: Instance) -> Iterable[str]:
    """Units are chosen, the rest follows: one line per rule."""
    yield "#show in/1. #heuristic in(U) : unit(U). [1,false] {in(U)} :- unit(U)."
    yield from (f"unit({_q(uid)})." for uid in instance.facts)
    yield from (f"holds({_q(atom)})." for atom in instance.given)
    for uid, atoms in instance.facts.items():
        yield from (f"holds({_q(atom)}) :- in({_q(uid)})." for atom in atoms)
    for edge in instance.edges:
        body = [f"holds({_q(premise)})" for premise in edge.tail]
        witnesses = [[]] if edge.witnesses is None else [[f"in({_q(w)})"] for w in edge.witnesses]
        yield from (f"holds({_q(edge.head)}) :- {', '.join([*body, *w]) or '#true'}."
                    for w in witnesses)  # fmt: skip
    yield from (f":- not holds({_q(target)})." for target in instance.targets)


def _q(text: str) -> str:
    return json.dumps(text)


def mid_size(seed: int) -> Instance:
    """10 to 40 units, two statements of most facts, joins, shared witnesses, cycles."""
    chance = random.Random(seed)
    units = [f"u{n}" for n in range(chance.randint(10, 40))]
    atoms = [f"a{n}" for n in range(chance.randint(12, 30))]
    stated = atoms[: len(atoms) // 2]

    def edge(number: int) -> Edge:
        tail = chance.sample(atoms, chance.choice([0, 1, 2, 2, 3]))
        free = tail and chance.random() < 0.6
        witnesses = None if free else tuple(chance.sample(units, chance.choice([0, 1, 1, 2])))
        return Edge(chance.choice(atoms[len(stated) :]), tuple(tail), witnesses, f"e{number}")

    return Instance(
        targets=tuple(chance.sample(atoms[-4:], chance.choice([1, 1, 2]))),
        given=tuple(chance.sample(stated, 1)),
        facts={uid: tuple(chance.sample(stated, chance.choice([0, 1, 1, 2]))) for uid in units},
        edges=tuple(edge(number) for number in range(chance.randint(20, 45))),
    )


INSTANCES = {seed: mid_size(seed) for seed in range(60)}


def test_all_minimal_sets_equal_the_solvers() -> None:
    """Not one more, not one fewer; where the engine stops early, none that is not minimal."""
    finished = several = most = 0
    for seed, instance in INSTANCES.items():
        expected = minimal_sets(instance)
        found = all_minimal_sets(Compiled.of(instance), limit=MOST, seconds=1)
        assert len(found.sets) == len(set(found.sets))
        assert {frozenset(units) for units in found.sets} <= expected, seed
        if found.complete:
            assert len(found.sets) == len(expected), seed
        finished, several = finished + found.complete, several + (len(expected) > 1)
        most = max(most, len(expected))
    print(f"\n{finished} of {len(INSTANCES)} finished, {several} with several sets, at most {most}")
    assert finished > 0.9 * len(INSTANCES)
    assert several > 20
    assert most > 50


def test_certificate_is_one_of_the_solvers_sets() -> None:
    """Also from a context in another order; the core is what the solver's sets share."""
    for seed, instance in INSTANCES.items():
        expected = minimal_sets(instance)
        compiled = Compiled.of(instance)
        for context in (list(instance.facts), list(instance.facts)[::-1]):
            found = certificate(compiled, context, limit=0)
            assert (found is not None) == bool(expected), seed
            assert found is None or frozenset(found.units) in expected, seed
        shared = frozenset.intersection(*expected) if expected else frozenset()
        assert frozenset(core(compiled)) == shared, seed
