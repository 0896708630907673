"""Bytes become text in one way, and the database reads every byte as Python does."""

from __future__ import annotations

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from adjudication.corpus.actions import cut_span
from adjudication.corpus.encodings import ENCODINGS, LABELS, UTF_8, decode, encode
from adjudication.corpus.models import SourceVersion
from adjudication.corpus.soundness import damage_of
from adjudication.errors import Refused
from adjudication.projects.models import Project
from certify_core.canonical import sha256_hex
from tests.factories import OBSERVED, make_version

SINGLE = sorted(ENCODINGS.keys() - {UTF_8})


def by_database(data: bytes, name: str) -> str | None:
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT convert_from(%s, %s)", [data, name])
            return str(cursor.fetchone()[0])
    except DatabaseError:
        return None


@pytest.mark.parametrize("encoding", SINGLE)
def test_database_reads_every_byte_as_python_does(db: None, encoding: str) -> None:
    """A trigger that read one byte otherwise would refuse, or let pass, another text."""
    readable, unreadable = bytearray(), []
    for number in range(1, 256):
        try:
            bytes([number]).decode(encoding)
            readable.append(number)
        except UnicodeDecodeError:
            unreadable.append(number)
    text = decode(bytes(readable), encoding=encoding)
    assert by_database(bytes(readable), ENCODINGS[encoding]) == text
    assert encode(text, encoding) == readable
    for number in unreadable:
        assert by_database(bytes([number]), ENCODINGS[encoding]) is None
    with connection.cursor() as cursor:
        cursor.execute("SELECT bytes_of(%s, %s)", [text, encoding])
        assert bytes(cursor.fetchone()[0]) == readable


def test_every_encoding_has_words_for_people() -> None:
    """The form offers exactly what can be read."""
    assert ENCODINGS.keys() == LABELS.keys()


@pytest.mark.parametrize(
    ("data", "media_type", "encoding", "said"),
    [
        (b"ab\xff", "text/plain", UTF_8, "not UTF-8 text: byte 2, 0xFF"),
        (b"a\x81", "text/plain", "windows-1252", "not Windows-1252 text: byte 1, 0x81"),
        (b"a\0", "text/markdown", "koi8-r", "position 1 is NUL"),
        (b"a", "text/html", UTF_8, "No text can be read from text/html"),
        (b"a", "text/plain", "utf-7", "utf-7 is not an encoding"),
    ],
)
def test_bytes_that_are_no_text_are_refused(
    data: bytes, media_type: str, encoding: str, said: str
) -> None:
    """By byte or position, so that the person finds it."""
    with pytest.raises(Refused, match=said):
        decode(data, media_type, encoding)


def test_text_that_bytes_do_not_read_as_cannot_be_stored(project: Project) -> None:
    """Bytes and text of a version belong together in the database itself."""
    source = make_version(project).source
    data = "é".encode("iso-8859-1")
    row = {
        "source": source,
        "number": 2,
        "snapshot": data,
        "sha256": sha256_hex(data),
        "media_type": "text/plain",
        "observed_at": OBSERVED,
    }
    for encoding, text in (("windows-1251", "é"), ("iso-8859-1", "e"), ("utf-7", "é")):
        with pytest.raises(DatabaseError), transaction.atomic():
            SourceVersion.objects.create(**row, encoding=encoding, text=text)
    version = SourceVersion.objects.create(**row, encoding="iso-8859-1", text="é")
    assert damage_of(version) is None
    version.encoding = "koi8-r"
    assert damage_of(version) is not None


def test_span_has_the_bytes_of_its_encoding(project: Project) -> None:
    """One byte per character, not the two that UTF-8 would take."""
    source = make_version(project).source
    data = "«Ёж» и €".encode("windows-1251")
    version = SourceVersion.objects.create(
        source=source,
        number=2,
        snapshot=data,
        sha256=sha256_hex(data),
        media_type="text/plain",
        encoding="windows-1251",
        text="«Ёж» и €",
        observed_at=OBSERVED,
    )
    wrong = cut_span(version.pk, version.text, 1, 3)
    with pytest.raises(IntegrityError), transaction.atomic():
        wrong.save()
    span = cut_span(version.pk, version.text, 1, 3, version.encoding)
    span.save()
    assert data[span.byte_start : span.byte_end] == "Ёж".encode("windows-1251")
