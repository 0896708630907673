"""How long closures take, and how many times longer clingo does, where it is installed.

Both get names and give the names that follow. clingo is also timed on bare numbers, its
fastest way in, with the names kept outside. "times" are clingo's seconds over ours,
compiling and closing together unless the name says closure alone.
"""

import random
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from bench.timing import Figures, cpu_seconds
from certify_core.closure import Compiled
from certify_core.model import Edge, Instance

TINY = Instance(
    targets=("h",),
    given=("a", "b"),
    edges=(
        Edge("c", ("a", "b")),
        Edge("d", ("c",)),
        Edge("e", ("b", "d")),
        Edge("f", ("g",)),
        Edge("g", ("c", "e")),
        Edge("h", ("f", "d")),
    ),
)
GIVEN = 0.3
"""Share of atoms given in random instances: about half of all atoms follow then."""


def measure() -> Figures:
    """Return processor time for 6, 100,000 and 1,000,000 rules; ratios are null without clingo."""
    clingo = import_module("clingo") if find_spec("clingo") else None
    return {
        "clingo_version": clingo.__version__ if clingo else None,
        **tiny(clingo),
        **large(clingo),
        **huge(),
    }


def tiny(clingo: Any) -> Figures:
    compiled = Compiled.of(TINY)
    alone = cpu_seconds(compiled.closure, loops=5000, runs=15)
    whole = cpu_seconds(lambda: ours(TINY), loops=2000, runs=15)
    named, numbered = theirs(clingo, TINY, loops=200)
    return {
        "tiny_atoms": len(compiled.atoms),
        "tiny_rules": len(TINY.edges),
        "tiny_closure_us": microseconds(alone),
        "tiny_compile_and_closure_us": microseconds(whole),
        "tiny_clingo_us": microseconds(named),
        "tiny_clingo_numbers_us": microseconds(numbered),
        "tiny_closure_times": ratio(named, alone),
        "tiny_closure_times_numbers": ratio(numbered, alone),
        "tiny_times": ratio(named, whole),
    }


def large(clingo: Any) -> Figures:
    instance = random_instance(100_000)
    whole = cpu_seconds(lambda: ours(instance), runs=7)
    named, numbered = theirs(clingo, instance)
    return {
        "rules_1e5_derived": len(ours(instance)),
        "rules_1e5_s": seconds(whole),
        "rules_1e5_clingo_s": seconds(named),
        "rules_1e5_clingo_numbers_s": seconds(numbered),
        "rules_1e5_times": ratio(named, whole),
        "rules_1e5_times_numbers": ratio(numbered, whole),
    }


def huge() -> Figures:
    instance = random_instance(1_000_000)
    compiled = Compiled.of(instance)
    alone = cpu_seconds(compiled.closure, runs=3)
    derived = len(compiled.closure().order)
    # The memory of the first is given back before another is made.
    del compiled
    return {
        "rules_1e6_derived": derived,
        "rules_1e6_closure_s": seconds(alone),
        "rules_1e6_s": seconds(cpu_seconds(lambda: Compiled.of(instance).closure(), runs=3)),
    }


def random_instance(rules: int) -> Instance:
    """Return as many atoms as rules, every rule with one to three premises, all at random."""
    chance = random.Random(rules)
    names = [f"a{number}" for number in range(rules)]

    def any_name() -> str:
        return names[int(chance.random() * rules)]

    edges = tuple(
        Edge(any_name(), tuple(any_name() for _ in range(1 + number % 3)))
        for number in range(rules)
    )
    return Instance(targets=(names[-1],), given=tuple(names[: int(GIVEN * rules)]), edges=edges)


def ours(instance: Instance) -> frozenset[str]:
    return Compiled.of(instance).closure().atoms


def theirs(clingo: Any, instance: Instance, loops: int = 1) -> tuple[float | None, float | None]:
    """Return clingo's seconds on names and on numbers, once both agree with our closure."""
    if clingo is None:
        return None, None

    def timed(solve: Callable[[Any, Instance], frozenset[str]]) -> float:
        if solve(clingo, instance) != ours(instance):
            raise SystemExit("clingo derives something else: the figures would mean nothing")
        return cpu_seconds(lambda: solve(clingo, instance), loops=loops, runs=7)

    return timed(on_names), timed(on_numbers)


def on_names(clingo: Any, instance: Instance) -> frozenset[str]:
    found: list[Any] = []
    control = clingo.Control()
    with control.backend() as backend:
        add_rules(backend, instance, Numbers(lambda name: backend.add_atom(clingo.Function(name))))
    control.solve(on_model=lambda model: found.extend(model.symbols(atoms=True)))
    return frozenset(symbol.name for symbol in found)


def on_numbers(clingo: Any, instance: Instance) -> frozenset[str]:
    found: list[str] = []
    control = clingo.Control()
    with control.backend() as backend:
        numbers = Numbers(lambda name: backend.add_atom())
        add_rules(backend, instance, numbers)
    control.solve(
        on_model=lambda model: found.extend(n for n, atom in numbers.items() if model.is_true(atom))
    )
    return frozenset(found)


class Numbers(dict[str, int]):
    """The solver's number of each name, asked for when the name is first met."""

    def __init__(self, create: Callable[[str], int]) -> None:
        super().__init__()
        self.create = create

    def __missing__(self, name: str) -> int:
        self[name] = number = self.create(name)
        return number


def add_rules(backend: Any, instance: Instance, numbers: Numbers) -> None:
    for name in instance.given:
        backend.add_rule([numbers[name]])
    for edge in instance.edges:
        backend.add_rule([numbers[edge.head]], [numbers[premise] for premise in edge.tail])


def microseconds(value: float | None) -> float | None:
    return None if value is None else round(value * 1e6, 2)


def seconds(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def ratio(theirs: float | None, ours: float) -> float | None:
    return None if theirs is None else round(theirs / ours, 1)
