"""The characters of a version as its page gives them to a browser."""

from __future__ import annotations

from html.parser import HTMLParser


class _Runs(HTMLParser):
    """Collects every run with a position, in order, with the character that a hidden one names."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.runs: list[tuple[int, list[str]]] = []
        self.open = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if "data-at" not in given:
            return
        self.open = "data-code" not in given
        named = [] if self.open else [chr(int(given["data-code"], 16))]
        self.runs.append((int(given["data-at"]), named))

    def handle_endtag(self, tag: str) -> None:
        self.open = False

    def handle_data(self, data: str) -> None:
        if self.open:
            self.runs[-1][1].append(data)


def reassembled(page: str) -> str:
    """The text on ``page``; every run must be where it says. Browsers read CR LF and CR as LF."""
    parser = _Runs()
    parser.feed(page.replace("\r\n", "\n").replace("\r", "\n"))
    text, first = "", parser.runs[0][0]
    for place, pieces in parser.runs:
        assert place == first + len(text), f"a run says {place}, and stands at {first + len(text)}"
        text += "".join(pieces)
    return text
