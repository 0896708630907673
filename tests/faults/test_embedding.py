"""A worker that dies while it embeds a corpus: what it bought stays, and the rest follows."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

import pytest

from adjudication.search import building
from adjudication.search.embedding import corpus_under
from adjudication.search.settings import EmbeddingsSettings
from bench import misbehaving
from bench.endpoint import Endpoint
from tests.conftest import ROOT, CommittedDatabase
from tests.factories import make_project, make_version
from tests.runs.specified import BIRTHS, FILMS, freeze

pytestmark = pytest.mark.slow
MODEL = "bag-of-words"

_BUILD = """
import django; django.setup()
from adjudication.search import building
from adjudication.specifications.models import Specification
building.AT_ONCE = 1
building.build(Specification.objects.get(), "bag-of-words")
"""


def test_killed_builder_leaves_what_it_bought(
    committed: CommittedDatabase, settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed in its third call, it has two of four texts; only the call in flight is repeated,
    and its lock is gone with it.
    """
    project = make_project()
    for text in (*FILMS, *BIRTHS):
        make_version(project, text)
    specification = freeze(project)
    monkeypatch.setattr(building, "AT_ONCE", 1)
    with Endpoint() as endpoint:
        settings.EMBEDDINGS = EmbeddingsSettings(endpoint.url, "", MODEL)
        endpoint.when(3, misbehaving.hangs)
        builder = subprocess.Popen(
            [sys.executable, "-c", _BUILD],
            cwd=ROOT,
            env=committed.environment
            | {
                "DJANGO_SETTINGS_MODULE": "adjudication.settings",
                "EMBEDDINGS_URL": endpoint.url,
                "EMBEDDINGS_MODEL": MODEL,
            },
        )
        endpoint.wait_for(3)
        builder.kill()
        builder.wait()
        killed = corpus_under(specification, MODEL)
        assert (killed.done, killed.calls, killed.finished_at) == (2, 2, None)
        while corpus_under(specification, MODEL).finished_at is None:
            building.build(specification, MODEL)  # nothing, until the server misses the builder
        sent = Counter(asked.body["input"][0] for asked in endpoint.asked)
    assert sorted(sent.values()) == [1, 1, 1, 2]
    whole = corpus_under(specification, MODEL)
    assert (whole.done, whole.calls, whole.error) == (4, 4, "")
