"""Claim and evidence -> verdict, by rules and a small calibrated model. Pure: the same input, the same verdict."""

from __future__ import annotations

from grounded.quantities import Quantity, compare, decimal_mark, quantities
from grounded.types import Check, Verdict
from grounded.verification.evidence import Evidence

_COUNTED = frozenset({"number", "money", "percent", "multiple"})


def judge(claim: str, evidence: Evidence) -> Verdict:
    """The verdict of rules alone on one claim."""
    checks = _number_checks(claim, evidence)
    failed = [check for check in checks if check.passed is False]
    if failed:
        return Verdict(grounded=False, status="unverified", confidence=0.9, reason=failed[0].detail, checks=checks)
    return Verdict(grounded=True, status="grounded", confidence=0.9, reason="stands in the evidence", checks=checks)


def _number_checks(claim: str, evidence: Evidence) -> tuple[Check, ...]:
    whole = "\n".join([evidence.text, *(" | ".join(row) for grid in evidence.grids for row in grid.rows)])
    mark = decimal_mark(None, f"{claim}\n{whole}")
    found = quantities(whole, locale_hint=mark)
    claimed = [q for q in quantities(claim, locale_hint=mark) if q.kind in _COUNTED]
    return tuple(_number_check(q, found) for q in claimed)


def _number_check(claimed: Quantity, found: list[Quantity]) -> Check:
    for candidate in found:
        comparison = compare(claimed, candidate)
        if comparison.agrees:
            return Check(name="numbers", passed=True, detail=comparison.detail)
    return Check(name="numbers", passed=False, detail=f"{claimed.text.strip()} is not in the source")
