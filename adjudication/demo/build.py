"""Build the demo project through the same actions that people's clicks call."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from django.db import transaction

from adjudication.accounts.models import User
from adjudication.claims.actions import open_claim, propose_evidence_set, record_contradiction
from adjudication.claims.models import Claim, Contradiction, EvidenceSet, InferenceRule, Question
from adjudication.corpus.actions import Capture, Times, capture_version, make_span
from adjudication.corpus.clearing import tighten
from adjudication.corpus.models import SourceVersion, Span
from adjudication.corpus.times import UNESTABLISHED
from adjudication.demo.answers import answer_the_ledger
from adjudication.demo.content import (
    CLOSED,
    FILMS,
    LEDGER,
    LEGAL,
    PAGES,
    PEOPLE,
    STAFF,
    Case,
    Page,
    Person,
    Route,
)
from adjudication.demo.judgements import judge_the_ledger
from adjudication.projects.actions import (
    add_person,
    add_reader_class,
    create_project,
    set_membership,
)
from adjudication.projects.models import Project, ReaderClass
from adjudication.projects.queries import member_named
from adjudication.runs.actions import start_run
from adjudication.runs.rules import Configuration
from adjudication.specifications.actions import change_draft, freeze, start_draft
from adjudication.specifications.models import Specification
from certify_core.canonical import digest

SLUG = "demo"
ORIGIN = "demo"
FIRST_OBSERVED = datetime(2026, 3, 10, 9, 0, tzinfo=UTC)
CUTOFF = datetime(2026, 6, 30, 23, 59, tzinfo=UTC)
# After the cutoff, so that the later version of a page stays outside the frozen evidence.
LATER_OBSERVED = datetime(2026, 10, 5, 9, 0, tzinfo=UTC)


@transaction.atomic
def build(passwords: Mapping[str, str]) -> Project:
    """The whole project or nothing. ``passwords`` holds one for each of ``PEOPLE``.

    What Certify finds comes later, when a worker takes up the run that this starts.
    """
    people = {one.username: _person(one, passwords[one.username]) for one in PEOPLE}
    project = _project(people)
    versions = {page.key: _capture(project, page) for page in PAGES}
    specification = _specification(project, people["lena"])
    sets = {case.key: _open_case(project, case, versions) for case in LEDGER}
    questions = [_question(project, case) for case in FILMS]
    _open_film_claim(questions[0])
    _contradict(project, versions["ferry-newsletter"], people["lena"])
    _close(project, versions[CLOSED.page])
    start_run(specification, questions, Configuration(), people["lena"])
    judge_the_ledger(specification, sets, people)
    answer_the_ledger(project)
    return project


def _person(person: Person, password: str) -> User:
    return add_person(
        username=person.username,
        display_name=person.name,
        password=password,
        is_operator="lead" in person.roles,
        actor=None,
    )


def _project(people: Mapping[str, User]) -> Project:
    project = create_project(
        slug=SLUG,
        title="Demo: registers and films",
        description="Invented sources, claims and people. Try every role; nothing here is real.",
        lead=None,
        actor=people["lena"],
    )
    for key, title in ((STAFF, "Staff"), (LEGAL, "Legal department")):
        add_reader_class(project, key=key, title=title, actor=people["lena"])
    for person in PEOPLE:
        set_membership(
            project,
            people[person.username],
            roles=person.roles,
            reader_classes=person.classes,
            actor=people["lena"],
        )
    return project


def _capture(project: Project, page: Page) -> SourceVersion:
    """Store every version of a page; the first is the one that evidence stands on."""
    classes = list(
        ReaderClass.objects.filter(project=project, key__in=page.readers).order_by("key")
    )
    versions = [
        capture_version(
            project,
            Capture(
                origin=ORIGIN,
                key=page.key,
                title=page.title,
                snapshot=page.text(number).encode(),
                observed_at=FIRST_OBSERVED if number == 1 else LATER_OBSERVED,
                address=f"https://{page.key}.example/",
                licence="Apache-2.0",
                times=Times(
                    published=_time(page.published, number),
                    effective_from=_time(page.effective_from, number),
                ),
            ),
            reader_classes=classes,
            actor=None,
        )
        for number in range(1, len(page.bodies) + 1)
    ]
    return versions[0]


def _time(times: tuple[str, ...], number: int) -> str:
    return times[number - 1] if times else UNESTABLISHED


def _specification(project: Project, lead: User) -> Specification:
    draft = start_draft(project, by=lead)
    change_draft(draft, {"observation_cutoff": CUTOFF}, by=lead)
    return freeze(draft, by=lead)


def _question(project: Project, case: Case) -> Question:
    record = {"key": case.key, "question": case.question}
    return Question.objects.create(
        project=project, origin=ORIGIN, key=case.key, text=case.question, sha256=digest(record)
    )


def _open_case(
    project: Project, case: Case, versions: Mapping[str, SourceVersion]
) -> list[EvidenceSet]:
    claim = open_claim(
        _question(project, case),
        value=case.value,
        text=case.claim,
        entities=case.entities,
        origin=Claim.Origin.REFERENCE,
        author=None,
    )
    return [_propose(claim, route, versions) for route in case.routes]


def _open_film_claim(question: Question) -> None:
    case = FILMS[0]
    open_claim(
        question,
        value=case.value,
        text=case.claim,
        origin=Claim.Origin.REFERENCE,
        author=None,
    )


def _propose(claim: Claim, route: Route, versions: Mapping[str, SourceVersion]) -> EvidenceSet:
    rules = InferenceRule.objects.filter(project=claim.question.project, key__in=route.rules)
    return propose_evidence_set(
        claim,
        [_span(versions[key], quotation) for key, quotation in route.members],
        origin=EvidenceSet.Origin.REFERENCE,
        author=None,
        rules=list(rules),
    )


def _span(version: SourceVersion, quotation: str) -> Span:
    start = version.text.index(quotation)
    return make_span(version, start, start + len(quotation), actor=None, quoted=quotation)


def _contradict(project: Project, newsletter: SourceVersion, lead: User) -> None:
    """One disagreement that nobody has settled yet."""
    claim = Claim.objects.get(question__project=project, question__key="cypress-c")
    record_contradiction(
        claim,
        [_span(newsletter, "it entered into force on 1 December 2025")],
        material=True,
        treatment=Contradiction.Treatment.UNRESOLVED,
        # Says nothing of the log, whose words are closed to some who read this note.
        note="The newsletter gives 1 December 2025; the gazette gives 9 November.",
        by=lead,
    )


def _close(project: Project, version: SourceVersion) -> None:
    """Close a premise to some readers, who keep the other route to the same claim."""
    tighten(
        version,
        _span(version, CLOSED.quotation),
        ReaderClass.objects.filter(project=project, key__in=CLOSED.classes),
        reason=CLOSED.reason,
        by=member_named(project, "lena"),
    )
