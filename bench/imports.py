"""How fast passages are imported, from the file to the commit, and with how much memory.

``IMPORT_PASSAGES`` lists how many invented passages of about 500 characters each file holds
(10,000 and 100,000; 1,000,000 takes minutes and 3 GB of disk). Every file goes into a project
of its own, in one database that is as durable as in use. Rates are of the clock; the processor
time of this program and of the database's process, which work at the same time, says what they
would be on a machine with nothing else to do.
"""

import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from adjudication.embedded import services

ROOT = Path(__file__).resolve().parent.parent
SIZES = "10000,100000"
WORDS = 78  # of a passage: about 500 characters
VOCABULARY = 5_000
MEGABYTE = 1_000_000


def measure() -> dict[str, object]:
    """Return for each size the rates of parsing, checking and importing, and the memory."""
    directory = Path(tempfile.mkdtemp(prefix="bench-imports-"))
    # The database may run as another user, who must be able to pass.
    directory.chmod(0o711)
    try:
        with services(directory / "data"):
            environment = os.environ | {"DATA_DIR": str(directory / "data")}
            migrate = [sys.executable, "manage.py", "migrate", "--no-input", "--verbosity=0"]
            subprocess.run(migrate, cwd=ROOT, env=environment, check=True)
            return {
                size: _in_a_process(size, directory / f"{size}.jsonl", environment)
                for size in os.environ.get("IMPORT_PASSAGES", SIZES).split(",")
            }
    finally:
        shutil.rmtree(directory)


def _in_a_process(size: str, path: Path, environment: dict[str, str]) -> dict[str, object]:
    """A process of its own, since memory is counted for the whole of one."""
    with path.open("w") as file:
        file.writelines(json.dumps(passage) + "\n" for passage in invented(int(size)))
    command = [sys.executable, "-m", "bench.imports", size, str(path)]
    result = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, check=True)
    path.unlink()
    found: dict[str, object] = json.loads(result.stdout)
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
    """Import the file once; ``memory`` is beyond that of the process before it began."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "adjudication.settings")
    import django

    django.setup()

    from django.db import connection
    from django.utils import timezone

    from adjudication.imports.actions import import_file
    from adjudication.imports.formats import format_named
    from adjudication.imports.reports import Collected, Options
    from adjudication.projects.actions import create_project
    from certify_core.datasets import DIALECTS

    project = create_project(slug=f"passages-{number}", title="Passages", lead=None, actor=None)
    layout = format_named("passages")
    options = Options(timezone.now(), list(project.reader_classes.all()))
    before = _memory()
    with path.open("rb") as file:
        begin = time.perf_counter()
        parsed = sum(1 for _ in DIALECTS["passages"].items(file))
        parsing = time.perf_counter() - begin
        file.seek(0)
        begin = time.perf_counter()
        layout.check(project, file, Collected())
        checking = time.perf_counter() - begin
        file.seek(0)
        connection.ensure_connection()
        server = connection.connection.info.backend_pid
        begin, own, theirs = time.perf_counter(), time.process_time(), _processor(server)
        report = import_file(project, layout, file, options, Collected())
        importing, own = time.perf_counter() - begin, time.process_time() - own
        theirs = _processor(server) - theirs
    if not parsed == number == report.counts[0].new:
        raise SystemExit("not every passage was stored: the figures would mean nothing")
    return {
        "megabytes": round(path.stat().st_size / MEGABYTE, 1),
        "parsed_per_s": round(number / parsing),
        "checked_per_s": round(number / checking),
        "imported_per_s": round(number / importing),
        "import_s": round(importing, 2),
        "own_processor_us_per_passage": round(own / number * 1e6, 1),
        "database_processor_us_per_passage": round(theirs / number * 1e6, 1),
        "memory_mb": round((_memory() - before) / MEGABYTE, 1),
    }


def _processor(process: int) -> float:
    """Seconds of processor time that the only thread of ``process`` has used."""
    return int(Path(f"/proc/{process}/schedstat").read_text().split()[0]) / 1e9


def _memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    print(json.dumps(one_file(int(sys.argv[1]), Path(sys.argv[2]))))
