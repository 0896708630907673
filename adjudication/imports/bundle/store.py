"""Take a bundle in: all of it or nothing, and what is here already stays as it is.

A record whose identity is here with other content is refused by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import BinaryIO

from adjudication.imports.bundle.intake import Intake, Stage
from adjudication.imports.bundle.store_claims import (
    ClaimStage,
    GraphStage,
    QuestionStage,
    RuleStage,
    SetStage,
)
from adjudication.imports.bundle.store_corpus import CorpusStage
from adjudication.imports.bundle.store_outputs import OutputStage
from adjudication.imports.looking import taken_back
from adjudication.imports.reports import Options, Report, Watch, refusing
from adjudication.projects.models import Project, ReaderClass
from certify_core.datasets import bundle
from certify_core.datasets.records import Problem
from certify_core.errors import InvalidRecord

LINE_LIMIT = 256 * 2**20
"""Bytes of the longest line: a version of 64 MiB, each byte of it written as an escape."""


def check(project: Project, file: BinaryIO, watch: Watch) -> Report:
    """What of ``file`` is new, and its problems; nothing of it stays written."""
    return taken_back(watch, lambda holding: _take_in(project, file, holding, {}))


def store(project: Project, file: BinaryIO, options: Options, watch: Watch) -> Report:
    """Store what of ``file`` is new. Times, licences and reader classes are the file's own, but
    ``options.called`` says which class stands for one that the project does not have.

    Raises:
        Refused: as the parser and the rules of each record say, with the line.
    """
    return _take_in(project, file, watch, options.called)


def _take_in(
    project: Project, file: BinaryIO, watch: Watch, called: Mapping[str, ReaderClass]
) -> Report:
    intake = Intake(project, watch)
    outputs = OutputStage(intake)
    stages: tuple[Stage, ...] = (
        CorpusStage(intake, called),
        RuleStage(intake),
        QuestionStage(intake),
        GraphStage(intake),
        ClaimStage(intake),
        SetStage(intake),
        outputs,
    )
    takes = {kind: stage for stage in stages for kind in stage.kinds}
    records = 0
    with refusing():
        for where, record in bundle.read(_lines(file)):
            records += 1
            if isinstance(record, bundle.Header):
                continue
            if isinstance(record, bundle.Withheld):
                watch.problem(_withheld(where, record))
                continue
            takes[type(record)].take(where, record)
            if any(stage.is_full for stage in stages):
                _flush(stages)
                watch.progress(file.tell(), records)
        outputs.finish()
        _flush(stages)
    watch.progress(file.tell(), records)
    return intake.report()


def _flush(stages: Iterable[Stage]) -> None:
    """Store what waits, in the order in which records name each other."""
    for stage in stages:
        stage.flush()


def _lines(file: BinaryIO) -> Iterator[bytes]:
    number = 0
    while line := file.readline(LINE_LIMIT + 1):
        number += 1
        if len(line) > LINE_LIMIT:
            limit = LINE_LIMIT // 2**20
            raise InvalidRecord(f"line {number}", f"is longer than {limit} MiB")
        yield line


def _withheld(where: str, one: bundle.Withheld) -> Problem:
    readers = ", ".join(one.readers) or "no reader class by itself"
    kind = one.kind.replace("-", " ")
    return Problem(where, "withheld", f"{kind} {one.id}: not in this file; readers: {readers}")
