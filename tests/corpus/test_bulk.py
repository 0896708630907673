"""Ids of many rows at once: as good as single ones, and in the order that indexes like."""

from __future__ import annotations

from adjudication.corpus.bulk import Ids


def test_ids_ascend_within_and_across_batches():
    """Rows of one import lie together in every index, batch after batch."""
    ids = Ids()
    made = [one for _ in range(300) for one in ids.next(7)]
    assert made == sorted(made)
    assert len(set(made)) == 2_100


def test_ids_say_nothing_of_when_they_were_made():
    """Two imports have their places at random: one after the other is as often below as above."""
    places = [Ids().next(1)[0].bytes[:4] for _ in range(100)]
    assert places not in (sorted(places), sorted(places, reverse=True))
    assert all(one.version == 4 for one in Ids().next(10))
