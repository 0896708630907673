"""Files between upload and confirmation."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from django.conf import settings

from adjudication.errors import Refused
from adjudication.imports import uploads
from adjudication.projects.models import Project
from certify_core.canonical import sha256_hex
from tests.factories import make_project


def place_of(project: Project, sha256: str) -> Path:
    return Path(settings.DATA_DIR) / "uploads" / str(project.pk) / sha256


def test_upload_is_found_by_its_digest(project: Project) -> None:
    """What is confirmed is what was looked at, and twice the same is one file."""
    sha256 = uploads.keep(project, b"[]")
    assert uploads.keep(project, b"[]") == sha256 == sha256_hex(b"[]")
    assert uploads.kept(project, sha256) == b"[]"
    assert [path.name for path in place_of(project, sha256).parent.iterdir()] == [sha256]


def test_upload_of_another_project_is_not_found(project: Project) -> None:
    """Knowing a digest opens nothing of somebody else's."""
    sha256 = uploads.keep(project, b"secret")
    with pytest.raises(Refused, match="no longer kept"):
        uploads.kept(make_project("other"), sha256)


@pytest.mark.parametrize("name", ["", "..", "../../secret_key", "A" * 64, "0" * 63])
def test_name_that_is_no_digest_opens_no_file(project: Project, name: str) -> None:
    """An address cannot name a path."""
    with pytest.raises(Refused):
        uploads.kept(project, name)


def test_upload_is_removed_after_a_day(project: Project) -> None:
    """Only what is older than a day goes."""
    old, new = uploads.keep(project, b"old"), uploads.keep(project, b"new")
    path = place_of(project, old)
    then = path.stat().st_mtime - uploads.KEPT_SECONDS - 60
    os.utime(path, (then, then))
    uploads.sweep_uploads()
    assert uploads.kept(project, new) == b"new"
    with pytest.raises(Refused):
        uploads.kept(project, old)
