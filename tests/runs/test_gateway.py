"""From a question to a proposed evidence set: what a run reads and what it leaves behind."""

from __future__ import annotations

from typing import Any

import pytest

from adjudication.claims.actions import open_claim
from adjudication.claims.models import Claim, EvidenceSet, InferenceRule, Question
from adjudication.projects.models import Project
from adjudication.runs.actions import claim_attempt, finish, start_run
from adjudication.runs.gateway import outcome_of
from adjudication.runs.models import Attempt, Outcome, RecordedLink, RecordedSearch
from adjudication.runs.recorded import core_outcome
from adjudication.runs.rules import Configuration
from adjudication.runs.tasks import work_on
from adjudication.specifications.models import Specification
from certify_core.model import Requirement
from tests.factories import make_question, make_version
from tests.runs.specified import (
    BIRTHPLACE,
    BIRTHS,
    FILMS,
    freeze,
    give_graph,
    make_film_study,
    rule,
)

Kind = InferenceRule.Kind


def certified(specification: Specification, question: Question, **configuration: Any) -> Outcome:
    """The outcome of a run over one question."""
    run = start_run(specification, [question], Configuration(**configuration), None)
    work_on(Attempt.objects.get(run=run).pk)
    return Outcome.objects.get(run=run)


@pytest.fixture
def question(project: Project) -> Question:
    return make_film_study(project)


def quotes(evidence_set: EvidenceSet | None) -> list[str]:
    assert evidence_set is not None
    return [member.span.exact for member in evidence_set.members.select_related("span")]


def test_certificate_proposes_the_sentences_that_state_its_values(question: Question):
    """A route of four passages: one sentence each, as it stands in the source."""
    outcome = certified(freeze(question.project), question)
    assert outcome.kind == Outcome.Kind.CERTIFICATE
    assert outcome.body["answer"] == "Silent Fjord"
    assert sorted(quotes(outcome.evidence_set)) == sorted(
        text.split("\n")[1] for text in (*FILMS, *BIRTHS)
    )
    assert outcome.evidence_set.origin == EvidenceSet.Origin.CERTIFY
    assert outcome.body["dropped"] == []


def test_title_goes_with_a_sentence_that_names_nobody(project: Project):
    """Without its title line "He was born in Oslo" says nothing about Carl Holm."""
    make_version(project, "Carl Holm\nHe was a composer. He was born in Oslo in 1899.")
    question = make_question(project, "Where was Carl Holm born?")
    outcome = certified(freeze(project), question)
    assert quotes(outcome.evidence_set) == ["Carl Holm", "He was born in Oslo in 1899."]


def test_answer_equal_to_the_reference_belongs_to_its_claim(question: Question):
    """A set joins the family of the claim with its value."""
    claim = open_claim(question, value="silent fjord", origin=Claim.Origin.REFERENCE, author=None)
    assert certified(freeze(question.project), question).claim == claim


def test_other_answer_opens_a_proposed_claim(question: Question):
    """A set never attaches to a claim with another value."""
    other = open_claim(question, value="The Red Door", origin=Claim.Origin.REFERENCE, author=None)
    outcome = certified(freeze(question.project), question)
    assert outcome.claim != other
    assert outcome.claim.origin == Claim.Origin.CERTIFY
    assert outcome.claim.value == "Silent Fjord"


def test_rules_are_those_the_derivation_uses_and_the_specification_permits(question: Question):
    """Joins and a comparison were made; arithmetic was not, identity neither."""
    project = question.project
    join, comparison = rule(project, Kind.JOIN), rule(project, Kind.COMPARISON)
    outcome = certified(freeze(project, join, comparison, rule(project, Kind.ARITHMETIC)), question)
    assert set(outcome.evidence_set.rules.all()) == {join, comparison}
    assert outcome.body["unpermitted"] == []


def test_step_without_a_permitted_rule_is_named(question: Question):
    """A reviewer must learn that the derivation uses a step nobody permitted."""
    join = rule(question.project, Kind.JOIN)
    outcome = certified(freeze(question.project, join), question)
    assert list(outcome.evidence_set.rules.all()) == [join]
    assert outcome.body["unpermitted"] == ["comparison"]


def test_every_search_and_link_is_kept(question: Question):
    """What was asked and found can be audited, offsets and all."""
    outcome = certified(freeze(question.project), question)
    searches = RecordedSearch.objects.filter(attempt=outcome.attempt)
    assert [search.ordinal for search in searches] == list(range(1, len(searches) + 1))
    assert {search.requirement for search in searches} == {1, 2, 3, 4}
    links = RecordedLink.objects.filter(attempt=outcome.attempt, grade="anchored")
    assert {link.value for link in links} >= {"Anna Berg", "Carl Holm"}
    for link in links:
        assert link.version.text[link.start : link.end] == link.value
        assert link.start >= link.sentence_start
        assert link.end <= link.sentence_end


def test_used_links_of_a_certificate_are_recorded_ones(question: Question):
    """The body's numbers lead to the stored links."""
    outcome = certified(freeze(question.project), question)
    used = RecordedLink.objects.filter(attempt=outcome.attempt, ordinal__in=outcome.body["links"])
    assert {link.requirement for link in used} == {1, 2, 3, 4}
    assert {str(link.version_id) for link in used} == set(outcome.body["units"])


def test_abstention_names_what_is_open(project: Project):
    """Without the director's birth nothing is guessed, and the open step is named in full."""
    make_film_study(project, FILMS)
    question = make_question(project, BIRTHPLACE)
    outcome = certified(freeze(project), question)
    assert outcome.kind == Outcome.Kind.ABSTENTION
    assert outcome.evidence_set is None
    (open_requirement,) = outcome.body["open"]
    assert "Anna Berg" in open_requirement["text"]
    assert not EvidenceSet.objects.exists()
    assert not Claim.objects.exists()


def test_question_nobody_can_decompose_abstains_without_a_plan(project: Project):
    """ "No plan" is an outcome, not an error."""
    make_film_study(project)
    question = make_question(project, "What is the meaning of all this, then?")
    outcome = certified(freeze(project), question)
    assert outcome.body["open"][0]["cause"] == "no-plan"
    assert outcome.graph is None


def test_latest_graph_of_a_question_is_used(project: Project):
    """A plan that a person wrote goes before what the reader makes of the question."""
    make_film_study(project)
    question = make_question(project, "Something the reader has no plan for")
    give_graph(question, Requirement(1, "lookup", "Who directed the film Silent Fjord?"))
    assert certified(freeze(project), question).body["answer"] == "Carl Holm"


def test_same_configuration_gives_the_same_certificate(question: Question):
    """A run can be repeated: equal outcomes, and no second set for the same route."""
    specification = freeze(question.project)
    one, two = certified(specification, question), certified(specification, question)
    assert one.body == two.body
    assert one.graph == two.graph
    assert one.evidence_set == two.evidence_set
    assert EvidenceSet.objects.count() == 1
    assert one.run.sha256 == two.run.sha256
    assert one.run.code_version == two.run.code_version


@pytest.mark.parametrize("texts", [(*FILMS, *BIRTHS), FILMS, ()], ids=["all", "some", "none"])
def test_stored_outcome_is_the_engines_own_again(project: Project, texts: tuple[str, ...]):
    """Twins are drawn from what was stored: it is all that the engine found, and nothing else."""
    question = make_film_study(project, texts)
    make_version(project, "Elsewhere\nNothing of it is asked about.")
    run = start_run(freeze(project), [question], Configuration(), None)
    attempt = claim_attempt(Attempt.objects.get(run=run).pk)
    found = outcome_of(attempt)
    finish(attempt, found)
    assert core_outcome(Outcome.objects.get(run=run)) == found.outcome
