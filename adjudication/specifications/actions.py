"""Start, change and freeze the test; add the inference rules that it may permit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import UUIDField, Value
from django.utils import timezone

from adjudication.append_only import one_at_a_time
from adjudication.claims.models import InferenceRule
from adjudication.errors import Refused
from adjudication.journal.actions import record
from adjudication.projects.models import Project
from adjudication.specifications.models import EligibleVersion, Specification
from adjudication.specifications.queries import (
    corpus_digest,
    current,
    draft_of,
    eligible_now,
    what_is_missing,
)
from adjudication.specifications.rules import (
    DEFAULT_TEXTS,
    NAMES,
    REVIEWERS,
    SETTINGS,
    STANDARD_RULES,
    fingerprint,
    settings_of,
)
from certify_core.canonical import canonical_bytes, sha256_hex

if TYPE_CHECKING:
    from adjudication.accounts.models import User


@transaction.atomic
def start_draft(project: Project, *, by: User | None) -> Specification:
    """The draft of the next specification; the one that is there, if one was started.

    It begins as a copy of the last frozen one. The first begins with defaults: cutoff now,
    every reader class and every rule of the project, which gets the standard rules if it
    has none.
    """
    # Two people who start at once get the same draft.
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    if (draft := draft_of(project)) is not None:
        return draft
    last = current(project)
    draft = _copy(last) if last else _first_draft(project, by=by)
    record("started specification", draft, actor=by, project_id=project.pk, number=draft.number)
    return draft


def _first_draft(project: Project, *, by: User | None) -> Specification:
    if not InferenceRule.objects.filter(project=project).exists():
        add_standard_rules(project, by=by)
    draft = Specification.objects.create(
        project=project,
        number=1,
        observation_cutoff=timezone.now(),
        reviewers_per_item=REVIEWERS,
        **DEFAULT_TEXTS,
    )
    draft.reader_classes.set(project.reader_classes.all())
    draft.rules.set(InferenceRule.objects.filter(project=project))
    return draft


def _copy(frozen: Specification) -> Specification:
    values = {name: getattr(frozen, name) for name in SETTINGS}
    draft = Specification.objects.create(project=frozen.project, number=frozen.number + 1, **values)
    draft.reader_classes.set(frozen.reader_classes.all())
    draft.rules.set(frozen.rules.all())
    return draft


@transaction.atomic
def change_draft(
    specification: Specification, values: Mapping[str, Any], *, by: User | None, seen: str = ""
) -> Specification:
    """Set ``values`` (by the keys of ``NAMES``) in a draft.

    ``seen`` is the ``fingerprint`` of the draft that the person looked at.

    Raises:
        Refused: frozen, or changed by somebody else since it was ``seen``.
    """
    draft = _locked_draft(specification.pk, seen)
    before = settings_of(draft)
    for name in SETTINGS.keys() & values.keys():
        setattr(draft, name, values[name])
    # A draft may be saved half-written; `what_is_missing` keeps it from being frozen.
    draft.clean_fields(exclude={"frozen_at", "frozen_by", *DEFAULT_TEXTS})
    draft.save()
    for name in (NAMES.keys() - SETTINGS.keys()) & values.keys():
        getattr(draft, name).set(values[name])
    after = settings_of(draft)
    changed = [NAMES[name] for name in after if after[name] != before[name]]
    if changed:
        record(
            "changed draft specification",
            draft,
            actor=by,
            project_id=draft.project_id,
            number=draft.number,
            changed=changed,
        )
    return draft


def _locked_draft(pk: UUID, seen: str) -> Specification:
    """The draft as it stands now, kept from changing until the transaction ends."""
    rows = Specification.objects.select_for_update(of=("self",)).select_related("project")
    draft = rows.filter(pk=pk).first()
    if draft is None:
        raise Refused("This draft was discarded. Start a new one.")
    if draft.state == Specification.State.FROZEN:
        raise Refused(
            f"Specification {draft.number} is frozen and never changes. Start the next one."
        )
    if seen and seen != fingerprint(draft):
        raise Refused("Somebody changed this draft since you opened it. Look at it again first.")
    return draft


@transaction.atomic
def discard_draft(specification: Specification, *, by: User | None, seen: str = "") -> None:
    """Take the draft back as if it had not been started; the journal keeps what it said.

    ``seen`` is the ``fingerprint`` of the draft that the person looked at.

    Raises:
        Refused: frozen, gone already, or changed since it was ``seen``.
    """
    draft = _locked_draft(specification.pk, seen)
    record(
        "discarded draft specification",
        draft,
        actor=by,
        project_id=draft.project_id,
        number=draft.number,
        settings=settings_of(draft),
    )
    draft.delete()


@transaction.atomic
def freeze(specification: Specification, *, by: User | None, seen: str = "") -> Specification:
    """Fix the draft and its evidence universe for good, and digest both.

    ``seen`` is the ``fingerprint`` of the draft that the person looked at.

    Raises:
        Refused: frozen before, something is missing, or changed since it was ``seen``.
    """
    draft = _locked_draft(specification.pk, seen)
    if missing := what_is_missing(draft):
        raise Refused(" ".join(missing))
    _fix_eligible_versions(draft)
    draft.corpus_sha256 = corpus_digest(draft)
    body = canonical_bytes(_body(draft))
    draft.body, draft.sha256 = body.decode(), sha256_hex(body)
    draft.frozen_by = by
    draft.frozen_at = timezone.now()
    draft.state = Specification.State.FROZEN
    draft.save()
    record(
        "froze specification",
        draft,
        actor=by,
        project_id=draft.project_id,
        number=draft.number,
        sha256=draft.sha256,
    )
    return draft


def _fix_eligible_versions(draft: Specification) -> None:
    """One statement in the database, however many versions there are."""
    chosen = eligible_now(draft).order_by("pk")
    select, parameters = chosen.values_list(
        Value(draft.pk, output_field=UUIDField()), "pk"
    ).query.sql_with_params()
    table = EligibleVersion._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO {table} (specification_id, version_id) {select}", parameters)


def _body(draft: Specification) -> dict[str, Any]:
    return {
        "project": draft.project.slug,
        "number": draft.number,
        **settings_of(draft),
        "corpus_sha256": draft.corpus_sha256,
        "counts": {
            "versions": draft.eligible.count(),
            "sources": draft.eligible.values("version__source").distinct().count(),
            "questions": draft.project.questions.count(),
        },
    }


# --- Inference rules -------------------------------------------------------------------------


@transaction.atomic
def add_rule(
    project: Project, *, key: str, kind: str, statement: str, by: User | None
) -> InferenceRule:
    """A rule of the project, permitted in its draft; the same rule again changes nothing.

    Raises:
        Refused: the key names another rule (a rule is never reworded), or a value that
            does not validate.
    """
    one_at_a_time(project)
    known = InferenceRule.objects.filter(project=project, key=key).first()
    if known is not None:
        if (known.kind, known.statement) != (kind, statement):
            raise Refused(f"{key!r} names another rule, and rules are never reworded.")
        return known
    rule = InferenceRule(project=project, key=key, kind=kind, statement=statement)
    rule.full_clean()
    rule.save()
    if (draft := draft_of(project)) is not None:
        draft.rules.add(rule)
    record("added inference rule", rule, actor=by, project_id=project.pk, key=key)
    return rule


@transaction.atomic
def add_standard_rules(project: Project, *, by: User | None) -> None:
    """The rules that many projects permit; a key that is taken keeps its own rule."""
    taken = set(InferenceRule.objects.filter(project=project).values_list("key", flat=True))
    for rule in STANDARD_RULES:
        if rule.key not in taken:
            add_rule(project, key=rule.key, kind=rule.kind, statement=rule.statement, by=by)
