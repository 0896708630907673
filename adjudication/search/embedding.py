"""Whether the vectors of a corpus are there, and what to do where they are not."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from adjudication import tell_workers
from adjudication.errors import Refused
from adjudication.search import vectors
from adjudication.search.models import EmbeddedCorpus
from adjudication.search.queries import contents_under
from adjudication.search.settings import EmbeddingsSettings
from adjudication.search.vectors import Vectors
from adjudication.specifications.models import Specification
from certify_core.canonical import digest

TASK = "adjudication.search.embed_corpus"
FORMAT = f"vectors/1/{vectors.LENGTH}"
PATIENCE = timedelta(minutes=1)
"""Until the workers are asked again for what is not finished; a message can be lost."""


class NotReady(Exception):
    """The vectors that are needed are on their way; the message says how far they are."""

    def __init__(self, corpus: EmbeddedCorpus) -> None:
        super().__init__(in_words(corpus))


def in_words(corpus: EmbeddedCorpus) -> str:
    """How far the vectors of ``corpus`` are."""
    if corpus.done == corpus.total:
        return f"indexing {corpus.total:,} vectors"
    return f"embedding {corpus.done:,} of {corpus.total:,}"


class NotEmbedded(Exception):
    """The vectors that are needed could not be had; the message says what happened."""


def offered_model() -> str:
    """The model of the embeddings endpoint.

    Raises:
        Refused: there is no such endpoint.
    """
    return _endpoint().model


def _endpoint() -> EmbeddingsSettings:
    where: EmbeddingsSettings | None = settings.EMBEDDINGS
    if where is None:
        raise Refused("Dense search needs an embeddings endpoint: EMBEDDINGS_URL is not set.")
    return where


def refuse_unless_possible(model: str) -> None:
    """Dense search under ``model`` is possible here and now.

    Raises:
        Refused: no endpoint, another model there, or a database without vectors; the message
            says what whoever operates the program can do.
    """
    endpoint_for(model)
    if not vectors.has_extension():
        raise Refused(
            "Dense search needs the extension “vector”, which this database lacks. "
            "docs/deployment.md says how to create it; BM25 works without."
        )


def endpoint_for(model: str) -> EmbeddingsSettings:
    """The endpoint, if ``model`` is the one to ask there; Refused otherwise."""
    where = _endpoint()
    if where.model != model:
        raise Refused(f"The embeddings endpoint is asked for {where.model}, not for {model}.")
    return where


def corpus_under(specification: Specification, model: str) -> EmbeddedCorpus:
    """The texts of a frozen specification under ``model``, however many have vectors yet."""
    corpus, _ = EmbeddedCorpus.objects.get_or_create(
        model=model,
        contents=_name(specification),
        defaults={"total": contents_under(specification).count},
    )
    return corpus


def _name(specification: Specification) -> str:
    return digest([FORMAT, contents_under(specification).name])


def known_corpus(specification: Specification, model: str) -> EmbeddedCorpus | None:
    """The texts of a specification under ``model``, if anybody asked for their vectors."""
    return EmbeddedCorpus.objects.filter(model=model, contents=_name(specification)).first()


def ask_for(specification: Specification, model: str) -> EmbeddedCorpus:
    """Have the workers embed what is missing, also where that failed before.

    Raises:
        Refused: something is missing, and dense search is not possible.
    """
    corpus = corpus_under(specification, model)
    if corpus.finished_at is None:
        refuse_unless_possible(model)
        _ask(specification, corpus, Q(error__gt="") | _forgotten())
    return corpus


def vectors_under(specification: Specification, model: str) -> Vectors:
    """The finished vectors of a specification's texts.

    Raises:
        NotReady: they are not all there; the workers have been asked for the rest.
        NotEmbedded: the last build ended early, and nobody asked again.
        Refused: dense search is not possible.
    """
    corpus = corpus_under(specification, model)
    if corpus.finished_at is None:
        refuse_unless_possible(model)
        if corpus.error:
            raise NotEmbedded(corpus.error)
        _ask(specification, corpus, _forgotten())
        raise NotReady(corpus)
    return Vectors.of(corpus)


def _forgotten() -> Q:
    return Q(asked_at__isnull=True) | Q(asked_at__lt=Now() - PATIENCE)


def _ask(specification: Specification, corpus: EmbeddedCorpus, when: Q) -> None:
    waiting = EmbeddedCorpus.objects.filter(when, pk=corpus.pk, finished_at__isnull=True)
    if waiting.update(asked_at=Now(), error=""):
        call = [str(specification.pk), corpus.model]
        transaction.on_commit(lambda: tell_workers(TASK, [call]))
