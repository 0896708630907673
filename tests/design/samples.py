"""Values for the style guide: every component in every state, all invented."""

from __future__ import annotations

from datetime import UTC, date, datetime
from types import SimpleNamespace
from typing import Any

from django import forms
from django.contrib.messages import ERROR, INFO, SUCCESS, WARNING
from django.contrib.messages.storage.base import Message
from django.core.paginator import Paginator

from adjudication.corpus.times import Observed, Precision

DIGEST = "9c1f04d2a7b85e3360f1c9aa41d7e20b5f6c8d9e7a1b2c3d4e5f60718293a4b5"
STATES = {
    "Evidence set": [
        "proposed",
        "in review",
        "accepted",
        "rejected",
        "disputed",
        "superseded",
        "re-check",
    ],
    "Requirement and reader": ["open", "answered", "blocked"],
    "Contradiction": ["unresolved", "resolved", "immaterial"],
    "Run and attempt": ["queued", "running", "certified", "abstained", "failed"],
    "Assignment": ["offered", "held", "sealed", "handed back", "expired"],
    "Specification and version": ["draft", "frozen", "released"],
    "Link": ["anchored", "verified", "rejected"],
    "Card": ["accept", "revise citations", "abstain", "escalate"],
    "Integrity": ["intact", "damaged"],
    "Check": ["satisfied", "not satisfied", "cannot be established"],
}


class SampleForm(forms.Form):
    """One field of each kind."""

    title = forms.CharField(label="Title", help_text="As it stands on the first page.")
    kind = forms.ChoiceField(
        label="Kind of source", choices=[("page", "page"), ("report", "report")], required=False
    )
    statement = forms.CharField(label="What it states", widget=forms.Textarea(attrs={"rows": 3}))
    answer = forms.ChoiceField(
        label="Do the members together justify the claim?",
        choices=[("yes", "entails"), ("no", "does not"), ("unsure", "unsure")],
        widget=forms.RadioSelect,
    )
    consequential = forms.BooleanField(
        label="This claim is consequential", required=False, help_text="Two reviewers."
    )


def at(hour: int, minute: int) -> datetime:
    return datetime(2024, 3, 14, hour, minute, tzinfo=UTC)


def members() -> list[dict[str, Any]]:
    return [
        {
            "number": 1,
            "title": "The Salt Road",
            "parts": [
                {"text": "The Salt Road is a 2013 film directed by "},
                {"text": "Ilse Maren", "kind": "mark"},
                {"text": ", her second after a long silence."},
            ],
            "source": "The Salt Road (page)",
            "version": DIGEST,
            "observed": Observed(at(9, 30)),
            "reader": "public",
        },
        {
            "number": 2,
            "title": "Ilse Maren",
            "parts": [
                {"text": "Ilse Maren (born "},
                {"text": "4 May 1961", "kind": "mark"},
                {"text": ") grew up beside the "},
                {"text": "U+200B", "kind": "unseen"},
                {"text": "harbour.\r\nShe studied law before she made films."},
            ],
            "source": "Ilse Maren (page)",
            "version": DIGEST[::-1],
            "observed": Observed(at(9, 31), Precision.YEAR),
            "reader": "staff",
            "state": "re-check",
        },
        {
            "number": 3,
            "title": "يوميات الميناء",
            "text": "يوميات الميناء فيلم من إخراج ليلى حداد.",
            "source": "يوميات الميناء",
            "version": DIGEST,
            "observed": Observed(at(9, 32), Precision.UNESTABLISHED),
            "reader": "public",
        },
        {"number": 4, "hidden": True},
    ]


def navigation() -> list[dict[str, Any]]:
    words = (
        "Home Corpus Claims Specification Runs Review Adjudication Releases Journal People".split()
    )
    waiting = {"Review": 46, "Adjudication": 3}
    return [
        {"label": word, "url": f"#{word}", "current": word == "Review", "count": waiting.get(word)}
        for word in words
    ]


def context() -> dict[str, Any]:
    """Everything templates/styleguide.html shows."""
    empty_form, wrong_form = SampleForm(), SampleForm({"wrong-consequential": "on"}, prefix="wrong")
    messages = [
        Message(level, text)
        for level, text in (
            (SUCCESS, "Judgement sealed 14:02. The next item is open."),
            (INFO, "The lease was renewed until 14:32."),
            (WARNING, "This version has a newer one; what rests on it waits for a re-check."),
            (
                ERROR,
                "The specification is frozen. Nothing was changed; make a new draft to change it.",
            ),
        )
    ]
    return {
        "project": "Film study",
        "user": SimpleNamespace(is_authenticated=True, display_name="Noor Castellan"),
        "membership": SimpleNamespace(roles=["adjudicator", "reviewer"]),
        "nav": navigation(),
        "crumbs": [
            {"label": "Film study", "url": "#"},
            {"label": "Review", "url": "#"},
            {"label": "Item 14 of 60"},
        ],
        "notes": messages,
        "state_groups": STATES,
        "members": members(),
        "form": empty_form,
        "wrong_form": wrong_form,
        "at": at(14, 2),
        "day": date(2013, 2, 10),
        "digest": DIGEST,
        "facts": [
            {"term": "Source", "value": "The Salt Road (page)", "url": "#"},
            {"term": "Version", "value": DIGEST, "kind": "digest"},
            {"term": "Observed", "value": at(9, 30), "kind": "time"},
            {"term": "Published", "value": date(2013, 2, 10), "kind": "day"},
            {"term": "Effective", "value": None, "absent": "cannot be established"},
            {"term": "Size", "value": "1 482 code points", "kind": "figure"},
            {"term": "Integrity", "value": "intact", "kind": "state"},
        ],
        "columns": [
            {"label": "Claim"},
            {"label": "State"},
            {"label": "Sets", "kind": "num"},
            {"label": "Version"},
            {"label": "Changed"},
        ],
        "rows": [
            {
                "claim": "The director of The Salt Road was born first.",
                "state": state,
                "sets": n,
                "digest": DIGEST,
                "at": at(9, n),
            }
            for n, state in enumerate(
                ["accepted", "disputed", "in review", "blocked", "superseded"], start=1
            )
        ],
        "page": Paginator(range(412), 50).page(3),
        "tabs": [
            {"label": "Members", "url": "#", "current": True, "count": 4},
            {"label": "Derivation", "url": "#", "count": None},
            {"label": "History", "url": "#", "count": 7},
        ],
        "actions": [{"label": "Open the claim", "url": "#"}, {"label": "Judge", "url": "#"}],
        "entries": [
            {"day": date(2013, 2, 10), "what": "published", "note": "as the page says"},
            {"at": at(9, 30), "who": "Import", "what": "observed this version", "url": "#"},
            {
                "at": at(11, 5),
                "who": "Noor Castellan",
                "what": "sealed a judgement",
                "state": "sealed",
            },
            {"at": None, "what": "effective from", "absent": "cannot be established"},
        ],
        "steps": [
            {
                "says": "director(The Salt Road) = Ilse Maren",
                "because": ["member 1"],
                "state": "anchored",
            },
            {
                "says": "born(Ilse Maren) = 1961-05-04",
                "because": ["member 2", "step 1"],
                "state": "verified",
            },
            {"says": "born(director of Harbour Diaries)", "because": [], "state": "open"},
            {
                "says": "The Salt Road",
                "because": ["step 2", "step 3"],
                "rule": "compare dates, earlier",
            },
        ],
        "keys": [
            {"key": "1 2 3", "does": "answer the dimension in focus and go on"},
            {"key": "u", "does": "take the last answer back, before the seal"},
            {"key": "h", "does": "hide a member"},
            {"key": "Ctrl+Enter", "does": "seal the judgement"},
        ],
    }
