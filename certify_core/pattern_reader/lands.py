"""What places are part of, lie beside and are called after."""

from __future__ import annotations

from certify_core.pattern_reader.relation import NAME, Relation
from certify_core.regions import REGIONS

_STATE = rf"(?:{'|'.join(sorted(REGIONS, key=lambda name: (-len(name), name)))})\b"
_CONTINENT = r"(?:Africa|Antarctica|Asia|Europe|North America|South America|Oceania)\b"
_WATER = (
    r"(?:River|Creek|Lake|Sea|Ocean|Bay|Gulf|Canal|Strait|Harbou?r|Sound|Firth|Fjord|Lagoon)\b"
    r"(?! (?:[Ww]atershed|[Bb]asin|[Vv]alley|[Aa]rea|[Rr]egion|County|Bridge))"
)
_WATER_NAME = (
    rf"(?=(?:[^\W\d_a-z][\w'\u2019-]* ){{1,3}}{_WATER}"
    r"|(?:Lake|Gulf|Bay|Sea|Loch|River) (?:of )?[^\W\d_a-z])"
)

LANDS = (
    Relation(
        "state",
        "place",
        ("state",),
        "Which state is {} in?",
        (
            r"\b(?:is|was|are|were|located|situated|based|licensed|lies)\b[^.;]*?"
            rf"(?:, |\b(?:in|of) )(?:the )?(?:[a-z-]+ ){{0,2}}?(?={_STATE})",
        ),
        first=True,
        shape=rf"{_STATE}(?! [^\W\d_a-z])",
    ),
    Relation(
        "continent",
        "place",
        ("continent",),
        "Which continent is {} on?",
        (
            r"\b(?:is|was|are|lies|located|situated|runs|flows)\b[^.;]*? (?:in|of|across) (?:the )?"
            rf"(?:[a-z-]+ )?(?={_CONTINENT})",
        ),
        first=True,
        shape=_CONTINENT,
    ),
    Relation(
        "capital",
        "place",
        ("capital", "capital city", "seat"),
        "What is the capital of {}?",
        (
            r"\bits (?:[a-z-]+ ){0,2}(?:capital|seat)(?: and [a-z]+ city| city| town)?,?"
            rf" (?:(?:is|was|being) )?(?:(?:at|in|the (?:city|town) of) )?{NAME}",
            rf"\bcapital(?: and [a-z]+ city| city| town)? (?:is|was) {NAME}",
            rf"\bwith (?:its )?capital (?:at|in) {NAME}",
        ),
        narrow=True,
    ),
    Relation(
        "capital of",
        "place",
        ("capital of", "seat of"),
        "What is {} the capital of?",
        (
            r"\b(?:is|was|as) (?:the |an? )?(?:\w+ )?(?:capital|county seat|seat)"
            rf"(?:,? (?:and|or) [^.,;]{{0,40}}?)? of {NAME}",
        ),
        narrow=True,
    ),
    Relation(
        "body of water",
        "name",
        ("located in or next to body of water", "located on body of water", "body of water"),
        "What body of water is {} next to?",
        (
            r"\b(?:on|along|beside|near|at|by|in|off|into) (?:the )?"
            rf"(?:[a-z-]+ ){{0,4}}?(?:of )?(?:the )?{_WATER_NAME}",
        ),
    ),
    Relation(
        "mouth",
        "name",
        ("mouth of the watercourse", "mouth", "tributary of"),
        "What does {} flow into?",
        (
            rf"\b(?:flow|empty|emptie|drain|discharge)s?\b[^.;]{{0,50}}? (?:into|to) {NAME}",
            rf"\bjoins (?:the )?{_WATER_NAME}",
            rf"\b(?:tributary|branch|affluent) of {NAME}",
        ),
    ),
    Relation(
        "named after",
        "name",
        ("named after", "namesake", "named for"),
        "Who was {} named after?",
        (
            r"\bnamed (?:for|after|in (?:honou?r|memory) of) (?:(?:the|its|an?) )?(?:[a-z-]+ ){0,4}"
            rf"{NAME}",
            r"\bname (?:[\"\u201c][^\"\u201d]*[\"\u201d] )?"
            rf"(?:was |is |has been )?(?:taken|derived?s?|comes|came) from {NAME}",
        ),
    ),
    Relation(
        "part of",
        "name",
        ("part of", "parent organization", "parent company", "owner"),
        "What is {} part of?",
        (
            r"\b(?:is|was|are|became|being)(?: now| also| once)? (?:an? )?(?:[a-z-]+ ){0,3}?"
            r"(?:part|member|division|subsidiary|unit|branch|suburb|component|affiliate|diocese"
            rf"|department|faculty|school|college|campus|neighbou?rhood) of {NAME}",
            rf"\b(?:subsidiary|division|branch|affiliate) of {NAME}",
        ),
    ),
)
