"""A migrated database of a measurement's own, for a process that uses the application."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from adjudication.embedded import services

ROOT = Path(__file__).resolve().parent.parent


@contextmanager
def database(name: str) -> Iterator[dict[str, str]]:
    """Yield the environment of a process that uses it; everything is removed at the end."""
    directory = Path(tempfile.mkdtemp(prefix=f"bench-{name}-"))
    # The database may run as another user, who must be able to pass.
    directory.chmod(0o711)
    try:
        with services(directory) as addresses:
            environment = {
                "DATABASE_URL": addresses.app,
                "DATABASE_OWNER_URL": addresses.owner,
                "CELERY_BROKER_URL": addresses.broker,
                "DATA_DIR": str(directory),
                "SECRET_KEY": "bench",
                "DJANGO_SETTINGS_MODULE": "adjudication.settings",
            }
            migrate = [sys.executable, "manage.py", "migrate", "--no-input", "--verbosity=0"]
            subprocess.run(migrate, cwd=ROOT, env=os.environ | environment, check=True)
            yield environment
    finally:
        shutil.rmtree(directory)


def in_a_process(module: str, *arguments: str, **environment: str) -> Any:
    """What ``python -m module`` prints as JSON."""
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | environment, check=True, stdout=subprocess.PIPE
    )
    return json.loads(done.stdout)
