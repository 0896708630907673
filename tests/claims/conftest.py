from __future__ import annotations

import pytest
from django.test import Client

from tests.conftest import Cast, client_for
from tests.corpus.conftest import lead, public

__all__ = ["lead", "public"]


@pytest.fixture
def rosa(cast: Cast) -> Client:
    """A reviewer's browser."""
    return client_for(cast.rosa)
