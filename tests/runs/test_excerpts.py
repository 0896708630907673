"""Which spans of a certificate's passages a reviewer is asked about."""

from __future__ import annotations

from adjudication.runs.excerpts import Excerpt, Members, members
from certify_core.certificate import decide
from certify_core.model import (
    Certificate,
    Grade,
    Link,
    Requirement,
    RequirementGraph,
    Unit,
)
from certify_core.sentences import sentence_at

ANNA = Unit(
    "anna",
    "Anna Berg",
    "Anna Berg\nAnna Berg was married to Carl Holm. They lived in Ghent. She died in Oslo.",
)
CARL = Unit("carl", "Carl Holm", "Carl Holm\nHe was born in Bergen.")
UNITS = {unit.uid: unit for unit in (ANNA, CARL)}


def link(
    rid: int, unit: Unit, value: str, *deps: tuple[int, str], grade: Grade = "anchored"
) -> Link:
    """A link to the first place where ``value`` stands in the body of ``unit``."""
    start = unit.text.index(value, len(unit.title))
    end = start + len(value)
    sentence = sentence_at(unit.text, start, end)
    return Link(rid, deps, unit.uid, value, value.lower(), start, end, sentence, grade, "", "", 0)


def chosen(graph: RequirementGraph, *links: Link) -> Members:
    certificate = decide(graph, links)
    assert isinstance(certificate, Certificate)
    return members(certificate, graph, UNITS)


def words(excerpts: tuple[Excerpt, ...]) -> list[str]:
    return [UNITS[one.uid].text[one.start : one.end] for one in excerpts]


def chain(*templates: str) -> RequirementGraph:
    return RequirementGraph(
        tuple(Requirement(rid, "lookup", text) for rid, text in enumerate(templates, start=1))
    )


def test_sentence_that_names_the_entity_stands_alone():
    """No member that the claim can do without."""
    found = chosen(chain("Who is the spouse of Anna Berg?"), link(1, ANNA, "Carl Holm"))
    assert words(found.kept) == ["Anna Berg was married to Carl Holm."]
    assert found.dropped == ()


def test_title_line_goes_before_a_sentence_that_names_nobody():
    """ "She died in Oslo" speaks of Anna Berg only under her title."""
    found = chosen(chain("Where did Anna Berg die?"), link(1, ANNA, "Oslo"))
    assert words(found.kept) == ["Anna Berg", "She died in Oslo."]


def test_title_line_falls_out_where_another_member_names_the_entity():
    """Minimality is checked over spans; what can be spared is named."""
    graph = chain("Who is the spouse of Anna Berg?", "Where did #1 and Anna Berg live?")
    found = chosen(graph, link(1, ANNA, "Carl Holm"), link(2, ANNA, "Ghent", (1, "carl holm")))
    assert words(found.kept) == ["Anna Berg was married to Carl Holm.", "They lived in Ghent."]
    assert words(found.dropped) == ["Anna Berg"]


def test_one_sentence_for_two_values_is_one_member():
    """Duplicates are merged."""
    graph = chain("Who is the spouse of Anna Berg?", "Was #1 married, Anna Berg?")
    found = chosen(graph, link(1, ANNA, "Carl Holm"), link(2, ANNA, "married", (1, "carl holm")))
    assert words(found.kept) == ["Anna Berg was married to Carl Holm."]


def test_title_that_the_requirement_does_not_name_is_no_member():
    """A verified passage is about something else; its title says nothing of the entity."""
    found = chosen(chain("Where was Dora Lund born?"), link(1, CARL, "Bergen", grade="verified"))
    assert words(found.kept) == ["He was born in Bergen."]


def test_text_without_a_title_line_has_no_title_span():
    """An uploaded text does not begin with its title: nothing is cut from its body."""
    unit = Unit("anna", "Anna Berg", "She died in Oslo.")
    certificate = decide(graph := chain("Where did Anna Berg die?"), [link_in(unit)])
    assert isinstance(certificate, Certificate)
    assert len(members(certificate, graph, {"anna": unit}).kept) == 1


def link_in(unit: Unit) -> Link:
    start = unit.text.index("Oslo")
    return Link(
        1,
        (),
        unit.uid,
        "Oslo",
        "oslo",
        start,
        start + 4,
        (0, len(unit.text)),
        "anchored",
        "",
        "",
        0,
    )


def test_members_follow_the_derivation():
    """A reader meets the first hop first."""
    graph = chain("Who is the spouse of Anna Berg?", "Where was #1 born?")
    found = chosen(graph, link(1, ANNA, "Carl Holm"), link(2, CARL, "Bergen", (1, "carl holm")))
    assert words(found.kept) == [
        "Anna Berg was married to Carl Holm.",
        "Carl Holm",
        "He was born in Bergen.",
    ]
