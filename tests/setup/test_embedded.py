"""The embedded PostgreSQL and Valkey: whole data, one owner, no survivors, no open doors."""

import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import redis

from adjudication.embedded import (
    Addresses,
    Busy,
    CannotStart,
    DataDirectory,
    attached_or_owned,
    owned,
    postgres,
    services,
)
from tests.setup.conftest import ROOT, new_place, processes_of, wait_until

OWNER_PROGRAM = """
import sys, time
from adjudication.embedded import services
with services(sys.argv[1]):
    print("up", flush=True)
    time.sleep(600)
"""


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    """The data directory of the services that are `running`."""
    with new_place() as folder:
        yield folder / "data"


@pytest.fixture(scope="module")
def running(home: Path) -> Iterator[Addresses]:
    """Services shared by the tests that neither stop nor break them."""
    with services(home, durable=False) as addresses:
        yield addresses


def start_owner(data: Path) -> subprocess.Popen[bytes]:
    """Run the services in another process, which has them up when this returns."""
    command = [sys.executable, "-c", OWNER_PROGRAM, str(data)]
    owner = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)
    assert owner.stdout is not None
    assert owner.stdout.readline() == b"up\n"
    return owner


def end(owner: subprocess.Popen[bytes], data: Path) -> None:
    kill(owner)
    wait_until(lambda: not processes_of(data), 15)


def kill(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.communicate()


def run_sql(url: str, statement: str) -> None:
    with psycopg.connect(url) as connection:
        connection.execute(statement)


def queue(data: Path) -> redis.Redis:
    return redis.Redis(unix_socket_path=str(DataDirectory.at(data).valkey_socket))


def test_application_role_may_use_but_not_alter_tables(running: Addresses) -> None:
    """Only migrations, as the owner, can lift the protection of append-only tables."""
    run_sql(running.owner, "CREATE TABLE note (id bigserial, body text)")
    run_sql(running.app, "INSERT INTO note (body) VALUES ('kept')")
    for statement in (
        "ALTER TABLE note DISABLE TRIGGER ALL",
        "DROP TABLE note",
        "TRUNCATE note",
        "CREATE TABLE other (id int)",
        "SET ROLE certify_owner",
        "SET session_replication_role = replica",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            run_sql(running.app, statement)


def test_superuser_and_wrong_password_are_refused(running: Addresses) -> None:
    """The superuser cannot log in at all, and a socket that is reached still asks a password."""
    host = running.app.partition("?host=")[2]
    for user in ("postgres", "certify_app"):
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(host=host, user=user, password="guess", dbname="certify")


def test_services_listen_on_private_sockets_alone(running: Addresses, home: Path) -> None:
    """No port is opened, and the folder of the sockets lets nobody else in."""
    directory = DataDirectory.at(home)
    assert stat.S_IMODE(directory.sockets.stat().st_mode) == 0o700
    with psycopg.connect(running.app) as connection:
        row = connection.execute("SHOW listen_addresses").fetchone()
    assert row == ("",)
    port = queue(home).config_get("port")
    assert port == {"port": "0"}


def test_pages_of_the_database_carry_checksums(running: Addresses) -> None:
    """A flipped bit on disk is noticed when it is read."""
    with psycopg.connect(running.app) as connection:
        assert connection.execute("SHOW data_checksums").fetchone() == ("on",)


@pytest.mark.slow
def test_data_of_an_earlier_release_gets_the_extension(data: Path) -> None:
    """Dense search works on data that was made before there was any, after the next start."""
    directory = DataDirectory.at(data)
    with services(data, durable=False):
        pass
    single = [postgres.binary("postgres"), "--single", "-D", ".", "certify"]
    postgres._run(directory, directory.postgres, single, "DROP EXTENSION vector;\n")
    with services(data, durable=False) as addresses:
        run_sql(addresses.app, "SELECT '[1,2]'::vector <=> '[2,1]'")


def test_durable_services_flush_what_they_acknowledge(data: Path) -> None:
    """Settings that may lose acknowledged data are for tests alone."""
    with services(data) as addresses, psycopg.connect(addresses.app) as connection:
        for name in ("fsync", "full_page_writes", "synchronous_commit"):
            assert connection.execute(f"SHOW {name}").fetchone() == ("on",)
        assert queue(data).config_get("appendonly") == {"appendonly": "yes"}
        assert queue(data).config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}


@pytest.mark.slow
def test_stop_leaves_neither_process_nor_socket(data: Path) -> None:
    """Ending the block ends everything it started."""
    with services(data, durable=False):
        assert len(processes_of(data)) > 2
    assert processes_of(data) == {}
    assert not DataDirectory.at(data).sockets.exists()


@pytest.mark.slow
def test_long_path_works(place: Path) -> None:
    """Names of sockets end at 107 bytes; the path of the data may be longer."""
    long = place / ("long name " * 9) / ("longer name " * 9)
    long.mkdir(parents=True)
    for folder in (long.parent, long):
        folder.chmod(0o711)
    with services(long / "data", durable=False) as addresses:
        run_sql(addresses.app, "SELECT 1")


def test_second_owner_is_refused(running: Addresses, home: Path) -> None:
    """Two servers on the same files would destroy them."""
    with pytest.raises(Busy, match="Another process"), services(home):
        pass
    run_sql(running.app, "SELECT 1")


@pytest.mark.slow
def test_command_attaches_to_running_services(data: Path) -> None:
    """A command beside `serve` uses its services and leaves them running."""
    owner = start_owner(data)
    try:
        with attached_or_owned(data) as addresses:
            run_sql(addresses.app, "SELECT 1")
        run_sql(addresses.app, "SELECT 1")
        assert queue(data).ping()
    finally:
        end(owner, data)


@pytest.mark.slow
def test_command_owns_services_when_there_are_none(data: Path) -> None:
    """A command alone brings its services and takes them along."""
    with attached_or_owned(data) as addresses:
        run_sql(addresses.app, "SELECT 1")
    assert processes_of(data) == {}


@pytest.mark.slow
def test_killed_owner_leaves_no_process_and_no_loss(data: Path) -> None:
    """After kill -9 nothing survives, and the next start finds all that was acknowledged."""
    owner = start_owner(data)
    addresses = DataDirectory.at(data).addresses()
    run_sql(addresses.owner, "CREATE TABLE note (body text)")
    run_sql(addresses.app, "INSERT INTO note VALUES ('kept')")
    queue(data).rpush("tasks", "first", "second")
    end(owner, data)
    with services(data) as addresses, psycopg.connect(addresses.app) as connection:
        assert connection.execute("SELECT body FROM note").fetchall() == [("kept",)]
        assert queue(data).lrange("tasks", 0, -1) == [b"first", b"second"]


@pytest.mark.slow
def test_killed_services_are_revived(data: Path) -> None:
    """The owner starts a service again that crashed, as often as it does."""
    with owned(DataDirectory.at(data), durable=False) as running:
        for service in running.services * 2:
            assert service.process is not None
            os.kill(service.process.pid, signal.SIGKILL)
            service.process.wait()
            running.revive()
            service.wait_until_ready()
        run_sql(running.directory.addresses().app, "SELECT 1")


@pytest.mark.slow
@pytest.mark.parametrize(
    "content",
    [
        "{pid}\n{data}\n1\n5432\n",
        # Files that name nobody are read by the same few lines.
        pytest.param("", marks=pytest.mark.slow),
        pytest.param("12", marks=pytest.mark.slow),
    ],
)
def test_stale_pid_file_harms_nobody(data: Path, content: str) -> None:
    """A pid file of a killed server may name a stranger by now, who must be left alone."""
    with services(data, durable=False):
        pass
    stranger = subprocess.Popen(["sleep", "600"])
    pid_file = data / "postgres" / "postmaster.pid"
    pid_file.write_text(content.format(pid=stranger.pid, data=data / "postgres"))
    try:
        with services(data, durable=False) as addresses:
            run_sql(addresses.app, "SELECT 1")
        assert stranger.poll() is None
    finally:
        kill(stranger)


@pytest.mark.slow
def test_interrupted_first_start_begins_anew(data: Path) -> None:
    """Half a cluster is never mistaken for a whole one."""
    directory = DataDirectory.at(data)
    (data / "postgres.new").mkdir()
    (data / "postgres.new" / "PG_VERSION").write_text("18\n")
    with services(data, durable=False) as addresses:
        run_sql(addresses.app, "SELECT 1")
    assert not (directory.path / "postgres.new").exists()


def test_prepared_socket_folder_is_refused(data: Path, place: Path) -> None:
    """Another user who guesses the folder's name must not get a door into the database."""
    directory = DataDirectory.at(data)
    directory.sockets.symlink_to(place)
    try:
        with pytest.raises(CannotStart, match="not a private directory"), services(data):
            pass
    finally:
        directory.sockets.unlink()
    directory.sockets.mkdir()
    directory.sockets.chmod(0o777)
    try:
        with pytest.raises(CannotStart, match="not a private directory"), services(data):
            pass
    finally:
        directory.sockets.rmdir()


def test_valkey_socket_speaks_for_the_right_directory(running: Addresses, home: Path) -> None:
    """The broker's address leads to this copy's server and to no other."""
    path = running.broker.removeprefix("redis+socket://").partition("?")[0]
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
    assert Path(str(queue(home).config_get("dir")["dir"])) == home / "valkey"


def test_secrets_are_readable_by_their_owner_alone(running: Addresses, home: Path) -> None:
    """Passwords and keys are files of mode 0600, and each home directory has its own."""
    directory = DataDirectory.at(home)
    assert directory.secret("secret_key") == directory.secret("secret_key")
    for name in ("secret_key", "certify_app_password", "certify_owner_password"):
        assert stat.S_IMODE((home / name).stat().st_mode) == 0o600
    assert directory.secret("certify_app_password") != directory.secret("certify_owner_password")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root hands services to another user")
def test_root_is_told_about_a_closed_folder(place: Path) -> None:
    """Permissions of folders are never widened; the message names the folder instead."""
    place.chmod(0o700)
    with pytest.raises(CannotStart, match=f"may not enter {place}"), services(place / "data"):
        pass
    assert stat.S_IMODE(place.stat().st_mode) == 0o700


@pytest.mark.skipif(os.geteuid() != 0, reason="only root hands services to another user")
def test_services_never_run_as_root(running: Addresses, home: Path) -> None:
    """A hole in a server must not give the machine away."""
    found = processes_of(home)
    assert found
    assert all(Path(f"/proc/{pid}").stat().st_uid != 0 for pid in found)
