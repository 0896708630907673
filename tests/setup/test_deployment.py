"""Files for deployment and installation: complete, pinned, and the same program as `make run`."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.setup.conftest import ROOT

COMPOSE = ROOT / "docker-compose.yml"
OUR_PROCESSES = {"web", "worker", "sweeper"}


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    services: dict[str, Any] = yaml.safe_load(COMPOSE.read_text())["services"]
    return services


def locked(name: str) -> dict[str, str]:
    """Return package → version of a lock file."""
    text = (ROOT / "requirements" / f"{name}.txt").read_text()
    return dict(re.findall(r"(?m)^([a-z0-9-]+)==(\S+)", text))


def test_compose_runs_the_same_processes(services: dict[str, Any]) -> None:
    """Web, worker, sweeper, migrations, PostgreSQL 18 and Valkey: nothing of `serve` is missing."""
    assert set(services) == OUR_PROCESSES | {"postgres", "valkey", "migrate"}
    assert services["postgres"]["image"].startswith("postgres:18")
    assert services["valkey"]["image"].startswith("valkey/valkey:")
    assert services["migrate"]["command"] == ["python", "manage.py", "migrate", "--no-input"]
    assert services["sweeper"]["command"] == ["python", "manage.py", "sweep"]


def test_compose_has_no_default_secret(services: dict[str, Any]) -> None:
    """Every secret must be given; a copied file never starts with a known password."""
    text = COMPOSE.read_text()
    for name in re.findall(r"\$\{(\w*(?:PASSWORD|KEY)\w*)", text):
        assert re.search(rf"\$\{{{name}:\?", text), name
        assert not re.search(rf"\$\{{{name}(?::?-|\}})", text), name
    example = (ROOT / "deploy" / "example.env").read_text()
    assert re.findall(r"(?m)^(?:\w*PASSWORD|SECRET_KEY)=.+$", example) == []
    assert set(re.findall(r"\$\{(\w+)", text)) == set(re.findall(r"(?m)^(\w+)=", example))


def test_only_migrations_know_the_owner(services: dict[str, Any]) -> None:
    """A hole in the web server must not lead to the role that may alter tables."""
    for name, service in services.items():
        knows = "DATABASE_OWNER_URL" in service.get("environment", {})
        assert knows == (name == "migrate"), name


def test_processes_wait_for_what_they_need(services: dict[str, Any]) -> None:
    """Servers have health checks, and the program starts on migrated tables."""
    for name in ("postgres", "valkey", "web", "worker"):
        assert services[name]["healthcheck"]["test"]
    for name in OUR_PROCESSES:
        needs = services[name]["depends_on"]
        assert needs["migrate"]["condition"] == "service_completed_successfully"
        assert needs["valkey"]["condition"] == "service_healthy"
        assert services[name]["environment"]["DATABASE_URL"].startswith("postgresql://certify_app:")


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
    declared = {re.match(r"[\w-]+", line)[0].lower() for line in project["dependencies"]}  # type: ignore[index]
    assert declared <= set(locked("run"))
