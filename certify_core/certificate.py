"""Links to decision: a certificate, or an abstention that names what is open.

Source: arXiv 2610.34684 sections 3 and 4. Closure alone decides; the conflict policy acts
outside it, on links before and on answers after, so that closure stays monotone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from certify_core.closure import Compiled
from certify_core.evidence import certificate
from certify_core.grounding import ConflictPolicy, Fact, Grounding, Lookup, ground
from certify_core.model import (
    Abstention,
    Cause,
    Certificate,
    Link,
    OpenRequirement,
    RequirementGraph,
    Search,
)
from certify_core.reasoning import exclusive


def open_lookups(
    graph: RequirementGraph, links: Sequence[Link], conflict_policy: ConflictPolicy = "strict"
) -> tuple[Lookup, ...]:
    """Lookups whose inputs are known and which have no accepted link, in dependency order.

    Only requirements the final one rests on; a lookup in conflict is not open to search.
    """
    return ground(graph, links, conflict_policy).lookups


def decide(
    graph: RequirementGraph,
    links: Sequence[Link],
    searches: Sequence[Search] = (),
    conflict_policy: ConflictPolicy = "strict",
    *,
    limit: int = 20,
    seconds: float = 1.0,
) -> Certificate | Abstention:
    """A certificate for the final requirement's value, or what is missing for one.

    Args:
        searches: what was retrieved; it tells why an open lookup has no value.
        limit, seconds: bounds on the alternatives, see ``evidence.all_minimal_sets``.

    Returns:
        An abstention also where answers exclude each other under the strict policy.
        The certificate's ``links`` are those its derivation uses, in its order.
    """
    grounding = ground(graph, links, conflict_policy)
    if not grounding.answers:
        return _abstention(grounding, links, searches)
    best = grounding.answers[0]
    if conflict_policy == "strict" and _disagree(grounding.answers):
        return Abstention((_conflict(grounding),))
    found = _certified(grounding, best, limit, seconds)
    rivals = [fact for fact in grounding.answers if exclusive(best.operand, fact.operand)]
    if not rivals:
        return found
    others = ", ".join(dict.fromkeys(fact.operand.shown for fact in rivals))
    note = f"Other answers were found: {others}. Kept: {best.operand.shown}."
    return replace(found, notes=(*found.notes, note))


def _disagree(answers: Sequence[Fact]) -> bool:
    operands = {fact.operand.value: fact.operand for fact in answers}.values()
    return any(exclusive(one, other) for one, other in combinations(operands, 2))


def _certified(grounding: Grounding, best: Fact, limit: int, seconds: float) -> Certificate:
    alike = [fact for fact in grounding.answers if fact.operand.value == best.operand.value]
    compiled = Compiled.of(grounding.instance(alike))
    found = certificate(compiled, grounding.context, limit=limit, seconds=seconds)
    assert found is not None, "an answer was grounded, so its atom is derived"
    used = [
        link
        for step in found.derivation
        if step.edge is not None and step.unit is not None
        for link in grounding.witnessed[step.edge, step.unit]
    ]
    return replace(
        found, answer=best.operand.shown, links=tuple(dict.fromkeys(used)), notes=grounding.notes
    )


def _conflict(grounding: Grounding) -> OpenRequirement:
    """The final requirement with every answer and the passages behind each."""
    answers = {fact.operand.value: fact for fact in grounding.answers}
    units = [_certified(grounding, fact, 1, 0.0).units for fact in answers.values()]
    return OpenRequirement(
        grounding.graph.final.rid,
        grounding.graph.final.filled(dict(grounding.answers[0].behind)),
        "conflict",
        tuple(sorted({uid for uids in units for uid in uids})),
        ", ".join(fact.operand.shown for fact in answers.values()),
    )


def _abstention(
    grounding: Grounding, links: Sequence[Link], searches: Sequence[Search]
) -> Abstention:
    unanswered = [_unanswered(lookup, links, searches) for lookup in grounding.lookups]
    everything = [*unanswered, *grounding.failures]
    return Abstention(
        tuple(sorted(everything, key=lambda requirement: requirement.rid)), grounding.blocked
    )


def _unanswered(
    lookup: Lookup, links: Sequence[Link], searches: Sequence[Search]
) -> OpenRequirement:
    """Why a lookup is open: values were rejected, none was read, or nothing was retrieved."""
    key = lookup.requirement.rid, lookup.binding
    rejected = sorted(
        (link for link in links if (link.rid, link.binding) == key),
        key=lambda link: (link.rank, link.uid),
    )
    if rejected:
        uids = tuple(dict.fromkeys(link.uid for link in rejected))
        return OpenRequirement(key[0], lookup.text, "entity-check", uids, rejected[0].reason)
    read = [
        uid for search in searches if (search.rid, search.binding) == key for uid in search.uids
    ]
    cause: Cause = "no-value" if read else "nothing-retrieved"
    return OpenRequirement(key[0], lookup.text, cause, tuple(dict.fromkeys(read)))
