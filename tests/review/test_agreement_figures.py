"""Agreement, against published answers, nltk, and the definitions written out."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import permutations
from random import Random
from uuid import UUID

import pytest
from nltk.metrics.agreement import AnnotationTask

from adjudication.review import agreement
from adjudication.review.agreement import (
    NO_OVERLAP,
    NO_SPREAD,
    NO_VARIANCE,
    ONE_QUESTION,
    TOO_ALIKE,
    Rated,
    agreement_of,
    pairs_of,
)
from tests.conftest import shared_data


def sets(*people: str, questions: int = 10**6) -> list[Rated]:
    """One string per person, one letter per set; a dot where they did not judge it."""
    return [
        Rated(
            UUID(int=number % questions),
            {UUID(int=who): said for who, said in enumerate(column) if said != "."},
        )
        for number, column in enumerate(zip(*people, strict=True))
    ]


def random_sets(seed: int) -> list[Rated]:
    """Up to five people, of whom each judges most sets, with two to four answers."""
    draw = Random(seed)
    people, letters = draw.randint(2, 5), "abcd"[: draw.randint(2, 4)]
    rows = ["".join(draw.choice(letters + ".") for _ in range(draw.randint(4, 30)))] * people
    rows = ["".join(c if draw.random() < 0.6 else draw.choice(letters) for c in r) for r in rows]
    return sets(*rows, questions=draw.randint(1, 30))


KRIPPENDORFF = {
    "binary, two people": (("0100000010", "1110010000"), 0.095),
    "nominal, two people": (("aabbdcccedda", "babbbccceddd"), 0.692),
    "nominal, four people, gaps": (
        ("123321412...", "1233224125.3", ".33323422" + "51.", "12332441" + "251."),
        0.743,
    ),
}
"""Klaus Krippendorff, "Computing Krippendorff's Alpha-Reliability", 2011, parts A, B and C."""


@pytest.mark.parametrize("name", KRIPPENDORFF)
def test_alpha_is_the_published_one(name: str) -> None:
    """Also where a person left sets out, one of them judged by nobody else."""
    people, alpha = KRIPPENDORFF[name]
    assert agreement_of(sets(*people)).alpha.value == pytest.approx(alpha, abs=0.0005)


def test_kappa_is_the_published_one() -> None:
    """https://en.wikipedia.org/wiki/Cohen%27s_kappa, the fifty grants of two readers: 0.4."""
    said = "y" * 25 + "n" * 25
    answered = "y" * 20 + "n" * 5 + "y" * 10 + "n" * 15
    (pair,) = pairs_of(sets(said, answered))
    assert pair.kappa.value == pytest.approx(0.4)
    assert (pair.rate.numerator, pair.rate.denominator) == (35, 50)


def task(rated: Sequence[Rated]) -> AnnotationTask:
    return AnnotationTask(
        [(w.int, n, said) for n, one in enumerate(rated) for w, said in one.answers.items()]
    )


@pytest.mark.parametrize("seed", range(25))
def test_nltk_says_the_same(seed: int) -> None:
    """Counts lose nothing that the coefficients need."""
    rated = random_sets(seed)
    alpha = agreement_of(rated).alpha
    if alpha.value is not None:
        assert task(rated).alpha() == pytest.approx(alpha.value)
    for pair in pairs_of(rated):
        both = [one for one in rated if set(pair.people) <= one.answers.keys()]
        mine = [Rated(o.question, {who: o.answers[who] for who in pair.people}) for o in both]
        if pair.kappa.value is not None:
            found = task(mine).kappa_pairwise(*(who.int for who in pair.people))
            assert found == pytest.approx(pair.kappa.value)


def slow_alpha(rated: Sequence[Rated]) -> Fraction | None:
    """One minus how often two answers to one set differ, over how often any two differ."""
    within: Fraction = Fraction(0)
    everything: list[str] = []
    for one in rated:
        said = list(one.answers.values())
        if len(said) < 2:
            continue
        everything += said
        pairs = list(permutations(said, 2))
        within += Fraction(sum(a != b for a, b in pairs), len(said) - 1)
    any_two = list(permutations(everything, 2))
    expected = Fraction(sum(a != b for a, b in any_two), max(1, len(any_two)))
    return 1 - within / len(everything) / expected if expected else None


@pytest.mark.parametrize("seed", range(12))
def test_alpha_follows_from_its_definition(seed: int) -> None:
    """The slow twin looks at every two answers."""
    rated = random_sets(seed)
    expected, found = slow_alpha(rated), agreement_of(rated).alpha.value
    assert (found is None) == (expected is None)
    assert expected is None or found == pytest.approx(float(expected))


def test_without_overlap_nothing_is_defined() -> None:
    """One judges the first set, another the second: that is no perfect agreement."""
    found = agreement_of(sets("a.", ".a"))
    assert (found.alpha.value, found.alpha.reason) == (None, NO_OVERLAP)
    assert (found.rate.value, found.rate.reason, found.rate.denominator) == (None, NO_OVERLAP, 0)
    assert (found.sets, found.judgements) == (0, 0)
    assert found.alpha_interval.reason == found.rate_interval.reason == NO_OVERLAP
    assert not pairs_of(sets("a.", ".a"))


def test_unanimous_answers_have_no_coefficient() -> None:
    """All agree, and chance would have it so as well: neither 1, nor 0, nor not a number."""
    found = agreement_of(sets("yyyyy", "yyyyy"))
    (pair,) = pairs_of(sets("yyyyy", "yyyyy"))
    assert (found.rate.value, found.rate.numerator) == (1.0, 5)
    assert found.rate_interval.reason == NO_SPREAD
    assert (found.alpha.value, found.alpha.reason) == (None, NO_VARIANCE)
    assert (pair.kappa.value, pair.kappa.reason) == (None, NO_VARIANCE)


def test_what_only_one_judged_counts_neither_as_seen_nor_by_chance() -> None:
    """Four pairs and one set of a single person: everything is as of the four alone."""
    with_gap, without = agreement_of(sets("aabbb", "abab.")), agreement_of(sets("aabb", "abab"))
    assert with_gap == without
    assert pairs_of(sets("aabbb", "abab.")) == pairs_of(sets("aabb", "abab"))
    # A third answer, which only one person gave to what nobody else judged, adds no variance.
    assert agreement_of(sets("yyz", "yy.")).alpha.reason == NO_VARIANCE


def test_three_different_answers_agree_nowhere() -> None:
    """Conflicts are not filtered out before agreement is taken."""
    found = agreement_of(sets("a", "b", "c"))
    assert (found.rate.value, found.rate.denominator, found.alpha.value) == (0.0, 3, 0.0)


def test_interval_draws_questions_and_not_sets() -> None:
    """Ten sets of one question that all went the same way are no more evidence than one."""
    said, answered = "ab" * 10, "aaab" * 5
    once = agreement_of(sets(said, answered, questions=20))
    tenfold = agreement_of(sets(said * 10, answered * 10, questions=20))
    assert (once.questions, tenfold.questions, tenfold.sets) == (20, 20, 200)
    assert tenfold.rate_interval == once.rate_interval
    apart = agreement_of(sets(said * 10, answered * 10))
    assert apart.rate_interval.low > once.rate_interval.low


def test_interval_is_the_same_at_every_look() -> None:
    """One seed; and other answers move it."""
    said, answered = "abcabcabbc", "abcabbabcc"
    assert agreement_of(sets(said, answered)) == agreement_of(sets(said, answered))
    found = agreement_of(sets(said, answered))
    assert found.alpha_interval.low < found.alpha.value <= found.alpha_interval.high
    assert agreement_of(sets(said, "bcabcabcab")).alpha_interval != found.alpha_interval


def test_interval_is_undefined_with_one_question_or_hardly_a_difference() -> None:
    """A single draw is no spread, and most draws of one difference in forty have no alpha."""
    assert agreement_of(sets("abab", "abba", questions=1)).rate_interval.reason == ONE_QUESTION
    alike = agreement_of(sets("a" * 40, "a" * 39 + "b"))
    assert alike.alpha.value is not None
    assert (alike.alpha_interval.low, alike.alpha_interval.reason) == (None, TOO_ALIKE)
    assert alike.rate_interval.high == 1.0


def test_many_questions_are_drawn_in_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """The interval of thousands of questions is about the same, and the figure is the same."""
    draw = Random(1)
    rows = ["".join(draw.choice("ab") for _ in range(400)) for _ in range(2)]
    whole = agreement_of(sets(*rows))
    monkeypatch.setattr(agreement, "CLUSTERS", 100)
    grouped = agreement_of(sets(*rows))
    assert grouped.alpha == whole.alpha
    assert grouped.rate_interval.low == pytest.approx(whole.rate_interval.low, abs=0.02)
    assert grouped.rate_interval.high == pytest.approx(whole.rate_interval.high, abs=0.02)


def test_gaps_stand_beside_the_rate() -> None:
    """What is still to be judged is named, and what never will be."""
    rate = agreement_of(sets("ab", "aa"), missing=1, pending=3).rate
    assert rate.counts() == {
        "numerator": 1,
        "denominator": 2,
        "missing": 1,
        "pending": 3,
        "value": 0.5,
    }


def test_people_who_labelled_answers_agree_as_their_data_says() -> None:
    """RAGChecker's two annotators: 155 of 280 pairs have the same overall label."""
    file = shared_data("ragchecker/human_labeled_data.json")
    labels: dict[int, list[Mapping[str, int]]] = defaultdict(list)
    for row in json.loads(file.read_text()):
        labels[row["instance_id"]].append(row)
    first, second = ([str(both[n]["overall_label"]) for both in labels.values()] for n in (0, 1))
    rated = [
        Rated(UUID(int=n), {UUID(int=1): a, UUID(int=2): b})
        for n, (a, b) in enumerate(zip(first, second, strict=True))
    ]
    found = agreement_of(rated)
    assert (found.rate.numerator, found.rate.denominator) == (155, 280)
    assert found.alpha.value == pytest.approx(task(rated).alpha())
    assert 0 < found.alpha_interval.low < found.alpha.value < found.alpha_interval.high < 1
