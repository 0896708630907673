"""The ledger's rates: existential acceptance, visible denominators, nothing lost."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from certify_core.evidence import antichain
from certify_core.metrics.families import satisfied
from certify_core.metrics.ledger import METRICS, Row, score
from certify_core.metrics.rates import EMPTY, Rate


def row(**changes: object) -> Row:
    """An accepted claim, changed."""
    whole = Row(
        question="q",
        sets=(frozenset("ab"),),
        retrieved=frozenset("ab"),
        cited=frozenset("ab"),
        supported=True,
        correct=True,
        answerable=True,
    )
    return replace(whole, **changes)  # type: ignore[arg-type]


A = row(question="A", cited=frozenset("b"))
B = row(question="B", retrieved=frozenset("b"), cited=frozenset("b"))
C = row(
    question="C",
    sets=(frozenset("ab"), frozenset("cd")),
    retrieved=frozenset("cd"),
    cited=frozenset("cd"),
)
D = row(
    question="D",
    retrieved=frozenset("a"),
    cited=frozenset("a"),
    supported=False,
    correct=False,
)
LEDGER = (A, B, C, D)

SPANS = st.frozensets(st.sampled_from("abcde"), max_size=4)
JUDGEMENT = st.sampled_from([True, False, None])
ROWS = st.lists(
    st.builds(
        Row,
        question=st.sampled_from("xyz"),
        sets=st.none() | st.lists(SPANS, max_size=3).map(tuple),
        retrieved=st.none() | SPANS,
        cited=st.none() | SPANS,
        supported=JUDGEMENT,
        correct=JUDGEMENT,
        answerable=JUDGEMENT,
        required=st.booleans(),
        stated=st.booleans(),
    ),
    max_size=6,
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("complete_set_recall", (2, 4)),
        ("citation_set_completeness", (1, 3)),
        ("answer_correctness", (3, 4)),
        ("citation_set_completeness_unconditional", (1, 4)),
        ("unsupported_output_claims", (1, 4)),
        ("omitted_required_claims", (0, 4)),
        ("whole_answer_acceptance", (1, 4)),
    ],
)
def test_ledger_of_four_cases_gives_the_known_totals(name, expected):
    """The worked example: correct answers do not make complete retrieval or citations."""
    assert METRICS[name](LEDGER) == Rate(*expected)


def test_empty_set_is_never_satisfied():
    """[[]] and [] are no evidence, whatever was retrieved or cited."""
    for claim in (row(sets=()), row(sets=(frozenset(),))):
        rates = score([claim])
        assert rates["complete_set_recall"] == Rate(0, 1)
        assert rates["citation_set_completeness"] == Rate(0, 1)


def test_unanswerable_rows_leave_the_recall_denominator():
    """Recall is about what can be answered; alone, such rows leave it undefined."""
    rate = METRICS["complete_set_recall"]([*LEDGER, row(answerable=False)])
    assert rate == Rate(2, 4)
    assert METRICS["complete_set_recall"]([row(answerable=False)]).reason == EMPTY


def test_recall_demands_one_complete_set_and_no_more():
    """Two halves of two sets are none; one whole set is enough beside unused ones."""
    halves = row(sets=(frozenset("ab"), frozenset("cd")), retrieved=frozenset("ac"))
    whole = row(sets=(frozenset("ab"), frozenset("cd")), retrieved=frozenset("acd"))
    assert METRICS["complete_set_recall"]([halves]) == Rate(0, 1)
    assert METRICS["complete_set_recall"]([whole]) == Rate(1, 1)


@pytest.mark.parametrize(
    ("change", "metric", "expected"),
    [
        ({"retrieved": None}, "complete_set_recall", Rate(2, 5, missing=1)),
        ({"sets": None}, "complete_set_recall", Rate(2, 5, missing=1)),
        ({"answerable": None}, "complete_set_recall", Rate(2, 4, pending=1)),
        ({"cited": None}, "citation_set_completeness", Rate(1, 4, missing=1)),
        ({"supported": None}, "citation_set_completeness", Rate(1, 3, pending=1)),
        ({"supported": None}, "citation_set_completeness_unconditional", Rate(1, 5, pending=1)),
        ({"supported": None}, "unsupported_output_claims", Rate(1, 5, pending=1)),
        ({"correct": None}, "answer_correctness", Rate(3, 5, pending=1)),
        ({"cited": None}, "whole_answer_acceptance", Rate(1, 5, missing=1)),
    ],
)
def test_gaps_are_counted(change, metric, expected):
    """Absent data is missing, an absent judgement pending; neither raises a score."""
    assert METRICS[metric]([*LEDGER, row(**change)]) == expected


def test_omitted_claims_are_reported_and_fail_the_answer():
    """Saying less must not improve what is shown: the omission counts in four places."""
    said, omitted = row(), row(stated=False, supported=None, correct=None, cited=frozenset())
    rates = score([said, omitted])
    assert rates["omitted_required_claims"] == Rate(1, 2)
    assert rates["whole_answer_acceptance"] == Rate(0, 1)
    assert rates["answer_correctness"] == Rate(1, 2)
    assert rates["citation_set_completeness_unconditional"] == Rate(1, 2)
    assert rates["citation_set_completeness"] == Rate(1, 1)
    assert rates["unsupported_output_claims"] == Rate(0, 1)


def test_rightly_unstated_claim_counts_nowhere():
    """Abstaining from what cannot be answered is no omission."""
    abstained = row(stated=False, answerable=False, correct=None)
    assert all(rate.denominator == 0 for rate in score([abstained]).values())


def test_optional_claim_does_not_decide_the_whole_answer():
    """An answer is accepted if its required claims are; the others are judged one by one."""
    aside = row(required=False, supported=False)
    rates = score([row(), aside])
    assert rates["whole_answer_acceptance"] == Rate(1, 1)
    assert rates["unsupported_output_claims"] == Rate(1, 2)


def test_whole_answer_is_decided_by_one_refusal():
    """A pending claim cannot rescue an answer with a rejected one, and holds back a good one."""
    pending = row(supported=None)
    metric = METRICS["whole_answer_acceptance"]
    assert metric([row(supported=False), pending]) == Rate(0, 1)
    held = metric([row(), pending])
    assert (held.numerator, held.pending, held.value) == (0, 1, None)


def test_question_that_may_not_be_answerable_is_pending():
    """A required claim nobody stated counts only once it is known to be answerable."""
    unknown = row(stated=False, answerable=None)
    rate = METRICS["whole_answer_acceptance"]([row(question="other"), unknown])
    assert rate == Rate(1, 1, pending=1)
    assert METRICS["omitted_required_claims"]([unknown]) == Rate(0, 0, pending=1)


@given(ROWS, st.randoms(use_true_random=False))
def test_order_of_rows_sets_and_spans_changes_nothing(rows, random):
    """Metamorphic: reorder."""
    turned = [
        replace(r, sets=None if r.sets is None else r.sets[::-1])
        for r in random.sample(rows, len(rows))
    ]
    assert score(turned) == score(rows)


@given(ROWS)
def test_supersets_repeats_and_empty_sets_change_nothing(rows):
    """Metamorphic: a family means the same as its antichain, however it was annotated."""
    grown = [
        replace(r, sets=None if r.sets is None else (*_more(r.sets), frozenset())) for r in rows
    ]
    assert score(grown) == score(rows)


def _more(sets: tuple[frozenset[str], ...]) -> tuple[frozenset[str], ...]:
    return (*sets, *sets, *(members | {"z"} for members in sets if members))


@given(ROWS)
def test_distractor_never_hurts(rows):
    """Metamorphic: further retrieved or cited spans leave every rate as it is."""
    noisy = [
        replace(
            r,
            retrieved=None if r.retrieved is None else r.retrieved | {"noise"},
            cited=None if r.cited is None else r.cited | {"noise"},
        )
        for r in rows
    ]
    assert score(noisy) == score(rows)


@given(ROWS.filter(bool))
def test_dropping_a_row_is_visible(rows):
    """Metamorphic: a row cannot vanish unseen; the counts fall by exactly its own."""
    whole, rest, dropped = score(rows), score(rows[1:]), score(rows[:1])
    for name in set(METRICS) - {"whole_answer_acceptance"}:
        for count in ("numerator", "denominator", "missing", "pending"):
            parts = getattr(rest[name], count) + getattr(dropped[name], count)
            assert getattr(whole[name], count) == parts


@given(st.lists(SPANS, max_size=5), SPANS)
def test_satisfied_is_the_plain_subset_test(family, delivered):
    """The rule is right on the family as given and on its antichain."""
    plain = any(len(members) > 0 and members <= delivered for members in family)
    assert satisfied(family, delivered) == plain
    filled = [members for members in family if members]
    assert satisfied([set(m) for m in antichain(filled)], delivered) == plain


def test_repeated_spans_change_nothing():
    """Metamorphic: duplicates of evidence and of citations."""
    assert satisfied([["a", "a", "b"]], ["b", "a", "a"])
    assert not satisfied([["a", "b"]], ["a", "a"])
