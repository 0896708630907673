"""What leaves a project in a bundle: all that a reader class may read, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adjudication.claims.actions import decide_claim, open_claim, propose_evidence_set
from adjudication.claims.models import Claim, ClaimDecision, EvidenceMember, EvidenceSet
from adjudication.claims.rules import route_digest
from adjudication.corpus.actions import Capture, capture_version, make_span
from adjudication.corpus.models import Clearance, Source, SourceVersion, Span, Tightening
from adjudication.projects.actions import add_reader_class
from adjudication.projects.models import Project
from adjudication.scoring.bulk import WholeOutput, add_outputs
from adjudication.scoring.models import Output, OutputClaim, Retrieved, SystemRun
from certify_core.canonical import sha256_hex
from tests.conftest import Cast
from tests.factories import (
    OBSERVED,
    make_claim,
    make_evidence_set,
    make_project,
    make_question,
    make_version,
    span_of,
)
from tests.imports.bundles import bundle_of, counts, take_in
from tests.runs.specified import freeze
from tests.scoring.samples import make_output

pytestmark = pytest.mark.django_db

NASTY = st.text(
    st.one_of(
        st.sampled_from("ab .\r\n\t\u2028\u200d\u0308\u202e\ufeff\u00ad\u0085🎬👩🏽𝔘שׁé"),
        st.characters(exclude_characters="\0", exclude_categories=["Cs"]),
    ),
    min_size=1,
    max_size=40,
)
WITHIN_ONE_TEST = settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def lines_of(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.split(b"\n") if line]


def of_kind(data: bytes, kind: str) -> list[dict[str, Any]]:
    return [line for line in lines_of(data) if line["record"] == kind]


@WITHIN_ONE_TEST
@given(texts=st.lists(NASTY, min_size=1, max_size=3, unique=True), places=st.data())
def test_any_text_comes_back_to_the_same_bytes(
    project: Project, texts: list[str], places: st.DataObject
) -> None:
    """Whatever characters a text holds: out, in and out again gives the same bytes and offsets."""
    with transaction.atomic():
        public = list(project.reader_classes.all())
        spans = []
        for number, text in enumerate(texts):
            title = text if text.strip() else "-"  # no door lets a blank title in
            capture = Capture("test", str(number % 2), title, text.encode(), OBSERVED)
            version = capture_version(project, capture, reader_classes=public, actor=None)
            start = places.draw(st.integers(0, len(text) - 1))
            end = places.draw(st.integers(start + 1, len(text)))
            spans.append(make_span(version, start, end, actor=None))
        claim = make_claim(project, texts[0])
        propose_evidence_set(claim, spans, origin=EvidenceSet.Origin.PERSON, author=None)
        make_output(project, claim.question, texts[0], retrieved=spans, cited=spans, claim=claim)
        once = bundle_of(project)
        other = make_project()
        Project.objects.filter(pk=other.pk).update(title=project.title)
        other.refresh_from_db()
        _, problems = take_in(other, once)
        assert problems == []
        assert bundle_of(other) == once
        transaction.set_rollback(True)


@dataclass(frozen=True)
class Secret:
    """What the class public may not read: names and words of closed things."""

    key: str
    title: str
    text: str
    value: str

    @classmethod
    def any(cls) -> st.SearchStrategy[Secret]:
        key = st.text("abcxyz019", min_size=1, max_size=8)
        # As long as each other: that a closed range has a length is known.
        return st.builds(cls, key, NASTY, st.text("abcé🎬", min_size=6, max_size=6), NASTY)


def plant(project: Project, secret: Secret) -> None:
    """A closed source; a closed range; a set, a claim and an output that rest on them."""
    legal = project.reader_classes.get(key="legal")
    public = project.reader_classes.get(key="public")
    closed = _version(project, 1, secret, secret.text)
    partly = _version(project, 2, Secret("half", "Half", "", ""), f"Open words. {secret.text}")
    for version, classes in ((closed, [legal]), (partly, [legal, public])):
        for one in classes:
            Clearance.objects.create(version=version, reader_class=one)
    hidden = make_span(partly, 12, 18, actor=None)
    Tightening.objects.create(
        version=partly,
        span=hidden,
        reader_class=public,
        reason="Names a person.",
        by=project.memberships.first().user,
    )
    both = ["legal", "public"]
    opened = span_of(make_version(project, "Open\nFor all.", key="o", reader_classes=both), "For")
    question = make_question(project)
    whole = make_span(closed, 0, 3, actor=None)
    for number, (value, spans) in enumerate(
        ((secret.value, [whole]), ("open answer", [opened, hidden]), ("open answer", [opened]))
    ):
        claim, _ = Claim.objects.get_or_create(
            question=question,
            text=value,
            value=value,
            defaults={"id": UUID(int=10 + number), "origin": "reference"},
        )
        _set(claim, spans, UUID(int=20 + number))
    run = SystemRun.objects.create(project=project, key="baseline", system="Baseline")
    output = Output(id=UUID(int=30), run=run, question=question, key=secret.key, text=secret.value)
    place = Retrieved(output=output, ordinal=1, span=hidden)
    said = OutputClaim(output=output, ordinal=1, text=secret.value, start=0, end=1)
    add_outputs([WholeOutput(output, [place], [said], [])])


def _version(project: Project, number: int, named: Secret, text: str) -> SourceVersion:
    source = Source.objects.create(
        id=UUID(int=number), project=project, origin="test", key=named.key, title=named.title
    )
    return SourceVersion.objects.create(
        id=UUID(int=100 + number),
        source=source,
        number=1,
        snapshot=text.encode(),
        text=text,
        sha256=sha256_hex(text.encode()),
        media_type="text/plain",
        observed_at=OBSERVED,
    )


def _set(claim: Claim, spans: Sequence[Span], pk: UUID) -> None:
    sha256 = route_digest(span.pk for span in spans)
    made = EvidenceSet.objects.create(id=pk, claim=claim, sha256=sha256, origin="reference")
    for ordinal, span in enumerate(spans, start=1):
        EvidenceMember.objects.create(evidence_set=made, span=span, ordinal=ordinal)


@WITHIN_ONE_TEST
@given(one=Secret.any(), other=Secret.any())
def test_bytes_do_not_depend_on_what_is_closed(
    project: Project, cast: Cast, one: Secret, other: Secret
) -> None:
    """Two worlds that differ only in what public may not read make the same file for it."""
    exports = []
    for secret in (one, other):
        with transaction.atomic():
            add_reader_class(project, key="legal", title="Legal", actor=None)
            plant(project, secret)
            exports.append(_without_numbers(bundle_of(project)))
            assert _without_numbers(bundle_of(project, "legal")) != exports[-1]
            transaction.set_rollback(True)
    assert exports[0] == exports[1]
    withheld = [line for line in lines_of(exports[0]) if line["record"] == "withheld"]
    assert [(line["kind"], line["readers"]) for line in withheld] == [
        ("version", ["legal"]),
        ("version", ["legal"]),
        ("evidence-set", ["legal"]),
        ("claim", ["legal"]),
        ("output", ["legal"]),
    ]


def _without_numbers(data: bytes) -> bytes:
    """Without the name that the factory counts up for each question it makes."""
    found = of_kind(data, "question")[0]
    return data.replace(found["key"].encode(), b"Q").replace(found["id"].encode(), b"Q")


def test_class_of_a_part_is_not_given_the_whole(project: Project, cast: Cast) -> None:
    """A version of which public may read a part goes to legal without naming public."""
    add_reader_class(project, key="legal", title="Legal", actor=None)
    version = make_version(project, reader_classes=["legal", "public"])
    Tightening.objects.create(
        version=version,
        span=span_of(version, "R17"),
        reader_class=project.reader_classes.get(key="public"),
        reason="Names a record.",
        by=cast.lead,
    )
    assert of_kind(bundle_of(project), "version") == []
    (line,) = of_kind(bundle_of(project, "legal"), "version")
    assert line["reader_classes"] == ["legal"]


def test_set_with_a_withheld_member_is_never_a_smaller_set(project: Project) -> None:
    """It is reported when the bundle is taken in, and no set is made of what is left."""
    add_reader_class(project, key="legal", title="Legal", actor=None)
    claim = make_claim(project)
    make_evidence_set(claim, "R17 is open.", reader_classes=["legal", "public"])
    open_span = EvidenceMember.objects.get().span
    closed = span_of(make_version(project, "Secret\nR17.", reader_classes=["legal"]), "R17.")
    propose_evidence_set(
        claim, [open_span, closed], origin=EvidenceSet.Origin.REFERENCE, author=None
    )
    other = make_project()
    add_reader_class(other, key="legal", title="Legal", actor=None)
    report, problems = take_in(other, bundle_of(project))
    assert counts(report)["evidence sets"] == (1, 0)
    assert [one.message.partition(" ")[0] for one in problems] == ["version", "evidence"]
    assert all("readers: legal" in one.message for one in problems)


def test_nothing_says_what_was_decided(project: Project, cast: Cast) -> None:
    """An accepted proposal is one more proposal elsewhere; a refused or merged one is left out."""
    question = make_question(project)
    kept = open_claim(question, value="kept", origin=Claim.Origin.CERTIFY, author=None)
    gone = open_claim(question, value="gone", origin=Claim.Origin.CERTIFY, author=None)
    decide_claim(kept, ClaimDecision.Decision.ACCEPTED, by=cast.lead)
    decide_claim(gone, ClaimDecision.Decision.REFUSED, by=cast.lead, reason="No.")
    data = bundle_of(project)
    assert [line["value"] for line in of_kind(data, "claim")] == ["kept"]
    other = make_project()
    take_in(other, data)
    assert not ClaimDecision.objects.filter(claim__question__project=other).exists()


def test_claims_come_after_what_they_supersede(project: Project) -> None:
    """However they are called."""
    question = make_question(project)
    old = open_claim(question, value="b", text="b", origin=Claim.Origin.PERSON, author=None)
    middle = open_claim(
        question, value="c", text="c", origin=Claim.Origin.PERSON, author=None, supersedes=old
    )
    open_claim(
        question, value="a", text="a", origin=Claim.Origin.PERSON, author=None, supersedes=middle
    )
    data = bundle_of(project)
    assert [line["value"] for line in of_kind(data, "claim")] == ["b", "c", "a"]
    other = make_project()
    take_in(other, data)
    last = Claim.objects.get(question__project=other, value="a")
    assert last.supersedes.supersedes.value == "b"


def test_specification_exports_its_universe(project: Project, cast: Cast) -> None:
    """Versions that are not eligible are not in it, nor sets and outputs that need them."""
    claim = make_claim(project)
    inside = make_evidence_set(claim, "R17 is inside.")
    specification = freeze(project)
    make_evidence_set(claim, "R17 is outside.")
    late = EvidenceMember.objects.exclude(evidence_set=inside).get().span
    make_output(project, claim.question, "Inside", cited=[inside.members.get().span])
    make_output(project, make_question(project), "Outside", cited=[late])
    data = bundle_of(project, specification=specification)
    assert [line["exact"] for line in of_kind(data, "span")] == ["R17 is inside."]
    assert [line["text"] for line in of_kind(data, "output")] == ["Inside"]
    assert len(of_kind(data, "evidence-set")) == 1
    assert of_kind(data, "withheld") == []
    assert len(of_kind(bundle_of(project), "evidence-set")) == 2
