"""Answers and documents made by hand, in the shape the real ones have: every state of the screen without a model."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from grounded.types import (
    Abstention,
    Answer,
    Check,
    Citation,
    Conflict,
    HitRecord,
    Page,
    Status,
    Usage,
    Verdict,
    VerifiedClaim,
    spans_boxes,
)

DATA = Path(__file__).parents[2] / "data"


def read_page(path: Path, number: int) -> Page:
    """A page with one box per character, straight from pymupdf: enough for a viewer."""
    import pymupdf

    chars: list[str] = []
    boxes: list[tuple[float, float, float, float]] = []
    with pymupdf.open(path) as pdf:
        page = pdf[number - 1]
        for block in page.get_text("rawdict")["blocks"]:
            for line in block.get("lines", []):
                for span in line["spans"]:
                    for char in span["chars"]:
                        chars.append(char["c"])
                        boxes.append(tuple(char["bbox"]))
                chars.append("\n")
                boxes.append((0, 0, 0, 0))
        rect = page.rect
    return Page(number, str(number), rect.width, rect.height, 0, "".join(chars), np.array(boxes, dtype=np.float32))


def cite(page: Page, document: str, name: str, quote: str, section: str = "") -> Citation:
    """A citation of the first place `quote` stands."""
    start = page.text.index(quote)
    span = (start, start + len(quote))
    return Citation(
        source_id="S1", document=document, source_name=name, page=page.number, page_label=page.label, section=section,
        snippet=quote, spans=(span,), boxes=spans_boxes(page, [span]), chunk_id="0" * 64, match="exact", score=0.71,
    )  # fmt: skip


def claim(number: int, text: str, status: Status, confidence: float, reason: str, *cited: Citation) -> VerifiedClaim:
    """A verified claim with two checks."""
    checks = (
        Check(name="verbatim", passed=bool(cited), detail="quote stands in the cited source" if cited else "no quote"),
        Check(name="numbers", passed={"grounded": True, "contradicted": False}.get(status), detail=reason),
    )
    verdict = Verdict(grounded=status == "grounded", status=status, confidence=confidence, reason=reason, checks=checks)
    return VerifiedClaim(id=f"c{number}", text=text, citations=cited, verdict=verdict)


def hit(rank: int, citation: Citation, cosine: float, section: float, *, trimmed: str | None = None) -> HitRecord:
    """A hit on the citation's place."""
    return HitRecord(
        source_id=None if trimmed else f"S{rank}", chunk_id=str(rank) * 64, document=citation.document,
        source_name=citation.source_name, page=citation.page, page_label=citation.page_label, span=citation.spans[0],
        section=citation.section, cosine=cosine, section_match=section,
        retrieval_confidence=0.7 * cosine + 0.3 * section, vector_rank=rank, lexical_rank=rank, retrieved_rank=rank,
        rerank_score=None, reranked_rank=rank, in_context=not trimmed, trimmed=trimmed, text=citation.snippet,
    )  # fmt: skip


def answer(claims: tuple[VerifiedClaim, ...], hits: tuple[HitRecord, ...], **changes: object) -> Answer:
    """An answered question."""
    values: dict[str, object] = {
        "trace_id": "20251130T141500-sample", "question": "What does it cost and how did it do?", "status": "answered",
        "reader": "extractive", "claims": claims, "hits": hits, "usage": Usage(),
        "generation_confidence": sum(c.verdict.confidence for c in claims) / len(claims) if claims else None,
        "grounded_share": sum(c.verdict.grounded for c in claims) / len(claims) if claims else None,
        "timings_ms": {"retrieve": 212.0, "generate": 480.0, "verify": 171.0},
    }  # fmt: skip
    return Answer(**(values | changes))  # type: ignore[arg-type]


def conflict(one: Citation, other: Citation) -> Conflict:
    """Two places that disagree."""
    return Conflict(subject="expense ratio", citations=(one, other), detail="0.05% on one page, 0.04% on the other")


def abstention(hits: tuple[HitRecord, ...]) -> Abstention:
    """Nothing found, two pages unread."""
    return Abstention(
        reason="No passage answers this question.",
        searched=("nimbus_2024.pdf", "nimbus_2025.pdf"),
        nearest=hits,
        unread_pages={"scan.pdf": (4, 5)},
    )
