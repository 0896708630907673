"""Addresses and pages of the project of the tests."""

from __future__ import annotations

from django.test import Client
from django.urls import reverse


def address(name: str, *args: object) -> str:
    return reverse(name, args=["film-study", *args])


def page(client: Client, url: str, status: int = 200) -> str:
    """The page at ``url``, which must answer with ``status``."""
    response = client.get(url)
    assert response.status_code == status
    return response.content.decode()
