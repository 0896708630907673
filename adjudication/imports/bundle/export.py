"""A bundle for one reader class: only what the class may read, in an order that tells no more."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import IO, TYPE_CHECKING

from django.db import transaction

from adjudication.append_only import hold_still
from adjudication.imports.bundle.export_claims import claim_records
from adjudication.imports.bundle.export_corpus import corpus_records
from adjudication.imports.bundle.export_outputs import output_records
from adjudication.imports.bundle.scope import Scope
from adjudication.journal.actions import record
from certify_core.datasets import bundle
from certify_core.datasets.bundle.records import KINDS, NAMES

if TYPE_CHECKING:
    from adjudication.accounts.models import User


def bundle_lines(scope: Scope, *, actor: User | None) -> Iterator[bytes]:
    """The lines of the bundle, header first. All of it is checked before the first line.

    Raises:
        Refused: a stored version or span does not match its digest.
    """
    with tempfile.TemporaryFile() as body:
        counts = _write(scope, body, actor)
        yield bundle.line(_header(scope, counts))
        body.seek(0)
        yield from body


def bundle_name(scope: Scope) -> str:
    part = f"-specification-{scope.specification.number}" if scope.specification else ""
    return f"{scope.project.slug}{part}-{scope.reader_class.key}.bundle.jsonl"


@transaction.atomic
def _write(scope: Scope, body: IO[bytes], actor: User | None) -> Counter[str]:
    """Write every record, as of one moment, and count them by kind.

    A set that is proposed while its sources are being written would name spans that are not in
    the file.
    """
    hold_still()
    counts: Counter[str] = Counter()
    for one in chain(corpus_records(scope), claim_records(scope), output_records(scope)):
        body.write(bundle.line(one))
        counts[NAMES[type(one)]] += 1
    record(
        "exported bundle",
        scope.project,
        actor=actor,
        project_id=scope.project.pk,
        reader_class=scope.reader_class.key,
        specification=scope.specification and scope.specification.number,
        records=counts.total(),
    )
    return counts


def _header(scope: Scope, counts: Counter[str]) -> bundle.Header:
    kinds = (kind for kind in KINDS if kind != "header")
    announced = {kind: counts[kind] for kind in kinds}
    return bundle.Header(scope.project.title, scope.reader_class.key, announced)
