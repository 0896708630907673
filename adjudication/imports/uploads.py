"""The bytes of imports, sent whole or piece by piece, and kept until the import has ended.

How much is here says the row, never the file: a piece counts once its row is written, and
what a failure left behind is written over.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from adjudication.errors import Refused
from adjudication.imports.models import Import

GONE = "The file is no longer kept. Nothing was imported; upload it again."


class WrongOffset(Exception):
    """The piece does not begin where the last one ended, which is at ``received``."""

    def __init__(self, received: int) -> None:
        super().__init__(f"expected the bytes from {received} on")
        self.received = received


class DiskFull(Refused):
    """There is no room; what was here before still is."""


def receive(import_id: UUID, offset: int, pieces: Iterable[bytes]) -> Import:
    """Add ``pieces`` to an import that is being sent, and return it.

    Raises:
        WrongOffset: ``offset`` is not where the bytes that are here end.
        Refused: it is no longer being sent, or gets more bytes than were announced.
        DiskFull: there is no room.
    """
    with transaction.atomic():
        one = Import.objects.select_for_update().get(pk=import_id)
        if one.state != Import.State.RECEIVING:
            raise Refused("This file is here already, or was discarded.")
        if offset != one.received:
            raise WrongOffset(one.received)
        one.received = _write(one, offset, pieces)
        Import.objects.filter(pk=one.pk).update(received=one.received, touched_at=Now())
    return one


def _write(one: Import, offset: int, pieces: Iterable[bytes]) -> int:
    """Write from ``offset`` on; where the bytes end then."""
    try:
        with _opened(one) as file:
            file.truncate(offset)
            file.seek(offset)
            for piece in pieces:
                offset += len(piece)
                if offset > one.size:
                    raise Refused(f"More than the {one.size} bytes that were announced came.")
                file.write(piece)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise DiskFull(
            "The server's disk is full. What was sent so far is kept; go on when there is room."
        ) from error
    return offset


def _opened(one: Import) -> BinaryIO:
    """The import's file for writing, made readable by the program alone."""
    folder = _folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return os.fdopen(os.open(path_of(one), os.O_RDWR | os.O_CREAT, 0o600), "r+b")


def open_kept(one: Import) -> BinaryIO:
    """The whole file, for reading. Refused where it is not kept any more."""
    try:
        return path_of(one).open("rb")
    except FileNotFoundError as error:
        raise Refused(GONE) from error


def is_kept(one: Import) -> bool:
    return path_of(one).is_file()


def forget(import_id: UUID) -> None:
    """Remove the bytes of an import, if they are there."""
    (_folder() / str(import_id)).unlink(missing_ok=True)


def kept_ids() -> list[UUID]:
    """The imports whose bytes are on the disk."""
    return [UUID(path.name) for path in _folder().glob("*-*-*-*-*")]


def path_of(one: Import) -> Path:
    return _folder() / str(one.pk)


def _folder() -> Path:
    return Path(settings.DATA_DIR) / "uploads"
