"""The pages of the frozen tests and of the draft."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from adjudication.claims.models import InferenceRule
from adjudication.projects.models import Project
from adjudication.specifications.actions import change_draft, freeze, start_draft
from adjudication.specifications.models import Specification
from adjudication.specifications.queries import current, draft_of
from adjudication.specifications.rules import STANDARD_RULES, fingerprint
from tests.conftest import Cast, client_for
from tests.factories import make_version

LIST = "/p/film-study/specification/"
DRAFT = LIST + "draft/"
FREEZE = LIST + "freeze/"
RULES = LIST + "rules/"
LEAD_ONLY = [("get", DRAFT), ("post", DRAFT), ("get", FREEZE), ("post", FREEZE)]
LEAD_ONLY += [
    ("post", LIST + "discard/"),
    ("post", LIST + "start/"),
    ("post", RULES),
    ("post", RULES + "standard/"),
]


def typed(draft: Specification, **changes: Any) -> dict[str, Any]:
    """What the browser sends when a lead opens the draft and presses save."""
    return {
        "corpus_boundary": draft.corpus_boundary,
        "observation_cutoff": f"{draft.observation_cutoff:%Y-%m-%dT%H:%M:%S}",
        "population": draft.population,
        "answerability_policy": draft.answerability_policy,
        "granularity": draft.granularity,
        "reviewers_per_item": draft.reviewers_per_item,
        "consequential_policy": draft.consequential_policy,
        "reader_classes": [str(one.pk) for one in draft.reader_classes.all()],
        "origins": draft.origins,
        "source_policy": draft.source_policy,
        "rules": [str(rule.pk) for rule in draft.rules.all()],
        "seen": fingerprint(draft),
    } | changes


def test_lead_goes_from_nothing_to_a_frozen_specification(project: Project, cast: Cast) -> None:
    """The whole way through the pages: start, save, look it over, freeze, read."""
    make_version(project)
    browser = client_for(cast.lead)
    assert "Start the first specification" in browser.get(LIST).text
    assert browser.post(LIST + "start/").headers["Location"] == DRAFT
    draft = draft_of(project)
    assert draft is not None
    answer = browser.post(DRAFT, typed(draft, reviewers_per_item=3, then="freeze"))
    assert answer.headers["Location"] == FREEZE
    page = browser.get(FREEZE)
    assert "cannot be changed later" in page.text
    answer = browser.post(FREEZE, {"seen": page.context["seen"]})
    assert answer.headers["Location"] == LIST + "1/"
    frozen = current(project)
    assert frozen is not None
    assert frozen.reviewers_per_item == 3
    assert frozen.sha256 in browser.get(LIST + "1/").text


def test_saving_untouched_draft_changes_nothing(project: Project, cast: Cast) -> None:
    """The cutoff is shown in seconds and must keep what lies below them."""
    draft = start_draft(project, by=cast.lead)
    draft = change_draft(
        draft, {"observation_cutoff": draft.observation_cutoff.replace(microsecond=7)}, by=None
    )
    client_for(cast.lead).post(DRAFT, typed(draft))
    stored = draft_of(project)
    assert stored is not None
    assert fingerprint(stored) == fingerprint(draft)


@pytest.mark.parametrize("address", [LIST, RULES, LIST + "1/"])
def test_every_member_reads_the_frozen_test(project: Project, cast: Cast, address: str) -> None:
    """Reviewers and readers see under which rules sets are judged."""
    make_version(project)
    freeze(start_draft(project, by=cast.lead), by=cast.lead)
    for person in (cast.lead, cast.rosa, cast.reader, cast.auditor):
        assert client_for(person).get(address).status_code == 200
    assert client_for(cast.stranger).get(address).status_code == 404


@pytest.mark.parametrize(("method", "address"), LEAD_ONLY)
def test_only_leads_draft_and_freeze(
    project: Project, cast: Cast, method: str, address: str
) -> None:
    """Wrong role: refused and nothing changed. Stranger: no such page."""
    make_version(project)
    draft = start_draft(project, by=cast.lead)
    for person in (cast.rosa, cast.auditor, cast.reader):
        answer = getattr(client_for(person), method)(address, {"seen": fingerprint(draft)})
        assert answer.status_code == 403
    assert getattr(client_for(cast.stranger), method)(address).status_code == 404
    assert current(project) is None


@pytest.mark.parametrize("number", ["2", "0", "99999999999"])
def test_unknown_or_unfrozen_number_is_no_page(project: Project, cast: Cast, number: str) -> None:
    """A draft has no public page, and a number beyond the column's range is no fault."""
    make_version(project)
    freeze(start_draft(project, by=cast.lead), by=cast.lead)
    start_draft(project, by=cast.lead)
    assert client_for(cast.lead).get(f"{LIST}{number}/").status_code == 404


def test_wrong_methods_are_refused(project: Project, cast: Cast) -> None:
    """What writes is posted; what reads is not."""
    browser = client_for(cast.lead)
    assert browser.get(LIST + "start/").status_code == 405
    assert browser.get(RULES + "standard/").status_code == 405
    assert browser.post(LIST).status_code == 405
    assert browser.put(DRAFT).status_code == 405


def test_double_freeze_leads_to_the_list(project: Project, cast: Cast) -> None:
    """The second press of the button finds nothing to freeze and makes no second number."""
    make_version(project)
    draft = start_draft(project, by=cast.lead)
    browser = client_for(cast.lead)
    browser.post(FREEZE, {"seen": fingerprint(draft)})
    assert browser.post(FREEZE, {"seen": fingerprint(draft)}).headers["Location"] == LIST
    assert Specification.objects.count() == 1


def test_freeze_of_a_draft_changed_meanwhile_shows_why(project: Project, cast: Cast) -> None:
    """What is frozen is what the lead looked at."""
    make_version(project)
    draft = start_draft(project, by=cast.lead)
    seen = fingerprint(draft)
    change_draft(draft, {"population": "Other questions."}, by=None)
    answer = client_for(cast.lead).post(FREEZE, {"seen": seen})
    assert answer.status_code == 422
    assert "Somebody changed this draft" in answer.text
    assert client_for(cast.lead).post(FREEZE).status_code == 422, "nothing was looked at"
    assert current(project) is None


def test_wrong_values_are_named_at_the_field_and_kept(project: Project, cast: Cast) -> None:
    """Nothing is saved; what was typed is still there."""
    draft = start_draft(project, by=cast.lead)
    wrong = typed(draft, reviewers_per_item=12, population="Kept words.")
    answer = client_for(cast.lead).post(DRAFT, wrong)
    assert answer.status_code == 422
    assert "reviewers_per_item" in answer.context["form"].errors
    assert "Kept words." in answer.text
    stored = draft_of(project)
    assert stored is not None
    assert stored.population == draft.population


def test_draft_may_be_saved_incomplete_and_says_what_is_missing(
    project: Project, cast: Cast
) -> None:
    """Half-written is fine until it is frozen; the page offers no button then."""
    draft = start_draft(project, by=cast.lead)
    browser = client_for(cast.lead)
    browser.post(DRAFT, typed(draft, population=""))
    page = browser.get(DRAFT).text
    assert "“Question population” is empty" in page
    assert "No source version was observed by the cutoff" in page
    assert "Freeze for good" not in browser.get(FREEZE).text


def test_rule_added_by_a_lead_is_listed(project: Project, cast: Cast) -> None:
    """A duplicate key with other words is refused at its field."""
    browser = client_for(cast.lead)
    rule = {"key": "sum", "kind": "arithmetic", "statement": "Numbers may be added."}
    assert browser.post(RULES, rule).headers["Location"] == RULES
    answer = browser.post(RULES, rule | {"statement": "Numbers may be doubled."})
    assert answer.status_code == 422
    assert "never reworded" in answer.context["form"].errors["key"][0]
    assert InferenceRule.objects.get().statement == "Numbers may be added."
    assert "Numbers may be added." in browser.get(RULES).text


def test_offered_rules_say_their_kind(project: Project, cast: Cast) -> None:
    """Before they are added as well as after."""
    browser = client_for(cast.lead)
    kinds = {rule.kind.label for rule in STANDARD_RULES}
    for _ in range(2):
        page = browser.get(RULES).text
        assert all(f'<span class="quiet">{kind}</span>' in page for kind in kinds)
        browser.post(f"{RULES}standard/")


def test_list_needs_the_same_queries_at_any_length(project: Project, cast: Cast) -> None:
    """One row or three: no query per row."""
    make_version(project)
    browser = client_for(cast.lead)
    counts = []
    for _ in range(3):
        freeze(start_draft(project, by=cast.lead), by=cast.lead)
        with CaptureQueriesContext(connection) as queries:
            browser.get(LIST)
        counts.append(len(queries))
    assert counts[0] == counts[2]


def test_lead_bounds_the_corpus_and_discards_the_draft(project: Project, cast: Cast) -> None:
    """Origins and demands are ticked, told in words before freezing, and can be thrown away."""
    make_version(project)
    draft = start_draft(project, by=cast.lead)
    browser = client_for(cast.lead)
    assert "test: 1 source" in browser.get(DRAFT).text
    chosen = typed(draft, origins=["test"], source_policy=["licence-recorded"], shows_machine="on")
    browser.post(DRAFT, chosen)
    page = browser.get(FREEZE).text
    assert "its licence is recorded" in page
    assert "Reviewers are shown more than the evidence" in page
    wrong = typed(draft, origins=["nowhere"], seen=fingerprint(draft_of(project)))
    assert browser.post(DRAFT, wrong).status_code == 422
    seen = browser.get(DRAFT).context["seen"]
    assert browser.post(LIST + "discard/", {"seen": seen}).headers["Location"] == LIST
    assert draft_of(project) is None
    assert browser.post(LIST + "discard/", {"seen": seen}).headers["Location"] == LIST
