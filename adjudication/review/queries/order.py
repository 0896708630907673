"""The order in which items come to a reviewer: a shuffle of their own that tells nothing.

Items lie in buckets by the first digits of their ids, which are random. Everybody goes through
the buckets in a keyed order of their own, and through each in another, so that an item's place
depends on nothing but the person and its id. Only the next few buckets are looked at, from
where the person's last item lay on: what was handed back in those before comes round again.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from functools import lru_cache
from hashlib import blake2b
from uuid import UUID

from django.conf import settings

from adjudication.projects.models import Membership
from adjudication.review.models import QUEUE_DIGITS
from adjudication.review.queries.queue import available_in
from adjudication.specifications.models import Specification

BUCKETS = tuple(f"{number:0{QUEUE_DIGITS}x}" for number in range(16**QUEUE_DIGITS))
_FEW, _MANY = 64, 48  # buckets to look at first, and items of which half would do

# How many buckets hold a few items of a specification that still wait: a guess that saves
# questions and decides nothing.
_widths: dict[UUID, int] = {}


def waiting_for(
    membership: Membership, specification: Specification, last: UUID | None
) -> Iterator[list[UUID]]:
    """Ids of the items available to this person, a few at a time, in their order.

    It begins in the bucket of the item ``last``, or with the first, and goes round once.
    """
    key = _key_of(membership.user_id)
    order = _shuffled(key)
    begin = order.index(bucket_of(last)) if last else 0
    left = order[begin:] + order[:begin]
    width = _widths.get(specification.pk, _FEW)
    while left:
        here, left = left[:width], left[width:]
        found = available_in(membership, specification, _padded(here, width))
        if not found:
            width = min(2 * width, len(BUCKETS))
            continue
        _widths[specification.pk] = max(1, width // 2) if len(found) > _MANY else width
        place = {bucket: number for number, bucket in enumerate(here)}
        yield sorted(found, key=lambda one: (place[bucket_of(one)], _hashed(key, str(one))))


def _padded(buckets: tuple[str, ...], width: int) -> tuple[str, ...] | None:
    """As many as ``width``, so that there are few statements; None for all there are."""
    if len(buckets) == len(BUCKETS):
        return None
    return buckets + buckets[-1:] * (width - len(buckets))


def bucket_of(item_id: UUID) -> str:
    return item_id.hex[:QUEUE_DIGITS]


def _key_of(person: UUID) -> bytes:
    return hmac.digest(settings.SECRET_KEY.encode(), f"queue:{person}".encode(), "sha256")


@lru_cache(maxsize=256)
def _shuffled(key: bytes) -> tuple[str, ...]:
    return tuple(sorted(BUCKETS, key=lambda bucket: _hashed(key, bucket)))


def _hashed(key: bytes, word: str) -> bytes:
    return blake2b(word.encode(), key=key, digest_size=16).digest()
