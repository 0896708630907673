"""What people enter about sources, versions and spans."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet
from django.utils import timezone

from adjudication.corpus.actions import Capture, Times
from adjudication.corpus.encodings import LABELS, MEDIA_TYPES, UTF_8, Unreadable, decode
from adjudication.corpus.models import TIME, Source
from adjudication.corpus.rules import check_partial_time, find_quotation
from adjudication.corpus.times import (
    UNESTABLISHED,
    Observed,
    Precision,
    ends_before_it_begins,
    read_observed,
)
from adjudication.errors import Refused
from adjudication.projects.actions import PUBLIC
from adjudication.projects.models import Project, ReaderClass
from certify_core.canonical import digest, sha256_hex

UPLOAD = "upload"
PASTE_LIMIT = 500_000  # characters; more makes a browser slow and belongs in a file


class PartialTimeField(forms.CharField):
    """A year, month or day; left empty it says "cannot be established"."""

    def __init__(self, label: str, help_text: str = "") -> None:
        super().__init__(label=label, help_text=help_text, required=False, validators=[TIME])

    def clean(self, value: Any) -> str:
        value = super().clean(value)
        if not value or value == UNESTABLISHED:
            return UNESTABLISHED
        try:
            check_partial_time(value)
        except Refused as error:
            raise forms.ValidationError(str(error)) from error
        return str(value)


class ObservedField(forms.CharField):
    """When something was captured, as exactly as it is known: an ``Observed``, or None."""

    def clean(self, value: Any) -> Observed | None:
        value = super().clean(value)
        try:
            return read_observed(value, timezone.now()) if value else None
        except Refused as error:
            raise forms.ValidationError(str(error)) from error


class UploadField(forms.FileField):
    """A file within the limit of what may be uploaded."""

    def clean(self, data: Any, initial: Any = None) -> Any:
        file = super().clean(data, initial)
        if isinstance(file, UploadedFile) and (file.size or 0) > settings.UPLOAD_LIMIT:
            limit = settings.UPLOAD_LIMIT // 2**20
            raise forms.ValidationError(
                f"The file has {(file.size or 0) / 2**20:.1f} MB; the limit is {limit} MB."
            )
        return file


class ReaderClassesField(forms.ModelMultipleChoiceField):
    """Which reader classes of a project may inspect what is stored; "public" at first."""

    def __init__(self, project: Project) -> None:
        classes = ReaderClass.objects.filter(project=project).order_by("title")
        super().__init__(
            queryset=classes,
            widget=forms.CheckboxSelectMultiple,
            label="Who may inspect it",
            initial=[one for one in classes if one.key == PUBLIC],
        )

    def label_from_instance(self, obj: Any) -> str:
        return str(obj.title)


class CaptureForm(forms.Form):
    """One text as captured: a file byte for byte, or characters typed or pasted."""

    title = forms.CharField(label="Title", max_length=500)
    address = forms.CharField(
        label="Original address", required=False, max_length=2000, help_text="It is not fetched."
    )
    file = UploadField(
        label="File",
        required=False,
        widget=forms.FileInput(attrs={"hx-preserve": "true"}),
        help_text="The exact way: every byte is kept, line breaks and hidden characters too.",
    )
    pasted = forms.CharField(
        label="Or pasted text",
        required=False,
        strip=False,
        max_length=PASTE_LIMIT,
        widget=forms.Textarea(attrs={"rows": 8}),
        help_text=(
            "A browser sends every line break as CR LF; they are stored as LF. "
            "Where the original line breaks matter, upload the file."
        ),
    )
    encoding = forms.ChoiceField(
        label="Encoding of the file",
        required=False,
        choices=list(LABELS.items()),
        initial=UTF_8,
        help_text="Not guessed: whoever captured the file has to know. Pasted text is UTF-8.",
    )
    media_type = forms.ChoiceField(label="Kind of text", choices=list(MEDIA_TYPES.items()))
    observed_at = ObservedField(
        label="Observed (UTC)",
        required=False,
        help_text=(
            "When the bytes were captured, as exactly as it is known: 2024-03-14 09:30, "
            "2024-03-14, 2024-03 or 2024. Left empty: now."
        ),
    )
    unestablished = forms.BooleanField(
        label="When it was captured cannot be established", required=False
    )
    published = PartialTimeField("Published", "What the source says: 2013, 2013-05 or 2013-05-12.")
    effective_from = PartialTimeField("In effect from", "Empty: it cannot be established.")
    effective_to = PartialTimeField("In effect to", "Empty: it cannot be established.")
    licence = forms.CharField(label="Licence", required=False, max_length=200)
    authority = forms.CharField(
        label="Authority", required=False, max_length=200, help_text="Who answers for the source."
    )

    def __init__(
        self, *args: Any, project: Project, source: Source | None = None, **more: Any
    ) -> None:
        super().__init__(*args, **more)
        self.fields["reader_classes"] = ReaderClassesField(project)
        self.source = source
        if source is not None:
            del self.fields["title"], self.fields["address"]

    def clean_encoding(self) -> str:
        return str(self.cleaned_data["encoding"]) or UTF_8

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if bool(data.get("file")) == bool(data.get("pasted")):
            self.add_error("file", "Choose a file or paste a text: one of the two.")
        elif "encoding" in data and "media_type" in data:
            self._read(data)
        if data.get("unestablished") and data.get("observed_at"):
            self.add_error("unestablished", "A time is given: one of the two.")
        if ends_before_it_begins(data.get("effective_from", ""), data.get("effective_to", "")):
            self.add_error("effective_to", "This is before the begin.")
        return data

    def capture(self) -> Capture:
        data = self.cleaned_data
        snapshot, now = data["snapshot"], timezone.now()
        unknown = Observed(now, Precision.UNESTABLISHED)
        observed = unknown if data["unestablished"] else data["observed_at"] or Observed(now)
        if self.source is None:
            origin, title, address = UPLOAD, data["title"], data["address"]
            # The same text under the same title twice (a double click) is one source.
            key = digest([title, address, sha256_hex(snapshot)])
        else:
            origin, key = self.source.origin, self.source.key
            title, address = self.source.title, self.source.address
        return Capture(
            origin=origin,
            key=key,
            title=title,
            address=address,
            snapshot=snapshot,
            observed_at=observed.at,
            observed_precision=observed.precision,
            media_type=data["media_type"],
            encoding=data["encoding"],
            licence=data["licence"],
            authority=data["authority"],
            times=Times(data["published"], data["effective_from"], data["effective_to"]),
        )

    def _read(self, data: dict[str, Any]) -> None:
        """Put the bytes into ``data``, and say where they are not text of the encoding chosen."""
        if data["file"]:
            data["snapshot"] = bytes(data["file"].read())
        else:
            data["encoding"] = UTF_8
            data["snapshot"] = str(data["pasted"]).replace("\r\n", "\n").encode()
        try:
            decode(data["snapshot"], data["media_type"], data["encoding"])
        except Unreadable as error:
            self.add_error("encoding", f"{error} Choose the encoding that the file has.")
        except Refused as error:
            self.add_error("file", str(error))


class SpanForm(forms.Form):
    """Where a span is: by its words, or by the positions of its characters."""

    quoted = forms.CharField(
        label="Words of the span",
        required=False,
        strip=False,
        max_length=20_000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Exactly as they stand in the text. A line break stands for any line break.",
    )
    occurrence = forms.IntegerField(
        label="Which occurrence", min_value=1, initial=1, help_text="1 is the first."
    )
    start = forms.IntegerField(
        label="Or from position",
        required=False,
        min_value=0,
        help_text="Characters (Unicode code points), counted from 0.",
    )
    end = forms.IntegerField(label="To position", required=False, min_value=1)
    # What a script read from the page at these positions. JSON, since browsers rewrite the
    # line breaks of everything else.
    selected = forms.CharField(required=False, strip=False, widget=forms.HiddenInput)

    def clean_selected(self) -> str | None:
        if not self.cleaned_data["selected"]:
            return None
        try:
            selected = json.loads(self.cleaned_data["selected"])
        except ValueError:
            selected = None
        if not isinstance(selected, str):
            raise forms.ValidationError("The selection could not be read. Select again.")
        return selected

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if (data.get("start") is None) != (data.get("end") is None):
            self.add_error("end", "Give both positions, or none.")
        if data.get("start") is None and not data.get("quoted"):
            self.add_error("quoted", "Quote the words of the span, or give its positions.")
        if data.get("start") is not None and data.get("quoted"):
            self.add_error("quoted", "Quote the words or give positions: one of the two.")
        return data

    def place_in(self, text: str) -> tuple[int, int]:
        """Code points of the span in ``text``; Refused where the words do not stand there."""
        data = self.cleaned_data
        if data["start"] is not None:
            return data["start"], data["end"]
        return find_quotation(text, data["quoted"], data["occurrence"])


class InvalidationForm(forms.Form):
    reason = forms.CharField(
        label="Why it is no longer to be used", widget=forms.Textarea(attrs={"rows": 3})
    )


class _ClearanceForm(forms.Form):
    """Why clearance of a version changes."""

    reason = forms.CharField(
        label="Why",
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Whoever opens this version reads it. Quote nothing that is to be blocked.",
    )


def _choice_of(classes: Collection[ReaderClass]) -> QuerySet[ReaderClass]:
    return ReaderClass.objects.filter(pk__in=[one.pk for one in classes]).order_by("title")


class TightenForm(_ClearanceForm):
    """Which of the ``classes`` may no longer read a version or a span, and why."""

    field_order = ["reader_classes", "reason"]

    def __init__(self, data: Any = None, *, classes: Collection[ReaderClass]) -> None:
        super().__init__(data, auto_id="close_%s")
        self.fields["reader_classes"] = forms.ModelMultipleChoiceField(
            queryset=_choice_of(classes),
            widget=forms.CheckboxSelectMultiple,
            label="Who may no longer read it",
        )
        self.order_fields(self.field_order)


class OpenForm(_ClearanceForm):
    """Which of the ``classes`` may read a version from now on, and why."""

    field_order = ["reader_class", "reason"]

    def __init__(self, data: Any = None, *, classes: Collection[ReaderClass]) -> None:
        super().__init__(data, auto_id="open_%s")
        self.fields["reader_class"] = forms.ModelChoiceField(
            queryset=_choice_of(classes), label="Who may read it from now on"
        )
        self.order_fields(self.field_order)
