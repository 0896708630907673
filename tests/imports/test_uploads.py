"""The bytes of a file come in pieces, in order, and count once their row is written."""

from __future__ import annotations

import errno
import stat
from collections.abc import Iterator
from typing import BinaryIO

import pytest

from adjudication.errors import Refused
from adjudication.imports import uploads
from adjudication.imports.jobs import begin_check, discard
from adjudication.imports.models import Import
from adjudication.projects.models import Project
from tests.conftest import Cast
from tests.imports.conftest import announced, sent

DATA = b'[{"title": "Tarn", "text": "New."}]'


def test_pieces_make_the_file(project: Project, cast: Cast) -> None:
    """Whatever their sizes; the file is for the program alone and begins work only when whole."""
    one = announced(project, cast, len(DATA))
    for begin, end in ((0, 1), (1, 20), (20, len(DATA))):
        assert not begin_check(one)
        one = uploads.receive(one.pk, begin, [DATA[begin:end]])
    with uploads.open_kept(one) as file:
        assert file.read() == DATA
    assert stat.S_IMODE(uploads.path_of(one).stat().st_mode) == 0o600
    assert begin_check(one)
    assert not begin_check(one)


@pytest.mark.parametrize("offset", [-1, 0, 4, 6, 10**15])
def test_wrong_offset_is_told_the_right_one(project: Project, cast: Cast, offset: int) -> None:
    """A piece sent twice or left out changes nothing."""
    one = announced(project, cast, len(DATA))
    uploads.receive(one.pk, 0, [DATA[:5]])
    with pytest.raises(uploads.WrongOffset) as refusal:
        uploads.receive(one.pk, offset, [DATA[5:]])
    assert refusal.value.received == 5
    assert uploads.path_of(one).read_bytes() == DATA[:5]


def test_more_than_announced_is_refused(project: Project, cast: Cast) -> None:
    """What came before still counts, and the right rest is taken."""
    one = announced(project, cast, len(DATA))
    uploads.receive(one.pk, 0, [DATA[:5]])
    with pytest.raises(Refused, match="announced"):
        uploads.receive(one.pk, 5, [DATA[5:], b"x"])
    assert uploads.receive(one.pk, 5, [DATA[5:]]).is_whole
    assert uploads.path_of(one).read_bytes() == DATA


def test_half_a_piece_is_written_over(project: Project, cast: Cast) -> None:
    """A browser that goes away in the middle leaves bytes that nobody counts."""

    def cancelled() -> Iterator[bytes]:
        yield b"half of it"
        raise OSError("the connection was lost")

    one = announced(project, cast, len(DATA))
    uploads.receive(one.pk, 0, [DATA[:5]])
    with pytest.raises(OSError, match="lost"):
        uploads.receive(one.pk, 5, cancelled())
    one.refresh_from_db()
    assert one.received == 5
    uploads.receive(one.pk, 5, [DATA[5:]])
    assert uploads.path_of(one).read_bytes() == DATA


def test_full_disk_keeps_what_was_there(
    project: Project, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Plain words, and sending goes on when there is room."""
    one = announced(project, cast, len(DATA))
    uploads.receive(one.pk, 0, [DATA[:5]])

    def full(_: Import) -> BinaryIO:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(uploads, "_opened", full)
        with pytest.raises(uploads.DiskFull, match="disk is full"):
            uploads.receive(one.pk, 5, [DATA[5:]])
    assert uploads.receive(one.pk, 5, [DATA[5:]]).is_whole


def test_ended_import_takes_nothing_more(project: Project, cast: Cast) -> None:
    """Neither while a worker reads it nor after it was given up."""
    one = sent(project, cast, DATA)
    with pytest.raises(Refused, match="here already"):
        uploads.receive(one.pk, len(DATA), [b""])
    other = announced(project, cast, 10, mark="other")
    assert discard(other)
    assert not discard(other)
    assert not uploads.is_kept(other)
    with pytest.raises(Refused, match="discarded"):
        uploads.receive(other.pk, 0, [b"x"])


def test_same_file_goes_on_and_another_begins(project: Project, cast: Cast) -> None:
    """By name, size and mark; another mark, size or person is another file."""
    first = announced(project, cast, 10, mark="a")
    uploads.receive(first.pk, 0, [b"12345"])
    again = announced(project, cast, 10, mark="a")
    assert (again.pk, again.received) == (first.pk, 5)
    assert announced(project, cast, 11, mark="a").pk != first.pk
    assert announced(project, cast, 10, mark="b").pk != first.pk
    assert announced(project, cast, 10).pk != first.pk


def test_empty_file_is_refused(project: Project, cast: Cast) -> None:
    """There is nothing to send."""
    with pytest.raises(Refused, match="empty"):
        announced(project, cast, 0)
