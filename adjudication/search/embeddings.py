"""Ask the embeddings endpoint, and take nothing from it that is not what was asked."""

from __future__ import annotations

import json
import math
from array import array
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from adjudication.readers.requests import EndpointDown, token_count
from adjudication.search.settings import EmbeddingsSettings

if TYPE_CHECKING:
    import openai

    from adjudication.readers.transport import Line

TIMEOUT = 120.0  # seconds of one try; a laptop embeds some thirty texts in less
AT_ONCE = 32  # texts in one call; some servers take no more
LONGEST = 8_192  # numbers in a vector; the longest of today's models have half
REPLY_LIMIT = AT_ONCE * LONGEST * 32  # bytes; a number takes some twenty
_SHORTEST = 1e-6  # whose square can be told from zero in 32 bits, and whose inverse fits in


class NoVectors(Exception):
    """The endpoint answered, but not with the vectors that were asked for; the message says how."""


@dataclass(frozen=True, slots=True)
class Embedded:
    """One vector for each text, in order; ``tokens`` as reported, ``None`` where they are not."""

    vectors: list[list[float]]
    tokens: int | None


def vectors_in(reply: bytes, count: int, size: int | None) -> Embedded:
    """The ``count`` vectors of a reply, each of ``size`` numbers where that is known.

    Raises:
        NoVectors: not JSON of the protocol, another number of vectors, one missing or twice,
            another size, or a vector with a number that is none, or without a usable length.
    """
    try:
        body = json.loads(reply)
    except (ValueError, RecursionError):
        raise NoVectors("The reply is not JSON.") from None
    data = body.get("data") if isinstance(body, dict) else None
    if not isinstance(data, list) or not all(isinstance(one, dict) for one in data):
        raise NoVectors("The reply has no list of embeddings.")
    if len(data) != count:
        raise NoVectors(f"{count} texts were sent and {len(data)} vectors came back.")
    placed = {_index(one): one.get("embedding") for one in data}
    if placed.keys() != set(range(count)):
        raise NoVectors("The vectors that came back do not say which text each belongs to.")
    vectors = [_vector(placed[number]) for number in range(count)]
    sizes = {len(one) for one in vectors} | ({size} if size else set())
    if len(sizes) > 1:
        raise NoVectors(f"Vectors of one model differ in size: {sorted(sizes)} numbers.")
    return Embedded(vectors, _tokens(body))


def _index(one: dict[str, Any]) -> int:
    index = one.get("index")
    return index if isinstance(index, int) and not isinstance(index, bool) else -1


def _vector(found: object) -> list[float]:
    """As 32-bit numbers, which is how they are stored and compared."""
    if not isinstance(found, list) or not 0 < len(found) <= LONGEST:
        raise NoVectors(f"A vector is not a list of 1 to {LONGEST} numbers.")
    if not all(isinstance(one, int | float) and not isinstance(one, bool) for one in found):
        raise NoVectors("A vector holds something that is not a number.")
    try:
        vector = array("f", found).tolist()
    except OverflowError:
        vector = [math.inf]
    if not all(map(math.isfinite, vector)):
        raise NoVectors("A vector holds NaN, an infinity, or a number too large for 32 bits.")
    if not any(vector):
        raise NoVectors("A vector is all zeros: it points nowhere.")
    if not _SHORTEST <= math.hypot(*vector) <= 1 / _SHORTEST:
        raise NoVectors(f"A vector has the length {math.hypot(*vector):g}, beyond comparison.")
    return vector


def _tokens(body: dict[str, Any]) -> int | None:
    usage = body.get("usage")
    return token_count(usage.get("total_tokens")) if isinstance(usage, dict) else None


def embed(endpoint: EmbeddingsSettings, texts: Sequence[str], size: int | None = None) -> Embedded:
    """The vectors of at most ``AT_ONCE`` texts, bought now.

    Raises:
        EndpointDown: no reply could be had.
        NoVectors: what came is not what was asked for.
    """
    # The client takes half a second and 40 MB to load; web servers need neither.
    from adjudication.readers.transport import Refused

    def send(
        client: openai.OpenAI, options: Mapping[str, Any]
    ) -> AbstractContextManager[openai.APIResponse[Any]]:
        return client.embeddings.with_streaming_response.create(
            model=endpoint.model, input=list(texts), encoding_format="float", **options
        )

    try:
        body = _line(endpoint).call(send, REPLY_LIMIT)
    except Refused as refused:
        raise EndpointDown(f"the embeddings were refused: {refused}") from None
    if not body.whole:
        raise NoVectors(f"The reply is larger than {REPLY_LIMIT:,} bytes.")
    return vectors_in(body.content, len(texts), size)


@cache
def _line(endpoint: EmbeddingsSettings) -> Line:
    """One line for all threads of a process, which share its connections."""
    from adjudication.readers.transport import Line

    return Line(endpoint.url, endpoint.key, TIMEOUT)
