"""Sources and versions that programs store and read: the same bytes, whatever they are."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from django.conf import settings

from adjudication.corpus import pages
from adjudication.corpus.models import Invalidation, Source, SourceVersion
from adjudication.corpus.soundness import Damage
from adjudication.projects.actions import add_reader_class
from adjudication.projects.models import Project
from tests.api.calls import OCTETS, Program, error_of
from tests.conftest import Cast
from tests.factories import make_version

pytestmark = pytest.mark.django_db

TEXT = "\ufeffTitle\r\nZoe\u0308 🧪\rend \u2028 \u202ertl\u202c  "
PUBLIC = {"reader_classes": ["public"]}


def form_of(fields: dict[str, str], file: bytes, name: str = "file") -> tuple[bytes, str]:
    """A multipart body with one file, and its content type."""
    lines = [
        f'--b\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n'.encode(
            errors="surrogateescape"
        )
        for key, value in fields.items()
    ]
    lines.append(
        f'--b\r\nContent-Disposition: form-data; name="{name}"; filename="x.html"\r\n'
        "Content-Type: text/html\r\n\r\n".encode()
        + file
        + b"\r\n--b--\r\n"
    )
    return b"".join(lines), "multipart/form-data; boundary=b"


def ways() -> list[tuple[Any, dict[str, str]]]:
    """The same text sent in each of the three ways."""
    raw = TEXT.encode()
    body, kind = form_of({"title": "T", "reader_classes": "public"}, raw)
    return [
        ({"title": "T", "text": TEXT, **PUBLIC}, {}),
        ({"title": "T", "base64": base64.b64encode(raw).decode(), **PUBLIC}, {}),
        (body, {"content_type": kind}),
    ]


def test_every_way_stores_the_same_bytes_once(project: Project, cast: Cast) -> None:
    """Text, base64 and a file: one version, 201 and then 200 with the same body."""
    lead = Program(cast.lead)
    answers = [lead.post("sources", body, **more) for body, more in ways()]
    assert [answer.status_code for answer in answers] == [201, 200, 200]
    assert len({answer.content for answer in answers}) == 1
    version = SourceVersion.objects.get()
    assert bytes(version.snapshot) == TEXT.encode()
    assert lead.read(f"versions/{version.pk}/text")["text"] == TEXT


def test_snapshot_is_handed_out_to_be_kept_not_shown(project: Project, cast: Cast) -> None:
    """The exact bytes, as an attachment that no browser renders, whatever is accepted."""
    version = make_version(project, "<script>alert(1)</script>")
    rosa = Program(cast.rosa)
    for accept in (OCTETS, "text/html", "application/json"):
        answer = rosa.get(f"versions/{version.pk}/snapshot", headers={"Accept": accept})
        assert answer.content == bytes(version.snapshot)
        assert answer.headers["Content-Type"] == OCTETS
        assert answer.headers["Content-Disposition"].startswith("attachment")
        assert answer.headers["Content-Security-Policy"].startswith("sandbox")
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
    missing = rosa.get(f"versions/{version.source_id}/snapshot", headers={"Accept": OCTETS})
    error_of(missing, 404)


def test_times_are_stated_with_their_precision(project: Project, cast: Cast) -> None:
    lead = Program(cast.lead)
    body = {
        "title": "T",
        "text": "Words.",
        "observed_at": "2024-03",
        "published": "2013",
        "effective_from": "2013-05-12",
        "licence": "CC0",
        "authority": "The registrar",
        "address": "https://example.org/t",
        **PUBLIC,
    }
    made = lead.post("sources", body).json()
    assert made["observed"] == {"at": "2024-03-31T23:59:59Z", "precision": "month"}
    assert (made["published"], made["effective_from"]) == ("2013", "2013-05-12")
    assert made["effective_to"] == "cannot-be-established"
    unknown = {"title": "U", "text": "Words.", "unestablished": True, **PUBLIC}
    assert lead.post("sources", unknown).json()["observed"]["precision"] == "cannot-be-established"


def test_bytes_in_another_encoding_are_read_as_said(project: Project, cast: Cast) -> None:
    """Never guessed: as UTF-8 the same bytes are refused."""
    lead = Program(cast.lead)
    sent = base64.b64encode("Привет, мир".encode("koi8-r")).decode()
    body = {"title": "T", "base64": sent, **PUBLIC}
    assert "encoding" in error_of(lead.post("sources", body), 400)["fields"]
    made = lead.post("sources", body | {"encoding": "koi8-r"}).json()
    place = f"versions/{made['id']}"
    assert lead.read(f"{place}/text?start=8&unit=bytes")["text"] == "мир"
    assert lead.read(place)["encoding"] == "koi8-r"


def test_next_version_stands_beside_the_first(project: Project, cast: Cast) -> None:
    lead = Program(cast.lead)
    first = lead.post("sources", {"title": "T", "text": "One.", **PUBLIC}).json()
    place = f"sources/{first['source']}"
    second = lead.post(f"{place}/versions", {"text": "Two.", **PUBLIC})
    assert (second.status_code, second.json()["number"]) == (201, 2)
    newer, older = lead.read(place)["versions"]
    assert (newer["number"], newer["recheck"]) == (2, None)
    assert (older["number"], older["recheck"]["newest_version"]) == (1, 2)
    titled = lead.post(f"{place}/versions", {"title": "U", "text": "Three.", **PUBLIC})
    assert "title" in error_of(titled, 400)["fields"]


def test_what_oneself_may_not_read_is_stored_and_not_shown(project: Project, cast: Cast) -> None:
    add_reader_class(project, key="legal", title="Legal", actor=None)
    lead = Program(cast.lead)
    body = {"title": "T", "text": "One.", **PUBLIC}
    first = lead.post("sources", body).json()
    hidden = lead.post(
        f"sources/{first['source']}/versions", {"text": "Two.", "reader_classes": ["legal"]}
    )
    assert hidden.status_code == 201
    assert hidden.json() == {"number": 2, "blocked": True, "readers": "Legal"}
    assert lead.read(f"sources/{first['source']}")["versions"][0] == hidden.json()
    alone = lead.post("sources", {"title": "S", "text": "S.", "reader_classes": ["legal"]})
    assert alone.json() == {"number": 1, "blocked": True, "readers": "Legal"}
    assert len(lead.read("sources")["items"]) == 1


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"text": ""}, "text"),
        ({"text": "a\0b"}, "text"),
        ({"text": None}, "text"),
        ({"base64": "YQ=="}, "text"),
        ({"text": None, "base64": "YQ"}, "base64"),
        ({"text": None, "base64": "ä"}, "base64"),
        ({"text": None, "base64": "/w=="}, "encoding"),
        ({"encoding": "koi8-r"}, "encoding"),
        ({"encoding": "utf-16"}, "encoding"),
        ({"title": ""}, "title"),
        ({"title": 5}, "title"),
        ({"title": "a" * 501}, "title"),
        ({"media_type": "text/html"}, "media_type"),
        ({"observed_at": "2999-01-01"}, "observed_at"),
        ({"observed_at": "yesterday"}, "observed_at"),
        ({"unestablished": "yes"}, "unestablished"),
        ({"unestablished": True, "observed_at": "2024"}, "unestablished"),
        ({"published": "2013-02-30"}, "published"),
        ({"effective_from": "2014", "effective_to": "2013"}, "effective_to"),
        ({"reader_classes": []}, "reader_classes"),
        ({"reader_classes": ["secret"]}, "reader_classes"),
        ({"reader_classes": "public"}, "reader_classes"),
        ({"reader_classes": [1]}, "reader_classes"),
        ({"file": "x"}, "file"),
        ({"pasted": "x"}, "pasted"),
        ({"sha256": "0" * 64}, "sha256"),
    ],
)
def test_wrong_capture_is_named_at_its_field(
    project: Project, cast: Cast, changes: dict[str, Any], field: str
) -> None:
    """The same form as the page's checks it, and nothing is stored."""
    lead = Program(cast.lead)
    answer = lead.post("sources", {"title": "T", "text": "Words.", **PUBLIC} | changes)
    assert field in error_of(answer, 400)["fields"]
    assert not Source.objects.exists()


@pytest.mark.parametrize(
    ("fields", "name", "field"),
    [
        ({"title": "\udcff"}, "file", "title"),
        ({"title": "T", "colour": "red"}, "file", "colour"),
        ({"title": "T"}, "picture", "picture"),
        ({"title": "T", "text": "a"}, "file", "text"),
    ],
)
def test_wrong_form_is_named_at_its_field(
    project: Project, cast: Cast, fields: dict[str, str], name: str, field: str
) -> None:
    """Bytes that are no UTF-8 do not become U+FFFD unasked."""
    body, kind = form_of(fields | {"reader_classes": "public"}, b"x", name)
    answer = Program(cast.lead).post("sources", body, content_type=kind)
    assert field in error_of(answer, 400)["fields"]
    assert not Source.objects.exists()


def test_file_over_the_limit_is_refused(
    project: Project, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "UPLOAD_LIMIT", 10)
    body, kind = form_of({"title": "T", "reader_classes": "public"}, b"x" * 11)
    answer = Program(cast.lead).post("sources", body, content_type=kind)
    assert "limit" in error_of(answer, 400)["fields"]["file"][0]


def test_invalidation_stands(project: Project, cast: Cast) -> None:
    """Said again it is the same; another reason is refused, and the first one stands."""
    version = make_version(project)
    lead, place = Program(cast.lead), f"versions/{version.pk}/invalidation"
    first, again = (lead.post(place, {"reason": "It was forged."}) for _ in range(2))
    assert (first.status_code, first.content) == (201, again.content)
    other = lead.post(place, {"reason": "Another."})
    assert error_of(other, 409)["code"] == "refused"
    assert Invalidation.objects.get().reason == "It was forged."
    recheck = Program(cast.reader).read(f"versions/{version.pk}")["recheck"]
    assert (recheck["newest_version"], recheck["reason"]) == (None, "It was forged.")
    assert recheck["withdrawn_at"] == first.json()["at"]


def test_damaged_version_is_not_handed_out_as_sound(
    project: Project, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its state is told beside the text, and its bytes are refused."""
    place = f"versions/{make_version(project).pk}"
    monkeypatch.setattr(pages, "damage_of", lambda _: Damage("bytes", "one", "another"))
    rosa = Program(cast.rosa)
    assert rosa.read(place)["integrity"] == "damaged"
    assert rosa.read(f"{place}/text")["integrity"] == "damaged"
    assert "no longer belong together" in error_of(rosa.get(f"{place}/snapshot"), 409)["message"]


def test_note_is_recorded_once(project: Project, cast: Cast) -> None:
    version = make_version(project)
    rosa, place = Program(cast.rosa), f"versions/{version.pk}/notes"
    body = {"authority": "The registrar", "basis": "A certified copy.", "open_dispute": True}
    first, again = rosa.post(place, body), rosa.post(place, body)
    assert (first.status_code, first.content) == (201, again.content)
    assert rosa.read(place)["items"] == [first.json()]
    assert Program(cast.rui).read(place)["items"] == []
    Program(cast.lead).post(place, body | {"basis": "Another."})
    assert rosa.post(place, body).content == first.content
    assert error_of(rosa.post(place, {"basis": "x"}), 400)["fields"].keys() == {"authority"}
