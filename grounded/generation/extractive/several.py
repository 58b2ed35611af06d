"""Several things asked for at once: "What are the expense ratio, the ticker and the inception date?"."""

from __future__ import annotations

import re

_LEAD = re.compile(
    r"^(?:(?:please|what|which|give|list|show|tell|state|name|find|me|us|is|are|was|were|the|its|all)\s+)*",
    re.IGNORECASE,
)
_COMMA = re.compile(r"(?:\s*[,;]\s*(?:and\s+|&\s+)?|\s+(?:and|as well as|&|plus)\s+)(?:the\s+|its\s+)?", re.IGNORECASE)
_TAIL = re.compile(r"^(?P<part>.+?)(?P<tail>\s(?:of|for|in|at|as of|during|under|according to)\s.+)$", re.IGNORECASE)
_NO_LIST = re.compile(
    r"\b(?:between|both|difference|total (?:of|amount|value)|sum|combined|average|compare[ds]?|versus|vs|ratio of|"
    r"change|together|why|how|who|when|where|does|do|did|if)\b",
    re.IGNORECASE,
)
MAX_PARTS = 6
MAX_WORDS = 7  # of a part: a longer one is no name of a value


def named_things(question: str) -> list[tuple[str, ...]]:
    """The things a question names in a row, each as a question of its own; [] when it names one, or computes over
    them. What follows the last one with "of", "for", "in" is said of all. Behind each the question that it would be as
    another one of what the first is "of": "the return of class A and class B"."""
    body = _LEAD.sub("", question.strip().rstrip("?. "))
    if _NO_LIST.search(body):
        return []
    parts = [part.strip() for part in _COMMA.split(body) if part.strip()]
    added = len(parts) == 2 and re.match(r"total\b", body, re.IGNORECASE)  # "total revenue and cost" may mean their sum
    if added or not 1 < len(parts) <= MAX_PARTS:
        return []
    last = _TAIL.match(parts[-1])
    tail = last["tail"] if last else ""
    if any(len(part.split()) > MAX_WORDS for part in (*parts[:-1], last["part"] if last else parts[-1])):
        return []
    first = _TAIL.match(parts[0])
    again = f"{first['part']} {first['tail'].split()[0]}" if first else ""
    whole = [f"{part}{tail}" for part in parts[:-1]] + [parts[-1]]
    return [
        (f"What is the {part}?", *([f"What is the {again} {part}?"] if first and number else []))
        for number, part in enumerate(whole)
    ]
