"""`manage.py serve`: the whole program under one process, which is what `make run` starts."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from adjudication.embedded import Busy, DataDirectory, die_with_parent, owned
from adjudication.embedded.children import Child, stop_all
from adjudication.embedded.processes import dying_with
from adjudication.embedded.supervisor import Services
from adjudication.projects.models import Project
from adjudication.runs.rules import CALLS

HEARTBEAT = 0.25
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stop(BaseException):
    """Somebody asked the program to end."""


class Command(BaseCommand):
    help = "Start database, queue, web server, workers and sweeper; Ctrl-C stops all of it."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--stop-with-parent",
            action="store_true",
            help="stop when the process that started this one ends",
        )

    def handle(self, *args: Any, stop_with_parent: bool, **options: Any) -> None:
        if stop_with_parent:
            die_with_parent(signal.SIGTERM)
        # The children start in another folder, where a relative path would lead elsewhere.
        os.environ["DATA_DIR"] = str(settings.DATA_DIR)
        try:
            with ExitStack() as cleanup:
                cleanup.enter_context(stop_signals())
                self.serve(cleanup)
        except Stop:
            self.stdout.write("Stopped.")

    def serve(self, cleanup: ExitStack) -> None:
        """Start everything in order and keep it running until a signal comes."""
        listener = cleanup.enter_context(listen(int(settings.PORT)))
        directory = DataDirectory.at(settings.DATA_DIR)
        services = cleanup.enter_context(own(directory)) if settings.EMBEDDED else None
        self.migrate()
        self.show_demo()
        connection.close()
        web, *others = program(directory, listener)
        cleanup.callback(stop_all, [web, *others])
        web.start()
        wait_until_serving(web)
        self.stdout.write(f"Certify Adjudication is at {settings.SITE_URL} (Ctrl-C stops it)")
        self.stdout.flush()
        for child in others:
            child.start()
        watch(services, [web, *others])

    def migrate(self) -> None:
        """Bring the tables up to date, in a process of its own that connects as their owner."""
        executor = MigrationExecutor(connection)
        if not executor.migration_plan(executor.loader.graph.leaf_nodes()):
            return
        self.stdout.write("Preparing the database ...")
        self.stdout.flush()
        command = [sys.executable, "manage.py", "migrate", "--no-input", "--verbosity=0"]
        hook = dying_with(os.getpid(), signal.SIGKILL)
        if subprocess.run(command, cwd=settings.BASE_DIR, preexec_fn=hook).returncode != 0:
            raise CommandError("The migrations failed; nothing was started.")

    def show_demo(self) -> None:
        """On the first start, make the demo project and let it introduce its people."""
        if not Project.objects.exists():
            call_command("demo", stdout=self.stdout)


@contextmanager
def stop_signals() -> Iterator[None]:
    """Turn signals into Stop; once it is raised, further ones do not disturb the cleanup."""

    def ask(_number: int, _frame: FrameType | None) -> None:
        for number in STOP_SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        raise Stop

    for number in STOP_SIGNALS:
        # Under nohup a hangup is ignored, and stays so.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, ask)
    yield


@contextmanager
def listen(port: int) -> Iterator[socket.socket]:
    """Take the port before anything starts; early visitors wait in its queue."""
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", port))
        except OSError as error:
            raise CommandError(
                f"Port {port} cannot be used ({error.strerror}). "
                f"Choose another one, for example: PORT={port + 1} make run"
            ) from error
        listener.listen(128)
        yield listener


@contextmanager
def own(directory: DataDirectory) -> Iterator[Services]:
    try:
        with owned(directory) as services:
            yield services
    except Busy as error:
        raise CommandError(
            f"{error} Stop it first, or set DATA_DIR (and PORT) for a second copy."
        ) from error


def program(directory: DataDirectory, listener: socket.socket) -> list[Child]:
    """Return the web server, the workers and the sweeper, not yet started."""
    python, here = sys.executable, settings.BASE_DIR
    gunicorn = ["-m", "gunicorn", "-c", "python:adjudication.web", "adjudication.wsgi"]
    return [
        Child(
            "web",
            [python, *gunicorn, f"--bind=fd://{listener.fileno()}"],
            directory,
            here,
            inherit=(listener.fileno(),),
        ),
        *workers(directory),
        Child("sweeper", [python, "manage.py", "sweep"], directory, here),
    ]


def workers(directory: DataDirectory) -> list[Child]:
    """Return the worker that computes, and where a model is asked the one that waits for it."""
    found = [_worker("worker", directory, f"--concurrency={pool_size()}")]
    if settings.READER is not None:
        waiting = ["--pool=threads", f"--queues={CALLS}", f"--hostname={CALLS}@%h"]
        found.append(
            _worker(CALLS, directory, *waiting, f"--concurrency={settings.READER.threads}")
        )
    return found


def _worker(name: str, directory: DataDirectory, *arguments: str) -> Child:
    celery = ["-m", "celery", "-A", "adjudication", "worker", "--loglevel=INFO"]
    celery += ["--without-gossip", "--without-mingle", *arguments]
    return Child(name, [sys.executable, *celery], directory, settings.BASE_DIR)


def pool_size() -> int:
    return max(2, min(os.cpu_count() or 1, 4))


def wait_until_serving(web: Child) -> None:
    """Wait for the first answer; a server that only crashes is an error, not a retry."""
    address = f"http://127.0.0.1:{settings.PORT}/healthz"
    while True:
        try:
            urllib.request.urlopen(address, timeout=1).close()
            return
        except urllib.error.HTTPError as error:
            raise CommandError(f"{address} answers {error.code}; see {web.log}.") from error
        except OSError:
            if web.has_ended:
                raise CommandError(f"The web server ended at once; see {web.log}.") from None


def watch(services: Services | None, children: list[Child]) -> None:
    """Start again whatever ends by itself, for ever."""
    while True:
        if services is not None:
            services.revive()
        for child in children:
            child.revive()
        time.sleep(HEARTBEAT)
