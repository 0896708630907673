"""Dense search: vectors bought once, exactly those of the specification, nearest first."""

from __future__ import annotations

import itertools
import math
import random
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from uuid import UUID

import pytest
from django.conf import LazySettings
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from adjudication.errors import Refused
from adjudication.projects.models import Project
from adjudication.search import building, embedding, vectors
from adjudication.search.building import build
from adjudication.search.embedding import NotEmbedded, NotReady, corpus_under, vectors_under
from adjudication.search.models import EmbeddedCorpus, Vector
from adjudication.search.retrievers import retriever_of
from adjudication.search.settings import EmbeddingsSettings
from adjudication.search.vectors import Vectors, name_of
from adjudication.specifications.models import Specification
from bench import misbehaving
from bench.endpoint import Endpoint, vector
from certify_core.fusion import fused
from tests.conftest import ROOT, CommittedDatabase
from tests.factories import make_project, make_version
from tests.runs.specified import BIRTHS, FILMS, freeze

MODEL = "bag-of-words"
QUERY = "Who directed the film Silent Fjord?"


@pytest.fixture(scope="module")
def server() -> Iterator[Endpoint]:
    with Endpoint() as endpoint:
        yield endpoint


@pytest.fixture
def endpoint(server: Endpoint, settings: LazySettings) -> Endpoint:
    """The embeddings endpoint of the program, which counts what it is asked."""
    server.forget()
    settings.EMBEDDINGS = EmbeddingsSettings(server.url, "", MODEL)
    return server


@pytest.fixture
def specification(project: Project) -> Specification:
    for text in (*FILMS, *BIRTHS):
        make_version(project, text)
    return freeze(project)


def texts_asked(endpoint: Endpoint) -> list[str]:
    return [text for asked in endpoint.asked for text in asked.body["input"]]


def embedded(specification: Specification) -> Vectors:
    build(specification, MODEL)
    return vectors_under(specification, MODEL)


def random_texts(number: int, seed: int = 7) -> list[str]:
    """Texts of a few of thirty words, some of them equal."""
    words = [f"word{one}" for one in range(30)]
    pick = random.Random(seed)
    texts = [f"Title {n % 5}\n{' '.join(pick.choices(words, k=6))}" for n in range(number)]
    return [*texts[: number // 2], *texts[: number - number // 2]]


def distance(query: str, text: str) -> float:
    """One minus the cosine, by its definition."""
    return 1 - sum(a * b for a, b in zip(vector(query), vector(text), strict=True))


def assert_nearest(found: list[UUID], query: str, texts: dict[UUID, str], limit: int) -> None:
    """``found`` is what comparing everything finds: nearest first, equal texts by their ids."""
    every = sorted((distance(query, text), pk) for pk, text in texts.items())
    assert len(found) == len(set(found)) == min(limit, len(texts))
    distances = [distance(query, texts[pk]) for pk in found]
    assert distances == pytest.approx([one for one, _ in every[:limit]], abs=1e-5)
    for one, after in itertools.pairwise(found):
        assert texts[one] != texts[after] or one < after


# --- Which versions, in which order ----------------------------------------------------------


@pytest.mark.parametrize("indexed", [False, True], ids=["exact", "hnsw"])
def test_nearest_are_those_of_brute_force(
    project: Project, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, indexed: bool
) -> None:
    """The database finds what comparing everything finds, as many as there are, ties by id."""
    if indexed:
        monkeypatch.setattr(vectors, "EXACT", 0)
    versions = [make_version(project, text) for text in random_texts(40)]
    found = embedded(freeze(project))
    assert found.indexed == indexed
    texts = {one.pk: one.text for one in versions}
    for query in ("word1 word2", "word7", QUERY):
        asked = building.vector_of(found.corpus, query)
        for limit in (1, 7, 40, 90):
            assert_nearest(found.nearest(asked, limit), query, texts, limit)


@pytest.mark.parametrize("indexed", [False, True], ids=["exact", "hnsw"])
def test_vectors_of_other_texts_sway_nothing(
    project: Project, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, indexed: bool
) -> None:
    """What a specification may not see is not found, takes no place, and moves nothing."""
    if indexed:
        monkeypatch.setattr(vectors, "EXACT", 0)
    for text in random_texts(20):
        make_version(project, text)
    before = freeze(project)
    embedded(before)
    query = "word3 word4 word5"
    ranked = [unit.uid for unit in retriever_of(before, "dense", MODEL).search(query, 20)]
    others = make_project("other")
    for text in (query, *random_texts(20, seed=8)):
        make_version(project, f"Later\n{text}")
        make_version(others, text)
    embedded(freeze(others))
    after = freeze(project)
    embedded(after)
    assert [one.uid for one in retriever_of(before, "dense", MODEL).search(query, 20)] == ranked
    assert retriever_of(after, "dense", MODEL).search(query, 1)[0].uid not in ranked


def test_hybrid_fuses_words_and_vectors(specification: Specification, endpoint: Endpoint) -> None:
    """Every version that either finds is there, what both find comes first, and a longer result
    begins with a shorter one.
    """
    embedded(specification)
    words, dense, hybrid = (
        [unit.uid for unit in retriever_of(specification, kind, MODEL).search(QUERY, 4)]
        for kind in ("bm25", "dense", "hybrid")
    )
    assert hybrid == fused([words, dense])
    assert hybrid[0] == words[0] == dense[0]
    shorter = retriever_of(specification, "hybrid", MODEL).search(QUERY, 2)
    assert [unit.uid for unit in shorter] == hybrid[:2]
    assert retriever_of(specification, "hybrid", MODEL).namesakes("The Red Door") == []


_RANK = """
import django; django.setup()
from django.conf import settings
from adjudication.search.retrievers import retriever_of
from adjudication.specifications.models import Specification
found = retriever_of(Specification.objects.get(), "hybrid", "bag-of-words")
print(*[unit.uid for unit in found.search("Who directed the film Silent Fjord?", 40)])
"""


def test_every_process_ranks_alike(committed: CommittedDatabase, endpoint: Endpoint) -> None:
    """Another process, under another hash seed and without the endpoint, ranks the same."""
    project = make_project()
    for text in (*FILMS, *BIRTHS, *random_texts(6)):
        make_version(project, text)
    specification = freeze(project)
    embedded(specification)
    here = [one.uid for one in retriever_of(specification, "hybrid", MODEL).search(QUERY, 40)]
    environment = {"DJANGO_SETTINGS_MODULE": "adjudication.settings", "PYTHONHASHSEED": "5"}
    printed = subprocess.run(
        [sys.executable, "-c", _RANK],
        cwd=ROOT,
        env=committed.environment | environment,
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    assert printed.stdout.split() == here
    assert len(here) == 10


# --- Bought once -----------------------------------------------------------------------------


def test_each_text_is_bought_once_for_every_corpus(project: Project, endpoint: Endpoint) -> None:
    """A further specification, of another project too, buys only what is new to it."""
    first, other = freeze_over(project, FILMS), freeze_over(make_project("other"), FILMS)
    embedded(first)
    embedded(other)
    assert sorted(texts_asked(endpoint)) == sorted(FILMS)
    embedded(freeze_over(project, BIRTHS[:1]))
    assert texts_asked(endpoint)[2:] == [BIRTHS[0]]


def test_equal_texts_are_sent_once(project: Project, endpoint: Endpoint) -> None:
    """Two sources with one text are two versions and one vector."""
    found = embedded(freeze_over(project, [FILMS[0], FILMS[0], FILMS[1]]))
    assert sorted(texts_asked(endpoint)) == sorted(FILMS)
    assert found.corpus.done == found.corpus.total == 3


def test_query_is_bought_once(specification: Specification, endpoint: Endpoint) -> None:
    """The same question ranks by the same numbers ever after, also where nobody answers."""
    found = embedded(specification)
    corpus = retriever_of(specification, "dense", MODEL)
    ranked = corpus.search(QUERY, 4)
    asked = len(endpoint.asked)
    endpoint.always(misbehaving.fails(500))
    assert corpus.search(QUERY, 4) == ranked
    assert len(endpoint.asked) == asked
    assert vectors.stored(MODEL, name_of(QUERY)) == building.vector_of(found.corpus, QUERY)


def test_calls_and_tokens_are_counted(specification: Specification, endpoint: Endpoint) -> None:
    """What a corpus cost is known; what a server does not say is unknown, not nothing."""
    embedded(specification)
    corpus = EmbeddedCorpus.objects.get()
    assert (corpus.calls, corpus.tokens) == (1, sum(len(t.split()) for t in (*FILMS, *BIRTHS)))
    endpoint.always(misbehaving.reports_no_tokens)
    building.vector_of(corpus, QUERY)
    corpus.refresh_from_db()
    assert (corpus.calls, corpus.tokens) == (2, None)


@pytest.mark.parametrize(
    ("text", "sent"),
    [("x" * 5000, "x" * vectors.LENGTH), ("\n \n", "(blank)")],
    ids=["long", "blank"],
)
def test_text_that_a_server_would_refuse_has_a_vector(
    project: Project, endpoint: Endpoint, text: str, sent: str
) -> None:
    """One long or blank text does not keep a corpus from being searched."""
    embedded(freeze_over(project, [text]))
    assert texts_asked(endpoint) == [sent]


# --- On the way ------------------------------------------------------------------------------


def test_missing_vectors_are_asked_for_once(
    specification: Specification,
    endpoint: Endpoint,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Callable[..., Any],
) -> None:
    """Whoever needs vectors that are not there is told how far they are, and has them made."""
    told: list[object] = []
    monkeypatch.setattr(embedding, "tell_workers", lambda task, calls: told.extend(calls))
    with django_capture_on_commit_callbacks(execute=True):
        for _ in range(2):
            with pytest.raises(NotReady, match=r"^embedding 0 of 4$"):
                retriever_of(specification, "hybrid", MODEL)
    assert told == [[str(specification.pk), MODEL]]
    EmbeddedCorpus.objects.update(asked_at=timezone.now() - 2 * embedding.PATIENCE)
    with (
        django_capture_on_commit_callbacks(execute=True),
        pytest.raises(NotReady),
    ):
        retriever_of(specification, "dense", MODEL)
    assert len(told) == 2


def test_interrupted_build_goes_on_where_it_ended(
    specification: Specification, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was bought before a failure stays; whoever waits learns why, and asks again."""
    monkeypatch.setattr(building, "AT_ONCE", 1)
    endpoint.when(3, misbehaving.html)
    build(specification, MODEL)
    corpus = corpus_under(specification, MODEL)
    assert (corpus.done, corpus.finished_at) == (2, None)
    with pytest.raises(NotEmbedded, match="not JSON"):
        vectors_under(specification, MODEL)
    assert embedding.ask_for(specification, MODEL).pk == corpus.pk
    with pytest.raises(NotReady, match="embedding 2 of 4"):
        vectors_under(specification, MODEL)
    embedded(specification)
    assert len(texts_asked(endpoint)) == 5
    assert Vector.objects.count() == 4


def test_two_builders_do_not_buy_the_same(committed: CommittedDatabase, endpoint: Endpoint) -> None:
    """A message that comes twice starts nothing twice: the second builder leaves at once."""
    specification = freeze_over(make_project(), [*FILMS, *BIRTHS])
    release = threading.Event()
    endpoint.when(1, misbehaving.waits_for(release))

    def other() -> None:
        build(specification, MODEL)
        connection.close()

    thread = threading.Thread(target=other)
    thread.start()
    try:
        endpoint.wait_for(1)
        build(specification, MODEL)
        assert corpus_under(specification, MODEL).finished_at is None
    finally:
        release.set()
        thread.join()
    assert len(endpoint.asked) == 1
    assert vectors_under(specification, MODEL).corpus.done == 4


# --- Where it is not possible ----------------------------------------------------------------


def test_dense_is_refused_in_plain_words(
    specification: Specification,
    endpoint: Endpoint,
    settings: LazySettings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without endpoint, model or extension nothing begins, and BM25 goes on working."""
    with pytest.raises(Refused, match="is asked for bag-of-words, not for other"):
        retriever_of(specification, "dense", "other")
    monkeypatch.setattr(vectors, "has_extension", lambda: False)
    with pytest.raises(Refused, match="extension “vector”, which this database lacks"):
        retriever_of(specification, "hybrid", MODEL)
    settings.EMBEDDINGS = None
    with pytest.raises(Refused, match="EMBEDDINGS_URL is not set"):
        embedding.ask_for(specification, MODEL)
    assert retriever_of(specification, "bm25").search(QUERY, 1)
    assert not endpoint.asked


@pytest.mark.parametrize(
    "numbers", [[], [0.0, 0.0], [1.0, math.nan], [math.inf, 1.0], [1.0, 2.0, 3.0]]
)
def test_database_refuses_what_cannot_be_compared(db: None, numbers: list[float]) -> None:
    """No code path stores a vector without direction, or of another size than its model's."""
    vectors.keep(MODEL, {name_of("known"): [1.0, 2.0]})
    with pytest.raises(IntegrityError), transaction.atomic():
        Vector.objects.create(model=MODEL, sha256=name_of("new"), numbers=numbers)
    vectors.keep(MODEL, {name_of("known"): [3.0, 4.0]})
    assert vectors.stored(MODEL, name_of("known")) == [1.0, 2.0]


def freeze_over(project: Project, texts: Sequence[str]) -> Specification:
    """A further specification of ``project``, after adding ``texts``."""
    for text in texts:
        make_version(project, text)
    return freeze(project)
