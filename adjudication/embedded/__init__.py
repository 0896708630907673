"""PostgreSQL and Valkey without an installation: binaries from two packages, run by us.

Used when no servers are configured. The packages' own wrappers leave processes behind and
open doors to other users, so only the programs inside them are used.
"""

from .errors import Busy, CannotStart
from .places import Addresses, DataDirectory
from .processes import die_with_parent
from .supervisor import attached_or_owned, owned, services

__all__ = [
    "Addresses",
    "Busy",
    "CannotStart",
    "DataDirectory",
    "attached_or_owned",
    "die_with_parent",
    "owned",
    "services",
]
