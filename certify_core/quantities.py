"""Numbers with units as exact intervals in a base unit."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

ABOUT = Fraction(1, 10)
"""How far an "about" number may be off, either way, as a share of it. Our choice."""

# Base unit: factor and spellings of each unit of that dimension. Days and years do not
# convert into each other, nor currencies.
_TABLE = """
m: 1 m metre metres meter meters
m: 1000 km kilometre kilometres kilometer kilometers
m: 0.01 cm centimetre centimetres centimeter centimeters
m: 0.001 mm millimetre millimetres millimeter millimeters
m: 1609.344 mi mile miles
m: 0.9144 yd yard yards
m: 0.3048 ft foot feet
m: 0.0254 inch inches
kg: 1 kg kilogram kilograms
kg: 0.001 g gram grams
kg: 1000 tonne tonnes
kg: 0.45359237 lb lbs
s: 1 s second seconds
s: 60 min minute minutes
s: 3600 h hour hours
days: 1 day days
days: 7 week weeks
years: 1 year years
years: 10 decade decades
m2: 1 m2 m²
m2: 10000 ha hectare hectares
m2: 1000000 km2 km²
%: 1 % percent
USD: 1 $ us$ usd
EUR: 1 € eur euro euros
GBP: 1 £ gbp
"""
_UNITS = {
    word: (base, Fraction(factor))
    for line in _TABLE.strip().splitlines()
    for base, rest in [line.split(": ")]
    for factor, *words in [rest.split()]
    for word in words
}
_SCALES = {"": 1, "hundred": 10**2, "thousand": 10**3, "million": 10**6, "billion": 10**9}
_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_FIGURE = r"[-\u2212]?(?:\d{1,3}(?:,\d{3})+|\d{1,200})(?:\.\d{1,200})?"
_NUMBER = re.compile(
    r"(?P<about>(?:about|around|approximately|approx\.?|roughly|~)\s*)?"
    r"(?P<sign>us\$|[$\u20ac\u00a3])?\s?"
    rf"(?P<low>{_FIGURE}|{'|'.join(_WORDS)})(?:\s?(?:\.\.|\u2013)\s?(?P<high>{_FIGURE}))?"
    r"\s?(?P<scale>hundred|thousand|million|billion)?"
    r"\s?(?P<unit>[a-z%$\u20ac\u00a3\u00b2]+2?)?"
)


@dataclass(frozen=True, slots=True)
class Number:
    """A number from ``low`` to ``high`` in a base unit ("" for a bare number)."""

    low: Fraction
    high: Fraction
    unit: str = ""

    @property
    def canonical(self) -> str:
        """``low`` or ``low..high``, then the unit."""
        span = "" if self.low == self.high else f"..{_decimal(self.high)}"
        return f"{_decimal(self.low)}{span} {self.unit}".strip()

    @property
    def bounds(self) -> tuple[Fraction, Fraction]:
        return self.low, self.high

    def minus(self, other: Number) -> Number:
        """The difference of two numbers of one unit."""
        return Number(self.low - other.high, self.high - other.low, self.unit)


def read_number(text: str) -> Number | None:
    """A number in figures or a small one in words, with scale, unit, "about" or a span.

    ``None`` for anything else, also for a unit that is not in the table.
    """
    match = _NUMBER.fullmatch(" ".join(text.casefold().split()).strip(" ."))
    if match is None or (match["sign"] and match["unit"]):
        return None
    word = match["sign"] or match["unit"] or ""
    if word and word not in _UNITS:
        return None
    base, factor = _UNITS.get(word, ("", Fraction(1)))
    factor *= _SCALES[match["scale"] or ""]
    low, high = _figure(match["low"]), _figure(match["high"] or match["low"])
    if low > high:
        return None
    slack = ABOUT if match["about"] else Fraction(0)
    return Number((low - abs(low) * slack) * factor, (high + abs(high) * slack) * factor, base)


def _figure(written: str) -> Fraction:
    if written in _WORDS:
        return Fraction(_WORDS.index(written))
    return Fraction(written.replace(",", "").replace("\u2212", "-"))


def _decimal(number: Fraction) -> str:
    """Exact decimal text: every factor and figure above has one."""
    places = 0
    while 10**places % number.denominator:
        places += 1
    digits = f"{abs(number.numerator) * 10**places // number.denominator:0{places + 1}d}"
    whole, part = (digits[:-places], "." + digits[-places:]) if places else (digits, "")
    return f"{'-' if number < 0 else ''}{whole}{part}"
