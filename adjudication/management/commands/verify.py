"""Check an export offline: no database, no services."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from adjudication.releases import verification


class Command(BaseCommand):
    help = "Check every digest of an exported annotation version, without any server."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        verification.add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        if failed := verification.run(options["file"], options["digest"]):
            sys.exit(failed)
