"""Who made a work and when it came out."""

from __future__ import annotations

from certify_core.pattern_reader.relation import AND, BY, WHEN, Relation

WORKS = (
    Relation(
        "director",
        "person",
        ("director", "film director", "main director"),
        "Who is the director of {}?",
        (
            rf"\b(?:co-\s?)?directed{AND} {BY}",
            r"\bdirect(?:ion|or) (?:is|was|by) ",
            r"\b(?:film|documentary|movie|comedy|drama|thriller|short|western)s? (?:made )?by ",
            r"\bby [^,.;]*?\b(?:filmmaker|director)(?: and \w+)? ",
            r"\bdirectorial debut of ",
        ),
        work=True,
    ),
    Relation(
        "composer",
        "person",
        ("composer", "music composer"),
        "Who is the composer of {}?",
        (
            r"\b(?:music|score|soundtrack|songs)\b[^.;]{0,40}?"
            rf"\b(?:composed|scored|written){AND}(?: in [a-z]+ \w+)? by ",
            r"\b(?:music|score|soundtrack)(?: \w+){0,3} (?:is |was |are )?by ",
            rf"\b(?:composed|scored){AND} by ",
            r"\b(?:song|hymn|anthem|tune|instrumental|standard)\b[^.;]{0,40}?"
            rf"\bwritten{AND} by ",
            r"\b(?:opera|operetta|ballet|musical|symphony|oratorio|concerto)(?: \w+){0,4}? by ",
        ),
        work=True,
    ),
    Relation(
        "performer",
        "person",
        ("performer", "singer", "artist", "performers"),
        "Who is the performer of {}?",
        (
            rf"\b(?:performed|sung|recorded){AND} by ",
            r"\b(?:song|single|album|track|EP|recording|mixtape|hit)s?"
            r"(?: (?:recorded|performed|sung|released|co-written))*(?: and \w+)?(?: in \d{4})? by ",
            r"\b(?:single|song|track|album) (?:from|of) ",
            r"\b(?:from|on) (?=[^\W\d_a-z][\w ]*['\u2019]s? (?:\w+ ){0,4}?(?:album|EP))",
        ),
        work=True,
    ),
    Relation(
        "author",
        "person",
        ("author", "writer", "novelist"),
        "Who is the author of {}?",
        (
            rf"\b(?:novel|book|play|memoir|poem|story|stories|work|biography|comic|epic)\b"
            rf"[^.;]{{0,30}}?\b(?:written{AND} |authored |penned )?by ",
            rf"\b(?:written|authored|penned){AND} by ",
        ),
        work=True,
    ),
    Relation(
        "screenwriter",
        "person",
        ("screenwriter", "scriptwriter", "screenplay writer"),
        "Who is the screenwriter of {}?",
        (rf"\b(?:written|scripted){AND} {BY}", r"\b(?:screenplay|script)(?: \w+)? by "),
        work=True,
    ),
    Relation(
        "producer",
        "person",
        ("producer", "film producer"),
        "Who is the producer of {}?",
        (rf"\bproduced{AND} {BY}",),
        work=True,
    ),
    Relation(
        "creator",
        "person",
        ("creator",),
        "Who is the creator of {}?",
        (
            rf"\b(?:created|designed|invented){AND} by ",
            r"\b(?:album|song|single|EP|mixtape|painting|sculpture|mural|comic|cartoon)s?"
            r"(?: \w+){0,3}? (?:by|of) (?=[^\W_])",
        ),
        work=True,
    ),
    Relation(
        "founder",
        "person",
        ("founder",),
        "Who is the founder of {}?",
        (rf"\b(?:(?:co-\s?)?founded|established|started){AND}(?: (?:in|on) [^.,;]*\d{{4}})? by ",),
    ),
    Relation(
        "publisher",
        "name",
        ("publisher",),
        "Who is the publisher of {}?",
        (r"\bpublished(?: \w+)? by ", r"\bpublisher is "),
        work=True,
    ),
    Relation(
        "manufacturer",
        "name",
        ("manufacturer", "developer"),
        "Who is the manufacturer of {}?",
        (rf"\b(?:manufactured|built|developed|made|produced){AND} by ",),
    ),
    Relation(
        "record label",
        "name",
        ("record label", "label"),
        "What is the record label of {}?",
        (
            r"\breleased[^.;]{0,40}? (?:by|on|through|via)"
            r" (?=[^.;]*(?:Records|Music|Entertainment))",
        ),
    ),
    Relation(
        "release",
        "date",
        ("publication date", "release date", "date of publication", "release year"),
        "When was {} released?",
        (
            r"\b(?:is|was) (?:an?|the) (?:[\w-]+ ){0,2}?(?=\d{4}\b)",
            rf"\b(?:released|premiered|published)\b[^.;]{{0,40}}? (?:on|in) {WHEN}",
            r"\b(?:released|published) (?=\d)",
        ),
    ),
    Relation(
        "inception",
        "date",
        ("inception", "founding date", "date of foundation"),
        "When was {} founded?",
        (
            r"\b(?:founded|established|formed|created|opened|incorporated|launched|started|built"
            rf"|constructed|inaugurated)\b[^.;]{{0,40}}? (?:in|on) {WHEN}",
            r"\b(?:since|dates (?:back )?(?:to|from)) (?=\d)",
        ),
    ),
)
