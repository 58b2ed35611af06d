"""A question to a plan, by rules: what is asked of which documents."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grounded.retrieval import cards
from grounded.types import DocumentRecord, Plan, SubQuestion

_COMPARES = re.compile(
    r"\b(?:compar\w+|differ\w*|versus|vs\.?|chang\w+|between|both|each|(?:higher|lower|more|less|larger|smaller|greater)"
    r"\s+(?:in|than)|the\s+two)\b",
    re.IGNORECASE,
)
_ELLIPTIC = re.compile(
    r"^\s*(?:and|but|so|also|what\s+about|how\s+about|same\s+for|then)\b|\b(?:it|its|they|their|them|those|that\s+one|"
    r"the\s+same|this\s+one|he|she|his|her)\b",
    re.IGNORECASE,
)
_SEVERAL = re.compile(r"(?<=\?)\s+(?=\S)")


def plan(question: str, *, history: Sequence[str] = (), documents: Sequence[DocumentRecord] = ()) -> Plan:
    """How `question` is searched. `history`: the session's earlier questions, newest last; `documents`: the records
    in scope. Deterministic: the same question over the same documents gives the same plan."""
    standalone, followed = _stand_alone(question.strip(), history)
    parts = [part.strip() for part in _SEVERAL.split(standalone) if part.strip()]
    if len(parts) > 1 and not followed:
        subquestions = tuple(sub for part in parts for sub in _ask(part, documents))
        return Plan(question=question, subquestions=subquestions, kind="several", reason=f"{len(parts)} questions")
    subquestions = _ask(standalone, documents)
    if len(subquestions) > 1:
        return Plan(question=question, subquestions=subquestions, kind="comparison", reason="asked of each side")
    if followed:
        return Plan(question=question, subquestions=subquestions, kind="follow-up", reason=f"read as: {standalone}")
    reason = f"{len(subquestions[0].documents)} documents named" if subquestions[0].documents else "no document named"
    return Plan(question=question, subquestions=subquestions, reason=reason)


def _ask(question: str, documents: Sequence[DocumentRecord]) -> tuple[SubQuestion, ...]:
    groups = cards.route(question, documents)
    if _COMPARES.search(question) and len(groups) > 1:
        return tuple(SubQuestion(text=question, documents=group) for group in groups)
    return (SubQuestion(text=question, documents=tuple(dict.fromkeys(d for group in groups for d in group))),)


def _stand_alone(question: str, history: Sequence[str]) -> tuple[str, bool]:
    """The question with what it leaves out taken from the one before, and whether anything was."""
    if not history or not _ELLIPTIC.search(question):
        return question, False
    return f"{history[-1].strip()} {question}", True
