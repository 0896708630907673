"""The endpoint of the settings, made by the processes that ask it and by no others."""

from __future__ import annotations

from functools import cache

from adjudication.readers.requests import Ask
from adjudication.readers.settings import ReaderSettings


@cache
def endpoint_of(settings: ReaderSettings) -> Ask:
    """The endpoint, one for all threads of a process, which share its connections."""
    # The client takes half a second and 40 MB to load; web servers need neither.
    from adjudication.readers.endpoint import ModelEndpoint

    return ModelEndpoint(settings)
