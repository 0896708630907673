"""`serve`, as `make run` starts it: one process to start, to stop and to kill."""

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from adjudication.embedded import DataDirectory
from tests.setup.conftest import ROOT, processes_of, wait_until

pytestmark = pytest.mark.slow

NOT_INHERITED = {
    "DATABASE_URL",
    "DATABASE_OWNER_URL",
    "CELERY_BROKER_URL",
    "SITE_URL",
    "SECRET_KEY",
}


@dataclass
class Copy:
    """One copy of the program: its data, its port and the process that was started."""

    data: Path
    port: int
    process: subprocess.Popen[str]

    def status(self) -> int:
        """Return the status of /healthz, 0 when nothing answers."""
        try:
            with urllib.request.urlopen(
                f"http://127.0.0.1:{self.port}/healthz", timeout=20
            ) as page:
                return int(page.status)
        except urllib.error.HTTPError as error:
            error.close()
            return error.code
        except OSError:
            return 0

    def wait_until_serving(self) -> None:
        wait_until(lambda: self.status() == 200 or self.process.poll() is not None, 60)
        assert self.status() == 200
        wait_until(lambda: len(self.pids("celery")) >= 3 and self.pids("manage.py sweep"))

    def pids(self, words: str) -> list[int]:
        """Return the processes whose command line has `words`, oldest first."""
        return sorted(pid for pid, line in processes_of(self.data).items() if words in line)


def environment(data: Path, port: int) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if key not in NOT_INHERITED}
    return kept | {"DATA_DIR": str(data), "PORT": str(port)}


def start(data: Path, port: int, *arguments: str) -> Copy:
    process = subprocess.Popen(
        [sys.executable, "manage.py", "serve", *arguments],
        cwd=ROOT,
        env=environment(data, port),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return Copy(data, port, process)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def copy(data: Path) -> Iterator[Copy]:
    """A copy that serves; the test may end it in its own way."""
    copy = start(data, free_port())
    try:
        copy.wait_until_serving()
        yield copy
    finally:
        copy.process.kill()
        copy.process.communicate()
        wait_until(lambda: not processes_of(data), 15)


def test_kill_of_the_parent_leaves_nothing_and_next_start_recovers(copy: Copy) -> None:
    """A crash of the one process is as good as a stop: no orphan, no repair by hand."""
    assert len(processes_of(copy.data)) > 8
    copy.process.kill()
    copy.process.wait()
    wait_until(lambda: not processes_of(copy.data), 15)
    again = start(copy.data, copy.port)
    try:
        again.wait_until_serving()
    finally:
        again.process.send_signal(signal.SIGTERM)
        output, _ = again.process.communicate(timeout=30)
    assert again.process.returncode == 0, output
    assert "Preparing the database" not in output


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_stops_everything(copy: Copy, number: signal.Signals) -> None:
    """Ctrl-C, or a service manager, ends all processes and says so."""
    copy.process.send_signal(number)
    output, _ = copy.process.communicate(timeout=30)
    assert copy.process.returncode == 0
    assert f"http://localhost:{copy.port}" in output
    assert output.endswith("Stopped.\n")
    assert processes_of(copy.data) == {}
    assert not DataDirectory.at(copy.data).sockets.exists()


def kill_and_see_it_replaced(copy: Copy, words: str) -> None:
    before = copy.pids(words)
    os.kill(before[0], signal.SIGKILL)

    def replaced() -> bool:
        now = copy.pids(words)
        return before[0] not in now and bool(set(now) - set(before))

    wait_until(replaced)


def test_crashed_children_are_started_again(copy: Copy) -> None:
    """A crash of one part, a server included, is repaired and shows in the output."""
    for words in ("gunicorn", "celery", "manage.py sweep", "valkey-server", "postgres -D"):
        kill_and_see_it_replaced(copy, words)
    wait_until(lambda: copy.status() == 200)
    copy.process.send_signal(signal.SIGTERM)
    output, _ = copy.process.communicate(timeout=30)
    for name in ("web", "worker", "sweeper", "valkey", "postgres"):
        assert re.search(rf"\b{name} ended\b.*starting it again", output), output


def test_second_copy_of_the_same_data_is_refused(copy: Copy) -> None:
    """Two owners of one data directory: the second ends with advice, the first goes on."""
    second = start(copy.data, free_port())
    output, _ = second.process.communicate(timeout=30)
    assert second.process.returncode != 0
    assert "already using" in output
    assert "Traceback" not in output
    assert copy.status() == 200


def test_port_in_use_is_told_before_anything_starts(data: Path) -> None:
    """The message names the port and the way out; no database was made."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = int(taken.getsockname()[1])
        output, _ = start(data, port).process.communicate(timeout=30)
    assert f"Port {port} cannot be used" in output
    assert f"PORT={port + 1}" in output
    assert "Traceback" not in output
    assert not (data / "postgres").exists()


def test_command_attaches_while_the_program_runs(copy: Copy) -> None:
    """Management commands work beside the running program, on the same data."""
    result = subprocess.run(
        [sys.executable, "manage.py", "showmigrations", "projects"],
        cwd=ROOT,
        env=environment(copy.data, copy.port),
        capture_output=True,
        text=True,
        check=True,
    )
    assert "[X] 0001_initial" in result.stdout
    assert copy.status() == 200


def test_end_of_the_starting_process_stops_the_program(data: Path) -> None:
    """`make run` killed with -9 must not leave the program behind."""
    port = free_port()
    script = '"$0" manage.py serve --stop-with-parent; true'
    shell = subprocess.Popen(
        ["sh", "-c", script, sys.executable],
        cwd=ROOT,
        env=environment(data, port),
        stdout=subprocess.DEVNULL,
    )
    copy = Copy(data, port, shell)  # type: ignore[arg-type]
    copy.wait_until_serving()
    shell.kill()
    shell.wait()
    wait_until(lambda: not processes_of(data), 15)


def test_configured_servers_are_used_instead_of_embedded_ones(copy: Copy, place: Path) -> None:
    """With the three addresses set, nothing is embedded; migrations still find their owner."""
    addresses = DataDirectory.at(copy.data).addresses()
    other = environment(place / "other", free_port()) | {
        "DATABASE_URL": addresses.app,
        "DATABASE_OWNER_URL": addresses.owner,
        "CELERY_BROKER_URL": addresses.broker,
        "SECRET_KEY": "a key that only this test uses, and long enough for that",
    }
    process = subprocess.Popen(
        [sys.executable, "manage.py", "serve"],
        cwd=ROOT,
        env=other,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    second = Copy(place / "other", int(other["PORT"]), process)
    try:
        second.wait_until_serving()
        assert second.pids("postgres") == []
        assert not (place / "other" / "postgres").exists()
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
    assert copy.status() == 200
