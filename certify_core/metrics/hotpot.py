"""HotpotQA's answer, supporting-fact and joint scores.

Source: hotpotqa/hotpot, ``hotpot_evaluate_v1.py``. As upstream: one annotated route only,
so a useful further fact breaks EM; nothing predicted for nothing demanded has EM 1 and F1
0; repeated facts count once; a question without a prediction stays in every denominator,
and one part missing makes the joint score 0.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from certify_core.metrics.rates import Gap, Rate, mean

Facts = Iterable[tuple[str, int]]

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_CLOSED = ("yes", "no", "noanswer")


@dataclass(frozen=True, slots=True)
class Prediction:
    """One gold question and what was predicted for it; ``None`` if nothing was."""

    answer: str
    facts: tuple[tuple[str, int], ...]
    predicted_answer: str | None
    predicted_facts: tuple[tuple[str, int], ...] | None


@dataclass(frozen=True, slots=True)
class Match:
    """How well one prediction matches; each between 0 and 1."""

    em: float
    f1: float
    precision: float
    recall: float


@dataclass(frozen=True, slots=True)
class HotpotScore:
    """Means over all gold questions."""

    answer_em: Rate
    answer_f1: Rate
    sp_em: Rate
    sp_f1: Rate
    joint_em: Rate
    joint_f1: Rate


def hotpot_score(predictions: Sequence[Prediction]) -> HotpotScore:
    answers = [_answer(prediction) for prediction in predictions]
    facts = [_facts(prediction) for prediction in predictions]
    joint = [_joint(a, f) for a, f in zip(answers, facts, strict=True)]
    return HotpotScore(
        answer_em=_mean(answers, lambda match: match.em),
        answer_f1=_mean(answers, lambda match: match.f1),
        sp_em=_mean(facts, lambda match: match.em),
        sp_f1=_mean(facts, lambda match: match.f1),
        joint_em=_mean(joint, lambda match: match.em),
        joint_f1=_mean(joint, lambda match: match.f1),
    )


def match_answer(predicted: str, gold: str) -> Match:
    """Token overlap after dropping case, punctuation and articles.

    "yes", "no" and "noanswer" overlap with nothing but themselves.
    """
    left, right = _normal(predicted), _normal(gold)
    em = float(left == right)
    if left != right and (left in _CLOSED or right in _CLOSED):
        return Match(em, 0.0, 0.0, 0.0)
    tokens, wanted = left.split(), right.split()
    shared = (Counter(tokens) & Counter(wanted)).total()
    return _match(em, shared, len(tokens), len(wanted))


def match_facts(predicted: Facts, gold: Facts) -> Match:
    """Supporting facts as sets of (title, sentence number)."""
    given, wanted = set(predicted), set(gold)
    return _match(float(given == wanted), len(given & wanted), len(given), len(wanted))


def _match(em: float, shared: int, predicted: int, gold: int) -> Match:
    if not shared:
        return Match(em, 0.0, 0.0, 0.0)
    precision, recall = shared / predicted, shared / gold
    return Match(em, _harmonic(precision, recall), precision, recall)


def _answer(prediction: Prediction) -> Match | None:
    if prediction.predicted_answer is None:
        return None
    return match_answer(prediction.predicted_answer, prediction.answer)


def _facts(prediction: Prediction) -> Match | None:
    if prediction.predicted_facts is None:
        return None
    return match_facts(prediction.predicted_facts, prediction.facts)


def _joint(answer: Match | None, facts: Match | None) -> Match | None:
    if answer is None or facts is None:
        return None
    precision, recall = answer.precision * facts.precision, answer.recall * facts.recall
    return Match(answer.em * facts.em, _harmonic(precision, recall), precision, recall)


def _harmonic(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _mean(matches: Sequence[Match | None], part: Callable[[Match], float]) -> Rate:
    missing: Gap = "missing"
    return mean(missing if match is None else part(match) for match in matches)


def _normal(text: str) -> str:
    bare = text.lower().translate(_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", bare).split())
