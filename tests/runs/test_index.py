"""The frozen full-text index: what it finds, and that it is the same for everybody."""

from __future__ import annotations

import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from adjudication.projects.models import Project
from adjudication.runs import index
from adjudication.runs.index import Corpus, corpus_of, place_of
from adjudication.specifications.models import Specification
from tests.conftest import ROOT, CommittedDatabase
from tests.factories import make_project, make_version
from tests.runs.specified import BIRTHS, FILMS, freeze


@pytest.fixture
def specification(project: Project) -> Specification:
    for text in (*FILMS, *BIRTHS, "The Red Door (novel)\nThe Red Door is a 1920 novel."):
        make_version(project, text)
    return freeze(project)


@pytest.fixture
def corpus(specification: Specification) -> Corpus:
    return corpus_of(specification)


def test_search_ranks_the_passage_with_the_rare_words_first(corpus: Corpus):
    """A lookup finds the passage of the entity it names, with its text as stored."""
    found = corpus.search("When was Carl Holm born?", 5)
    assert found[0].text == BIRTHS[1]
    assert found[0].title == "Carl Holm"


@pytest.mark.parametrize("query", ['"', "a:b [x", "AND OR", "-x", "", "?!", "\0", "(" * 500])
def test_search_takes_any_text_as_words(corpus: Corpus, query: str):
    """Signs of a query language mean nothing here, and nothing raises."""
    assert all(unit.uid for unit in corpus.search(query, 5))


def test_search_returns_no_more_than_asked(corpus: Corpus):
    """Rank windows rely on the limit."""
    assert len(corpus.search("the red door film novel", 2)) == 2


def test_namesakes_share_the_title_without_its_parenthesis(corpus: Corpus):
    """The entity check needs every other title with the same base, and only those."""
    assert corpus.namesakes("The Red Door") == ["The Red Door (novel)"]
    assert corpus.namesakes("The Red Door (novel)") == ["The Red Door"]
    assert corpus.namesakes("Silent Fjord") == []


def test_versions_outside_the_specification_are_not_found(project: Project):
    """Only eligible versions are searched: a later version is none."""
    make_version(project, FILMS[0])
    specification = freeze(project)
    make_version(project, "Late\nA passage about zirconium.")
    assert not corpus_of(specification).search("zirconium", 5)


def test_projects_with_equal_texts_find_their_own_versions(project: Project):
    """One project's index never names another project's versions."""
    other = make_project("other")
    mine, theirs = make_version(project, FILMS[0]), make_version(other, FILMS[0])
    found = [corpus_of(freeze(p)).search("Red Door", 5)[0].uid for p in (project, other)]
    assert found == [str(mine.pk), str(theirs.pk)]


def test_index_built_twice_has_equal_bytes(specification: Specification, tmp_path: Path):
    """A frozen index is reproducible, so that runs on two machines rank alike."""
    assert _contents(_built(specification, tmp_path / "one")) == _contents(
        _built(specification, tmp_path / "two")
    )


def _built(specification: Specification, place: Path) -> Path:
    units = index._units(index._read(index.eligible_versions(specification)))
    index._build(place, units)
    return place


def _contents(place: Path) -> list[tuple[str, str]]:
    """Suffix and digest of each file of postings; their names are random."""
    return sorted(
        (path.suffix, sha256(path.read_bytes()).hexdigest())
        for path in place.iterdir()
        if path.suffix in {".idx", ".term", ".fieldnorm", ".fast", ".store"}
    )


def test_unfinished_index_is_built_anew(specification: Specification):
    """What a killed builder left behind is never opened."""
    place = place_of(specification)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.with_suffix(".building").mkdir()
    (place.with_suffix(".building") / "meta.json").write_text("{")
    assert corpus_of(specification).search("Silent Fjord", 1)[0].title == "Silent Fjord"
    assert not place.with_suffix(".building").exists()


_OPEN = """
import django; django.setup()
from adjudication.runs.index import corpus_of
from adjudication.specifications.models import Specification
print(corpus_of(Specification.objects.get()).search("Silent Fjord", 1)[0].title)
"""


def test_processes_that_start_together_build_one_index(committed: CommittedDatabase):
    """Workers that all meet a new corpus at once end with the same whole index."""
    project = make_project()
    for text in FILMS:
        make_version(project, text)
    freeze(project)
    started = [
        subprocess.Popen(
            [sys.executable, "-c", _OPEN],
            cwd=ROOT,
            env=committed.environment | {"DJANGO_SETTINGS_MODULE": "adjudication.settings"},
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    assert [process.communicate(timeout=60)[0] for process in started] == ["Silent Fjord\n"] * 3
