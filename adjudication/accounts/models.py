"""People who sign in."""

from __future__ import annotations

import unicodedata
import uuid
from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now


def refuse_invisible(value: str) -> None:
    """A name must read as it is: no control, format or direction-changing characters."""
    for character in value:
        if unicodedata.category(character) in {"Cc", "Cf", "Co", "Cn", "Zl", "Zp"}:
            raise ValidationError(
                f"The character U+{ord(character):04X} cannot be seen; leave it out."
            )


class UserManager(BaseUserManager["User"]):
    def create_user(self, username: str, password: str | None = None, **fields: Any) -> User:
        user = self.model(username=username, **fields)
        user.set_password(password)
        user.full_clean()
        user.save(using=self._db)
        return user

    def create_superuser(self, username: str, password: str, **fields: Any) -> User:
        return self.create_user(username, password, is_operator=True, **fields)


class User(AbstractBaseUser):
    """A person. Rights come from project memberships; an operator may open projects."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    username = models.SlugField("name to sign in", max_length=60, unique=True)
    display_name = models.CharField(max_length=120, validators=[refuse_invisible])
    is_active = models.BooleanField(default=True)
    is_operator = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = UserManager()

    USERNAME_FIELD = "username"
    REQUIRED_FIELDS: ClassVar[list[str]] = ["display_name"]

    def __str__(self) -> str:
        return self.display_name


class SignInCount(models.Model):
    """How often a sign-in was tried with one name from one address since ``since``.

    ``key`` is a keyed digest of both: people type passwords into the field for the name,
    and neither those nor addresses are worth keeping.
    """

    key = models.CharField(max_length=64, primary_key=True)
    tries = models.PositiveIntegerField(default=1)
    since = models.DateTimeField(db_default=Now(), db_index=True)


class Token(models.Model):
    """A secret by which a program acts as its owner, until it ends or is revoked.

    Only the SHA-256 of the secret is kept: it is random and long, so it needs no slow hash.
    ``hint`` is how it begins, by which its owner recognises it.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="tokens")
    name = models.CharField(max_length=80, validators=[refuse_invisible])
    hint = models.CharField(max_length=16)
    sha256 = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user", "name"],
                condition=Q(revoked_at__isnull=True),
                name="token_name_once_until_revoked",
            ),
            models.CheckConstraint(
                condition=Q(sha256__regex="^[0-9a-f]{64}$"), name="token_keeps_a_digest"
            ),
            models.CheckConstraint(
                condition=Q(expires_at__gt=F("created_at")), name="token_ends_after_its_begin"
            ),
        ]

    def __str__(self) -> str:
        return self.name
