"""Values in passages: found exactly where the model says, or not at all."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudication.readers.prompts import link
from adjudication.readers.prompts.common import PASSAGE_LIMIT, VALUE_LIMIT, Closed
from certify_core.model import Requirement, Unit, ValueKind
from certify_core.protocols import Reading
from tests.readers.saying import passage, said, verdict

BORN = Requirement(1, "lookup", "When was Ada Lund born?", expect="date")
MAKER = Requirement(1, "lookup", "Who directed Red Kiln?", expect="person")
ANY = Requirement(1, "lookup", "What?")
FILM = passage("Red Kiln", "Red Kiln was directed by Ada Lund. Ada Lund wrote it.")
DIRECTED = "Red Kiln was directed by Ada Lund."
LIFE = passage("Ada Lund", "Ada Lund was born in Orra on 12 May 1901.")


def read(content: object, *units: Unit, requirement: Requirement = ANY) -> list[link.Found]:
    return link.read(said(content), "small", requirement, units)[0]


def only(content: object, unit: Unit, requirement: Requirement = ANY) -> link.Found:
    (found,) = read({"verdicts": [content]}, unit, requirement=requirement)
    return found


def reading(found: link.Found) -> Reading:
    assert isinstance(found, Reading), found
    return found


def reason(found: link.Found) -> str:
    assert isinstance(found, Closed), found
    return str(found)


# --- One passage -----------------------------------------------------------------------------


def test_value_is_found_where_it_stands() -> None:
    """Protects what a person audits: offsets, sentence, canonical form, and who said so."""
    said_of_life = verdict(1, "12 May 1901", "Ada Lund was born in Orra on 12 May 1901.")
    found = reading(only(said_of_life, LIFE, BORN))
    assert (found.value, found.canonical, found.kind) == ("12 May 1901", "1901-05-12", "date")
    assert LIFE.text[found.start : found.end] == found.value
    assert LIFE.text[slice(*found.sentence)] == said_of_life["sentence"]
    assert found.cue == "small, link/1"


def test_passage_that_states_nothing_is_no_fault() -> None:
    """Protects notes from filling with honest noes."""
    assert only(verdict(1), FILM) is None


@pytest.mark.parametrize(
    ("value", "sentence", "why"),
    [
        ("Bo Aske", DIRECTED, "the value is not in the passage"),
        ("ada lund", DIRECTED, "the value is not in the passage"),
        ("Ada  Lund", DIRECTED, "the value is not in the passage"),
        ("Kil", DIRECTED, "the value is not in the passage"),
        ("wrote", DIRECTED, "the value is not in the quoted sentence"),
        ("Ada Lund", "Ada Lund directed it.", "several places and the quoted sentence in none"),
        ("Ada Lund", None, "wrong schema"),
        ("", DIRECTED, "an empty value"),
        (" \n ", DIRECTED, "an empty value"),
        (None, DIRECTED, "wrong schema"),
        (1901, DIRECTED, "wrong schema"),
        (["Ada Lund"], DIRECTED, "wrong schema"),
        ("x" * (VALUE_LIMIT + 1), DIRECTED, "longer than"),
        ("Ada\0Lund", DIRECTED, "control characters"),
    ],
)
def test_value_that_is_not_exactly_there_closes(value, sentence, why) -> None:
    """Protects certificates from values that no passage states in these words."""
    assert why in reason(only(verdict(1, value, sentence), FILM))


def test_passage_without_text_states_nothing() -> None:
    """Protects against support by an empty context (deepeval #2248)."""
    assert "not in the passage" in reason(only(verdict(1, "Ada Lund", DIRECTED), passage("", "")))


def test_only_place_of_a_value_needs_no_exact_quotation() -> None:
    """Protects values from being lost where a model tidies the sentence it quotes."""
    found = reading(only(verdict(1, "12 May 1901", "She was born on 12 May 1901."), LIFE, BORN))
    assert LIFE.text[found.start : found.end] == "12 May 1901"


def test_quoted_sentence_says_which_place_is_meant() -> None:
    """Protects the evidence shown from being another sentence with the same word."""
    unit = passage("Red Kiln", "Ada Lund played a part.\nRed Kiln was\n directed by Ada Lund.")
    found = reading(only(verdict(1, "Ada Lund", "Red Kiln was directed by Ada Lund."), unit))
    assert found.start == unit.text.rindex("Ada Lund")


@pytest.mark.parametrize(
    ("body", "value", "holds"),
    [
        ("It opened in 1901.", "19", False),
        ("It opened in 1901.", "901", False),
        ("It has 1901a seats.", "1901", False),
        ("Anna met Ann.", "Ann", True),
        ("Ærø lies here.", "rø", False),
        ("导演是张艺谋。", "张艺谋", True),
        ("It is 12km long.", "12km", True),
    ],
)
def test_value_is_whole_words(body: str, value: str, holds: bool) -> None:
    """Protects numbers and names from being cut out of longer ones."""
    found = only(verdict(1, value, body), passage("T", body))
    if holds:
        assert passage("T", body).text.index(body) < reading(found).start
    else:
        assert "not in the passage" in reason(found)


@pytest.mark.parametrize(
    ("kind", "value", "why"),
    [("date", "Orra", "not a date or a year"), ("number", "Orra", "not a number")],
)
def test_value_of_another_kind_closes(kind: ValueKind, value: str, why: str) -> None:
    """Protects comparisons from a place where a date was asked for."""
    requirement = Requirement(1, "lookup", "?", expect=kind)
    found = only(verdict(1, value, LIFE.text.split("\n")[1]), LIFE, requirement)
    assert why in reason(found)


def test_passage_is_read_as_far_as_it_is_shown() -> None:
    """Protects against values that the model cannot have read there."""
    late = passage("Long", "word " * (PASSAGE_LIMIT // 5) + "It was in Orra.")
    assert "not in the passage" in reason(only(verdict(1, "Orra", "It was in Orra."), late))
    sent = link.ask("small", 0, ANY, "?", [late]).messages[-1].content
    assert "Orra" not in sent


# --- Several passages ------------------------------------------------------------------------


def test_verdict_counts_for_the_passage_it_names() -> None:
    """Protects the order of a reply from deciding what it is about (deepeval #2438)."""
    of_life = verdict(2, "12 May 1901", "Ada Lund was born in Orra on 12 May 1901.")
    found = read({"verdicts": [of_life, verdict(1)]}, FILM, LIFE)
    assert found[0] is None
    assert reading(found[1]).value == "12 May 1901"


def test_value_of_one_passage_is_not_credited_to_another() -> None:
    """Protects passages from each other: the words must be in the one that is named."""
    swapped = verdict(1, "12 May 1901", "Ada Lund was born in Orra on 12 May 1901.")
    assert "not in the passage" in reason(read({"verdicts": [swapped, verdict(2)]}, FILM, LIFE)[0])


def test_missing_verdict_closes_its_passage() -> None:
    """Protects five passages from one verdict that counts for all (ragas #2992)."""
    found = read({"verdicts": [verdict(2)]}, FILM, LIFE, FILM)
    assert reason(found[0]) == reason(found[2]) == "no verdict about it"
    assert found[1] is None


def test_repeated_verdict_closes_its_passage_alone() -> None:
    """Protects against a choice among contradictory verdicts."""
    film = verdict(1, "Red Kiln", DIRECTED)
    life = verdict(2, "Orra", "Ada Lund was born in Orra on 12 May 1901.")
    found = read({"verdicts": [film, life, film]}, FILM, LIFE)
    assert reason(found[0]) == "two verdicts about it"
    assert reading(found[1]).value == "Orra"


@pytest.mark.parametrize("number", [0, 3, -1, True, 1.0, "1", None, [1]])
def test_verdict_about_an_unknown_passage_counts_for_none(number: object) -> None:
    """Protects passages from verdicts that only seem to be theirs (true is not 1)."""
    life = verdict(2, "Orra", "Ada Lund was born in Orra on 12 May 1901.")
    content = {"verdicts": [verdict(number, "Ada Lund", DIRECTED), life]}
    found, astray = link.read(said(content), "small", ANY, [FILM, LIFE])
    assert reason(found[0]) == "no verdict about it"
    assert reading(found[1]).value == "Orra"
    assert len(astray) == 1


def test_malformed_verdict_closes_its_passage_alone() -> None:
    """Protects the rest of a batch from one verdict with a field too many."""
    life = verdict(2, "Orra", "Ada Lund was born in Orra on 12 May 1901.")
    odd = verdict(1, "Red Kiln", DIRECTED) | {"confidence": 0.9}
    found = read({"verdicts": [odd, life]}, FILM, LIFE)
    assert reason(found[0]) == "wrong schema"
    assert reading(found[1]).value == "Orra"


@pytest.mark.parametrize("content", [{"verdicts": {}}, {"verdicts": None}, {}, [], "null", '"a"'])
def test_reply_of_another_shape_closes_as_a_whole(content: object) -> None:
    """Protects every passage of a call from a reply that has no verdicts."""
    with pytest.raises(Closed, match="wrong schema"):
        read(content, FILM)


# --- Whatever is said ------------------------------------------------------------------------

TEXTS = st.text(st.sampled_from('aA 1.é中\n"\\{}\0\u200b'), max_size=8)
VALUES = st.none() | st.booleans() | st.integers(-1, 4) | TEXTS
VERDICTS = st.fixed_dictionaries({"passage": VALUES, "value": VALUES, "sentence": VALUES})
UNITS = st.lists(st.builds(passage, TEXTS, TEXTS), min_size=1, max_size=3)
REPLIES = st.one_of(
    st.text(max_size=40),
    st.fixed_dictionaries({"verdicts": st.lists(VERDICTS | VALUES, max_size=5)}).map(json.dumps),
    st.recursive(VALUES, lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner)).map(
        json.dumps
    ),
)


@given(text=REPLIES, units=UNITS, kind=st.sampled_from(["any", "date", "number", "name"]))
def test_nothing_that_is_said_yields_words_the_passage_does_not_have(text, units, kind) -> None:
    """Protects the rule that the text at a reading's place is its value, whatever is said."""
    requirement = Requirement(1, "lookup", "?", expect=kind)
    try:
        found, _ = link.read(said(text), "small", requirement, units)
    except Closed:
        return
    assert len(found) == len(units)
    for unit, one in zip(units, found, strict=True):
        if isinstance(one, Reading):
            assert unit.text[one.start : one.end] == one.value != ""
            assert one.sentence[0] <= one.start < one.end <= one.sentence[1]


@given(data=st.data(), units=UNITS)
def test_true_values_are_found(data, units) -> None:
    """Protects the property above from holding only because everything is refused."""
    unit = units[-1]
    words = unit.text.split()
    words = [word for word in words if "\0" not in word]
    if not words:
        return
    value = data.draw(st.sampled_from(words))
    verdicts = [verdict(number) for number in range(1, len(units))]
    said_of_it = verdict(len(units), value, value)
    found = read({"verdicts": [*verdicts, said_of_it]}, *units)[-1]
    if isinstance(found, Reading):
        assert found.value == value
    else:
        assert reason(found) in {
            "the value is not in the passage",
            "the value is not in the quoted sentence",
        }
