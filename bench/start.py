"""How long a start takes until the first page, and how much disk the environment needs."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from bench.timing import Figures

ROOT = Path(__file__).resolve().parent.parent
MEGABYTE = 1_000_000


def measure() -> Figures:
    """Return seconds for a first and a second start and for a stop, and megabytes on disk."""
    directory = Path(tempfile.mkdtemp(prefix="bench-start-"))
    # The database may run as another user, who must be able to pass.
    directory.chmod(0o711)
    try:
        first, _ = start_and_stop(directory / "data")
        second, stop = start_and_stop(directory / "data")
    finally:
        shutil.rmtree(directory)
    return {
        "first_start_to_page_s": round(first, 2),
        "second_start_to_page_s": round(second, 2),
        "stop_s": round(stop, 2),
        "environment_mb": round(environment_size() / MEGABYTE, 1),
    }


def start_and_stop(data: Path) -> tuple[float, float]:
    """Start the program over `data`, fetch its first page, stop it; return both times."""
    port = free_port()
    environment = os.environ | {"PORT": str(port), "DATA_DIR": str(data)}
    begin = time.monotonic()
    program = subprocess.Popen(
        [sys.executable, "manage.py", "serve"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
    )
    fetch_when_up(program, f"http://127.0.0.1:{port}/")
    served = time.monotonic()
    # The page is there before the workers are; stop the whole program, not half of it.
    time.sleep(5)
    stopping = time.monotonic()
    program.send_signal(signal.SIGINT)
    program.wait()
    return served - begin, time.monotonic() - stopping


def fetch_when_up(program: subprocess.Popen[bytes], address: str) -> None:
    while True:
        try:
            urllib.request.urlopen(address).close()
            return
        except ConnectionError:
            pass
        except urllib.error.URLError as error:
            if not isinstance(error.reason, ConnectionError):
                raise
        if program.poll() is not None:
            raise SystemExit(f"The program ended with exit code {program.returncode}.")
        time.sleep(0.01)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def environment_size() -> int:
    """Return the bytes on disk of the environment that runs this, hard links counted once."""
    blocks = {}
    for folder, _, names in os.walk(sys.prefix):
        for name in names:
            status = Path(folder, name).lstat()
            blocks[status.st_dev, status.st_ino] = status.st_blocks * 512
    return sum(blocks.values())
