"""From links to a decision: routes, conflicts, causes, and certificates that hold up."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from certify_core.certificate import decide, open_lookups
from certify_core.closure import Compiled
from certify_core.errors import InvalidGraph
from certify_core.folding import fold
from certify_core.grounding import atom_of, ground, read_atom
from certify_core.model import (
    Abstention,
    Binding,
    Certificate,
    Grade,
    Link,
    OpenRequirement,
    Requirement,
    RequirementGraph,
    Search,
    ValueKind,
)
from certify_core.values import canonical, closed_list
from tests.core import naive


def lookup(rid: int, template: str, expect: ValueKind = "any") -> Requirement:
    return Requirement(rid, "lookup", template, expect=expect)


def graph(*requirements: Requirement) -> RequirementGraph:
    return RequirementGraph(requirements)


def link(
    rid: int,
    uid: str,
    value: str,
    *behind: tuple[int, str],
    rank: int = 0,
    kind: ValueKind = "any",
    grade: Grade = "anchored",
) -> Link:
    """A link whose passage is the value alone."""
    binding: Binding = tuple((dep, canonical(text, "any")) for dep, text in behind)
    form = value if value.startswith("[") else canonical(value, kind)
    end = len(value)
    return Link(rid, binding, uid, value, form, 0, end, (0, end), grade, "why", "cue", rank)


CHAIN = graph(lookup(1, "Who directed Film A?", "person"), lookup(2, "Where was #1 born?", "place"))
OLDER = graph(
    lookup(1, "When was Ann born?", "date"),
    lookup(2, "When was Bob born?", "date"),
    Requirement(3, "reasoning", "", "select-earlier", ("Ann", "#1", "Bob", "#2")),
)


def certified(result: Certificate | Abstention) -> Certificate:
    assert isinstance(result, Certificate), result
    return result


def abstained(result: Certificate | Abstention) -> Abstention:
    assert isinstance(result, Abstention), result
    return result


def test_two_hops_are_certified_with_their_passages():
    """Answer as it stands in the passage, minimal units, links in order of use."""
    links = [link(2, "p2", "Gent", (1, "Ann"), kind="place"), link(1, "p1", "Ann")]
    found = certified(decide(CHAIN, links))
    assert (found.answer, found.units, found.core) == ("Gent", ("p1", "p2"), ("p1", "p2"))
    assert [used.rid for used in found.links] == [1, 2]
    assert found.closures == 3
    naive.check_derivation(
        ground(CHAIN, links).instance(ground(CHAIN, links).answers), found.units, found.derivation
    )


def test_passages_of_one_value_are_alternatives():
    """The better ranked passage witnesses; the other is an alternative, not in the core."""
    links = [
        link(1, "late", "Ann", rank=3),
        link(1, "early", "Ann", rank=1),
        link(2, "p", "Gent", (1, "Ann")),
    ]
    found = certified(decide(CHAIN, links))
    assert (found.units, found.core) == (("early", "p"), ("p",))
    assert found.alternatives == (("late", "p"),)


def test_one_passage_for_two_requirements_is_one_unit():
    """A unit may state several facts; it is counted once and both links are kept."""
    links = [link(1, "p", "Ann"), link(2, "p", "Gent", (1, "Ann"))]
    found = certified(decide(CHAIN, links))
    assert (found.units, len(found.links)) == (("p",), 2)


def test_lookups_open_in_dependency_order():
    """First the ones without inputs, then those whose inputs have values, filled in."""
    assert [o.text for o in open_lookups(CHAIN, [])] == ["Who directed Film A?"]
    (opened,) = open_lookups(CHAIN, [link(1, "p", "Ann Lee", kind="person")])
    assert opened.text == "Where was Ann Lee born?"
    assert opened.binding == ((1, "ann lee"),)


def test_unneeded_requirements_are_not_looked_up():
    """What the final requirement does not rest on is neither asked nor reported."""
    aside = graph(lookup(1, "Who is tall?"), lookup(2, "Who is old?"))
    assert [o.requirement.rid for o in open_lookups(aside, [])] == [2]
    assert [o.rid for o in abstained(decide(aside, [])).open] == [2]


def test_several_values_go_separate_ways():
    """Two spouses: each binds its own lookup, and both ways are open until one is closed."""
    links = [link(1, "p", "Ann"), link(1, "q", "Eva", rank=1)]
    assert [o.text for o in open_lookups(CHAIN, links)] == [
        "Where was Ann born?",
        "Where was Eva born?",
    ]
    found = certified(decide(CHAIN, [*links, link(2, "r", "Gent", (1, "Eva"))]))
    assert (found.answer, found.units) == ("Gent", ("q", "r"))


def test_several_ways_to_one_answer_are_alternatives():
    """Either way proves it."""
    links = [
        link(1, "p", "Ann"),
        link(1, "q", "Eva", rank=1),
        link(2, "r", "Gent", (1, "Ann")),
        link(2, "s", "Gent", (1, "Eva")),
    ]
    found = certified(decide(CHAIN, links))
    assert {found.units, *found.alternatives} == {("p", "r"), ("q", "s")}


def test_values_of_different_ways_never_meet():
    """A child of Ann and a birthplace of Eva's child say nothing together."""
    family = graph(
        lookup(1, "Who is a child of King?"),
        lookup(2, "Where was #1 born?"),
        lookup(3, "Where did #1 die?"),
        Requirement(4, "reasoning", "", "same", ("#2", "#3")),
    )
    links = [
        link(1, "p", "Ann"),
        link(1, "q", "Eva", rank=1),
        link(2, "r", "Gent", (1, "Ann")),
        link(3, "s", "Gent", (1, "Eva")),
    ]
    result = abstained(decide(family, links))
    assert {o.text for o in result.open} == {"Where was Eva born?", "Where did Ann die?"}
    assert [(b.rid, b.detail) for b in result.blocked] == [(4, "its inputs do not fit together")]
    found = certified(decide(family, [*links, link(2, "t", "Gent", (1, "Eva"))]))
    assert (found.answer, found.units) == ("yes", ("q", "s", "t"))


def test_different_answers_by_different_ways_are_a_conflict():
    """Strictly no answer, with the passages of both; leniently the best ranked, flagged."""
    links = [
        link(1, "p", "Ann"),
        link(1, "q", "Eva", rank=1),
        link(2, "r", "Gent", (1, "Ann")),
        link(2, "s", "Rome", (1, "Eva")),
    ]
    (opened,) = abstained(decide(CHAIN, links)).open
    assert (opened.cause, opened.uids, opened.detail) == (
        "conflict", ("p", "q", "r", "s"), "Gent, Rome",
    )  # fmt: skip
    found = certified(decide(CHAIN, links, conflict_policy="lenient"))
    assert (found.answer, found.units) == ("Gent", ("p", "r"))
    assert found.notes == ("Other answers were found: Rome. Kept: Gent.",)


def test_conflict_between_lesser_answers_counts():
    """The best answer fits both others, but they exclude each other."""
    one = graph(lookup(1, "Who?", "person"))
    links = [link(1, f"p{n}", name, rank=n) for n, name in enumerate(["Lee", "Ann Lee", "Bob Lee"])]
    assert abstained(decide(one, links)).open[0].cause == "conflict"


def test_shorter_form_of_an_answer_is_no_conflict():
    """ "Santa Rosa" and "Santa Rosa, California" may be one place; the better ranked is given."""
    one = graph(lookup(1, "Where?", "place"))
    links = [link(1, "p", "Santa Rosa, California"), link(1, "q", "Santa Rosa", rank=1)]
    assert certified(decide(one, links)).answer == "Santa Rosa, California"


def test_conflicting_dates_of_one_lookup():
    """Strictly the lookup has no value and says why; leniently the best ranked counts."""
    links = [
        link(1, "z", "1322", kind="date"),
        link(1, "q", "1327", kind="date", rank=1),
        link(2, "r", "1400", kind="date"),
    ]
    result = abstained(decide(OLDER, links))
    assert result.open == (
        OpenRequirement(1, "When was Ann born?", "conflict", ("z", "q"), "1322, 1327"),
    )
    assert [b.rid for b in result.blocked] == [3]
    assert open_lookups(OLDER, links) == ()
    found = certified(decide(OLDER, links, conflict_policy="lenient"))
    assert (found.answer, found.units) == ("Ann", ("r", "z"))
    assert found.notes == ("When was Ann born? Conflicting values: 1322, 1327. Kept: 1322.",)


def test_dates_that_contain_each_other_are_no_conflict():
    """1322, 1322/1327 and a day in 1322 stand side by side; each passage can prove it."""
    links = [
        link(1, "p", "1322/1327", kind="date"),
        link(1, "q", "1322", kind="date", rank=1),
        link(1, "s", "1 May 1322", kind="date", rank=2),
        link(2, "r", "1400", kind="date"),
    ]
    found = certified(decide(OLDER, links))
    assert found.answer == "Ann"
    assert {found.units, *found.alternatives} == {("p", "r"), ("q", "r"), ("r", "s")}


def test_more_links_never_take_an_atom_away():
    """Grounding without conflict policy is monotone: conflicts act on answers only."""
    links = [
        link(1, "p", "Ann"),
        link(1, "q", "Eva", rank=1),
        link(2, "r", "Gent", (1, "Ann")),
        link(2, "s", "Rome", (1, "Eva")),
    ]
    known: set[str] = set()
    for count in range(len(links) + 1):
        atoms = {f.atom for facts in ground(CHAIN, links[:count]).facts.values() for f in facts}
        assert known <= atoms
        known = atoms


def test_undecidable_step_is_named_with_its_reason():
    """Year against full date in that year: no winner, and the step is what is open."""
    links = [link(1, "p", "1879", kind="date"), link(2, "q", "14 March 1879", kind="date")]
    (opened,) = abstained(decide(OLDER, links)).open
    assert (opened.rid, opened.cause) == (3, "operation-failed")
    assert opened.detail == "'1879' and '14 March 1879' are tied or too vague to order"


def test_wrong_typed_value_fails_the_step():
    """ "American" is no date of birth; nothing is concluded from it."""
    links = [link(1, "p", "American"), link(2, "q", "1900", kind="date")]
    (opened,) = abstained(decide(OLDER, links)).open
    assert (opened.cause, opened.detail) == ("operation-failed", "'American' is no date")


def test_boolean_needs_both_sides():
    """One country known, the other not found: neither yes nor no."""
    same = graph(
        lookup(1, "Country of A?", "nationality"),
        lookup(2, "Country of B?", "nationality"),
        Requirement(3, "reasoning", "", "same", ("#1", "#2")),
        Requirement(4, "reasoning", "", "not", ("#3",)),
    )
    one = link(1, "p", "German", kind="nationality")
    result = abstained(decide(same, [one]))
    assert [(o.rid, o.cause) for o in result.open] == [(2, "nothing-retrieved")]
    assert [b.rid for b in result.blocked] == [3, 4]
    both = [one, link(2, "q", "Germany", kind="nationality")]
    found = certified(decide(same, both))
    assert (found.answer, found.units) == ("no", ("p", "q"))


def test_count_over_an_open_lookup_abstains():
    """Two children found are not "two"; a passage with the closed list is."""
    counted = graph(
        lookup(1, "Who are the children of Ann?"),
        Requirement(2, "reasoning", "", "count", ("#1",)),
    )
    found = [link(1, "p", "Bob"), link(1, "q", "Cid", rank=1)]
    assert {o.cause for o in abstained(decide(counted, found)).open} == {"operation-failed"}
    listed = [link(1, "p", closed_list(["bob", "cid"]))]
    assert certified(decide(counted, listed)).answer == "2"


@pytest.mark.parametrize(
    ("links", "searches", "cause", "uids"),
    [
        ([], [], "nothing-retrieved", ()),
        ([], [("p", 1, ())], "nothing-retrieved", ()),
        ([], [("p", 1, ("u", "v")), ("p", 2, ("v", "w"))], "no-value", ("u", "v", "w")),
        (["late", "early"], [("p", 1, ("early", "late", "x"))], "entity-check", ("early", "late")),
    ],
)
def test_open_lookup_has_its_cause(links, searches, cause, uids):
    """Nothing retrieved, nothing read, or rejected: each with its passages, in rank order."""
    rejected = [
        link(1, uid, "Ann", rank=rank, grade="rejected")
        for rank, uid in zip((5, 1), links, strict=False)
    ]
    made = [Search(1, (), query, number, units) for query, number, units in searches]
    (opened,) = abstained(decide(CHAIN, rejected, made)).open
    assert (opened.rid, opened.cause, opened.uids) == (1, cause, uids)


def test_causes_belong_to_one_binding():
    """A search for Ann's birthplace says nothing about Eva's."""
    links = [link(1, "p", "Ann"), link(1, "q", "Eva", rank=1)]
    read = [Search(2, ((1, "ann"),), "", 1, ("x",))]
    causes = {o.text: o.cause for o in abstained(decide(CHAIN, links, read)).open}
    assert causes == {
        "Where was Ann born?": "no-value",
        "Where was Eva born?": "nothing-retrieved",
    }


def test_blocked_requirements_show_the_values_known():
    """Filled in as far as it goes, with what they wait for."""
    both = graph(lookup(1, "A?"), lookup(2, "B?"), lookup(3, "Where did #1 meet #2?"))
    (blocked,) = abstained(decide(both, [link(1, "p", "Ann")])).blocked
    assert (blocked.text, blocked.cause, blocked.detail) == (
        "Where did Ann meet #2?", "blocked", "waits for #2",
    )  # fmt: skip


def test_rejected_links_prove_nothing():
    """Only what passed the entity check counts."""
    links = [link(1, "p", "Ann", grade="rejected"), link(2, "q", "Gent", (1, "Ann"))]
    assert [o.rid for o in abstained(decide(CHAIN, links)).open] == [1]


def test_names_that_fold_to_nothing_stay_apart():
    """Two titles of signs alone are two values."""
    links = [link(1, "p", "!!!"), link(1, "q", "???", rank=1)]
    assert [o.text for o in open_lookups(CHAIN, links)] == [
        "Where was !!! born?",
        "Where was ??? born?",
    ]


def test_graph_refuses_references_that_could_cycle():
    """A step may only refer to earlier ones: not to itself, not ahead."""
    for template in ("Who is #1?", "Who is #2?"):
        with pytest.raises(InvalidGraph, match="requirement 1"):
            graph(lookup(1, template), lookup(2, "Who?"))


def test_alternatives_are_bounded_and_honest():
    """More alternatives than the limit: the list is cut and says so."""
    one = graph(lookup(1, "Who?"))
    links = [link(1, f"p{n}", "Ann", rank=n) for n in range(5)]
    found = certified(decide(one, links, limit=2))
    assert (found.units, found.complete) == (("p0",), False)
    assert found.alternatives == (("p1",),)


@given(st.integers(1, 9), st.lists(st.tuples(st.integers(1, 9), st.text('ab"[]')), max_size=3))
def test_atoms_read_back(rid, behind):
    """An atom's text gives back requirement, values behind it and value."""
    binding = tuple(behind)
    assert read_atom(atom_of(rid, binding, 'say "yes"')) == (rid, binding, 'say "yes"')


def test_goal_atom_belongs_to_no_requirement():
    """The derivation ends in the answer itself."""
    found = certified(decide(CHAIN, [link(1, "p", "Ann"), link(2, "q", "Gent", (1, "Ann"))]))
    assert found.derivation[-1].atom == '["answer","gent"]'
    assert read_atom(found.derivation[-1].atom) is None


NAMES = st.sampled_from(["Ann", "Eva"])
PLACES = st.sampled_from(["Gent", "Rome"])
GRADES: st.SearchStrategy[Grade] = st.sampled_from(["anchored", "verified", "rejected"])


@st.composite
def chain_links(draw: st.DrawFn) -> list[Link]:
    """Links for both hops, right and stray ones, of mixed grades."""
    result = []
    for number in range(draw(st.integers(0, 8))):
        rank, grade, uid = draw(st.integers(0, 3)), draw(GRADES), f"p{number % 6}"
        hop = draw(st.booleans())
        made = (
            link(1, uid, draw(NAMES), rank=rank, grade=grade)
            if hop
            else link(2, uid, draw(PLACES), (1, draw(NAMES)), rank=rank, grade=grade)
        )
        result.append(made)
    return result


def holds(links: list[Link], units: set[str], answer: str) -> bool:
    """Whether these units give this answer, by plain search for the two links."""
    usable = [item for item in links if item.accepted and item.uid in units]
    return any(
        first.rid == 1 and then.binding == ((1, first.canonical),) and then.canonical == answer
        for first in usable
        for then in usable
    )


@naive.PROPERTY
@given(chain_links())
def test_decision_is_what_the_links_force(links):
    """Certified exactly if one answer follows, with a set that suffices and is minimal."""
    uids = {item.uid for item in links}
    answers = {place for place in ("gent", "rome") if holds(links, uids, place)}
    result = decide(CHAIN, links, limit=100, seconds=60)
    assert isinstance(result, Certificate) == (len(answers) == 1)
    if isinstance(result, Certificate):
        answer = fold(result.answer)
        for units in (result.units, *result.alternatives):
            assert holds(links, set(units), answer)
            assert not any(holds(links, set(units) - {unit}, answer) for unit in units)
        assert {used.uid for used in result.links} == set(result.units)
        assert result.closures <= len(uids) + 1


@naive.PROPERTY
@given(chain_links(), st.randoms(use_true_random=False))
def test_decision_ignores_the_order_of_links(links, shuffler):
    """Ranks decide, the order in which links were found does not."""
    ranked = [replace(item, rank=number) for number, item in enumerate(links)]
    shuffled = shuffler.sample(ranked, len(ranked))
    assert decide(CHAIN, shuffled) == decide(CHAIN, ranked)


@naive.PROPERTY
@given(chain_links())
def test_grounded_instance_is_closed_as_grounded(links):
    """Every grounded fact is derived by the closure of all passages, and no other."""
    grounding = ground(CHAIN, links)
    facts = {fact.atom for facts in grounding.facts.values() for fact in facts}
    if grounding.answers:
        instance = grounding.instance(grounding.answers)
        assert Compiled.of(instance).closure().atoms == facts | set(instance.targets)
