"""What can be asked of an entity: names of a relation, its question and its cues in text.

A cue is a pattern that ends where the value begins. Cues are tried in order; within one
cue, sentences in order. When a relation's cues fail there is no value: guessing with a
looser rule costs more wrong answers than it gains.
"""

from __future__ import annotations

import re
from functools import cache

from certify_core.pattern_reader.lands import LANDS
from certify_core.pattern_reader.lives import LIVES
from certify_core.pattern_reader.relation import Relation
from certify_core.pattern_reader.sorts import SORTS
from certify_core.pattern_reader.standing import STANDING
from certify_core.pattern_reader.works import WORKS

__all__ = ["BY_KEY", "BY_NAME", "COMPOUNDS", "RELATIONS", "Relation", "compiled"]

RELATIONS = (*WORKS, *LIVES, *STANDING, *LANDS, *SORTS)
BY_KEY = {relation.key: relation for relation in RELATIONS}
BY_NAME = {name: relation for relation in RELATIONS for name in relation.names}

COMPOUNDS: dict[str, tuple[str, ...]] = {
    "paternal grandfather": ("father", "father"),
    "paternal grandmother": ("father", "mother"),
    "maternal grandfather": ("mother", "father"),
    "maternal grandmother": ("mother", "mother"),
    "father-in-law": ("spouse", "father"),
    "mother-in-law": ("spouse", "mother"),
    "child-in-law": ("child", "spouse"),
    "son-in-law": ("child", "spouse"),
    "daughter-in-law": ("child", "spouse"),
}
"""Family words that stand for one path of two relations. Words with several paths
(uncle, sibling-in-law, step-mother) are left out: which one holds is not known."""


@cache
def compiled(cue: str) -> re.Pattern[str]:
    return re.compile(cue)
