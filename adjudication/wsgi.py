"""The WSGI application that the web server calls."""

import os
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import urlsplit

# Before settings are read: a page has less patience than a command or a task.
os.environ.setdefault("STATEMENT_TIMEOUT", "15s")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "adjudication.settings")

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.urls import resolve

_django = get_wsgi_application()
_scheme = urlsplit(settings.SITE_URL).scheme
# Imports every page now: workers share them, and what is broken stops the start, not a visitor.
resolve("/healthz")


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """Serve one request under the scheme of SITE_URL, whatever a client's headers claim."""
    environ["wsgi.url_scheme"] = _scheme
    return _django(environ, start_response)
