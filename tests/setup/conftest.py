"""Data directories and processes for tests of the set-up; nothing here needs Django."""

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from adjudication.embedded import DataDirectory

ROOT = Path(__file__).resolve().parents[2]


@contextmanager
def new_place() -> Iterator[Path]:
    """A folder whose name has a space and that every user may pass, gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="set up ", dir="/tmp"))
    folder.chmod(0o711)
    yield folder
    if (folder / "data").exists():
        shutil.rmtree(DataDirectory.at(folder / "data").sockets, ignore_errors=True)
    shutil.rmtree(folder)


@pytest.fixture
def place() -> Iterator[Path]:
    with new_place() as folder:
        yield folder


@pytest.fixture
def data(place: Path) -> Path:
    return place / "data"


def processes_of(data: Path) -> dict[int, str]:
    """Return pid and command line of every process that works in or for `data`."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            try:
                in_place = (entry / "cwd").readlink().is_relative_to(data)
                for_place = f"DATA_DIR={data}\0".encode() in (entry / "environ").read_bytes()
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
            # A process that has ended and waits to be noticed has no command line.
            if command and (in_place or for_place):
                found[int(entry.name)] = command
    return found


def wait_until(condition: Callable[[], object], seconds: float = 30) -> None:
    """Wait until `condition()` holds; fail after `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "did not happen in time"
        time.sleep(0.02)
