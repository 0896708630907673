"""Texts whose writing does not part words by spaces are found as well."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID, uuid4

import pytest

from adjudication.search import index
from adjudication.search.index import Index
from adjudication.search.signs import sign_places, signs_asked, signs_of
from certify_core.model import Unit

TEXTS = {
    "japanese": "東京\n東京は日本の首都です。ガイドブックはGDPについて語る。",
    "half-width": "案内\nｶﾞｲﾄﾞﾌﾞｯｸを読む。",
    "chinese": "河\n长江是亚洲第一长河。",
    "thai": "แม่น้ำ\nกรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย",
    "korean": "서울\n서울은 대한민국의 수도이다.",
    "hindi": "दिल्ली\nनई दिल्ली भारत की राजधानी है।",
    "arabic": "القاهرة\nالقَاهِرَة عاصمة مصر.",
    "hebrew": "ירושלים\nבִּירָה של ישראל.",
    "russian": "Москва\nМосква — столица России.",
    "emoji": "Lab\n🧪 Larkspur owns vat 9 for 5 €.",
    "rare": "馬\n𠮷野家は店である。",
    "english": "Oslo\nOslo is the capital of Norway. No other town is meant.",
}


@pytest.fixture
def found(tmp_path: Path, settings: object) -> dict[str, UUID]:
    """Every text indexed; their ids."""
    settings.DATA_DIR = tmp_path
    ids = {name: uuid4() for name in TEXTS}
    index.find_or_build("texts", (Unit(str(ids[n]), n, text) for n, text in TEXTS.items()))
    return ids


def opened() -> Index:
    return index.find("texts")


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("首都", "japanese"),
        ("日本の首都", "japanese"),
        ("gdp", "japanese"),
        ("ガイド 読む", "half-width"),
        ("长江", "chinese"),
        ("河", "chinese"),
        ("เมืองหลวง", "thai"),
        ("서울", "korean"),
        ("대한민국", "korean"),
        ("राजधानी", "hindi"),
        ("القاهرة", "arabic"),
        ("בירה", "hebrew"),
        ("РОССИИ", "russian"),
        ("🧪", "emoji"),
        ("€", "emoji"),
        ("𠮷野家", "rare"),
        ("norway", "english"),
    ],
)
def test_words_of_any_script_find_their_text(found: dict[str, UUID], query: str, name: str):
    """Whoever copies a word out of a text finds the text again, and it comes first."""
    assert opened().hits(query, 0, 5).ids[:1] == [found[name]]


def test_texts_that_hold_every_word_are_counted_apart(found: dict[str, UUID]):
    """Both counts are said, so that nobody takes a text with one of the words for a hit."""
    hits = opened().hits("capital москва norway", 0, 5)
    assert (hits.every, hits.some, len(hits.ids)) == (0, 2, 2)
    assert opened().hits("capital norway", 0, 5).every == 1


def test_pages_of_hits_join_without_gap_or_repetition(found: dict[str, UUID]):
    """Turning pages shows every hit once."""
    query = "東京 河 서울 norway столица"
    whole = opened().hits(query, 0, 10).ids
    assert [opened().hits(query, place, 1).ids[0] for place in range(len(whole))] == whole


@pytest.mark.parametrize("query", ["", "?!", " . ", '"', "_"])
def test_query_without_any_word_finds_nothing(found: dict[str, UUID], query: str):
    """Signs of punctuation are no question."""
    assert not opened().hits(query, 0, 5).ids


def test_european_texts_have_no_signs():
    """They cost nothing: accents, quotation marks and dashes are the business of folding."""
    assert not signs_of("“Zoë” – naïve, Ångström; Ελλάδα’s Москва…")


@pytest.mark.parametrize("text", TEXTS.values())
def test_every_sign_asked_for_was_indexed(text: str):
    """What a query asks of a text's own words is among what the text is found under."""
    assert set(signs_asked(text)) <= set(signs_of(text))


def test_places_of_signs_are_code_points_of_the_text():
    """Marks of a hit stand where its characters are, also beyond the basic plane."""
    text = "𠮷野家と首都"
    places = list(sign_places(text, frozenset(signs_asked("首都"))))
    assert [text[start:end] for start, end in places] == ["首都"]
