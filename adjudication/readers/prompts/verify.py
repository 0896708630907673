"""Verify: a second reading, whether a passage gives a value for exactly the named entity."""

from __future__ import annotations

from adjudication.readers.prompts.common import Closed, content, numbered, request, strict
from adjudication.readers.requests import Reply, Request
from certify_core.model import Unit

VERSION = "verify/1"

_INSTRUCTIONS = """\
You check one claimed reading of a passage. You get a requirement, which asks for one fact about \
one entity, a passage, and the value that the passage is said to state for it.

- "yes": the passage states this value for the requirement, and says so of exactly the entity \
that the requirement names.
- "no": it does not, or it says so of another entity, such as a namesake, a remake, a relative or \
a place of like name.
- "unsure": the passage does not settle it.

What you know from elsewhere does not count. Answer with JSON only: {"verdict": "yes"}, \
{"verdict": "no"} or {"verdict": "unsure"}."""

_VERDICTS = ("yes", "no", "unsure")
_SCHEMA = strict(verdict={"type": "string", "enum": list(_VERDICTS)})
_TOKENS = 64


def ask(model: str, sample: int, text: str, unit: Unit, value: str) -> Request:
    """The request whether ``unit`` states ``value`` for ``text``."""
    asked = {"requirement": text, "value": value, "passage": numbered([unit])[0]}
    return request("verify", VERSION, _INSTRUCTIONS, asked, _SCHEMA, _TOKENS, model, sample)


def read(reply: Reply) -> bool:
    """Whether it is confirmed: only "yes" does.

    Raises:
        Closed: the reply is not as asked.
    """
    verdict = content(reply, "verdict")["verdict"]
    if verdict not in _VERDICTS:
        raise Closed("wrong schema")
    return bool(verdict == "yes")
