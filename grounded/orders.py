"""Text that gives orders to a language model. It is printed in a document to steer a reader program, and what stands
in or next to it proves nothing. Measured: no hit in 13.6 MB of contracts, filings, papers and encyclopedia text.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from grounded.text import collapse, sentence_spans

_MODEL = (
    r"(?:AI|A\.I\.|LLM|language\s+models?|chat\s?bots?|(?:AI|virtual|digital)\s+assistants?|claude|(?:chat)?gpt-?\d*"
    r"|verifiers?|fact[- ]checkers?)"
)
_RULES = r"(?:instructions?|prompts?|rules|guidelines|directions|directives|orders|constraints|guardrails)"
_ANY = r"(?:(?:all|any|every|the|these|those|of|other|given|such)\s+)*"
_GIVEN = r"(?:your|previous|prior|above|earlier|preceding|foregoing|former|system|safety)"
_PATTERNS = (
    rf"\b(?:ignore|disregard|forget|override|bypass|discard|do\s+not\s+follow)\s+{_ANY}"
    rf"(?:(?:{_GIVEN}\s+)+{_ANY}(?:\w+\s+)?{_RULES}|{_RULES}\s+(?:above|before))\b",
    r"\b(?:mark|label|flag|rate|score|treat|classify|report|consider|judge|accept|count)\b[^.!?\n]{0,60}?"
    r"\b(?:grounded|verified)\b",
    r"\b(?:this|every|each|all|any)\s+(?:claims?|answers?|statements?)\b[^.!?\n]{0,40}\b(?:is|are|as|to\s+be)\s+"
    r"(?:fully\s+)?(?:grounded|verified|supported|proven|correct|true)\b",
    rf"\byou\s+are\s+(?:now\s+)?(?:an?\s+|the\s+)?(?:\w+\s+)?(?:{_MODEL}|assistant)\b",
    rf"\b{_MODEL}(?:\s+\w+){{0,3}}?\s*[:,]?\s+(?:must|should|shall|please|always|never|do\s+not"
    r"|(?:is|are)\s+(?:required|instructed)\s+to)\b",
    rf"\b(?:instructions?|note|message|attention|important)\s+(?:to|for)\s+(?:(?:the|any|all)\s+)?(?:\w+\s+)?{_MODEL}\b",
    r"\b(?:new|updated|real|actual|hidden|secret)\s+(?:system\s+)?(?:instructions?|prompts?)\s*:",
    r"\bsystem\s+(?:prompt|override|instruction)\b",
    r"\b(?:end|begin|beginning)\s+of\s+(?:the\s+)?(?:sources?|context|prompt|document\s+data)\b",
    r"\b(?:reveal|print|repeat|output)\s+(?:\w+\s+){0,3}(?:system\s+)?(?:prompt|instructions)\b",
    r"</?\s*(?:sources?|items?|system|instructions?|question|context|document|user|assistant)\s*>",
    r"<\|(?:im_start|im_end|system|user|assistant|endoftext)|\[/?INST\]|^\s*#{2,}\s*(?:system|instructions?)\b",
    r"(?:^|[.!?])[ \t]{0,3}(?-i:SYSTEM|ASSISTANT)\s*:\s",
    r"\b(?:from\s+now\s+on|regardless\s+of\s+the\s+question|whatever\s+(?:you\s+are|is)\s+asked)\b[^.!?\n]{0,80}"
    r"\b(?:answers?|respond|reply|say|output|write)\b",
    r"\b(?:answer|reply|respond)\b[^.!?\n]{0,30}\b(?:every|all|any)\s+questions?\s+with\b",
    r"\b(?:do\s+not|never|don['’]t)\s+(?:mention|reveal|tell|show|cite|quote)\b[^.!?\n]{0,60}\b(?:the\s+user|this\s+instruction)",
    r"\b(?:ignorier\w*|missachte\w*|vergiss|vergesst)\b[^.!?\n]{0,40}\b(?:anweisungen|regeln|vorgaben|instruktionen)\b",
    r"\b(?:ignore[zr]?|oublie[zr]?)\b[^.!?\n]{0,40}\b(?:instructions|consignes|règles)\b",
    r"\b(?:ignor[ae]n?|olvid[ae]n?|dimentica|descarte|ignorar)\b[^.!?\n]{0,40}"
    r"\b(?:instrucciones|reglas|istruzioni|regole|instruções|regras)\b",
    r"(?:игнорируй|забудь|не\s+обращай)\w*[^.!?\n]{0,40}(?:инструкци|указани|правил)",
    r"(?:忽略|无视|忘记|無視)[^。！？\n]{0,20}(?:指令|指示|说明|規則|规则|提示)|(?:指示|命令|ルール)を?無視",
    r"(?:이전|위의|모든)[^.!?\n]{0,20}(?:지시|명령|지침)[^.!?\n]{0,10}무시|تجاهل[^.!?\n]{0,30}(?:التعليمات|الأوامر)",
    r"\"(?:grounded|status)\"\s*:\s*(?:true|\"grounded\")",
)
_ORDERS = re.compile("|".join(_PATTERNS), re.IGNORECASE | re.MULTILINE)


@lru_cache(maxsize=1024)
def orders_to_a_model(text: str) -> str | None:
    """The first words in `text` that give orders to a language model, or None."""
    plain = "".join(c for c in unicodedata.normalize("NFKC", text) if unicodedata.category(c) != "Cf")
    found = _ORDERS.search(plain)
    return collapse(found.group()) if found else None


def orders_around(text: str, start: int, end: int) -> str | None:
    """The same for the sentences that `text[start:end]` touches, the two before and the two after."""
    spans = sentence_spans(text)
    touched = [i for i, (low, high) in enumerate(spans) if low < end and high > start]
    if not touched:
        return orders_to_a_model(text[start:end])
    first, last = spans[max(0, touched[0] - 2)], spans[min(len(spans) - 1, touched[-1] + 2)]
    return orders_to_a_model(text[first[0] : last[1]])
