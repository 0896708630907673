"""The frozen full-text index: what it finds, and that it is the same for everybody."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from hashlib import sha256
from pathlib import Path

import pytest
from pytest_django import DjangoAssertNumQueries

from adjudication.projects.models import Project
from adjudication.search import index
from adjudication.search.queries import Corpus, contents_of, corpus_of, units_of
from adjudication.specifications.models import Specification
from adjudication.specifications.queries import eligible_versions
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


def test_search_asks_the_database_once(
    project: Project, django_assert_num_queries: DjangoAssertNumQueries
):
    """A run searches thousands of times, each time for up to twenty whole texts."""
    for text in (*FILMS, *BIRTHS):
        make_version(project, text)
    corpus = corpus_of(freeze(project))
    with django_assert_num_queries(1):
        found = corpus.search("The Red Door by Anna Berg, Silent Fjord by Carl Holm", 4)
    assert {unit.text for unit in found} == {*FILMS, *BIRTHS}
    assert {(unit.title, unit.text.split("\n")[0]) for unit in found} == {
        (unit.title, unit.title) for unit in found
    }


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
    index.build(place, units_of(eligible_versions(specification)))
    return place


def place_of(specification: Specification) -> Path:
    return index.folder() / contents_of(eligible_versions(specification)).name


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
from adjudication.search.queries import corpus_of
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


@pytest.mark.parametrize("suffix", [".term", ".store", ".json"])
def test_damaged_index_is_built_anew(specification: Specification, suffix: str):
    """A file that a disk or a person changed is noticed before anybody ranks with it."""
    corpus_of(specification)
    place = place_of(specification)
    damaged = max(place.glob(f"*{suffix}"), key=lambda path: path.stat().st_size)
    content = bytearray(damaged.read_bytes())
    content[len(content) // 2] ^= 1
    damaged.write_bytes(content)
    index._opened.cache_clear()  # another process has not opened it before
    assert index.find(place.name) is None
    assert corpus_of(specification).search("Silent Fjord", 1)[0].title == "Silent Fjord"
    assert index.find(place.name) is not None


def test_specifications_over_the_same_corpus_share_one_index(project: Project):
    """What is in an index names it: the next test over the same versions builds nothing."""
    make_version(project, FILMS[0])
    first, second = freeze(project), freeze(project)
    assert place_of(first) == place_of(second)
    make_version(project, FILMS[1])
    assert place_of(freeze(project)) != place_of(first)


def test_index_in_use_stays_and_an_unused_one_goes(specification: Specification):
    """Indexes nobody needs any more give their room back; the next user builds it again."""
    corpus_of(specification)
    place = place_of(specification)
    index.sweep(unused=60)
    assert place.exists()
    long_ago = time.time() - 3600
    for path in place.parent.glob(f"{place.name}*"):
        os.utime(path, (long_ago, long_ago))
    assert index.sweep(unused=60) == 1
    assert not list(place.parent.glob(f"{place.name}*"))
    assert corpus_of(specification).search("Silent Fjord", 1)


def test_sweep_leaves_what_is_being_built(specification: Specification):
    """A builder that takes long is not swept away under its hands."""
    place = place_of(specification)
    with index._only_builder(place.name):
        os.utime(index._lock(place.name), (0, 0))
        assert index.sweep(unused=60) == 0
        assert index.progress(place.name) == (0, 0)
    assert index.progress(place.name) is None
