"""Replies and passages for the tests of readers."""

from __future__ import annotations

import json

from adjudication.readers.requests import Reply
from certify_core.model import Unit


def said(content: object, finish: str = "stop") -> Reply:
    """A reply whose text is ``content``: as it is if it is text, else as JSON."""
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    return Reply(text, finish, 10, 5, 0.1)


def passage(title: str, body: str, uid: str = "") -> Unit:
    return Unit(uid or title, title, f"{title}\n{body}")


def verdict(number: object, value: object = None, sentence: object = None) -> dict[str, object]:
    return {"passage": number, "value": value, "sentence": sentence}
