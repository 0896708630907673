"""How questions ask for a relation: the words around the name."""

from __future__ import annotations

VERBS = {
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
    "owns": "owner",
    "owned": "owner",
    "operates": "operator",
    "operated": "operator",
    "distributed": "distributor",
    "aired": "network",
    "broadcast": "network",
    "designed": "architect",
}
"""Verbs of "who …ed X" by the key of their relation."""

_BE = r"(?:is|are|was|were)"
_DO = r"(?:do|does|did)"
_REGION = "state|continent|county|district|province"
HEADS: tuple[tuple[str, str], ...] = (
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
    (
        r"(?:What|Which) (?:school|university|college) did (?P<np>.+)"
        r" (?:attend|go to|graduate from)",
        "alma mater",
    ),
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
    (
        rf"(?:In |On )?(?:[Ww]hat|[Ww]hich) (?P<noun>{_REGION})"
        rf" {_BE} (?P<np>.+?)(?: (?:located|situated|found))?(?: (?:in|on))?",
        "",
    ),
    (
        rf"What (?P<noun>{_REGION}) does (?P<np>.+) lie (?:in|on)",
        "",
    ),
    (
        rf"(?:In )?(?:[Ww]hat|[Ww]hich) (?:city|town) {_BE} (?P<np>.+?)"
        r"(?: (?:located|situated|found))?(?: in)?",
        "city",
    ),
    (
        rf"(?:What|Which)(?: (?:company|organi[sz]ation|group|body|network))? {_BE} (?P<np>.+?)"
        r" (?:a )?part of",
        "part of",
    ),
    (
        rf"(?:What|Which|Where)(?: (?:river|lake|sea|ocean|body of water))? {_DO} (?P<np>.+?)"
        r" (?:turn|flow|empty|drain|run|discharge) into",
        "mouth",
    ),
    (
        rf"(?:What|Which) (?:river|lake|sea|ocean|body of water) {_BE} (?P<np>.+?)"
        r"(?: located| situated)? (?:on|by|near|in|beside|next to)",
        "body of water",
    ),
    (
        rf"(?:When|(?:[Ii]n )?[Ww](?:hat|hich) year) {_DO} (?P<np>.+) (?:end|dissolve|close|disband"
        r"|cease to exist|shut down|go out of business|close down|break up)",
        "dissolved",
    ),
    (
        rf"(?:When|(?:[Ii]n )?[Ww](?:hat|hich) year) {_BE} (?P<np>.+) (?:dissolved|abolished|closed"
        r"|demolished|disbanded|shut down)",
        "dissolved",
    ),
    (
        rf"(?:When|(?:[Ii]n )?[Ww](?:hat|hich) year) {_DO} (?P<np>.+) (?:start|begin|open|form)",
        "inception",
    ),
    (rf"(?:Who|What) {_BE} (?P<np>.+) named (?:after|for)", "named after"),
    (rf"Who {_BE} in charge of (?P<np>.+)", "leader"),
    (r"Who (?:rules|leads|led|governs|heads) (?P<np>.+)", "leader"),
    (
        rf"(?:What|Which) (?:record )?label {_BE} (?P<np>.+) (?:signed to|signed with|on"
        r"|released (?:by|on|through))",
        "record label",
    ),
    (r"(?:What|Which) (?:record )?label released (?P<np>.+)", "record label"),
    (rf"Where {_BE} (?P<np>.+) (?:headquartered|based)", "headquarters"),
    (rf"(?:What|Which) (?:political )?party {_DO} (?P<np>.+) belong to", "political party"),
    (
        rf"(?:What|Which) (?:political )?party {_BE} (?P<np>.+) (?:a member of|in|part of)",
        "political party",
    ),
    (
        rf"(?:(?:What|Which) team|Who) {_DO} (?P<np>.+) play (?:for|on)",
        "team",
    ),
    (rf"What {_DO} (?P<np>.+) die (?:of|from)", "cause of death"),
    (rf"(?:What|Which) sport {_DO} (?P<np>.+) play", "sport"),
    (r"Who did (?P<np>.+) marry", "spouse"),
    (rf"Who {_BE} (?P<np>.+) (?:married to|the (?:husband|wife|spouse) of)", "spouse"),
)
"""A question and the name of the relation it asks for; "" where ``noun`` in it says so."""
