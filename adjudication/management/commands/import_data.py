"""`manage.py import_data PROJECT PATH --format musique|hotpotqa|…`."""

from __future__ import annotations

import json
import os
import time
from argparse import ArgumentParser
from collections import Counter
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from django.core.management.base import OutputWrapper
from django.utils import timezone

from adjudication.errors import Refused
from adjudication.imports.actions import import_file
from adjudication.imports.ahead import ReadingEnded
from adjudication.imports.formats import FORMATS, format_named
from adjudication.imports.reports import Options, Report
from adjudication.management.base import ProjectCommand
from adjudication.projects.actions import PUBLIC
from adjudication.projects.models import Membership, Project, ReaderClass, Role
from adjudication.projects.queries import reader_classes_named
from certify_core.datasets.records import Problem

SHOWN = 3  # problems of each kind that are printed
PROGRESS_EVERY = 1.0  # seconds


class Command(ProjectCommand):
    help = "Import a data set's file: all of it or nothing. The same file twice changes nothing."
    by_roles = (Role.LEAD,)

    def add_own_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", type=Path, help="the file")
        parser.add_argument("--format", required=True, choices=sorted(FORMATS), dest="layout")
        parser.add_argument(
            "--reader-class",
            nargs="+",
            default=[PUBLIC],
            metavar="KEY",
            dest="classes",
            help=f"who may inspect the sources; {PUBLIC} if left out",
        )
        parser.add_argument("--licence", default="", help="kept with every source")
        parser.add_argument(
            "--call",
            nargs="+",
            default=[],
            metavar="THEIRS=OURS",
            help="reader class that stands for one which only a bundle's project has",
        )
        parser.add_argument(
            "--problems",
            type=Path,
            metavar="FILE",
            help=f"write every problem to FILE, as JSON lines; {SHOWN} of each kind are printed",
        )

    def act_in(self, project: Project, by: Membership | None, **options: Any) -> None:
        with _opened(options["path"]) as file, _made(options["problems"]) as listing:
            watch = _Printed(self.stdout, os.fstat(file.fileno()).st_size, listing)
            try:
                report = import_file(
                    project,
                    format_named(options["layout"]),
                    file,
                    Options(
                        observed_at=timezone.now(),
                        reader_classes=reader_classes_named(project, options["classes"]),
                        licence=options["licence"],
                        actor=by.user if by else None,
                        called=_called(project, options["call"]),
                    ),
                    watch,
                )
            except ReadingEnded as error:
                raise Refused(f"{error} Nothing was imported.") from error
        self._show(report, watch)

    def _show(self, report: Report, watch: _Printed) -> None:
        watch.end_line()
        for count in report.counts:
            self.say(f"{count.what}: {count.new} new, {count.known} already there")
        for code, number in watch.by_code.most_common():
            for problem in watch.first[code]:
                self.say(f"not used ({code}): {problem.where}: {problem.message}")
            if number > SHOWN:
                self.say(f"not used ({code}): {number - SHOWN} more")
        if not report.changes:
            self.say("Nothing changed: all of this file is here already.")


def _called(project: Project, pairs: list[str]) -> dict[str, ReaderClass]:
    """``THEIRS=OURS`` pairs, with our classes."""
    called = {}
    for pair in pairs:
        theirs, separator, ours = pair.partition("=")
        if not separator:
            raise Refused(f"{pair!r} is no pair: write THEIRS=OURS, such as legal=staff.")
        (called[theirs],) = reader_classes_named(project, [ours])
    return called


class _Printed:
    """Prints how far an import is, on a terminal, and keeps what is said of its problems."""

    def __init__(self, out: OutputWrapper, size: int, listing: TextIO | None) -> None:
        self.by_code: Counter[str] = Counter()
        self.first: dict[str, list[Problem]] = {}
        self._out = out
        self._size = size
        self._listing = listing
        self._began = self._last = time.monotonic()
        self._open_line = False

    def progress(self, bytes_read: int, records: int) -> None:
        now = time.monotonic()
        if not self._out.isatty() or now - self._last < PROGRESS_EVERY:
            return
        self._last = now
        rate = records / (now - self._began)
        share = 100 * bytes_read // max(1, self._size)
        left = (self._size - bytes_read) * (now - self._began) / max(1, bytes_read)
        line = f"{share} % read, {records:,} records, {rate:,.0f} per second, {left:.0f} s left"
        self._out.write(f"\r{line:<79}", ending="")
        self._out.flush()
        self._open_line = True

    def problem(self, problem: Problem) -> None:
        self.by_code[problem.code] += 1
        if self._listing is not None:
            self._listing.write(json.dumps(asdict(problem), ensure_ascii=False) + "\n")
        if self.by_code[problem.code] <= SHOWN:
            self.first.setdefault(problem.code, []).append(problem)

    def end_line(self) -> None:
        if self._open_line:
            self._out.write("")


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}.") from error


def _made(path: Path | None) -> AbstractContextManager[TextIO | None]:
    try:
        return path.open("w", encoding="utf-8") if path is not None else nullcontext()
    except OSError as error:
        raise Refused(f"{path} cannot be written: {error.strerror}.") from error
