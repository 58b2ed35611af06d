"""The questions in what was asked: "What is the fee, and who is the auditor?" is two."""

from __future__ import annotations

import re

from grounded.retrieval import dates
from grounded.retrieval.words import content_stems

_SEVERAL = re.compile(r"(?<=\?)\s+(?=\S)")
_AUX = r"(?:is|are|was|were|do|does|did|has|have|had|can|could|may|might|must|shall|should|will|would)"
_INVERTED = rf"(?:(?:what|which|whose|how)\s+(?:[\w%’'-]+\s+){{0,4}}?{_AUX}\b|(?:when|where|why)\s+{_AUX}\b)"
_TOLD = r"(?:what|when|how)\s+(?:the|its?|they)\b|how\s+(?:much|many|long|often)\b"  # "and what the fund costs"
_WHETHER = rf"{_AUX}\s+(?:it|its|there|the|they|this|any|an?)\b"
# Behind a bare comma "who", "which" and "where" may describe what stands before it, unless questions stand in a row.
_JOINED = rf"(?:\s*[,;]\s*|\s+)(?:and|as\s+well\s+as)\s+(?:also\s+)?(?={_INVERTED}|{_TOLD}|{_WHETHER}|whom?\s+[a-z])"
_BARE = rf"\s*[,;]\s*(?=(?:what|how|when)\s+{_AUX}\b|how\s+(?:much|many|long|often)\b"
_JOINT = re.compile(rf"{_JOINED}|{_BARE})", re.IGNORECASE)
_IN_A_ROW = re.compile(rf"{_JOINED}|{_BARE}|{_INVERTED}|whom?\s+{_AUX}\b)", re.IGNORECASE)
_ASKS = re.compile(
    rf"^\W*(?:(?:please|can you|could you|and|also)\s+)*(?:what|which|whose|whom?|when|where|why|how|{_AUX}|list|give|"
    r"tell|show|name|state|find|compare|describe|explain)\b",
    re.IGNORECASE,
)
_LEADS = re.compile(
    r"^(?:if|when|as|since|for|from|of|given|because|although|after|before|in|under|based|according|during|on|at|with|"
    r"once|unless|where|while|to|by|per)\b",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"\b(?:between|both)\b", re.IGNORECASE)
_EXTREME = re.compile(
    r"\b(?:largest|biggest|greatest|highest|most|top|best|longest|smallest|lowest|least|worst|fewest|second|third)\b",
    re.IGNORECASE,
)
POINTS_BACK = re.compile(
    r"\b(?:it|its|they|their|them|those|that\s+one|the\s+same|this\s+one|he|she|his|her)\b", re.IGNORECASE
)


def questions(asked: str) -> list[str]:
    """The questions in what was asked, each able to stand alone. What is no question (a definition, an instruction)
    belongs to the one before."""
    parts: list[str] = []
    for part in (part.strip() for part in _SEVERAL.split(asked)):
        if content_stems(part) and (not parts or part.endswith("?")):
            parts += _joined(part)
        elif parts:
            parts[-1] = f"{parts[-1]} {part}"
    return parts or [asked]


def _joined(question: str) -> list[str]:
    """The questions that one sentence joins. "Which is the largest, and what is its weight?" is one: an extreme is
    told with its value."""
    if _BETWEEN.search(question):
        return [question]
    joint = _IN_A_ROW if re.search(_JOINED, question, re.IGNORECASE) else _JOINT
    pieces = [piece.strip() for piece in joint.split(question)]
    # "expense ratio and when was it launched"
    keywords = not re.search(f"{_BARE})", question, re.IGNORECASE) and not _LEADS.match(pieces[0])
    if len(pieces) == 1 or not content_stems(pieces[0]) or not (_ASKS.match(pieces[0]) or keywords):
        return [question]
    found = pieces[:1]
    for piece in pieces[1:]:
        back = bool(POINTS_BACK.search(piece))
        if not content_stems(piece) or (back and _EXTREME.search(found[-1])):
            found[-1] = f"{found[-1]} and {piece}"
        else:
            found.append(_timed(piece, pieces[0]))
    return [question] if len(found) == 1 else [f"{piece.rstrip('?')}?" for piece in found]


def _timed(piece: str, first: str) -> str:
    """The part with the one time that the first part names, when it names none itself."""
    times = [said for _, said in dates.said_times(first)]
    asks_when = re.match(r"when\b", piece, re.IGNORECASE)
    if len(times) != 1 or asks_when or dates.said_times(piece):
        return piece
    return f"{piece.rstrip('?')} in {times[0].strip()}"
