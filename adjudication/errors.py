"""The refusal every app shares; pages and commands show its message as it is."""


class Refused(Exception):
    """The person may not do this now; the message says why and what would help."""
