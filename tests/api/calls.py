"""A program that speaks to the API with a token."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from django.test import Client

from adjudication.accounts.actions import make_token
from adjudication.accounts.models import User

HERE = "/api/v1/projects/film-study/"
OCTETS = "application/octet-stream"


@dataclass
class Program:
    """Calls addresses of the project "film-study" as ``user``, or as nobody."""

    user: User | None
    client: Client = field(default_factory=Client)

    def __post_init__(self) -> None:
        self.headers = {}
        if self.user is not None:
            _, secret = make_token(self.user, name="a program", actor=self.user)
            self.headers["Authorization"] = f"Bearer {secret}"

    def call(self, verb: str, address: str, body: Any = None, **more: Any) -> Any:
        """``body`` is sent as JSON; bytes as they are. ``address`` may begin with "/"."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode() if body else b""
        kind = more.pop("content_type", "application/json")
        place = address if address.startswith("/") else HERE + address
        headers = self.headers | more.pop("headers", {})
        return self.client.generic(verb, place, content, kind, headers=headers, **more)

    def get(self, address: str, **more: Any) -> Any:
        return self.call("GET", address, **more)

    def post(self, address: str, body: Any = None, **more: Any) -> Any:
        return self.call("POST", address, body, **more)

    def read(self, address: str) -> Any:
        """The JSON of an address that must answer 200."""
        answer = self.get(address)
        assert answer.status_code == 200, answer.content
        return answer.json()


def error_of(answer: Any, status: int) -> dict[str, Any]:
    """What a refusal says; it must have ``status`` and the one shape there is."""
    assert answer.status_code == status, answer.content
    assert answer.headers["Content-Type"] == "application/json"
    body = answer.json()
    assert list(body) == ["error"]
    error: dict[str, Any] = body["error"]
    assert list(error) == ["code", "message", "fields"]
    return error
