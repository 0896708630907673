"""Every address, every verb, every role: the whole table, and nothing outside it."""

from __future__ import annotations

import re
from collections.abc import Callable
from uuid import UUID

import pytest
from django.urls import URLPattern

from adjudication.api.urls import urlpatterns
from adjudication.imports.formats import format_named
from adjudication.imports.jobs import Sent, begin
from adjudication.imports.models import Import
from adjudication.projects.actions import add_reader_class
from adjudication.projects.models import Project
from tests.api.calls import HERE, Program, error_of
from tests.conftest import Cast
from tests.factories import make_claim, make_evidence_set, make_project, make_version, span_of

pytestmark = pytest.mark.django_db

EVERYBODY = {"lead", "rosa", "adjudicator", "auditor", "reader"}
WRITERS = {"lead", "rosa", "adjudicator"}
LEAD = {"lead"}
VERBS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")

# Address below the project → verb → who may. An address that is not here fails the first test.
MAY: dict[str, dict[str, set[str]]] = {
    "": {"GET": EVERYBODY},
    "rules": {"GET": EVERYBODY},
    "sources": {"GET": EVERYBODY, "POST": LEAD},
    "sources/<source_id>": {"GET": EVERYBODY},
    "sources/<source_id>/versions": {"POST": LEAD},
    "versions/<version_id>": {"GET": EVERYBODY},
    "versions/<version_id>/text": {"GET": EVERYBODY},
    "versions/<version_id>/snapshot": {"GET": EVERYBODY},
    "versions/<version_id>/spans": {"GET": EVERYBODY, "POST": WRITERS},
    "versions/<version_id>/notes": {"GET": EVERYBODY, "POST": WRITERS},
    "versions/<version_id>/invalidation": {"POST": LEAD},
    "spans/<span_id>": {"GET": EVERYBODY},
    "questions": {"GET": EVERYBODY},
    "questions/<question_id>": {"GET": EVERYBODY},
    "claims/<claim_id>": {"GET": EVERYBODY},
    "claims/<claim_id>/evidence-sets": {"GET": EVERYBODY, "POST": WRITERS},
    "claims/<claim_id>/contradictions": {"GET": EVERYBODY, "POST": WRITERS},
    "imports": {"GET": LEAD, "POST": LEAD},
    "imports/<import_id>": {"GET": LEAD, "DELETE": LEAD},
    "imports/<import_id>/bytes": {"PUT": LEAD},
    "imports/<import_id>/problems": {"GET": LEAD},
    "imports/<import_id>/confirmation": {"POST": LEAD},
    "imports/<import_id>/retry": {"POST": LEAD},
    "search": {"GET": EVERYBODY},
    "specifications": {"GET": EVERYBODY},
    "specifications/<number>": {"GET": EVERYBODY},
}
ROLES = sorted(EVERYBODY)
Fill = Callable[[str], str]


def in_project() -> list[str]:
    """The addresses below a project, with the names of their ids."""
    found = []
    for pattern in urlpatterns:
        assert isinstance(pattern, URLPattern)
        text = re.sub(r"<\w+:(\w+)>", r"<\1>", str(pattern.pattern))
        if text != "projects":
            found.append(text.removeprefix("projects/<slug>").removeprefix("/"))
    return found


@pytest.fixture
def fill(project: Project, cast: Cast) -> Fill:
    """Ids that exist, in place of their names."""
    one = make_evidence_set(make_claim(project))
    span = one.members.first().span
    ids = {
        "source_id": span.version.source_id,
        "version_id": span.version_id,
        "span_id": span.pk,
        "question_id": one.claim.question_id,
        "claim_id": one.claim_id,
        "import_id": announced(project, cast).pk,
        "number": 1,
    }
    return lambda place: re.sub(r"<(\w+)>", lambda name: str(ids[name[1]]), place)


def announced(project: Project, cast: Cast) -> Import:
    """A file that the lead began to send."""
    layout, classes = format_named("passages"), list(project.reader_classes.all())
    return begin(project, cast.lead, Sent("data.json", 10, layout, classes))


def test_every_address_is_in_the_table() -> None:
    """A new address is decided on here before it is served."""
    assert sorted(in_project()) == sorted(MAY)


@pytest.mark.parametrize("who", ROLES)
def test_who_may_do_what(project: Project, cast: Cast, fill: Fill, who: str) -> None:
    """Allowed verbs reach the address, known verbs of others are 403, the rest is 405."""
    caller = Program(getattr(cast, who))
    for place, verbs in MAY.items():
        allowed = verbs | ({"HEAD": verbs["GET"]} if "GET" in verbs else {})
        for verb in VERBS:
            answer = caller.call(verb, HERE.rstrip("/") + ("/" + fill(place) if place else ""))
            if who in allowed.get(verb, ()):
                # An empty body is refused for its fields, a specification is not there yet.
                # A file that is not wholly here is neither confirmed nor tried again.
                fine = {200, 400, 404, 409, 415}
                assert answer.status_code in fine, (place, verb, answer.content)
                assert answer.status_code != 404 or place == "specifications/<number>"
            else:
                assert answer.status_code == (403 if verb in allowed else 405), (place, verb)
                error_of(answer, answer.status_code) if verb != "HEAD" else None


def test_outsider_cannot_tell_a_project_from_a_missing_one(
    project: Project, cast: Cast, fill: Fill
) -> None:
    """Whatever they ask, and however: 404 with the same bytes and headers."""
    stranger = Program(cast.stranger)
    asked = [*((verb, None) for verb in VERBS), ("POST", b"{not json"), ("POST", {"unknown": 1})]
    for place in MAY:
        rest = "/" + fill(place) if place else ""
        for verb, body in asked:
            here = stranger.call(verb, f"/api/v1/projects/film-study{rest}", body)
            missing = stranger.call(verb, f"/api/v1/projects/missing{rest}?x=1", body)
            assert here.status_code == 404, (place, verb)
            assert (here.content, here.headers) == (missing.content, missing.headers)


def test_nobody_gets_the_same_401_everywhere(project: Project, cast: Cast, fill: Fill) -> None:
    nobody = Program(None)
    answers = {
        nobody.call(verb, (HERE + fill(place)).rstrip("/"), {"unknown": 1}).content
        for verb in ("GET", "POST", "PUT", "OPTIONS")
        for place in MAY
    }
    assert len(answers) == 1


def test_foreign_hidden_and_missing_ids_answer_the_same(project: Project, cast: Cast) -> None:
    """Another project's records and a restricted source are as missing as nothing."""
    elsewhere = make_project("elsewhere")
    theirs = make_evidence_set(make_claim(elsewhere))
    add_reader_class(project, key="legal", title="Legal", actor=None)
    hidden = make_version(project, "Secret\nWords.", reader_classes=["legal"])
    hidden_span = span_of(hidden, "Words.")
    span = theirs.members.first().span
    rosa = Program(cast.rosa)
    ids = {
        "source_id": [span.version.source_id, hidden.source_id],
        "version_id": [span.version_id, hidden.pk],
        "span_id": [span.pk, hidden_span.pk],
        "question_id": [theirs.claim.question_id],
        "claim_id": [theirs.claim_id],
    }
    nothing = UUID(int=7)
    for place in MAY:
        for name, values in ids.items():
            if f"<{name}>" not in place:
                continue
            missing = rosa.get(place.replace(f"<{name}>", str(nothing)))
            for value in values:
                found = rosa.get(place.replace(f"<{name}>", str(value)))
                if "GET" in MAY[place]:
                    error_of(found, 404)
                assert (found.status_code, found.content) == (missing.status_code, missing.content)
