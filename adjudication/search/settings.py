"""Where the embeddings endpoint is: chosen by whoever operates the program, as a reader's is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from adjudication.readers.settings import checked_key, checked_model, checked_url


@dataclass(frozen=True, slots=True)
class EmbeddingsSettings:
    """One OpenAI-compatible endpoint and the one model that is asked there.

    ``key`` may be empty, as for most local servers.
    """

    url: str
    key: str = field(repr=False)
    model: str


def read(environ: Mapping[str, str]) -> EmbeddingsSettings | None:
    """The endpoint that ``EMBEDDINGS_URL`` and its companions name; ``None`` without any.

    Raises:
        ValueError: something is missing or wrong; the message names the variable, and never
            quotes a key.
    """
    url, key, model = (
        environ.get(f"EMBEDDINGS_{name}", "").strip() for name in ("URL", "KEY", "MODEL")
    )
    if not url:
        if key or model:
            raise ValueError("Set EMBEDDINGS_URL as well: EMBEDDINGS_KEY and _MODEL are for it.")
        return None
    if not model:
        raise ValueError("Set EMBEDDINGS_MODEL: the model to ask at EMBEDDINGS_URL.")
    return EmbeddingsSettings(
        url=checked_url("EMBEDDINGS_URL", url.rstrip("/")),
        key=checked_key("EMBEDDINGS_KEY", key),
        model=checked_model("EMBEDDINGS_MODEL", model),
    )
