"""Runs that rank by vectors: those are asked for at the start, and questions wait for them."""

from __future__ import annotations

from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet

from adjudication.errors import Refused
from adjudication.runs.models import Attempt, Run
from adjudication.runs.rules import Configuration
from adjudication.search import embedding
from adjudication.search.embedding import NotEmbedded, NotReady, in_words
from adjudication.search.models import EmbeddedCorpus


def check_possible(configuration: Configuration) -> None:
    """Vectors that the run would rank by can be had here; one that replays finds them stored.

    Raises:
        Refused: they cannot.
    """
    if configuration.embeddings and configuration.reader != "recorded":
        embedding.refuse_unless_possible(configuration.embeddings)


def ask_for(run: Run) -> None:
    """Have what the run lacks embedded, also where that failed before.

    Raises:
        Refused: something is missing, and cannot be had here.
    """
    if model := Configuration.from_json(run.configuration).embeddings:
        embedding.ask_for(run.specification, model)


def wait(run: Run) -> str:
    """How far the vectors are that the run's questions wait for; "" where they wait for none.

    Workers are asked again where nobody is at it. Vectors that cannot be had keep no question
    waiting: each ends with the reason.
    """
    model = Configuration.from_json(run.configuration).embeddings
    if not model:
        return ""
    try:
        embedding.vectors_under(run.specification, model)
    except NotReady as way:
        return str(way)
    except (NotEmbedded, Refused):
        return ""
    return ""


def way(run: Run) -> str:
    """What ``wait`` says, for looking on: nobody is asked for anything."""
    corpus = _corpus(run)
    return in_words(corpus) if corpus and not (corpus.finished_at or corpus.error) else ""


def bought(run: Run, *, whole: bool) -> str:
    """What the vectors of the run's corpus and of all queries to it came to so far.

    Tokens are for who may read the ``whole`` corpus, as they tell how long its texts are.
    """
    corpus = _corpus(run)
    if corpus is None or not corpus.calls:
        return ""
    calls = f"{corpus.calls:,} call{'' if corpus.calls == 1 else 's'}"
    if not whole:
        return calls
    tokens = "tokens not reported" if corpus.tokens is None else f"{corpus.tokens:,} tokens"
    return f"{calls}, {tokens}"


def _corpus(run: Run) -> EmbeddedCorpus | None:
    model = Configuration.from_json(run.configuration).embeddings
    return embedding.known_corpus(run.specification, model) if model else None


def with_questions_left(model: str | None = None) -> QuerySet[Run]:
    """Runs that rank by vectors (of ``model`` where named) and have questions that wait."""
    queued = Attempt.objects.filter(run=OuterRef("pk"), state=Attempt.State.QUEUED)
    runs = Run.objects.filter(Exists(queued), configuration__retriever__in=["dense", "hybrid"])
    if model is not None:
        runs = runs.filter(configuration__embeddings=model)
    return runs.select_related("specification")


def waiting() -> list[UUID]:
    """The runs whose questions wait for vectors."""
    return [run.pk for run in with_questions_left() if wait(run)]
