"""Evidence sets over later versions: the same words, proposed anew by a person."""

from __future__ import annotations

from collections.abc import Sequence

from adjudication.corpus.models import Span
from adjudication.corpus.newer import successors_of
from adjudication.corpus.queries import Premise
from adjudication.projects.models import Membership


def renewals(membership: Membership, sets: Sequence[Sequence[Premise]]) -> list[Sequence[Span]]:
    """For each set, its spans with those to be checked again replaced by their successors.

    Empty where nothing is to be replaced, where a span that is to be checked again has no
    successor that this member may read, where a member is blocked for them, and where the
    spans are those of another of ``sets``.
    """
    stale = {one.span.pk for members in sets for one in members if one.span and one.recheck}
    successors = successors_of(membership, stale) if stale else {}
    known = {frozenset(one.span.pk for one in members if one.span) for members in sets}

    def renewed(members: Sequence[Premise]) -> Sequence[Span]:
        spans = [
            successors.get(one.span.pk) if one.recheck else one.span for one in members if one.span
        ]
        found = list(dict.fromkeys(span for span in spans if span))
        if len(found) < len(members) or {span.pk for span in found} in known:
            return ()
        return found

    return [renewed(members) for members in sets]
