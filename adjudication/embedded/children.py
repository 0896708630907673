"""The program's own processes under `serve`: started again, ever more slowly, when they crash."""

import logging
import signal
import subprocess
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from . import processes
from .places import DataDirectory

logger = logging.getLogger("adjudication.serve")

LONGEST_DELAY = 30.0
# A task cut off is done again, so nobody waits for a long one.
PATIENCE_WITH_STOP = 10.0
# One that ran this long has recovered, and its next crash counts as the first.
RECOVERED_AFTER = 60.0


@dataclass
class Child:
    """One process of the program; its output goes to a log of its own."""

    name: str
    command: list[str]
    directory: DataDirectory
    cwd: Path
    inherit: tuple[int, ...] = ()
    process: subprocess.Popen[bytes] | None = None
    crashes: int = 0
    started: float = 0.0
    not_before: float = 0.0

    @property
    def log(self) -> Path:
        return self.directory.logs / f"{self.name}.log"

    @property
    def has_ended(self) -> bool:
        return self.process is not None and self.process.poll() is not None

    def start(self) -> None:
        self.started = time.monotonic()
        with self.directory.open_log(self.name) as log:
            self.process = processes.spawn(
                self.command,
                cwd=self.cwd,
                log=log,
                inherit=self.inherit,
            )

    def revive(self) -> None:
        """Start again if it ended, after 1, 2, 4 … seconds. Call from the main thread."""
        if self.process is not None and self.has_ended:
            self._note_crash(self.process.returncode)
        elif self.process is None and self.started and time.monotonic() >= self.not_before:
            self.start()

    def _note_crash(self, code: int) -> None:
        now = time.monotonic()
        self.crashes = 1 if now - self.started > RECOVERED_AFTER else self.crashes + 1
        delay = min(2.0 ** (self.crashes - 1), LONGEST_DELAY)
        self.process, self.not_before = None, now + delay
        logger.warning(
            "%s ended (exit code %s, see %s); starting it again in %.0f s",
            self.name,
            code,
            self.log,
            delay,
        )


def stop_all(children: Iterable[Child]) -> None:
    """Ask all to finish at once, then wait for each."""
    running = [child.process for child in children if child.process is not None]
    for process in running:
        processes.ask_to_stop(process, signal.SIGTERM)
    for process in running:
        processes.wait_or_kill(process, PATIENCE_WITH_STOP)
