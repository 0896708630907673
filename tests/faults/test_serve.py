"""The program, or a part of it, killed in the middle of a run: every question ends once."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bench.endpoint import Endpoint
from tests.conftest import ROOT
from tests.faults.asked import check_against, environ_for
from tests.faults.workers import wait_until
from tests.setup.conftest import processes_of

pytestmark = pytest.mark.slow
QUESTIONS = 250
ASKED = 60

FILL = f"""
from adjudication.runs.actions import start_run
from adjudication.runs.rules import Configuration
from tests.factories import make_project, make_question, make_version
from tests.runs.specified import BIRTHS, EARLIER, FILMS, freeze
project = make_project("film-study")
for text in (*FILMS, *BIRTHS):
    make_version(project, text)
questions = [make_question(project, EARLIER) for _ in range({QUESTIONS})]
start_run(freeze(project), questions, Configuration(), None)
"""

COUNT = """
from adjudication.claims.models import EvidenceSet
from adjudication.runs.models import Attempt, Outcome
attempts = Attempt.objects.filter(run__project__slug="film-study")
unfinished = attempts.filter(state__in=["queued", "running"]).count()
outcomes = Outcome.objects.filter(run__project__slug="film-study").count()
sets = EvidenceSet.objects.filter(claim__question__project__slug="film-study").count()
print(unfinished, attempts.count(), outcomes, sets)
"""


ASK = f"""
from tests.faults.asked import film_run
film_run({ASKED})
"""

UNFINISHED = """
from adjudication.runs.models import Run
from adjudication.runs.queries import progress
print(progress(Run.objects.latest("created_at")).unfinished)
"""

RECORDS = """
import json
from adjudication.runs.models import Run
from tests.faults.asked import check_ended_once, records_of
run = Run.objects.latest("created_at")
check_ended_once(run)
print(json.dumps(records_of(run)))
"""


@contextmanager
def place() -> Iterator[Path]:
    """A data directory that the services' user may enter."""
    with tempfile.TemporaryDirectory(prefix="run faults ", dir="/tmp") as folder:
        Path(folder).chmod(0o711)
        yield Path(folder) / "data"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Program:
    """``manage.py serve`` on data of its own."""

    def __init__(self, data: Path, **environ: str) -> None:
        self.data = data
        kept = {k: v for k, v in os.environ.items() if k not in {"DATABASE_URL", "DATA_DIR"}}
        self.environment = kept | {"DATA_DIR": str(data), "PORT": str(free_port())} | environ

    @contextmanager
    def running(self) -> Iterator[subprocess.Popen[bytes]]:
        command = [sys.executable, "manage.py", "serve"]
        process = subprocess.Popen(
            command, cwd=ROOT, env=self.environment, stdout=subprocess.DEVNULL
        )
        try:
            wait_until(lambda: self.find("celery"), 120)
            yield process
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait(60)

    def find(self, words: str) -> list[int]:
        found = processes_of(self.data).items()
        return sorted(pid for pid, command in found if words in command)

    def shell(self, code: str) -> str:
        command = [sys.executable, "manage.py", "shell", "--verbosity=0", "-c", code]
        return subprocess.run(
            command, cwd=ROOT, env=self.environment, check=True, capture_output=True, text=True
        ).stdout

    def counts(self) -> list[int]:
        return [int(word) for word in self.shell(COUNT).split()]

    def has_ended(self) -> bool:
        """Also False while the database is away."""
        try:
            return self.counts()[0] == 0
        except subprocess.CalledProcessError:
            return False

    def has_asked_enough(self) -> bool:
        """Whether the run that asks a model has ended; False also while the database is away."""
        try:
            return self.shell(UNFINISHED).strip() == "0"
        except subprocess.CalledProcessError:
            return False

    def is_in_the_middle(self) -> bool:
        unfinished, attempts, *_ = self.counts()
        return 0 < unfinished < attempts


def kill_first(words: str) -> Callable[[Program, subprocess.Popen[bytes]], None]:
    def kill(program: Program, _process: subprocess.Popen[bytes]) -> None:
        os.kill(program.find(words)[0], signal.SIGKILL)

    return kill


def kill_parent(program: Program, process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    wait_until(lambda: not processes_of(program.data), 30)


@pytest.mark.parametrize(
    "kill",
    [
        pytest.param(kill_parent, id="everything"),
        pytest.param(kill_first("celery"), id="worker"),
        pytest.param(kill_first("valkey"), id="valkey"),
        pytest.param(kill_first("postgres"), id="postgres"),
    ],
)
def test_killed_in_the_middle_of_a_run(
    kill: Callable[[Program, subprocess.Popen[bytes]], None],
):
    """kill -9 of any part, or of all: nothing lost, nothing doubled, no process left behind."""
    with place() as data:
        program = Program(data)
        with program.running() as process:
            program.shell(FILL)
            wait_until(program.is_in_the_middle, 60)
            kill(program, process)
            if process.poll() is None:
                finished_once(program)
        if process.returncode == -signal.SIGKILL:
            with program.running():
                finished_once(program)
        assert not processes_of(data)


def finished_once(program: Program) -> None:
    """Wait through restarts, leases and sweeps; then nothing is lost and nothing doubled."""
    wait_until(program.has_ended, seconds=240, pause=3)
    assert program.counts() == [0, QUESTIONS, QUESTIONS, QUESTIONS]


@pytest.mark.parametrize(
    "kill",
    [
        pytest.param(kill_parent, id="everything"),
        pytest.param(kill_first("--queues=calls"), id="worker"),
        pytest.param(kill_first("valkey"), id="valkey"),
        pytest.param(kill_first("postgres"), id="postgres"),
    ],
)
def test_killed_in_the_middle_of_a_run_that_asks_a_model(
    kill: Callable[[Program, subprocess.Popen[bytes]], None],
):
    """kill -9 of any part, or of all, with calls on their way: each question ends once, and by
    the server's count no answer that was stored is bought again.
    """
    with place() as data, Endpoint(latency=0.2) as endpoint:
        program = Program(data, **environ_for(endpoint))
        with program.running() as process:
            program.shell(ASK)
            endpoint.wait_for(ASKED, 120)
            kill(program, process)
            killed_at = len(endpoint.asked)
            if process.poll() is None:
                bought_once(program, endpoint)
        if process.returncode == -signal.SIGKILL:
            with program.running():
                bought_once(program, endpoint)
        assert len(endpoint.asked) > killed_at, "it was killed in the middle"
        assert not processes_of(data)


def bought_once(program: Program, endpoint: Endpoint) -> None:
    wait_until(program.has_asked_enough, seconds=240, pause=3)
    check_against(endpoint, json.loads(program.shell(RECORDS)))
