"""Whether a member still is what was captured: checked whenever it is shown for judgement."""

from __future__ import annotations

from collections.abc import Iterable

from adjudication.claims.models import EvidenceMember
from adjudication.corpus.encodings import encode
from adjudication.corpus.models import Span
from adjudication.corpus.rules import is_intact
from adjudication.errors import Refused
from certify_core.canonical import sha256_hex


def is_sound(span: Span) -> bool:
    """Whether snapshot, text, words and both digests of ``span`` still agree."""
    version = span.version
    snapshot = bytes(version.snapshot)
    return (
        is_intact(snapshot, version.text, version.sha256, version.encoding)
        and version.text[span.start : span.end] == span.exact
        and snapshot[span.byte_start : span.byte_end] == encode(span.exact, version.encoding)
        and sha256_hex(span.exact.encode()) == span.sha256
    )


def check_sound(members: Iterable[EvidenceMember]) -> None:
    """Raises Refused, naming the member, if one is no longer what was captured."""
    for member in members:
        if not is_sound(member.span):
            raise Refused(
                f"Member {member.ordinal} is damaged: its bytes are not those that were "
                "captured. It cannot be judged; tell the lead of the project."
            )
