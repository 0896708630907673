"""What every stage of taking in a bundle shares: the project, ids by key, counts, refusals."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, ClassVar, Protocol, TypeAlias
from uuid import UUID

from adjudication.errors import Refused
from adjudication.imports.reports import Report, Tally, Watch
from adjudication.projects.models import Project
from certify_core.datasets import bundle
from certify_core.datasets.bundle.records import NAMES
from certify_core.errors import legible

KINDS: Mapping[type[bundle.Record], str] = {
    bundle.Source: "sources",
    bundle.Version: "versions",
    bundle.Span: "spans",
    bundle.Rule: "inference rules",
    bundle.Question: "questions",
    bundle.Graph: "requirement graphs",
    bundle.Claim: "claims",
    bundle.EvidenceSet: "evidence sets",
    bundle.SystemRun: "system runs",
    bundle.Output: "outputs",
}
"""What is counted. Claims and citations of an output are part of it."""

Kinds: TypeAlias = Collection[type[bundle.Record]]

FULL = 1_000  # records of a stage that wait to be stored together
SHOWN = 80  # characters of a text that a refusal quotes


class Intake:
    """One bundle on its way into a project."""

    def __init__(self, project: Project, watch: Watch) -> None:
        self.project = project
        self.watch = watch
        self.ids: dict[type[bundle.Record], dict[str, UUID]] = {kind: {} for kind in NAMES}
        self._tally = Tally()

    def keep(self, record: Any, pk: UUID, *, new: bool) -> None:
        """Remember the row of ``record`` by its key, for records that name it, and count it."""
        self.ids[type(record)][record.key] = pk
        self.count(record, new=new)

    def count(self, record: bundle.Record, *, new: bool) -> None:
        self._tally.add(KINDS[type(record)], new=int(new), known=int(not new))

    def report(self) -> Report:
        counts = self._tally.counts(KINDS.values())
        return Report("bundle", tuple(count for count in counts if count.new or count.known))


class Stage(Protocol):
    """Takes records of some kinds and stores them many at a time."""

    kinds: ClassVar[Kinds]

    def take(self, where: str, record: Any) -> None: ...

    @property
    def is_full(self) -> bool: ...

    def flush(self) -> None: ...


def same_or_refuse(where: str, name: str, given: Mapping[str, Any], row: Any) -> None:
    """Refuse ``name`` if the row that is here says something else, and say which field does."""
    for field, value in given.items():
        if getattr(row, field) != value:
            raise refused(where, f"{name} is here already with other content ({_plain(field)})")


def refused(where: str, problem: str) -> Refused:
    return Refused(f"{where}: {legible(problem)}. Nothing was imported.")


def quoted(text: str) -> str:
    return f"“{text[:SHOWN]}…”" if len(text) > SHOWN else f"“{text}”"


def _plain(field: str) -> str:
    return {"sha256": "text", "observed_at": "time of capture"}.get(field, field.replace("_", " "))
