"""ALCE's citation recall and precision, given entailment labels instead of a model.

Source: princeton-nlp/ALCE, ``eval.py`` (``compute_autoais`` with citations). Upstream
prints 100 times the value. Splitting is the caller's: upstream keeps the text before the
first line break and splits it with NLTK.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from certify_core.metrics.rates import Gap, Rate, mean

Entails = Callable[[int, int, tuple[int, ...]], bool | None]
"""Whether documents (0-based, concatenated in this order) entail a sentence of an output.

Arguments: number of the output, number of the sentence, the documents. ``None`` while
nobody has judged it.
"""

_MARKER = re.compile(r"\[(\d+)")


@dataclass(frozen=True, slots=True)
class Output:
    """The citation markers of every sentence, as written, and how many documents there are."""

    markers: tuple[tuple[int, ...], ...]
    documents: int


@dataclass(frozen=True, slots=True)
class CitationScore:
    """Means over the outputs that have a sentence."""

    recall: Rate
    precision: Rate


def markers(sentence: str) -> tuple[int, ...]:
    """The numbers that follow an opening bracket; of ``[1, 2]`` that is only the 1."""
    return tuple(int(number) for number in _MARKER.findall(sentence))


def citation_score(
    outputs: Sequence[Output], entails: Entails, *, at_most: int = 3
) -> CitationScore:
    """Citation recall and precision.

    Recall: sentences that their citations together entail / sentences. Precision: citations
    that entail the sentence alone or without which the rest does not / citations counted.

    As upstream: only the first ``at_most`` citations of a sentence count; a marker beyond
    the documents fails its whole sentence, yet takes its citations out of the precision's
    denominator; marker 0 reads the last document; citations of a sentence that is not
    entailed are all wrong; an output without citations has precision 0, one without
    sentences leaves both means. Unlike upstream, an output for which a label is needed and
    ``None`` is pending; marker 0 without any document is out of range, not a crash.
    """
    scored = [
        _output(output, partial(entails, number), at_most) for number, output in enumerate(outputs)
    ]
    return CitationScore(
        recall=mean(recall for recall, _ in scored),
        precision=mean(precision for _, precision in scored),
    )


class _Unjudged(Exception):
    """A label that is needed is not there."""


def _output(
    output: Output, entails: Callable[[int, tuple[int, ...]], bool | None], at_most: int
) -> tuple[float | Gap | None, float | Gap | None]:
    """Recall and precision of one output."""
    if not output.markers:
        return None, None

    def judged(sentence: int, references: Sequence[int]) -> bool:
        documents = tuple(reference % output.documents for reference in references)
        label = entails(sentence, documents)
        if label is None:
            raise _Unjudged
        return label

    entailed = right = counted = 0
    try:
        for sentence, written in enumerate(output.markers):
            references = _references(written, output.documents)[:at_most]
            counted += len(references)
            if references and judged(sentence, references):
                entailed += 1
                right += _needed(references, partial(judged, sentence))
    except _Unjudged:
        return "pending", "pending"
    return entailed / len(output.markers), right / counted if counted else 0.0


def _references(written: Sequence[int], documents: int) -> list[int]:
    """Indices into the documents; none at all if one lies beyond them."""
    references = [marker - 1 for marker in written]
    inside = documents > 0 and all(reference < documents for reference in references)
    return references if inside else []


def _needed(references: Sequence[int], entails: Callable[[Sequence[int]], bool]) -> int:
    """How many citations of an entailed sentence count as right."""
    if len(references) == 1:
        return 1
    return sum(
        entails([reference]) or not entails(_without(references, reference))
        for reference in references
    )


def _without(references: Sequence[int], reference: int) -> list[int]:
    """The citations without the first that names the document."""
    rest = list(references)
    rest.remove(reference)
    return rest
