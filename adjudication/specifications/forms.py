"""What a lead types: the settings of a draft, and a new inference rule."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import QueryDict
from django.template.defaultfilters import pluralize

from adjudication.claims.models import InferenceRule
from adjudication.specifications.models import Demand, Specification
from adjudication.specifications.queries import origins_in
from adjudication.specifications.rules import DEFAULT_TEXTS, NAMES, fingerprint

_HELP = {
    "corpus_boundary": "What belongs to the evidence, in words that an outsider can check.",
    "observation_cutoff": "In UTC, as 2024-03-14 14:02:00. Versions observed later stay outside.",
    "population": "Which questions the results speak about.",
    "answerability_policy": "When a question counts as answerable, and when abstaining is right.",
    "granularity": "What a citation must cover to count.",
    "reviewers_per_item": "From 1 to 9. Each judges alone.",
    "consequential_policy": "Which claims matter most, and what their release needs.",
    "shows_proposer": "A data set, a person or a run. Not needed to judge, and it sways.",
    "shows_machine": "How a run came to its certificate. Not needed to judge, and it sways.",
}


class RuleChoice(forms.ModelMultipleChoiceField):
    """Rules by key and statement."""

    def label_from_instance(self, obj: object) -> str:
        assert isinstance(obj, InferenceRule)
        return f"{obj.key}: {obj.statement}"


def _offer(field: forms.Field, choices: QuerySet[Any]) -> None:
    assert isinstance(field, forms.ModelMultipleChoiceField)
    field.queryset = choices


class DraftForm(forms.ModelForm):
    """Every setting of a draft. It may stay incomplete until it is frozen."""

    rules = RuleChoice(
        InferenceRule.objects.none(),
        label=NAMES["rules"],
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Steps that are not in the sources and may still be taken.",
    )
    origins = forms.MultipleChoiceField(
        label=NAMES["origins"],
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="None chosen: every origin, those still to be imported before freezing too.",
    )
    source_policy = forms.MultipleChoiceField(
        label=NAMES["source_policy"],
        choices=Demand.choices,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Checked for every member and shown beside it. Reviewers decide.",
    )
    seen = forms.CharField(widget=forms.HiddenInput)

    class Meta:
        model = Specification
        fields = [*NAMES]
        labels = NAMES
        help_texts = _HELP | {"reader_classes": "For whom results are computed."}
        widgets = {
            **{name: forms.Textarea(attrs={"rows": 3}) for name in DEFAULT_TEXTS},
            "observation_cutoff": forms.DateTimeInput(format="%Y-%m-%d %H:%M:%S"),
            "reader_classes": forms.CheckboxSelectMultiple,
        }

    def __init__(self, data: QueryDict | None = None, *, instance: Specification) -> None:
        super().__init__(data, instance=instance)
        project = instance.project
        _offer(self.fields["reader_classes"], project.reader_classes.order_by("key"))
        _offer(self.fields["rules"], project.inference_rules.order_by("key"))
        self._offer_origins(instance)
        for name in (*DEFAULT_TEXTS, "reader_classes"):
            self.fields[name].required = False
        # The model form writes what was typed into the instance, so the cutoff is kept aside.
        self.stored_cutoff = instance.observation_cutoff
        self.initial["seen"] = fingerprint(instance)

    def _offer_origins(self, draft: Specification) -> None:
        """Those there are, and those that the draft names all the same."""
        field = self.fields["origins"]
        assert isinstance(field, forms.MultipleChoiceField)
        counts = dict.fromkeys(draft.origins, 0) | origins_in(draft.project)
        field.choices = [
            (one, f"{one}: {counts[one]} source{pluralize(counts[one])}") for one in sorted(counts)
        ]

    def clean_observation_cutoff(self) -> datetime:
        """The field shows whole seconds: left alone, it must not cut what lies below them."""
        typed: datetime = self.cleaned_data["observation_cutoff"]
        return self.stored_cutoff if typed == self.stored_cutoff.replace(microsecond=0) else typed

    def clean(self) -> dict[str, object]:
        cleaned = super().clean() or self.cleaned_data
        for name in DEFAULT_TEXTS:
            if name in cleaned:
                # Browsers send CRLF; the digest must not depend on who typed it where.
                cleaned[name] = cleaned[name].replace("\r\n", "\n")
        return cleaned


class RuleForm(forms.ModelForm):
    """A new inference rule. Once added it is never reworded."""

    class Meta:
        model = InferenceRule
        fields = ["key", "kind", "statement"]
        labels = {"key": "Short name", "kind": "Kind of step", "statement": "What it permits"}
        help_texts = {
            "key": "Letters, digits and hyphens, for example compare-dates.",
            "statement": "One or two sentences that two reviewers read the same way.",
        }
        widgets = {"statement": forms.Textarea(attrs={"rows": 3})}
