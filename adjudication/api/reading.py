"""What a request says: strict JSON, known fields of known kinds, known words of the address."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, TypeVar
from urllib.parse import unquote_to_bytes

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.db.models import Model
from django.http import QueryDict
from rest_framework.parsers import BaseParser, MultiPartParser
from rest_framework.request import Request

from adjudication.api.errors import Invalid, TooLarge
from certify_core.canonical import strict_loads
from certify_core.errors import InvalidJson

JSON_LIMIT: Final = 16 * 2**20  # bytes of one body; a larger text goes as a file

AnyForm = TypeVar("AnyForm", bound=forms.BaseForm)
Kinds = Mapping[str, type]
"""Field → ``str``, ``int``, ``bool`` or ``list`` (of strings)."""

_IN_WORDS: Final = {
    str: "a string",
    int: "a whole number",
    bool: "true or false",
    list: "a list of strings",
}


class StrictJSONParser(BaseParser):
    """One JSON object in UTF-8, without what JSON leaves ambiguous."""

    media_type = "application/json"

    def parse(
        self,
        stream: Any,
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        content = stream.read(JSON_LIMIT + 1)
        if len(content) > JSON_LIMIT:
            raise TooLarge(f"A JSON body has at most {JSON_LIMIT // 2**20} MB. Send a file.")
        try:
            value = strict_loads(content)
        except InvalidJson as error:
            raise Invalid(f"This is not JSON that can be read. {error}") from error
        if not isinstance(value, dict):
            raise Invalid("The body must be a JSON object.")
        return value


JSON_PARSERS: Sequence[type[BaseParser]] = (StrictJSONParser,)
FORM_PARSERS: Sequence[type[BaseParser]] = (StrictJSONParser, MultiPartParser)
"""Where a file may come with the fields."""


def given(request: Request, kinds: Kinds) -> dict[str, Any]:
    """The fields of the body; ``null`` is as if left out.

    Raises:
        Invalid: names each field that is not in ``kinds``, or of another kind.
    """
    data = request.data
    # The parsers give a form or an object, and never a list.
    values = _of_form(data, request.FILES, kinds) if isinstance(data, QueryDict) else dict(data)
    wrong: dict[str, list[str]] = {}
    for name, value in values.items():
        if name not in kinds:
            wrong[name] = ["There is no such field."]
        elif value is not None and not _is(value, kinds[name]):
            wrong[name] = [f"This must be {_IN_WORDS[kinds[name]]}."]
    if wrong:
        raise Invalid(fields=wrong)
    return {name: value for name, value in values.items() if value is not None}


def _of_form(data: QueryDict, files: Collection[str], kinds: Kinds) -> dict[str, Any]:
    """The fields of a form, without its ``files``."""
    values: dict[str, Any] = {}
    for name, sent in data.lists():
        if name in files:
            continue
        # The parser of forms puts this for bytes that are no UTF-8, unasked.
        if any("\ufffd" in one for one in sent):
            raise Invalid(fields={name: ["This is not UTF-8 text. JSON can hold every text."]})
        if kinds.get(name) is list:
            values[name] = sent
        elif len(sent) > 1:
            raise Invalid(fields={name: ["This field occurs twice."]})
        else:
            values[name] = sent[0]
    return values


def _is(value: Any, kind: type) -> bool:
    if kind is list:
        return isinstance(value, list) and all(isinstance(one, str) for one in value)
    return type(value) is kind  # true is an int for Python only


def as_form(values: Mapping[str, Any]) -> QueryDict:
    """``values`` as a page's form would send them, so that one form checks both."""
    data = QueryDict(mutable=True)
    for name, value in values.items():
        if isinstance(value, bool):
            data.update({name: "on"} if value else {})
        elif isinstance(value, list):
            data.setlist(name, value)
        else:
            data[name] = str(value)
    return data


def by_key(form: forms.BaseForm, name: str) -> None:
    """Let the field ``name`` take keys, which people read, in place of ids."""
    form.fields[name].to_field_name = "key"  # type: ignore[attr-defined]


def checked(form: AnyForm, **names: str) -> AnyForm:
    """The form, if what it was given is right.

    Raises:
        Invalid: what it says of each field; ``names`` are those that have another name here.
    """
    if form.is_valid():
        return form
    raise Invalid(
        fields={
            names.get(name, "" if name == NON_FIELD_ERRORS else name): [str(one) for one in said]
            for name, said in form.errors.items()
        }
    )


def check_query(request: Request, known: Collection[str]) -> None:
    """Raises Invalid for an address that is not UTF-8 or asks for what is not ``known``."""
    try:
        text = unquote_to_bytes(request.META.get("QUERY_STRING", "")).decode()
    except UnicodeDecodeError:
        raise Invalid("The address is not UTF-8.") from None
    if "\0" in text:
        raise Invalid("The address holds a NUL character.")
    wrong = {name: ["There is no such parameter."] for name in request.GET if name not in known}
    twice = {name: ["Once only."] for name, sent in request.GET.lists() if len(sent) > 1}
    if wrong or twice:
        raise Invalid("Some parameters are wrong.", twice | wrong)


def number(request: Request, name: str, default: int, *, least: int, most: int) -> int:
    """The whole number ``name`` of the address."""
    text = request.GET.get(name, "")
    if not text:
        return default
    if not (text.isascii() and text.isdecimal() and len(text) < 12):
        raise Invalid(fields={name: ["This must be a whole number."]})
    if not least <= int(text) <= most:
        raise Invalid(fields={name: [f"This must be from {least} to {most}."]})
    return int(text)


def one_of(request: Request, name: str, choices: Collection[str], default: str) -> str:
    """The word ``name`` of the address, one of a closed list."""
    word = request.GET.get(name, default)
    if word not in choices:
        raise Invalid(fields={name: [f"This must be one of {', '.join(filter(None, choices))}."]})
    return word


def as_key(request: Request, name: str, model: type[Model]) -> Any:
    """The key ``name`` of the address, of a row of ``model``; None where there is none."""
    text = request.GET.get(name, "")
    try:
        return model._meta.pk.to_python(text) if text else None
    except ValidationError:
        raise Invalid(fields={name: ["This is no id."]}) from None
