"""Files between their upload and the confirmation of what to do with them.

A file is named by its own digest, so what is confirmed is what was looked at.
"""

from __future__ import annotations

import re
import time
from pathlib import Path
from tempfile import NamedTemporaryFile

from django.conf import settings

from adjudication.errors import Refused
from adjudication.projects.models import Project
from certify_core.canonical import sha256_hex

KEPT_SECONDS = 24 * 3600


def keep(project: Project, data: bytes) -> str:
    """Keep ``data`` for a day. Returns its SHA-256, by which ``kept`` finds it."""
    sha256 = sha256_hex(data)
    folder = _folder(project)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=folder, delete=False) as file:
        file.write(data)
    Path(file.name).rename(folder / sha256)
    return sha256


def kept(project: Project, sha256: str) -> bytes:
    """The bytes kept under ``sha256``, or Refused where there are none any more."""
    path = _folder(project) / sha256
    if not re.fullmatch(r"[0-9a-f]{64}", sha256) or not path.is_file():
        raise Refused("This upload is no longer kept. Nothing was imported; upload the file again.")
    return path.read_bytes()


def sweep_uploads() -> None:
    """Remove what was kept for more than a day."""
    limit = time.time() - KEPT_SECONDS
    for path in _uploads().glob("*/*"):
        if path.stat().st_mtime < limit:
            path.unlink(missing_ok=True)


def _uploads() -> Path:
    return Path(settings.DATA_DIR) / "uploads"


def _folder(project: Project) -> Path:
    return _uploads() / str(project.pk)
