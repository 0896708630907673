"""ALCE's citation recall and precision on given labels, quirk by quirk."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from certify_core.metrics.alce import CitationScore, Entails, Output, citation_score, markers
from certify_core.metrics.rates import Rate


def needs(*required: Iterable[int]) -> Entails:
    """Sentence s is entailed by any documents that hold all of ``required[s]``."""
    return lambda output, sentence, documents: set(required[sentence]) <= set(documents)


def one(written: Iterable[int], required: Iterable[int], documents: int = 5) -> CitationScore:
    return citation_score([Output((tuple(written),), documents)], needs(required))


def test_joint_support_counts_both_citations():
    """A join of two documents: neither entails alone, neither can be left out."""
    assert one([1, 2], [0, 1]) == CitationScore(Rate(1.0, 1), Rate(1.0, 1))


def test_distractor_costs_precision_and_not_recall():
    """A third citation that adds nothing is the one that is wrong."""
    score = one([1, 2, 3], [0, 1])
    assert score == CitationScore(Rate(1.0, 1), Rate(2 / 3, 1))


def test_citations_that_entail_alone_are_both_right():
    """As upstream: each of two sufficient documents is a right citation."""
    either: Entails = lambda output, sentence, documents: bool(documents)  # noqa: E731
    assert citation_score([Output(((1, 2),), 5)], either).precision.value == 1.0


def test_unsupported_sentence_has_only_wrong_citations():
    """Half of a join does not entail."""
    assert one([1], [0, 1]) == CitationScore(Rate(0.0, 1), Rate(0.0, 1))


def test_marker_beyond_the_documents_fails_its_sentence_unseen_by_precision():
    """As upstream: the sentence is 0, but its citations leave the precision's denominator."""
    output = Output(((1, 9), (2,)), 5)
    score = citation_score([output], needs([0], [1]))
    assert (score.recall.value, score.precision.value) == (0.5, 1.0)


def test_marker_zero_reads_the_last_document():
    """As upstream, where index -1 is the last; without documents it is out of range."""
    assert one([0], [4]).recall.value == 1.0
    assert one([0], [0], documents=0).recall.value == 0.0


def test_only_the_first_three_citations_count():
    """The fourth would have completed the join."""
    assert one([1, 2, 3, 4], [3]).recall.value == 0.0
    output = Output(((1, 2, 3, 4),), 5)
    assert citation_score([output], needs([3]), at_most=4).recall.value == 1.0


def test_repeated_marker_is_needless():
    """Without the first of two equal citations the other still stands."""
    assert one([1, 1, 2], [0, 1]).precision.value == pytest.approx(1 / 3)


def test_output_without_citations_has_precision_zero():
    """As upstream; one without sentences leaves both means."""
    silent, empty = Output(((),), 5), Output((), 5)
    assert citation_score([silent, empty], needs([0])) == CitationScore(Rate(0.0, 1), Rate(0.0, 1))
    assert citation_score([empty], needs()).recall.value is None


def test_unjudged_label_makes_the_output_pending():
    """A label nobody gave is not a no."""
    unjudged: Entails = lambda output, sentence, documents: None if output else True  # noqa: E731
    score = citation_score([Output(((1,),), 5)] * 2, unjudged)
    assert score == CitationScore(Rate(1.0, 2, pending=1), Rate(1.0, 2, pending=1))


def test_order_of_outputs_changes_nothing():
    """Metamorphic: the mean is over outputs, not sentences."""
    long, short = Output(((1,), (), ()), 5), Output(((1,),), 5)
    labels = needs([0], [0], [0])
    assert citation_score([long, short], labels) == citation_score([short, long], labels)
    assert citation_score([long, short], labels).recall.value == pytest.approx((1 / 3 + 1) / 2)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [("It rose [1][3].", (1, 3)), ("It rose [1, 2].", (1,)), ("It rose [0].", (0,)), ("[x]", ())],
)
def test_markers_are_read_as_upstream_reads_them(sentence, expected):
    """Only a number right behind an opening bracket is a marker."""
    assert markers(sentence) == expected
