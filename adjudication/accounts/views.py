"""Sign in, choose a password by a link, change one's own; make and revoke one's tokens."""

from __future__ import annotations

from typing import Any, cast
from uuid import UUID

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import PasswordChangeForm, SetPasswordForm
from django.contrib.auth.views import (
    INTERNAL_RESET_SESSION_TOKEN,
    LoginView,
    PasswordResetConfirmView,
)
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse_lazy
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.http import require_http_methods, require_POST

from adjudication.accounts.actions import choose_password, make_token, revoke_token
from adjudication.accounts.forms import SignInForm, TokenForm
from adjudication.accounts.models import User
from adjudication.accounts.queries import tokens_of
from adjudication.errors import Refused

TOKEN_COLUMNS = [
    {"label": "Token"},
    {"label": "Begins with"},
    {"label": "Made"},
    {"label": "Ends"},
    {"label": "Last used"},
    {"label": "End it"},
]


class SignIn(LoginView):
    """The answer to an unknown name, a wrong password and a closed account is the same."""

    authentication_form = SignInForm
    template_name = "accounts/sign_in.html"


@method_decorator(login_not_required, name="dispatch")
class ChoosePassword(PasswordResetConfirmView):
    """Reached by a link that a lead handed over, without signing in.

    Django moves the token into the session before it shows the form, so that it stays out
    of the history and of what later pages are told.
    """

    template_name = "accounts/choose_password.html"
    success_url = reverse_lazy("sign-in")
    reset_url_token = "new"  # noqa: S105 - a word in the address, no secret

    def get_user(self, uidb64: str) -> User | None:
        user = super().get_user(uidb64)
        return user if isinstance(user, User) and user.is_active else None

    def form_valid(self, form: SetPasswordForm[User]) -> HttpResponse:
        user = form.user
        choose_password(user, form.cleaned_data["new_password1"], by_link=True)
        del self.request.session[INTERNAL_RESET_SESSION_TOKEN]
        messages.success(self.request, f"Your password is set. Sign in as {user.username}.")
        return redirect(self.get_success_url())


@require_http_methods(["GET", "HEAD", "POST"])
def own_password(request: HttpRequest) -> HttpResponse:
    """Change one's own password; other sessions of the account end."""
    user = cast(User, request.user)
    form: Any = PasswordChangeForm(user, request.POST or None)
    if request.method == "POST" and form.is_valid():
        choose_password(user, form.cleaned_data["new_password1"], by_link=False)
        update_session_auth_hash(request, user)
        messages.success(request, "Your password is changed.")
        return redirect("home")
    status = 422 if form.errors else 200
    return render(request, "accounts/own_password.html", {"form": form}, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
def tokens(request: HttpRequest) -> HttpResponse:
    """One's own tokens, and a form for another one."""
    user = cast(User, request.user)
    form = TokenForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            made, secret = make_token(user, **form.cleaned_data, actor=user)
        except Refused as refusal:
            form.add_error("name", str(refusal))
        else:
            # In the answer itself: a secret that is stored to be shown later could be stolen.
            context = {"token": made, "secret": secret}
            return render(request, "accounts/new_token.html", context)
    context = {
        "form": form,
        "tokens": tokens_of(user),
        "columns": TOKEN_COLUMNS,
        "now": timezone.now(),
    }
    return render(request, "accounts/tokens.html", context, status=422 if form.errors else 200)


@require_POST
def revoke(request: HttpRequest, token_id: UUID) -> HttpResponse:
    """End one of one's own tokens."""
    user = cast(User, request.user)
    token = get_object_or_404(tokens_of(user), pk=token_id)
    revoke_token(token, actor=user)
    messages.success(request, f"The token {token.name} is revoked.")
    return redirect("tokens")
