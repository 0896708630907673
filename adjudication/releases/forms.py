"""The file that a person wants checked."""

from __future__ import annotations

from django import forms

from adjudication.corpus.forms import UploadField


class VerifyForm(forms.Form):
    file = UploadField(
        label="Export", help_text="A .jsonl file; check a very large one by the command below."
    )
    digest = forms.RegexField(
        regex=r"^[0-9a-fA-F]{64}$",
        required=False,
        label="Published digest",
        help_text="The version's digest, to compare with: 64 hexadecimal digits.",
        error_messages={"invalid": "A digest has 64 hexadecimal digits."},
    )
