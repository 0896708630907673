"""Where something lies and where someone belongs."""

from __future__ import annotations

from certify_core.pattern_reader.relation import Relation

STANDING = (
    Relation(
        "country",
        "nationality",
        ("country", "nationality", "country of citizenship", "country of origin"),
        "Which country is {} from?",
    ),
    Relation(
        "education",
        "name",
        ("alma mater", "educated at"),
        "Where did {} study?",
        (
            r"\b(?:educated|studied|graduated|graduate|degree|alumnus|alumna|student)\b[^.;]{0,60}?"
            r" (?:at|from|of) (?=(?:the )?[^\W\d_a-z])",
            r"\battended (?:the )?",
        ),
    ),
    Relation(
        "employer",
        "name",
        ("employer",),
        "Where does {} work?",
        (
            r"\b(?:professor|lecturer|taught|teacher|teaches|instructor|works|worked)\b[^.;]{0,50}?"
            r" (?:at|for) (?=(?:the )?[^\W\d_a-z])",
        ),
    ),
    Relation(
        "award",
        "name",
        ("award", "award received", "prize"),
        "Which award did {} win?",
        (
            r"\b(?:won|received|awarded|recipient of)\b[^.;]{0,30}?"
            r"(?=[^\W\d_a-z][^.;,]*(?:Award|Prize|Medal))",
        ),
    ),
    Relation(
        "headquarters",
        "place",
        ("headquarters location", "headquarters"),
        "Where is the headquarters of {}?",
        (r"\b(?:headquartered|based|headquarters) (?:is |are |located )*in ",),
    ),
    Relation(
        "formation place",
        "place",
        ("location of formation",),
        "Where was {} formed?",
        (r"\b(?:formed|founded|established)\b[^.;]{0,20}? in (?=[^\W\d_a-z])", r"\bband from "),
        narrow=True,
    ),
    Relation(
        "administrative location",
        "place",
        ("located in the administrative territorial entity", "county", "district", "province"),
        "In which administrative entity is {}?",
        (
            r"\b(?:is|was) (?:an?|the|one) [^.;]{0,80}? (?:in|of) (?:the )?"
            r"(?=[^\W\d_a-z][^,.;]*(?:County|District|Province|Parish|Municipality|Prefecture"
            r"|Region|Department|Oblast|Canton)\b)",
            r"\b(?:is|was) (?:an?|the) [^.;]{0,60}? in ",
        ),
        first=True,
        narrow=True,
    ),
    Relation(
        "location",
        "place",
        ("location", "place", "city"),
        "Where is {} located?",
        (
            r"\b(?:located|situated|held|fought|took place|lies|is)\b[^.;]{0,60}? (?:in|at) "
            r"(?=[^\W\d_a-z])",
        ),
        narrow=True,
    ),
    Relation(
        "border",
        "place",
        ("shares border with", "border"),
        "What shares a border with {}?",
        (r"\bborder(?:s|ed by|ing) ",),
        narrow=True,
    ),
    Relation(
        "party",
        "name",
        ("member of political party", "political party"),
        "Which political party is {} a member of?",
        (
            r"\b(?:affiliated (?:with|to)|member of|politician (?:of|from|with)|represent(?:s|ed))"
            r" the (?=[^\W\d_a-z][^.;,]*Party\b)",
        ),
    ),
    Relation(
        "team",
        "name",
        ("member of sports team", "team"),
        "Which team is {} a member of?",
        (r"\b(?:plays|played|playing) (?:\w+ ){0,4}?(?:for|with) the ", r"\bplays for "),
    ),
    Relation(
        "licensed place",
        "place",
        ("licensed to broadcast to",),
        "Where is {} licensed to broadcast?",
        (
            r"\blicensed (?:to (?:serve )?|in )",
            r"\b(?:station|channel|broadcasting|broadcasts|serving)\b[^.;]{0,30}?"
            r" (?:in|from|to|serving) (?=[^\W\d_a-z])",
        ),
        narrow=True,
    ),
)
