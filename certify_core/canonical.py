"""Stable JSON, its digests, and a loader that refuses what JSON leaves ambiguous."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from certify_core.errors import InvalidJson

MAX_DEPTH = 100

_SURROGATE = re.compile("[\ud800-\udfff]")


def canonical_bytes(value: Any) -> bytes:
    """UTF-8 JSON with sorted keys, no spaces and nothing escaped that need not be.

    Raises:
        InvalidJson: a value or key that JSON cannot hold exactly (NaN, infinity, a lone
            surrogate, a key that is not a string, nesting beyond ``MAX_DEPTH``).
    """
    _check(value)
    text = json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )
    return text.encode("utf-8")


def digest(value: Any) -> str:
    """SHA-256 of ``canonical_bytes(value)`` in lower-case hex."""
    return sha256_hex(canonical_bytes(value))


def sha256_hex(content: bytes) -> str:
    """SHA-256 in lower-case hex."""
    return hashlib.sha256(content).hexdigest()


def strict_loads(content: bytes | str) -> Any:
    """JSON without duplicate keys, NaN or infinity, lone surrogates or deep nesting.

    Raises:
        InvalidJson: its ``place`` is ``line L column C`` for text that is no JSON,
            otherwise a path such as ``$.units[3].id``.
    """
    try:
        text = content.decode("utf-8") if isinstance(content, bytes) else content
        value = json.loads(text, object_pairs_hook=DecodedPairs, parse_constant=WrittenConstant)
    except UnicodeDecodeError as error:
        raise InvalidJson(f"byte {error.start}", "not UTF-8") from None
    except json.JSONDecodeError as error:
        raise InvalidJson(f"line {error.lineno} column {error.colno}", error.msg) from None
    except RecursionError:
        raise InvalidJson("$", f"nested deeper than {MAX_DEPTH} levels") from None
    except ValueError:
        raise InvalidJson("$", "a number with too many digits") from None
    return plain(value, "$", MAX_DEPTH)


class DecodedPairs(list[tuple[str, Any]]):
    """An object as read, before its keys are known to be unique."""


class WrittenConstant(str):
    """NaN, Infinity or -Infinity as written."""


def plain(value: Any, place: str, depth: int) -> Any:
    """The decoded value with objects as dictionaries; refuses at the place of the fault."""
    if isinstance(value, WrittenConstant):
        raise InvalidJson(place, f"{value} is not a number")
    if isinstance(value, str):
        return _text(value, place)
    if isinstance(value, list) and depth <= 0:
        raise InvalidJson(place, f"nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, DecodedPairs):
        return _object(value, place, depth - 1)
    if isinstance(value, list):
        return [plain(item, f"{place}[{i}]", depth - 1) for i, item in enumerate(value)]
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        raise InvalidJson(place, "a number beyond the range of a float")
    return value


def _object(pairs: DecodedPairs, place: str, depth: int) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, item in pairs:
        if _text(key, place) in result:
            raise InvalidJson(f"{place}.{key}", "the key occurs twice")
        result[key] = plain(item, f"{place}.{key}", depth)
    return result


def _text(text: str, place: str) -> str:
    if not text.isascii() and _SURROGATE.search(text):
        raise InvalidJson(place, "a surrogate without its partner")
    return text


def _check(value: Any, place: str = "$", depth: int = MAX_DEPTH) -> None:
    if isinstance(value, str):
        _text(value, place)
    elif isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        raise InvalidJson(place, "not a finite number")
    elif isinstance(value, dict | list | tuple):
        if depth <= 0:
            raise InvalidJson(place, f"nested deeper than {MAX_DEPTH} levels")
        _check_members(value, place, depth - 1)
    elif not (value is None or isinstance(value, bool | int | float)):
        raise InvalidJson(place, f"{type(value).__name__} is no JSON value")


def _check_members(value: Any, place: str, depth: int) -> None:
    if not isinstance(value, dict):
        for position, item in enumerate(value):
            _check(item, f"{place}[{position}]", depth)
        return
    for key, item in value.items():
        if not isinstance(key, str):
            raise InvalidJson(place, f"the key {key!r} is not a string")
        _check(key, place, depth)
        _check(item, f"{place}.{key}", depth)
