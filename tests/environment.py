"""Loaded before anything reads the settings (``-p tests.environment``): where tests keep data.

Tests never touch the data of an installation, and never the servers that the environment
may name.
"""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from pathlib import Path

for _name in (
    *("DATABASE_URL", "DATABASE_OWNER_URL", "CELERY_BROKER_URL", "SITE_URL", "DEBUG"),
    *("READER_URL", "READER_KEY", "READER_MODELS"),
    *("EMBEDDINGS_URL", "EMBEDDINGS_KEY", "EMBEDDINGS_MODEL"),
):
    os.environ.pop(_name, None)
_DATA = Path(tempfile.mkdtemp(prefix="certify-tests-", dir="/tmp"))
# The services may run as another user, who must be able to pass.
_DATA.chmod(0o711)
os.environ["DATA_DIR"] = str(_DATA / "data")

# A shell that runs the tests in the background ignores Ctrl-C for all that it starts; the
# programs under test must not inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_unconfigure() -> None:
    shutil.rmtree(_DATA, ignore_errors=True)
