"""Drafts, and what freezing fixes."""

from __future__ import annotations

import hashlib
import json
from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from adjudication.claims.models import InferenceRule
from adjudication.corpus.actions import Capture, capture_version, invalidate
from adjudication.errors import Refused
from adjudication.journal.models import Entry
from adjudication.projects.actions import add_reader_class
from adjudication.projects.models import Project
from adjudication.specifications.actions import (
    add_rule,
    add_standard_rules,
    change_draft,
    discard_draft,
    freeze,
    start_draft,
)
from adjudication.specifications.models import EligibleVersion, Specification
from adjudication.specifications.queries import (
    current,
    diff,
    eligible_now,
    eligible_versions,
    origins_in,
    previous,
    what_is_missing,
    what_to_know,
)
from adjudication.specifications.rules import STANDARD_RULES, fingerprint, settings_of
from certify_core.canonical import canonical_bytes
from tests.conftest import Cast
from tests.factories import OBSERVED, make_project, make_question, make_version
from tests.review.scenes import member


def test_first_draft_has_defaults_that_can_be_frozen(project: Project, cast: Cast) -> None:
    """A lead who changes nothing gets a sound test, the standard rules permitted."""
    make_version(project)
    draft = start_draft(project, by=cast.lead)
    assert (draft.number, draft.reviewers_per_item) == (1, 2)
    assert [one.key for one in draft.reader_classes.all()] == ["public"]
    assert {rule.key for rule in draft.rules.all()} == {rule.key for rule in STANDARD_RULES}
    assert what_is_missing(draft) == []


def test_starting_twice_gives_the_same_draft(project: Project, cast: Cast) -> None:
    """A double click does not make two drafts, nor two journal entries."""
    first = start_draft(project, by=cast.lead)
    assert start_draft(project, by=cast.lead) == first
    assert Entry.objects.filter(verb="started specification").count() == 1


def test_own_rules_keep_the_standard_ones_away(project: Project, cast: Cast) -> None:
    """A project that wrote its rules is not given others."""
    add_rule(project, key="sum", kind="arithmetic", statement="Add.", by=cast.lead)
    draft = start_draft(project, by=cast.lead)
    assert [rule.key for rule in draft.rules.all()] == ["sum"]


@pytest.mark.parametrize("change", ["blank", "no class", "future", "too early"])
def test_freeze_incomplete_draft_is_refused(project: Project, cast: Cast, change: str) -> None:
    """What is missing is said in a sentence, and freezing says the same and writes nothing."""
    make_version(project)
    draft = start_draft(project, by=cast.lead)
    changes: dict[str, dict[str, Any]] = {
        "blank": {"corpus_boundary": " "},
        "no class": {"reader_classes": []},
        "future": {"observation_cutoff": timezone.now() + timedelta(days=1)},
        "too early": {"observation_cutoff": OBSERVED - timedelta(seconds=1)},
    }
    draft = change_draft(draft, changes[change], by=cast.lead)
    missing = what_is_missing(draft)
    assert len(missing) == 1
    with pytest.raises(Refused) as refusal:
        freeze(draft, by=cast.lead)
    assert str(refusal.value) == missing[0]
    assert current(project) is None
    assert not EligibleVersion.objects.exists()


def test_freeze_takes_versions_of_the_cutoff_and_no_others(project: Project, cast: Cast) -> None:
    """Observed at or before the cutoff, not invalidated by then, of this project."""
    inside = make_version(project, "Inside\nobserved at the cutoff itself")
    gone = make_version(project, "Gone\ninvalidated before the cutoff")
    make_version(make_project(), "Elsewhere\nanother project")
    invalidate(gone, reason="wrong scan", by=member(project, cast.lead))
    draft = start_draft(project, by=cast.lead)
    frozen = freeze(draft, by=cast.lead)
    assert list(eligible_versions(frozen)) == [inside]

    draft = start_draft(project, by=cast.lead)
    draft = change_draft(draft, {"observation_cutoff": OBSERVED}, by=cast.lead)
    frozen = freeze(draft, by=cast.lead)
    assert set(eligible_versions(frozen)) == {inside, gone}, "it was invalidated only later"


def test_frozen_digests_cover_body_and_corpus(project: Project, cast: Cast) -> None:
    """Anybody can recompute both digests from what is stored."""
    versions = [make_version(project, f"Title\n{word}") for word in ("one", "two", "three")]
    make_question(project)
    frozen = freeze(start_draft(project, by=cast.lead), by=cast.lead)
    lines = sorted(f"{version.pk} {version.sha256}\n" for version in versions)
    assert frozen.corpus_sha256 == hashlib.sha256("".join(lines).encode()).hexdigest()
    assert frozen.sha256 == hashlib.sha256(frozen.body.encode()).hexdigest()
    body = json.loads(frozen.body)
    assert canonical_bytes(body).decode() == frozen.body
    assert body["counts"] == {"versions": 3, "sources": 3, "questions": 1}
    assert body["corpus_sha256"] == frozen.corpus_sha256
    assert body["reader_classes"] == ["public"]
    assert {rule["key"] for rule in body["rules"]} == {rule.key for rule in STANDARD_RULES}
    assert (frozen.frozen_by, frozen.state) == (cast.lead, "frozen")
    assert Entry.objects.get(verb="froze specification").detail["sha256"] == frozen.sha256


def test_frozen_specification_refuses_every_change(project: Project, cast: Cast) -> None:
    """In the database itself: no update, no further version, class or rule, no removal."""
    make_version(project)
    frozen = freeze(start_draft(project, by=cast.lead), by=cast.lead)
    late = make_version(project, "Late\nimported afterwards")
    tables = "specifications_specification"
    statements = [
        (f"UPDATE {tables} SET population = 'none' WHERE id = %s", [frozen.pk]),
        (f"DELETE FROM {tables} WHERE id = %s", [frozen.pk]),
        (
            "INSERT INTO specifications_eligibleversion (specification_id, version_id)"
            " VALUES (%s, %s)",
            [frozen.pk, late.pk],
        ),
        (
            "DELETE FROM specifications_eligibleversion WHERE specification_id = %s",
            [frozen.pk],
        ),
        (f"DELETE FROM {tables}_rules WHERE specification_id = %s", [frozen.pk]),
        (f"DELETE FROM {tables}_reader_classes WHERE specification_id = %s", [frozen.pk]),
    ]
    for statement, parameters in statements:
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement, parameters)
    with pytest.raises(Refused, match="never changes"):
        change_draft(frozen, {"population": "none"}, by=cast.lead)
    with pytest.raises(Refused, match="never changes"):
        freeze(frozen, by=cast.lead)


def test_next_draft_is_a_copy_and_diff_names_changes(project: Project, cast: Cast) -> None:
    """The next number starts equal; only what is changed appears in the diff."""
    make_version(project)
    first = freeze(start_draft(project, by=cast.lead), by=cast.lead)
    draft = start_draft(project, by=cast.lead)
    assert draft.number == 2
    assert previous(draft) == first
    assert diff(first, draft) == ()
    rules = InferenceRule.objects.filter(project=project).exclude(key="arithmetic")
    draft = change_draft(draft, {"reviewers_per_item": 3, "rules": rules}, by=cast.lead)
    rows = [(row.label, row.before[:2], row.after) for row in diff(first, draft)]
    assert rows == [("Reviewers per item", "2", "3"), ("Inference rule arithmetic", "St", "")]


def test_change_of_a_draft_changed_meanwhile_is_refused(project: Project, cast: Cast) -> None:
    """Two leads at once: the second is told, and nothing of the first is overwritten."""
    draft = start_draft(project, by=cast.lead)
    seen = fingerprint(draft)
    change_draft(draft, {"population": "Questions of 2013."}, by=cast.lead, seen=seen)
    with pytest.raises(Refused, match="Somebody changed this draft"):
        change_draft(draft, {"reviewers_per_item": 5}, by=cast.lead, seen=seen)
    with pytest.raises(Refused, match="Somebody changed this draft"):
        freeze(draft, by=cast.lead, seen=seen)
    draft.refresh_from_db()
    assert (draft.population, draft.reviewers_per_item) == ("Questions of 2013.", 2)


def test_saving_without_change_leaves_no_journal_entry(project: Project, cast: Cast) -> None:
    """A second press of "save" is not an event."""
    draft = start_draft(project, by=cast.lead)
    change_draft(draft, {"reviewers_per_item": 3}, by=cast.lead)
    change_draft(draft, {"reviewers_per_item": 3}, by=cast.lead)
    entry = Entry.objects.get(verb="changed draft specification")
    assert entry.detail["changed"] == ["Reviewers per item"]


def test_rule_is_never_reworded(project: Project, cast: Cast) -> None:
    """The same rule again is no event; another statement under its key is refused."""
    rule = add_rule(project, key="sum", kind="arithmetic", statement="Add.", by=cast.lead)
    assert add_rule(project, key="sum", kind="arithmetic", statement="Add.", by=cast.lead) == rule
    with pytest.raises(Refused, match="never reworded"):
        add_rule(project, key="sum", kind="arithmetic", statement="Subtract.", by=cast.lead)
    assert Entry.objects.filter(verb="added inference rule").count() == 1


def test_new_rules_are_permitted_in_the_draft(project: Project, cast: Cast) -> None:
    """Who adds a rule while drafting means to use it."""
    add_rule(project, key="sum", kind="arithmetic", statement="Add.", by=cast.lead)
    draft = start_draft(project, by=cast.lead)
    add_standard_rules(project, by=cast.lead)
    assert draft.rules.count() == 1 + len(STANDARD_RULES)


def test_notes_warn_of_too_few_reviewers_and_left_out_versions(
    project: Project, cast: Cast
) -> None:
    """Worth a second look, but the lead decides."""
    make_version(project)
    gone = make_version(project, "Gone\nwrong")
    invalidate(gone, reason="wrong scan", by=member(project, cast.lead))
    draft = start_draft(project, by=cast.lead)
    draft = change_draft(draft, {"reviewers_per_item": 3}, by=cast.lead)
    notes = " ".join(what_to_know(draft))
    assert "1 source version stays outside" in notes
    assert "needs 3 reviewers, and the project has 2" in notes
    assert "no question yet" in notes
    assert freeze(draft, by=cast.lead).state == Specification.State.FROZEN


def test_notes_say_which_reader_class_lacks_what(project: Project, cast: Cast) -> None:
    """A class that may open next to nothing would find almost every set blocked."""
    make_version(project)
    add_reader_class(project, key="legal", title="Legal", actor=None)
    make_version(project, "For legal\nonly", reader_classes=["legal"])
    make_version(project, "For both\nof them", reader_classes=["legal", "public"])
    notes = what_to_know(start_draft(project, by=cast.lead))
    assert [note.split(":")[0] for note in notes if "cannot be read" in note] == [
        "1 of the 3 eligible versions cannot be read by Legal",
        "1 of the 3 eligible versions cannot be read by Public",
    ]


# --- Settings that are computed -----------------------------------------------------------------


def test_origins_bound_the_corpus(project: Project, cast: Cast) -> None:
    """Only sources from the chosen origins are taken in; none chosen takes in every one."""
    inside = make_version(project)
    other = capture_version(
        project,
        Capture(origin="other", key="k", title="Other", snapshot=b"Other", observed_at=OBSERVED),
        reader_classes=list(project.reader_classes.all()),
        actor=None,
    )
    draft = start_draft(project, by=cast.lead)
    assert origins_in(project) == {"other": 1, "test": 1}
    assert set(eligible_now(draft)) == {inside, other}
    draft = change_draft(draft, {"origins": ["test"]}, by=cast.lead)
    frozen = freeze(draft, by=cast.lead)
    assert list(eligible_versions(frozen)) == [inside]
    assert json.loads(frozen.body)["origins"] == ["test"]


def test_unknown_origin_is_missing(project: Project, cast: Cast) -> None:
    """A slip of the pen must not leave sources out in silence."""
    make_version(project)
    draft = start_draft(project, by=cast.lead)
    draft = change_draft(draft, {"origins": ["test", "tset"]}, by=cast.lead)
    assert what_is_missing(draft) == ["No source comes from “tset”: import some, or leave it out."]
    draft = change_draft(draft, {"origins": ["tset"]}, by=cast.lead)
    assert "from the chosen origins" in what_is_missing(draft)[0]


def test_computed_settings_are_copied_digested_and_told_apart(project: Project, cast: Cast) -> None:
    """Each is in the canonical JSON, in the next draft and in the difference, in words."""
    make_version(project)
    first = freeze(start_draft(project, by=cast.lead), by=cast.lead)
    settings = {
        "origins": ["test"],
        "source_policy": ["no-open-dispute", "licence-recorded"],
        "shows_proposer": True,
        "shows_machine": True,
    }
    draft = change_draft(start_draft(project, by=cast.lead), settings, by=cast.lead)
    second = freeze(draft, by=cast.lead)
    body = json.loads(second.body)
    assert {key: body[key] for key in settings} == settings | {
        "source_policy": ["licence-recorded", "no-open-dispute"]
    }
    assert [(row.before, row.after) for row in diff(first, second)] == [
        ("every origin", "test"),
        ("demands nothing", "its licence is recorded; no open dispute is noted on it"),
        ("no", "yes"),
        ("no", "yes"),
    ]
    assert fingerprint(start_draft(project, by=cast.lead)) == fingerprint(second)


def test_order_in_which_demands_are_chosen_changes_no_digest(project: Project, cast: Cast) -> None:
    """A list of demands is a set."""
    draft = start_draft(project, by=cast.lead)
    demands = ["licence-recorded", "no-open-dispute"]
    one = fingerprint(change_draft(draft, {"source_policy": demands}, by=None))
    assert one == fingerprint(change_draft(draft, {"source_policy": demands[::-1]}, by=None))


def test_unknown_demand_is_refused(project: Project, cast: Cast) -> None:
    """In Python with words, and in the database."""
    draft = start_draft(project, by=cast.lead)
    with pytest.raises(ValidationError):
        change_draft(draft, {"source_policy": ["peer-reviewed"]}, by=cast.lead)
    with pytest.raises(DatabaseError), transaction.atomic():
        Specification.objects.filter(pk=draft.pk).update(source_policy=["peer-reviewed"])


def test_specification_of_before_keeps_body_and_digest(project: Project, cast: Cast) -> None:
    """One frozen before these settings existed says what it said, and differs in none of them."""
    make_version(project)
    draft = start_draft(project, by=cast.lead)
    body = settings_of(draft)
    for name in ("origins", "source_policy", "shows_proposer", "shows_machine"):
        del body[name]
    text = canonical_bytes(body).decode()
    Specification.objects.filter(pk=draft.pk).update(
        state="frozen",
        body=text,
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        frozen_at=timezone.now(),
    )
    old = current(project)
    assert old
    later = freeze(start_draft(project, by=cast.lead), by=cast.lead)
    assert "origins" in json.loads(later.body)
    old.refresh_from_db()
    assert hashlib.sha256(old.body.encode()).hexdigest() == old.sha256
    assert [row.label for row in diff(old, later)] == ["Eligible versions"], "no row was stored"


def test_discarded_draft_is_gone_and_on_record(project: Project, cast: Cast) -> None:
    """Nothing rests on a draft; the journal keeps what it said, and its number is free."""
    make_version(project)
    draft = start_draft(project, by=cast.lead)
    discard_draft(draft, by=cast.lead, seen=fingerprint(draft))
    assert not Specification.objects.exists()
    entry = Entry.objects.get(verb="discarded draft specification")
    assert (entry.actor, entry.detail["number"]) == (cast.lead, 1)
    assert entry.detail["settings"]["reader_classes"] == ["public"]
    for act in (discard_draft, freeze):
        with pytest.raises(Refused, match="was discarded"):
            act(draft, by=cast.lead)
    assert start_draft(project, by=cast.lead).number == 1


def test_neither_a_frozen_nor_an_unseen_draft_is_discarded(project: Project, cast: Cast) -> None:
    """What is frozen stays, and what somebody else wrote meanwhile is looked at first."""
    make_version(project)
    draft = start_draft(project, by=cast.lead)
    seen = fingerprint(draft)
    change_draft(draft, {"population": "Other questions."}, by=None)
    with pytest.raises(Refused, match="Somebody changed this draft"):
        discard_draft(draft, by=cast.lead, seen=seen)
    frozen = freeze(draft, by=cast.lead)
    with pytest.raises(Refused, match="never changes"):
        discard_draft(frozen, by=cast.lead)
