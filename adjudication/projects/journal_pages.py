"""The journal's pages. They live here because a membership opens them; the journal is below."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from adjudication.journal.forms import EntryFilter
from adjudication.journal.models import Entry, Exposure
from adjudication.journal.queries import (
    Page,
    Place,
    entries_for,
    exposures_for,
    kind_in_words,
    page_before,
)
from adjudication.journal.rules import KEYED_DIGESTS
from adjudication.projects.access import MemberRequest, member_page
from adjudication.projects.models import Membership, Role

ENTRY_COLUMNS = [
    {"label": label} for label in ("When", "Who", "What happened", "Object", "Particulars")
]
EXPOSURE_COLUMNS = [{"label": label} for label in ("When", "Who", "Saw", "Object", "Where")]


@require_safe
@member_page(Role.LEAD, Role.AUDITOR)
def journal(request: MemberRequest, membership: Membership) -> HttpResponse:
    """What happened in this project, newest first."""
    entries = entries_for(request.user, membership.project_id, judges=membership.judges)
    form = EntryFilter(request.GET, entries)
    page: Page[Entry] = Page([], None)
    if form.is_valid():
        page = page_before(form.narrow(entries), form.cleaned_data["before"])
    context = {
        **_around(request, membership, page),
        "form": form,
        "columns": ENTRY_COLUMNS,
        "rows": [_entry(entry) for entry in page.rows],
        "narrowed": any(request.GET.get(name) for name in form.fields if name != "before"),
    }
    return render(request, "journal/entries.html", context, status=400 if form.errors else 200)


@require_safe
@member_page(Role.LEAD, Role.AUDITOR)
def exposures(request: MemberRequest, membership: Membership) -> HttpResponse:
    """Who was shown the hidden side of what, newest first."""
    shown = exposures_for(request.user, membership.project_id, judges=membership.judges)
    page = page_before(shown, _place(request.GET.get("before", "")))
    context = {
        **_around(request, membership, page),
        "columns": EXPOSURE_COLUMNS,
        "rows": [_exposure(exposure) for exposure in page.rows],
    }
    return render(request, "journal/exposures.html", context)


def _place(text: str) -> Place | None:
    try:
        return Place.parse(text) if text else None
    except ValueError:
        raise Http404("no such page") from None


def _around(request: MemberRequest, membership: Membership, page: Page[Any]) -> dict[str, object]:
    """Tabs, the way to older rows, and whether rows are left out for this reader."""
    query = request.GET.copy()
    query["before"] = str(page.older)
    tabs = [("Entries", "journal"), ("Exposures", "exposures")]
    return {
        "tabs": [
            _tab(request, label, reverse(name, args=[membership.project.slug]))
            for label, name in tabs
        ],
        "older": query.urlencode() if page.older else "",
        "later": "before" in request.GET,
        "judges": membership.judges,
    }


def _tab(request: MemberRequest, label: str, url: str) -> dict[str, object]:
    return {"label": label, "url": url, "current": request.path == url}


def _entry(entry: Entry) -> dict[str, object]:
    return {
        "at": entry.at,
        "who": entry.actor,
        "verb": entry.verb,
        "kind": kind_in_words(entry.object_kind),
        "object_id": entry.object_id,
        "detail": [
            (key.replace("_", " "), in_words(value))
            for key, value in entry.detail.items()
            if key != "sha256" or entry.object_kind in KEYED_DIGESTS
        ],
    }


def _exposure(exposure: Exposure) -> dict[str, object]:
    return {
        "at": exposure.at,
        "who": exposure.person,
        "side": exposure.get_side_display(),
        "kind": kind_in_words(exposure.object_kind),
        "object_id": exposure.object_id,
        "place": exposure.place,
    }


def in_words(value: object) -> str:
    """A particular as people read it: no brackets, no True."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(in_words(one) for one in value) or "none"
    if isinstance(value, dict):
        return ", ".join(f"{key} {in_words(one)}" for key, one in value.items()) or "none"
    return "none" if value is None else str(value)
