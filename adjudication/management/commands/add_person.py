"""`manage.py add_person USERNAME --name "Display Name" [--operator]`."""

import secrets
from argparse import ArgumentParser
from typing import Any

from adjudication.management.base import PlainCommand
from adjudication.projects.actions import add_person


class Command(PlainCommand):
    help = "Add a person who can sign in. Their password is printed once and kept nowhere."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username", help="name to sign in")
        parser.add_argument("--name", required=True, help="name as others see it")
        parser.add_argument("--operator", action="store_true", help="may open projects")

    def act(self, **options: Any) -> None:
        password = secrets.token_urlsafe(12)
        person = add_person(
            username=options["username"],
            display_name=options["name"],
            password=password,
            is_operator=options["operator"],
            actor=None,
        )
        self.say(f"{person} signs in as {person.username} with the password {password}")
