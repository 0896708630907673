"""Texts that break tools of this kind. All are invented; each names where it hurts."""

from __future__ import annotations

from dataclasses import dataclass

from certify_core.canonical import sha256_hex


@dataclass(frozen=True)
class Horror:
    """A text, the encoding of its bytes, and the words in it that are cut as spans."""

    name: str
    text: str
    targets: tuple[str, ...]
    encoding: str = "utf-8"

    @property
    def data(self) -> bytes:
        return self.text.encode(self.encoding)

    @property
    def key(self) -> str:
        return sha256_hex(self.data)

    @property
    def places(self) -> list[tuple[int, int]]:
        """Code points of the targets, each at its first occurrence."""
        return [
            (self.text.index(target), self.text.index(target) + len(target))
            for target in self.targets
        ]

    def __str__(self) -> str:
        return self.name


def horror(name: str, text: str, *targets: str, encoding: str = "utf-8") -> Horror:
    assert targets, f"{name} cuts no span"
    return Horror(name, text, targets, encoding)


FAMILY = "👨\u200d👩\u200d👧\u200d👦"
ZALGO = "Z" + "\u0301\u0316\u0353\u0488\u0359" * 100

HORRORS = (
    horror("emoji", "🧪 Larkspur owns vat 9 🚀 end", "vat 9", "🚀 end"),
    horror("joined family", f"{FAMILY} live at Vat 8. {FAMILY}!", FAMILY, "Vat 8", "👩\u200d👧"),
    horror("tones of skin", "👋🏽 waved 👩🏿‍🚒 Ada", "👋🏽", "🏽", "👩🏿‍🚒 Ada"),
    horror("flags of letters", "🇦🇹🇩🇪🇫🇷 signed", "🇩🇪", "🇹🇩", "signed"),
    horror(
        "flag of tags",
        "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f won 3:1",
        "won 3:1",
    ),
    horror(
        "letters in tags",
        "safe\U000e0065\U000e0076\U000e0069\U000e006c text",
        "safe\U000e0065",
        "text",
    ),
    horror("five hundred marks", f"before {ZALGO} after", ZALGO, "after", "Z\u0301"),
    horror("composed", "Zoë Vålé signed für É", "Zoë", "für É"),
    horror(
        "decomposed",
        "Zoe\u0308 Va\u030ale\u0301 signed fu\u0308r E\u0301",
        "Zoe\u0308",
        "\u0308",
        "signed",
    ),
    horror("right to left", "שלום: חבית 8 סגורה. النهاية", "חבית 8", "النهاية"),
    horror("override", "paid \u202e000,9\u202c to Zoe", "\u202e000,9\u202c", "to Zoe"),
    horror("isolates", "a \u2067b \u2066c\u2069 d\u2069 e", "\u2066c\u2069", "d\u2069 e"),
    horror("direction marks", "1\u200e 2\u200f 3\u061c 4", "2\u200f 3", "\u061c 4"),
    horror(
        "zero width",
        "pass\u200bword and\u2060 key\ufeff end\u200c.",
        "pass\u200bword",
        "\u2060 key\ufeff",
        "end",
    ),
    horror("soft hyphens", "con\u00adsti\u00adtu\u00adtion of 1920", "sti\u00adtu", "of 1920"),
    horror(
        "blanks of all widths",
        "9\u202f000\u00a0kg\u2003of\u3000rye\u2007!",
        "000\u00a0kg",
        "of\u3000rye",
    ),
    horror(
        "blanks that are letters",
        "name\u3164here \u2800 and \u115f\u1160",
        "\u3164here",
        "\u2800 and",
    ),
    horror(
        "carriage return, line feed",
        "Vat 8\r\nVat 9\r\n\r\nend\r\n",
        "8\r\nVat 9",
        "Vat 9",
        "end\r\n",
    ),
    horror("carriage returns alone", "Vat 8\rVat 9\rend", "Vat 9", "9\rend"),
    horror("mixed line breaks", "a\r\nb\nc\rd\n\re\r\r\nf", "b\nc\rd", "\n\re", "\r\r\nf"),
    horror(
        "line and paragraph separators",
        "one\u2028two\u2029three\u0085four",
        "two\u2029three",
        "\u0085four",
    ),
    horror("feeds and tabs", "a\vb\fc\td\x1b[31m red", "b\fc\td", "\x1b[31m red"),
    horror("mark at the begin", "\ufeffVat 8 is sealed", "\ufeffVat", "Vat 8", "sealed"),
    horror("mark inside", "Vat\ufeff 8 \ufeff\ufeffis sealed", "\ufeff 8", "is sealed"),
    horror("blanks at both ends", "  \t Vat 8 \n \t ", "  \t Vat", " \n \t "),
    horror("empty lines at both ends", "\n\n\r\n Vat 8\n\r\n\n", "\n\n\r\n V", "8\n\r\n\n"),
    horror("one blank", " ", " "),
    horror("private use", "logo \ue000 and \U000f0001 end", "\ue000 and", "end"),
    horror("no characters", "a\ufffe b\U0001ffff c\ufdd0 d", "\ufffe b", "c\ufdd0"),
    horror("letters of mathematics", "𝔙𝔞𝔱 𝟠 is 𝓈𝑒𝒶𝓁𝑒𝒹", "𝔙𝔞𝔱 𝟠", "𝓈𝑒𝒶𝓁𝑒𝒹"),
    horror("rare ideographs", "第\U00020000桶\U0002a6d6已封。𠮷野家", "\U0002a6d6已封", "𠮷野家"),
    horror("variation selectors", "☁\ufe0e ☁\ufe0f 葛\U000e0100城", "☁\ufe0f", "葛\U000e0100城"),
    horror("keycaps", "1\ufe0f\u20e3 and #\ufe0f\u20e3 and 2", "1\ufe0f\u20e3", "and 2"),
    horror("Thai", "ถังที่แปดถูกปิดผนึกตั้งแต่ปี๒๕๓๑", "ที่แปด", "ปี๒๕๓๑"),
    horror("Khmer", "ធុងទី៨ត្រូវបានបិទ\u200bត្រា", "ត្រូវ", "បិទ\u200bត្រា"),
    horror("Hindi", "बैरल ८ क्षतिग्रस्त है, श्री\u200dमान।", "क्षति", "श्री\u200dमान"),
    horror("Persian", "می\u200cخواهم خُمرهٔ ۸ را", "می\u200cخواهم", "خُمرهٔ ۸"),
    horror("Arabic forms", "ﷺ ﻻ ﺍﻟﻌﺮﺑﻴﺔ لا \u0601١٢", "ﷺ ﻻ", "\u0601١٢"),
    horror(
        "Hangul letters",
        "\u1112\u1161\u11ab\u1100\u1173\u11af 한글 \u1112\u1161",
        "\u1161\u11ab",
        "한글",
    ),
    horror("Turkish and others", "İstanbul ı ß ẞ ﬁ Ⅷ ｖａｔ ８", "İstanbul ı", "ﬁ Ⅷ", "ｖａｔ ８"),
    horror("lookalikes", "Vаt 8 Ѕealed vs Vat 8 Sealed", "Vаt 8 Ѕealed", "Vat 8 Sealed"),
    horror(
        "enormous line", "vat 8, " * 9_000 + "needle 🧪 " + "vat 9, " * 900, "needle 🧪", "🧪 vat"
    ),
    horror("enormous word", "x" * 25_000 + "needle" + "y" * 25_000, "xneedley"),
    horror(
        "markup",
        "<b>Vat</b> <script>alert('8')</script> &amp; &#x202e; <!-- x",
        "<script>alert('8')",
        "&amp; &#x202e;",
    ),
    horror(
        "end of a field",
        "a</textarea><script>alert(1)</script>\"'><input autofocus>",
        "</textarea>",
        "\"'><input autofocus>",
    ),
    horror(
        "attributes of a library",
        "<i hx-get='/x' hx-trigger=load>z</i> {{ z }} {% debug %}",
        "hx-get='/x'",
        "{{ z }} {% debug %}",
    ),
    horror("formulas", '=1+1\n@SUM(A1)\n-2+3\n+cmd|" /C calc"!A0,"a""b"', "=1+1\n@SUM", '"a""b"'),
    horror(
        "half of a key",
        '{"a": 1, "a": NaN}\\u0000 %00 %s $1 \\n \\ud800',
        '"a": NaN}\\u0000',
        "\\ud800",
    ),
    horror(
        "Western Europe",
        "L’œuvre – 5 € «ÿ»\r\nfin",
        "œuvre – 5 €",
        "«ÿ»\r\nfin",
        encoding="windows-1252",
    ),
    horror("Russian mail", "Бочка 8 запечатана ═╬ Ёлка", "запечатана ═", "Ёлка", encoding="koi8-r"),
    horror("Latin 9", "Šœ Ž 5 €\x85\r\nkonec", "Ž 5 €", "\x85\r\nkonec", encoding="iso-8859-15"),
    horror(
        "Greek", "Ο πίθος 8 είναι σφραγισμένος", "πίθος 8", "σφραγισμένος", encoding="windows-1253"
    ),
)
