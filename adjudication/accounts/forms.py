"""What a person types to sign in, and to make a token."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.forms import AuthenticationForm

from adjudication.accounts.actions import TOKEN_DAYS, WINDOW, forget_tries, may_try
from adjudication.accounts.models import refuse_invisible


class SignInForm(AuthenticationForm):
    """Name and password, tried a limited number of times per name and address."""

    error_messages = AuthenticationForm.error_messages | {
        "invalid_login": (
            "Name and password do not belong together, or this account is closed. "
            "Capital letters count."
        ),
        "too_many": (
            f"Too many tries with this name from here. Wait {WINDOW} minutes, then try again."
        ),
    }

    def clean(self) -> dict[str, Any]:
        # Passwords and names that do not pass the fields are not tried at all.
        username, password = self.cleaned_data.get("username"), self.cleaned_data.get("password")
        if not username or not password:
            return self.cleaned_data
        address = str(self.request.META.get("REMOTE_ADDR", "")) if self.request else ""
        if not may_try(username, address):
            raise forms.ValidationError(self.error_messages["too_many"], code="too_many")
        cleaned = super().clean()
        forget_tries(username, address)
        return cleaned


class TokenForm(forms.Form):
    """A new token: what it is for, and how long it is good."""

    name = forms.CharField(
        label="Name",
        max_length=80,
        validators=[refuse_invisible],
        help_text="Where it will be used, for example “nightly import”.",
    )
    days = forms.TypedChoiceField(
        label="Good for",
        choices=[(7, "7 days"), (30, "30 days"), (90, "90 days"), (365, "a year")],
        initial=TOKEN_DAYS,
        coerce=int,
    )
