"""Frozen bodies and what everybody may see of them.

A body is what is ``shown`` to every reader, and named ``parts`` that only some reader
classes may inspect. Sealing puts a commitment in the place of each part: the keyed digest
(HMAC-SHA256) of its content. The key of a commitment, its *opening*, travels with the
content, so whoever is shown a part can check it and nobody else can guess it. All digests
are taken over sealed bodies, and are therefore the same for every reader.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from typing import Any, TypeAlias

from certify_core.canonical import canonical_bytes, digest, strict_loads

Body: TypeAlias = dict[str, Any]
"""``{"shown": {…}, "parts": {name: {"content": …, "reader_classes": [key, …]}}}``."""


def part(content: Any, reader_classes: Iterable[str]) -> dict[str, Any]:
    """A part of a body that the given reader classes may inspect."""
    return {"content": content, "reader_classes": sorted(reader_classes)}


def body_from(text: str) -> Body:
    """A stored body."""
    body: Body = strict_loads(text)
    return body


def opening(key: str, content: Any) -> str:
    """The key of the commitment to ``content``; another one for every content."""
    return _keyed(key, content)


def commitment(opening: str, content: Any) -> str:
    """What stands for ``content`` where it may not be shown."""
    return _keyed(opening, content)


def sealed(body: Body, key: str) -> dict[str, Any]:
    """What every reader may see of ``body``: it depends on its parts by commitments alone."""
    commitments = {
        name: commitment(opening(key, one["content"]), one["content"])
        for name, one in body["parts"].items()
    }
    return {**body["shown"], "sealed": commitments}


def opened(body: Body, key: str, reader_class: str) -> dict[str, Any]:
    """The parts that ``reader_class`` may inspect, each with the opening of its commitment."""
    return {
        name: {"content": one["content"], "opening": opening(key, one["content"])}
        for name, one in body["parts"].items()
        if reader_class in one["reader_classes"]
    }


def item_digest(body: Body, key: str) -> str:
    """The digest of a sealed item."""
    return digest(sealed(body, key))


def version_digest(head: Body, key: str, item_digests: Iterable[str]) -> str:
    """The digest of a version: its sealed head with the digests of its items in order."""
    return digest({**sealed(head, key), "items": list(item_digests)})


def _keyed(key: str, content: Any) -> str:
    return hmac.digest(bytes.fromhex(key), canonical_bytes(content), "sha256").hex()
