"""Documents that claims and facts of other files name: SciFact, FEVER, MultiHop-RAG."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from certify_core.datasets.placed import document_key
from certify_core.datasets.reading import Node, read_records
from certify_core.datasets.records import Document, Problem

_NUMBERED = re.compile(r"([0-9]+)\t([^\t]*)")


@dataclass(frozen=True, slots=True)
class Read:
    """A document, or None where it could not be used; ``key`` is known either way."""

    key: str
    document: Document | None
    problems: tuple[Problem, ...] = ()


def scifact(file: BinaryIO) -> Iterator[Read]:
    """The corpus of SciFact: ``{doc_id, title, abstract: [sentence]}``."""
    return read_records(file, _abstract)


def fever_pages(file: BinaryIO) -> Iterator[Read]:
    """Wikipedia pages as FEVER gives them: ``{id, text, lines}``, ``lines`` numbered from 0."""
    return read_records(file, _page)


def multihoprag(file: BinaryIO) -> Iterator[Read]:
    """The articles of MultiHop-RAG: ``{title, url, body}``."""
    return read_records(file, _article)


def _abstract(record: Node) -> Read:
    key = str(record.field("doc_id").number())
    sentences = record.field("abstract").items()
    return _by_sentences(record, key, record.field("title").title(), sentences)


def _page(record: Node) -> Read:
    name = record.field("id").text()
    if not name.strip():
        # The first record of every published file is such a page; its place tells it apart.
        problem = record.problem("empty-page", "the page has no id")
        return Read(record.where, None, (problem,))
    lines = record.field("lines")
    sentences: dict[int, str] = {}
    problems = []
    for position, line in enumerate(lines.text().split("\n")):
        if found := _NUMBERED.match(line):
            sentences[int(found[1])] = found[2]
        elif line:
            problems.append(lines.problem("unnumbered-line", f"line {position} has no number"))
    highest = max(sentences, default=-1)
    if highest >= 2 * len(sentences) + 100:
        raise lines.fail(f"has {len(sentences)} lines but one is numbered {highest}")
    nodes = [Node(sentences.get(n, ""), record.where, f"lines[{n}]") for n in range(highest + 1)]
    read = _by_sentences(record, document_key(name), name, nodes)
    return Read(read.key, read.document, (*problems, *read.problems))


def _by_sentences(record: Node, key: str, title: str, sentences: list[Node]) -> Read:
    """One sentence to a line; one that breaks a line would move the numbers of all after it."""
    texts = [sentence.text() for sentence in sentences]
    if broken := next((node for node in sentences if "\n" in node.text()), None):
        message = "the sentence has a line break, so that sentences cannot be counted; not used"
        return Read(key, None, (broken.problem("line-break", message),))
    if not any(text.strip() for text in texts):
        return Read(key, None, (record.problem("empty-page", f"{title!r} has no text"),))
    return Read(key, Document(key, title, "\n".join(texts)))


def _article(record: Node) -> Read:
    title = record.field("title").title()
    url = record.field("url").text()
    body = record.field("body")
    key = document_key(url or title)
    if not body.text().strip():
        return Read(key, None, (body.problem("empty-page", f"{title!r} has no text"),))
    return Read(key, Document(key, title, body.text(), url))
