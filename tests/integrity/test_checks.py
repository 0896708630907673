"""One byte changed behind every guard: the check names exactly that record."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction

from adjudication.claims.models import Claim, EvidenceMember, RequirementGraph
from adjudication.corpus.models import SourceVersion, Span
from adjudication.errors import Refused
from adjudication.integrity import checks
from adjudication.integrity.actions import ask_for_check, carry_out, check_now, sweep
from adjudication.integrity.models import Check, Fault
from adjudication.integrity.views import EARLIER
from adjudication.journal.models import Entry
from adjudication.projects.actions import add_reader_class
from adjudication.projects.models import Project
from adjudication.releases.actions import release
from adjudication.releases.exports import export_lines
from adjudication.releases.models import FrozenItem
from adjudication.runs.models import Run
from adjudication.specifications.models import EligibleVersion, Specification
from tests.conftest import Cast, CommittedDatabase, client_for, make_cast
from tests.factories import make_claim, make_evidence_set, make_project, make_version, span_of
from tests.integrity.scenes import changed, fill
from tests.releases.decided import decided_set, member, specified


def command(*arguments: str) -> tuple[str, bool]:
    """What the command printed, and whether it ended well."""
    out = StringIO()
    try:
        call_command("check_integrity", *arguments, stdout=out)
    except CommandError:
        return out.getvalue(), False
    return out.getvalue(), True


def faults(project: Project) -> list[dict[str, Any]]:
    printed, _ = command(project.slug, "--json")
    found: list[dict[str, Any]] = json.loads(printed)[0]["faults"]
    return found


def test_every_kind_of_damage_is_named_exactly(committed: CommittedDatabase) -> None:
    """A superuser changes one value; the command names its row, its part and nothing else."""
    project = make_project()
    route, version = fill(project, make_cast(project))
    span = route.members.first().span
    source, item = span.version, FrozenItem.objects.first()
    graph, run = RequirementGraph.objects.get(), Run.objects.get()
    specification = specified(project)
    flipped = "set_byte(snapshot, 3, get_byte(snapshot, 3) # 1)"
    cases = [
        ("corpus_sourceversion", "snapshot", flipped, source, "source version", "bytes"),
        ("corpus_sourceversion", "text", "text || ' '", source, "source version", "text"),
        ("corpus_sourceversion", "sha256", "repeat('0', 64)", source, "source version", "digest"),
        ("corpus_span", "exact", "replace(exact, 'R17', 'R18')", span, "span", "words"),
        ("corpus_span", "sha256", "repeat('0', 64)", span, "span", "digest"),
        ("corpus_span", "byte_start", "byte_start + 1", span, "span", "place in the bytes"),
        ("corpus_span", "prefix", "'x'", span, "span", "prefix"),
        ("claims_requirementgraph", "body", "'{}'", graph, "requirement graph", "body"),
        ("claims_evidenceset", "sha256", "repeat('0', 64)", route, "evidence set", "route"),
        ("specifications_specification", "body", "body || ' '", specification, None, "body"),
        ("specifications_specification", "population", "'all'", specification, None, "population"),
        (
            "specifications_specification",
            "corpus_sha256",
            "repeat('0', 64)",
            specification,
            None,
            "corpus",
        ),
        ("runs_run", "configuration", "'{}'", run, "run", "configuration"),
        ("releases_frozenitem", "body", "replace(body, 'R17', 'R18')", item, None, "body"),
        ("releases_frozenitem", "body", "body || ' '", item, "released item", "body"),
        ("releases_annotationversion", "body", "'x'", version, None, "head and items"),
    ]
    assert command(project.slug)[1], "nothing is damaged to begin with"
    for table, column, value, row, kind, part in cases:
        with changed(committed, table, column, value, row.pk):
            found = faults(project)
        expected = [(str(row.pk), part)]
        if part == "digest" and row == source:  # which the digest of the corpus covers
            expected.append((str(specification.pk), "corpus"))
        assert [(one["object_id"], one["part"]) for one in found] == expected, table
        assert kind is None or found[0]["kind"] == kind
        assert found[0]["stored"] != found[0]["found"]
    assert command(project.slug)[1], "and nothing at the end"


def test_command_names_a_moved_span_and_fails(committed: CommittedDatabase) -> None:
    """One line per fault, with both digests, and an exit code for whoever runs it at night."""
    project = make_project()
    version = make_version(project)
    span = span_of(version, "R17")
    with changed(committed, "corpus_span", "start", 'start - 1, "end" = "end" - 1', span.pk):
        printed, well = command()
    assert not well
    assert f"span {span.pk}" in printed
    assert span.sha256 in printed


def test_version_that_left_the_universe_is_noticed(committed: CommittedDatabase) -> None:
    """The corpus digest covers which versions count, not only their bytes."""
    project = make_project()
    fill(project, make_cast(project))
    eligible = EligibleVersion.objects.first()
    other = make_version(make_project("other"))
    table = "specifications_eligibleversion"
    with changed(committed, table, "version_id", f"'{other.pk}'", eligible.pk):
        found = faults(project)
    assert [(one["kind"], one["part"]) for one in found] == [("specification", "corpus")]


# --- What is damaged is not used -----------------------------------------------------------------


def test_damaged_words_are_neither_released_nor_exported(committed: CommittedDatabase) -> None:
    """A release and an export check before they write a line."""
    project = make_project()
    cast = make_cast(project)
    _, version = fill(project, cast)
    decided_set(project, [cast.rosa, cast.rui], "Another fact.")
    span = Span.objects.get(exact="Another fact.")
    with (
        changed(committed, "corpus_sourceversion", "text", "text || ' '", span.version_id),
        pytest.raises(Refused, match="damaged"),
    ):
        release(
            specified(project),
            requested_by=member(project, cast.lead),
            approved_by=member(project, cast.adjudicator),
        )
    item = FrozenItem.objects.first()
    with (
        changed(committed, "releases_frozenitem", "body", "replace(body, 'R17', 'R18')", item.pk),
        pytest.raises(Refused, match="damaged"),
    ):
        list(export_lines(version, "public"))


def test_pages_of_a_damaged_version_say_so(committed: CommittedDatabase) -> None:
    """Source and version page, a hit of a search, and the integrity page after a check."""
    project = make_project("film-study")
    cast = make_cast(project)
    version = make_version(project)
    lead = client_for(cast.lead)
    with changed(committed, "corpus_sourceversion", "text", "text || ' '", version.pk):
        for address in (f"sources/{version.source_id}", f"versions/{version.pk}"):
            page = lead.get(f"/p/film-study/corpus/{address}/").content.decode()
            assert "badge-damaged" in page
        page = lead.get("/p/film-study/corpus/search/?q=R17").content.decode()
        assert "badge-damaged" in page
        assert "<mark>" not in page
        check_now(project, by=cast.lead)
        page = lead.get("/p/film-study/corpus/integrity/").content.decode()
    assert "badge-damaged" in page
    assert f"/corpus/versions/{version.pk}/" in page


def test_damaged_text_is_neither_compared_nor_cut(committed: CommittedDatabase) -> None:
    """What changed by itself is not shown as what a later version changed, nor built upon."""
    project = make_project("film-study")
    cast = make_cast(project)
    first = make_version(project, "Cedar\nR17.", key="cedar")
    make_version(project, "Cedar\nR17 and R19.", key="cedar")
    lead = client_for(cast.lead)
    with changed(
        committed, "corpus_sourceversion", "text", "replace(text, 'R17', 'R18')", first.pk
    ):
        page = lead.get(f"/p/film-study/corpus/sources/{first.source_id}/diff/").content.decode()
        assert "badge-damaged" in page
        assert "R18" not in page
        first.refresh_from_db()
        with pytest.raises(Refused, match="damaged"):
            span_of(first, "R18")
    page = lead.get(f"/p/film-study/corpus/sources/{first.source_id}/diff/").content.decode()
    assert "R19" in page


def test_damaged_words_of_a_span_are_not_shown(committed: CommittedDatabase) -> None:
    """Wherever a span is shown, by a page or to a program, it says the words that were cut."""
    project = make_project("film-study")
    cast = make_cast(project)
    route = make_evidence_set(make_claim(project), "Cedar is mapped to record R17.")
    span = route.members.get().span
    pages = (
        f"/p/film-study/claims/{route.claim_id}/",
        f"/p/film-study/claims/{route.claim_id}/routes/",
        f"/p/film-study/claims/{route.claim_id}/contradictions/",
        f"/p/film-study/corpus/versions/{span.version_id}/",
        f"/p/film-study/corpus/versions/{span.version_id}/clearance/?span={span.pk}",
        f"/api/v1/projects/film-study/spans/{span.pk}",
        f"/api/v1/projects/film-study/versions/{span.version_id}/spans",
        f"/api/v1/projects/film-study/claims/{route.claim_id}/evidence-sets",
    )
    lead = client_for(cast.lead)
    assert all("R17" in lead.get(page).content.decode() for page in pages)
    with changed(committed, "corpus_span", "exact", "replace(exact, 'R17', 'R18')", span.pk):
        for page in pages:
            answer = lead.get(page)
            assert answer.status_code == 200
            assert "R18" not in answer.content.decode(), page


def test_damaged_member_is_shown_on_no_page(committed: CommittedDatabase) -> None:
    """An excerpt of a text that changed is not shown, though its own words did not: neither on
    the claim's page nor where they are found again. The API says so of the member."""
    project = make_project("film-study")
    cast = make_cast(project)
    first, second = (one.span for one in make_evidence_set(make_claim(project)).members.all())
    claim = Claim.objects.get()
    reader = client_for(cast.lead)
    there = f"/p/film-study/claims/{claim.pk}/"
    assert "badge-damaged" not in reader.get(there).text
    with changed(committed, "corpus_sourceversion", "text", "text || ' '", first.version_id):
        page = reader.get(there).text
        again = reader.get(f"/p/film-study/corpus/spans/{first.pk}/again/").text
        members = reader.get(f"/api/v1/projects/film-study/claims/{claim.pk}/evidence-sets").json()
    assert page.count("badge-damaged") == 1
    assert second.exact in page
    assert first.exact not in page + again
    assert "badge-damaged" in again
    stated = {one["span"]["id"]: one["span"]["integrity"] for one in members["items"][0]["members"]}
    assert stated == {str(first.pk): "damaged", str(second.pk): "intact"}


# --- How it is kept ------------------------------------------------------------------------------


def test_check_is_asked_for_once_and_carried_out_once(project: Project, cast: Cast) -> None:
    """A double click and a message that comes twice make one check."""
    make_version(project)
    first, second = ask_for_check(project, by=cast.lead), ask_for_check(project, by=cast.lead)
    assert first == second
    carry_out(first.pk)
    carry_out(first.pk)
    first.refresh_from_db()
    assert (first.state, first.checked, first.faults) == ("ended", 1, 0)
    assert first.counted["source versions"] == 1
    assert Entry.objects.filter(verb="checked integrity").count() == 1


def test_ended_check_is_a_record(project: Project) -> None:
    """Nobody makes a finding better afterwards, nor adds one."""
    make_version(project)
    check = check_now(project, by=None)
    with pytest.raises(IntegrityError, match="is a record"), transaction.atomic():
        Check.objects.filter(pk=check.pk).update(faults=0)
    with pytest.raises(IntegrityError, match="has ended"), transaction.atomic():
        Fault.objects.create(
            check_run=check,
            ordinal=1,
            kind="span",
            object_id=check.pk,
            place="",
            part="",
            stored="",
            found="",
        )


def test_check_of_a_dead_worker_ends_and_can_be_asked_for_again(project: Project) -> None:
    """It says that it was interrupted instead of running for ever."""
    make_version(project)
    check = ask_for_check(project, by=None)
    Check.objects.filter(pk=check.pk).update(state="running", alive_at="2026-01-01T00:00Z")
    sweep()
    check.refresh_from_db()
    assert check.state == Check.State.INTERRUPTED
    assert ask_for_check(project, by=None) != check


def test_error_ends_a_check_as_interrupted(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was hashed until then is said, and no clean bill is given."""
    make_version(project)
    monkeypatch.setattr(checks, "damage_of", lambda version: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        check_now(project, by=None)
    assert Check.objects.get().state == Check.State.INTERRUPTED


def test_batches_hold_few_bytes(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory stays flat: a large document is read alone, and every version is read."""
    monkeypatch.setattr(checks, "BYTES", 100)
    for size in (10, 90, 500, 20, 30, 40):
        make_version(project, "x" * size)
    sizes = [
        [len(SourceVersion.objects.get(pk=pk).text) for pk in ids]
        for ids in checks._batches(SourceVersion.objects.all())
    ]
    assert sorted(size for batch in sizes for size in batch) == [10, 20, 30, 40, 90, 500]
    assert all(len(batch) == 1 or sum(batch) <= 100 for batch in sizes)


# --- Who sees it ---------------------------------------------------------------------------------


def test_only_leads_and_auditors_see_checks(project: Project, cast: Cast) -> None:
    """A reviewer has no business with it; a stranger learns nothing."""
    address = f"/p/{project.slug}/corpus/integrity/"
    assert client_for(cast.auditor).get(address).status_code == 200
    assert client_for(cast.rosa).get(address).status_code == 403
    assert client_for(cast.stranger).get(address).status_code == 404
    assert client_for(cast.rosa).post(f"{address}check/").status_code == 403
    assert not Check.objects.exists()


def test_old_check_is_still_shown(project: Project, cast: Cast) -> None:
    """A result is kept for good: also when it is no longer among the latest, listed ones."""
    old = check_now(project, by=None)
    for _ in range(EARLIER):
        check_now(project, by=None)
    lead, address = client_for(cast.lead), f"/p/{project.slug}/corpus/integrity/"
    assert f"?check={old.pk}" not in lead.get(address).content.decode()
    assert lead.get(f"{address}?check={old.pk}").context["check"] == old
    elsewhere = check_now(make_project("other"), by=None)
    for unknown in (elsewhere.pk, "nonsense"):
        assert lead.get(f"{address}?check={unknown}").status_code == 404


def test_digests_of_closed_texts_are_withheld(committed: CommittedDatabase) -> None:
    """A short text could be guessed from its digest."""
    project = make_project("film-study")
    cast = make_cast(project)
    add_reader_class(project, key="legal", title="Legal", actor=None)
    version = make_version(project, "Secret\n42", reader_classes=["legal"])
    with changed(committed, "corpus_sourceversion", "text", "text || ' '", version.pk):
        check = check_now(project, by=cast.lead)
    page = client_for(cast.lead).get("/p/film-study/corpus/integrity/").content.decode()
    assert str(version.pk) in page
    assert "Secret" not in page
    fault = check.found.get()
    assert fault.stored not in page
    assert fault.found not in page


def test_members_of_sets_are_part_of_their_digest(committed: CommittedDatabase) -> None:
    """A member exchanged for another span changes the route."""
    project = make_project()
    route, _ = fill(project, make_cast(project))
    other = span_of(make_version(project), "R17")
    one = EvidenceMember.objects.filter(evidence_set=route).first()
    with changed(committed, "claims_evidencemember", "span_id", f"'{other.pk}'", one.pk):
        found = faults(project)
    assert [(one["kind"], one["object_id"]) for one in found] == [("evidence set", str(route.pk))]


def test_specification_is_compared_with_its_settings(project: Project) -> None:
    """Every setting that the frozen body holds is compared with the row beside it."""
    make_version(project)
    assert Specification.objects.count() == 0
    specified(project)
    check = check_now(project, by=None)
    assert check.counted["specifications"] == 1
    assert not check.faults
