"""Sources that give the same subject different values: shown side by side, none chosen."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from grounded.quantities import compare
from grounded.quantities.compare import units_agree
from grounded.types import Citation, Conflict, VerifiedClaim
from grounded.verification.claims import Target, read_claim
from grounded.verification.words import content

_SAME = 0.8  # share of words in common (of all words of both) from which two subjects are one


def find_conflicts(claims: Sequence[VerifiedClaim]) -> tuple[Conflict, ...]:
    """Pairs of grounded claims from different places that say the same of the same period with another value."""
    grounded = [claim for claim in claims if claim.verdict.grounded and claim.citations and not claim.calculation]
    found = (_conflict(a, b) for a, b in combinations(grounded, 2))
    return tuple(conflict for conflict in found if conflict is not None)


def _conflict(first: VerifiedClaim, second: VerifiedClaim) -> Conflict | None:
    one, other = _only_number(first), _only_number(second)
    if one is None or other is None or not _same_subject(first.text, second.text) or not _same_period(one, other):
        return None
    if not units_agree(one.quantity, other.quantity):
        return None
    if compare(one.quantity, other.quantity).agrees or compare(other.quantity, one.quantity).agrees:
        return None
    citations = tuple(dict.fromkeys((first.citations[0], second.citations[0])))
    if len(citations) < 2:
        return None
    detail = f"{_says(one, citations[0])}; {_says(other, citations[1])}"
    return Conflict(subject=" ".join(sorted(content(first.text))), citations=citations, detail=detail)


def _only_number(claim: VerifiedClaim) -> Target | None:
    """The claim's one number; claims with several compare nothing single."""
    targets = read_claim(claim.text, None).targets
    return targets[0] if len(targets) == 1 else None


def _same_subject(first: str, second: str) -> bool:
    one, other = content(first), content(second)
    return bool(one) and len(one & other) >= _SAME * len(one | other)


def _same_period(one: Target, other: Target) -> bool:
    if not one.periods or not other.periods:
        return not one.periods and not other.periods
    return any(a.agrees(b) for a in one.periods for b in other.periods)


def _says(target: Target, citation: Citation) -> str:
    return f"{citation.source_name}, p. {citation.page_label}: {target.quantity.text.strip()}"
