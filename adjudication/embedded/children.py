"""The program's own processes under `serve`: started again, ever more slowly, when they crash."""

import logging
import os
import signal
import subprocess
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from . import processes
from .places import DataDirectory

logger = logging.getLogger("adjudication.serve")

LONGEST_DELAY = 30.0
# One that ran this long has recovered, and its next crash counts as the first.
RECOVERED_AFTER = 60.0


@dataclass
class Child:
    """One process of the program; its output goes to a log of its own."""

    name: str
    command: list[str]
    directory: DataDirectory
    cwd: Path
    environment: Mapping[str, str] | None = None
    inherit: tuple[int, ...] = ()
    patience_with_stop: float = 10.0
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
                environment=os.environ | (self.environment or {}),
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
    running = [child for child in children if child.process is not None]
    for child in running:
        if child.process is not None and child.process.poll() is None:
            child.process.send_signal(signal.SIGTERM)
    for child in running:
        if child.process is not None:
            processes.stop(child.process, signal.SIGTERM, child.patience_with_stop)
