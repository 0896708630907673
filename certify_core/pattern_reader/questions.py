"""Questions as requirements: which relations of which entity a question asks for.

The grammar reads lower-case words as English and capitalised ones as names, so
"father of" is a relation and "Father Of" part of a title.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from certify_core.pattern_reader.relations import BY_KEY, BY_NAME, COMPOUNDS

KINDS = (
    "film|films|movie|movies|song|songs|single|album|albums|novel|book|play|poem|opera|band|bands|"
    "magazine|journal|company|school|museum|village|town|city|mountain|river|lake|station|game|"
    "series|musician|singer|author|writer|artist|group|airport|university|newspaper|painting"
)
_NOUNS = "|".join(sorted((*BY_NAME, *COMPOUNDS), key=lambda name: (-len(name), name)))
_OF = re.compile(rf"(?:the )?(?P<noun>{_NOUNS}) (?:of|for|to) (?P<rest>.+)")
_POSSESSIVE = re.compile(rf"(?P<rest>.+?)(?:\s?['\u2019]s|(?<=s)\s?['\u2019]) (?P<noun>{_NOUNS})")
_WHO = re.compile(
    r"(?:the )?(?:company|person|man|woman|one|people|label|band|group|organi[sz]ation)"
    r" (?:that|who|which) (?P<verb>\w+) (?P<rest>.+)"
)
_NAME = re.compile(
    rf"(?:(?:the |a |an )?(?P<kind>{KINDS}),? )?"
    r"(?P<name>[\"\u201c'(#.\d]*[^\W_a-z\u00df-\u00ff].*|#\d+.*|[\d.].*)"
)

_VERBS = {
    "directed": "director",
    "composed": "composer",
    "performed": "performer",
    "sang": "performer",
    "sings": "performer",
    "recorded": "performer",
    "wrote": "author",
    "authored": "author",
    "produced": "producer",
    "created": "creator",
    "made": "creator",
    "founded": "founder",
    "published": "publisher",
    "manufactured": "manufacturer",
    "developed": "manufacturer",
}
_BE = r"(?:is|are|was|were)"
_DO = r"(?:do|does|did)"
_HEADS: tuple[tuple[str, str], ...] = (
    (rf"Where {_BE} (?P<np>.+) born(?: in| at)?", "place of birth"),
    (
        rf"(?:In |At )?(?:what|which) (?:city|place|town) {_BE} (?P<np>.+) born(?: in)?",
        "place of birth",
    ),
    (rf"Where {_DO} (?P<np>.+) (?:die|pass away)(?: in)?", "place of death"),
    (rf"Where {_BE} (?P<np>.+) (?:buried|interred)(?: in| at)?", "place of burial"),
    (rf"Where {_BE} (?P<np>.+) (?:detained|imprisoned)(?: in| at)?", "place of detention"),
    (rf"Where {_DO} (?P<np>.+) (?:study|graduate)(?: at| from)?", "alma mater"),
    (rf"Where {_BE} (?P<np>.+) educated(?: at)?", "alma mater"),
    (r"(?:What|Which) (?:school|university|college) did (?P<np>.+) attend", "alma mater"),
    (rf"Where {_DO} (?P<np>.+) work(?: at| for)?", "employer"),
    (rf"Where {_BE} (?P<np>.+) (?:formed|founded)(?: in)?", "location of formation"),
    (
        rf"(?:What|Which) (?:city|town|place) {_BE} (?P<np>.+) formed(?: in)?",
        "location of formation",
    ),
    (rf"When {_BE} (?P<np>.+) born(?: on| in)?", "date of birth"),
    (rf"When {_DO} (?P<np>.+) die(?: on| in)?", "date of death"),
    (rf"When {_BE} (?P<np>.+) (?:released|published)", "publication date"),
    (r"When did (?P<np>.+) (?:come out|premiere)", "publication date"),
    (
        rf"(?:When|[Ii]n (?:what|which) year|What year) {_BE} (?P<np>.+)"
        r" (?:founded|established|formed|created|opened|built)",
        "inception",
    ),
    (rf"Why {_DO} (?P<np>.+) die", "cause of death"),
    (rf"How {_DO} (?P<np>.+) die", "cause of death"),
    (
        rf"(?:What|Which) (?:nationality|country) {_BE} (?P<np>.+?)(?: (?:from|in|located in))?",
        "country",
    ),
    (
        rf"(?:In )?(?:[Ww]hat|[Ww]hich) country {_BE} (?P<np>.+?)"
        r"(?: (?:from|located|located in|in))?",
        "country",
    ),
    (r"(?:What|Which) country (?:does|did) (?P<np>.+) (?:come|originate) from", "country"),
    (rf"(?:What|Which) {_BE} the country for (?P<np>.+)", "country"),
    (rf"Which country (?P<np>.+) {_BE} from", "country"),
    (rf"Where {_BE} (?P<np>.+) from", "country"),
    (rf"(?:What|Which) county {_BE} (?P<np>.+?)(?: (?:in|located in|located))?", "county"),
    (rf"Where {_BE} (?P<np>.+?)(?: (?:located|situated))?", "location"),
    (
        rf"(?:What|Which) (?:{_BE} the )?award (?:that |did )?(?P<np>.+) (?:won|win|got|get|earned"
        r"|earn|received|receive)",
        "award",
    ),
    (rf"Who {_BE} (?P<np>.+) (?:married to|the (?:husband|wife|spouse) of)", "spouse"),
)
_HEADS_COMPILED = tuple((re.compile(pattern), key) for pattern, key in _HEADS)
_AGENT = re.compile(
    rf"(?:Who|(?:What|Which) (?:company|person|artist|band|singer|label|organi[sz]ation))"
    rf" (?:{_BE} (?P<noun>\w+) by |(?P<verb>{'|'.join(_VERBS)}) )(?P<rest>.+)"
)
_WHAT = re.compile(
    rf"(?:Who|What|Which|Where|When) {_BE} (?P<np>.+)|"
    rf"(?P<first>The (?:{_NOUNS}) of .+) {_BE} (?:who|what)"
)
_ARROW = re.compile(r"(?P<rest>.+?)\s*>>\s*(?P<noun>.+)")


@dataclass(frozen=True, slots=True)
class Chain:
    """Relations of a named entity, the innermost first; ``kind`` is "film", "song" or ""."""

    name: str
    kind: str
    relations: tuple[str, ...]

    @property
    def entity(self) -> str:
        return f"the {self.kind} {self.name}" if self.kind else self.name


def bare(question: str) -> str:
    """Without outer spaces and final question mark; a mark inside a name stays."""
    return re.sub(r"\s*\?\s*$", "", " ".join(question.split()))


def chain_of(question: str) -> Chain | None:
    """The chain a "who/where/when …" question or an "entity >> relation" line asks for."""
    text = bare(question)
    if arrow := _ARROW.fullmatch(text):
        relation = BY_NAME.get(arrow["noun"])
        return Chain(arrow["rest"], "", (relation.key,)) if relation else None
    text = text[:1].upper() + text[1:]
    for pattern, noun in _HEADS_COMPILED:
        if (match := pattern.fullmatch(text)) and (chain := noun_phrase(match["np"])):
            return chain if _says_place(noun, chain) else _extended(chain, (BY_NAME[noun].key,))
    if (match := _AGENT.fullmatch(text)) and (verb := _VERBS.get(match["verb"] or match["noun"])):
        chain = noun_phrase(match["rest"])
        return _extended(chain, (verb,)) if chain else None
    match = _WHAT.fullmatch(text)
    chain = noun_phrase(match["np"] or match["first"].replace("The", "the", 1)) if match else None
    return chain if chain and chain.relations else None


def _says_place(noun: str, chain: Chain) -> bool:
    """ "Where is the birthplace of X?" already names the relation it asks for."""
    asked = BY_KEY[chain.relations[-1]].kind if chain.relations else "any"
    return noun == "location" and asked == "place"


def noun_phrase(text: str) -> Chain | None:
    """A name with the relations around it: "the director of film X", "X's father"."""
    text = text.strip(" ,:")
    if match := _OF.fullmatch(text):
        return _around(match["rest"], match["noun"])
    if match := _POSSESSIVE.fullmatch(text):
        return _around(match["rest"], match["noun"])
    if (match := _WHO.fullmatch(text)) and match["verb"] in _VERBS:
        return _around(match["rest"], "", _VERBS[match["verb"]])
    if match := _NAME.fullmatch(text):
        kind = (match["kind"] or "").removesuffix("s") if match["kind"] != "series" else "series"
        return Chain(match["name"].strip(), kind, ())
    return None


def _around(rest: str, noun: str, *keys: str) -> Chain | None:
    inner = noun_phrase(rest)
    added = keys or COMPOUNDS.get(noun) or (BY_NAME[noun].key,)
    return _extended(inner, added) if inner else None


def _extended(chain: Chain, keys: tuple[str, ...]) -> Chain:
    return Chain(chain.name, chain.kind, chain.relations + keys)
