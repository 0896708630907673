"""What is read strictly: JSON bodies, fields, words of the address, kinds of content."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import OperationalError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adjudication.api.reading import JSON_LIMIT
from adjudication.api.views import sources
from adjudication.corpus.models import Source
from adjudication.projects.models import Project
from tests.api.calls import Program, error_of
from tests.conftest import Cast
from tests.factories import make_claim, make_version

pytestmark = pytest.mark.django_db

DEEP = b'{"title":' + b"[" * 200_000 + b"]" * 200_000 + b"}"


AMBIGUOUS = [
    (b"{", "line 1 column 2"),
    (b"[]", "JSON object"),
    (b'"text"', "JSON object"),
    (b'{"title":"a","title":"b"}', "the key occurs twice"),
    (b'{"title":NaN}', "NaN is not a number"),
    (b'{"title":1e999}', "beyond the range"),
    (b'{"title":' + b"9" * 5000 + b"}", "too many digits"),
    (b'{"title":"\\ud800"}', "surrogate"),
    (b'{"title":"\xff"}', "not UTF-8"),
    (b'{"title":"a\0b"}', "control character"),
    (DEEP, "nested deeper"),
    (b'\xef\xbb\xbf{"title":"a"}', "BOM"),
]


def test_ambiguous_json_is_refused(project: Project, cast: Cast) -> None:
    """400 with the place, and nothing stored."""
    lead = Program(cast.lead)
    for body, words in AMBIGUOUS:
        assert words in error_of(lead.post("sources", body), 400)["message"]
    assert not Source.objects.exists()


WRITING = {
    "sources",
    "versions/{version}/spans",
    "versions/{version}/notes",
    "versions/{version}/invalidation",
    "claims/{claim}/evidence-sets",
    "claims/{claim}/contradictions",
}
SURPRISES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)


@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    st.sampled_from(sorted(WRITING)),
    st.dictionaries(
        st.sampled_from(
            "title text base64 media_type encoding observed_at published reader_classes start end "
            "exact unit authority basis open_dispute reason spans rules material treatment note "
            "supersedes unestablished \0 __class__".split()
        ),
        SURPRISES,
        max_size=5,
    ),
)
def test_no_value_of_any_field_is_a_fault_of_ours(
    project: Project, cast: Cast, where: str, body: dict[str, Any]
) -> None:
    """Whatever JSON comes, the answer is 2xx, 400 or 409 in the one shape, never 500."""
    lead = Program(None)
    lead.client.force_login(cast.lead)
    ids = {"version": make_version(project).pk, "claim": make_claim(project).pk}
    answer = lead.post(where.format(**ids), body or {"title": None})
    if answer.status_code >= 300:
        error_of(answer, answer.status_code)
        assert answer.status_code in {400, 409}


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "application/xml", "text/json"]
)
def test_other_content_is_415(project: Project, cast: Cast, kind: str) -> None:
    answer = Program(cast.lead).post("sources", b"title=a", content_type=kind)
    assert error_of(answer, 415)["code"] == "unsupported-media-type"


def test_files_come_only_where_one_is_taken(project: Project, cast: Cast) -> None:
    version = make_version(project)
    body = b'--b\r\nContent-Disposition: form-data; name="exact"\r\n\r\nx\r\n--b--\r\n'
    kind = "multipart/form-data; boundary=b"
    answer = Program(cast.lead).post(f"versions/{version.pk}/spans", body, content_type=kind)
    error_of(answer, 415)


def test_other_accepts_are_406(project: Project, cast: Cast) -> None:
    lead = Program(cast.lead)
    answer = lead.get("sources", headers={"Accept": "text/html"})
    assert error_of(answer, 406)["code"] == "not-acceptable"
    assert lead.get("sources", headers={"Accept": "text/html, */*;q=0.1"}).status_code == 200
    error_of(lead.get("sources?format=html"), 400)


def test_large_body_is_413(project: Project, cast: Cast) -> None:
    body = b'{"title":"' + b"a" * JSON_LIMIT + b'"}'
    assert "MB" in error_of(Program(cast.lead).post("sources", body), 413)["message"]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("unknown=1", "unknown"),
        ("reviewer__password__startswith=p", "reviewer__password__startswith"),
        ("project__memberships__user__password__regex=.", None),
        ("title=a&title=b", "title"),
        ("size=0", "size"),
        ("size=201", "size"),
        ("size=x", "size"),
        ("size=%D9%A3", "size"),
        ("size=99999999999999999999", "size"),
        ("after=x", "after"),
        ("after=00000000-0000-0000-0000-000000000007", "after"),
        ("title=%ff", None),
        ("title=%00", None),
    ],
)
def test_wrong_words_of_the_address_are_named(
    project: Project, cast: Cast, query: str, field: str | None
) -> None:
    """No lookup of the database, no unknown word, no bytes that are no text."""
    error = error_of(Program(cast.lead).get(f"sources?{query}"), 400)
    assert field is None or field in error["fields"]


def test_writing_takes_no_words_of_the_address(project: Project, cast: Cast) -> None:
    error_of(Program(cast.lead).post("sources?title=a", {"title": "a"}), 400)


def test_away_database_is_503_and_a_fault_is_500_in_json(
    project: Project, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Programs read the same shape from every layer, and are told when to come again."""
    lead = Program(cast.lead)
    lead.client.raise_request_exception = False

    def away(*_: object) -> None:
        raise OperationalError("the server closed the connection")

    monkeypatch.setattr(sources, "sources_of", away)
    answer = lead.get("sources")
    error_of(answer, 503)
    assert answer.headers["Retry-After"] == "5"

    def broken(*_: object) -> None:
        raise RuntimeError("secret words of a fault")

    monkeypatch.setattr(sources, "sources_of", broken)
    answer = lead.get("sources")
    error_of(answer, 500)
    assert "secret words" not in answer.text


def test_forged_host_is_refused_in_json(project: Project, cast: Cast) -> None:
    error_of(Program(cast.lead).get("sources", headers={"Host": "evil.example"}), 400)


def test_list_comes_in_parts_that_lose_and_double_nothing(project: Project, cast: Cast) -> None:
    """Also where titles are equal, and where a source arrives meanwhile."""
    for number in range(7):
        make_version(project, f"Title {number // 3}\nText {number}.")
    rosa = Program(cast.rosa)
    whole = rosa.read("sources")
    assert whole["next"] is None
    parts, after = [], ""
    while after is not None:
        page = rosa.read("sources?size=2" + (f"&after={after}" if after else ""))
        parts += page["items"]
        after = page["next"]
        if len(parts) == 2:
            make_version(project, "A title before all\nText.")
    assert [one["id"] for one in parts] == [one["id"] for one in whole["items"]]
    assert [one["title"] for one in rosa.read("sources?title=TITLE 1")["items"]] == ["Title 1"] * 3
