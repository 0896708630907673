"""A position means one place, in whichever unit a program counts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudication.corpus.models import SourceVersion, Span, Tightening
from adjudication.corpus.reading import BLOCKED
from adjudication.corpus.units import Unit, code_points, splits_character
from adjudication.errors import Refused
from adjudication.projects.actions import add_reader_class, set_membership
from adjudication.projects.models import Project, ReaderClass, Role
from tests.api.calls import Program, error_of
from tests.conftest import Cast
from tests.factories import make_version

# Text, words to span: each once in its text.
HORRORS = [
    ("🧪 Larkspur owns vat 9", "vat 9"),
    ("👩🏽‍🚒 Ada", "Ada"),
    ("Zoe\u0308 Vale", "Vale"),
    ("Zoë Vale", "Vale"),
    ("ok 🚀 end", "end"),
    ("Vat 8\r\nVat 9", "Vat 9"),
    ("a\rb\u2028c\u2029d\x85e", "c\u2029d"),
    ("\ufeffBOM first", "BOM"),
    ("rtl \u202eabc\u202c שלום end", "שלום"),
    ("zero\u200bwidth\u00adsoft", "\u200bwidth\u00ad"),
    ("family 👨‍👩‍👧‍👦 flags 🇩🇪🇫🇷 x", "🇩🇪🇫🇷"),
    ("e" + "\u0301" * 500 + " after", "after"),
    ("\U00010348\U0001d11e\U0010fffd tail", "\U0001d11e"),
    ("<p>R&amp;D, a&lt;b</p> {{ x }}", "{{ x }}"),
    ("  leading and trailing  ", "trailing  "),
    ("각 각 end", "end"),
    ("'=cmd|1'!A1\t\"quoted\"", '"quoted"'),
]


def counted(text: str, unit: Unit) -> int:
    """The slow obvious way: how long ``text`` is in ``unit``."""
    if unit is Unit.CODE_POINTS:
        return sum(1 for _ in text)
    if unit is Unit.UTF_16:
        return sum(2 if ord(character) > 0xFFFF else 1 for character in text)
    return sum(len(character.encode()) for character in text)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30), st.sampled_from(Unit))
def test_every_position_between_characters_is_found_and_no_other(text: str, unit: Unit) -> None:
    """Against counting character by character; positions inside one are refused."""
    edges = {counted(text[:place], unit): place for place in range(len(text) + 1)}
    for place in range(-1, counted(text, unit) + 2):
        if place in edges:
            assert code_points(text, place, unit, "utf-8") == edges[place]
        else:
            with pytest.raises(Refused):
                code_points(text, place, unit, "utf-8")


@pytest.mark.parametrize("text", ["Zoë", "żółć", "Привет"])
@pytest.mark.parametrize("encoding", ["iso-8859-1", "windows-1250", "koi8-r"])
def test_bytes_are_those_that_were_captured(text: str, encoding: str) -> None:
    """In an encoding of one byte a character, byte positions are those of the characters."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return
    for place in range(len(text) + 1):
        assert code_points(text, place, Unit.BYTES, encoding) == place


@pytest.mark.parametrize(
    ("text", "place", "splits"),
    [
        ("Zoe\u0308 V", 3, True),
        ("Zoe\u0308 V", 4, False),
        ("a\r\nb", 2, True),
        ("👩🏽‍🚒 Ada", 1, True),
        ("👩🏽‍🚒 Ada", 4, False),
        ("🇩🇪🇫🇷", 1, True),
        ("🇩🇪🇫🇷", 2, False),
        ("ab", 0, False),
        ("ab", 1, False),
        ("ab", 2, False),
    ],
)
def test_characters_as_people_see_them(text: str, place: int, splits: bool) -> None:
    assert splits_character(text, place) is splits


@pytest.mark.django_db
@pytest.mark.parametrize("unit", Unit)
def test_span_is_the_same_in_every_unit(project: Project, cast: Cast, unit: Unit) -> None:
    """New 201, again 200 with the same body; and the bytes and code points are those stored."""
    rosa = Program(cast.rosa)
    for text, words in HORRORS:
        check_span(rosa, project, text, words, unit)


def check_span(rosa: Program, project: Project, text: str, words: str, unit: Unit) -> None:
    version = make_version(project, text)
    place = f"versions/{version.pk}/spans"
    start = counted(text[: text.index(words)], unit)
    body = {"start": start, "end": start + counted(words, unit), "exact": words, "unit": str(unit)}
    first, again = rosa.post(place, body), rosa.post(place, body)
    assert (first.status_code, again.status_code) == (201, 200), first.content
    assert first.json() == again.json()
    made = first.json()
    assert text[made["start"] : made["end"]] == made["exact"] == words
    assert text.encode()[made["byte_start"] : made["byte_end"]].decode() == words
    assert rosa.read(f"spans/{made['id']}") == {k: v for k, v in made.items() if k != "warnings"}
    read = rosa.read(f"versions/{version.pk}/text?start={start}&end={body['end']}&unit={unit}")
    assert (read["text"], read["start"], read["end"]) == (words, made["start"], made["end"])
    assert rosa.read(f"versions/{version.pk}/text")["text"] == text


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("body", "field", "words"),
    [
        ({"start": 1, "end": 3, "unit": "utf-16"}, "start", "surrogate pair of the character"),
        ({"start": 0, "end": 3, "unit": "bytes"}, "end", "inside the bytes of the character"),
        ({"start": 0, "end": 1, "exact": "x"}, "exact", "U+1F9EA (🧪), the quotation U+0078 (x)"),
        ({"start": 0, "end": 2, "exact": "🧪"}, "exact", "1 characters, the range"),
        ({"start": -1, "end": 1}, "start", "not inside the text"),
        ({"start": 0, "end": 99}, "end", "not inside the text"),
        ({"start": 2, "end": 2}, "end", "at least one"),
        ({"start": 2, "end": 1}, "end", "at least one"),
        ({"start": "0", "end": 1}, "start", "whole number"),
        ({"start": True, "end": 1}, "start", "whole number"),
        ({"start": 0.0, "end": 1}, "start", "whole number"),
        ({"start": 10**30, "end": 1}, "start", "not inside"),
        ({"start": None, "end": 1}, "start", "needed"),
        ({"start": 0, "end": 1, "unit": "graphemes"}, "unit", "one of"),
        ({"start": 0, "end": 1, "exact": None}, "exact", "needed"),
        ({"start": 0, "end": 1, "exact": "\0"}, "exact", "U+0000"),
        ({"start": 0, "end": 1, "note": "x"}, "note", "no such field"),
    ],
)
def test_wrong_position_is_named_at_its_field(
    project: Project, cast: Cast, body: dict[str, object], field: str, words: str
) -> None:
    """400, nothing stored."""
    version = make_version(project, "🧪 Larkspur")
    answer = Program(cast.rosa).post(f"versions/{version.pk}/spans", {"exact": "🧪"} | body)
    assert words in error_of(answer, 400)["fields"][field][0]
    assert not Span.objects.exists()


@pytest.mark.django_db
def test_span_through_a_visible_character_is_allowed_and_warned_of(
    project: Project, cast: Cast
) -> None:
    """What is exact is the code points; a person may want just the accent."""
    version = make_version(project, "Zoe\u0308 Vale")
    body = {"start": 3, "end": 4, "exact": "\u0308"}
    answer = Program(cast.rosa).post(f"versions/{version.pk}/spans", body)
    assert answer.status_code == 201
    assert answer.json()["warnings"] == [
        "The start splits what people see as one character, at position 3."
    ]


# --- A part that is blocked --------------------------------------------------------------------


@pytest.fixture
def partly(project: Project, cast: Cast) -> SourceVersion:
    """A version of whose text Rosa may not read characters 9–15."""
    add_reader_class(project, key="legal", title="Legal", actor=None)
    version = make_version(project, "Plan\nThe sécret plan.", reader_classes=["public", "legal"])
    body = {"start": 9, "end": 15, "exact": "sécret"}
    span = Program(cast.lead).post(f"versions/{version.pk}/spans", body).json()["id"]
    Tightening.objects.create(
        version=version,
        span_id=span,
        reader_class=ReaderClass.objects.get(project=project, key="public"),
        reason="A name.",
        by=cast.lead,
    )
    set_membership(project, cast.rui, roles=[Role.REVIEWER], reader_classes=["legal"], actor=None)
    return version


@pytest.mark.django_db
def test_blocked_part_keeps_its_place_and_nothing_else(cast: Cast, partly: SourceVersion) -> None:
    """Its words, digest and bytes are nowhere; positions stay those of the stored text."""
    rosa = Program(cast.rosa)
    read = rosa.read(f"versions/{partly.pk}/text")
    assert read["text"] == "Plan\nThe " + BLOCKED * 6 + " plan."
    assert read["blocked"] == [{"start": 9, "end": 15, "readers": "Legal"}]
    body = rosa.read(f"versions/{partly.pk}")
    assert (body["whole"], body["sha256"], body["bytes"]) == (False, None, None)
    assert rosa.read(f"versions/{partly.pk}/spans")["items"] == []
    span = Span.objects.get()
    assert error_of(rosa.get(f"spans/{span.pk}"), 404)
    error_of(rosa.get(f"versions/{partly.pk}/snapshot"), 403)
    made = rosa.post(f"versions/{partly.pk}/spans", {"start": 16, "end": 20, "exact": "plan"})
    assert made.status_code == 201
    assert (made.json()["byte_start"], made.json()["byte_end"]) == (None, None)
    everything = b"".join(
        rosa.get(place).content
        for place in (
            f"versions/{partly.pk}/text?start=8&end=16",
            f"sources/{partly.source_id}",
            f"versions/{partly.pk}/spans",
        )
    )
    assert partly.sha256.encode() not in everything
    assert b"cret" not in everything
    rui = Program(cast.rui).read(f"versions/{partly.pk}/text")
    assert (rui["text"], rui["blocked"]) == ("Plan\nThe sécret plan.", [])


@pytest.mark.django_db
@pytest.mark.parametrize("exact", ["sécret", "secret", "x"])
def test_blocked_words_cannot_be_guessed_by_quoting(
    cast: Cast, partly: SourceVersion, exact: str
) -> None:
    """Right and wrong guesses get the same answer."""
    rosa = Program(cast.rosa)
    answer = rosa.post(f"versions/{partly.pk}/spans", {"start": 9, "end": 15, "exact": exact})
    assert "blocked" in error_of(answer, 400)["fields"]["exact"][0]
    assert "cret" not in answer.text
    other = {"start": 9, "end": 16, "exact": exact, "unit": "bytes"}
    assert "unit" in error_of(rosa.post(f"versions/{partly.pk}/spans", other), 400)["fields"]
    assert rosa.get(f"versions/{partly.pk}/text?start=5&unit=bytes").status_code == 400
