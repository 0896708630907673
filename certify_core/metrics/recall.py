"""ID-based context recall, as Ragas defines it (vibrantlabsai/ragas, ``IDBasedContextRecall``)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from certify_core.metrics.rates import Gap, Rate, mean

Ids = Iterable[str | int]


def id_context_recall(samples: Sequence[tuple[Ids | None, Ids]]) -> Rate:
    """Mean over samples of: distinct reference ids that were retrieved / reference ids.

    A sample is ``(retrieved, reference)``; ``None`` retrieved means the run has no result.
    As upstream: numbers and their text are the same id, order and repeats do not matter, a
    sample without reference ids is undefined and leaves the mean, and half the references
    score one half: it never demands a complete set. Unlike upstream, an absent result
    lowers the mean and is counted; there it would be NaN and leave it.
    """
    return mean(_recall(reference, retrieved) for retrieved, reference in samples)


def _recall(reference: Ids, retrieved: Ids | None) -> float | Gap | None:
    wanted = {str(identifier) for identifier in reference}
    if not wanted:
        return None
    if retrieved is None:
        return "missing"
    return len(wanted & {str(identifier) for identifier in retrieved}) / len(wanted)
