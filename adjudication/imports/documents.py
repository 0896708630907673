"""Documents that claims of other files name: stored under the data set's own name for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import BinaryIO, TypeVar

from adjudication.corpus.actions import Capture
from adjudication.corpus.bulk import add_sources, chunks
from adjudication.corpus.models import SourceVersion
from adjudication.errors import Refused
from adjudication.imports.reports import Count, Options, Report, Watch, first_of, refusing
from adjudication.projects.models import Project
from certify_core.canonical import sha256_hex
from certify_core.datasets.documents import Read
from certify_core.datasets.records import Document

T = TypeVar("T")
Reader = Callable[[BinaryIO], Iterator[Read]]

CHUNK = 1_000  # records in memory at a time


def check(dataset: str, read: Reader, project: Project, file: BinaryIO, watch: Watch) -> Report:
    """What of ``file`` is new, and its problems; writes nothing. Raises as ``store`` does."""
    return _take_in(dataset, read, project, file, watch, None)


def store(
    dataset: str, read: Reader, project: Project, file: BinaryIO, options: Options, watch: Watch
) -> Report:
    """Store what of ``file`` is new.

    Raises:
        Refused: a record that cannot be read, or a document that is here with another text.
    """
    return _take_in(dataset, read, project, file, watch, options)


def in_chunks(records: Iterator[T], file: BinaryIO, watch: Watch) -> Iterator[list[T]]:
    """``records``, which are read from ``file``, some at a time; how far it is, to ``watch``.

    Raises:
        Refused: a record that cannot be read, with its place.
    """
    read = 0
    with refusing():
        for chunk in chunks(records, CHUNK):
            read += len(chunk)
            watch.progress(file.tell(), read)
            yield chunk


def _take_in(
    dataset: str,
    read: Reader,
    project: Project,
    file: BinaryIO,
    watch: Watch,
    options: Options | None,
) -> Report:
    """Without ``options`` nothing is written."""
    new = known = 0
    for chunk in in_chunks(read(file), file, watch):
        for one in chunk:
            for problem in one.problems:
                watch.problem(problem)
        documents = [one.document for one in chunk if one.document]
        added = _unknown(project, dataset, documents)
        new, known = new + len(added), known + len(documents) - len(added)
        if options is not None:
            captures = (_capture(dataset, one, options) for one in added)
            add_sources(project, captures, reader_classes=options.reader_classes)
    return Report(dataset, (Count("documents", new, known),))


def _unknown(project: Project, dataset: str, documents: list[Document]) -> list[Document]:
    """Those that are not here; refuses those that are here with another text."""
    versions = SourceVersion.objects.filter(
        source__project=project,
        source__origin=dataset,
        source__key__in=[one.key for one in documents],
    )
    here: dict[str, set[str]] = {}
    for key, sha256 in versions.values_list("source__key", "sha256"):
        here.setdefault(key, set()).add(sha256)
    known = [one for one in documents if one.key in here]
    if other := [one.key for one in known if _sha256(one) not in here[one.key]]:
        raise Refused(
            f"These documents are here already with other text: {first_of(other)}. "
            "Nothing was imported."
        )
    return [one for one in documents if one.key not in here]


def _sha256(one: Document) -> str:
    return sha256_hex(one.text.encode())


def _capture(dataset: str, one: Document, options: Options) -> Capture:
    return Capture(
        origin=dataset,
        key=one.key,
        title=one.title,
        snapshot=one.text.encode(),
        observed_at=options.observed_at,
        address=one.address,
        licence=options.licence,
    )
