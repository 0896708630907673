"""One request to an endpoint, and what it fails with."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from adjudication.readers.endpoint import ModelEndpoint
from adjudication.readers.prompts import verify
from adjudication.readers.requests import EndpointDown
from bench.endpoint import Behaviour
from certify_core.model import Requirement
from tests.readers.saying import passage

KEY = "sk-hush-hush"
FILM = passage("Red Kiln", "Red Kiln is a 1931 film directed by Ada Lund.")
MAKER = Requirement(1, "lookup", "Who is the director of the film Red Kiln?", expect="person")
REQUEST = verify.ask("small", 3, MAKER.template, FILM, "Ada Lund")

Connect = Callable[..., ModelEndpoint]


def fails(model: ModelEndpoint) -> str:
    """What the error says, which is never more than people may see."""
    with pytest.raises(EndpointDown) as down:
        model(REQUEST)
    said = str(down.value)
    assert KEY not in said
    assert "Ada" not in said
    return said


def says_status(status: int, code: object = None, message: str = f"{KEY}, Ada Lund") -> Behaviour:
    """An error whose message quotes what nobody may see."""
    error = {"error": {"message": message, "code": code}}
    return lambda exchange: exchange.send_json(error, status)
