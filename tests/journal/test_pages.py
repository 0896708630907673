"""The journal's pages: what is shown to whom, and how it is turned over."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from adjudication.journal.actions import expose, record
from adjudication.journal.models import Entry, Exposure
from adjudication.journal.queries import Place, page_before
from adjudication.journal.rules import OPEN_KINDS
from adjudication.projects.models import Project, Role
from tests.conftest import Cast, client_for
from tests.factories import add_member, make_claim, make_evidence_set, make_project, make_version

JOURNAL = "/p/film-study/journal/"
EXPOSURES = JOURNAL + "exposures/"


def verbs(client: Client, query: str = "") -> list[str]:
    return [row["verb"] for row in client.get(JOURNAL + query).context["rows"]]


def test_lead_and_auditor_read_who_did_what(project: Project, cast: Cast) -> None:
    """Time, person, verb, object and particulars, in words."""
    record("froze specification", project, actor=cast.lead, project_id=project.pk, number=1)
    for person in (cast.lead, cast.auditor):
        page = client_for(person).get(JOURNAL)
        assert page.status_code == 200
        assert "froze specification" in page.text
        assert page.context["rows"][0]["detail"] == [("number", "1")]


@pytest.mark.parametrize("address", [JOURNAL, EXPOSURES])
def test_others_do_not_read_the_journal(project: Project, cast: Cast, address: str) -> None:
    """Reviewers above all: it tells who sealed what. A stranger finds no page."""
    for person in (cast.rosa, cast.adjudicator, cast.reader):
        assert client_for(person).get(address).status_code == 403
    assert client_for(cast.stranger).get(address).status_code == 404
    assert client_for(cast.lead).post(address).status_code == 405


def test_another_projects_entries_are_not_shown(project: Project, cast: Cast) -> None:
    """Not in the rows and not among the choices."""
    other = make_project("elsewhere")
    record("planted elsewhere", other, actor=cast.stranger, project_id=other.pk)
    assert "planted elsewhere" in Entry.objects.values_list("verb", flat=True)
    page = client_for(cast.auditor).get(JOURNAL).text
    assert "planted elsewhere" not in page
    assert "Sam" not in page


def test_journal_is_narrowed_by_person_verb_kind_and_object(project: Project, cast: Cast) -> None:
    """Each way alone and all together."""
    version = make_version(project)
    record("marked", version, actor=cast.lead, project_id=project.pk)
    record("marked", project, actor=None, project_id=project.pk)
    browser = client_for(cast.auditor)
    assert verbs(browser, f"?person={cast.lead.pk}") == ["marked"]
    assert len(verbs(browser, "?verb=marked")) == 2
    assert set(verbs(browser, "?kind=sourceversion")) == {"captured version", "marked"}
    assert verbs(browser, "?verb=marked&person=system&kind=project") == ["marked"]
    assert sorted(verbs(browser, f"?object={version.pk}")) == ["captured version", "marked"]
    assert verbs(browser, f"?object={uuid4()}") == []


@pytest.mark.parametrize(
    "query",
    [
        "?person=rosa",
        "?verb=invented",
        "?kind=password",
        "?object=17",
        "?before=yesterday",
        "?before=2026-01-05T12:00:00_00000000-0000-0000-0000-000000000000",
        "?actor__password__startswith=p",
        "?verb=%00",
    ],
)
def test_senseless_narrowing_is_refused_by_name(project: Project, cast: Cast, query: str) -> None:
    """400 with the reason and no rows; never a fault, never everything."""
    answer = client_for(cast.auditor).get(JOURNAL + query)
    assert answer.status_code == 400
    assert answer.context["rows"] == []


def test_pages_show_every_entry_once_in_order(project: Project, cast: Cast) -> None:
    """Also where many share one moment, as those written by one statement do."""
    Entry.objects.bulk_create(
        Entry(verb="marked", object_kind="project", object_id=project.pk) for _ in range(7)
    )
    entries = Entry.objects.filter(verb="marked")
    assert len(set(entries.values_list("at", flat=True))) == 1, "the hard case"
    seen, place = [], None
    while True:
        page = page_before(entries, place, size=3)
        seen += [entry.pk for entry in page.rows]
        if page.older is None:
            break
        place = Place.parse(str(page.older))
    assert sorted(seen) == sorted(entries.values_list("pk", flat=True))
    assert len(seen) == 7


def test_older_link_keeps_the_narrowing(project: Project, cast: Cast) -> None:
    """Following it reaches exactly the rest."""
    for number in range(60):
        record("marked", project, actor=None, project_id=project.pk, number=number)
    browser = client_for(cast.auditor)
    first = browser.get(JOURNAL + "?verb=marked")
    rest = browser.get(f"{JOURNAL}?{first.context['older']}")
    assert (len(first.context["rows"]), len(rest.context["rows"])) == (50, 10)
    assert rest.context["older"] == ""


def test_lead_who_reviews_learns_nothing_from_the_journal(project: Project, cast: Cast) -> None:
    """What a machine or another person did stays out: rows, choices and exposures.

    The same entries are shown to the auditor, so there is something to leak.
    """
    evidence_set = make_evidence_set(make_claim(project))
    record("sealed judgement", evidence_set, actor=cast.rosa, project_id=project.pk)
    record("own act", evidence_set, actor=cast.lead, project_id=project.pk)
    side = Exposure.Side.JUDGEMENT
    expose(cast.rosa, [evidence_set], side, project_id=project.pk, place="planted place")
    full = client_for(cast.auditor)
    assert "sealed judgement" in full.get(JOURNAL).text
    assert "planted place" in full.get(EXPOSURES).text

    add_member(project, cast.lead, Role.LEAD, Role.REVIEWER)
    blind = client_for(cast.lead)
    page = blind.get(JOURNAL).text
    for secret in ("sealed judgement", "proposed evidence set", "opened claim", "Rosa"):
        assert secret not in page
    assert "own act" in page
    assert "set membership" in page
    assert "planted place" not in blind.get(EXPOSURES).text
    assert verbs(blind, f"?object={evidence_set.pk}") == ["own act"]
    assert blind.get(JOURNAL + "?verb=sealed+judgement").status_code == 400


def test_kinds_of_the_review_are_not_open() -> None:
    """A list of what is open: no kind that holds or depends on an answer is in it."""
    closed = {
        "item",
        "assignment",
        "judgement",
        "verdict",
        "evidenceset",
        "claim",
        "attempt",
        "outcome",
    }
    assert not OPEN_KINDS & closed


def test_exposures_are_listed(project: Project, cast: Cast) -> None:
    """Who saw which side of what, and where."""
    side = Exposure.Side.MACHINE_VERDICT
    expose(cast.rosa, [project], side, project_id=project.pk, place="claim page")
    page = client_for(cast.lead).get(EXPOSURES)
    row = page.context["rows"][0]
    assert (row["who"], row["side"], row["place"]) == (cast.rosa, side.label, "claim page")
    assert client_for(cast.lead).get(EXPOSURES + "?before=never").status_code == 404


def test_pages_need_the_same_queries_at_any_length(project: Project, cast: Cast) -> None:
    """No query per row."""
    browser, counts = client_for(cast.auditor), []
    for _ in range(3):
        record("marked", project, actor=cast.lead, project_id=project.pk)
        with CaptureQueriesContext(connection) as queries:
            browser.get(JOURNAL)
        counts.append(len(queries))
    assert counts[0] == counts[2]
