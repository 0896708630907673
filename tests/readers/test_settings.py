"""The operator's settings of the model endpoint."""

from __future__ import annotations

from decimal import Decimal

import pytest

from adjudication.readers.settings import read

WHOLE = {
    "READER_URL": "https://models.example.org/v1/",
    "READER_KEY": "sk-hush",
    "READER_MODELS": "small, large,small,",
    "READER_PRICE_IN": "0.15",
    "READER_PRICE_OUT": "0.60",
    "READER_CURRENCY": "EUR",
}


def test_without_an_address_there_is_no_endpoint() -> None:
    """Protects machines without a model, where compose hands over every name empty."""
    assert read({}) is None
    assert read(dict.fromkeys(WHOLE, "") | {"READER_CALLS_AT_ONCE": "8"}) is None


def test_settings_are_read_whole() -> None:
    """Protects defaults, and models from being offered twice."""
    found = read(WHOLE)
    assert (found.url, found.models) == ("https://models.example.org/v1", ("small", "large"))
    assert found.format == "json_schema"
    assert read(WHOLE | {"READER_FORMAT": "text"}).format == "text"
    assert (found.timeout, found.calls_at_once, found.currency) == (60.0, 8, "EUR")
    assert found.price_in == Decimal("0.15")


def test_key_is_not_printed() -> None:
    """Protects the key from tracebacks and logs, which print what they hold."""
    assert "hush" not in repr(read(WHOLE))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("READER_URL", ""),
        ("READER_URL", "models.example.org/v1"),
        ("READER_URL", "file:///etc/passwd"),
        ("READER_URL", "https://user:hush@models.example.org/v1"),
        ("READER_URL", "https://models.example.org/v1?key=hush"),
        ("READER_KEY", "hush\nhush"),
        ("READER_KEY", "hüsh-hush"),
        ("READER_MODELS", " , "),
        ("READER_MODELS", f"small,{201 * 'm'}"),
        ("READER_MODELS", "sm\nall"),
        ("READER_FORMAT", "xml"),
        ("READER_TIMEOUT", "0"),
        ("READER_TIMEOUT", "nan"),
        ("READER_TIMEOUT", "601"),
        ("READER_CALLS_AT_ONCE", "2.5"),
        ("READER_CALLS_AT_ONCE", "-1"),
        ("READER_PRICE_IN", "-1"),
        ("READER_PRICE_OUT", "cheap"),
        ("READER_CURRENCY", ""),
    ],
)
def test_wrong_settings_stop_the_start_and_name_the_variable(name: str, value: str) -> None:
    """Protects operators from finding out at the first call, and secrets from the message."""
    with pytest.raises(ValueError, match=name) as refusal:
        read(WHOLE | {name: value})
    assert "hush" not in str(refusal.value)


def test_cost_is_unknown_where_tokens_or_prices_are() -> None:
    """Protects a budget from reading "not reported" as free."""
    priced, unpriced = read(WHOLE), read(WHOLE | {"READER_PRICE_OUT": ""})
    assert priced.cost(1_000_000, 500_000) == Decimal("0.45")
    assert priced.cost(None, 500_000) is None
    assert unpriced.cost(1_000_000, 500_000) is None
    assert priced.cost(0, 0) == 0
