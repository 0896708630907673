"""An invented project under review, over the database of this process's environment."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Count, F
from django.test import Client

from adjudication.accounts.models import User
from adjudication.claims.bulk import add_questions
from adjudication.claims.models import EvidenceSet
from adjudication.corpus.actions import Capture, cut_span
from adjudication.corpus.bulk import add_sources, add_spans, refresh_statistics
from adjudication.corpus.models import SourceVersion
from adjudication.projects.actions import create_project, set_membership
from adjudication.projects.models import Membership, Role
from adjudication.review.actions import open_items
from adjudication.review.models import Judgement
from adjudication.specifications.actions import freeze, start_draft
from certify_core.datasets.records import QuestionRecord

PER_SOURCE = 20  # sentences of a source, each a member of one claim's set


def fill_project(slug: str, claims: int, reviewers: int) -> list[User]:
    """``claims`` claims, each with a set of two members, all open. Returns the reviewers."""
    project = create_project(slug=slug, title="Bench", lead=None, actor=None)
    lead = _person("lead")
    set_membership(project, lead, roles=[Role.LEAD], reader_classes=["public"], actor=None)
    people = [_person(f"reviewer-{n}") for n in range(reviewers)]
    for one in people:
        set_membership(project, one, roles=[Role.REVIEWER], reader_classes=["public"], actor=None)
    with transaction.atomic():
        public = list(project.reader_classes.filter(key="public"))
        add_sources(project, _captures(2 * claims // PER_SOURCE), reader_classes=public)
        spans = _spans()
        keys = [f"q{n}" for n in range(claims)]
        routes = {key: [spans[2 * n : 2 * n + 2]] for n, key in enumerate(keys)}
        records = (
            QuestionRecord("bench", key, f"Which value has claim {key}?", f"value of {key}", ())
            for key in keys
        )
        digests = {key: f"{n:064x}" for n, key in enumerate(keys)}
        add_questions(project, records, digests, lambda one: routes[one.key])
    specification = freeze(start_draft(project, by=lead), by=lead)
    member = Membership.objects.get(project=project, user=lead)
    open_items(specification, EvidenceSet.objects.all(), by=member)
    refresh_statistics()
    return people


def _person(name: str) -> User:
    return User.objects.create_user(name, "a password of no account", display_name=name)


def _captures(number: int) -> Iterator[Capture]:
    now = datetime.now(UTC)
    for n in range(number):
        sentences = " ".join(f"Sentence {n}-{m} says what it says." for m in range(PER_SOURCE))
        yield Capture("bench", str(n), f"Source {n}", sentences.encode(), observed_at=now)


def _spans() -> list[UUID]:
    """The ids of a span for every sentence of every source."""
    found: list[UUID] = []
    for version in SourceVersion.objects.order_by("source__key").iterator():
        at, spans = 0, []
        for sentence in version.text.split(". "):
            spans.append(cut_span(version.pk, version.text, at, at + len(sentence)))
            at += len(sentence) + 2
        found += add_spans(spans).values()
    return found


def sessions(people: Iterable[User]) -> list[dict[str, str]]:
    """Cookies of a browser in which each of ``people`` has signed in."""
    settings.ALLOWED_HOSTS = ["*"]
    found = []
    for person in people:
        client = Client()
        client.force_login(person)
        client.get("/")
        found.append({name: one.value for name, one in client.cookies.items()})
    return found


def sealed() -> int:
    return Judgement.objects.count()


def over_asked() -> int:
    """Items that count more judgements than their specification asks for."""
    counted = Judgement.objects.filter(surplus=False, amends__isnull=True)
    return (
        counted.values("item")
        .annotate(n=Count("pk"))
        .filter(n__gt=F("item__specification__reviewers_per_item"))
        .count()
    )
