"""Settings of the web server: `gunicorn -c python:adjudication.web adjudication.wsgi`."""

import os
from typing import Any

from adjudication.embedded import die_with_parent

workers = max(2, min(os.cpu_count() or 1, 8))
worker_class = "gthread"
threads = 8
# Imported once and shared by the workers; they open database connections of their own.
preload_app = True
# A worker whose main loop hangs is replaced; single pages are cut off by the database.
timeout = 60
graceful_timeout = 5
keepalive = 5
control_socket_disable = True
proc_name = "adjudication-web"
# The program trusts no forwarded header; see `wsgi`.
forwarded_allow_ips = ""
secure_scheme_headers: dict[str, str] = {}


def post_fork(_server: Any, _worker: Any) -> None:
    """A killed master must not leave its workers behind."""
    die_with_parent()
