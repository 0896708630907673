"""What people enter about claims: routes, contradictions, decisions, premises."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms

from adjudication.claims.models import Claim, ClaimDecision, Contradiction, InferenceRule
from adjudication.claims.queries import chosen, to_supersede
from adjudication.corpus.models import Span
from adjudication.projects.models import Membership


def words(label: str, **more: Any) -> forms.CharField:
    """A field for a few sentences."""
    return forms.CharField(label=label, widget=forms.Textarea(attrs={"rows": 3}), **more)


class SpansForm(forms.Form):
    """Chooses spans by ticking them and by their ids."""

    spans = forms.Field(required=False, widget=forms.MultipleHiddenInput)
    ids = forms.CharField(
        label="Spans by id",
        required=False,
        max_length=4_000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="One on a line, as the page of a version shows them.",
    )

    def __init__(self, *args: Any, membership: Membership, **more: Any) -> None:
        super().__init__(*args, **more)
        self.membership = membership

    @property
    def ticked(self) -> list[str]:
        """The ids ticked so far, as they came."""
        return list(self["spans"].value() or []) if self.is_bound else []

    def clean_spans(self) -> list[Span]:
        return self._found(self.ticked)

    def clean_ids(self) -> list[Span]:
        return self._found(self.cleaned_data["ids"].split())

    def picked(self) -> list[Span]:
        """Every span chosen either way, once, in the order given."""
        both = [*self.cleaned_data["spans"], *self.cleaned_data["ids"]]
        return list({span.pk: span for span in both}.values())

    def _found(self, ids: list[str]) -> list[Span]:
        found = chosen(self.membership, [pk for pk in map(as_uuid, ids) if pk])
        known = {span.pk for span in found}
        if unknown := [pk for pk in ids if as_uuid(pk) not in known]:
            raise forms.ValidationError(f"You may read no span with the id {unknown[0][:60]}.")
        return found


def as_uuid(text: str) -> UUID | None:
    """The id written in ``text``, if it is one."""
    try:
        return UUID(text)
    except ValueError:
        return None


class RouteForm(SpansForm):
    """A new route: its members and the inference rules that it needs."""

    title = forms.CharField(label="Title of a source", required=False, max_length=200)

    def __init__(self, *args: Any, membership: Membership, **more: Any) -> None:
        super().__init__(*args, membership=membership, **more)
        rules = InferenceRule.objects.filter(project=membership.project).order_by("key")
        self.fields["rules"] = forms.ModelMultipleChoiceField(
            queryset=rules,
            required=False,
            widget=forms.CheckboxSelectMultiple,
            label="Inference rules",
            help_text="Steps from the members to the claim that no member states.",
        )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if not self.errors and not self.picked():
            self.add_error(None, "Choose at least one span.")
        return data


class ContradictionForm(SpansForm):
    material = forms.TypedChoiceField(
        label="Would it change whether the claim holds?",
        choices=[("yes", "Material: it would"), ("no", "Immaterial: it would not")],
        coerce=lambda value: value == "yes",
        widget=forms.RadioSelect,
    )
    treatment = forms.ChoiceField(
        label="How it is treated",
        choices=Contradiction.Treatment.choices,
        initial=Contradiction.Treatment.UNRESOLVED,
    )
    note = words("What disagrees, and why it is treated so")

    def __init__(self, *args: Any, claim: Claim, membership: Membership, **more: Any) -> None:
        super().__init__(*args, membership=membership, **more)
        self.fields["supersedes"] = _Superseded(
            queryset=to_supersede(membership, claim),
            required=False,
            label="Supersedes",
            empty_label="nothing",
        )

    def record(self) -> dict[str, Any]:
        """What is recorded, beside the spans."""
        return {name: self.cleaned_data[name] for name in _RECORDED}


_RECORDED = ("material", "treatment", "note", "supersedes")


class _Superseded(forms.ModelChoiceField):
    def label_from_instance(self, obj: Any) -> str:
        return f"{obj.at:%Y-%m-%d %H:%M}: {obj.note[:80]}"


class DecisionForm(forms.Form):
    field_order = ("decision", "into", "reason")

    decision = forms.ChoiceField(
        label="This claim is",
        choices=ClaimDecision.Decision.choices,
        widget=forms.RadioSelect,
    )
    reason = words("Reason", required=False, help_text="Needed when you refuse.")

    def __init__(self, *args: Any, claim: Claim, **more: Any) -> None:
        super().__init__(*args, **more)
        others = Claim.objects.filter(question=claim.question_id).exclude(pk=claim.pk)
        self.fields["into"] = forms.ModelChoiceField(
            queryset=others.order_by("value", "id"),
            required=False,
            label="The same as",
            empty_label="no other claim",
        )
        self.order_fields(self.field_order)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        merged = data.get("decision") == ClaimDecision.Decision.MERGED
        if merged and not data.get("into"):
            self.add_error("into", "Say with which claim.")
        if not merged and data.get("into"):
            self.add_error("into", "Only a merged claim is the same as another.")
        if data.get("decision") == ClaimDecision.Decision.REFUSED and not data.get("reason"):
            self.add_error("reason", "Say why this is not a claim of the question.")
        return data


class PremiseForm(forms.Form):
    authority = forms.CharField(
        label="Authority", max_length=500, help_text="Who states it, and with what standing."
    )
    basis = words("Basis for accepting it")
    open_dispute = forms.BooleanField(label="It is openly disputed", required=False)
