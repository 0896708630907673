"""`manage.py make_token USERNAME --name WHAT-FOR [--days 90]`."""

from argparse import ArgumentParser
from typing import Any

from adjudication.accounts.actions import TOKEN_DAYS, make_token
from adjudication.management.base import PlainCommand
from adjudication.projects.queries import person_named

LONGEST = 3660


class Command(PlainCommand):
    help = (
        "Make a token by which a program acts as a person. The secret alone goes to standard "
        "output, once; it is kept nowhere."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username", help="whose rights it has")
        parser.add_argument("--name", required=True, help="where it will be used")
        parser.add_argument(
            "--days",
            type=int,
            default=TOKEN_DAYS,
            choices=range(1, LONGEST + 1),
            metavar="N",
            help=f"how long it is good, {TOKEN_DAYS} if left out",
        )

    def act(self, **options: Any) -> None:
        person = person_named(options["username"])
        token, secret = make_token(person, name=options["name"], days=options["days"], actor=None)
        self.stderr.write(f"{person} acts by this token until {token.expires_at:%Y-%m-%d}:")
        self.say(secret)
