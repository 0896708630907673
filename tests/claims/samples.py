"""Invented files in the layouts of the data sets."""

from __future__ import annotations

import json
from typing import Any

SALT_ROAD = "The Salt Road is a 2013 film directed by Ilse Maren."
MAREN = "Ilse Maren was born on 4 May 1961 in Orrin."


def musique_record(key: str = "2hop__1_2", **changes: Any) -> dict[str, Any]:
    """Two paragraphs needed of three, as one record of the data set."""
    texts = [("The Salt Road", SALT_ROAD), ("Orrin", "Orrin is a harbour."), ("Ilse Maren", MAREN)]
    return {
        "id": key,
        "question": "When was the director of The Salt Road born?",
        "answer": "4 May 1961",
        "answer_aliases": ["May 4, 1961"],
        "answerable": True,
        "paragraphs": [
            {"idx": n, "title": title, "paragraph_text": text, "is_supporting": n != 1}
            for n, (title, text) in enumerate(texts)
        ],
        "question_decomposition": [
            {
                "id": 1,
                "question": "The Salt Road >> director",
                "answer": "Ilse Maren",
                "paragraph_support_idx": 0,
            },
            {
                "id": 2,
                "question": "When was #1 born?",
                "answer": "4 May 1961",
                "paragraph_support_idx": 2,
            },
        ],
    } | changes


def json_lines(*records: dict[str, Any]) -> bytes:
    return "\n".join(json.dumps(record) for record in records).encode()


def passages(**texts: str) -> bytes:
    return json.dumps(texts).encode()
