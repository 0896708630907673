"""`manage.py check_integrity`: hash everything again and name what differs."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.template.defaultfilters import pluralize

from adjudication.integrity.actions import check_now
from adjudication.integrity.models import Check
from adjudication.integrity.queries import counts_of
from adjudication.management.base import PlainCommand
from adjudication.projects.models import Project
from adjudication.projects.queries import project_named


class Command(PlainCommand):
    help = (
        "Hash every snapshot, text, span, route, specification, run and release again and name "
        "what differs: one line each, and exit code 1. The result is kept for leads and auditors."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", nargs="?", help="short name; every project if left out")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def act(self, **options: Any) -> None:
        name: str | None = options["project"]
        projects = [project_named(name)] if name else Project.objects.order_by("slug")
        checks = [check_now(one, by=None, watch=self.watch) for one in projects]
        if options["json"]:
            self.say(_in_json(checks))
        else:
            self.tell(checks)
        if faults := sum(check.faults for check in checks):
            raise CommandError(f"{faults} difference{'s' * (faults != 1)} found.")

    def watch(self, check: Check) -> None:
        """One line that changes, on a terminal only."""
        if self.stderr.isatty():
            line = f"{check.project.slug}: {check.checked} of {check.total}"
            sys.stderr.write(f"\r\x1b[K{line}")
            sys.stderr.flush()

    def tell(self, checks: list[Check]) -> None:
        for check in checks:
            for fault in check.found.iterator():
                self.say(
                    f"{check.project.slug}: {fault.kind} {fault.object_id}, {fault.place}: "
                    f"{fault.part} stored {fault.stored} found {fault.found}"
                )
            counted = ", ".join(f"{count} {name}" for name, count in counts_of(check))
            records = f"{check.checked} record{pluralize(check.checked)} checked"
            self.say(f"{check.project.slug}: {records} ({counted}).")


def _in_json(checks: list[Check]) -> str:
    fields = ("kind", "object_id", "place", "part", "stored", "found")
    return json.dumps(
        [
            {
                "project": check.project.slug,
                "checked": check.checked,
                "counted": check.counted,
                "finished_at": check.finished_at.isoformat() if check.finished_at else None,
                "faults": [
                    {name: str(getattr(fault, name)) for name in fields}
                    for fault in check.found.iterator()
                ],
            }
            for check in checks
        ],
        indent=2,
    )
