"""The length of what was retrieved, counted once, and what it gives away."""

from __future__ import annotations

from adjudication.claims.models import Question
from adjudication.corpus.models import SourceVersion
from adjudication.runs.actions import start_run
from adjudication.runs.lengths import length_only_auroc, retrieved_lengths
from adjudication.runs.models import Attempt, Outcome, RecordedSearch
from adjudication.runs.rules import Configuration
from adjudication.runs.tasks import work_on
from adjudication.specifications.models import Specification
from tests.factories import make_question


def test_each_retrieved_version_is_counted_once(ended: Outcome):
    """A passage that several searches found is read once, however often it was found."""
    searches = RecordedSearch.objects.filter(attempt=ended.attempt)
    found = [pk for search in searches for pk in search.versions]
    assert len(found) > len(set(found)), "some passage was found twice"
    texts = SourceVersion.objects.filter(pk__in=found).values_list("text", flat=True)
    attempts = Attempt.objects.filter(pk=ended.attempt_id)
    assert retrieved_lengths(attempts) == {ended.attempt_id: sum(map(len, texts))}


def test_length_only_classifier_counts_its_pairs(
    specification: Specification, question: Question, ended: Outcome
):
    """An attempt that retrieved nothing counts as nothing; without a side there is no value."""
    unplanned = make_question(question.project, "Why?")
    run = start_run(specification, [unplanned], Configuration(), None)
    work_on(Attempt.objects.get(run=run).pk)
    long = Attempt.objects.filter(pk=ended.attempt_id)
    none = Attempt.objects.filter(run=run)
    assert (found := length_only_auroc(long, none)).value == 1.0
    assert (found.numerator, found.denominator) == (1, 1)
    assert length_only_auroc(long, long).value == 0.5
    for sides, reason in (((long, none.none()), "twin"), ((none.none(), long), "original")):
        undefined = length_only_auroc(*sides)
        assert (undefined.value, undefined.denominator) == (None, 0)
        assert reason in undefined.reason
