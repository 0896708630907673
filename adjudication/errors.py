"""The two refusals every app shares; pages and commands show their messages as they are."""


class Refused(Exception):
    """The person may not do this now; the message says why and what would help."""


class NotFound(Exception):
    """There is no such thing, or this person may not know of it."""
