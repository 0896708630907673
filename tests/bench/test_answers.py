"""What the stand-in endpoint answers is what the patterns read: runs against it mean something."""

from __future__ import annotations

from dataclasses import replace

import pytest

from adjudication.readers.reader import EndpointReader
from bench.bm25 import Bm25
from bench.calls_counted import Counted, per_question
from bench.certify import is_right
from bench.films import study
from certify_core.model import Certificate, Outcome, Unit
from certify_core.pattern_reader import PatternReader
from certify_core.search import Check, Policy, certify

QUESTIONS = 12


@pytest.fixture(scope="module")
def corpus():
    texts = study(QUESTIONS).passages
    return Bm25(Unit(f"{at:05}", text.split("\n")[0], text) for at, text in enumerate(texts))


def without_cues(outcome: Outcome) -> Outcome:
    """Patterns and prompts name their cues and their reasons differently."""
    links = tuple(replace(link, cue="", reason="") for link in outcome.links)
    result = outcome.result
    if isinstance(result, Certificate):
        stripped = tuple(replace(link, cue="", reason="") for link in result.links)
        result = replace(result, links=stripped)
    return replace(outcome, links=links, result=result)


@pytest.mark.parametrize("check", ["anchor", "verify"])
@pytest.mark.parametrize("per_call", [1, 5])
def test_the_endpoint_reads_what_the_patterns_read(corpus: Bm25, per_call: int, check: Check):
    """Through prompts, JSON and parsers the same outcome comes, with no answer closed."""
    for asked in study(QUESTIONS).questions:
        ask = Counted()
        reader = EndpointReader(ask, "patterns", per_call=per_call)
        found = certify(asked.text, None, reader, corpus, Policy(check=check))
        expected = certify(asked.text, None, PatternReader(), corpus, Policy(check=check))
        assert without_cues(found) == without_cues(expected)
        assert not reader.notes
        assert ask.kinds["decompose"] == 1
        assert (ask.kinds["verify"] > 0) == (check == "verify")


def test_the_invented_questions_certify(corpus: Bm25):
    """All of them rightly, two lookups for three in four and four for the others."""
    for asked in study(QUESTIONS).questions:
        outcome = certify(asked.text, None, PatternReader(), corpus, Policy())
        assert is_right(outcome.result.answer, [asked.answer])
        assert len(outcome.searches) == asked.lookups


def test_answers_are_read_from_the_passages_given(corpus: Bm25):
    reader = EndpointReader(Counted(), "patterns")
    asked = study(QUESTIONS).questions[0]
    outcome = certify(asked.text, None, PatternReader(), corpus, Policy())
    units = [corpus.units[int(uid)] for uid in outcome.result.units]
    assert is_right(reader.answer(asked.text, units), [asked.answer])
    assert reader.answer(asked.text, units[:1]) is None


def test_calls_for_comparing_answers_are_counted_apart():
    """A question's certificate needs no call for its answer: 16.0 here, not 17.5."""
    found = per_question({"link": 30, "decompose": 2, "answer": 3}, links=30, questions=2)
    assert found["calls_per_question"] == 16.0
    assert found["answer_calls_per_question"] == 1.5
    assert found["links_per_question"] == 15.0
