"""The form that starts a run."""

from __future__ import annotations

import uuid
from typing import Any

from django import forms
from django.db.models import QuerySet

from adjudication.claims.models import Question
from adjudication.runs.models import RunControl
from adjudication.runs.queries import questions_of, without_outcome
from adjudication.runs.rules import CHECKS, Configuration
from adjudication.specifications.models import Specification


class NewRunForm(forms.Form):
    """Which questions, under which entity check. ``key`` makes a second click harmless."""

    key = forms.UUIDField(initial=uuid.uuid4, widget=forms.HiddenInput)
    which = forms.ChoiceField(label="Questions", widget=forms.RadioSelect, initial="all")
    first = forms.IntegerField(
        label="How many",
        required=False,
        min_value=1,
        help_text="Only for “the first …”, in the order of their import.",
    )
    check = forms.ChoiceField(
        label="Entity check",
        choices=CHECKS,
        initial="anchor",
        widget=forms.RadioSelect,
        help_text="Whether a passage is about exactly the entity that a step names.",
    )

    def __init__(self, *args: Any, specification: Specification, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.every = questions_of(specification.project)
        self.remaining = without_outcome(specification)
        self.fields["which"].choices = [  # type: ignore[attr-defined]
            ("all", f"All {self.every.count()}"),
            ("remaining", f"The {self.remaining.count()} without an outcome under {specification}"),
            ("first", "The first …"),
        ]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("which") == "first" and not cleaned.get("first") and "first" in cleaned:
            self.add_error("first", "Say how many questions.")
        return cleaned

    def questions(self) -> QuerySet[Question]:
        which = self.cleaned_data["which"]
        if which == "remaining":
            return self.remaining
        return self.every[: self.cleaned_data["first"]] if which == "first" else self.every

    def configuration(self) -> Configuration:
        return Configuration(check=self.cleaned_data["check"])


class BudgetForm(forms.Form):
    """What a run may buy in all. Only a budget that it started with can be raised."""

    calls = forms.IntegerField(label="Calls in all", required=False, min_value=1)
    tokens = forms.IntegerField(label="Tokens in all", required=False, min_value=1)

    def __init__(self, *args: Any, control: RunControl, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        present = {"calls": control.budget_calls, "tokens": control.budget_tokens}
        used = {"calls": control.calls, "tokens": control.tokens}
        for name, budget in present.items():
            if budget is None:
                del self.fields[name]
            else:
                self.fields[name].initial = budget
                self.fields[name].help_text = f"{used[name]:,} of {budget:,} are bought."
