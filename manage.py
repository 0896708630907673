#!/usr/bin/env python3
"""Run a management command, with the embedded services unless servers are configured."""

import os
import sys
import warnings
from contextlib import AbstractContextManager, nullcontext

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

from adjudication.embedded import CannotStart, attached_or_owned

# These need no database, or (serve) start the services themselves.
WITHOUT_SERVICES = {"help", "version", "check", "makemigrations", "serve", "verify"}


def services(arguments: list[str]) -> AbstractContextManager[object]:
    """Return the block in which the command runs: with services attached or owned, or without."""
    command = arguments[1] if len(arguments) > 1 else "help"
    asks_for_help = command.startswith("-") or "--help" in arguments or "-h" in arguments
    if os.environ.get("DATABASE_URL") or asks_for_help or command in WITHOUT_SERVICES:
        return nullcontext()
    from django.conf import settings

    return attached_or_owned(settings.DATA_DIR)


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "adjudication.settings")
    # makemigrations compares files with models; that it cannot ask a database is no news.
    warnings.filterwarnings("ignore", "Got an error checking a consistent migration history")
    try:
        with services(sys.argv):
            execute_from_command_line(sys.argv)
    except (CannotStart, ImproperlyConfigured) as error:
        sys.exit(f"Cannot start: {error}")


if __name__ == "__main__":
    main()
