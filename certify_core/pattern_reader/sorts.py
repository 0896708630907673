"""What sort of thing something is, and what belongs to its sort."""

from __future__ import annotations

from certify_core.pattern_reader.relation import AND, NAME, WHEN, Relation

_HEAD_ENDS = (
    r"(?= (?:of|in|at|on|by|that|which|who|whose|where|for|from|near|with|and|or|to|situated"
    r"|located|based|owned|operated|published|written|released|serving|between|along|produced"
    r"|directed|recorded|created|formed|founded|held|built|lying|under|within)\b|[,.;:(])"
)
_SPORT = (
    r"(?:association football|American football|Australian rules football|Canadian football"
    "|Gaelic football|rugby league|rugby union|ice hockey|field hockey|water polo|table tennis"
    "|baseball|basketball|cricket|tennis|golf|volleyball|handball|softball|lacrosse|badminton"
    r"|snooker|squash|wrestling|boxing|judo|curling|rowing|cycling|swimming|hurling|sumo|netball)\b"
)
_LANGUAGE = (
    r"[^\W\d_a-z][a-z]+(?=[- ]language [a-z -]*(?:film|movie|series|novel|song|album|magazine"
    r"|newspaper|book|show|play|weekly|daily|website)\b)"
)

SORTS = (
    Relation(
        "sort",
        "any",
        ("instance of", "type"),
        "What is {} an instance of?",
        (
            r"\b(?:is|was|are|were) (?:an?|the|one of the) (?:[^\s,.;:()]+,? ){0,7}?"
            rf"(?=[a-z-]+{_HEAD_ENDS})",
        ),
        first=True,
        shape=r"[a-z-]+",
    ),
    Relation(
        "sport",
        "any",
        ("sport",),
        "What sport does {} play?",
        (rf"\b(?:is|was|are|were|played|plays)\b[^.;]*? (?={_SPORT})",),
        first=True,
        shape=_SPORT,
    ),
    Relation(
        "language",
        "name",
        ("original language of film or TV show", "language of work or name", "language"),
        "What is the language of {}?",
        (rf"\b(?:is|was|are) (?:an?|the) (?:\S+ ){{0,4}}?(?={_LANGUAGE})",),
        first=True,
        shape=_LANGUAGE,
    ),
    Relation(
        "owner",
        "name",
        ("owned by", "proprietor"),
        "Who owns {}?",
        (rf"\bowned{AND} by {NAME}", rf"\b(?:property|possession) of {NAME}"),
    ),
    Relation(
        "operator",
        "name",
        ("operator", "operated by"),
        "Who operates {}?",
        (rf"\b(?:operated|run|managed){AND} by {NAME}",),
    ),
    Relation(
        "network",
        "name",
        ("original network", "original broadcaster", "network"),
        "Which network aired {}?",
        (
            r"\b(?:aired|airs|broadcast|premiered|shown|ran|debuted)\b[^.;]{0,30}? "
            rf"(?:on|by) {NAME}(?!January|February|March|April|May|June|July|August|September"
            r"|October|November|December|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday"
            r"|Sunday)",
        ),
        work=True,
    ),
    Relation(
        "distributor",
        "name",
        ("distributor", "distributed by"),
        "Who distributed {}?",
        (rf"\bdistributed{AND} by {NAME}",),
        work=True,
    ),
    Relation(
        "architect",
        "person",
        ("architect",),
        "Who is the architect of {}?",
        (
            rf"\bdesigned{AND} by (?:the )?(?:[a-z]+ )?(?:architects? )?{NAME}",
            rf"\barchitect (?:is|was) {NAME}",
        ),
    ),
    Relation(
        "military branch",
        "name",
        ("military branch",),
        "Which military branch did {} serve in?",
        (
            r"\b(?:served|serving|officer|soldier|commander|enlisted|general|pilot|joined|veteran)\b"
            r"[^.;]{0,30}? (?:(?:in|of|with) )?(?:the )?"
            r"(?=(?:[^\W\d_a-z][\w.]* ){0,4}(?:Army|Navy|Air Force|Marines|Marine Corps"
            r"|Coast Guard)\b)",
        ),
    ),
    Relation(
        "conflict",
        "name",
        ("conflict",),
        "Which conflict did {} take part in?",
        (
            r"\b(?:fought|served|participated|took part)\b"
            r"[^.;]{0,50}? (?:in|during) (?:the )?"
            r"(?=(?:[^\W\d_a-z][\w-]* ){0,3}(?:War|Wars|Revolution|Rebellion)\b)",
        ),
    ),
    Relation(
        "head",
        "person",
        ("head of government", "head of state", "leader", "president", "prime minister", "mayor"),
        "Who is in charge of {}?",
        (
            r"\belected (?=(?:[^\W\d_a-z][\w'\u2019-]* ){2,4}as (?:the |its |their )?(?:new )?"
            r"(?:President|Prime Minister|president|prime minister|mayor|leader)\b)",
            r"\bis (?:currently |now )?(?:led|headed|governed|ruled) by ",
            r"\bcurrent (?:president|prime minister|mayor|leader|chairman|governor)"
            r"(?: of [^.,;]{1,40}?)?,? (?:is )?",
        ),
    ),
    Relation(
        "end",
        "date",
        ("dissolved, abolished or demolished", "dissolved", "date of dissolution"),
        "When did {} end?",
        (
            r"\b(?:dissolved|disbanded|abolished|demolished|closed|defunct|ceased|ended|folded"
            rf"|discontinued)\b[^.;,]{{0,30}}? (?:in|on) {WHEN}",
        ),
    ),
)
