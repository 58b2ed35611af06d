"""The reply's form, and what a model wrote -> Claims. Tolerant of form, never of content: nothing is made up for it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from grounded.llm.lenient import ListScanner, mapping, records
from grounded.types import Calculation, Claim, Quote

_TEXT = {"type": "string"}
_QUOTE = {
    "type": "object",
    "properties": {"source_id": _TEXT, "quote": _TEXT},
    "required": ["source_id", "quote"],
    "additionalProperties": False,
}
_CALCULATION = {
    "type": "object",
    "properties": {
        "operation": _TEXT,
        "formula": _TEXT,
        "operands": {"type": "array", "items": _TEXT},
        "result": _TEXT,
    },
    "required": ["operation", "formula", "operands", "result"],
    "additionalProperties": False,
}


def nullable(schema: dict[str, Any]) -> dict[str, Any]:
    """That or null."""
    return {"anyOf": [schema, {"type": "null"}]}


CITATIONS = nullable({"type": "array", "items": _QUOTE})
CALCULATION = nullable(_CALCULATION)
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "claims": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"text": _TEXT, "citations": CITATIONS, "calculation": CALCULATION},
                "required": ["text", "citations", "calculation"],
                "additionalProperties": False,
            },
        },
        "unanswered": nullable(_TEXT),
    },
    "required": ["claims", "unanswered"],
    "additionalProperties": False,
}

_CITE_PAIR = re.compile(r"<cite\b[^<>]*>(.*?)</cite>", re.DOTALL)
_MARKER = re.compile(r"\s*\[S\d+(?:\s*,\s*S\d+)*\]")
_SOURCE_ID = re.compile(r"[\[(]?\s*(S\d+)\b.*", re.DOTALL)
_SAYS_NOTHING = re.compile(
    r"(?:the|these|none of the)\s+(?:provided\s+|given\s+)?"
    r"(?:sources?|documents?|contexts?|excerpts?|passages?|texts?)\s+"
    r"(?:provided\s+|given\s+)?(?:(?:does|do|did)\s*(?:not|n[’']t)|don[’']t|doesn[’']t)\s+"
    r"(?:contain|state|mention|say|specify|provide|include|answer|give|disclose|address|indicate)\b"
    r"|(?:i|we)\s+(?:do\s+not|don[’']t|cannot|can[’']t|could\s+not)\s+(?:know|find|answer|determine)\b"
    r"|(?:there\s+is\s+)?(?:no|not\s+enough|insufficient)\s+(?:information|evidence)\b"
    r"|this\s+(?:information\s+)?(?:is|was)\s+not\s+(?:in|stated|mentioned|given|provided)\b",
    re.IGNORECASE,
)


class ClaimCollector:
    """Collects claims while the reply arrives; hands each to `on_claim` once, when it is complete."""

    def __init__(self, on_claim: Callable[[Claim], None]) -> None:
        self.claims: list[Claim] = []
        self.unreadable = 0
        self.silences: list[str] = []
        self._on_claim = on_claim
        self._scanner = ListScanner("claims")
        self._seen = False
        self._streamed: list[Any] = []

    def feed(self, text: str) -> None:
        """Take the next piece of the reply."""
        for record in self._scanner.feed(text):
            self._streamed.append(record)
            self._add(record)

    def finish(self, raw: str) -> str | None:
        """Read the whole reply again for claims the stream could not show; returns what it leaves unanswered."""
        whole = [record for record in records(raw, "claims") if record is not None]
        if whole[: len(self._streamed)] == self._streamed:  # else what was shown stands
            for record in whole[len(self._streamed) :]:
                self._add(record)
        self._seen = bool(whole or self._streamed)
        unanswered = mapping(raw).get("unanswered")
        if isinstance(unanswered, str) and unanswered.strip():
            return clean(unanswered)
        return " ".join(self.silences) or None

    def understood(self, raw: str) -> bool:
        """Whether the reply is, whatever stands around it, a list of claims (possibly empty)."""
        return self._seen or isinstance(mapping(raw).get("claims"), list)

    def _add(self, record: Any) -> None:
        text = claim_text(record)
        if not text:
            self.unreadable += 1
        elif _SAYS_NOTHING.match(text):
            self.silences.append(text)  # an abstention is no claim and has no citation
        else:
            claim = Claim(
                id=f"c{len(self.claims) + 1}", text=text, quotes=quotes_of(record), calculation=calculation_of(record)
            )
            self.claims.append(claim)
            self._on_claim(claim)


def claim_text(record: Any) -> str:
    """The sentence of a claim record, '' when it has none."""
    if not isinstance(record, dict):
        return ""
    text = next((record[k] for k in ("text", "claim", "sentence") if isinstance(record.get(k), str)), "")
    return clean(text)


def clean(text: str) -> str:
    """The text on one line, without cite tags and source markers a model strayed into."""
    return " ".join(_MARKER.sub("", _CITE_PAIR.sub(r"\1", text)).split())


def quotes_of(record: Any) -> tuple[Quote, ...]:
    """What the record says it read: a list, a single object, or fields on the claim itself. Duplicates once."""
    given = record.get("citations", record.get("citation", record.get("quotes")))
    if given is None and ("quote" in record or "snippet" in record):
        given = record
    entries = given if isinstance(given, list) else [given]
    found = (_quote(entry) for entry in entries)
    return tuple(dict.fromkeys(quote for quote in found if quote is not None))


def _quote(entry: Any) -> Quote | None:
    if not isinstance(entry, dict):
        return None
    text = next((entry[k] for k in ("quote", "snippet", "cited_text") if isinstance(entry.get(k), str)), "")
    source = entry.get("source_id", entry.get("source"))
    if not text.strip():
        return None
    named = _SOURCE_ID.fullmatch(source.strip()) if isinstance(source, str) else None
    return Quote(source_id=named[1] if named else str(source), text=text.strip())


def calculation_of(record: Any) -> Calculation | None:
    """The calculation, or None when there is none or it is not complete."""
    given = record.get("calculation") if isinstance(record, dict) else None
    if not isinstance(given, dict):
        return None
    operation, formula, result = (given.get(k) for k in ("operation", "formula", "result"))
    operands = given.get("operands")
    if not (isinstance(operation, str) and isinstance(formula, str) and isinstance(result, str)):
        return None
    if not isinstance(operands, list) or not all(isinstance(o, str) for o in operands):
        return None
    return Calculation(operation=operation, formula=formula, operands=tuple(operands), result=result)
