"""Requirement graphs for the question forms the reader supports."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from certify_core.model import Operation, Requirement, RequirementGraph
from certify_core.pattern_reader.questions import KINDS, Chain, bare, chain_of, noun_phrase
from certify_core.pattern_reader.relations import BY_KEY

_FIRST = r"(?:first|earlier|earliest)"
_LAST = r"(?:later|latest|last|more recently|most recently)"
_OUT = "released|published|made|produced|came out|come out|premiered|debuted|appeared"
_ORDERS: tuple[tuple[str, str, Operation], ...] = (
    (
        rf"(?:(?:is|was) )?(?:{_OUT}) {_FIRST}",
        "release",
        "select-earlier",
    ),
    (
        rf"(?:(?:is|was) )?(?:{_OUT}) {_LAST}",
        "release",
        "select-later",
    ),
    (rf"(?:(?:is|was) )?born {_FIRST}", "date of birth", "select-earlier"),
    (rf"(?:(?:is|was) )?born {_LAST}", "date of birth", "select-later"),
    (
        r"(?:is|was) (?:the )?(?:older|oldest|elder)(?: than the other)?",
        "date of birth",
        "select-earlier",
    ),
    (
        r"(?:is|was) (?:the )?(?:younger|youngest)(?: than the other)?",
        "date of birth",
        "select-later",
    ),
    (rf"died {_FIRST}", "date of death", "select-earlier"),
    (rf"died {_LAST}", "date of death", "select-later"),
    (
        rf"(?:(?:is|was) )?(?:established|founded|formed|created|opened|built|started) {_FIRST}",
        "inception",
        "select-earlier",
    ),
    (
        rf"(?:(?:is|was) )?(?:established|founded|formed|created|opened|built|started) {_LAST}",
        "inception",
        "select-later",
    ),
)
_ORDER = "|".join(f"(?P<o{i}>{pattern})" for i, (pattern, _, _) in enumerate(_ORDERS))
_VIA = (
    r"(?:(?:has|with) (?:the|a)|whose) (?P<via>director|performer|composer|author)s?(?: who| that)?"
)
_WHICH = re.compile(
    rf"(?:Which|What|Who|Whose)(?: (?:(?P<kind>{KINDS})|one|person|of the \w+))?(?: {_VIA})?"
    rf" (?:{_ORDER})(?: out of| between| of)?,? (?P<both>.+)"
)
_WAS_FIRST = re.compile(
    rf"(?:Was|Were|Is|Did) (?P<both>.+?),? (?P<order>(?:born|released|founded|established|die|died"
    rf"|published) (?:{_FIRST}|{_LAST}))"
)
_LIVED = re.compile(
    r"(?:Who|Which person) lived (?P<how>longer|longest|shorter|less long)(?: out of)?,?"
    r" (?P<both>.+)"
)
_BETWEEN = re.compile(rf"Between (?P<both>.+?),? (?:who|which(?: \w+)?) (?:{_ORDER})")
_NAMED_FIRST = re.compile(
    rf"(?:Which|What)(?: (?P<kind>{KINDS}))?,? (?P<both>[^\W\d_a-z].+? or .+?),? (?:{_ORDER})"
)
_SAME = re.compile(
    r"(?:Are|Is|Were|Was|Do|Does|Did|Have) (?P<both>.+?),? (?:both )?"
    r"(?P<verb>located in|situated in|from|originate from|come from|share|have|has|of|"
    r"born in|die in|located|(?:[a-z]+s )?in|within) (?:the|a) same (?P<what>\w+)"
)
_SAME_OF = {
    ("born in", "place"): "place of birth",
    ("born in", "city"): "place of birth",
    ("die in", "place"): "place of death",
    ("die in", "city"): "place of death",
    ("have", "director"): "director",
    ("share", "director"): "director",
}
_SAME_REGION = {
    "country": "country",
    "nationality": "country",
    "state": "state",
    "county": "administrative location",
    "continent": "continent",
}
_FRAME = re.compile(r"^(?:[a-z]+[,:]? )+|(?: [a-z]+)+$|[,:]$")
_PAIR = {" or ": re.compile(r"\s?,? or "), " and ": re.compile(r",? and ")}


def plan(question: str) -> RequirementGraph | None:
    """The requirements of a supported question, else ``None``."""
    text = bare(question)
    return _comparison(text) or _lifespans(text) or _sameness(text) or _composition(text)


@dataclass(slots=True)
class _Builder:
    steps: list[Requirement] = field(default_factory=list)

    def lookups(self, chain: Chain) -> int:
        """One lookup per relation; the number of the last."""
        entity = chain.entity
        for key in chain.relations:
            relation = BY_KEY[key]
            rid = len(self.steps) + 1
            template = relation.question.format(entity)
            self.steps.append(Requirement(rid, "lookup", template, expect=relation.kind))
            entity = f"#{rid}"
        return len(self.steps)

    def reason(self, op: Operation, args: tuple[str, ...], words: str) -> str:
        """One reasoning step; how others refer to it."""
        self.steps.append(Requirement(len(self.steps) + 1, "reasoning", words, op, args))
        return f"#{len(self.steps)}"

    def reasoning(self, op: Operation, args: tuple[str, ...], words: str) -> RequirementGraph:
        """The graph that ends in this step."""
        self.reason(op, args, words)
        return RequirementGraph(tuple(self.steps))


def _composition(text: str) -> RequirementGraph | None:
    chain = chain_of(text)
    if chain is None or not chain.relations:
        return None
    builder = _Builder()
    builder.lookups(chain)
    return RequirementGraph(tuple(builder.steps))


def _comparison(text: str) -> RequirementGraph | None:
    match = _WHICH.fullmatch(text) or _BETWEEN.fullmatch(text) or _NAMED_FIRST.fullmatch(text)
    if match:
        order = next(i for i in range(len(_ORDERS)) if match[f"o{i}"])
        parts = match.groupdict(default="")
        via = (parts["via"],) if parts.get("via") else ()
        return _compared(match["both"], order, via, parts.get("kind", ""))
    if match := _WAS_FIRST.fullmatch(text):
        words = match["order"].replace("die ", "died ", 1)
        order = next(i for i, (p, _, _) in enumerate(_ORDERS) if re.fullmatch(p, words))
        return _compared(match["both"], order, ())
    return None


def _compared(
    both: str, order: int, via: tuple[str, ...], kind: str = ""
) -> RequirementGraph | None:
    pair = _pair(both, " or ") or _pair(both, " and ")
    if pair is None:
        return None
    _, key, op = _ORDERS[order]
    builder = _Builder()
    args: list[str] = []
    for one in pair:
        rid = builder.lookups(Chain(one.name, one.kind or kind, (*via, key)))
        args += [one.name, f"#{rid}"]
    return builder.reasoning(op, tuple(args), f"Which has the {op[7:]} {BY_KEY[key].names[0]}?")


def _lifespans(text: str) -> RequirementGraph | None:
    match = _LIVED.fullmatch(text)
    pair = match and (_pair(match["both"], " or ") or _pair(match["both"], " and "))
    if not match or not pair:
        return None
    builder = _Builder()
    args: list[str] = []
    for one in pair:
        born = builder.lookups(Chain(one.name, one.kind, ("date of birth",)))
        died = builder.lookups(Chain(one.name, one.kind, ("date of death",)))
        words = f"How long did {one.name} live?"
        args += [one.name, builder.reason("difference", (f"#{born}", f"#{died}"), words)]
    op: Operation = "select-greater" if match["how"].startswith("longe") else "select-less"
    return builder.reasoning(op, tuple(args), f"Who lived {match['how']}?")


def _sameness(text: str) -> RequirementGraph | None:
    match = _SAME.fullmatch(text)
    if match is None:
        return None
    key = _SAME_OF.get((match["verb"], match["what"])) or _SAME_REGION.get(match["what"], "")
    pair = _pair(match["both"], " and ")
    if pair is None or not key:
        return None
    via = ("director",) if re.search(r"\bdirectors?\b", match["both"]) else ()
    builder = _Builder()
    rids = [builder.lookups(Chain(one.name, one.kind, (*via, key))) for one in pair]
    args = tuple(f"#{rid}" for rid in rids)
    return builder.reasoning("same", args, f"Do both have the same {match['what']}?")


def _pair(both: str, word: str) -> tuple[Chain, Chain] | None:
    """Two names around the one lower-case "or"/"and", kinds kept, other frame words cut."""
    sides = _PAIR[word].split(both)
    if len(sides) != 2:
        return None
    kind = next((k for k in re.findall(rf"\b({KINDS})\b", both)), "")
    one, other = (noun_phrase(_framed(side)) for side in sides)
    if one is None or other is None or one.relations or other.relations:
        return None
    kind = kind.removesuffix("s") if kind != "series" else kind
    return Chain(one.name, kind, ()), Chain(other.name, kind, ())


def _framed(side: str) -> str:
    """Without the lower-case words before and after a name."""
    side = side.strip(" ,:")
    before = None
    while before != side:
        before, side = side, _FRAME.sub("", side).strip(" ,:")
    return side
