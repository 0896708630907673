"""Certify Adjudication: which evidence a claim needs, decided by people and kept for good."""

from .celery import app as celery_app
from .celery import tell_workers

__version__ = "0.1.0"
"""That of the project's metadata; a run names it, so it is here for installations without them."""

__all__ = ["celery_app", "tell_workers"]
