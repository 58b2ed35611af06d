"""Text that gives orders to a language model. It is printed in a document to steer a reader program, and what stands
in or next to it proves nothing. Measured: no hit in 13.6 MB of contracts, filings, papers and encyclopedia text.
"""

from __future__ import annotations

import re
import unicodedata

from grounded.text import collapse, sentence_spans

_MODEL = (
    r"(?:AI|A\.I\.|LLM|language\s+models?|chat\s?bots?|(?:(?:AI|virtual|digital)\s+)?assistants?|claude|(?:chat)?gpt-?\d*"
    r"|verifiers?|fact[- ]checkers?)"
)
_RULES = r"(?:instructions?|prompts?|rules|guidelines|directions|directives|orders|constraints|guardrails)"
_WHICH = (
    r"(?:(?:all|any|every|the|your|these|those|of|previous|prior|above|earlier|preceding|foregoing|system|other|given"
    r"|safety|former)\s+)"
)
_PATTERNS = (
    rf"\b(?:ignore|disregard|forget|override|bypass|discard|do\s+not\s+follow)\s+{_WHICH}*{_RULES}\b",
    r"\b(?:mark|label|flag|rate|score|treat|classify|report|consider|judge|accept|count)\b[^.!?\n]{0,60}?"
    r"\b(?:grounded|verified)\b",
    r"\b(?:this|every|each|all|any)\s+(?:claims?|answers?|statements?)\b[^.!?\n]{0,40}\b(?:is|are|as|to\s+be)\s+"
    r"(?:fully\s+)?(?:grounded|verified|supported|proven|correct|true)\b",
    rf"\byou\s+are\s+(?:now\s+)?(?:an?\s+|the\s+)?(?:\w+\s+)?{_MODEL}\b",
    rf"\b{_MODEL}(?:\s+\w+){{0,3}}?\s*[:,]?\s+(?:must|should|shall|please|always|never|do\s+not"
    r"|(?:is|are)\s+(?:required|instructed)\s+to)\b",
    rf"\b(?:instructions?|note|message|attention|important)\s+(?:to|for)\s+(?:(?:the|any|all)\s+)?(?:\w+\s+)?{_MODEL}\b",
    r"\b(?:new|updated|real|actual|hidden|secret)\s+(?:system\s+)?(?:instructions?|prompts?)\s*:",
    r"\bsystem\s+(?:prompt|message|override|instruction)s?\b",
    r"\b(?:end|begin|beginning)\s+of\s+(?:the\s+)?(?:sources?|context|prompt|document\s+data)\b",
    r"\b(?:reveal|print|repeat|output)\s+(?:\w+\s+){0,3}(?:system\s+)?(?:prompt|instructions)\b",
    r"</?\s*(?:sources?|items?|system|instructions?|question|context|document|user|assistant)\s*>",
    r"<\|(?:im_start|im_end|system|user|assistant|endoftext)|\[/?INST\]|^\s*#{2,}\s*(?:system|instructions?)\b",
    r"^\s*(?:system|assistant|human)\s*:\s",
    r"\"(?:grounded|status)\"\s*:\s*(?:true|\"grounded\")",
)
_ORDERS = re.compile("|".join(_PATTERNS), re.IGNORECASE | re.MULTILINE)


def orders_to_a_model(text: str) -> str | None:
    """The first words in `text` that give orders to a language model, or None."""
    plain = "".join(c for c in unicodedata.normalize("NFKC", text) if unicodedata.category(c) != "Cf")
    found = _ORDERS.search(plain)
    return collapse(found.group()) if found else None


def orders_around(text: str, start: int, end: int) -> str | None:
    """The same for the sentences that `text[start:end]` touches, the one before and the one after."""
    spans = sentence_spans(text)
    touched = [i for i, (low, high) in enumerate(spans) if low < end and high > start]
    if not touched:
        return orders_to_a_model(text[start:end])
    first, last = spans[max(0, touched[0] - 1)], spans[min(len(spans) - 1, touched[-1] + 1)]
    return orders_to_a_model(text[first[0] : last[1]])
