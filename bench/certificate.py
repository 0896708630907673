"""How much slicing saves over plain deletion, and how long real questions take to certify.

``PROOFWRITER`` in the environment names a file of ProofWriter questions, as `import_data`
reads them; without it the questions are left out.
"""

import os
from pathlib import Path

from bench.timing import Figures, cpu_seconds
from certify_core.closure import Compiled
from certify_core.datasets import CLOSURES
from certify_core.datasets.records import ClosureRecord
from certify_core.evidence import certificate, minimal_set
from certify_core.gaps import gaps
from certify_core.model import Edge, Instance

UNITS, HOPS = 1000, 5


def measure() -> Figures:
    """Return processor time; ``questions`` is null where no file of them was named."""
    name = os.environ.get("PROOFWRITER")
    if name and not Path(name).is_file():
        raise SystemExit(f"PROOFWRITER names no file: {name}")
    return {**one_of_many(), **(questions(Path(name)) if name else {"questions": None})}


def one_of_many() -> Figures:
    """Time one certificate of five units out of a thousand, both ways."""
    compiled = Compiled.of(haystack())
    found = minimal_set(compiled)
    if found is None or (found[0], found[1]) != (plain_deletion(compiled), HOPS + 1):
        raise SystemExit("slicing finds another set: the figures would mean nothing")
    sliced = cpu_seconds(lambda: minimal_set(compiled), loops=20, runs=7)
    plain = cpu_seconds(lambda: plain_deletion(compiled), runs=3)
    return {
        "units": UNITS,
        "certificate_units": len(found[0]),
        "slice_then_prune_closures": found[1],
        "slice_then_prune_ms": round(sliced * 1e3, 3),
        "plain_deletion_closures": UNITS + 1,
        "plain_deletion_ms": round(plain * 1e3, 1),
        "times_faster": round(plain / sliced, 1),
    }


def haystack() -> Instance:
    """Return a chain of five hops among units that each state one fact and witness one rule."""
    chain = [Edge(f"a{hop + 1}", (f"a{hop}", f"f{hop}")) for hop in range(HOPS)]
    others = [Edge(f"b{n}", (f"f{n}", f"f{n - 1}"), (f"u{n:04}",)) for n in range(HOPS, UNITS)]
    return Instance(
        targets=(f"a{HOPS}",),
        given=("a0",),
        facts={f"u{n:04}": (f"f{n}",) for n in range(UNITS)},
        edges=(*chain, *others),
    )


def plain_deletion(compiled: Compiled) -> tuple[str, ...]:
    """Try every unit in turn, the worst ranked first, without looking at the derivation."""
    kept = list(compiled.units)
    if not compiled.closure(kept).sufficient:
        raise SystemExit("the whole is not sufficient")
    for unit in compiled.units[::-1]:
        fewer = [other for other in kept if other != unit]
        if compiled.closure(fewer).sufficient:
            kept = fewer
    return tuple(sorted(kept))


def questions(file: Path) -> Figures:
    """Decide every question: certificate of the statement or its opposite, else the gaps."""
    content = file.read_bytes()
    records = CLOSURES["proofwriter"](content)
    sets = [decide(record) for record in records]
    return {
        "questions": len(records),
        "questions_certified": sum(bool(found) for found in sets),
        "questions_with_several_sets": sum(found > 1 for found in sets),
        "questions_parse_s": round(cpu_seconds(lambda: CLOSURES["proofwriter"](content)), 2),
        "questions_s": round(cpu_seconds(lambda: [decide(r) for r in records], runs=3), 2),
    }


def decide(record: ClosureRecord) -> int:
    """Return how many minimal sets were found; 0 after naming what is missing."""
    for instance in (record.instance, record.denial):
        if instance is not None:
            found = certificate(compiled := Compiled.of(instance))
            if found is not None:
                return 1 + len(found.alternatives)
            gaps(compiled)
    return 0
