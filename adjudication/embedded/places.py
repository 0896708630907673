"""Where one data directory keeps its services, and how to reach them."""

import hashlib
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from .errors import CannotStart
from .processes import ServiceUser

DATABASE = "certify"
APP_ROLE = "certify_app"
OWNER_ROLE = "certify_owner"
# Not TMPDIR, which may be long; the folder made inside is private and checked.
SOCKETS = Path("/tmp")  # noqa: S108


@dataclass(frozen=True)
class Addresses:
    """URLs of the running services: the application's role, the tables' owner, the broker."""

    app: str
    owner: str
    broker: str


@dataclass(frozen=True)
class DataDirectory:
    """The absolute folder that holds everything the program writes."""

    path: Path

    @classmethod
    def at(cls, path: str | os.PathLike[str]) -> "DataDirectory":
        """Return the directory, created if need be. Raises CannotStart when it is not ours."""
        directory = cls(Path(path).absolute())
        with _explained(directory.path):
            if not directory.path.exists():
                directory.path.mkdir(parents=True)
                # Whatever the umask: services that do not run as root must pass through.
                directory.path.chmod(0o711)
            directory.logs.mkdir(exist_ok=True)
        return directory

    @property
    def postgres(self) -> Path:
        return self.path / "postgres"

    @property
    def valkey(self) -> Path:
        return self.path / "valkey"

    @property
    def logs(self) -> Path:
        return self.path / "log"

    @property
    def user(self) -> ServiceUser:
        return ServiceUser.for_directory(self.path)

    @property
    def sockets(self) -> Path:
        """A short path, since socket names end at 107 bytes; distinct for every directory."""
        digest = hashlib.sha256(os.fsencode(self.path.resolve())).hexdigest()[:16]
        return SOCKETS / f"cs-{self.user.uid}-{digest}"

    @property
    def valkey_socket(self) -> Path:
        return self.sockets / "valkey.sock"

    def open_log(self, name: str) -> IO[bytes]:
        return (self.logs / f"{name}.log").open("ab")

    def make_sockets(self) -> None:
        """Create the folder for sockets. Raises CannotStart when somebody else prepared one."""
        self.user.make_directory(self.sockets)
        status = self.sockets.lstat()
        private = stat.S_ISDIR(status.st_mode) and stat.S_IMODE(status.st_mode) == 0o700
        if not private or status.st_uid != self.user.uid:
            raise CannotStart(
                f"{self.sockets} is not a private directory of {self.user.name}. "
                "Find out who made it, remove it and start again."
            )

    def secret(self, name: str) -> str:
        """Return the random secret kept under `name` (mode 0600), made on first use."""
        path = self.path / name
        with _explained(path):
            try:
                return path.read_text()
            except FileNotFoundError:
                return _keep_first(path, secrets.token_hex(32))

    def addresses(self) -> Addresses:
        def database(role: str) -> str:
            password = self.secret(f"{role}_password")
            return f"postgresql://{role}:{password}@/{DATABASE}?host={self.sockets}"

        broker = f"redis+socket://{self.valkey_socket}?virtual_host=0"
        return Addresses(database(APP_ROLE), database(OWNER_ROLE), broker)


def _keep_first(path: Path, value: str) -> str:
    """Write `value` unless another process was first; return the one that is kept."""
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    draft.touch(mode=0o600)
    draft.write_text(value)
    try:
        os.link(draft, path)
    except FileExistsError:
        return path.read_text()
    finally:
        draft.unlink()
    return value


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except PermissionError as error:
        raise CannotStart(
            f"{path} belongs to another user ({error.strerror}). Start as that user, or set "
            "DATA_DIR to a directory of your own."
        ) from error
    except OSError as error:
        raise CannotStart(
            f"{path} cannot be used ({error.strerror}). Set DATA_DIR to a directory of your own."
        ) from error
