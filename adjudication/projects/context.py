"""What every project page shows around its content: the project and its navigation."""

from __future__ import annotations

from django.http import HttpRequest
from django.urls import reverse

from adjudication.projects.models import Membership, Role

# (name of the page's address, label, roles that see it; none means every member)
_PAGES: tuple[tuple[str, str, tuple[Role, ...]], ...] = (
    ("project-home", "Home", ()),
    ("sources", "Corpus", ()),
    ("claims", "Claims", ()),
    ("specifications", "Specification", ()),
    ("runs", "Runs", (Role.LEAD, Role.AUDITOR)),
    ("systems", "Systems", (Role.LEAD, Role.AUDITOR)),
    ("review", "Review", (Role.REVIEWER, Role.LEAD)),
    ("adjudication", "Adjudication", (Role.ADJUDICATOR, Role.LEAD)),
    ("releases", "Releases", ()),
    ("journal", "Journal", (Role.LEAD, Role.AUDITOR)),
    ("people", "People", (Role.LEAD, Role.AUDITOR)),
)


def project_navigation(request: HttpRequest) -> dict[str, object]:
    """Context processor: nothing outside a project, else project, membership and ``nav``."""
    membership: Membership | None = getattr(request, "membership", None)
    if membership is None:
        return {}
    return {
        "project": membership.project,
        "membership": membership,
        "nav": [_entry(request, membership, name, label) for name, label in _visible(membership)],
    }


def crumbs(slug: str, page: str, *steps: tuple[str, str]) -> list[dict[str, str]]:
    """Where a page is: under which entry of the navigation, then each step to it.

    Args:
        page: name of the entry's address.
        steps: label and address each; the last one is the page itself and needs no address.
    """
    label = next(label for name, label, _ in _PAGES if name == page)
    way = ((label, reverse(page, args=[slug])), *steps)
    return [{"label": label, "url": url} for label, url in way]


def _visible(membership: Membership) -> list[tuple[str, str]]:
    return [(name, label) for name, label, roles in _PAGES if not roles or membership.has(*roles)]


def _entry(
    request: HttpRequest, membership: Membership, name: str, label: str
) -> dict[str, object]:
    url = reverse(name, args=[membership.project.slug])
    home = name == "project-home"
    current = request.path == url if home else request.path.startswith(url)
    return {"label": label, "url": url, "current": current}
