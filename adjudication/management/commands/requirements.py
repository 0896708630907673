"""`manage.py requirements`: read what a question needs, step by step, or say it anew."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from adjudication.claims.actions import give_requirements
from adjudication.claims.models import Question
from adjudication.errors import Refused
from adjudication.management.base import ProjectCommand
from adjudication.projects.models import Membership, Project, Role
from certify_core.canonical import strict_loads
from certify_core.datasets.bundle.fields import Wrong, requirements, shaped
from certify_core.errors import InvalidJson
from certify_core.model import RequirementGraph


class Command(ProjectCommand):
    help = "Show the requirements of a question, or give it those of a file for later runs."
    by_roles = (Role.LEAD,)

    def add_own_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--question", required=True, metavar="KEY", help="its key")
        parser.add_argument("--origin", help="its data set, where several have this key")
        parser.add_argument("--file", type=Path, help="requirements as shown; needs --by")

    def act_in(self, project: Project, by: Membership | None, **options: Any) -> None:
        question = _question(project, options["question"], options["origin"])
        if options["file"] is None:
            latest = question.graphs.order_by("-number").first()
            shown = json.dumps(latest.body, ensure_ascii=False, indent=1) if latest else ""
            self.say(shown or "It has none: the reader of a run looks for them.")
            return
        if by is None:
            raise Refused("Say who gives them: --by USERNAME.")
        made = give_requirements(by, question, _graph(options["file"]))
        self.say(f"Runs from now on look for requirements {made.number} of this question.")


def _question(project: Project, key: str, origin: str | None) -> Question:
    found = Question.objects.filter(project=project, key=key)
    if origin is not None:
        found = found.filter(origin=origin)
    origins = sorted(one.origin for one in found)
    if len(origins) > 1:
        raise Refused(f"Several data sets have a question {key!r}: name the --origin, {origins}.")
    question = found.first()
    if question is None:
        raise Refused(f"There is no question {key!r} in {project.slug!r}.")
    return question


def _graph(path: Path) -> RequirementGraph:
    try:
        body = shaped(strict_loads(path.read_bytes()), {"requirements": requirements})
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error}") from error
    except (InvalidJson, Wrong) as error:
        raise Refused(f"{path}: {error}") from error
    return RequirementGraph(body["requirements"])
