"""The eight interventions on small families, and the judgement of what a system did."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from certify_core.interventions.changes import (
    AlternativeRouteCheck,
    CitationRestriction,
    ContradictionReplacement,
    GoldOnly,
    IdentityPerturbation,
    PermissionPerturbation,
    SingleHopRemoval,
    TemporalPerturbation,
    needing_no_text,
)
from certify_core.interventions.trials import Evidence, InvalidIntervention, Response, judge

# Project Cedar is mapped to a record (a1), whose holder a schedule names (a2, or b2 elsewhere).
TWO_ROUTES = Evidence(("a1", "a2"), (("a1", "a2"), ("a1", "b2")), ("noise", "a2", "a1", "b2"))
ONE_ROUTE = Evidence(("a1", "a2"), (("a1", "a2"),), ("noise", "a1", "a2"))
SPANS = tuple("abcdef")
families = st.lists(st.sets(st.sampled_from(SPANS), min_size=1, max_size=4), min_size=1, max_size=5)


def test_gold_only_supplies_the_set_alone():
    """Distractors and other routes are left out; the set suffices."""
    trial = GoldOnly().apply(TWO_ROUTES)
    assert (trial.supplied, trial.citable, trial.changed) == (("a1", "a2"), ("a1", "a2"), ())
    assert (trial.survivors, trial.expected) == ((("a1", "a2"),), "supported-answer")


def test_removal_expects_abstention_only_where_nothing_survives():
    """Every route needs a1; a2 has a substitute, which is named."""
    hard = SingleHopRemoval("a1").apply(TWO_ROUTES)
    assert (hard.supplied, hard.survivors) == (("noise", "a2", "b2"), ())
    assert (hard.expected, hard.reason) == ("appropriate-abstention", "not-found")
    soft = SingleHopRemoval("a2").apply(TWO_ROUTES)
    assert (soft.supplied, soft.survivors) == (("noise", "a1", "b2"), (("a1", "b2"),))
    assert (soft.expected, soft.reason) == ("supported-answer", None)


def test_alternative_route_check_supplies_routes_without_distractors():
    """What is left of the set and the surviving sets, nothing else."""
    assert AlternativeRouteCheck("a2").apply(TWO_ROUTES).supplied == ("a1", "b2")
    alone = AlternativeRouteCheck("a2").apply(ONE_ROUTE)
    assert (alone.supplied, alone.survivors) == (("a1",), ())
    assert alone.expected == "appropriate-abstention"


def test_contradiction_is_disputed_strictly_and_weighed_leniently():
    """An unresolved contradiction is a reason to abstain even beside a surviving route."""
    strict = ContradictionReplacement("a2", "x2").apply(TWO_ROUTES)
    assert (strict.supplied, strict.added) == (("noise", "x2", "a1", "b2"), ("x2",))
    assert (strict.survivors, strict.reason) == ((("a1", "b2"),), "contradiction")
    lenient = ContradictionReplacement("a2", "x2", "lenient").apply(TWO_ROUTES)
    assert (lenient.survivors, lenient.expected) == ((("a1", "b2"),), "supported-answer")
    alone = ContradictionReplacement("a2", "x2", "lenient").apply(ONE_ROUTE)
    assert alone.reason == "contradiction"


def test_citation_restriction_keeps_the_whole_context():
    """Retrieval passes, citation cannot: the complete set is supplied but not citable."""
    trial = CitationRestriction(("a2", "noise")).apply(ONE_ROUTE)
    assert (trial.supplied, trial.citable) == (ONE_ROUTE.corpus, ("noise", "a2"))
    assert (trial.changed, trial.reason) == (("a1",), "not-citable")
    assert CitationRestriction(("a1", "b2")).apply(TWO_ROUTES).survivors == (("a1", "b2"),)


@pytest.mark.parametrize(
    ("change", "reason"),
    [(IdentityPerturbation, "not-found"), (TemporalPerturbation, "ineligible-version")],
)
def test_replaced_member_completes_no_set(change, reason):
    """Another record or a version out of its time takes the place and proves nothing."""
    trial = change("a1", "x1").apply(TWO_ROUTES)
    assert (trial.supplied, trial.citable) == (("noise", "a2", "x1", "b2"),) * 2
    assert (trial.survivors, trial.reason) == ((), reason)


def test_hidden_member_is_blocked_and_not_missing():
    """The reader may not see it; the reason differs from the same span not being there."""
    hidden, gone = (c("a1").apply(TWO_ROUTES) for c in (PermissionPerturbation, SingleHopRemoval))
    assert (hidden.supplied, hidden.citable) == (gone.supplied, gone.citable)
    assert (hidden.reason, gone.reason) == ("blocked", "not-found")


@pytest.mark.parametrize(
    "change",
    [
        SingleHopRemoval("b2"),
        AlternativeRouteCheck("noise"),
        PermissionPerturbation("z"),
        ContradictionReplacement("b2", "x"),
        IdentityPerturbation("a1", "noise"),
        TemporalPerturbation("a1", "a1"),
        CitationRestriction(("noise", "a2", "a1", "b2")),
        CitationRestriction(("z",)),
    ],
)
def test_change_that_cannot_be_made_is_refused_by_name(change):
    """No member, no new span, no proper part: never a trial that changes nothing."""
    with pytest.raises(InvalidIntervention) as caught:
        change.apply(TWO_ROUTES)
    assert caught.value.name == change.name
    assert caught.value.problem


@pytest.mark.parametrize("selected", [(), ("a1",), ("a1", "a2", "b2")])
def test_evidence_needs_a_minimal_set_under_test(selected):
    """A set that is empty, incomplete or larger than needed cannot show necessity."""
    with pytest.raises(InvalidIntervention):
        Evidence(selected, (("a1", "a2"), ("a1", "b2"), ("a1", "a2", "b2")))


@given(families, st.sets(st.sampled_from(SPANS)))
def test_expectation_follows_the_surviving_sets(family, cited):
    """For every member and change: an answer is right exactly if some set is left whole, and an
    answer is supported exactly if it cites one."""
    minimal = [known for known in family if not any(other < known for other in family)]
    evidence = Evidence(tuple(minimal[0]), tuple(map(tuple, family)), SPANS)
    for change in needing_no_text(evidence):
        trial = change.apply(evidence)
        usable = set(trial.supplied) & set(trial.citable)
        left = [known for known in minimal if known <= usable]
        assert {frozenset(known) for known in trial.survivors} == {frozenset(k) for k in left}
        assert (trial.expected == "supported-answer") == bool(left)
        result = judge(trial, Response(True, tuple(cited))).result
        assert (result == "supported-answer") == any(known <= cited for known in left)


def test_standard_changes_cover_every_member_four_ways():
    """Gold-only once; each member removed, routed round, hidden and barred from citation."""
    changes = needing_no_text(ONE_ROUTE)
    assert len(changes) == 1 + 4 * 2
    barred = [c.apply(ONE_ROUTE).changed for c in changes if isinstance(c, CitationRestriction)]
    assert barred == [("a1",), ("a2",)]


@pytest.mark.parametrize(
    ("response", "result", "fits", "from_memory"),
    [
        (Response(False), "appropriate-abstention", True, False),
        (Response(True, ("a2",), True), "unsupported-synthesis", False, True),
        (Response(True, ("a2",), False), "unsupported-synthesis", False, False),
        (Response(True, ("a1", "a2"), True), "unsupported-synthesis", False, True),
        (Response(True, ("a2",), None), "unsupported-synthesis", False, False),
    ],
)
def test_answer_without_a_surviving_set_is_synthesis(response, result, fits, from_memory):
    """Also when it is correct, and when it cites the span that was taken away."""
    judged = judge(SingleHopRemoval("a1").apply(ONE_ROUTE), response)
    assert (judged.result, judged.as_expected) == (result, fits)
    assert judged.correct_but_unsupported == from_memory


def test_unchanged_answer_is_judged_by_its_revised_citations():
    """The same answer after a removal: supported by the other route, or not at all."""
    trial = SingleHopRemoval("a2").apply(TWO_ROUTES)
    revised = judge(trial, Response(True, ("b2", "a1", "noise"), True))
    assert (revised.as_expected, revised.correct_but_unsupported) == (True, False)
    assert judge(trial, Response(True, ("a1", "a2"), True)).correct_but_unsupported
    assert judge(trial, Response(False)).result == "needless-abstention"
