"""Where the model endpoint is and what it costs: chosen by whoever operates the program.

Only the environment says so. A lead chooses among the models named there and types neither
an address nor a key, so that no page makes this server call another.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Literal
from urllib.parse import urlsplit

Format = Literal["json_schema", "json_object", "text"]
"""How a server is asked for JSON: by a schema it enforces, as JSON of any shape, in words only."""
FORMATS: tuple[Format, ...] = ("json_schema", "json_object", "text")

MOST_AT_ONCE = 256
LONGEST_MODEL = 200  # characters of its name, as many as the database keeps
LONGEST_TIMEOUT = 600.0


@dataclass(frozen=True, slots=True)
class ReaderSettings:
    """One OpenAI-compatible endpoint.

    ``key`` may be empty, as for most local servers. Prices are per million tokens;
    ``None`` where nobody said, and then a cost is unknown rather than nothing.
    """

    url: str
    key: str = field(repr=False)
    models: tuple[str, ...]
    timeout: float = 60.0
    calls_at_once: int = 8
    format: Format = "json_schema"
    price_in: Decimal | None = None
    price_out: Decimal | None = None
    currency: str = ""

    @property
    def threads(self) -> int:
        """Questions that one worker has in hand: some of them search or store between calls."""
        return self.calls_at_once + (self.calls_at_once + 1) // 2

    def cost(self, tokens_in: int | None, tokens_out: int | None) -> Decimal | None:
        """What these tokens cost, ``None`` where tokens or prices are not known."""
        prices = (self.price_in, tokens_in), (self.price_out, tokens_out)
        costs = [
            price * tokens / 1_000_000
            for price, tokens in prices
            if price is not None and tokens is not None
        ]
        return sum(costs, Decimal(0)) if len(costs) == len(prices) else None


def read(environ: Mapping[str, str]) -> ReaderSettings | None:
    """The endpoint that ``READER_URL`` and its companions name; ``None`` without any.

    Raises:
        ValueError: something is missing or wrong; the message names the variable, and never
            quotes a key.
    """
    url, key, models = (
        environ.get(f"READER_{name}", "").strip() for name in ("URL", "KEY", "MODELS")
    )
    if not url:
        if key or models:
            raise ValueError("Set READER_URL as well: READER_KEY and READER_MODELS are for it.")
        return None
    price_in, price_out = _price(environ, "READER_PRICE_IN"), _price(environ, "READER_PRICE_OUT")
    currency = environ.get("READER_CURRENCY", "").strip()
    if (price_in, price_out) != (None, None) and not currency:
        raise ValueError(
            "Set READER_CURRENCY, such as EUR: the prices of READER_PRICE_IN and "
            "READER_PRICE_OUT are in it."
        )
    return ReaderSettings(
        url=checked_url("READER_URL", url.rstrip("/")),
        key=checked_key("READER_KEY", key),
        models=_models(models),
        timeout=_number(environ, "READER_TIMEOUT", 60.0, LONGEST_TIMEOUT),
        calls_at_once=int(_number(environ, "READER_CALLS_AT_ONCE", 8, MOST_AT_ONCE, whole=True)),
        format=_format(environ.get("READER_FORMAT", "").strip()),
        price_in=price_in,
        price_out=price_out,
        currency=currency,
    )


def checked_url(name: str, url: str) -> str:
    """The address of an endpoint.

    Raises:
        ValueError: it is no plain address; a password in it would end up in logs.
    """
    parts = urlsplit(url)
    plain = not (parts.username or parts.password or parts.query or parts.fragment)
    if parts.scheme not in {"http", "https"} or not parts.hostname or not plain:
        raise ValueError(
            f"{name} must look like https://models.example.org/v1, with no name, "
            "password or question mark in it."
        )
    return url


def checked_key(name: str, text: str) -> str:
    """The key of an endpoint, which may be empty.

    Raises:
        ValueError: it cannot be sent; the message does not quote it.
    """
    if not text.isascii() or not text.isprintable() or " " in text:
        raise ValueError(f"{name} must be letters, digits and signs without spaces.")
    return text


def checked_model(name: str, model: str) -> str:
    """The name of a model.

    Raises:
        ValueError: it could not be stored or shown.
    """
    if len(model) > LONGEST_MODEL or not model.isprintable():
        raise ValueError(
            f"{name} must name models in at most {LONGEST_MODEL} plain characters each."
        )
    return model


def _format(text: str) -> Format:
    for known in FORMATS:
        if text == known or not text:
            return known
    raise ValueError(f"READER_FORMAT must be {', '.join(FORMATS)}, not {text!r}.")


def _models(text: str) -> tuple[str, ...]:
    models = tuple(dict.fromkeys(name for part in text.split(",") if (name := part.strip())))
    if not models:
        raise ValueError(
            "Set READER_MODELS: the models that leads may choose, separated by commas."
        )
    return tuple(checked_model("READER_MODELS", model) for model in models)


def _price(environ: Mapping[str, str], name: str) -> Decimal | None:
    text = environ.get(name, "").strip()
    if not text:
        return None
    try:
        price = Decimal(text)
    except InvalidOperation:
        price = Decimal("NaN")
    if not price.is_finite() or price < 0:
        raise ValueError(f"{name} must be a price per million tokens, such as 0.15, not {text!r}.")
    return price


def _number(
    environ: Mapping[str, str], name: str, usual: float, most: float, whole: bool = False
) -> float:
    text = environ.get(name, "").strip()
    if not text:
        return usual
    try:
        number = float(int(text) if whole else text)
    except ValueError:
        number = float("nan")
    if not (0 < number <= most):
        kind = "a whole number" if whole else "a number"
        raise ValueError(f"{name} must be {kind} above 0, at most {most:g}, not {text!r}.")
    return number
