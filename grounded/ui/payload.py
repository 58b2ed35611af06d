"""What the answer component is given: plain data, made from nouns, with no Streamlit in sight."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from grounded.types import (
    Abstention,
    Answer,
    Box,
    Citation,
    Claim,
    Conflict,
    HitRecord,
    PageSource,
    VerifiedClaim,
    spans_boxes,
)
from grounded.ui import words

Payload = dict[str, Any]


class Shelf(NamedTuple):
    """A document as the viewer needs it."""

    name: str
    pages: int
    removed: bool = False


class Focus(NamedTuple):
    """Where a view opens: what a link names, or what was last chosen."""

    claim: str | None = None
    citation: int = 0
    document: str | None = None
    page: int = 1
    sheet: bool = False


NOWHERE = Focus()


def page_address(document: str) -> str:
    """The address under which the server gives a document's pages (routes.py)."""
    return f"/page/{document}"


def answer_payload(
    answer: Answer,
    shelves: Mapping[str, Shelf],
    pages: PageSource | None,
    *,
    key: str | None = None,
    focus: Focus = NOWHERE,
) -> Payload:
    """A finished answer. `pages` gives the boxes of an abstention's nearest passages; None shows them without.
    Under the key of its run, the view goes on where it was while claims arrived."""
    payload = _frame(key or answer.trace_id, answer.status, shelves, focus)
    payload |= {
        "question": answer.question,
        "summary": words.summary(answer),
        "notes": list(answer.notes),
        "claims": claims_payload(answer.claims),
        "conflicts": conflicts_payload(answer.conflicts),
        "abstention": _abstention(answer.abstention, pages) if answer.abstention else None,
    }
    return payload


def running_payload(
    key: str,
    question: str,
    step: str,
    share: float | None,
    claims: Sequence[VerifiedClaim | Claim],
    shelves: Mapping[str, Shelf],
    focus: Focus = NOWHERE,
) -> Payload:
    """A question still being answered: the step in words, its progress from 0 to 1, the claims so far, checked or
    not yet. focus: the page that is open meanwhile."""
    cards = [
        _claim(number, claim) if isinstance(claim, VerifiedClaim) else _draft(number, claim)
        for number, claim in enumerate(claims, 1)
    ]
    payload = _frame(key, "running", shelves, focus)
    # `beat` makes every look an update, whether or not anything else has changed: the next look waits for it.
    return payload | {
        "question": question, "step": {"text": step, "share": share}, "claims": cards, "beat": time.monotonic()
    }  # fmt: skip


def document_payload(shelves: Mapping[str, Shelf], focus: Focus = NOWHERE, idle: str = "") -> Payload:
    """No answer: a page of a document, or one sentence where it will be."""
    key = f"document:{focus.document}:{focus.page}" if focus.document else "empty"
    return _frame(key, "document", shelves, focus) | {"idle": idle}


def claims_payload(claims: Iterable[VerifiedClaim]) -> list[Payload]:
    """Claim cards, in order."""
    return [_claim(number, claim) for number, claim in enumerate(claims, 1)]


def conflicts_payload(conflicts: Iterable[Conflict]) -> list[Payload]:
    """Places that disagree, side by side."""
    return [_conflict(number, conflict) for number, conflict in enumerate(conflicts, 1)]


def _frame(key: str, state: str, shelves: Mapping[str, Shelf], focus: Focus) -> Payload:
    shown = focus.document in shelves
    return {
        "key": key,
        "layout": "split",
        "state": state,
        "question": "",
        "summary": [],
        "step": None,
        "notes": [],
        "claims": [],
        "conflicts": [],
        "abstention": None,
        "documents": {
            key: {"name": shelf.name, "pages": shelf.pages, "removed": shelf.removed, "address": page_address(key)}
            for key, shelf in shelves.items()
        },
        "focus": {"claim": focus.claim, "citation": focus.citation, "sheet": focus.sheet} if focus.claim else None,
        "open": {"document": focus.document, "page": focus.page} if shown else None,
        "idle": "",
    }


def _claim(number: int, claim: VerifiedClaim) -> Payload:
    verdict = claim.verdict
    return {
        "id": claim.id,
        "number": number,
        "text": claim.text,
        "status": verdict.status,
        "word": verdict.status,
        "confidence": words.confidence(verdict.confidence),
        "basis": words.basis(verdict),
        "reason": verdict.reason,
        "checks": [
            {"name": words.check_name(check.name), "passed": check.passed, "detail": check.detail}
            for check in verdict.checks
        ],
        "formula": claim.calculation.formula if claim.calculation else "",
        "citations": _places(claim.citations),
    }


def _places(citations: Sequence[Citation]) -> list[Payload]:
    """One entry a place: quotes of one claim from the same section of the same page are stepped through as one."""
    places: dict[tuple[str, int, str], list[Citation]] = {}
    for citation in citations:
        places.setdefault((citation.document, citation.page, citation.section), []).append(citation)
    return [_citation(*together) for together in places.values()]


def _draft(number: int, claim: Claim) -> Payload:
    return {
        "id": claim.id,
        "number": number,
        "text": claim.text,
        "status": "checking",
        "word": "checking",
        "confidence": "",
        "basis": "Not checked yet",
        "reason": "",
        "checks": [],
        "formula": "",
        "citations": [],
    }


def _citation(first: Citation, *more: Citation) -> Payload:
    together = (first, *more)
    return {
        "document": first.document,
        "page": first.page,
        "short": words.where(first, short=True),
        "where": words.where(first),
        "snippet": " … ".join(dict.fromkeys(citation.snippet for citation in together)),
        "match": "folded" if any(citation.match == "folded" for citation in together) else first.match,
        "boxes": [list(box) for box in dict.fromkeys(box for citation in together for box in citation.boxes)],
    }


def _conflict(number: int, conflict: Conflict) -> Payload:
    return {
        "id": f"conflict{number}",
        "subject": conflict.subject,
        "detail": conflict.detail,
        "citations": [_citation(citation) for citation in conflict.citations],
    }


def _abstention(abstention: Abstention, pages: PageSource | None) -> Payload:
    return {
        "reason": abstention.reason,
        "searched": words.searched(abstention.searched),
        "unread": words.unread(abstention.unread_pages),
        "nearest": [_passage(number, hit, pages) for number, hit in enumerate(abstention.nearest, 1)],
    }


def _passage(number: int, hit: HitRecord, pages: PageSource | None) -> Payload:
    boxes: tuple[Box, ...] = spans_boxes(pages.page(hit.document, hit.page), [hit.span]) if pages else ()
    return {
        "id": f"nearest{number}",
        "document": hit.document,
        "page": hit.page,
        "short": words.where(hit, short=True),
        "where": words.where(hit),
        "snippet": hit.text,
        "match": "approximate",
        "boxes": [list(box) for box in boxes],
    }
