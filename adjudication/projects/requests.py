"""What a page reads of its request: words of the address, what a form was sent with, the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, QueryDict
from django.utils.datastructures import MultiValueDict

ROWS = 50  # of a list on one page


def word(query: QueryDict, name: str) -> str:
    """The word ``name`` of a query or form, without the NUL that a database cannot take."""
    return query.get(name, "").replace("\0", "").strip()


def posted(request: HttpRequest) -> QueryDict | None:
    """What a form was sent with, or nothing where it is only asked for."""
    return request.POST if request.method == "POST" else None


def posted_files(request: HttpRequest) -> MultiValueDict[str, UploadedFile[bytes]] | None:
    """The files that came with ``posted``."""
    return request.FILES if request.method == "POST" else None


def page_of(request: HttpRequest, rows: QuerySet[Any] | Sequence[Any]) -> Page[Any]:
    """The part of a list that ``?page=`` asks for; the nearest there is for any other value."""
    return Paginator(rows, ROWS).get_page(request.GET.get("page"))
