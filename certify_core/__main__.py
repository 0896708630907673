"""``python -m certify_core decide|enumerate|score FILE``: JSON in and out, exit 2 if refused."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from certify_core.canonical import canonical_bytes, strict_loads
from certify_core.closure import Compiled
from certify_core.errors import CoreError, InvalidInstance
from certify_core.evidence import all_minimal_sets, certificate, core
from certify_core.gaps import gaps
from certify_core.instance_file import instance_of
from certify_core.ledger_file import scored
from certify_core.model import Certificate


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb. The exit code is 2, with one line on standard error, for bad input."""
    try:
        options = _parser().parse_args(arguments)
        answer = options.run(options, strict_loads(_read(options.file)))
    except (CoreError, OSError) as error:
        print(_one_line(f"certify_core: {error}"), file=sys.stderr)
        return 2
    sys.stdout.buffer.write(canonical_bytes(answer) + b"\n")
    sys.stdout.buffer.flush()
    return 0


def _decide(options: argparse.Namespace, document: Any) -> dict[str, Any]:
    compiled = Compiled.of(instance_of(document))
    found = certificate(compiled, limit=0)
    if found is None:
        missing = gaps(compiled)
        return {"decision": "abstain", "open": missing.open, "blocked": missing.blocked}
    return {"decision": "certificate", **_certified(found)}


def _certified(found: Certificate) -> dict[str, Any]:
    return {
        "units": found.units,
        "derivation": [
            {"atom": step.atom, "rule": step.edge, "unit": step.unit, "from": step.premises}
            for step in found.derivation
        ],
        "core": found.core,
        "closures": found.closures,
    }


def _enumerate(options: argparse.Namespace, document: Any) -> dict[str, Any]:
    compiled = Compiled.of(instance_of(document))
    found = all_minimal_sets(compiled, limit=options.limit, seconds=options.seconds)
    return {"sets": found.sets, "core": core(compiled), "complete": found.complete}


def _score(options: argparse.Namespace, document: Any) -> dict[str, Any]:
    return scored(document)


class _Parser(argparse.ArgumentParser):
    """Refuses in one line, as bad input is refused."""

    def error(self, message: str) -> NoReturn:
        raise InvalidInstance("arguments", message)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m certify_core", description=__doc__)
    verbs = parser.add_subparsers(required=True, metavar="VERB")
    _verb(verbs, "decide", _decide, "one certificate, or what is open and blocked")
    enumerate_ = _verb(verbs, "enumerate", _enumerate, "all minimal sets of units")
    enumerate_.add_argument("--limit", type=_positive, default=1000, metavar="N")
    enumerate_.add_argument("--seconds", type=_duration, default=10.0, metavar="S")
    _verb(verbs, "score", _score, "the rates of a ledger of claims, with their counts")
    return parser


def _verb(
    verbs: Any, name: str, run: Callable[..., dict[str, Any]], text: str
) -> argparse.ArgumentParser:
    verb: argparse.ArgumentParser = verbs.add_parser(name, help=text, description=text)
    verb.add_argument("file", help="a JSON file, or - for standard input")
    verb.set_defaults(run=run)
    return verb


def _positive(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or not 0 < len(text) < 10 or int(text) < 1:
        raise argparse.ArgumentTypeError("not a whole number from 1")
    return int(text)


def _duration(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < math.inf:
        raise argparse.ArgumentTypeError("not a number of seconds from 0")
    return seconds


def _read(file: str) -> bytes:
    return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()


def _one_line(message: str) -> str:
    """Printable on any terminal and in one line, whatever the input's keys hold."""
    shown = "".join(c if c.isprintable() else "?" for c in message)
    return shown.encode("ascii", "backslashreplace").decode("ascii")[:500]


if __name__ == "__main__":
    sys.exit(main())
