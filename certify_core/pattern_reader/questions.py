"""Questions as requirements: which relations of which entity a question asks for.

The grammar reads lower-case words as English and capitalised ones as names, so
"father of" is a relation and "Father Of" part of a title.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from certify_core.pattern_reader.heads import HEADS, VERBS
from certify_core.pattern_reader.relations import BY_KEY, BY_NAME, COMPOUNDS, RELATIONS, Relation

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
    rf"(?:(?:the |a |an )?(?P<kind>{KINDS}),? |the )?"
    r"(?P<name>[\"\u201c'(#.\d]*[^\W_a-z\u00df-\u00ff].*|#\d+.*|[\d.].*)"
)


def _own_question(relation: Relation) -> re.Pattern[str]:
    before, _, after = bare(relation.question).partition("{}")
    return re.compile(f"{re.escape(before)}(?P<np>.+){re.escape(after)}")


def bare(question: str) -> str:
    """Without outer spaces and final question mark; a mark inside a name stays."""
    return re.sub(r"\s*\?\s*$", "", " ".join(question.split()))


_BE = r"(?:is|are|was|were)"
_OWN = tuple((_own_question(relation), relation.names[0]) for relation in RELATIONS)
_HEADS = (*((re.compile(pattern), name) for pattern, name in HEADS), *_OWN)
"""Wordings people use, then those this reader uses itself when it takes a question apart."""
_AGENT = re.compile(
    rf"(?:Who|(?:What|Which) (?:company|person|artist|band|singer|label|organi[sz]ation))"
    rf" (?:{_BE} (?P<noun>\w+) by |(?P<verb>{'|'.join(VERBS)}) )(?P<rest>.+)"
)
_WHAT = re.compile(rf"(?:Who|Whom|What|Which|Where|When) {_BE} (?P<np>.+)")
_INVERTED = re.compile(
    rf"(?P<np>.+?) (?P<be>{_BE})(?P<tail>(?: \w+){{0,2}})"
    r" (?P<asks>who|whom|what|which|where|when)"
)
_NAME_OF = re.compile(rf"^(\w+ {_BE} )the name of ")
_CLAUSE = re.compile(
    r" (?:who|which|that|whose|where|when|did|does|was|were|is|are|has|both|born|located|found"
    r"|from in|[a-z]{2,}ed)\b|['\u2019]s? [a-z]"
)
"""What no name holds in lower case: the wording hides a form we do not know."""
_ARROW = re.compile(r"(?P<rest>.+?)\s*>>\s*(?P<noun>.+)")


@dataclass(frozen=True, slots=True)
class Chain:
    """Relations of a named entity, the innermost first; ``kind`` is "film", "song" or "".

    ``narrow``: a place is asked for without what it lies in. A "city of birth" is a bare
    name, and so are the values of "entity >> relation" lines.
    """

    name: str
    kind: str
    relations: tuple[str, ...]
    narrow: bool = False

    @property
    def entity(self) -> str:
        return f"the {self.kind} {self.name}" if self.kind else self.name


def chain_of(question: str) -> Chain | None:
    """The chain a "who/where/when …" question or an "entity >> relation" line asks for."""
    text = bare(question)
    if arrow := _ARROW.fullmatch(text):
        relation = BY_NAME.get(arrow["noun"])
        return Chain(arrow["rest"], "", (relation.key,), narrow=True) if relation else None
    text = _straight(text[:1].upper() + text[1:])
    for pattern, name in _HEADS:
        if (match := pattern.fullmatch(text)) and (chain := noun_phrase(match["np"])):
            noun = name or match["noun"]
            return chain if _says_place(noun, chain) else _extended(chain, (BY_NAME[noun].key,))
    if (match := _AGENT.fullmatch(text)) and (verb := VERBS.get(match["verb"] or match["noun"])):
        chain = noun_phrase(match["rest"])
        return _extended(chain, (verb,)) if chain else None
    match = _WHAT.fullmatch(text)
    chain = noun_phrase(match["np"] if match else text[:1].lower() + text[1:])
    return chain if chain and chain.relations else None


def _straight(text: str) -> str:
    """With the asking word first ("Its maker is who") and without "the name of"."""
    if match := _INVERTED.fullmatch(text):
        said = match["np"]
        said = said[0].lower() + said[1:] if said.startswith("The ") else said
        text = f"{match['asks'].removesuffix('m').capitalize()} {match['be']} {said}{match['tail']}"
    return _NAME_OF.sub(r"\1", text)


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
    if (match := _WHO.fullmatch(text)) and match["verb"] in VERBS:
        return _around(match["rest"], "", VERBS[match["verb"]])
    if (match := _NAME.fullmatch(text)) and not _CLAUSE.search(match["name"]):
        kind = (match["kind"] or "").removesuffix("s") if match["kind"] != "series" else "series"
        return Chain(match["name"].strip(), kind, ())
    return None


def _around(rest: str, noun: str, *keys: str) -> Chain | None:
    inner = noun_phrase(rest)
    added = keys or COMPOUNDS.get(noun) or (BY_NAME[noun].key,)
    return _extended(inner, added, narrow=noun.startswith("city")) if inner else None


def _extended(chain: Chain, keys: tuple[str, ...], narrow: bool = False) -> Chain:
    return Chain(chain.name, chain.kind, chain.relations + keys, narrow)
