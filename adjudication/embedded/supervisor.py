"""Starts PostgreSQL and Valkey for one owner, revives them, and stops them.

Two kinds of lock keep a data directory whole. The owner's lock is held by the one process
that may start services there. Each service holds a lock of its own, inherited by all its
children; while any of them lives, no second server starts on the same files.
"""

import fcntl
import logging
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from . import postgres, processes, valkey
from .errors import Busy, CannotStart
from .places import Addresses, DataDirectory

logger = logging.getLogger("adjudication.embedded")

# Survivors of a killed owner are gone in a fraction of a second.
PATIENCE_WITH_SURVIVORS = 30.0
PATIENCE_WITH_STOP = 20.0
POLL = 0.02


@dataclass
class Service:
    """One server program: how to start it, whether it answers, how to stop it."""

    name: str
    directory: DataDirectory
    cwd: Path
    command: list[str]
    remove_traces: Callable[[DataDirectory], None]
    is_ready: Callable[[DataDirectory], bool]
    stop_signal: signal.Signals
    death_signal: signal.Signals
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with _service_lock(self.directory.path / f".{self.name}.lock", self.name) as lock:
            self.remove_traces(self.directory)
            with self.directory.open_log(self.name) as log:
                self.process = processes.spawn(
                    self.command,
                    cwd=self.cwd,
                    log=log,
                    death_signal=self.death_signal,
                    user=self.directory.user,
                    environment=processes.BARE_ENVIRONMENT,
                    inherit=[lock],
                )

    @property
    def has_ended(self) -> bool:
        return self.process is None or self.process.poll() is not None

    def wait_until_ready(self) -> None:
        """Wait as long as the process lives: replaying a long log is not a failure."""
        while not self.is_ready(self.directory):
            if self.has_ended:
                raise CannotStart(
                    f"{self.name} ended at once; {self.directory.logs}/{self.name}.log says why."
                )
            time.sleep(POLL)

    def stop(self) -> None:
        if self.process is not None:
            processes.ask_to_stop(self.process, self.stop_signal)
            processes.wait_or_kill(self.process, PATIENCE_WITH_STOP)


class Services:
    """The two servers of one data directory, owned by this process."""

    def __init__(self, directory: DataDirectory, durable: bool) -> None:
        self.directory = directory
        self.durable = durable
        self.services = [self._postgres(), self._valkey()]

    def _postgres(self) -> Service:
        return Service(
            "postgres",
            self.directory,
            self.directory.postgres,
            postgres.command(self.directory, self.durable),
            postgres.remove_traces,
            postgres.is_ready,
            postgres.STOP_SIGNAL,
            postgres.DEATH_SIGNAL,
        )

    def _valkey(self) -> Service:
        return Service(
            "valkey",
            self.directory,
            self.directory.valkey,
            valkey.command(self.directory),
            valkey.remove_traces,
            valkey.is_ready,
            valkey.STOP_SIGNAL,
            valkey.DEATH_SIGNAL,
        )

    def prepare(self) -> None:
        """Make what is missing. Raises CannotStart when the place does not allow it."""
        for program in (postgres.binary("postgres"), valkey.binary()):
            self.directory.user.require_access(Path(program).parent)
        self.directory.user.require_access(self.directory.path)
        self.directory.make_sockets()
        postgres.create(self.directory, self.durable)
        valkey.create(self.directory)
        with _service_lock(self.directory.path / ".postgres.lock", "postgres") as lock:
            postgres.remove_traces(self.directory)
            postgres.add_extensions(self.directory, self.durable, lock)

    def start(self) -> None:
        for service in self.services:
            service.start()
        for service in self.services:
            service.wait_until_ready()

    def revive(self) -> None:
        """Start again whatever ended by itself. Call it now and then from the main thread."""
        for service in self.services:
            if service.has_ended:
                logger.warning("%s ended unexpectedly; starting it again", service.name)
                service.start()

    def stop(self) -> None:
        for service in reversed(self.services):
            service.stop()
        for service in self.services:
            service.remove_traces(self.directory)
        with suppress(OSError):
            self.directory.sockets.rmdir()


@contextmanager
def owned(directory: DataDirectory, durable: bool = True) -> Iterator[Services]:
    """Run the services until the block ends. Raises Busy when another process owns them."""
    with _owner_lock(directory), ExitStack() as cleanup:
        services = Services(directory, durable)
        services.prepare()
        cleanup.callback(services.stop)
        services.start()
        yield services


@contextmanager
def services(path: str | os.PathLike[str], *, durable: bool = True) -> Iterator[Addresses]:
    """Run services in the data directory `path` and yield their addresses; stop them after.

    With `durable=False` nothing is flushed to disk, which is for tests alone. Raises Busy
    when another process owns the directory, CannotStart when the place does not allow it.
    """
    with owned(DataDirectory.at(path), durable) as running:
        yield running.directory.addresses()


@contextmanager
def attached_or_owned(path: str | os.PathLike[str]) -> Iterator[Addresses]:
    """Use the running services of `path`, or run them for the length of the block."""
    directory = DataDirectory.at(path)
    with ExitStack() as stack:
        while not _attach(directory):
            try:
                stack.enter_context(owned(directory))
                break
            except Busy:
                time.sleep(POLL)
        yield directory.addresses()


def _attach(directory: DataDirectory) -> bool:
    """Whether another process owns running services; waits for one that is starting them."""
    while is_owned(directory):
        if postgres.is_ready(directory) and valkey.is_ready(directory):
            return True
        time.sleep(POLL)
    return False


def is_owned(directory: DataDirectory) -> bool:
    try:
        with _owner_lock(directory):
            return False
    except Busy:
        return True


@contextmanager
def _owner_lock(directory: DataDirectory) -> Iterator[None]:
    descriptor = os.open(directory.path / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError as error:
        raise Busy(f"Another process is already using {directory.path}.") from error
    finally:
        os.close(descriptor)


@contextmanager
def _service_lock(path: Path, name: str) -> Iterator[int]:
    """Yield a locked descriptor to be inherited, once no process of an earlier server lives."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        deadline = time.monotonic() + PATIENCE_WITH_SURVIVORS
        while not _try_lock(descriptor):
            if time.monotonic() > deadline:
                raise CannotStart(f"A {name} process of an earlier start does not end.")
            time.sleep(POLL)
        yield descriptor
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
