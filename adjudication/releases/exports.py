"""A released version as JSON lines, as far as one reader class may inspect it.

The first line is the manifest, every further line one item. Each line holds a record and the
digest of that record; the manifest lists the records in order. See docs/export-format.md.
"""

from __future__ import annotations

import filecmp
import os
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from adjudication.errors import Refused
from adjudication.releases.bodies import moment
from adjudication.releases.models import AnnotationVersion
from adjudication.releases.narrowing import Narrowing
from adjudication.releases.queries import items_of
from adjudication.releases.sealing import (
    Body,
    body_from,
    item_digest,
    opened,
    sealed,
    version_digest,
)
from certify_core.canonical import canonical_bytes, digest

FORMAT = "certify-adjudication-export"
FORMAT_VERSION = 1
PARTS = ("claim", "member", "reasons", "snapshot", "specification")


def export_lines(version: AnnotationVersion, reader_class: str) -> Iterator[bytes]:
    """The lines of an export, each with its line feed. Every stored digest is checked first.

    What was closed to the class since the release stays sealed.

    The items are read twice, so that a large version is never held in memory.

    Raises:
        Refused: a stored body does not match its digest.
    """
    narrowing = Narrowing.of(version)
    yield _line(_manifest(version, reader_class, narrowing))
    for body, _ in _bodies(version, narrowing):
        yield _line(item_record(body, version.key, reader_class))


def item_record(body: Body, key: str, reader_class: str) -> dict[str, Any]:
    """One item as ``reader_class`` gets it: everything sealed, and the parts open to it."""
    return {
        "kind": "item",
        "id": body["shown"]["set"],
        "item": sealed(body, key),
        "opened": opened(body, key, reader_class),
    }


def export_name(version: AnnotationVersion, reader_class: str) -> str:
    return f"{version.project.slug}-v{version.number}-{reader_class}.jsonl"


def write_file(path: Path, lines: Iterable[bytes]) -> bool:
    """Write ``lines`` to ``path``, whole or not at all; False if the same bytes stand there.

    Raises:
        Refused: there is another file at ``path``, or it cannot be written.
    """
    partial = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        with partial.open("xb") as file:
            file.writelines(lines)
            file.flush()
            os.fsync(file.fileno())
        return _keep(partial, path)
    except OSError as error:
        raise Refused(f"{path} cannot be written: {error.strerror}.") from error
    finally:
        partial.unlink(missing_ok=True)


def _keep(partial: Path, path: Path) -> bool:
    """Give the finished file its name, unless something else has it."""
    if not path.exists():
        partial.rename(path)
        return True
    if not filecmp.cmp(partial, path, shallow=False):
        raise Refused(f"{path} holds something else. Choose another name.")
    return False


def _manifest(
    version: AnnotationVersion, reader_class: str, narrowing: Narrowing
) -> dict[str, Any]:
    head = narrowing.head(body_from(version.body))
    withheld: Counter[str] = _withheld(head, reader_class)
    records, digests = [], []
    for body, sha256 in _bodies(version, narrowing):
        record = item_record(body, version.key, reader_class)
        records.append({"id": record["id"], "sha256": digest(record)})
        digests.append(sha256)
        withheld += _withheld(body, reader_class)
    if version_digest(head, version.key, digests) != version.sha256:
        raise Refused(f"{version} is damaged: its digest is not that of its items.")
    return {
        "kind": "manifest",
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "reader_class": reader_class,
        "version": sealed(head, version.key),
        "opened": opened(head, version.key, reader_class),
        "sha256": version.sha256,
        "released_at": moment(version.released_at),
        "withheld": {kind: withheld[kind] for kind in PARTS},
        "records": records,
    }


def _withheld(body: Body, reader_class: str) -> Counter[str]:
    """How many parts of each kind the class may not inspect."""
    return Counter(
        name.partition("-")[0]
        for name, one in body["parts"].items()
        if reader_class not in one["reader_classes"]
    )


def _bodies(version: AnnotationVersion, narrowing: Narrowing) -> Iterator[tuple[Body, str]]:
    """The items' bodies in order as they are open now, each with its digest."""
    for item in items_of(version).iterator():
        body = body_from(item.body)
        if item_digest(body, version.key) != item.sha256:
            raise Refused(f"{version} is damaged: item {item.ordinal} does not match its digest.")
        yield narrowing.item(body), item.sha256


def _line(record: dict[str, Any]) -> bytes:
    return canonical_bytes({"record": record, "sha256": digest(record)}) + b"\n"
