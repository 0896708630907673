"""What a specification says by default, what it says in words, and what its digest covers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from adjudication.claims.models import InferenceRule
from adjudication.specifications.models import Demand, Specification
from certify_core.canonical import digest

DEFAULT_TEXTS: Final = {
    "corpus_boundary": (
        "Every source version of this project that was observed at or before the cutoff "
        "and was not invalidated by then. Nothing outside counts as evidence."
    ),
    "population": "Every question of this project.",
    "answerability_policy": (
        "A question is answerable if some claim of it has an accepted evidence set. "
        "Otherwise the right outcome is to abstain and to name what is missing."
    ),
    "consequential_policy": (
        "Every claim is consequential: it is released only with a verdict on its evidence "
        "sets, and a second person approves the release."
    ),
}
REVIEWERS: Final = 2

SETTINGS: Final = {
    "corpus_boundary": "Corpus boundary",
    "origins": "Sources from",
    "observation_cutoff": "Observation cutoff",
    "population": "Question population",
    "answerability_policy": "Answerability policy",
    "granularity": "Citation granularity",
    "reviewers_per_item": "Reviewers per item",
    "consequential_policy": "Consequential claims and release",
    "source_policy": "Source policy",
    "shows_proposer": "Before their seal, reviewers see who proposed a set",
    "shows_machine": "Before their seal, reviewers see links and derivation of a run",
}
"""The fields that a specification fixes, with their names for people."""

NAMES: Final = SETTINGS | {
    "reader_classes": "Reader classes",
    "rules": "Permitted inference rules",
}
"""Everything that people decide in a specification, with its name for people."""


@dataclass(frozen=True, slots=True)
class StandardRule:
    """An inference rule that many projects permit, offered ready to add."""

    key: str
    kind: InferenceRule.Kind
    statement: str

    def get_kind_display(self) -> str:
        """Named as that of a stored rule, since one list shows both."""
        return str(self.kind.label)


STANDARD_RULES: Final = (
    StandardRule(
        "join-shared-entity",
        InferenceRule.Kind.JOIN,
        "Two facts about the same entity may be joined: if one says that X is related to Y and "
        "the other that Y is related to Z, then X leads to Z through Y.",
    ),
    StandardRule(
        "compare-dates",
        InferenceRule.Kind.COMPARISON,
        "Two stated dates may be compared: which is earlier, which is later, or that both are "
        "the same at the precision in which both are stated.",
    ),
    StandardRule(
        "arithmetic",
        InferenceRule.Kind.ARITHMETIC,
        "Stated numbers of the same unit may be added, subtracted, counted and compared.",
    ),
    StandardRule(
        "same-entity",
        InferenceRule.Kind.IDENTITY,
        "Two names denote the same entity where a member of the set states it, or where they "
        "differ only in case, marks or punctuation.",
    ),
    StandardRule(
        "contained-in-time",
        InferenceRule.Kind.TEMPORAL,
        "What is stated to hold for a whole period holds at every time inside that period.",
    ),
)


@dataclass(frozen=True, slots=True)
class DiffRow:
    """One thing in which two specifications differ; an empty side has no such thing."""

    label: str
    before: str
    after: str


def settings_of(specification: Specification) -> dict[str, Any]:
    """What people decide in a specification, as JSON: its fields, reader classes and rules."""
    rules = specification.rules.order_by("key")
    classes = specification.reader_classes.order_by("key")
    return {
        **{name: as_json(getattr(specification, name)) for name in SETTINGS},
        "reader_classes": [one.key for one in classes],
        "rules": [
            {"key": rule.key, "kind": rule.kind, "statement": rule.statement} for rule in rules
        ],
    }


def as_json(value: Any) -> Any:
    """Times as ISO 8601 in UTC, lists in order; everything else is JSON as it is."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    return sorted(value) if isinstance(value, list) else value


def fingerprint(specification: Specification) -> str:
    """Digest of the settings: two people who see the same one look at the same draft."""
    return digest(settings_of(specification))


def in_words(specification: Specification) -> dict[str, str]:
    """The settings by their names for people, each rule and reader class by itself."""
    words = {label: setting_in_words(specification, name) for name, label in SETTINGS.items()}
    for reader_class in specification.reader_classes.order_by("key"):
        words[f"Reader class {reader_class.key}"] = reader_class.title
    for rule in specification.rules.order_by("key"):
        words[f"Inference rule {rule.key}"] = rule.statement
    return words


def setting_in_words(specification: Specification, name: str) -> str:
    value = getattr(specification, name)
    if name == "granularity":
        return Specification.Granularity(value).label
    if name == "origins":
        return ", ".join(sorted(value)) or "every origin"
    if name == "source_policy":
        return "; ".join(Demand(one).label for one in sorted(value)) or "demands nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return f"{value.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
    return str(value)


def differences(before: dict[str, str], after: dict[str, str]) -> Iterator[DiffRow]:
    """The labels under which ``before`` and ``after`` do not say the same, in their order."""
    for label in before | after:
        if before.get(label, "") != after.get(label, ""):
            yield DiffRow(label, before.get(label, ""), after.get(label, ""))


def blank_settings(specification: Specification) -> Iterable[str]:
    """The names for people of the texts that nobody has written."""
    return [SETTINGS[name] for name in DEFAULT_TEXTS if not getattr(specification, name).strip()]
