"""Statements of a move: 'sales rose from 5 to 8', 'fell to 3'. Its numbers may all be printed and the move be none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from grounded.quantities.compare import units_agree
from grounded.verification.cells import Sheet, Value
from grounded.verification.derive import moment
from grounded.verification.edits import Edit
from grounded.verification.formulas import direction
from grounded.verification.numbers import Finding

_FROM, _TO = re.compile(r"\bfrom $", re.IGNORECASE), re.compile(r"[^,;.]{0,30}\bto $", re.IGNORECASE)


def misplaced(claim: str, findings: Sequence[Finding], sheets: Sequence[Sheet]) -> Edit | None:
    """What is wrong with a move of which every number stands in a cell: its end is on the wrong side of its beginning,
    or is the earlier one of the two; or the source has a later one, where no period is named."""
    said = direction(claim)
    if not said:
        return None
    for first, last in pairwise(findings):
        a, b = first.target.quantity, last.target.quantity
        between = claim[a.span[1] : b.span[0]]
        if not _TO.fullmatch(between) or not units_agree(a, b):
            continue
        if _FROM.search(claim[: a.span[0]]) and (said * (b.value - a.value) < 0 or _is_earlier(last, first)):
            return Edit("direction", f"from {a.text.strip()} to {b.text.strip()}", "it is the other way round")
    return next((edit for f in findings if (edit := _outdated(claim, f, sheets))), None)


def _is_earlier(finding: Finding, than: Finding) -> bool:
    one, other = (f.cell.value if f.cell else None for f in (finding, than))
    if one is None or other is None or one.row != other.row or not (one.periods and other.periods):
        return False
    return _when(one) < _when(other)


def _outdated(claim: str, finding: Finding, sheets: Sequence[Sheet]) -> Edit | None:
    """'rose 9 % to 1,100', where the row has a later value and the claim names no period."""
    target, seen = finding.target, finding.cell
    if target.periods or seen is None or seen.value is None or not _TO.search(claim[: target.quantity.span[0]]):
        return None
    value = seen.value
    row = [v for v in sheets[seen.grid].values if v.row == value.row and v.periods]
    alike = [v for v in row if v.quantity.unit == value.quantity.unit]
    latest = max(alike, key=_when, default=value)
    if not value.periods or _when(latest) <= _when(value):
        return None
    return Edit("period", target.quantity.text.strip(), f"{latest.text.strip()} ({latest.name})")


def _when(value: Value) -> tuple[int, ...]:
    return max(moment(p) for p in value.periods)
