"""The operator's settings of the embeddings endpoint."""

from __future__ import annotations

import pytest

from adjudication.search.settings import read

WHOLE = {
    "EMBEDDINGS_URL": "http://models.example.org/v1/",
    "EMBEDDINGS_KEY": "sk-hush",
    "EMBEDDINGS_MODEL": " small ",
}


def test_settings_are_read_whole_and_the_key_is_not_printed() -> None:
    """Spaces and slashes at the end mean nothing; tracebacks and logs show no key."""
    found = read(WHOLE)
    assert (found.url, found.key, found.model) == (
        "http://models.example.org/v1",
        "sk-hush",
        "small",
    )
    assert "hush" not in repr(found)
    assert read({}) is None
    assert read({"EMBEDDINGS_URL": ""}) is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"EMBEDDINGS_URL": ""}, "Set EMBEDDINGS_URL"),
        ({"EMBEDDINGS_MODEL": ""}, "Set EMBEDDINGS_MODEL"),
        ({"EMBEDDINGS_MODEL": "m" * 201}, "at most 200"),
        ({"EMBEDDINGS_MODEL": "a\nb"}, "at most 200"),
        ({"EMBEDDINGS_KEY": "hush hush"}, "EMBEDDINGS_KEY must be letters"),
        ({"EMBEDDINGS_URL": "models.example.org"}, "EMBEDDINGS_URL must look like"),
        ({"EMBEDDINGS_URL": "https://me:hush@models.example.org"}, "EMBEDDINGS_URL must look like"),
    ],
)
def test_nonsense_stops_the_start(change: dict[str, str], said: str) -> None:
    """A half-set endpoint is found at the start, not by the first search; no key is quoted."""
    with pytest.raises(ValueError, match=said) as refusal:
        read(WHOLE | change)
    assert "hush" not in str(refusal.value)
