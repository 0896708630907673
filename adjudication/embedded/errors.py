"""What can go wrong while services are started, worded for the person at the terminal."""


class CannotStart(Exception):
    """The services cannot run here; the message says why and what to do."""


class Busy(CannotStart):
    """Another process owns the services of this data directory."""
