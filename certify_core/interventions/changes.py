"""The eight interventions. Each is applied to evidence and gives a trial."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from certify_core.grounding import ConflictPolicy
from certify_core.interventions.trials import Evidence, InvalidIntervention, Name, Reason, Trial


class Intervention(Protocol):
    """A change of evidence."""

    name: ClassVar[Name]

    def apply(self, evidence: Evidence) -> Trial:
        """The trial.

        Raises:
            InvalidIntervention: the evidence does not have what is to be changed.
        """
        ...


@dataclass(frozen=True, slots=True)
class GoldOnly:
    """The selected set without distractors."""

    name: ClassVar[Name] = "gold-only"

    def apply(self, evidence: Evidence) -> Trial:
        return _trial(self.name, evidence, evidence.selected, "not-found")


@dataclass(frozen=True, slots=True)
class SingleHopRemoval:
    """One member is gone; the other members and all else stay."""

    member: str
    name: ClassVar[Name] = "single-hop-removal"

    def apply(self, evidence: Evidence) -> Trial:
        return _removed(self.name, evidence, self.member, "not-found")


@dataclass(frozen=True, slots=True)
class AlternativeRouteCheck:
    """The same removal without distractors: the rest of the set and the sets that survive."""

    member: str
    name: ClassVar[Name] = "alternative-route-check"

    def apply(self, evidence: Evidence) -> Trial:
        rest = _removed(self.name, evidence, self.member, "not-found")
        routes = {*evidence.selected, *(span for known in rest.survivors for span in known)}
        supplied = [span for span in rest.supplied if span in routes]
        return _trial(self.name, evidence, supplied, "not-found", changed=rest.changed)


@dataclass(frozen=True, slots=True)
class ContradictionReplacement:
    """A member is replaced by a premise marked as incompatible with it.

    The dispute is unresolved: strictly abstaining is right whatever survives, leniently a
    surviving set decides.
    """

    member: str
    replacement: str
    conflict: ConflictPolicy = "strict"
    name: ClassVar[Name] = "contradiction-replacement"

    def apply(self, evidence: Evidence) -> Trial:
        spans = self.member, self.replacement
        disputed = self.conflict == "strict"
        return _replaced(self.name, evidence, *spans, "contradiction", disputed=disputed)


@dataclass(frozen=True, slots=True)
class CitationRestriction:
    """Everything is supplied, but only ``citable``, a proper part of it, may be cited."""

    citable: tuple[str, ...]
    name: ClassVar[Name] = "citation-restriction"

    def apply(self, evidence: Evidence) -> Trial:
        if not set(self.citable) < set(evidence.corpus):
            raise InvalidIntervention(self.name, "citable is no proper part of the corpus")
        barred = evidence.without(*self.citable)
        return _trial(
            self.name,
            evidence,
            evidence.corpus,
            "not-citable",
            changed=barred,
            citable=evidence.without(*barred),
        )


@dataclass(frozen=True, slots=True)
class IdentityPerturbation:
    """A member is replaced by one that names a similar entity by another identifier."""

    member: str
    replacement: str
    name: ClassVar[Name] = "identity-perturbation"

    def apply(self, evidence: Evidence) -> Trial:
        return _replaced(self.name, evidence, self.member, self.replacement, "not-found")


@dataclass(frozen=True, slots=True)
class TemporalPerturbation:
    """A member is replaced by a version from outside the claim's applicable interval."""

    member: str
    replacement: str
    name: ClassVar[Name] = "temporal-perturbation"

    def apply(self, evidence: Evidence) -> Trial:
        return _replaced(self.name, evidence, self.member, self.replacement, "ineligible-version")


@dataclass(frozen=True, slots=True)
class PermissionPerturbation:
    """One member exists but is hidden from the reader."""

    member: str
    name: ClassVar[Name] = "permission-perturbation"

    def apply(self, evidence: Evidence) -> Trial:
        return _removed(self.name, evidence, self.member, "blocked")


def needing_no_text(evidence: Evidence) -> tuple[Intervention, ...]:
    """All interventions on the selected set that no replacement has to be written for."""
    each = [
        change(member)
        for member in evidence.selected
        for change in (SingleHopRemoval, AlternativeRouteCheck, PermissionPerturbation)
    ]
    barring = [CitationRestriction(evidence.without(member)) for member in evidence.selected]
    return (GoldOnly(), *each, *barring)


def _trial(
    name: Name,
    evidence: Evidence,
    supplied: Sequence[str],
    reason: Reason,
    *,
    changed: tuple[str, ...] = (),
    added: tuple[str, ...] = (),
    citable: tuple[str, ...] | None = None,
    disputed: bool = False,
) -> Trial:
    """The one rule of what is expected: an answer, if a set survives and is undisputed."""
    usable = tuple(supplied) if citable is None else citable
    survivors = evidence.within(usable)
    return Trial(
        name=name,
        evidence=evidence,
        changed=changed,
        added=added,
        supplied=tuple(supplied),
        citable=usable,
        survivors=survivors,
        reason=None if survivors and not disputed else reason,
    )


def _removed(name: Name, evidence: Evidence, member: str, reason: Reason) -> Trial:
    _require_member(name, evidence, member)
    return _trial(name, evidence, evidence.without(member), reason, changed=(member,))


def _replaced(
    name: Name,
    evidence: Evidence,
    member: str,
    replacement: str,
    reason: Reason,
    *,
    disputed: bool = False,
) -> Trial:
    """The replacement takes the member's place and belongs to no set."""
    _require_member(name, evidence, member)
    if replacement in evidence.corpus:
        raise InvalidIntervention(name, f"the replacement {replacement!r} is in the corpus already")
    return _trial(
        name,
        evidence,
        [replacement if span == member else span for span in evidence.corpus],
        reason,
        changed=(member,),
        added=(replacement,),
        disputed=disputed,
    )


def _require_member(name: Name, evidence: Evidence, member: str) -> None:
    if member not in evidence.selected:
        raise InvalidIntervention(name, f"{member!r} is no member of the selected set")
