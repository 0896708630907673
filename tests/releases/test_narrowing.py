"""Clearance that is tightened after a release closes what the release had opened."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from adjudication.corpus.actions import make_span
from adjudication.corpus.clearing import tighten
from adjudication.corpus.models import SourceVersion, Span
from adjudication.projects.actions import add_reader_class
from adjudication.projects.models import Project, ReaderClass, Role
from adjudication.releases.exports import export_lines
from adjudication.releases.models import AnnotationVersion
from adjudication.releases.narrowing import Narrowing
from adjudication.releases.sealing import body_from
from adjudication.releases.verification import verify
from tests.conftest import Cast, client_for
from tests.factories import add_member, make_claim
from tests.releases.decided import decided_set, member, released

pytestmark = pytest.mark.django_db

FIRST, SECOND = "Cedar is mapped to record R17.", "Entity R holds the rights to R17."
ALONE = "In short, Entity R holds Cedar."


@pytest.fixture
def public(project: Project) -> ReaderClass:
    add_reader_class(project, key="legal", title="Legal", actor=None)
    return project.reader_classes.get(key="public")


@pytest.fixture
def version(project: Project, cast: Cast, public: ReaderClass) -> AnnotationVersion:
    """One claim with two accepted sets, of two members and of one; open to both classes."""
    claim = make_claim(project)
    for texts in ((FIRST, SECOND), (ALONE,)):
        decided_set(
            project,
            [cast.rosa, cast.rui],
            *texts,
            claim=claim,
            reader_classes=("public", "legal"),
            by=cast.adjudicator,
        )
    return released(project, cast.lead, cast.adjudicator)


def close(project: Project, cast: Cast, words: str, public: ReaderClass, length: int = 0) -> Span:
    """Close the span of ``words``, or its first ``length`` characters, to the public."""
    span = Span.objects.get(exact=words)
    if length:
        place = SourceVersion.objects.get(pk=span.version_id)
        span = make_span(place, span.start, span.start + length, actor=None)
    tighten(span.version, span, [public], reason="They asked.", by=member(project, cast.lead))
    return span


def opened(version: AnnotationVersion, key: str = "public") -> list[list[str]]:
    """The parts that are open in each item of the export for a class; of the short set last."""
    lines = [json.loads(line)["record"] for line in export_lines(version, key)]
    items: list[dict[str, Any]] = lines[1:]
    assert verify(io.BytesIO(b"".join(export_lines(version, key))), expected=version.sha256).intact
    return sorted((sorted(one["opened"]) for one in items), key=len, reverse=True)


WHOLE = [
    ["claim", "member-1", "member-2", "reasons", "snapshot-1", "snapshot-2"],
    ["claim", "member-1", "reasons", "snapshot-1"],
]


def test_closed_member_is_sealed_with_what_may_quote_it(
    project: Project, cast: Cast, public: ReaderClass, version: AnnotationVersion
) -> None:
    """Its words and the reasons; not the claim, which an open accepted set supports. The other
    class gets what it got, and both files keep the published digest."""
    before = b"".join(export_lines(version, "legal"))
    assert opened(version) == WHOLE
    close(project, cast, SECOND, public)
    assert opened(version) == [WHOLE[1], ["claim", "member-1", "snapshot-1"]]
    assert b"".join(export_lines(version, "legal")) == before
    assert SECOND.encode() not in b"".join(export_lines(version, "public"))


def test_words_inside_a_member_close_it(
    project: Project, cast: Cast, public: ReaderClass, version: AnnotationVersion
) -> None:
    """A span need not be the member: any character they share is enough."""
    close(project, cast, SECOND, public, length=3)
    assert opened(version) == [WHOLE[1], ["claim", "member-1", "snapshot-1"]]


def test_claim_without_an_open_set_is_sealed_everywhere(
    project: Project, cast: Cast, public: ReaderClass, version: AnnotationVersion
) -> None:
    """Its words may quote what is closed, in whichever item they stand."""
    close(project, cast, SECOND, public)
    close(project, cast, ALONE, public)
    assert opened(version) == [["member-1", "snapshot-1"], []]


def test_words_beside_a_member_close_the_digest_of_the_whole(
    project: Project, cast: Cast, public: ReaderClass, version: AnnotationVersion
) -> None:
    """The member is read as before; the digest of its version would give the words away."""
    source = Span.objects.get(exact=SECOND).version
    title = make_span(source, 0, 5, actor=None)
    tighten(source, title, [public], reason="They asked.", by=member(project, cast.lead))
    assert opened(version)[0] == [part for part in WHOLE[0] if part != "snapshot-2"]


def test_head_is_sealed_once_any_eligible_word_is_closed(
    project: Project, cast: Cast, public: ReaderClass, version: AnnotationVersion
) -> None:
    """The digest of the corpus covers it."""
    body = body_from(version.body)
    both = ["legal", "public"]
    assert Narrowing.of(version).head(body)["parts"]["specification"]["reader_classes"] == both
    close(project, cast, FIRST, public)
    left = Narrowing.of(version).head(body)["parts"]["specification"]["reader_classes"]
    assert left == ["legal"]


def test_page_of_an_item_shows_what_is_open_now(
    project: Project, cast: Cast, public: ReaderClass, version: AnnotationVersion
) -> None:
    """The page asks as the export does; who holds the other class reads on."""
    close(project, cast, SECOND, public)
    url = next(
        f"/p/film-study/releases/1/items/{item.ordinal}/"
        for item in version.items.all()
        if SECOND in item.body
    )
    shown = client_for(cast.reader).get(url).content.decode()
    assert SECOND not in shown
    assert "This member is not open to your reader classes." in shown
    assert FIRST in shown
    add_member(project, cast.auditor, Role.AUDITOR, reader_classes=["legal"])
    assert SECOND in client_for(cast.auditor).get(url).content.decode()


def test_next_release_freezes_what_is_open_then(
    project: Project, cast: Cast, public: ReaderClass, version: AnnotationVersion
) -> None:
    """What was closed before it is not open in it."""
    close(project, cast, SECOND, public)
    decided_set(project, [cast.rosa, cast.rui], "Another set.", by=cast.adjudicator)
    later = released(project, cast.lead, cast.adjudicator)
    bodies = [body_from(item.body) for item in later.items.all() if SECOND in item.body]
    assert [body["parts"]["member-2"]["reader_classes"] for body in bodies] == [["legal"]]


def test_items_of_before_close_with_the_digest_they_hold(
    project: Project, cast: Cast, public: ReaderClass, version: AnnotationVersion
) -> None:
    """In them the digest of the whole version is inside the member: both are closed."""
    item = next(item for item in version.items.all() if SECOND in item.body)
    body = body_from(item.body)
    body["parts"]["member-2"]["content"]["version"]["sha256"] = "0" * 64
    source = Span.objects.get(exact=SECOND).version
    title = make_span(source, 0, 5, actor=None)
    tighten(source, title, [public], reason="They asked.", by=member(project, cast.lead))
    narrowed = Narrowing.of(version).item(body)
    assert narrowed["parts"]["member-2"]["reader_classes"] == ["legal"]
