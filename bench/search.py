"""How fast the full-text index is: to build, to ask, and behind the pages that ask it.

``PASSAGES`` in the environment names a JSON list of {title, text}; without it, as many invented
passages stand in. ``SEARCH_TEXTS`` is how many invented passages the large index holds (100,000;
1,000,000 takes some minutes). Times of queries are of the clock, since that is what people wait.
"""

import json
import os
import random
import resource
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from typing import Any

from bench.bm25 import Bm25
from bench.database import database, in_a_process
from bench.timing import cpu_seconds
from certify_core.canonical import sha256_hex
from certify_core.folding import fold
from certify_core.model import Unit

POOL = 6_119
LARGE = 100_000
QUERIES = 1_000
SAMPLE = 200  # queries that the slow reference answers too
TOP = 10
RELATIONS = ("born", "directed by", "located in", "member of", "died", "spouse", "founded")
VOCABULARY = 60_000
MEGABYTE = 1_000_000


def measure() -> dict[str, object]:
    """Return figures of the pool, of a large index, and of the pages over the pool."""
    units = pool()
    return {
        "pool": of_pool(units),
        "large": in_a_process("bench.search", "large", os.environ.get("SEARCH_TEXTS", str(LARGE))),
        "pages": pages(),
    }


def pool() -> list[Unit]:
    """The passages of ``PASSAGES``, or invented ones."""
    name = os.environ.get("PASSAGES")
    if not name:
        return list(invented(POOL))
    if not Path(name).is_file():
        raise SystemExit(f"PASSAGES names no file: {name}")
    records = json.loads(Path(name).read_bytes())
    return [unit(number, one["title"], one["text"]) for number, one in enumerate(records)]


def unit(number: int, title: str, body: str) -> Unit:
    text = f"{title}\n{body}"
    return Unit(f"00000000-0000-0000-0000-{number:012}", title, text, sha256_hex(text.encode()))


def invented(count: int) -> Iterator[Unit]:
    """Passages of about 500 characters: few words are common and most are rare.

    They are put together from sentences, so that making them takes little of the time measured.
    """
    chance = random.Random(count)
    words = ["".join(chance.choices("abcdefghiklmnoprstuvz", k=3 + n % 8)) for n in range(20_000)]
    words += [f"name{number}" for number in range(VOCABULARY - len(words))]
    common = list(accumulate(1 / (rank + 3) for rank in range(VOCABULARY)))
    sentences = [" ".join(chance.choices(words, cum_weights=common, k=15)) for _ in range(30_000)]
    for number in range(count):
        title = f"{chance.choice(words)} {chance.choice(words)}".title()
        yield unit(number, title, ". ".join(chance.choices(sentences, k=5)))


# --- The index alone -----------------------------------------------------------------------------


def of_pool(units: Sequence[Unit]) -> dict[str, object]:
    with built(units) as (place, seconds), built(units) as (again, _):
        figures = asked(place, queries(units))
        return {
            "passages": len(units),
            "build_cpu_s": round(seconds, 2),
            "size_mb": megabytes(place),
            "rebuilt_identical": contents(place) == contents(again),
            **figures,
            "reference_overlap": overlap(place, units),
        }


def large(count: int) -> dict[str, object]:
    """Build and ask an index of ``count`` passages; call it in a process of its own."""
    titles: list[str] = []

    def passing() -> Iterator[Unit]:
        for number, one in enumerate(invented(count)):
            if number % max(count // QUERIES, 1) == 0:
                titles.append(one.title)
            yield one

    with built(passing()) as (place, seconds):
        building = peak_memory()
        figures = asked(place, [f"{title} {RELATIONS[0]}" for title in titles])
        return {
            "passages": count,
            "build_cpu_s": round(seconds, 1),
            "passages_per_cpu_s": round(count / seconds),
            "size_mb": megabytes(place),
            "build_peak_mb": building,
            **figures,
        }


class built:  # noqa: N801  # used like a function
    """An index of ``units`` in a folder of its own: its place, and the processor's seconds."""

    def __init__(self, units: Any) -> None:
        self.units = units
        self.folder = Path(tempfile.mkdtemp(prefix="bench-search-"))

    def __enter__(self) -> tuple[Path, float]:
        from adjudication.search.index import build

        return self.folder / "index", cpu_seconds(lambda: build(self.folder / "index", self.units))

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.folder)


def queries(units: Sequence[Unit]) -> list[str]:
    """Titles with a word for a relation, as a run looks things up."""
    chance = random.Random(7)
    return [f"{chance.choice(units).title} {chance.choice(RELATIONS)}" for _ in range(QUERIES)]


def asked(place: Path, words: Sequence[str]) -> dict[str, object]:
    index = opened(place)
    return {
        **percentiles("retrieval", lambda query: index.ranked(query, TOP), words),
        **percentiles("hits_and_counts", lambda query: index.hits(query, 0, TOP), words),
    }


def percentiles(name: str, ask: Callable[[str], object], words: Sequence[str]) -> dict[str, float]:
    for query in words[:50]:
        ask(query)
    times = sorted(milliseconds(ask, query) for query in words)
    return {
        f"{name}_p50_ms": round(statistics.median(times), 3),
        f"{name}_p95_ms": round(times[int(len(times) * 0.95)], 3),
    }


def milliseconds(ask: Callable[[str], object], query: str) -> float:
    begin = time.perf_counter()
    ask(query)
    return (time.perf_counter() - begin) * 1e3


def opened(place: Path) -> Any:
    import tantivy

    from adjudication.search.index import Index

    return Index(tantivy.Index.open(str(place)))


def overlap(place: Path, units: Sequence[Unit]) -> float:
    """How many of the reference's ten best, computed without rounding, the index finds."""
    index, reference = opened(place), Bm25(units)
    shared = []
    for query in [one for one in queries(units) if fold(one)][:SAMPLE]:
        best = {one.uid for one in reference.search(query, TOP)}
        shared.append(len(best.intersection(index.ranked(query, TOP))) / max(len(best), 1))
    return round(statistics.mean(shared), 3)


def contents(place: Path) -> list[tuple[str, str]]:
    """Kind and digest of each file of postings; their names are random."""
    kinds = {".idx", ".term", ".fieldnorm", ".fast", ".store"}
    files = (path for path in place.iterdir() if path.suffix in kinds)
    return sorted((path.suffix, sha256(path.read_bytes()).hexdigest()) for path in files)


def megabytes(place: Path) -> float:
    return round(sum(path.stat().st_size for path in place.iterdir()) / MEGABYTE, 2)


def peak_memory() -> float:
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MEGABYTE)


# --- Behind the pages ----------------------------------------------------------------------------


def pages() -> Any:
    """Over a database of its own, what a run and what a person waits for."""
    with database("search") as environment:
        return in_a_process("bench.search", "pages", **environment)


def asked_of_pages() -> dict[str, object]:
    """Call it in a process that has the database in its environment."""
    import django

    django.setup()
    from bench import search_pages

    return search_pages.measure(pool())


if __name__ == "__main__":
    what, *more = sys.argv[1:]
    print(json.dumps(asked_of_pages() if what == "pages" else large(int(more[0]))))
