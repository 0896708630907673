"""How fast passages are imported, from the file to the commit, and with how much memory.

``IMPORT_PASSAGES`` lists how many invented passages of about 500 characters each file holds
(10,000 and 100,000; 1,000,000 takes minutes and 3 GB of disk). Every file goes into a project
of its own, in one database that is as durable as in use. Rates are of the clock; beside them
stands the processor time of the three processes that work at the same time: the one that reads,
the one that sends and the database's.
"""

import json
import os
import random
import resource
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from bench.database import database, in_a_process
from bench.timing import Figures

T = TypeVar("T")

SIZES = "10000,100000"
WORDS = 78  # of a passage: about 500 characters
VOCABULARY = 5_000
MEGABYTE = 1_000_000


def measure() -> dict[str, object]:
    """Return for each size the rates of parsing, checking and importing, and the memory."""
    sizes = os.environ.get("IMPORT_PASSAGES", SIZES).split(",")
    with database("imports") as environment:
        return {size: _of_size(size, environment) for size in sizes}


def _of_size(size: str, environment: dict[str, str]) -> object:
    """In a process of its own, since memory is counted for the whole of one."""
    path = Path(environment["DATA_DIR"]) / f"{size}.jsonl"
    with path.open("w") as file:
        file.writelines(json.dumps(passage) + "\n" for passage in invented(int(size)))
    found: object = in_a_process("bench.imports", size, str(path), **environment)
    path.unlink()
    return found


def invented(number: int) -> Iterator[dict[str, str]]:
    """The same passages every time, each another."""
    chance = random.Random(7)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(chance.choices(letters, k=chance.randint(2, 9))) for _ in range(VOCABULARY)]
    for n in range(number):
        yield {
            "title": f"{words[n % VOCABULARY]} {n}",
            "text": " ".join(chance.choices(words, k=WORDS)),
        }


def one_file(number: int, path: Path) -> dict[str, object]:
    """Parse, check and import the file once.

    ``memory`` is what both processes of this program had beyond what it had before.
    """
    import django

    django.setup()

    from django.utils import timezone

    from adjudication.imports.formats import format_named
    from adjudication.imports.reports import Collected, Options
    from adjudication.projects.actions import create_project
    from certify_core.datasets import DIALECTS

    project = create_project(slug=f"passages-{number}", title="Passages", lead=None, actor=None)
    layout = format_named("passages")
    options = Options(timezone.now(), list(project.reader_classes.all()))
    before = _memory(resource.RUSAGE_SELF)
    with path.open("rb") as file:
        parsed, parsing = _timed(file, lambda: sum(1 for _ in DIALECTS["passages"].items(file)))
        _, checking = _timed(file, lambda: layout.check(project, file, Collected()))
        stored, figures = _imported(project, layout, file, options)
    if not parsed == number == stored:
        raise SystemExit("not every passage was stored: the figures would mean nothing")
    return {
        "megabytes": round(path.stat().st_size / MEGABYTE, 1),
        "parsed_per_s": round(number / parsing),
        "checked_per_s": round(number / checking),
        **figures,
        "memory_mb": round((_memory_of_both() - 2 * before) / MEGABYTE, 1),
    }


def _imported(project: Any, layout: Any, file: BinaryIO, options: Any) -> tuple[int, Figures]:
    """How many passages were stored, and what it took."""
    from django.db import connection

    from adjudication.imports.actions import import_file
    from adjudication.imports.reports import Collected

    connection.ensure_connection()
    server = connection.connection.info.backend_pid
    own, theirs = time.process_time(), _processor(server)
    reading = _processor_of_children()
    report, importing = _timed(
        file, lambda: import_file(project, layout, file, options, Collected())
    )
    own, theirs = time.process_time() - own, _processor(server) - theirs
    reading = _processor_of_children() - reading
    number = report.counts[0].new
    return number, {
        "imported_per_s": round(number / importing),
        "import_s": round(importing, 2),
        "reading_processor_us_per_passage": round(reading / number * 1e6, 1),
        "sending_processor_us_per_passage": round(own / number * 1e6, 1),
        "database_processor_us_per_passage": round(theirs / number * 1e6, 1),
    }


def _timed(file: BinaryIO, work: Callable[[], T]) -> tuple[T, float]:
    """What ``work`` makes of the whole file, and the seconds it takes."""
    file.seek(0)
    begin = time.perf_counter()
    return work(), time.perf_counter() - begin


def _processor(process: int) -> float:
    """Seconds of processor time that the only thread of ``process`` has used."""
    return int(Path(f"/proc/{process}/schedstat").read_text().split()[0]) / 1e9


def _processor_of_children() -> float:
    """Seconds of processor time that ended processes of this one have used."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _memory_of_both() -> int:
    return _memory(resource.RUSAGE_SELF) + _memory(resource.RUSAGE_CHILDREN)


def _memory(of: int) -> int:
    """The most bytes that this process, or the largest of its ended ones, has held."""
    return resource.getrusage(of).ru_maxrss * 1024


if __name__ == "__main__":
    print(json.dumps(one_file(int(sys.argv[1]), Path(sys.argv[2]))))
