"""What can be asked of an entity: names of a relation, its question and its cues in text.

A cue is a pattern that ends where the value begins. Cues are tried in order; within one
cue, sentences in order. When a relation's cues fail there is no value: guessing with a
looser rule costs more wrong answers than it gains.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal

from certify_core.model import ValueKind
from certify_core.pattern_reader.values import MONTH

LifePart = Literal["", "born", "birthplace", "died", "deathplace"]


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation the reader knows.

    ``names``: noun phrases for it in questions, the first in use; ``question``: how to ask
    (``{}`` is the entity). ``life``: the part of an article's opening that states it.
    ``first``: only the first sentence counts. ``narrow``: a place without what it lies in.
    ``work``: only works have it.
    """

    key: str
    kind: ValueKind
    names: tuple[str, ...]
    question: str
    cues: tuple[str, ...] = ()
    life: LifePart = ""
    first: bool = False
    narrow: bool = False
    work: bool = False


_AND = r"(?:(?:,|,? and|&) ?(?:co-)?\w+)*"
_WHEN = rf"(?=(?:the )?\d|{MONTH})"

RELATIONS = (
    Relation(
        "director",
        "person",
        ("director", "film director", "main director"),
        "Who is the director of {}?",
        (
            rf"\b(?:co-\s?)?directed{_AND} by ",
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
            rf"\b(?:music|score|soundtrack|songs)\b[^.;]{{0,40}}?\b(?:composed|scored|written){_AND} by ",
            r"\b(?:music|score|soundtrack)(?: \w+){0,3} (?:is |was |are )?by ",
            rf"\bcomposed{_AND} by ",
            rf"\b(?:song|hymn|anthem|tune|instrumental|standard)\b[^.;]{{0,40}}?\bwritten{_AND} by ",
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
            rf"\b(?:performed|sung|recorded){_AND} by ",
            r"\b(?:song|single|album|track|EP|recording|mixtape|hit)s?"
            r"(?: (?:recorded|performed|sung|released|co-written))*(?: and \w+)? by ",
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
            rf"[^.;]{{0,30}}?\b(?:written{_AND} |authored |penned )?by ",
            rf"\b(?:written|authored|penned){_AND} by ",
        ),
        work=True,
    ),
    Relation(
        "screenwriter",
        "person",
        ("screenwriter", "scriptwriter", "screenplay writer"),
        "Who is the screenwriter of {}?",
        (rf"\b(?:written|scripted){_AND} by ", r"\b(?:screenplay|script)(?: \w+)? by "),
        work=True,
    ),
    Relation(
        "producer",
        "person",
        ("producer", "film producer"),
        "Who is the producer of {}?",
        (rf"\bproduced{_AND} by ",),
        work=True,
    ),
    Relation(
        "creator",
        "person",
        ("creator",),
        "Who is the creator of {}?",
        (rf"\b(?:created|designed|invented){_AND} by ",),
        work=True,
    ),
    Relation(
        "founder",
        "person",
        ("founder",),
        "Who is the founder of {}?",
        (rf"\b(?:(?:co-\s?)?founded|established|started){_AND}(?: (?:in|on) [^.,;]*\d{{4}})? by ",),
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
        (rf"\b(?:manufactured|built|developed|made|produced){_AND} by ",),
    ),
    Relation(
        "record label",
        "name",
        ("record label", "label"),
        "What is the record label of {}?",
        (r"\breleased[^.;]{0,40}? (?:by|on|through|via) (?=[^.;]*(?:Records|Music|Entertainment))",),
    ),
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
            rf"\b(?:died|killed|murdered|executed|assassinated)\b[^.;]{{1,60}}? (?:on|in) {_WHEN}",
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
            r"\bborn\b[^.;]{1,60}? (?:in|at) (?=[^\W\d_a-z])",
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
            r"\b(?:died|murdered|executed|assassinated)\b[^.;]{1,70}? (?:in|at) (?=[^\W\d_a-z])",
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
        "country",
        "nationality",
        ("country", "nationality", "country of citizenship", "country of origin"),
        "Which country is {} from?",
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
    Relation(
        "education",
        "name",
        ("alma mater", "educated at"),
        "Where did {} study?",
        (
            r"\b(?:educated|studied|graduated|degree|alumnus|alumna|student)\b[^.;]{0,60}?"
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
        "release",
        "date",
        ("publication date", "release date", "date of publication", "release year"),
        "When was {} released?",
        (
            r"\b(?:is|was) (?:an?|the) (?:[\w-]+ ){0,2}?(?=\d{4}\b)",
            rf"\b(?:released|premiered|published)\b[^.;]{{0,40}}? (?:on|in) {_WHEN}",
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
            rf"|constructed|inaugurated)\b[^.;]{{0,40}}? (?:in|on) {_WHEN}",
            r"\b(?:since|dates (?:back )?(?:to|from)) (?=\d)",
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
        (r"\b(?:formed|founded|established)\b[^.;]{0,20}? in (?=[^\W\d_a-z])",
         r"\bband from "),
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
            r"\b(?:located|situated|held|fought|took place|lies|is)\b[^.;]{0,40}? (?:in|at) "
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
            r"\b(?:affiliated (?:with|to)|member of|politician (?:of|from|with)|represents|represented)"
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
        (r"\blicensed (?:to|in) ",),
        narrow=True,
    ),
)

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
