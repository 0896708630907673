"""Exceptions that carry data, so that callers decide on values and not on sentences."""

LONGEST = 500
"""Characters of what a message quotes of somebody's file."""


def legible(text: str) -> str:
    """``text`` as a message can quote it: short, and without what cannot be printed or stored.

    A file names its own fields, so a name in it may be megabytes, NUL or a terminal's escape.
    """
    shown = text[:LONGEST]
    if not shown.isprintable():
        shown = "".join(
            c if c.isprintable() else c.encode("unicode_escape").decode() for c in shown
        )
    return shown if len(text) <= LONGEST else f"{shown}…"


class CoreError(ValueError):
    """Base of every error this package raises on purpose."""


class InvalidInstance(CoreError):
    """An instance of the closure problem breaks its own rules.

    ``field`` names the offending part, ``problem`` says what is wrong with it.
    """

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field
        self.problem = problem


class InvalidGraph(CoreError):
    """A requirement graph refers to an unknown, later or own step, or is empty."""

    def __init__(self, rid: int, problem: str) -> None:
        super().__init__(f"requirement {rid}: {problem}")
        self.rid = rid
        self.problem = problem


class InvalidRecord(CoreError):
    """A record of an outside data set cannot be read.

    ``where`` is the line number (JSON lines) or the record's index and id (JSON).
    """

    def __init__(self, where: str, problem: str) -> None:
        where, problem = legible(where), legible(problem)
        super().__init__(f"{where}: {problem}")
        self.where = where
        self.problem = problem


class InvalidJson(CoreError):
    """Text that is not the strict JSON we accept, or a value JSON cannot hold exactly.

    ``place`` is a line and column, a byte, or a path such as ``$.units[3].id``.
    """

    def __init__(self, place: str, problem: str) -> None:
        place = legible(place)
        super().__init__(f"{place}: {problem}")
        self.place = place
        self.problem = problem


class Undecidable(CoreError):
    """An operation has no answer that its operands force (so none is given).

    ``operation`` is the operation's name, ``problem`` says what is missing.
    """

    def __init__(self, operation: str, problem: str) -> None:
        super().__init__(f"{operation}: {problem}")
        self.operation = operation
        self.problem = problem
