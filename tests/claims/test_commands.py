"""The commands that open a project and fill it say what happened, or in one line why not."""

from __future__ import annotations

import json
import os
import signal
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from adjudication.accounts.models import User
from adjudication.claims.models import Question
from adjudication.corpus.models import Source
from adjudication.imports import formats
from adjudication.journal.models import Entry
from adjudication.projects.models import Membership, Project
from tests.claims.samples import json_lines, musique_record
from tests.conftest import Cast


def run(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "records.jsonl"
    path.write_bytes(json_lines(musique_record()))
    return path


@pytest.mark.django_db
def test_person_signs_in_with_the_password_printed() -> None:
    """It is printed once; what is stored is its hash."""
    printed = run("add_person", "lena", "--name", "Lena Orr", "--operator")
    lena = User.objects.get(username="lena")
    assert (lena.display_name, lena.is_operator) == ("Lena Orr", True)
    assert lena.check_password(printed.split()[-1])


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("username", "name", "said"),
    [("lena", "Lena", "already. Choose"), ("a b", "A", "username"), ("mo", "M\u202eo", "U\\+202E")],
)
def test_person_who_cannot_be_added_is_refused(username: str, name: str, said: str) -> None:
    """One line names the field, or says that the name is taken."""
    run("add_person", "lena", "--name", "Lena")
    with pytest.raises(CommandError, match=said):
        run("add_person", username, "--name", name)
    assert User.objects.count() == 1


@pytest.mark.django_db
def test_project_is_opened_with_its_lead() -> None:
    """An unknown lead is refused with how to make one, and no project is left behind."""
    with pytest.raises(CommandError, match=r"manage\.py add_person lena"):
        run("create_project", "cedar", "--lead", "lena")
    assert not Project.objects.exists()
    run("add_person", "lena", "--name", "Lena")
    assert "led by Lena" in run("create_project", "cedar", "--title", "Cedar", "--lead", "lena")
    assert Membership.objects.get().roles == ["lead"]
    with pytest.raises(CommandError, match="already a project"):
        run("create_project", "cedar")
    with pytest.raises(CommandError, match="slug"):
        run("create_project", "not a slug")


def test_member_gets_exactly_these_roles(project: Project, cast: Cast) -> None:
    """Unknown roles, classes and people are refused by name."""
    assert "lead, reviewer" in run("set_member", "film-study", "sam", "--roles", "reviewer, lead")
    assert Membership.objects.get(user=cast.stranger).roles == ["lead", "reviewer"]
    for arguments, said in (
        (("sam", "--roles", "boss"), "No role is called boss"),
        (("sam", "--roles", "lead", "--classes", "vip"), "No reader class vip"),
        (("nobody", "--roles", "lead"), "Nobody signs in as 'nobody'"),
        (("sam", "--roles", "lead", "--by", "rosa"), "needs the role lead"),
        (("sam", "--roles", "lead", "--by", "nobody"), "not an active member"),
    ):
        with pytest.raises(CommandError, match=said):
            run("set_member", "film-study", *arguments)


def test_import_prints_its_counts(project: Project, cast: Cast, file: Path) -> None:
    """New the first time, there already the second; the journal names who did it."""
    arguments = ("import_data", "film-study", str(file), "--format", "musique", "--by", "lena")
    printed = run(*arguments)
    assert "passages: 3 new, 0 already there" in printed
    assert "requirement graphs: 1 new" in printed
    assert Entry.objects.get(verb="imported data").actor == cast.lead
    printed = run(*arguments)
    assert "passages: 0 new, 3 already there" in printed
    assert "Nothing changed" in printed


def test_import_prints_what_was_not_used(project: Project, tmp_path: Path) -> None:
    """Each problem on its line, with the record it is in."""
    path = tmp_path / "records.jsonl"
    steps = musique_record()["question_decomposition"]
    steps[0]["paragraph_support_idx"] = None
    path.write_bytes(json_lines(musique_record(question_decomposition=steps)))
    printed = run("import_data", "film-study", str(path), "--format", "musique")
    assert "not used (null-page)" in printed
    assert "2hop__1_2" in printed


def test_import_says_in_one_line_that_its_reader_was_killed(
    project: Project, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Short of memory, the system ends the process that reads: no fault of the program to trace."""
    parent = os.getpid()

    def killed(*_: object) -> None:
        assert os.getpid() != parent
        os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setattr("adjudication.imports.records.captured", killed)
    with pytest.raises(CommandError, match=r"was killed, .*Nothing was imported"):
        run("import_data", "film-study", str(file), "--format", "musique")
    assert not Source.objects.exists()


def test_many_problems_are_summarised_and_written_to_a_file(
    project: Project, tmp_path: Path
) -> None:
    """A few of each kind are enough on a terminal; the file has every one."""
    path, listing = tmp_path / "records.jsonl", tmp_path / "problems.jsonl"
    path.write_bytes(json_lines(*({"title": f"T{n}\u2028", "text": ""} for n in range(5))))
    with pytest.raises(CommandError, match="line break"):
        run("import_data", "film-study", str(path), "--format", "passages")
    path.write_bytes(json_lines(*({"title": f"T{n}", "text": ""} for n in range(5))))
    arguments = ("--format", "passages", "--problems", str(listing))
    printed = run("import_data", "film-study", str(path), *arguments)
    assert printed.count("not used (empty-passage): line") == 3
    assert "not used (empty-passage): 2 more" in printed
    problems = [json.loads(line) for line in listing.read_text().splitlines()]
    assert [one["where"] for one in problems] == [f"line {n + 1} (T{n})" for n in range(5)]


def test_file_that_changes_while_it_is_read_is_noticed(
    project: Project, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was stored would be no file's content: nothing is."""
    layout = formats.FORMATS["musique"]

    def store(*arguments: Any) -> Any:
        report = layout.store(*arguments)
        file.write_bytes(file.read_bytes().replace(b"1961", b"1962"))
        return report

    changed = replace(layout, store=store)
    monkeypatch.setattr(formats, "FORMATS", {**formats.FORMATS, "musique": changed})
    with pytest.raises(CommandError, match="changed"):
        run("import_data", "film-study", str(file), "--format", "musique")
    assert not Source.objects.exists()


def test_import_that_cannot_be_done_is_one_line(project: Project, cast: Cast, file: Path) -> None:
    """A broken line, a missing file or project, a reader class or person without the right."""
    file.write_bytes(file.read_bytes() + b"\n{")
    base = ("import_data", "film-study", str(file), "--format", "musique")
    for arguments, said in (
        (base, "line 2"),
        (("import_data", "film-study", "/no/file", "--format", "musique"), "cannot be read"),
        (("import_data", "other", str(file), "--format", "musique"), "no project 'other'"),
        ((*base, "--reader-class", "vip"), "No reader class vip|line 2"),
        ((*base, "--by", "rosa"), "needs the role lead"),
        ((*base, "--licence", "x" * 201), "line 2|200"),
    ):
        with pytest.raises(CommandError, match=said):
            run(*arguments)
    assert not Source.objects.exists()
    assert not Question.objects.exists()
