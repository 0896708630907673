"""Links by which a person chooses a password; they work without mail.

A link is signed and bound to the state of the account: choosing a password or signing in
ends it, and so does time (``PASSWORD_RESET_TIMEOUT``). Nothing of it is stored.
"""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.tokens import default_token_generator
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from adjudication.accounts.models import User


def password_link(user: User) -> str:
    """The whole address, good once and for a week."""
    uid = urlsafe_base64_encode(force_bytes(str(user.pk)))
    token = default_token_generator.make_token(user)
    return settings.SITE_URL + reverse("choose-password", args=[uid, token])
