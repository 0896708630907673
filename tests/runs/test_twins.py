"""Twins of a run: the question without one of its facts, asked, counted apart, never proposed."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, transaction

from adjudication.claims.actions import open_claim, propose_evidence_set
from adjudication.claims.models import Claim, EvidenceSet, Question
from adjudication.corpus.models import SourceVersion
from adjudication.projects.models import Project
from adjudication.runs import gateway, queries
from adjudication.runs.actions import claim_attempt, fail, retry_failed, start_run
from adjudication.runs.models import Attempt, Outcome, Run, Twin
from adjudication.runs.rules import Configuration
from adjudication.runs.summary import decisions_of, twin_summary
from adjudication.runs.tasks import work_on
from adjudication.runs.twins import Original, twin_of
from adjudication.search.queries import Remainder, corpus_of
from adjudication.specifications.models import Specification
from certify_core.metrics.decisions import Decision
from certify_core.pattern_reader import PatternReader
from certify_core.twins import Hop
from certify_core.twins import Twin as CoreTwin
from tests.factories import make_question, make_user, make_version, span_of
from tests.runs.specified import BIRTHS, EARLIER, FILMS, freeze, make_film_study

State = Attempt.State
SEED = 7


@pytest.fixture
def question(project: Project) -> Question:
    return make_film_study(project)


def with_twins(*questions: Question, seed: int = SEED) -> Run:
    """A run over these questions, carried to its end."""
    run = start_run(
        freeze(questions[0].project), questions, Configuration(twins=seed), make_user("lea")
    )
    carry_on(run)
    return run


def carry_on(run: Run) -> None:
    while waiting := Attempt.objects.filter(run=run, state=State.QUEUED).order_by("pk").first():
        work_on(waiting.pk)


def version_of(text: str) -> SourceVersion:
    return SourceVersion.objects.get(source__title=text.split("\n")[0], text=text)


def reference(question: Question, *texts: str, value: str = "Silent Fjord") -> EvidenceSet:
    """A reference set of the data, of a sentence of each of these passages."""
    known = Claim.objects.filter(question=question, value=value).first()
    claim = known or open_claim(question, value=value, origin=Claim.Origin.REFERENCE, author=None)
    spans = [span_of(version_of(text), text.split("\n")[1]) for text in texts]
    return propose_evidence_set(claim, spans, origin=EvidenceSet.Origin.REFERENCE, author=None)


def test_twin_searches_all_but_what_states_the_fact(question: Question) -> None:
    """The deleted passages come in none of its searches, lower ranks move up, and it abstains."""
    run = with_twins(question)
    twin = Twin.objects.get()
    (deleted,) = twin.deleted
    outcome = Outcome.objects.get(run=run, twin=True)
    assert (twin.audited, twin.dropped) == (True, "")
    assert outcome.kind == Outcome.Kind.ABSTENTION
    found = [uid for search in outcome.attempt.searches.all() for uid in search.versions]
    assert found
    assert deleted not in found
    original = Outcome.objects.get(run=run, twin=False).attempt.searches.all()
    assert deleted in [uid for search in original for uid in search.versions]


def test_run_without_twins_has_none(question: Question) -> None:
    """They are asked for, or not made."""
    run = start_run(freeze(question.project), [question], Configuration(), None)
    carry_on(run)
    assert Attempt.objects.get().state == State.CERTIFIED
    assert twin_summary(run, moving=False) is None


def test_seed_fixes_what_each_twin_loses(question: Question) -> None:
    """The same run has the same twins, and another seed may draw any other fact."""
    first, again = (with_twins_of(question, seed=1) for _ in range(2))
    lost = [Twin.objects.get(attempt__run=run).deleted for run in (first, again)]
    assert lost[0] == lost[1]
    original = Original.of(Attempt.objects.get(run=first, twin=True))
    corpus, reader = corpus_of(first.specification), PatternReader()
    drawn: set[str] = set()
    for seed in range(60):
        drawn.update(twin_of(original, reader, corpus, Configuration(twins=seed)).deleted)
    assert drawn == {str(version_of(text).pk) for text in (*FILMS, *BIRTHS)}


def with_twins_of(question: Question, seed: int) -> Run:
    frozen = Specification.objects.filter(project=question.project).first()
    specification = frozen or freeze(question.project)
    run = start_run(specification, [question], Configuration(twins=seed), None)
    carry_on(run)
    return run


def test_restatement_of_the_fact_is_deleted_too(question: Question) -> None:
    """What the reader reads the same fact from would let the twin be answered."""
    again = "Anna Berg\nIn Ghent, Anna Berg (12 May 1901, Ghent – 3 June 1970) is well known."
    other = "Carl Holm\nCarl Holm (1 April 1899, Oslo – 7 July 1950) is remembered in Oslo."
    directed = (
        "The Red Door\nThe Red Door is a film directed by Anna Berg, who liked it.",
        "Silent Fjord\nSilent Fjord is a film directed by Carl Holm, who liked it.",
    )
    for text in (again, other, *directed):
        make_version(question.project, text)
    run = with_twins(question)
    twin = Twin.objects.get()
    titles = SourceVersion.objects.filter(pk__in=twin.deleted).values_list(
        "source__title", flat=True
    )
    assert len(titles) == 2
    assert len(set(titles)) == 1
    assert Outcome.objects.get(run=run, twin=True).kind == Outcome.Kind.ABSTENTION


def test_reference_sets_say_what_may_be_lost(question: Question) -> None:
    """A twin loses a passage that the data name, also where the run found no answer."""
    strange = make_question(question.project, "What does it all mean?")
    reference(strange, BIRTHS[0], value="Nothing")
    run = with_twins(strange)
    twin = Twin.objects.get()
    assert twin.deleted == [version_of(BIRTHS[0]).pk]
    assert (twin.audited, twin.fact, twin.value) == (False, "", "")
    assert twin_summary(run, moving=False)["unaudited"] == 1


def test_question_of_which_nothing_is_known_has_no_twin(question: Question) -> None:
    """No reference set and no certificate: nobody can say what it would lose."""
    strange = make_question(question.project, "What does it all mean?")
    run = with_twins(strange)
    assert Attempt.objects.filter(run=run).count() == 1


def test_twin_that_another_set_answers_is_dropped(question: Question) -> None:
    """Were it asked, answering would be right."""
    reference(question, FILMS[0], BIRTHS[0])
    reference(question, FILMS[1], BIRTHS[1])
    run = with_twins(question)
    attempt = Attempt.objects.get(run=run, twin=True)
    assert attempt.state == State.DROPPED
    assert attempt.made.dropped == Twin.Dropped.SURVIVES
    assert not hasattr(attempt, "outcome")
    summary = twin_summary(run, moving=False)
    assert summary["dropped"] == [("the answer follows without the fact", 1)]
    assert summary["asked"] == 0
    assert [one for one in decisions_of(run) if one.twin] == []


def answered(monkeypatch: pytest.MonkeyPatch, question: Question) -> Run:
    """A run whose twin lost a passage, and whose search finds it all the same."""
    lost = CoreTwin(Hop("fact"), (str(version_of(FILMS[0]).pk),))
    monkeypatch.setattr(gateway, "twin_of", lambda *_: lost)
    monkeypatch.setattr(gateway.Corpus, "without", lambda corpus, _: Remainder(corpus, frozenset()))
    return with_twins(question)


def rates(run: Run) -> dict[str, float | None]:
    summary = twin_summary(run, moving=False)
    assert summary is not None
    return {row["label"]: row["rate"].value for row in summary["rates"]}


def test_answered_twin_proposes_nothing(
    question: Question, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is kept like any outcome, and no claim or evidence set comes of it."""
    run = answered(monkeypatch, question)
    outcome = Outcome.objects.get(run=run, twin=True)
    assert (outcome.kind, outcome.claim, outcome.evidence_set) == ("certificate", None, None)
    assert outcome.body["answer"] == "Silent Fjord"
    assert (EvidenceSet.objects.count(), Claim.objects.count()) == (1, 1)
    assert rates(run)["Twins answered"] == 1.0


def test_database_keeps_twins_apart(question: Question, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the program does: no claim from a twin, and nothing passes for what it is not."""
    run = answered(monkeypatch, question)
    original = Outcome.objects.get(run=run, twin=False)
    fresh = Attempt.objects.create(run=run, question=make_question(question.project), twin=True)
    of_fresh = {"attempt": fresh, "run": run, "question": fresh.question, "body": {}}
    proposing = {"claim": original.claim, "evidence_set": original.evidence_set}
    abstaining = {"kind": "abstention"}
    for wrong in (
        lambda: Outcome.objects.create(**of_fresh, twin=True, kind="certificate", **proposing),
        lambda: Outcome.objects.create(**of_fresh, twin=False, **abstaining),
        lambda: Attempt.objects.filter(pk=fresh.pk).update(twin=False),
        lambda: Attempt.objects.filter(pk=original.attempt_id).update(state=State.DROPPED),
        lambda: Twin.objects.create(attempt=original.attempt, audited=False, deleted=[fresh.pk]),
        lambda: Twin.objects.create(attempt=fresh, audited=False),
        lambda: Attempt.objects.create(run=run, question=fresh.question, twin=True, number=2),
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            wrong()
    Outcome.objects.create(**of_fresh, twin=True, **abstaining)


def test_twins_are_none_of_the_questions(question: Question) -> None:
    """Every count of a run is of its questions; what is left of the twins stands beside."""
    run = start_run(freeze(question.project), [question], Configuration(twins=SEED), None)
    work_on(Attempt.objects.get().pk)
    (listed,) = queries.runs_of(question.project)
    counts = (listed.questions, listed.certified, listed.abstained, listed.failed)
    assert (*counts, listed.unfinished, listed.twins_left) == (1, 1, 0, 0, 0, 1)
    progress = queries.progress(run)
    assert (progress.ended, progress.questions, progress.twins_left) == (1, 1, 1)
    assert progress.moving
    carry_on(run)
    assert not queries.progress(run).moving
    assert queries.causes(run) == {}
    assert queries.first_causes(run, [question.pk]) == {}
    (attempt,) = queries.attempts_at(run, question.pk)
    assert not attempt.twin
    assert not queries.without_outcome(run.specification).exists()


def test_failed_twin_is_tried_again_alone(question: Question) -> None:
    """Its question ended and stays as it is."""
    run = start_run(freeze(question.project), [question], Configuration(twins=SEED), None)
    work_on(Attempt.objects.get().pk)
    claimed = claim_attempt(Attempt.objects.get(twin=True).pk)
    assert claimed is not None
    fail(claimed, "ValueError: no")
    assert queries.progress(run).twins_failed == 1
    assert [one.outcome for one in decisions_of(run)] == ["answered", "missing"]
    assert retry_failed(run, make_user("lea")) == 1
    carry_on(run)
    states = Attempt.objects.filter(twin=True).order_by("number").values_list("state", flat=True)
    assert list(states) == [State.FAILED, State.ABSTAINED]
    assert Attempt.objects.filter(twin=False).count() == 1


def test_summary_is_that_of_the_definitions(
    question: Question, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Right, wrong and unknown answers are told apart; what is undefined is not 1 or 0."""
    reference(question, *FILMS, *BIRTHS)
    wrong = make_question(question.project, EARLIER)
    open_claim(wrong, value="The Red Door", origin=Claim.Origin.REFERENCE, author=None)
    unknown = make_question(question.project, EARLIER)
    silent = make_question(question.project, "What does it all mean?")
    run = with_twins(question, wrong, unknown, silent)
    found = {one.question: one.correct for one in decisions_of(run) if not one.twin}
    assert [found[str(q.pk)] for q in (question, wrong, unknown, silent)] == [
        True,
        False,
        None,
        None,
    ]
    assert rates(run) == {
        "Decision accuracy": (1 / 4 + 3 / 3) / 2,
        "Twins answered": 0.0,
        "Coverage": 3 / 4,
        "Right of those answered (SAcc)": 1 / 3,
        "Abstentions that are right": 3 / 4,
        "Length alone (AUROC)": rates(run)["Length alone (AUROC)"],
    }
    silent_run = with_twins_of(silent, SEED)
    assert rates(silent_run)["Right of those answered (SAcc)"] is None
    assert rates(silent_run)["Decision accuracy"] is None
    assert rates(silent_run)["Length alone (AUROC)"] is None


def test_length_is_compared_with_the_questions_that_have_a_twin(question: Question) -> None:
    """Beside the figure, the obvious way; others have nothing to be told from."""
    run = with_twins(
        question, make_question(question.project, EARLIER), make_question(question.project, "Why?")
    )
    row = twin_summary(run, moving=False)["rates"][-1]
    assert row["counts"] == "2 originals, 2 twins"
    slow: dict[bool, list[int]] = {False: [], True: []}
    for outcome in Outcome.objects.filter(run=run).exclude(question__text="Why?"):
        uids = {uid for search in outcome.attempt.searches.all() for uid in search.versions}
        texts = SourceVersion.objects.filter(pk__in=uids).values_list("text", flat=True)
        slow[outcome.twin].append(sum(map(len, texts)))
    pairs = [(a > b) + (a == b) / 2 for a in slow[False] for b in slow[True]]
    assert row["rate"].value == sum(pairs) / len(pairs)


def test_length_waits_for_the_last_twin(question: Question) -> None:
    """Half of them would be another figure."""
    run = start_run(freeze(question.project), [question], Configuration(twins=SEED), None)
    work_on(Attempt.objects.get().pk)
    assert "Length" not in str(twin_summary(run, moving=True))


def test_deleted_passage_leaves_neither_rank_nor_title(question: Question) -> None:
    """Lower ranks move up; a title stays known while any passage has it."""
    one = make_version(question.project, "Anna Berg (actor)\nAnna Berg was an actor.")
    two = make_version(question.project, "Anna Berg (actor)\nAnna Berg acted.")
    corpus = corpus_of(freeze(question.project))
    uids = [str(one.pk), str(two.pk)]
    whole = [unit for unit in corpus.search("Anna Berg", 10) if unit.uid not in uids]
    assert len(whole) > 1
    for limit in (1, 2):
        assert corpus.without(uids).search("Anna Berg", limit) == whole[:limit]
    assert corpus.namesakes("Anna Berg") == ["Anna Berg (actor)"]
    assert corpus.without(uids[:1]).namesakes("Anna Berg") == ["Anna Berg (actor)"]
    assert corpus.without(uids).namesakes("Anna Berg") == []


def test_decisions_leave_out_what_was_dropped(question: Question) -> None:
    """A twin that could be answered rightly says nothing."""
    reference(question, FILMS[0], BIRTHS[0])
    reference(question, FILMS[1], BIRTHS[1])
    (only,) = decisions_of(with_twins(question))
    assert only == Decision(str(question.pk), False, "answered", True)
