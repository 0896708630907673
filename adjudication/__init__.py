"""Certify Adjudication: which evidence a claim needs, decided by people and kept for good."""

from .celery import app as celery_app

__all__ = ["celery_app"]
