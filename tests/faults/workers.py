"""Real worker processes, and a database lock as the way to stop them at a named step."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg import sql

from tests.conftest import ROOT, CommittedDatabase

NOTHING_ELSE: Mapping[str, str] = {}


@dataclass(frozen=True)
class Worker:
    """A worker with two processes or several threads, and what it has to say."""

    process: subprocess.Popen[bytes]
    log: Path

    def kill(self) -> int:
        """kill -9; returns the exit code."""
        self.process.kill()
        return self.process.wait()

    def kill_pool(self) -> list[int]:
        """Kill the pool processes and return their ids."""
        killed = children_of(self.process.pid)
        for child in killed:
            os.kill(child, signal.SIGKILL)
        return killed

    def signal_all(self, number: signal.Signals) -> None:
        os.killpg(self.process.pid, number)

    def says(self, words: str) -> bool:
        return words in self.log.read_text()


@contextmanager
def worker(
    database: CommittedDatabase, *arguments: str, environ: Mapping[str, str] = NOTHING_ELSE
) -> Iterator[Worker]:
    """A worker that is stopped when the block ends, if it still runs."""
    command = [sys.executable, "-m", "celery", "-A", "adjudication", "worker"]
    command += ["--without-gossip", "--without-mingle", "--loglevel=WARNING"]
    command += arguments or ["--concurrency=2"]
    with tempfile.NamedTemporaryFile(prefix="worker-", suffix=".log") as log:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**database.environment, **environ},
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            yield Worker(process, Path(log.name))
        finally:
            stop(process)


def stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def children_of(pid: int) -> list[int]:
    found = (Path("/proc") / str(pid) / "task" / str(pid) / "children").read_text().split()
    return [int(child) for child in found]


@contextmanager
def held_at(database: CommittedDatabase, table: str) -> Iterator[psycopg.Connection]:
    """Lock ``table``: whoever comes to the step that uses it waits there."""
    url = database.environment["DATABASE_OWNER_URL"]
    with psycopg.connect(url) as owner:
        owner.execute(
            sql.SQL("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE").format(sql.Identifier(table))
        )
        yield owner


def is_waited_for(owner: psycopg.Connection, table: str) -> bool:
    row = owner.execute(
        "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = %s::regclass", [table]
    ).fetchone()
    assert row is not None
    return bool(row[0])


def wait_until(condition: Callable[[], object], seconds: float = 60, pause: float = 0.05) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "did not happen in time"
        time.sleep(pause)
