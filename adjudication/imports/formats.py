"""The formats that can be imported: each one line here, and two functions of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO

from adjudication.errors import Refused
from adjudication.imports import documents, placed, records
from adjudication.imports.bundle import store as bundles
from adjudication.imports.reports import Options, Report, Watch
from adjudication.projects.models import Project
from certify_core.datasets import DIALECTS, DOCUMENTS, PLACED


@dataclass(frozen=True, slots=True)
class Format:
    """A layout of files and how it is taken in.

    Both functions read the file from its current position to its end, as a stream: never the
    whole of it into memory. Both raise ``Refused`` with the line or record at fault.

    Attributes:
        version: of our reading of the layout; a change of what is read changes it.
        check: reads everything and writes nothing; reports what ``store`` would do.
        store: stores what is new inside the caller's transaction, which also holds the
            project's import lock. The caller writes the journal entry.
    """

    name: str
    label: str
    help: str
    version: str
    check: Callable[[Project, BinaryIO, Watch], Report]
    store: Callable[[Project, BinaryIO, Options, Watch], Report]


def _dialect(name: str, label: str, help_text: str) -> Format:
    """A data set's dialect, over the neutral records of ``certify_core``."""
    dialect = DIALECTS[name]
    return Format(
        name=name,
        label=label,
        help=help_text,
        version="1",
        check=partial(records.check, dialect),
        store=partial(records.store, dialect),
    )


def _placed(name: str, label: str, help_text: str) -> Format:
    """Questions whose evidence lies in documents of another file."""
    read = PLACED[name]
    return Format(
        name=name,
        label=label,
        help=help_text,
        version="1",
        check=partial(placed.check, name, read),
        store=partial(placed.store, name, read),
    )


def _documents(name: str, label: str, help_text: str) -> Format:
    """Those documents."""
    dataset, read = DOCUMENTS[name]
    return Format(
        name=name,
        label=label,
        help=help_text,
        version="1",
        check=partial(documents.check, dataset, read),
        store=partial(documents.store, dataset, read),
    )


_BUNDLE = Format(
    name="bundle",
    label="Bundle",
    help="A project's evidence, exact to the byte: see docs/bundle-format.md.",
    version="1",
    check=bundles.check,
    store=bundles.store,
)

FORMATS: Mapping[str, Format] = {
    one.name: one
    for one in (
        _dialect("musique", "MuSiQue", "Questions with paragraphs and their decomposition."),
        _dialect("hotpotqa", "HotpotQA", "Questions with supporting facts, either layout."),
        _dialect("2wiki", "2WikiMultiHopQA", "Questions with supporting facts."),
        _dialect("wice", "WiCE", "Claims with the sentences of the page that each cites."),
        _dialect("proofwriter", "ProofWriter", "Open-world theories, as Logic-LM lays them out."),
        _dialect("textworld", "TextWorld", "Turn logs of games."),
        _placed("fever", "FEVER claims", "Claims with sets of sentences of its pages."),
        _documents("fever-pages", "FEVER pages", "Wikipedia pages that the claims name."),
        _placed("scifact", "SciFact claims", "Claims with sets of sentences of its abstracts."),
        _documents("scifact-corpus", "SciFact abstracts", "Abstracts that the claims name."),
        _placed("multihop-rag", "MultiHop-RAG", "Questions with facts quoted from its articles."),
        _documents("multihop-rag-corpus", "MultiHop-RAG articles", "Articles that are quoted."),
        _dialect("passages", "Passages without questions", "Records of title and text."),
        _BUNDLE,
    )
}


def format_named(name: str) -> Format:
    """The format called ``name``. Refused where there is none."""
    if name not in FORMATS:
        raise Refused(f"There is no format {name!r}: {', '.join(FORMATS)}.")
    return FORMATS[name]
