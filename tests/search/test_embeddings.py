"""What the embeddings endpoint says is checked before it can rank anything."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudication.readers.requests import EndpointDown
from adjudication.search.embeddings import REPLY_LIMIT, NoVectors, embed, vectors_in
from adjudication.search.settings import EmbeddingsSettings
from bench import misbehaving
from bench.endpoint import Behaviour, Endpoint, vector


def reply(*vectors: object, **more: object) -> bytes:
    data = [{"index": at, "embedding": one} for at, one in enumerate(vectors)]
    return json.dumps({"data": data, **more}).encode()


def test_vectors_are_taken_by_their_index() -> None:
    """A server may answer in any order; each vector goes to the text it belongs to."""
    data = [{"index": 1, "embedding": [0, 2]}, {"index": 0, "embedding": [0.5, 0]}]
    usage = {"total_tokens": 7}
    found = vectors_in(json.dumps({"data": data, "usage": usage}).encode(), 2, None)
    assert found.vectors == [[0.5, 0.0], [0.0, 2.0]]
    assert found.tokens == 7


@pytest.mark.parametrize("usage", [None, {}, {"total_tokens": "7"}, {"total_tokens": -1}])
def test_unreported_tokens_are_unknown(usage: object) -> None:
    """What a server does not say is never counted as nothing."""
    assert vectors_in(reply([1.0], usage=usage), 1, None).tokens is None


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"<html>Sign in</html>", "not JSON"),
        (reply([1.0, 2.0])[:-9], "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "no list of embeddings"),
        (b'{"data": [1, 2]}', "no list of embeddings"),
        (reply([1.0]), "2 texts were sent and 1 vectors came back"),
        (reply([1.0], [1.0], [1.0]), "2 texts were sent and 3 vectors"),
        (reply([1.0], [1.0]).replace(b": 1,", b": 0,"), "which text each belongs to"),
        (reply([1.0], [1.0]).replace(b": 1,", b": true,"), "which text each belongs to"),
        (reply([1.0], [1.0, 2.0]), "differ in size"),
        (reply([1.0, 2.0], [3.0, 4.0]), "differ in size: [2, 3]"),
        (reply([1.0], "AACAPw=="), "not a list"),
        (reply([1.0], []), "not a list"),
        (reply([1.0], [None]), "not a number"),
        (reply([1.0], [True]), "not a number"),
        (reply([1.0], [float("nan")]), "NaN"),
        (reply([1.0], [float("inf")]), "NaN"),
        (reply([1.0], [1e39]), "too large"),
        (reply([1.0], [10**400]), "too large"),
        (reply([1.0], [0.0]), "all zeros"),
        (reply([1.0], [1e-60]), "all zeros"),
        (reply([1.0], [1e-30]), "beyond comparison"),
        (reply([1.0], [1e30]), "beyond comparison"),
    ],
)
def test_nonsense_is_refused_by_name(body: bytes, said: str) -> None:
    """Whatever cannot be compared, or belongs to nobody, never becomes a vector."""
    size = 3 if "[2, 3]" in said else None
    with pytest.raises(NoVectors, match=said.replace("[", r"\[")):
        vectors_in(body, 2, size)


@given(
    st.binary(max_size=60)
    | st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=3) | st.integers(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["data", "index", "embedding", "usage"]), inner)
        ),
        max_leaves=12,
    ).map(lambda value: json.dumps(value).encode())
)
def test_any_bytes_end_in_vectors_or_a_name(body: bytes) -> None:
    """Nothing a server sends gets past the check as anything else, or breaks it."""
    found = None
    with suppress(NoVectors):
        found = vectors_in(body, 1, None)
    assert found is None or len(found.vectors) == 1


# --- Over the wire ---------------------------------------------------------------------------


def test_vectors_are_bought_over_the_protocol() -> None:
    """A real server is asked for the model, with the key, and its numbers come as they are."""
    with Endpoint() as server:
        found = embed(EmbeddingsSettings(server.url, "sk-hush", "bag"), ["red door", "fjord"])
    assert found.vectors == [pytest.approx(vector("red door")), pytest.approx(vector("fjord"))]
    assert found.tokens == 3
    (asked,) = server.asked
    assert asked.body["model"] == "bag"
    assert asked.headers["Authorization"] == "Bearer sk-hush"


@pytest.mark.parametrize(
    ("behaviour", "error", "said"),
    [
        (misbehaving.html, NoVectors, "not JSON"),
        (misbehaving.half_json, NoVectors, "not JSON"),
        (lambda exchange: exchange.send(bytes(REPLY_LIMIT + 1)), NoVectors, "larger than"),
        (misbehaving.fails(400), EndpointDown, "refused"),
        (misbehaving.fails(401), EndpointDown, "refuses the key"),
        (misbehaving.redirects("http://127.0.0.1:9/"), EndpointDown, "not followed"),
    ],
    ids=["html", "half JSON", "huge", "400", "401", "redirect"],
)
def test_endpoint_that_misbehaves_is_named(
    behaviour: Behaviour, error: type[Exception], said: str
) -> None:
    """Each ends at once, with words for the operator, and without the key in them."""
    with Endpoint() as server:
        server.always(behaviour)
        with pytest.raises(error, match=said) as trouble:
            embed(EmbeddingsSettings(server.url, "sk-hush", "bag"), ["red door"])
    assert len(server.asked) == 1
    assert "hush" not in str(trouble.value)


def test_lost_connection_is_tried_again() -> None:
    """A server that restarts costs a moment, not a corpus."""
    with Endpoint() as server:
        server.when(1, misbehaving.drops)
        found = embed(EmbeddingsSettings(server.url, "", "bag"), ["red door"])
    assert len(found.vectors) == 1
    assert len(server.asked) == 2
