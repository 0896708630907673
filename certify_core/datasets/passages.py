"""A pool of passages without questions.

Either records ``{title, text}`` (array or JSON Lines) or one object title → text. A text is
a string or a list of sentences. One object with a ``title`` or ``text`` is a record.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import BinaryIO

from certify_core.datasets.gathering import empty_passage, joined
from certify_core.datasets.reading import Node, read
from certify_core.datasets.records import Listed, Passage, Problem

DATASET = "passages"


def items(file: BinaryIO) -> Iterator[Listed | Problem]:
    for node, title, text in _entries(read(file)):
        passage = Passage(title.title(), _body(text))
        yield Listed(passage, node.place) if passage.filled else empty_passage(node, passage.title)


def _entries(contents: Node | Iterator[Node]) -> Iterator[tuple[Node, Node, Node]]:
    """(where it stands, its title, its text) of every passage."""
    if isinstance(contents, Node) and not (contents.has("title") or contents.has("text")):
        for title, text in contents.members().items():
            yield text, Node(title, contents.where, f"title {title[:80]!r}"), text
        return
    records: Iterable[Node] = (contents,) if isinstance(contents, Node) else contents
    for record in records:
        yield record, record.field("title"), record.field("text")


def _body(text: Node) -> str:
    if isinstance(text.value, list):
        return joined([sentence.text() for sentence in text.items()])[0]
    return text.text()
