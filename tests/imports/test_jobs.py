"""Every file comes to exactly one end, whoever dies on the way."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models.functions import Now

from adjudication.append_only import one_at_a_time
from adjudication.claims.models import Question
from adjudication.corpus.models import Source
from adjudication.imports import actions, formats, jobs, tasks, uploads
from adjudication.imports.formats import Format
from adjudication.imports.models import Import, ImportProblem
from adjudication.imports.reports import Count, Report
from adjudication.imports.transitions import IMPORT
from adjudication.journal.models import Entry
from adjudication.projects.actions import deactivate
from adjudication.projects.models import Membership, Project
from adjudication.runs.actions import start_run
from adjudication.runs.rules import Configuration
from adjudication.specifications.actions import start_draft
from certify_core.canonical import sha256_hex
from certify_core.datasets.records import Problem
from tests.claims.samples import json_lines, musique_record
from tests.conftest import Cast, CommittedDatabase, make_cast
from tests.factories import make_project, make_question, make_version
from tests.imports.conftest import checked, imported, sent, worked_on
from tests.runs.specified import freeze

State = Import.State
DATA = json_lines(musique_record())


def lease_runs_out(one: Import) -> None:
    Import.objects.filter(pk=one.pk).update(lease_until=Now() - timedelta(seconds=1))


def ready_to_import(project: Project, cast: Cast, data: bytes = DATA) -> Import:
    one = checked(project, cast, data)
    assert jobs.confirm(one)
    return one


def test_file_is_checked_confirmed_and_imported(project: Project, cast: Cast) -> None:
    """Nothing is stored before the confirmation; the record of it stays, the bytes do not."""
    one = checked(project, cast, DATA)
    assert one.state == State.READY
    assert (one.sha256, one.format, one.format_version) == (sha256_hex(DATA), "musique", "1")
    assert ["passages", 3, 0] in one.counts
    assert not Source.objects.exists()
    assert jobs.confirm(one)
    assert not jobs.confirm(one)
    worked_on(one)
    assert (one.state, one.token, one.error) == (State.DONE, None, "")
    assert (one.bytes_read, one.records) == (len(DATA), 1)
    assert (Source.objects.count(), Question.objects.count()) == (3, 1)
    entry = Entry.objects.get(verb="imported data")
    assert (entry.actor, entry.detail["sha256"]) == (cast.lead, sha256_hex(DATA))
    assert not uploads.is_kept(one)


def test_same_file_again_changes_nothing(project: Project, cast: Cast) -> None:
    """It says so, twice over."""
    imported(project, cast, DATA)
    one = imported(project, cast, DATA)
    assert one.state == State.DONE
    assert [count[1] for count in one.counts] == [0, 0, 0, 0]
    assert Source.objects.count() == 3


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (DATA + b'\n{"id": "x"', "line 2"),
        (b'[{"id": "x"}, {"id": "y"', "record 1"),
        (b"[" * 200_000, "nested"),
        (b'{"id": 1, "id": 2}', "twice"),
        (json_lines(musique_record(answer="a\0b")), "NUL"),
        (b'{"id": "\\ud800"}', "surrogate"),
        (b'{"id": NaN}', "not a number"),
        (b'{"a\\u0000b": NaN}', r"a\x00b: NaN is not a number"),
        (b'{"' + b"k" * 100_000 + b'": NaN}', "kkk…"),
        (b"\xff\xfe", "not UTF-8"),
        (b"  \n ", "is empty"),
    ],
)
def test_bad_file_is_refused_with_its_place(
    project: Project, cast: Cast, data: bytes, said: str
) -> None:
    """Nothing is stored and nothing of the file is kept."""
    one = checked(project, cast, data)
    assert one.state == State.REFUSED
    assert said in one.error
    assert not uploads.is_kept(one)
    assert not Source.objects.exists()


def test_file_changed_between_check_and_import_is_refused(project: Project, cast: Cast) -> None:
    """What is imported is what was looked at."""
    one = ready_to_import(project, cast)
    uploads.path_of(one).write_bytes(DATA.replace(b"1961", b"1962"))
    worked_on(one)
    assert one.state == State.REFUSED
    assert "changed" in one.error
    assert not Source.objects.exists()


def test_problems_are_rows_of_the_check(project: Project, cast: Cast) -> None:
    """In the order of the file, counted by kind; a check that begins again lists them once."""
    steps = musique_record()["question_decomposition"]
    steps[0]["paragraph_support_idx"] = 17
    one = sent(project, cast, json_lines(musique_record(question_decomposition=steps)))
    ImportProblem.objects.create(of=one, code="left by a dead worker", where="", message="")
    worked_on(one)
    assert [row.code for row in one.problems.all()] == ["retrieval-miss", "support-disagrees"]
    assert one.problems_by_code == {"retrieval-miss": 1, "support-disagrees": 1}


def test_more_problems_than_are_listed_are_counted(
    project: Project, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of nothing but problems fills no table."""
    monkeypatch.setattr(tasks, "KEPT_PROBLEMS", 3)
    monkeypatch.setattr(tasks, "BATCH", 2)
    data = json_lines(*({"title": f"T{n}", "text": ""} for n in range(5)))
    one = checked(project, cast, data, "passages")
    assert one.problems.count() == 3
    assert one.problems_by_code == {"empty-passage": 5}


def test_import_is_claimed_once(project: Project, cast: Cast) -> None:
    """A second hint finds it taken, until the lease has run out."""
    one = sent(project, cast, DATA)
    first = jobs.claim(one.pk)
    assert jobs.claim(one.pk) is None
    lease_runs_out(one)
    second = jobs.claim(one.pk)
    assert first.token != second.token
    assert second.deliveries == 2
    assert not jobs.sign_of_life(first, 1, 1)
    assert jobs.sign_of_life(second, 1, 1)
    with pytest.raises(jobs.LostImport):
        jobs.keep_problems(first, [Problem("line 1", "late", "")])


def test_worker_that_lost_its_import_stores_nothing(project: Project, cast: Cast) -> None:
    """It slept past its lease: all it did is rolled back, and the other one's import stands."""
    one = ready_to_import(project, cast)
    late = jobs.claim(one.pk)
    lease_runs_out(one)
    jobs.claim(one.pk)
    with pytest.raises(jobs.LostImport):
        tasks._store(late)
    assert not Source.objects.exists()
    lease_runs_out(one)
    assert worked_on(one).state == State.DONE
    assert Source.objects.count() == 3


def test_import_that_kills_its_workers_is_given_up(project: Project, cast: Cast) -> None:
    """Readable as such, after five of them; a person can try again."""
    one = sent(project, cast, DATA)
    for _ in range(jobs.MAX_DELIVERIES):
        assert jobs.claim(one.pk)
        lease_runs_out(one)
    jobs.sweep()
    one.refresh_from_db()
    assert (one.state, one.error) == (State.FAILED, jobs.DEAD_LETTER)
    assert uploads.is_kept(one)
    assert jobs.try_again(one)
    assert worked_on(one).state == State.READY


def test_error_of_the_program_is_kept_with_its_name(
    project: Project, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not every failure is the file's."""

    def broken(*_: Any) -> Report:
        raise ZeroDivisionError("oh")

    layout = Format("broken", "Broken", "", "1", broken, broken)
    monkeypatch.setattr(formats, "FORMATS", {**formats.FORMATS, "broken": layout})
    one = checked(project, cast, DATA, "broken")
    assert (one.state, one.error) == (State.FAILED, "ZeroDivisionError: oh")


def test_sweeper_hands_out_again_what_a_dead_worker_held(project: Project, cast: Cast) -> None:
    """Only what is past its lease."""
    one, other = sent(project, cast, DATA), sent(project, cast, DATA)
    jobs.claim(one.pk)
    jobs.claim(other.pk)
    lease_runs_out(one)
    jobs.sweep()
    one.refresh_from_db()
    other.refresh_from_db()
    assert one.token is None
    assert other.token is not None
    assert worked_on(one).state == State.READY


def test_files_nobody_goes_on_with_are_forgotten_after_a_day(project: Project, cast: Cast) -> None:
    """Half sent or never confirmed; what was sent today stays."""
    old, new = checked(project, cast, DATA), checked(project, cast, DATA)
    Import.objects.filter(pk=old.pk).update(touched_at=Now() - jobs.KEPT)
    jobs.sweep()
    old.refresh_from_db()
    new.refresh_from_db()
    assert (old.state, new.state) == (State.FAILED, State.READY)
    assert uploads.is_kept(new)
    Import.objects.filter(pk=old.pk).update(touched_at=Now() - jobs.KEPT)
    jobs.sweep()
    assert not uploads.is_kept(old)


def test_one_import_into_a_project_at_a_time(project: Project, cast: Cast) -> None:
    """The second waits, one into another project does not; the database holds to it too."""
    first, second = ready_to_import(project, cast), ready_to_import(project, cast)
    elsewhere = make_project("other")
    third = ready_to_import(elsewhere, cast)
    held = jobs.claim(first.pk)
    assert jobs.claim(second.pk) is None
    assert jobs.claim(third.pk)
    with pytest.raises(IntegrityError), transaction.atomic():
        Import.objects.filter(pk=second.pk).update(token=held.token, lease_until=Now())
    lease_runs_out(first)
    assert worked_on(first).state == State.DONE
    assert worked_on(second).state == State.DONE
    assert Source.objects.filter(project=project).count() == 3


def test_ended_states_are_ends() -> None:
    """What was imported, refused or discarded is never taken up again."""
    assert {state for state, after in IMPORT.items() if not after} == {
        State.DONE,
        State.REFUSED,
        State.DISCARDED,
    }


def test_progress_is_seen_while_the_import_is_not_committed(
    committed: CommittedDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It goes out on a connection of its own; the rows of the import are not there yet."""
    monkeypatch.setattr(tasks, "BEAT", 0.05)
    project = make_project()
    cast = make_cast(project)
    seen, go_on = threading.Event(), threading.Event()

    def check(*_: Any) -> Report:
        return Report("slow", (Count("sources", 1, 0),))

    def store(of: Project, file: Any, options: Any, watch: Any) -> Report:
        Source.objects.create(project=of, origin="slow", key="1", title="Slow")
        watch.progress(7, 3)
        seen.set()
        assert go_on.wait(30)
        return check()

    layout = Format("slow", "Slow", "", "1", check, store)
    monkeypatch.setattr(formats, "FORMATS", {**formats.FORMATS, "slow": layout})
    one = checked(project, cast, DATA, "slow")
    assert jobs.confirm(one)

    def work() -> None:
        tasks.work_on(one.pk)
        connection.close()

    worker = threading.Thread(target=work)
    worker.start()
    assert seen.wait(30)
    while one.bytes_read != 7:
        one.refresh_from_db()
    assert (one.state, one.records) == (State.IMPORTING, 3)
    assert not Source.objects.exists()
    go_on.set()
    worker.join()
    one.refresh_from_db()
    assert one.state == State.DONE
    assert Source.objects.exists()


def test_import_behind_the_command_line_waits(
    committed: CommittedDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody else's transaction imports: this import is put back, not failed."""
    monkeypatch.setattr(actions, "LOCK_WAIT", "100ms")
    project = make_project()
    one = ready_to_import(project, make_cast(project))
    locked, done = threading.Event(), threading.Event()

    def other() -> None:
        with transaction.atomic():
            one_at_a_time(project, actions.IMPORTING)
            locked.set()
            done.wait(30)
        connection.close()

    thread = threading.Thread(target=other)
    thread.start()
    assert locked.wait(30)
    worked_on(one)
    assert (one.state, one.token, one.deliveries) == (State.IMPORTING, None, 0)
    done.set()
    thread.join()
    assert worked_on(one).state == State.DONE


def test_people_go_on_while_an_import_is_stored(
    committed: CommittedDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An import may take minutes: a person is taken out, a draft and a run are begun meanwhile."""
    project = make_project()
    cast = make_cast(project)
    question = make_question(project)
    make_version(project)
    specification = freeze(project)
    one = ready_to_import(project, cast)
    stored, done = threading.Event(), threading.Event()
    layout = formats.FORMATS[one.format]

    def held_up(*arguments: Any) -> Report:
        report = layout.store(*arguments)
        stored.set()
        assert done.wait(60)
        return report

    slow = {**formats.FORMATS, one.format: replace(layout, store=held_up)}
    monkeypatch.setattr(formats, "FORMATS", slow)

    def work() -> None:
        worked_on(one)
        connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        assert stored.wait(60)
        start_draft(project, by=cast.lead)
        start_run(specification, [question], Configuration(), None)
        deactivate(Membership.objects.get(user=cast.rosa), actor=cast.lead)
    finally:
        done.set()
        thread.join()
    one.refresh_from_db()
    assert one.state == State.DONE
