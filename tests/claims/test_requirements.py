"""A lead says what a question needs, and runs look for that."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from adjudication.claims.actions import give_requirements
from adjudication.claims.graphs import to_json
from adjudication.claims.models import Question, RequirementGraph
from adjudication.errors import Refused
from adjudication.journal.models import Entry
from adjudication.projects.models import Project, Role
from adjudication.projects.queries import membership_for
from certify_core import model as core
from tests.conftest import Cast
from tests.factories import add_member, make_project, make_question

DIRECTOR = core.Requirement(1, "lookup", "Who directed Silent Fjord?", expect="person")
BORN = core.Requirement(2, "lookup", "When was #1 born?", expect="date")
BODY: dict[str, Any] = to_json(core.RequirementGraph((DIRECTOR, BORN)))


@pytest.fixture
def question(project: Project, cast: Cast) -> Question:
    return make_question(project, "When was the director of Silent Fjord born?")


def given(question: Question, path: Path, content: str, by: str = "lena") -> str:
    path.write_text(content)
    return run(question, "--file", str(path), "--by", by)


def run(question: Question, *arguments: str) -> str:
    out = StringIO()
    slug = question.project.slug
    call_command("requirements", slug, "--question", question.key, *arguments, stdout=out)
    return out.getvalue()


def test_requirements_are_shown_edited_and_given_back(question: Question, tmp_path: Path):
    """What is shown can be given; each version stays, and the newest counts."""
    file = tmp_path / "needs.json"
    assert "It has none" in run(question)
    given(question, file, json.dumps(BODY))
    edited = json.loads(run(question))
    assert edited == BODY
    edited["requirements"][1]["template"] = "On which day was #1 born?"
    given(question, file, json.dumps(edited))
    given(question, file, json.dumps(edited))
    assert json.loads(run(question)) == edited
    stored = RequirementGraph.objects.filter(question=question).order_by("number")
    assert [(one.number, one.origin, one.author.username) for one in stored] == [
        (1, "person", "lena"),
        (2, "person", "lena"),
    ]
    assert Entry.objects.filter(verb="gave requirements").count() == 2
    with pytest.raises(CommandError, match="its requirements 1; 2 came after"):
        given(question, file, json.dumps(BODY))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "line 1 column 2"),
        ("[]", "expected an object"),
        (json.dumps({"requirements": []}), "no requirement"),
        (json.dumps(BODY | {"more": 1}), "'more' is unknown"),
        (json.dumps(BODY).replace("#1", "#2"), "not an earlier step"),
        (json.dumps(BODY).replace('"date"', '"day"'), "expect"),
    ],
)
def test_what_is_no_graph_is_refused(question: Question, tmp_path: Path, content: str, said: str):
    """The message says where, and nothing is stored."""
    with pytest.raises(CommandError, match=said):
        given(question, tmp_path / "needs.json", content)
    assert not RequirementGraph.objects.exists()


def test_only_leads_give_requirements(question: Question, cast: Cast, tmp_path: Path):
    """They decide what a run looks for, so they are not for whoever judges what it finds."""
    for by in ("rosa", "ada"):
        with pytest.raises(CommandError, match="needs the role lead"):
            given(question, tmp_path / "needs.json", json.dumps(BODY), by)
    elsewhere = make_project("elsewhere")
    add_member(elsewhere, cast.lead, Role.LEAD)
    graph = core.RequirementGraph((DIRECTOR,))
    with pytest.raises(Refused, match="another project"):
        give_requirements(membership_for(cast.lead, "elsewhere"), question, graph)
    with pytest.raises(CommandError, match="--by"):
        run(question, "--file", str(tmp_path / "needs.json"))
    assert not RequirementGraph.objects.exists()


def test_question_is_found_by_its_key(question: Question):
    """Two data sets may use one key; then the data set says which is meant."""
    with pytest.raises(CommandError, match="no question 'other'"):
        call_command("requirements", question.project.slug, "--question", "other")
    Question.objects.create(
        project=question.project, origin="zzz", key=question.key, sha256="0" * 64, text="Another?"
    )
    with pytest.raises(CommandError, match="name the --origin"):
        run(question)
    assert "It has none" in run(question, "--origin", question.origin)
