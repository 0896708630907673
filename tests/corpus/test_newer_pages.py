"""What changed between two versions, and finding the same words again."""

from __future__ import annotations

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from adjudication.accounts.models import User
from adjudication.corpus.actions import confirm_successor
from adjudication.corpus.clearing import tighten
from adjudication.corpus.models import SourceVersion, Span, Successor
from adjudication.projects.actions import add_reader_class
from adjudication.projects.models import Project
from adjudication.projects.queries import membership_for
from tests.conftest import Cast, client_for
from tests.corpus.browsing import address, page
from tests.factories import make_claim, make_evidence_set, make_version, span_of
from tests.review.scenes import member

OLD = "T\r\nVat 8 is sealed by Zoë.\r\n" + "Nothing else is known.\r\n" * 200
NEW = "T\nVat 9 is sealed by Zoe\u0308.\n" + "Nothing else is known.\n" * 200 + "<b>End</b>\n"


def versions(project: Project, *texts: str) -> list[SourceVersion]:
    return [make_version(project, text, key="s") for text in texts]


def diff(version: SourceVersion, query: str = "") -> str:
    return f"{address('source-diff', version.source_id)}{query}"


# --- What changed ------------------------------------------------------------------------------


def test_comparison_says_in_words_and_marks_what_changed(project: Project, lead: Client) -> None:
    """Words struck and underlined, lookalikes by code points, line breaks counted, rest folded."""
    old, new = versions(project, OLD, NEW)
    shown = page(lead, diff(old))
    assert "<del>8</del><ins>9</ins>" in shown
    assert 'class="why">U+00EB → U+0065 U+0308<' in shown
    assert "Line breaks changed: 202 CR LF → LF" in shown
    assert "1 word differs only in how letters and marks are composed" in shown
    assert "<ins>&lt;b&gt;End" in shown
    assert shown.count("Nothing else is known.") < 10
    assert "characters are the same" in shown
    assert address("version", old.pk) in shown
    assert address("version", new.pk) in shown
    everything = page(lead, diff(old, "?from=1&to=2&all=yes"))
    assert everything.count("Nothing else is known.") == 200


def test_comparison_goes_both_ways_and_with_itself(project: Project, lead: Client) -> None:
    """Any two versions, the last two unless others are named."""
    first, *_ = versions(project, "T\na b", "T\na c", "T\na d")
    assert "<del>c</del><ins>d</ins>" in page(lead, diff(first))
    assert "<del>d</del><ins>b</ins>" in page(lead, diff(first, "?from=3&to=1"))
    assert "same, character by character" in page(lead, diff(first, "?from=2&to=2"))


def test_comparison_names_other_times_and_encodings(
    project: Project, lead: Client, public: str
) -> None:
    """The words may be the same while what is recorded about them differs."""
    old = make_version(project, "caffè", key="s")
    data = {"media_type": "text/plain", "encoding": "iso-8859-1", "reader_classes": [public]}
    file = SimpleUploadedFile("a.txt", "caffè".encode("iso-8859-1"))
    lead.post(address("capture-version", old.source_id), data | {"file": file, "published": "2013"})
    shown = page(lead, diff(old))
    assert "same, character by character" in shown
    assert "ISO-8859-1, Western Europe" in shown
    assert '<ins class="fact">2013</ins>' in shown


def test_comparison_needs_both_versions(project: Project, cast: Cast, lead: Client) -> None:
    """A version that one may not read is as missing as one that does not exist."""
    add_reader_class(project, key="legal", title="Legal", actor=None)
    old = make_version(project, "T\nopen", key="s")
    make_version(project, "T\nsecret", key="s", reader_classes=["legal"])
    for query in ("?from=1&to=2", "?from=2&to=1", "?from=1&to=9", "?from=x", "?from=²"):
        page(lead, diff(old, query), 404)
    assert "secret" not in page(lead, diff(old))
    page(client_for(cast.stranger), diff(old), 404)
    assert "What changed" not in page(lead, address("source", old.source_id))


def close(project: Project, lead: User, version: SourceVersion, words: str) -> None:
    """Words that only the class legal may read from now on."""
    add_reader_class(project, key="legal", title="Legal", actor=None)
    public = project.reader_classes.get(key="public")
    by = membership_for(lead, project.slug)
    tighten(version, span_of(version, words), [public], reason="A code.", by=by)


def test_comparison_is_not_shown_beside_what_is_blocked(
    project: Project, cast: Cast, lead: Client
) -> None:
    """What changed around blocked words would tell of them; that they exist is said."""
    old, new = versions(project, "T\nThe code is 4711.", "T\nThe code is 4712.")
    close(project, cast.lead, new, "4712")
    for query in ("", "?from=2&to=1", "?all=yes"):
        shown = page(lead, diff(old, query))
        assert "Parts of these versions are blocked for you" in shown
        assert not re.search("471[12]", shown)


def test_many_changes_come_in_parts(project: Project, lead: Client) -> None:
    """A page stays readable, however much changed; a long passage leads to its version."""
    lines = [f"Line {n} says {'word ' * 30}" for n in range(600)]
    other = [line.replace("says", "said") if n % 8 == 0 else line for n, line in enumerate(lines)]
    old, _ = versions(project, "\n".join(lines), "\n".join(other) + "\n" + "new " * 3_000)
    first = page(lead, diff(old))
    assert 'rel="next"' in first
    url = re.search(r'rel="next" href="([^"]+)"', first)[1].replace("&amp;", "&")
    seen = first.count("<ins>said</ins>") + page(lead, diff(old, url)).count("<ins>said</ins>")
    assert seen == 75
    assert "characters more, in version 2" in page(lead, diff(old, url))


# --- The same words again ----------------------------------------------------------------------


def test_words_are_found_again_and_confirmed(project: Project, cast: Cast, lead: Client) -> None:
    """Each place in context; one press makes the span there, twice is once."""
    old = make_version(project, "T\nVat 8 is sealed.", key="s")
    span = span_of(old, "Vat 8")
    new = make_version(project, "T\nOf old, Vat 8 leaked. Now Vat 8 is sealed.", key="s")
    url = address("span-again", span.pk)
    assert url in page(lead, address("version", old.pk))
    shown = page(lead, url)
    assert 'exactly so <span class="figure">2</span> times' in shown
    start = new.text.rindex("Vat 8")
    for _ in range(2):
        response = lead.post(url, {"start": start})
        assert response.headers["Location"].startswith(address("version", new.pk))
    made = Successor.objects.get()
    assert (made.span, made.successor.start, made.by) == (span, start, cast.lead)
    assert "Confirmed: open the span" in page(lead, url)


def test_words_that_are_gone_are_said_to_differ(project: Project, lead: Client) -> None:
    """Nothing near is offered in their place; the first difference is named."""
    span = span_of(make_version(project, "T\nVat 8 is sealed.", key="s"), "Vat 8 is sealed")
    make_version(project, "T\nVat 8 is open.", key="s")
    shown = page(lead, address("span-again", span.pk))
    assert "do not stand there" in shown
    assert "U+006F" in shown
    assert "from=1&amp;to=2" in shown


@pytest.mark.parametrize("start", ["", "2", "-1", "99", "x", "²"])
def test_place_of_other_words_is_refused(project: Project, lead: Client, start: str) -> None:
    """Only a place where exactly these words stand becomes their successor."""
    span = span_of(make_version(project, "T\nVat 8", key="s"), "Vat 8")
    make_version(project, "T\nIn Vat 8", key="s")
    response = lead.post(address("span-again", span.pk), {"start": start})
    assert response.status_code == 422
    assert "do not stand at that place" in response.content.decode()
    assert (Span.objects.count(), Successor.objects.count()) == (1, 0)


def test_words_are_looked_for_only_where_one_may_read(
    project: Project, cast: Cast, lead: Client
) -> None:
    """Not in a later version that is closed, not from a span that is, not by readers."""
    add_reader_class(project, key="legal", title="Legal", actor=None)
    old = make_version(project, "T\nVat 8", key="s")
    span = span_of(old, "Vat 8")
    secret = make_version(project, "T\nVat 8", key="other", reader_classes=["legal"])
    closed = make_version(project, "T\nVat 8 now", key="s", reader_classes=["legal"])
    assert "no later version of this source that you may read" in page(
        lead, address("span-again", span.pk)
    )
    lead.post(address("span-again", span.pk), {"start": 2})
    assert not closed.spans.exists()
    page(lead, address("span-again", span_of(secret, "Vat 8").pk), 404)
    for who in (cast.reader, cast.auditor):
        assert client_for(who).get(address("span-again", span.pk)).status_code == 403


def test_blocked_words_are_not_found_again(project: Project, cast: Cast, lead: Client) -> None:
    """Neither listed nor confirmed by a guessed position, and no refusal tells what they are."""
    old, new = versions(project, "T\nThe code is 4711.", "T\nNow the code is 4711, so it says.")
    span = span_of(old, "4711")
    close(project, cast.lead, new, "4711")
    url = address("span-again", span.pk)
    assert "do not stand there" in page(lead, url)
    assert lead.post(url, {"start": new.text.index("4711")}).status_code == 422
    assert not Successor.objects.exists()


def test_claim_leads_writers_to_the_same_words(project: Project, cast: Cast, lead: Client) -> None:
    """From the route that rests on an earlier version; readers are told, and not led."""
    claim = make_claim(project)
    span = make_evidence_set(claim, "Vat 8 is sealed.").members.get().span
    later = make_version(project, "T\nVat 8 is sealed.", key=span.version.source.key)
    url = address("span-again", span.pk)
    assert url in page(lead, address("claim", claim.pk))
    assert url not in page(client_for(cast.reader), address("claim", claim.pk))
    assert confirm_successor(span, later, 2, by=member(project, cast.lead)).start == 2
