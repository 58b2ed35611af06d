"""Verified claims -> the lines a person reads and the two figures of an answer."""

from __future__ import annotations

from collections.abc import Sequence

from grounded.types import Citation, VerifiedClaim


def answer_text(claims: Sequence[VerifiedClaim]) -> str:
    """One line a claim: '[grounded] The expense ratio is 0.03% (p.1, Quick facts)'."""
    return "\n".join(_line(claim) for claim in claims)


def generation_confidence(claims: Sequence[VerifiedClaim]) -> float | None:
    """Mean of the verdicts' confidences; None when there are no claims."""
    if not claims:
        return None
    return round(sum(claim.verdict.confidence for claim in claims) / len(claims), 4)


def grounded_share(claims: Sequence[VerifiedClaim]) -> float | None:
    """Grounded claims / claims; None when there are none."""
    return sum(claim.verdict.grounded for claim in claims) / len(claims) if claims else None


def _line(claim: VerifiedClaim) -> str:
    places = dict.fromkeys(_place(c) for c in claim.citations if c.match != "approximate")
    where = f" ({'; '.join(places)})" if places else ""
    return f"[{claim.verdict.status}] {claim.text}{where}"


def _place(citation: Citation) -> str:
    page = f"p.{citation.page_label or citation.page}"
    return f"{page}, {citation.section}" if citation.section else page
