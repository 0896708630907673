"""Two worlds that differ in a passage which the reader of a run may not read.

A run searches every eligible version, so what it did can repeat any word of any of them. Each
world is built in a transaction of its own with the same ids; every byte that somebody without
clearance gets of the run is compared.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from itertools import count

import pytest
from django.conf import LazySettings
from django.db import transaction
from django.test import Client

from adjudication.corpus.models import SourceVersion
from adjudication.projects.models import Project, ReaderClass
from adjudication.runs.actions import claim_attempt, fail, finish, start_run
from adjudication.runs.gateway import outcome_of
from adjudication.runs.models import (
    Attempt,
    Outcome,
    ReaderNote,
    RecordedLink,
    Run,
    RunControl,
    Twin,
)
from adjudication.runs.pages import trace
from adjudication.runs.rules import Configuration
from adjudication.runs.tasks import work_on
from adjudication.search import queries as search
from adjudication.search.embedding import corpus_under
from adjudication.search.models import EmbeddedCorpus
from adjudication.search.settings import EmbeddingsSettings
from tests.conftest import Cast, client_for
from tests.factories import make_question, make_version
from tests.runs.asking import MODEL, READER, asks
from tests.runs.browsing import address, pages
from tests.runs.called import answered, sent
from tests.runs.called import failed as failed_call
from tests.runs.specified import BIRTHPLACE, BIRTHS, FILMS, freeze

TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="[^"]+"')
NOW = re.compile(
    r"\b2026-(?!01-05)[0-9-]{5}[T ][0-9:]{5,8}Z?|\b[0-9.]+ per second|<dt>Took</dt><dd>[^<]+"
)
AS_USUAL = Configuration()
HIDDEN = (
    "Anna Berg (baker)\nAnna Berg (baker) (3 March 1870, Lyon – 1 May 1933) was a baker.",
    "Anna Berg (tutor)\nAnna Berg (tutor) (9 April 1865, Rome – 2 May 1931) was a tutor.",
)
"""A namesake: found, read and rejected; of equal length and with as many known words."""
SAID = ("baker", "Lyon", "3 March 1870", "tutor", "Rome", "9 April 1865")

Build = Callable[[Project, str], None]


def worlds(project: Project, person: Client, monkeypatch: pytest.MonkeyPatch, build: Build):
    """What ``person`` is shown of the first run in each world."""
    return [seen_in(project, person, monkeypatch, build, hidden) for hidden in HIDDEN]


def seen_in(
    project: Project, person: Client, monkeypatch: pytest.MonkeyPatch, build: Build, hidden: str
) -> dict[str, str]:
    numbers = count()

    def chance(size: int) -> bytes:
        return hashlib.shake_256(str(next(numbers)).encode()).digest(size)

    with transaction.atomic(), monkeypatch.context() as patch:
        patch.setattr("os.urandom", chance)
        search._contents.cache_clear()  # it goes by ids, which both worlds have alike
        build(project, hidden)
        run = Run.objects.get()
        addresses = [
            url
            for attempt in run.attempts.order_by("question__text")
            for url in (*pages(run, attempt.question), address("run-budget", project, run.number))
        ]
        seen = {url: person.get(url).content.decode() for url in addresses}
        transaction.set_rollback(True)
    return {url: NOW.sub("", TOKEN.sub("", page)) for url, page in seen.items()}


@pytest.fixture(autouse=True)
def endpoints(settings: LazySettings) -> None:
    """Models are offered; nobody is asked."""
    settings.READER = READER
    settings.EMBEDDINGS = EmbeddingsSettings(READER.url, "", MODEL)


def asked(
    project: Project, hidden: str, question: str, configuration: Configuration = AS_USUAL
) -> Attempt:
    """An attempt at ``question`` over two films, a painter and her hidden namesake."""
    ReaderClass.objects.create(project=project, key="legal", title="Legal")
    for text in (FILMS[0], BIRTHS[0]):
        make_version(project, text, key=text.split("\n")[0])
    make_version(project, hidden, key="hidden", reader_classes=["legal"])
    question_asked = make_question(project, question, key="q")
    run = start_run(freeze(project), [question_asked], configuration, None)
    return Attempt.objects.get(run=run)


def certified(project: Project, hidden: str) -> None:
    work_on(asked(project, hidden, BIRTHPLACE).pk)
    assert Outcome.objects.get().kind == Outcome.Kind.CERTIFICATE
    rejected = RecordedLink.objects.get(version__source__key="hidden")
    assert rejected.grade == "rejected", "it was read, and it must not show"


def with_a_twin(project: Project, hidden: str) -> None:
    """The birth is taken away; the hidden namesake's is all that the twin finds."""
    work_on(asked(project, hidden, BIRTHPLACE, Configuration(twins=0)).pk)
    work_on(Attempt.objects.get(twin=True).pk)
    (lost,) = Twin.objects.get().deleted
    assert SourceVersion.objects.get(pk=lost).source.title == "Anna Berg"
    twin = Outcome.objects.get(twin=True)
    assert twin.attempt.links.filter(version__source__key="hidden").exists()


def abstained(project: Project, hidden: str) -> None:
    """The one readable passage is refused because of the title of the hidden one."""
    work_on(asked(project, hidden, "When was Anna Berg (singer) born?").pk)
    assert Outcome.objects.get().kind == Outcome.Kind.ABSTENTION


def failed(project: Project, hidden: str) -> None:
    """An error of our own that quotes what it choked on."""
    attempt = claim_attempt(asked(project, hidden, BIRTHPLACE).pk)
    fail(attempt, f"ValueError: no value in {hidden!r}")


def read_by_a_model(project: Project, hidden: str) -> None:
    """Calls that hold the passage: bought, reused, failed; before an outcome and after it."""
    limited = asks(budget_calls=9, budget_tokens=10**6)
    attempt = claim_attempt(asked(project, hidden, BIRTHPLACE, limited).pk)
    RunControl.objects.filter(run=attempt.run).update(calls=3, tokens=tokens_in(hidden))
    answer = answered(
        sent(attempt, hidden), f"not stated in {hidden}", tokens=(tokens_in(hidden), 9)
    )
    sent(attempt, hidden, reuses=answer)
    failed_call(sent(attempt, f"again: {hidden}"), f"400: {hidden}")
    sent(attempt, f"a third time: {hidden}")
    reason = f"no value in {hidden}"
    digest = answer.request_sha256
    ReaderNote.objects.create(attempt=attempt, ordinal=1, request_sha256=digest, reason=reason)


def tokens_in(hidden: str) -> int:
    """Not alike in both worlds, though the lengths are: servers count as they please."""
    return sum(map(ord, hidden))


def embedded(project: Project, hidden: str) -> None:
    """Vectors of every text, of which the tokens were counted."""
    dense = Configuration(retriever="dense", embeddings=MODEL)
    attempt = asked(project, hidden, BIRTHPLACE, dense)
    corpus = corpus_under(attempt.run.specification, MODEL)
    EmbeddedCorpus.objects.filter(pk=corpus.pk).update(calls=1, tokens=tokens_in(hidden))


def read_and_certified(project: Project, hidden: str) -> None:
    read_by_a_model(project, hidden)
    attempt = Attempt.objects.get()
    attempt.run.configuration = AS_USUAL.to_json()  # patterns read in the model's place
    finish(attempt, outcome_of(attempt))


@pytest.mark.parametrize(
    "build",
    [certified, with_a_twin, abstained, failed, read_by_a_model, embedded, read_and_certified],
)
def test_hidden_passage_changes_no_byte_of_a_run(
    project: Project, cast: Cast, monkeypatch: pytest.MonkeyPatch, build: Build
):
    """However a question ended: rankings, links, reasons and errors keep quiet about it."""
    first, second = worlds(project, client_for(cast.lead), monkeypatch, build)
    assert first == second
    assert not [word for word in SAID for page in first.values() if word in page]


def test_titles_of_namesakes_would_be_caught(
    project: Project, cast: Cast, monkeypatch: pytest.MonkeyPatch
):
    """Planted on purpose: without withholding it, a reason names the hidden namesake."""
    monkeypatch.setattr(trace, "NAMESAKES", re.compile("(never)"))
    first, second = worlds(project, client_for(cast.lead), monkeypatch, shared_name)
    assert first != second


def shared_name(project: Project, hidden: str) -> None:
    make_version(project, "Anna Berg (painter)\nAnna Berg was born on 12 May 1901.", key="own")
    work_on(asked(project, hidden, "When was Anna Berg born?").pk)
    reasons = RecordedLink.objects.filter(version__source__key="own").values_list("reason")
    assert any(hidden.split("\n")[0] in reason for (reason,) in reasons)


def test_shared_name_is_said_without_the_hidden_title(
    project: Project, cast: Cast, monkeypatch: pytest.MonkeyPatch
):
    """That a name is shared explains the refusal; with whom is not for everybody."""
    first, second = worlds(project, client_for(cast.lead), monkeypatch, shared_name)
    assert first == second
    assert any("shares its name with another title" in page for page in first.values())
