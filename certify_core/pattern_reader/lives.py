"""Births, deaths and families."""

from __future__ import annotations

from certify_core.pattern_reader.relation import WHEN, Relation
from certify_core.pattern_reader.values import MONTH

LIVES = (
    Relation(
        "date of birth",
        "date",
        ("date of birth", "birthday", "birth date", "birthdate"),
        "When was {} born?",
        (r"\bborn(?: (?:on|in))? ", r"\bborn (?:in|at) [^.;]{1,40}?,? (?:on|in) ", r"\bborn,? on "),
        life="born",
    ),
    Relation(
        "date of death",
        "date",
        ("date of death", "death date"),
        "When did {} die?",
        (
            r"\bdied(?: (?:on|in))? ",
            rf"\b(?:died|killed|murdered|executed|assassinated)\b[^.;]{{1,60}}? (?:on|in) {WHEN}",
            r"\bdeath (?:on|in) ",
        ),
        life="died",
    ),
    Relation(
        "place of birth",
        "place",
        ("place of birth", "birthplace", "birth place", "city of birth"),
        "Where was {} born?",
        (
            r"\bborn(?: and (?:raised|brought up|educated|grew up))? (?:in|at) ",
            r"\bborn\b[^.;)]{1,60}? (?:in|at) (?=[^\W\d_a-z])",
            r"\bnative of ",
        ),
        life="birthplace",
    ),
    Relation(
        "place of death",
        "place",
        ("place of death", "death place"),
        "Where did {} die?",
        (
            r"\bdied (?:in|at) ",
            r"\b(?:died|murdered|executed|assassinated)\b(?:(?!buried|interred)[^.;]){1,70}?"
            r" (?:in|at) (?=[^\W\d_a-z])",
            r"\bdeath (?:in|at) (?=[^\W\d_a-z])",
        ),
        life="deathplace",
    ),
    Relation(
        "place of burial",
        "place",
        ("place of burial", "burial place"),
        "Where was {} buried?",
        (r"\b(?:buried|interred|entombed)\b[^.;]{0,30}? (?:in|at) (?=(?:the )?[^\W\d_a-z])",),
    ),
    Relation(
        "place of detention",
        "place",
        ("place of detention",),
        "Where was {} detained?",
        (
            r"\b(?:imprisoned|incarcerated|detained|jailed|held|serving|sentence)\b[^.;]{0,40}?"
            r" (?:in|at) (?=(?:the )?[^\W\d_a-z])",
        ),
    ),
    Relation(
        "cause of death",
        "any",
        ("cause of death",),
        "Why did {} die?",
        (
            r"\b(?:died|death)\b[^.;]{0,50}? (?:of|from|due to|by) (?!the age|age)",
            r"\bcause of death was ",
            r"\b(?:succumbed to|killed in|killed by) ",
        ),
    ),
    Relation(
        "father",
        "person",
        ("father", "dad"),
        "Who is the father of {}?",
        (
            r"\b(?:his|her|whose|their) father,? (?:is|was|were|,)? ?",
            r"\bfather,? (?:is|was) ",
            r"['\u2019]s? father,? (?:is|was)? ?",
            r"\b(?:sons?|daughters?|child|children|heir) of ",
            r"\bborn\b[^.;]{0,60}? to ",
            r"\bparents,? (?:were|are)? ?",
        ),
    ),
    Relation(
        "mother",
        "person",
        ("mother", "mom"),
        "Who is the mother of {}?",
        (
            r"\b(?:his|her|whose|their) mother,? (?:is|was|were|,)? ?",
            r"['\u2019]s? mother,? (?:is|was)? ?",
            r"\b(?:son|daughter|child|children) of [^.;]{1,120}?,? (?:and|by|with) "
            r"(?:(?:his|her) )?(?:(?:first|second|third|fourth) )?(?:wife|consort|spouse)?,? ?",
            r"\b(?:born\b[^.;]{0,60}? to|parents,? (?:were|are)?) ?[^.;]{1,80}? and "
            r"(?:(?:his|her) wife,? )?",
            r"\b(?:son|daughter|child) of (?=(?:the )?(?:Queen|Princess|Empress|Infanta|Duchess"
            r"|Countess|Lady|Dame|Archduchess|actress|singer and actress)\b)",
        ),
    ),
    Relation(
        "spouse",
        "person",
        ("spouse", "husband", "wife", "partner"),
        "Who is the spouse of {}?",
        (
            r"\b(?:wife|husband|spouse|widow|widower) of ",
            r"\bconsort (?:of|to) (?=(?:King|Emperor|Duke|Prince|Count|Sultan|Tsar|Shah)\b)",
            r"\bmarriage to ",
            r"\b(?:re)?married\b[^.,;]{0,25}? to ",
            r"\b(?:re)?married (?:firstly |first |secondly )*(?!in\b|on\b)",
            r"\b(?:re)?married, (?:firstly|first), ",
            rf"\b(?:re)?married,? (?:in|on) (?:\d\d? )?(?:{MONTH} )?(?:\d\d?, )?\d{{3,4}},?"
            r" (?:to )?",
            r"\b(?:his|her) (?:\w+ )?(?:wife|husband|spouse),? (?:is|was)? ?",
        ),
    ),
    Relation(
        "child",
        "person",
        ("child", "son", "daughter"),
        "Who is the child of {}?",
        (
            r"\b(?:father|mother|parent) of ",
            r"\b(?:his|her|their) (?:\w+ )?(?:son|daughter|child),? (?:is|was)? ?",
        ),
    ),
    Relation(
        "sibling",
        "person",
        ("sibling", "brother", "sister"),
        "Who is the sibling of {}?",
        (
            r"\b(?:brother|sister|sibling) of ",
            r"\b(?:his|her) (?:\w+ )?(?:brother|sister|sibling),? (?:is|was)? ?",
        ),
    ),
)
