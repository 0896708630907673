"""What people enter to import a file."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.template.defaultfilters import filesizeformat

from adjudication.corpus.forms import ReaderClassesField, UploadField
from adjudication.imports.formats import FORMATS, format_named
from adjudication.imports.jobs import Sent
from adjudication.projects.models import Project


class ChoicesForm(forms.Form):
    """What is chosen beside the file."""

    format = forms.ChoiceField(
        label="Format", choices=[(one.name, one.label) for one in FORMATS.values()]
    )
    licence = forms.CharField(
        label="Licence", required=False, max_length=200, help_text="Kept with every source."
    )

    def __init__(self, *args: Any, project: Project, **more: Any) -> None:
        super().__init__(*args, **more)
        self.fields["reader_classes"] = ReaderClassesField(project)

    def sent(self, name: str, size: int, mark: str = "") -> Sent:
        data = self.cleaned_data
        return Sent(
            name=name[-255:],
            size=size,
            layout=format_named(data["format"]),
            reader_classes=list(data["reader_classes"]),
            licence=data["licence"],
            mark=mark,
        )


class ImportForm(ChoicesForm):
    """A file sent with the form, whole."""

    field_order = ("file", "format", "licence")

    file = UploadField(label="File", help_text="JSON or JSON lines, as the data set gives it.")

    def whole(self) -> Sent:
        file = self.cleaned_data["file"]
        return self.sent(file.name, file.size)


class AnnouncementForm(ChoicesForm):
    """A file that a browser is going to send piece by piece."""

    name = forms.CharField(label="File", max_length=1000, strip=False)
    size = forms.IntegerField(label="File", min_value=1)
    mark = forms.CharField(max_length=64)

    def clean_size(self) -> int:
        size: int = self.cleaned_data["size"]
        limit = settings.IMPORT_LIMIT
        if size > limit:
            raise forms.ValidationError(
                f"The file has {filesizeformat(size)}; the limit is {filesizeformat(limit)}."
            )
        return size

    def announced(self) -> Sent:
        data = self.cleaned_data
        return self.sent(data["name"], data["size"], data["mark"])
