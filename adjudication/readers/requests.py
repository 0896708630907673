"""One call of a language model: what is asked, what came back, and who asks.

A reader knows only ``Ask``. Behind it stand the endpoint itself, a ledger that remembers
what was answered before, or a recording that asks nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple

from certify_core import canonical

Kind = Literal["decompose", "link", "verify", "answer"]
"""What a call is for: requirements of a question, values in passages, a second reading, an
answer read straight from passages."""


class Message(NamedTuple):
    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True)
class Request:
    """Everything that decides an answer, and nothing else: no address and no key.

    ``version`` names prompt and parser together. ``sample`` tells apart equal requests that
    are asked more than once on purpose; it is kept beside the digest, not in it.
    """

    kind: Kind
    version: str
    model: str
    messages: tuple[Message, ...]
    schema: Mapping[str, Any] = field(hash=False)
    max_tokens: int
    sample: int = 0

    @property
    def body(self) -> dict[str, Any]:
        """What the digest covers, as JSON."""
        return {
            "kind": self.kind,
            "version": self.version,
            "model": self.model,
            "messages": [one._asdict() for one in self.messages],
            "schema": self.schema,
            "max_tokens": self.max_tokens,
        }

    @cached_property
    def digest(self) -> str:
        """SHA-256 over the canonical JSON of ``body``, in lower-case hex."""
        return canonical.digest(self.body)


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back, as it came: text that is no JSON is a reply too.

    ``finish`` is the server's word for why the text ends; only "stop" ends a whole answer.
    Ours are "refusal" where the model declined in so many words, which are then the text,
    "too long" for a reply beyond the limit, whose text is dropped, and "" for none given.
    Tokens are as reported, ``None`` where they are not. ``seconds`` is the time of the try
    that was answered.
    """

    text: str
    finish: str
    tokens_in: int | None
    tokens_out: int | None
    seconds: float


def token_count(reported: object) -> int | None:
    """How many tokens a server says it took; ``None`` where it says nothing that can be meant."""
    if isinstance(reported, bool) or not isinstance(reported, int):
        return None
    return reported if 0 <= reported < 2**31 else None


Ask = Callable[[Request], Reply]
"""Raises:
    EndpointDown: no reply could be had.
    BudgetSpent: the request was not sent, since a run may buy no more.
"""


class EndpointDown(Exception):
    """No reply could be had for good; the message says what happened, in words for people.

    It holds no key and no text of a passage.
    """


class BudgetSpent(Exception):
    """The run's budget is spent; the message says which and how much it was."""


@dataclass(frozen=True, slots=True)
class Note:
    """Why something in a call's answer was closed; ``digest`` is its request's."""

    digest: str
    reason: str
