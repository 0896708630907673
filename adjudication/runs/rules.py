"""What a run is made of: its frozen configuration, and what counts as its end."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from datetime import timedelta
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args
from uuid import UUID

import certify_core
from adjudication import __version__, readers, search
from adjudication.errors import Refused
from adjudication.search.retrievers import Kind as RetrieverKind
from certify_core.grounding import ConflictPolicy
from certify_core.linking import Rules
from certify_core.model import Cause
from certify_core.search import Check, Policy

LEASE = timedelta(seconds=30)
"""How long a worker holds an attempt without a sign of life; renewed at a third of it."""

MAX_DELIVERIES = 5
"""How often an attempt is handed to workers before it is given up as a dead letter."""

CALLS = "calls"
"""The queue of attempts that mostly wait for an endpoint: its workers are threads."""

MAX_SAMPLE = 999_999
MAX_PER_CALL = 20
PER_CALL = 5
MOST_RANKS = 200
MAX_SEED = 999_999

ReaderKind = Literal["offline", "endpoint", "recorded"]
StopOn = Literal["accepted", "any"]
Partial = Literal["verify", "anchor"]
Suffix = Literal["fit", "drop"]

CHECKS: tuple[tuple[Check, str], ...] = (
    ("anchor", "Only passages whose title names the entity"),
    ("anchor-or-verify", "Those, else passages that a second reading confirms"),
    ("verify", "Every passage needs a second reading"),
    ("off", "No check: any passage that states a value"),
)

CAUSES: dict[Cause, str] = {
    "no-plan": "the reader has no plan for the question",
    "nothing-retrieved": "the search found no passage",
    "no-value": "no passage found states a value",
    "entity-check": "values were found, but not about exactly this entity",
    "conflict": "passages give values that cannot all be right",
    "operation-failed": "the values do not decide the step",
    "blocked": "waits for an earlier step",
}


class Failure(StrEnum):
    """Names of errors that a question may end with although nothing is broken here."""

    BUDGET_SPENT = "Budget spent"
    ENDPOINT_DOWN = "Endpoint down"
    GIVEN_UP = "Given up"
    NO_STORED_ANSWER = "No stored answer"
    NOT_EMBEDDED = "Not embedded"
    NO_VECTOR = "No vector"


WITHOUT_PASSAGES = frozenset({Failure.BUDGET_SPENT, Failure.ENDPOINT_DOWN, Failure.GIVEN_UP})
"""Errors whose words cannot repeat any of a passage, so that all who see the run may read them."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """Everything that decides a run's certificates, beside its corpus and graphs.

    ``schedule`` gives the sizes of successive rank windows of one lookup. A reader at an
    "endpoint" is asked as ``model``; "recorded" takes the stored answers that the run ``replays``
    would take, and asks nobody. Answers are stored by request and ``sample``, so another sample
    buys fresh ones. ``per_call`` passages go into one call; ``embeddings`` is the model of a
    retriever that needs one. ``verifications`` and ``stop_on`` are those of the search's
    ``Policy``, ``partial``, ``suffix``, ``aliases`` and ``places`` of the entity check's
    ``Rules``. The budgets are those at the start and decide no certificate.
    ``twins`` is the seed that draws which fact the twin of each question loses; ``None`` for a
    run without twins.

    Raises:
        Refused: an unknown choice, a number out of its range, or choices that do not go together.
    """

    check: Check = "anchor"
    schedule: tuple[int, ...] = (5, 5, 10)
    conflict: ConflictPolicy = "strict"
    reader: ReaderKind = "offline"
    model: str = ""
    sample: int = 0
    per_call: int = PER_CALL
    retriever: RetrieverKind = "bm25"
    embeddings: str = ""
    budget_calls: int | None = None
    budget_tokens: int | None = None
    replays: str | None = None
    verifications: int = 2
    stop_on: StopOn = "accepted"
    partial: Partial = "verify"
    suffix: Suffix = "fit"
    aliases: bool = True
    places: bool = True
    twins: int | None = None

    def __post_init__(self) -> None:
        self._check_search()
        self._check_reader()

    def _check_search(self) -> None:
        if self.check not in get_args(Check):
            raise Refused(f"There is no check {self.check!r}: {', '.join(get_args(Check))}.")
        if self.conflict not in get_args(ConflictPolicy):
            raise Refused(f"There is no conflict policy {self.conflict!r}.")
        if not self.schedule or min(self.schedule) < 1:
            raise Refused("A schedule names at least one window of one passage or more.")
        if sum(self.schedule) > MOST_RANKS:
            raise Refused(f"A schedule goes down to rank {MOST_RANKS} at the most.")
        if not 0 <= self.verifications <= MOST_RANKS:
            raise Refused(f"A lookup has from 0 to {MOST_RANKS} second readings.")
        for name, kind in (("stop_on", StopOn), ("partial", Partial), ("suffix", Suffix)):
            if getattr(self, name) not in get_args(kind):
                raise Refused(f"There is no choice {getattr(self, name)!r} of {name}.")
        if self.retriever not in get_args(RetrieverKind):
            raise Refused(f"There is no retriever {self.retriever!r}.")
        if (self.retriever == "bm25") != (not self.embeddings):
            raise Refused("Dense and hybrid retrieval name a model of embeddings; bm25 has none.")
        if self.twins is not None and not 0 <= self.twins <= MAX_SEED:
            raise Refused(f"The seed of the twins is a number from 0 to {MAX_SEED}.")

    def _check_reader(self) -> None:
        if self.reader not in get_args(ReaderKind):
            raise Refused(f"There is no reader {self.reader!r}: {', '.join(get_args(ReaderKind))}.")
        if (self.reader == "offline") != (not self.model):
            raise Refused("A model goes with the readers endpoint and recorded, and only so.")
        if not 0 <= self.sample <= MAX_SAMPLE:
            raise Refused(f"A sample is a number from 0 to {MAX_SAMPLE}.")
        if not 1 <= self.per_call <= MAX_PER_CALL:
            raise Refused(f"One call takes from 1 to {MAX_PER_CALL} passages.")
        budgets = [one for one in (self.budget_calls, self.budget_tokens) if one is not None]
        if budgets and (self.reader != "endpoint" or not 1 <= min(budgets) <= max(budgets) < 2**63):
            raise Refused("A budget goes with an endpoint and is a number from 1 on.")
        if (self.reader == "recorded") != (self.replays is not None):
            raise Refused("The recorded reader names the run whose answers it replays.")

    @classmethod
    def replaying(cls, run_id: UUID, body: dict[str, Any], name: str) -> dict[str, Any]:
        """The choices of a reader that replays the run of configuration ``body``.

        Others would make other requests, to which there are no answers.

        Raises:
            Refused: that run asked no endpoint.
        """
        replayed = cls.from_json(body)
        if replayed.reader != "endpoint":
            raise Refused(f"There is nothing to replay: {name} asked no endpoint.")
        return {
            "reader": "recorded",
            "model": replayed.model,
            "sample": replayed.sample,
            "per_call": replayed.per_call,
            "replays": str(run_id),
        }

    def check_replays(self, run_id: UUID, body: dict[str, Any], name: str) -> None:
        """Refuse to replay the run of configuration ``body`` where its answers would not fit."""
        fitting = self.replaying(run_id, body, name)
        if fitting != {choice: getattr(self, choice) for choice in fitting}:
            raise Refused(
                f"To replay {name}, take its model {fitting['model']}, its sample "
                f"{fitting['sample']} and its {fitting['per_call']} passages in one call."
            )

    @property
    def policy(self) -> Policy:
        return Policy(
            schedule=self.schedule,
            check=self.check,
            verifications=self.verifications,
            stop_on=self.stop_on,
            conflict=self.conflict,
            rules=Rules(self.partial, self.suffix, self.aliases, self.places),
        )

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"schedule": list(self.schedule)}

    @classmethod
    def from_json(cls, body: dict[str, Any]) -> Configuration:
        """What ``to_json`` gave, also by earlier versions, which knew fewer choices."""
        return cls(**body | {"schedule": tuple(body["schedule"])})


@cache
def code_version() -> str:
    """The version of this program and a digest of the source of engine, readers and search.

    Certificates are a function of the configuration, the corpus and this code.
    """
    sources = hashlib.sha256()
    for package in (*certify_core.__path__, *readers.__path__, *search.__path__):
        root = Path(package)
        for path in sorted(root.rglob("*.py")):
            name = path.relative_to(root.parent).as_posix()
            sources.update(name.encode() + b"\0" + path.read_bytes())
    return f"{__version__}+{sources.hexdigest()[:12]}"


def in_words(span: timedelta) -> str:
    """A length of time to the precision people need: "40 s", "3 min", "2 h 5 min"."""
    seconds = round(span.total_seconds())
    if seconds < 60:
        return f"{seconds} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
