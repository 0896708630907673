"""What people enter to import a file."""

from __future__ import annotations

from typing import Any

from django import forms

from adjudication.corpus.forms import ReaderClassesField, UploadField
from adjudication.imports.formats import FORMATS
from adjudication.projects.models import Project


class ImportForm(forms.Form):
    """A data set's file, before it is looked at."""

    file = UploadField(label="File", help_text="JSON or JSON lines, as the data set gives it.")
    dialect = forms.ChoiceField(
        label="Format", choices=[(one.name, one.label) for one in FORMATS.values()]
    )
    licence = forms.CharField(
        label="Licence", required=False, max_length=200, help_text="Kept with every source."
    )

    def __init__(self, *args: Any, project: Project, **more: Any) -> None:
        super().__init__(*args, **more)
        self.fields["reader_classes"] = ReaderClassesField(project)


class ConfirmForm(ImportForm):
    """The same choices again, for a file that was looked at."""

    file = None  # type: ignore[assignment]
