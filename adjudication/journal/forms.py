"""How the journal is narrowed down."""

from __future__ import annotations

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import QueryDict

from adjudication.accounts.models import User
from adjudication.journal.models import Entry
from adjudication.journal.queries import Place, kind_in_words

SYSTEM = "system"
ANY = ("", "any")


class PlaceField(forms.CharField):
    """Where the page begins; written by the link to older entries, never by hand."""

    widget = forms.HiddenInput

    def clean(self, value: Any) -> Place | None:
        text = super().clean(value)
        try:
            return Place.parse(text) if text else None
        except ValueError:
            raise forms.ValidationError("This address is not one of this page's own.") from None


class EntryFilter(forms.Form):
    """By person, by what happened, by kind of object and by object.

    Only what occurs in ``entries`` can be chosen, so that the choices tell no more than the
    entries do.
    """

    person = forms.ChoiceField(required=False)
    verb = forms.ChoiceField(label="What happened", required=False)
    kind = forms.ChoiceField(label="Kind of object", required=False)
    object = forms.UUIDField(
        label="Object", required=False, error_messages={"invalid": "This is no object's id."}
    )
    before = PlaceField(required=False)

    def __init__(self, data: QueryDict, entries: QuerySet[Entry]) -> None:
        super().__init__(data)
        entries = entries.select_related(None).order_by()
        people = User.objects.filter(pk__in=entries.values("actor")).order_by("display_name")
        verbs = entries.order_by("verb").values_list("verb", flat=True).distinct()
        kinds = entries.values_list("object_kind", flat=True).distinct()
        self._offer(
            "person", [(SYSTEM, "the system"), *((str(one.pk), str(one)) for one in people)]
        )
        self._offer("verb", [(verb, verb) for verb in verbs])
        self._offer(
            "kind", sorted(((kind, kind_in_words(kind)) for kind in kinds), key=lambda k: k[1])
        )

    def _offer(self, name: str, choices: list[tuple[str, str]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [ANY, *choices]

    def clean(self) -> dict[str, Any]:
        if unknown := sorted(set(self.data) - set(self.fields)):
            raise forms.ValidationError(f"The journal is not narrowed by {', '.join(unknown)}.")
        return self.cleaned_data

    def narrow(self, entries: QuerySet[Entry]) -> QuerySet[Entry]:
        """The entries that were asked for; call it once the form is valid."""
        asked = self.cleaned_data
        if asked["person"] == SYSTEM:
            entries = entries.filter(actor__isnull=True)
        elif asked["person"]:
            entries = entries.filter(actor=asked["person"])
        if asked["verb"]:
            entries = entries.filter(verb=asked["verb"])
        if asked["kind"]:
            entries = entries.filter(object_kind=asked["kind"])
        if asked["object"]:
            entries = entries.filter(object_id=asked["object"])
        return entries
