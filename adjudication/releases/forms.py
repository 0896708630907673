"""The file that a person wants checked."""

from __future__ import annotations

from django import forms
from django.core.files.uploadedfile import UploadedFile

LARGEST = 64 * 1024 * 1024  # bytes


class VerifyForm(forms.Form):
    file = forms.FileField(label="Export", help_text="A .jsonl file of at most 64 MB.")
    digest = forms.RegexField(
        regex=r"^[0-9a-fA-F]{64}$",
        required=False,
        label="Published digest",
        help_text="The version's digest, to compare with: 64 hexadecimal digits.",
        error_messages={"invalid": "A digest has 64 hexadecimal digits."},
    )

    def clean_file(self) -> UploadedFile[bytes]:
        file: UploadedFile[bytes] = self.cleaned_data["file"]
        if (file.size or 0) > LARGEST:
            raise forms.ValidationError(
                "This file is larger than 64 MB. Check it with the command below."
            )
        return file
