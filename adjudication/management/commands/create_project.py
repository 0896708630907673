"""`manage.py create_project SLUG [--title T] [--lead USERNAME]`."""

from argparse import ArgumentParser
from typing import Any

from adjudication.management.base import PlainCommand
from adjudication.projects.actions import create_project
from adjudication.projects.queries import person_named


class Command(PlainCommand):
    help = 'Open a project, with the reader class "public" and, where named, its first lead.'

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="short name, part of every address")
        parser.add_argument("--title", default="", help="the short name if left out")
        parser.add_argument("--description", default="")
        parser.add_argument("--lead", metavar="USERNAME", help="who configures and releases")

    def act(self, **options: Any) -> None:
        slug = options["slug"]
        lead = person_named(options["lead"]) if options["lead"] else None
        create_project(
            slug=slug,
            title=options["title"] or slug,
            description=options["description"],
            lead=lead,
            actor=None,
        )
        if lead is not None:
            self.say(f"Opened the project {slug}, led by {lead}.")
            return
        self.say(f"Opened the project {slug}. Nobody leads it yet:")
        self.say(f"  manage.py set_member {slug} USERNAME --roles lead")
