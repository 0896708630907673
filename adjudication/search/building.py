"""Give every text of a corpus its vector: in the background, each text once, whatever dies.

A builder holds a lock of its database session, which ends with it. The vectors of each call are
committed before the next is made, so whoever goes on buys only what is missing.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from uuid import UUID

from django.db import InterfaceError, OperationalError, connection, transaction
from django.db.models import F
from django.db.models.functions import Now

from adjudication.corpus.bulk import chunks
from adjudication.errors import Refused
from adjudication.readers.requests import EndpointDown
from adjudication.search import vectors
from adjudication.search.embedding import corpus_under, endpoint_for, refuse_unless_possible
from adjudication.search.embeddings import AT_ONCE, NoVectors, embed
from adjudication.search.models import EmbeddedCorpus, Placed
from adjudication.search.queries import CHUNK, units_of
from adjudication.search.signals import vectors_settled
from adjudication.search.vectors import embedded_part, name_of
from adjudication.specifications.models import Specification
from adjudication.specifications.queries import eligible_versions
from certify_core.model import Unit

logger = logging.getLogger("adjudication.search")


def build(specification: Specification, model: str) -> None:
    """Embed what is missing, unless somebody else is at it. How it ended is kept in its row,
    and said to whoever waits for it.
    """
    corpus = corpus_under(specification, model)
    with _only_builder(corpus) as alone:
        corpus.refresh_from_db()
        if not alone or corpus.finished_at is not None:
            return
        error = _tried(specification, corpus)
        if error:
            EmbeddedCorpus.objects.filter(pk=corpus.pk).update(error=error)
    vectors_settled.send(EmbeddedCorpus, model=model)


def _tried(specification: Specification, corpus: EmbeddedCorpus) -> str:
    """Why ``corpus`` could not be completed; "" if it was. A lost database ends it as it is."""
    try:
        refuse_unless_possible(corpus.model)
        _complete(specification, corpus)
    except (EndpointDown, NoVectors, Refused) as error:
        logger.warning("%s was not embedded: %s", corpus, error)
        return str(error)
    except (OperationalError, InterfaceError):
        raise
    except Exception as error:
        logger.exception("%s was not embedded", corpus)
        return f"{type(error).__name__}: {error}"
    return ""


@contextmanager
def _only_builder(corpus: EmbeddedCorpus) -> Iterator[bool]:
    """Whether this process alone builds ``corpus`` until the block ends."""
    key = f"embedding {corpus.pk}"
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", [key])
        (alone,) = cursor.fetchone()
    try:
        yield alone
    finally:
        if alone and connection.is_usable():
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", [key])


def _complete(specification: Specification, corpus: EmbeddedCorpus) -> None:
    there = Placed.objects.filter(corpus=corpus).values("version")
    missing = units_of(eligible_versions(specification).exclude(pk__in=there))
    for units in chunks(missing, CHUNK):
        _embed_and_place(corpus, units)
    mine = EmbeddedCorpus.objects.filter(pk=corpus.pk)
    dimension = vectors.dimension_of(corpus.model)
    mine.update(dimension=dimension)
    if corpus.total > vectors.EXACT and (dimension or 0) <= vectors.MOST_INDEXED:
        vectors.make_index(corpus)
    mine.update(finished_at=Now(), error="")


def _embed_and_place(corpus: EmbeddedCorpus, units: Sequence[Unit]) -> None:
    """First what has its vector already, then what must be bought, call by call."""
    texts = {UUID(unit.uid): embedded_part(unit.text) for unit in units}
    names = {pk: name_of(text) for pk, text in texts.items()}
    stored = vectors.known(corpus.model, set(names.values()))
    _place(corpus, {pk: name for pk, name in names.items() if name in stored})
    new = {names[pk]: text for pk, text in texts.items() if names[pk] not in stored}
    for batch in chunks(new.items(), AT_ONCE):
        bought = dict(batch)
        _buy(corpus, bought)
        _place(corpus, {pk: name for pk, name in names.items() if name in bought})


@transaction.atomic
def _place(corpus: EmbeddedCorpus, names: Mapping[UUID, str]) -> None:
    placed = vectors.place(corpus, names)
    EmbeddedCorpus.objects.filter(pk=corpus.pk).update(done=F("done") + placed)


def _buy(corpus: EmbeddedCorpus, texts: Mapping[str, str]) -> None:
    """Buy and keep the vectors of ``texts``, by their names; what they cost is counted."""
    size = vectors.dimension_of(corpus.model)
    found = embed(endpoint_for(corpus.model), list(texts.values()), size)
    tokens = None if found.tokens is None else F("tokens") + found.tokens
    with transaction.atomic():
        vectors.keep(corpus.model, dict(zip(texts, found.vectors, strict=True)))
        EmbeddedCorpus.objects.filter(pk=corpus.pk).update(calls=F("calls") + 1, tokens=tokens)


def vector_of(corpus: EmbeddedCorpus, query: str) -> list[float]:
    """The vector of a query: bought once as well, so that it ranks alike ever after.

    Raises:
        Refused: it is not stored, and the endpoint is not there to ask.
        EndpointDown, NoVectors: it could not be had.
    """
    part = embedded_part(query)
    name = name_of(part)
    if (known := vectors.stored(corpus.model, name)) is not None:
        return known
    _buy(corpus, {name: part})
    kept = vectors.stored(corpus.model, name)
    assert kept is not None, "what was kept is there"
    return kept
