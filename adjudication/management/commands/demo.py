"""`manage.py demo`: make the demo project, or introduce its people again."""

from __future__ import annotations

import json
import secrets
from pathlib import Path
from typing import Any

from django.conf import settings

from adjudication.demo.build import SLUG, build
from adjudication.demo.content import PEOPLE
from adjudication.errors import Refused
from adjudication.management.base import PlainCommand
from adjudication.projects.models import Project

# Pronounceable enough to type, and 60 bits of chance: 12 letters and digits without lookalikes.
ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
LENGTH = 12


class Command(PlainCommand):
    help = "Make the demo project if it is not there; print its people and their passwords."

    def act(self, **options: Any) -> None:
        passwords = self._passwords()
        if not Project.objects.filter(slug=SLUG).exists():
            build(passwords)
        self.say(f"The demo project is at {settings.SITE_URL}/p/{SLUG}/. Sign in as")
        for person in PEOPLE:
            who = f"{person.name}, {', '.join(person.roles)}"
            self.say(f"  {person.username:<6} {passwords[person.username]}   {who}")
        self.say("(manage.py demo shows this again)")

    def _passwords(self) -> dict[str, str]:
        """The passwords given out on the first start; they are kept only for the demo."""
        path = Path(settings.DATA_DIR) / "demo_passwords.json"
        if path.exists():
            kept: dict[str, str] = json.loads(path.read_text())
            return kept
        if Project.objects.filter(slug=SLUG).exists():
            raise Refused(f"The demo project is there, but {path} with its passwords is not.")
        made = {person.username: _password() for person in PEOPLE}
        path.touch(mode=0o600)
        path.write_text(json.dumps(made, indent=1))
        return made


def _password() -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
