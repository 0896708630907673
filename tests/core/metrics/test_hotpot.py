"""HotpotQA's scores: the same figures as its evaluation script, quirks included."""

from __future__ import annotations

import pytest

from certify_core.metrics.hotpot import Match, Prediction, hotpot_score, match_answer, match_facts
from certify_core.metrics.rates import Rate

GOLD = (("Brill", 0), ("Tarn", 1))
RIGHT = Prediction("Brill", GOLD, "the brill!", GOLD)


def test_perfect_prediction_scores_one():
    """Case, articles and punctuation do not count in answers."""
    score = hotpot_score([RIGHT])
    assert score.answer_em == score.sp_em == score.joint_em == Rate(1.0, 1)
    assert score.answer_f1 == score.sp_f1 == score.joint_f1 == Rate(1.0, 1)


def test_further_fact_breaks_em_and_not_recall():
    """A distractor costs precision: EM 0, F1 0.8 with two of three right."""
    match = match_facts([*GOLD, ("Brill", 1)], GOLD)
    assert (match.em, match.precision, match.recall) == (0.0, 2 / 3, 1.0)
    assert match.f1 == pytest.approx(0.8)


def test_order_and_repeats_of_facts_change_nothing():
    """Metamorphic: sets of facts."""
    assert match_facts([*GOLD[::-1], *GOLD], GOLD) == match_facts(GOLD, GOLD)


def test_nothing_for_nothing_has_em_one_and_f1_zero():
    """As upstream: the two disagree on an empty prediction for an empty gold set."""
    assert match_facts([], []) == Match(1.0, 0.0, 0.0, 0.0)
    assert match_answer("the", "a") == Match(1.0, 0.0, 0.0, 0.0)


def test_yes_shares_no_token_with_longer_answers():
    """As upstream: closed answers match themselves or nothing."""
    assert match_answer("yes", "yes it is").f1 == 0.0
    assert match_answer("it is", "yes it is").f1 == pytest.approx(0.8)
    assert match_answer("Yes.", "yes") == Match(1.0, 1.0, 1.0, 1.0)


def test_answer_tokens_count_as_often_as_they_occur():
    """Bag overlap: "new new york" against "new york city" shares two tokens."""
    assert match_answer("new new york", "new york city").f1 == pytest.approx(2 / 3)


def test_joint_multiplies_precision_and_recall():
    """P = 1 · ½, R = ½ · ½ for a half-right answer and one right fact of two given."""
    prediction = Prediction("north pier", GOLD, "pier", (("Brill", 0), ("Other", 3)))
    expected = 2 * 0.5 * 0.25 / 0.75
    assert hotpot_score([prediction]).joint_f1.value == pytest.approx(expected)


def test_missing_prediction_stays_in_every_denominator():
    """As upstream; the part that is there still counts alone, never jointly."""
    score = hotpot_score([RIGHT, Prediction("x", GOLD, None, GOLD)])
    assert score.answer_em == score.joint_em == Rate(1.0, 2, missing=1)
    assert score.sp_em == Rate(2.0, 2)


def test_dropping_a_question_shows_in_the_counts():
    """Metamorphic: drop a row, reorder."""
    wrong = Prediction("x", GOLD, "y", ())
    assert hotpot_score([RIGHT, wrong]) == hotpot_score([wrong, RIGHT])
    assert hotpot_score([RIGHT, wrong]).sp_em == Rate(1.0, 2)
    assert hotpot_score([RIGHT]).sp_em == Rate(1.0, 1)
