"""What others may want to hear of, without this package knowing them."""

from __future__ import annotations

from django.dispatch import Signal

vectors_settled = Signal()
"""A build under ``model`` ended: the vectors of a corpus are all there, or its row says why not."""
