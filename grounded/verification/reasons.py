"""What is said of a number that holds, or does not: which cell, sentence or formula, and what is wrong with it."""

from __future__ import annotations

from grounded.quantities import Quantity
from grounded.types import Check
from grounded.verification.grounds import better_said, misfit
from grounded.verification.judgement import DECIDED, short
from grounded.verification.numbers import Finding, Seen

_FITS_WELL = 1.5  # of 2.4: a cell or sentence that is plainly about the claim's subject
_NAMED_ROW = 0.8  # of 1: a row that the claim names, whatever its column
_TOLD_ROW = 0.5  # of 1: a row that a reason may set against the claim


def rests_on_cell(finding: Finding) -> bool:
    """Whether a number is printed in a cell that fits at least as well as the formula that gives it."""
    if finding.cell is None:
        return False
    return finding.derivation is None or finding.cell.fit.total >= finding.derivation.fit


def number_check(finding: Finding, p: float) -> Check:
    """p: the chance that the number holds."""
    if p < DECIDED:
        return Check(name="numbers", passed=False, detail=why_not(finding))
    return Check(name="numbers", passed=True, detail=_why(finding))


def _why(finding: Finding) -> str:
    best = max((s for s in (finding.cell, finding.text) if s), key=lambda s: s.fit.total, default=None)
    if best is not None and (finding.derivation is None or best.fit.total >= finding.derivation.fit):
        return f"{best.match.detail} ({short(best.name)})"
    assert finding.derivation is not None
    return f"{finding.derivation.formula}, from {finding.derivation.cells}"


def stated_otherwise(finding: Finding) -> bool:
    """Whether a cell or sentence that is plainly about the claim's subject gives another number; a part in words
    ('half of them') is compared with no printed number."""
    if finding.target.quantity.kind == "fraction":
        return False
    return any(_is_plain(s) and not s.match.agrees for s in _alike(finding))


def _is_plain(seen: Seen) -> bool:
    """Whether a cell or sentence is plainly about the claim's subject: on the whole, or by its row alone."""
    return seen.fit.total >= _FITS_WELL or (seen.fit.row >= _NAMED_ROW and seen.fit.period > 0)


def _near_miss(finding: Finding) -> Seen | None:
    return next((miss for miss in finding.near_misses if _is_plain(miss)), None)


def _fitting(finding: Finding) -> Seen | None:
    """The cell or sentence that is plainly about the claim's subject, whatever number it gives."""
    return next((s for s in _alike(finding) if _is_plain(s)), None)


def _alike(finding: Finding) -> list[Seen]:
    """The best fitting cell and sentence. A sentence's number, which has its unit beside it, must be of the claimed
    kind: that returns "of less than one year are not annualized" gives no other return."""
    cell, text = finding.nearest, finding.nearest_text
    kind = finding.target.quantity.kind
    return [s for s in (cell, text if text and text.quantity.kind == kind else None) if s]


def place_against(finding: Finding) -> Seen | None:
    """The place that the reason against a number speaks of."""
    if miss := _near_miss(finding):
        return miss
    other = finding.cell or finding.text
    if finding.text is not None and finding.cell is None and better_said(finding, finding.text):
        return finding.nearest_text
    return _fitting(finding) if other is None else _meant(finding.nearest) or other


def why_not(finding: Finding) -> str:
    """The sentence that says what is wrong with a number: scale, sign, cell, year, or that it is nowhere."""
    claimed = finding.target.quantity.text.strip()
    if miss := _near_miss(finding):
        return f"wrong {miss.match.how}: {miss.match.detail} ({short(miss.name)})"
    if finding.scale_of_derivation == "wrong" and finding.derivation is not None:
        return f"wrong scale: {finding.derivation.formula}, in another scale than {claimed}"
    if (wrong := misfit(finding)) and finding.derivation is not None:
        points = " percentage points" if wrong == "unit" else ""
        return f"wrong {wrong}: {finding.derivation.formula}{points}, from {finding.derivation.cells}"
    other = finding.cell or finding.text
    if finding.text is not None and finding.cell is None and better_said(finding, finding.text):
        return _said_better(claimed, finding)
    if other is not None:
        return _elsewhere(claimed, other, _meant(finding.nearest))
    if seen := _fitting(finding):
        return f"the source gives {_shown(seen.quantity)} for {short(seen.name)}, not {claimed}"
    return f"{claimed} is not in the source and does not follow from it"


def _said_better(claimed: str, finding: Finding) -> str:
    """The sentence that says nearly all of the claim with another number; of its numbers one in the claim's unit."""
    said = finding.nearest_text
    assert said is not None and said.statement is not None
    alike = [q for q in said.statement.quantities if q.unit == finding.target.quantity.unit]
    given = _shown(alike[0] if alike else said.quantity)
    return f"the source gives {given} in “{short(said.name)}”, not {claimed}"


def _meant(nearest: Seen | None) -> Seen | None:
    """The best fitting cell, when it is near enough for the claim to mean it."""
    return nearest if nearest and (_is_plain(nearest) or nearest.fit.row >= _TOLD_ROW) else None


def _elsewhere(claimed: str, other: Seen, nearest: Seen | None) -> str:
    if other.statement is not None:
        said = f"{claimed} stands in “{short(other.name)}”"
    else:
        said = f"{claimed} is {short(other.name)}"
    if nearest is None or nearest.name == other.name:
        return f"{said}; that the claim is about this cannot be told from its words"
    what = "year" if nearest.fit.row - other.fit.row < 0.1 and other.fit.period < nearest.fit.period else "cell"
    return f"wrong {what}: {said}; for {short(nearest.name)} the source gives {_shown(nearest.quantity)}"


def _shown(quantity: Quantity) -> str:
    return quantity.text.strip()
