"""Regions that English place names carry behind a comma: "Springfield, Illinois"."""

from __future__ import annotations

import re

from certify_core.countries import COUNTRIES
from certify_core.folding import fold, split_title

_TABLE = """
Alabama, Alaska, Arizona, Arkansas, California, Colorado, Connecticut, Delaware, Florida,
Georgia, Hawaii, Idaho, Illinois, Indiana, Iowa, Kansas, Kentucky, Louisiana, Maine, Maryland,
Massachusetts, Michigan, Minnesota, Mississippi, Missouri, Montana, Nebraska, Nevada,
New Hampshire, New Jersey, New Mexico, New York, North Carolina, North Dakota, Ohio, Oklahoma,
Oregon, Pennsylvania, Rhode Island, South Carolina, South Dakota, Tennessee, Texas, Utah,
Vermont, Virginia, Washington, West Virginia, Wisconsin, Wyoming, Puerto Rico,
Alberta, British Columbia, Manitoba, New Brunswick, Newfoundland and Labrador, Nova Scotia,
Ontario, Prince Edward Island, Quebec, Saskatchewan, Yukon, Northwest Territories, Nunavut,
New South Wales, Queensland, South Australia, Tasmania, Victoria, Western Australia,
Northern Territory,
England, Scotland, Wales, Northern Ireland,
Andhra Pradesh, Assam, Bihar, Chhattisgarh, Gujarat, Haryana, Himachal Pradesh, Jharkhand,
Karnataka, Kerala, Madhya Pradesh, Maharashtra, Odisha, Punjab, Rajasthan, Tamil Nadu,
Telangana, Uttar Pradesh, Uttarakhand, West Bengal
"""
REGIONS = frozenset(" ".join(_TABLE.split()).split(", "))
"""First-level parts of countries whose towns are written with them: states, provinces,
the nations of the United Kingdom."""

COMMA_REGIONS = REGIONS | COUNTRIES
_ANY = re.compile(
    r"\b(?:" + "|".join(sorted(COMMA_REGIONS, key=lambda name: (-len(name), name))) + r")\b"
)


def split_place(title: str) -> tuple[str, str]:
    """A place's own name, and the region after the comma that tells it from namesakes.

    "Baure, Nigeria" gives ("Baure", "Nigeria"), "Reno, Washoe County, Nevada" the name
    "Reno". A title that ends otherwise has no region: the whole title and "".
    """
    name, _, rest = title.partition(", ")
    known = name and rest.rpartition(", ")[2] in COMMA_REGIONS
    return (name, rest) if known else (title, "")


def regions_in(text: str) -> frozenset[str]:
    """The regions and countries that a text names, each only where no longer one is meant."""
    return frozenset(_ANY.findall(text))


def namesake_base(title: str) -> str:
    """What the titles of namesakes have in common: folded, without parenthesis or region."""
    return fold(split_title(split_place(title)[0])[0]) or title
