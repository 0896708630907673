"""What identifies a call, so that its answer is bought once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from adjudication.readers.requests import Message, Request

REQUEST = Request(
    kind="link",
    version="link/1",
    model="small",
    messages=(Message("system", "Read."), Message("user", "Ærø\u200b")),
    schema={"type": "object", "properties": {"a": {"type": "string"}}},
    max_tokens=100,
)


def test_digest_is_fixed() -> None:
    """Protects answers already bought: another digest for the same request buys them again."""
    assert REQUEST.digest == replace(REQUEST).digest
    assert REQUEST.digest == "ed39853533d1ed208856919a001d062fecadf3731224f622a04dcd25efb21073"


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "verify"},
        {"version": "link/2"},
        {"model": "large"},
        {"messages": REQUEST.messages[::-1]},
        {"schema": {}},
        {"max_tokens": 101},
    ],
)
def test_digest_covers_all_that_decides_the_answer(change) -> None:
    """Protects a run from being given the answer to another question."""
    assert replace(REQUEST, **change).digest != REQUEST.digest


def test_sample_is_kept_beside_the_digest() -> None:
    """Protects the ledger's key, which is digest and sample."""
    assert replace(REQUEST, sample=3).digest == REQUEST.digest
    assert "sample" not in REQUEST.body
