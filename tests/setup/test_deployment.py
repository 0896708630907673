"""Files for deployment and installation: complete, pinned, and the same program as `make run`."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any, LiteralString

import psycopg
import pytest
import yaml
from django.test import override_settings

from adjudication import __version__
from adjudication.embedded import DataDirectory, services
from adjudication.embedded.postgres import binary
from adjudication.management.commands.serve import workers
from adjudication.readers import settings as reader_settings
from tests.setup.conftest import ROOT

COMPOSE = ROOT / "docker-compose.yml"
OUR_PROCESSES = {"web", "worker", "calls", "sweeper"}
# Given where there is an endpoint that asks for it, and empty for most local servers.
MAY_BE_EMPTY = {"READER_KEY", "EMBEDDINGS_KEY"}


@pytest.fixture(scope="module")
def composed() -> dict[str, Any]:
    """Return the services of the compose file by name."""
    found: dict[str, Any] = yaml.safe_load(COMPOSE.read_text())["services"]
    return found


def locked(name: str) -> dict[str, str]:
    """Return package → version of a lock file."""
    text = (ROOT / "requirements" / f"{name}.txt").read_text()
    return dict(re.findall(r"(?m)^([a-z0-9-]+)==(\S+)", text))


def test_compose_runs_the_same_processes(composed: dict[str, Any]) -> None:
    """Web, workers, sweeper, migrations, PostgreSQL 18 and Valkey: all that `serve` starts."""
    assert set(composed) == OUR_PROCESSES | {"postgres", "valkey", "migrate"}
    assert composed["postgres"]["image"] == "pgvector/pgvector:pg18"
    assert composed["valkey"]["image"].startswith("valkey/valkey:")
    assert composed["migrate"]["command"] == ["python", "manage.py", "migrate", "--no-input"]
    assert composed["sweeper"]["command"] == ["python", "manage.py", "sweep"]


def test_compose_has_no_default_secret(composed: dict[str, Any]) -> None:
    """Every secret must be given; a copied file never starts with a known password."""
    text = COMPOSE.read_text()
    secrets = set(re.findall(r"\$\{(\w*(?:PASSWORD|KEY)\w*)", text))
    for name in secrets - MAY_BE_EMPTY:
        assert re.search(rf"\$\{{{name}:\?", text), name
        assert not re.search(rf"\$\{{{name}(?::?-|\}})", text), name
    example = (ROOT / "deploy" / "example.env").read_text()
    assert re.findall(r"(?m)^\w*(?:PASSWORD|KEY)=.+$", example) == []
    for name in MAY_BE_EMPTY:
        assert set(re.findall(rf"\$\{{({name}[^}}]*)\}}", text)) == {f"{name}:-"}
    assert set(re.findall(r"\$\{(\w+)", text)) == set(re.findall(r"(?m)^(\w+)=", example))


def test_only_migrations_know_the_owner(composed: dict[str, Any]) -> None:
    """A hole in the web server must not lead to the role that may alter tables."""
    for name, service in composed.items():
        knows = "DATABASE_OWNER_URL" in service.get("environment", {})
        assert knows == (name == "migrate"), name


def test_only_workers_that_ask_an_endpoint_know_its_key(composed: dict[str, Any]) -> None:
    """A hole in the web server must not lead to what calls cost; all else is known to all."""
    for name in OUR_PROCESSES:
        environment = composed[name]["environment"]
        assert ("READER_KEY" in environment) == (name == "calls"), name
        assert ("EMBEDDINGS_KEY" in environment) == (name in {"worker", "calls"}), name
        assert {"READER_MODELS", "EMBEDDINGS_MODEL"} <= environment.keys()


def test_model_calls_wait_in_threads_of_a_worker_of_their_own(
    composed: dict[str, Any], tmp_path: Path
) -> None:
    """As `serve` starts it: the queue and the kind of pool are the same in both."""
    with_reader = {"READER_URL": "http://localhost:9/v1", "READER_MODELS": "small"}
    started = _workers_of_serve(tmp_path, with_reader | {"READER_CALLS_AT_ONCE": "5"})
    assert [name for name, _ in started] == ["worker", "calls"]
    command = started[1][1]
    assert {"--queues=calls", "--pool=threads", "--concurrency=8"} <= set(command)
    *shell, line = composed["calls"]["command"]
    # Compose puts the setting in, and leaves a doubled dollar to the shell.
    line = line.replace("${READER_CALLS_AT_ONCE:-8}", "5").replace("$$", "$")
    said = subprocess.check_output([*shell, line.replace("exec celery", "echo")], text=True)
    assert {"--queues=calls", "--pool=threads", "--concurrency=8"} <= set(said.split())
    assert [name for name, _ in _workers_of_serve(tmp_path, {})] == ["worker"]


def _workers_of_serve(data: Path, environ: dict[str, str]) -> list[tuple[str, list[str]]]:
    reader = reader_settings.read(environ)
    with override_settings(READER=reader):
        children = workers(DataDirectory.at(data))
    return [(child.name, child.command) for child in children]


def test_processes_wait_for_what_they_need(composed: dict[str, Any]) -> None:
    """Servers have health checks, and the program starts on migrated tables."""
    for name in ("postgres", "valkey", "web", "worker", "calls"):
        assert composed[name]["healthcheck"]["test"]
    for name in OUR_PROCESSES:
        needs = composed[name]["depends_on"]
        assert needs["migrate"]["condition"] == "service_completed_successfully"
        assert needs["valkey"]["condition"] == "service_healthy"
        assert composed[name]["environment"]["DATABASE_URL"].startswith("postgresql://certify_app:")


def test_compose_file_is_valid_to_its_own_tool() -> None:
    """The tool that reads the file resolves it with the variables of the example."""
    if shutil.which("docker") is None or _compose("version").returncode != 0:
        pytest.skip("docker compose is not installed")
    result = _compose("config", "--quiet")
    assert result.returncode == 0, result.stderr


def _compose(*arguments: str) -> subprocess.CompletedProcess[str]:
    names = re.findall(r"(?m)^(\w+)=", (ROOT / "deploy" / "example.env").read_text())
    given = {name: "8000" if name == "PORT" else "given" for name in names}
    return subprocess.run(
        ["docker", "compose", *arguments],
        cwd=ROOT,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin"} | given,
        capture_output=True,
        text=True,
    )


def test_roles_script_makes_the_roles_of_the_embedded_server(data: Path) -> None:
    """The script of the database image, run by the same psql commands, gives the same rights,
    and the extension for dense search.
    """
    directory = DataDirectory.at(data)
    with services(data, durable=False):
        pass
    # As in the image: the superuser may log in, and nothing of ours is there yet.
    (directory.postgres / "pg_hba.conf").write_text("local all all trust\n")
    with services(data, durable=False) as addresses:
        for statement in ("DROP DATABASE certify", "DROP ROLE certify_app, certify_owner"):
            superuser(directory, statement)
        run_roles_script(directory)
        with psycopg.connect(addresses.owner) as owner:
            owner.execute("CREATE TABLE note (id bigserial, body text)")
        with psycopg.connect(addresses.app) as app:
            app.execute("INSERT INTO note (body) VALUES ('kept')")
            app.execute("SELECT '[1,2]'::vector")
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                app.execute("DROP TABLE note")


def superuser(directory: DataDirectory, statement: LiteralString) -> None:
    url = f"postgresql://postgres@/postgres?host={directory.sockets}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(statement)


def run_roles_script(directory: DataDirectory) -> None:
    """Run the script with its files where they lie here instead of where they are mounted."""
    script = (ROOT / "deploy" / "roles.sh").read_text()
    here = "adjudication/embedded/"
    environment = {
        "PATH": f"{Path(binary('psql')).parent}:/usr/bin:/bin",
        "PGHOST": str(directory.sockets),
        "OWNER_PASSWORD": "owner's word",
        "APP_PASSWORD": "app's word",
    }
    command = ["sh", "-c", script.replace("/roles/", here)]
    subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)


def test_program_names_the_version_of_its_metadata() -> None:
    """A run records the version, so a release must raise both."""
    assert __version__ == tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]


def test_image_contains_what_the_program_reads() -> None:
    """Every file the image copies exists and is not kept from the build."""
    copied = re.findall(r"(?m)^COPY (\S+)", (ROOT / "Dockerfile").read_text())
    allowed = (ROOT / ".dockerignore").read_text()
    assert {"adjudication", "certify_core", "templates", "static", "manage.py"} <= set(copied)
    for name in copied:
        assert (ROOT / name).exists()
        assert f"!{Path(name).parts[0]}\n" in allowed
    assert "\nUSER " in (ROOT / "Dockerfile").read_text()


@pytest.mark.parametrize("name", ["run", "parquet", "test"])
def test_lock_file_is_complete_and_names_no_host(name: str) -> None:
    """Each version is pinned with digests; where packages come from is the machine's matter."""
    text = (ROOT / "requirements" / f"{name}.txt").read_text()
    entries = re.split(r"(?m)^(?=[a-z0-9])", text)[1:]
    assert entries
    assert all("--hash=sha256:" in entry for entry in entries)
    assert "://" not in text
    assert "index" not in re.sub(r"(?m)^ *#.*$", "", text)


def test_run_environment_is_a_part_of_the_test_environment() -> None:
    """What is tested is what runs, and no test tool is installed to run."""
    run, test = locked("run"), locked("test")
    assert run.items() <= locked("parquet").items() <= test.items()
    assert "pytest" in test
    assert not {"pytest", "ruff", "mypy", "playwright", "pyarrow"} & set(run)


def test_lock_file_has_every_declared_dependency() -> None:
    """A dependency added without `make lock` is noticed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = {re.match(r"[\w-]+", line)[0].lower() for line in project["dependencies"]}
    assert declared <= set(locked("run"))
