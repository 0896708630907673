"""Child processes that never outlive their parent and never run as root."""

import ctypes
import os
import pwd
import signal
import stat
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from .errors import CannotStart

PR_SET_PDEATHSIG = 1
# What servers see of ours: no secret, and no variable that would steer them elsewhere.
BARE_ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C.UTF-8"}
_libc = ctypes.CDLL(None, use_errno=True)


def die_with_parent(number: signal.Signals = signal.SIGKILL) -> None:
    """Ask the kernel to send this process `number` when the thread that started it ends."""
    _libc.prctl(PR_SET_PDEATHSIG, int(number), 0, 0, 0)


def dying_with(parent: int, number: signal.Signals) -> Callable[[], None]:
    """Return a hook to run between fork and exec, closing the gap before the request holds."""

    def hook() -> None:
        die_with_parent(number)
        if os.getppid() != parent:
            os._exit(1)

    return hook


@dataclass(frozen=True)
class ServiceUser:
    """The user the services run as: the invoking one, or somebody harmless for root."""

    uid: int
    gid: int

    @classmethod
    def for_directory(cls, directory: Path) -> "ServiceUser":
        """Return who may own services in `directory`: root hands over to its owner or nobody."""
        if os.geteuid() != 0:
            return cls(os.geteuid(), os.getegid())
        owner = directory.stat()
        if owner.st_uid != 0:
            return cls(owner.st_uid, owner.st_gid)
        nobody = pwd.getpwnam("nobody")
        return cls(nobody.pw_uid, nobody.pw_gid)

    @property
    def name(self) -> str:
        try:
            return pwd.getpwuid(self.uid).pw_name
        except KeyError:
            return f"user {self.uid}"

    def make_directory(self, path: Path) -> None:
        """Create `path` with mode 0700 for this user; an existing one is left alone."""
        try:
            path.mkdir(mode=0o700)
        except FileExistsError:
            return
        os.chown(path, self.uid, self.gid)

    def require_access(self, path: Path) -> None:
        """Raise CannotStart naming the first directory on the way to `path` that is closed."""
        for step in [*reversed(path.parents), path]:
            if not self._may_enter(step.stat()):
                raise CannotStart(
                    f"The database server does not run as root but as {self.name}, who may not "
                    f"enter {step}. Move the project or set DATA_DIR to a place every user can "
                    f"reach, or start as an ordinary user; no permission was changed."
                )

    def _may_enter(self, status: os.stat_result) -> bool:
        if status.st_uid == self.uid:
            return bool(status.st_mode & stat.S_IXUSR)
        if status.st_gid == self.gid:
            return bool(status.st_mode & stat.S_IXGRP)
        return bool(status.st_mode & stat.S_IXOTH)

    def popen_arguments(self) -> dict[str, Any]:
        if os.geteuid() == self.uid:
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}


def spawn(
    command: Sequence[str],
    *,
    cwd: Path,
    log: IO[bytes],
    death_signal: signal.Signals = signal.SIGKILL,
    user: ServiceUser | None = None,
    environment: Mapping[str, str] | None = None,
    inherit: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Start a child in a session of its own, so that Ctrl-C reaches only its parent.

    Call it from the main thread: the death signal fires when the starting thread ends.
    """
    return subprocess.Popen(
        command,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT,
        env=environment,
        pass_fds=inherit,
        start_new_session=True,
        preexec_fn=dying_with(os.getpid(), death_signal),
        **(user.popen_arguments() if user else {}),
    )


def ask_to_stop(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    if process.poll() is None:
        process.send_signal(number)


def wait_or_kill(process: subprocess.Popen[bytes], patience: float) -> None:
    """Wait `patience` seconds for a process that was asked to stop; then end it the hard way."""
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
