"""Our own bundle: a project's evidence as JSON Lines, exact to the byte.

The first line is the header; every further line is one record, which stands after all that
it names. ``docs/bundle-format.md`` explains the format and ``docs/bundle.schema.json`` states
it. ``read`` and ``line`` are inverse: what one writes the other gives back.
"""

from certify_core.datasets.bundle.reading import read
from certify_core.datasets.bundle.records import (
    FORMAT,
    FORMAT_VERSION,
    Citation,
    Claim,
    EvidenceSet,
    Graph,
    Header,
    Invalidation,
    Output,
    OutputClaim,
    Place,
    Question,
    Record,
    Rule,
    Source,
    Span,
    SystemRun,
    Version,
    Withheld,
)
from certify_core.datasets.bundle.writing import line

__all__ = [
    "FORMAT",
    "FORMAT_VERSION",
    "Citation",
    "Claim",
    "EvidenceSet",
    "Graph",
    "Header",
    "Invalidation",
    "Output",
    "OutputClaim",
    "Place",
    "Question",
    "Record",
    "Rule",
    "Source",
    "Span",
    "SystemRun",
    "Version",
    "Withheld",
    "line",
    "read",
]
