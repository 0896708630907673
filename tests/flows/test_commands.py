"""The whole path as management commands, each in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.browser.test_path import record
from tests.conftest import ROOT, CommittedDatabase, shared_data

Command = Callable[..., str]


@pytest.fixture
def manage(committed: CommittedDatabase) -> Command:
    """Run ``manage.py`` on this test's database and return what it printed."""

    def run(*arguments: object, fails: bool = False) -> str:
        command = [sys.executable, "manage.py", *map(str, arguments)]
        done = subprocess.run(
            command, cwd=ROOT, env=committed.environment, capture_output=True, text=True
        )
        assert (done.returncode != 0) == fails, done.stdout + done.stderr
        return done.stdout + done.stderr

    return run


@pytest.fixture
def project(manage: Command) -> str:
    """A project with a lead, two reviewers and an adjudicator."""
    manage("add_person", "lena", "--name", "Lena", "--operator")
    manage("create_project", "films", "--lead", "lena")
    for username, role in (("rosa", "reviewer"), ("rui", "reviewer"), ("ada", "adjudicator")):
        manage("add_person", username, "--name", username.title())
        manage("set_member", "films", username, "--roles", role)
    return "films"


@pytest.fixture
def data_file(tmp_path: Path) -> Path:
    path = tmp_path / "films.json"
    path.write_text(json.dumps([record(1, "The Glass Orchard", "Mirela Vance", "14 March 1969")]))
    return path


@pytest.mark.slow
def test_path_as_commands(manage: Command, project: str, data_file: Path, tmp_path: Path) -> None:
    """From a data set to a verified release, with one disagreement settled on the way."""
    manage("import_data", project, data_file, "--format", "musique")
    assert "Nothing changed" in manage("import_data", project, data_file, "--format", "musique")
    manage("freeze", project, "--by", "lena")
    assert "Certificates: 1" in manage("certify", project, "--wait", "--by", "lena")
    manage("open_review", project, "--by", "lena")

    items = listed(manage("judge", project, "--by", "rosa", "--list"))
    assert items
    for item in items:
        manage("judge", project, "--by", "rosa", "--item", item, "--all-accept")
        doubt = ("--all-accept", "--entailment", "unsure")
        manage("judge", project, "--by", "rui", "--item", item, *doubt)
    assert listed(manage("adjudicate", project, "--by", "ada", "--list")) == items
    for item in items:
        settle = ("--item", item, "--decision", "accepted", "--reason", "It is stated.")
        manage("adjudicate", project, "--by", "ada", *settle)

    manage("release", project, "--by", "lena", "--approved-by", "ada")
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    for path in (first, second):
        manage("export", project, "--version", 1, "--out", path)
    assert first.read_bytes() == second.read_bytes()
    assert manage("verify", first).startswith("OK")
    second.write_bytes(first.read_bytes().replace(b"Mirela", b"Mirelb", 1))
    assert "second.jsonl: line 2, item " in manage("verify", second, fails=True)


def listed(said: str) -> list[str]:
    """The items that ``--list`` named, in order of their ids."""
    first_words = (line.split()[0] for line in said.splitlines())
    return sorted(word for word in first_words if word.count("-") == 4)


@pytest.mark.slow
def test_musique_from_file_to_outcomes(manage: Command, project: str) -> None:
    """All 50 questions of the public sample end once, in a certificate or an abstention."""
    path = shared_data("musique/musique_train_50.json")
    manage("import_data", project, path, "--format", "musique")
    manage("freeze", project, "--by", "lena")
    said = manage("certify", project, "--wait", "--by", "lena")
    assert "50 of 50 ended" in said
    assert "Failures: 0" in said
