"""Addresses of the pages of runs."""

from __future__ import annotations

from django.urls import reverse

from adjudication.claims.models import Question
from adjudication.projects.models import Project
from adjudication.runs.models import Run


def address(name: str, project: Project, *args: object) -> str:
    return reverse(name, args=[project.slug, *args])


def pages(run: Run, question: Question) -> list[str]:
    names = ["run-question"]
    names += ["run-twin"] if run.attempts.filter(question=question, twin=True).exists() else []
    return [
        address("runs", run.project),
        address("run", run.project, run.number),
        address("run-progress", run.project, run.number),
        *(address(name, run.project, run.number, question.pk) for name in names),
    ]
