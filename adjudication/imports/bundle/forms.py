"""What a lead chooses before a bundle is made."""

from __future__ import annotations

from typing import Any

from django import forms

from adjudication.imports.bundle.scope import Scope
from adjudication.projects.models import Membership
from adjudication.specifications.models import Specification
from adjudication.specifications.queries import specifications_of


class _Frozen(forms.ModelChoiceField):
    def label_from_instance(self, obj: Any) -> str:
        return f"Versions eligible under specification {obj.number}"


class BundleForm(forms.Form):
    """For whom, and of what. A lead gives out only what they may read themselves."""

    def __init__(self, *args: Any, membership: Membership, **more: Any) -> None:
        super().__init__(*args, **more)
        self._membership = membership
        held = membership.reader_classes.order_by("title")
        self.fields["reader_class"] = forms.ModelChoiceField(
            queryset=held,
            label="For the reader class",
            to_field_name="key",
            empty_label="Choose one",
            initial=held.first() if held.count() == 1 else None,
            help_text="What the class may not read is left out; the file says only that it exists.",
        )
        self.fields["specification"] = _Frozen(
            queryset=specifications_of(membership).filter(state=Specification.State.FROZEN),
            label="Part of the project",
            to_field_name="number",
            required=False,
            empty_label="All of it",
        )

    def scope(self) -> Scope:
        return Scope(
            self._membership.project,
            self.cleaned_data["reader_class"],
            self.cleaned_data["specification"],
        )
