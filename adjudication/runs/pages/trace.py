"""How a question ended, arranged for reading: steps, links and searches with their reasons."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any
from uuid import UUID

from adjudication.claims.graphs import from_json
from adjudication.corpus.clearance import may_read_whole
from adjudication.corpus.queries import visible_to
from adjudication.projects.models import Membership
from adjudication.runs.models import Outcome, RecordedLink, RecordedSearch
from adjudication.runs.rules import CAUSES
from adjudication.specifications.queries import sees_digests
from certify_core.grounding import read_atom
from certify_core.model import Operation, Requirement

ACCEPTED = (RecordedLink.Grade.ANCHORED, RecordedLink.Grade.VERIFIED)
OPERATIONS: Mapping[Operation, str] = {
    "select-earlier": "whichever is earlier",
    "select-later": "whichever is later",
    "select-greater": "whichever is greater",
    "select-less": "whichever is less",
    "same": "whether they are the same",
    "and": "whether all hold",
    "or": "whether any holds",
    "not": "whether it does not hold",
    "intersection": "what all have",
    "difference": "what only the first has",
    "count": "how many they are",
    "copy": "the same value",
}
NAMESAKES = re.compile("(shares its name with) .*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Need:
    """A requirement as a person reads it: ``state`` is answered, open, blocked or unused."""

    rid: int
    text: str
    deps: tuple[int, ...]
    looked_up: bool
    state: str
    value: str = ""
    others: tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage in a ranking, and the link made to it, if any.

    ``title`` is empty, and there is no link, where the reader is not cleared for it.
    """

    rank: int
    version_id: UUID
    title: str
    link: RecordedLink | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class LookedUp:
    """One lookup under the values of the steps before it: the passages of each round."""

    rid: int
    query: str
    rounds: tuple[tuple[Hit, ...], ...]

    @property
    def hits(self) -> list[Hit]:
        return [hit for found in self.rounds for hit in found]

    @property
    def links(self) -> list[RecordedLink]:
        return [hit.link for hit in self.hits if hit.link]

    @property
    def accepted(self) -> int:
        return sum(link.grade in ACCEPTED for link in self.links)


@dataclass(frozen=True)
class Trace:
    """Everything stored about one outcome, as far as ``titles`` (versions that may be
    read whole) reaches; ``whole`` says that it reaches to everything that was searched."""

    outcome: Outcome
    links: Sequence[RecordedLink]
    searches: Sequence[RecordedSearch]
    titles: Mapping[UUID, str]
    whole: bool

    @classmethod
    def of(cls, membership: Membership, outcome: Outcome) -> Trace:
        """Load an outcome as this member may see it."""
        searches = list(RecordedSearch.objects.filter(attempt=outcome.attempt_id))
        links = RecordedLink.objects.filter(attempt=outcome.attempt_id)
        found = {uid for search in searches for uid in search.versions}
        # The machine read each passage whole, so what it found may repeat any word of it.
        whole = may_read_whole(membership.reader_classes.all())
        cleared = visible_to(membership).filter(whole, pk__in=found)
        titles = dict(cleared.values_list("pk", "source__title"))
        whole_corpus = sees_digests(membership, outcome.run.specification)
        return cls(outcome, list(links), searches, titles, whole_corpus)

    @property
    def certified(self) -> bool:
        return self.outcome.kind == Outcome.Kind.CERTIFICATE

    @property
    def body(self) -> dict[str, Any]:
        return dict(self.outcome.body)

    @cached_property
    def closed(self) -> bool:
        """Whether a value rests on a passage that this member is not cleared to read.

        Later steps repeat the value, so then nothing of the outcome is shown.
        """
        used = {link.version_id for link in self.links if link.grade in ACCEPTED}
        return not used <= self.titles.keys()

    @property
    def reads_all_found(self) -> bool:
        """Whether every passage that was found may be read."""
        return {uid for search in self.searches for uid in search.versions} <= self.titles.keys()

    @property
    def shown_links(self) -> list[RecordedLink]:
        return [link for link in self.links if link.version_id in self.titles]

    @property
    def hidden_links(self) -> int:
        return len(self.links) - len(self.shown_links)

    @cached_property
    def requirements(self) -> tuple[Requirement, ...]:
        return from_json(self.outcome.graph).requirements if self.outcome.graph else ()

    @cached_property
    def derived(self) -> dict[int, str]:
        """The value of each requirement the certificate's derivation uses, by number."""
        if not self.certified:
            return {}
        parts = [read_atom(step["atom"]) for step in self.body["derivation"]]
        values = {rid: value for rid, _, value in filter(None, parts)}
        values[self.requirements[-1].rid] = self.body["answer"]
        return {rid: self._as_written(rid, value) for rid, value in values.items()}

    @cached_property
    def known(self) -> dict[int, str]:
        """The values to fill in: derived ones, else those on which all passages agree."""
        alone = {rid: values[0] for rid in self._rids if len(values := self._values(rid)) == 1}
        return alone | self.derived

    @cached_property
    def needs(self) -> tuple[Need, ...]:
        return tuple(self._need(requirement) for requirement in self.requirements)

    @property
    def spares(self) -> bool:
        """Whether the question has a step that the derivation did without."""
        return any(need.state == "unused" for need in self.needs)

    @property
    def steps(self) -> Iterator[dict[str, Any]]:
        """The derivation for the component of that name, in the order in which closure
        reached it. A step has the number of its requirement."""
        derived = [step for step in self.body["derivation"] if read_atom(step["atom"])]
        numbers = _numbers([step["atom"] for step in derived])
        for step in derived:
            rid, _, value = read_atom(step["atom"]) or (0, (), "")
            requirement = self.requirements[rid - 1]
            link = self._link_of(rid, value, step["unit"])
            because = [f"step {numbers[premise]}" for premise in step["premises"]]
            yield {
                "number": numbers[step["atom"]],
                "says": f"{requirement.filled(self.known)} — {self.known[rid]}",
                "because": [*because, f"“{self.titles[link.version_id]}”"] if link else because,
                "rule": OPERATIONS[requirement.op] if requirement.op else "",
                "state": link.grade if link else "",
            }

    @cached_property
    def lookups(self) -> tuple[LookedUp, ...]:
        """Every lookup that was searched for, in the order of the first search."""
        found: dict[str, list[RecordedSearch]] = {}
        for search in self.searches:
            found.setdefault(f"{search.requirement} {search.binding}", []).append(search)
        return tuple(self._looked_up(rounds) for rounds in found.values())

    def _looked_up(self, rounds: Sequence[RecordedSearch]) -> LookedUp:
        first = rounds[0]
        links = {
            link.version_id: link
            for link in self.shown_links
            if (link.requirement, link.binding) == (first.requirement, first.binding)
        }
        ranks = count(1)
        hits = tuple(
            tuple(self._hit(next(ranks), uid, links.get(uid)) for uid in search.versions)
            for search in rounds
        )
        return LookedUp(first.requirement, first.query, hits)

    def _hit(self, rank: int, uid: UUID, link: RecordedLink | None) -> Hit:
        reason = self.reason(link.reason) if link else ""
        return Hit(rank, uid, self.titles.get(uid, ""), link, reason)

    def reason(self, words: str) -> str:
        """Why a link counts or not. Of all its words only the titles that share a name can be
        those of a passage that was not read for it, and may be closed."""
        return words if self.whole else NAMESAKES.sub(r"\1 another title", words)

    def accepted(self, rid: int) -> list[RecordedLink]:
        """Every accepted link of a requirement, whatever it states."""
        return [link for link in self.links if link.requirement == rid and link.grade in ACCEPTED]

    def stating(self, rid: int) -> list[RecordedLink]:
        """Accepted links that state the requirement's known value, used ones first."""
        found = [
            link
            for link in self.accepted(rid)
            if self.known.get(rid) == self._as_written(rid, link.canonical)
        ]
        return sorted(found, key=lambda link: (not self.uses(link), link.ordinal))

    def uses(self, link: RecordedLink) -> bool:
        """Whether the certificate's derivation rests on the link."""
        return self.certified and link.ordinal in self.body["links"]

    # --- Parts of a need ---------------------------------------------------------------------

    def _need(self, requirement: Requirement) -> Need:
        rid = requirement.rid
        state, text, why = self._standing(requirement)
        value = self.known.get(rid, "") if state in ("answered", "open") else ""
        others = tuple(other for other in self._values(rid) if other != value)
        return Need(
            rid, text, requirement.deps, requirement.kind == "lookup", state, value, others, why
        )

    def _standing(self, requirement: Requirement) -> tuple[str, str, str]:
        """State, text with values filled in, and why it is not answered."""
        rid, text = requirement.rid, requirement.filled(self.known)
        if self.certified:
            return ("answered" if rid in self.derived else "unused"), text, ""
        for name in ("open", "blocked"):
            for entry in self.body[name]:
                if entry["rid"] == rid:
                    return name, entry["text"] or text, self._why(entry)
        return ("answered" if rid in self.known else "unused"), text, ""

    def _why(self, entry: Mapping[str, Any]) -> str:
        """The cause in words; its detail may quote passages, so all must be cleared."""
        if entry["cause"] == "blocked":
            return str(entry["detail"]).replace("#", "step ")
        words = CAUSES[entry["cause"]]
        readable = all(UUID(uid) in self.titles for uid in entry["uids"])
        return f"{words}: {self.reason(entry['detail'])}" if entry["detail"] and readable else words

    @property
    def _rids(self) -> Collection[int]:
        return [requirement.rid for requirement in self.requirements]

    def _values(self, rid: int) -> list[str]:
        """Every accepted value of a requirement as written, equal ones once."""
        values: dict[str, str] = {}
        for link in self.accepted(rid):
            values.setdefault(link.canonical, link.value)
        return list(values.values())

    def _as_written(self, rid: int, canonical: str) -> str:
        for link in self.links:
            if link.requirement == rid and link.canonical == canonical:
                return link.value
        return canonical

    def _link_of(self, rid: int, canonical: str, uid: str | None) -> RecordedLink | None:
        for link in self.links:
            if (link.requirement, link.canonical, str(link.version_id)) == (rid, canonical, uid):
                return link
        return None


def _numbers(atoms: Sequence[str]) -> dict[str, str]:
    """The number of each atom's requirement: "2", or "2.1" and "2.2" where it has two values."""
    of_rid: dict[int, list[str]] = {}
    for atom in atoms:
        rid, *_ = read_atom(atom) or (0,)
        of_rid.setdefault(rid, []).append(atom)
    return {
        atom: f"{rid}.{place}" if len(alike) > 1 else str(rid)
        for rid, alike in of_rid.items()
        for place, atom in enumerate(alike, start=1)
    }
