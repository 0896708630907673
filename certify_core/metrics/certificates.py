"""How often a twin is certified although its deciding fact is gone, and by what cause.

Source: arXiv 2610.34684 section 4: with correct requirements, a false certificate needs a
surviving accepted statement of the deleted fact or a false accepted link, so its rate is
bounded by the sum of those two.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from certify_core.metrics.rates import Outcome, Rate, both, known, share


@dataclass(frozen=True, slots=True)
class TwinAudit:
    """What was found about one twin.

    ``certified`` is ``None`` where the run has no result; ``surviving`` (an accepted link
    restates the deleted fact) and ``false_link`` (an accepted link is wrong) are ``None``
    until somebody has looked.
    """

    certified: bool | None
    surviving: bool | None
    false_link: bool | None


@dataclass(frozen=True, slots=True)
class FalseCertificates:
    """The false-certificate rate beside the two rates that bound it.

    ``unexplained`` are certified twins with neither cause: their requirements were wrong,
    or the audit missed something.
    """

    rate: Rate
    surviving: Rate
    false_links: Rate
    unexplained: Rate

    @property
    def bound(self) -> float | None:
        """Upper bound on the rate, at most 1; undefined until every twin is audited."""
        one, other = self.surviving, self.false_links
        if one.value is None or other.value is None or one.pending or other.pending:
            return None
        return min(1.0, one.value + other.value)


def false_certificates(twins: Sequence[TwinAudit]) -> FalseCertificates:
    """The rate over all twins, and over all twins each of the causes that can explain it."""
    return FalseCertificates(
        rate=share((True, known(twin.certified, "missing")) for twin in twins),
        surviving=share((True, known(twin.surviving, "pending")) for twin in twins),
        false_links=share((True, known(twin.false_link, "pending")) for twin in twins),
        unexplained=share(
            (
                known(twin.certified, "missing"),
                both(_absent(twin.surviving), _absent(twin.false_link)),
            )
            for twin in twins
        ),
    )


def length_auroc(originals: Sequence[int], twins: Sequence[int]) -> Rate:
    """AUROC of telling originals from twins by the length of their evidence alone.

    Pairs in which the original is longer, ties as one half / pairs (Mann and Whitney 1947).
    One half means that length gives nothing away.
    """
    ordered = sorted(twins)
    wins = sum(bisect_left(ordered, n) + bisect_right(ordered, n) for n in originals)
    return Rate(wins / 2, len(originals) * len(twins))


def _absent(found: bool | None) -> Outcome:
    return "pending" if found is None else not found
