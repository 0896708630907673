"""Every horror is captured, cut and shown as it is, to the byte and the code point."""

from __future__ import annotations

import json
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from adjudication.corpus.models import SourceVersion, Span
from adjudication.corpus.reading import window_at
from adjudication.corpus.rules import find_quotation
from adjudication.projects.models import Project
from certify_core.canonical import sha256_hex
from tests.corpus.browsing import address, page
from tests.corpus.reassembled import reassembled
from tests.horrors import HORRORS, Horror


def captured(client: Client, horror: Horror, public: str) -> SourceVersion:
    response = client.post(
        address("capture-source"),
        {
            "title": horror.name,
            "media_type": "text/plain",
            "encoding": horror.encoding,
            "file": SimpleUploadedFile("horror.txt", horror.data),
            "reader_classes": [public],
        },
    )
    assert response.status_code == 302, response.content.decode()
    return SourceVersion.objects.get()


def windows(client: Client, version: SourceVersion, query: str = "") -> str:
    """The whole text as its pages give it, window after window."""
    count = window_at(version.text, 0).count
    url = address("version", version.pk)
    pages = (page(client, f"{url}?window={number}{query}") for number in range(1, count + 1))
    return "".join(map(reassembled, pages))


def test_there_are_horrors_enough() -> None:
    """Thirty kinds at least, each with a name of its own."""
    assert len({horror.name for horror in HORRORS}) == len(HORRORS) >= 30


@pytest.mark.parametrize("horror", HORRORS, ids=str)
def test_horror_is_kept_and_shown_as_it_is(
    project: Project, lead: Client, public: str, horror: Horror
) -> None:
    """Bytes and text as they came; the page gives back every character, marked or not."""
    version = captured(lead, horror, public)
    assert (bytes(version.snapshot), version.text) == (horror.data, horror.text)
    assert windows(lead, version) == horror.text
    assert windows(lead, version, "&hidden=all") == horror.text
    shown = page(lead, address("version", version.pk))
    assert "<script>alert" not in shown
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b\u2060]", shown)


@pytest.mark.parametrize("horror", HORRORS, ids=str)
def test_horror_is_cut_where_it_hurts(
    project: Project, lead: Client, public: str, horror: Horror
) -> None:
    """By what a script selected and by quotation: one and the same exact span."""
    version = captured(lead, horror, public)
    url = address("cut-span", version.pk)
    for (start, end), target in zip(horror.places, horror.targets, strict=True):
        data = {"start": start, "end": end, "selected": json.dumps(target), "occurrence": 1}
        response = lead.post(url, data)
        assert response.status_code == 302, (target, response.content.decode())
        assert find_quotation(horror.text, target) == (start, end)
        span = Span.objects.get(start=start, end=end)
        assert span.exact == target
        assert span.sha256 == sha256_hex(target.encode())
        assert horror.data[span.byte_start : span.byte_end] == target.encode(horror.encoding)
    assert Span.objects.count() == len(set(horror.places))
