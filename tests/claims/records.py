"""Records on claims, as tests make them."""

from __future__ import annotations

from typing import Any

from django.test import Client

from adjudication.claims.actions import claim_for_answer
from adjudication.claims.models import (
    Claim,
)
from adjudication.corpus.models import Span
from tests.corpus.browsing import address


def proposed_claim(claim: Claim, value: str = "Entity Q") -> Claim:
    return claim_for_answer(claim.question, value)


def contradict(client: Client, claim: Claim, *spans: Span, **data: object) -> Any:
    given = {"material": "yes", "treatment": "unresolved", "note": "The ledgers disagree."}
    ids = {"spans": [str(span.pk) for span in spans]}
    return client.post(address("contradict", claim.pk), given | ids | data)
