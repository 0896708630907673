"""`python -m bench [NAME ...] [--json]`: run measurements and print what was seen."""

import argparse
import json
import os
import platform
from collections.abc import Callable, Iterator, Mapping

from bench import calls, certificate, certify, closure, imports, reading, reviewer, search, start

Figures = Mapping[str, object]

MEASUREMENTS: dict[str, Callable[[], Figures]] = {
    "start": start.measure,
    "closure": closure.measure,
    "certificate": certificate.measure,
    "certify": certify.measure,
    "calls": calls.measure,
    "search": search.measure,
    "reading": reading.measure,
    "imports": imports.measure,
    "reviewer": reviewer.measure,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(MEASUREMENTS))
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(MEASUREMENTS)
    if unknown:
        parser.error(f"no such measurement: {', '.join(sorted(unknown))}")
    report({name: MEASUREMENTS[name]() for name in arguments.names or MEASUREMENTS}, arguments.json)


def report(results: dict[str, Figures], as_json: bool) -> None:
    if as_json:
        print(json.dumps({"machine": machine(), **results}, indent=2))
        return
    for name, figures in results.items():
        for figure, value in flat(figures):
            print(f"{name}: {figure} {value}")


def flat(figures: Figures) -> Iterator[tuple[str, object]]:
    """Yield every figure with the names of the tables around it."""
    for name, value in figures.items():
        if isinstance(value, Mapping):
            yield from ((f"{name} / {inner}", figure) for inner, figure in flat(value))
        else:
            yield name, value


def machine() -> dict[str, str | int | None]:
    return {
        "cores": os.cpu_count(),
        "architecture": platform.machine(),
        "python": platform.python_version(),
    }


if __name__ == "__main__":
    main()
