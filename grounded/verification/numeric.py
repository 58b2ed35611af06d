"""Claims with numbers: each must stand in a cell or sentence that fits the claim, or follow from such ones."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grounded.quantities import Quantity
from grounded.types import Check, Status
from grounded.verification import edits, numbers
from grounded.verification.cells import Value
from grounded.verification.edits import Edit
from grounded.verification.examine import Examined
from grounded.verification.fit import time_spans
from grounded.verification.formulas import Operand, direction
from grounded.verification.grounds import has_ground
from grounded.verification.judgement import DECIDED, LIKELY, PASSED, READ, SPEAKS_AGAINST, Judgement, ruled, short
from grounded.verification.moves import misplaced
from grounded.verification.numbers import Finding, Seen, as_said, as_seen
from grounded.verification.prose import clause_of
from grounded.verification.reasons import number_check, place_against, rests_on_cell, stated_otherwise, why_not
from grounded.verification.strangers import find_strange_name
from grounded.verification.words import stem

_READ_WITH_AMOUNTS = 0.3  # chance of support as the encoder reads a claim whose amounts are right


def by_numbers(examined: Examined) -> Judgement:
    """The weakest of the claimed numbers decides; then whether the sentences they stand in say what the claim says."""
    judged = _without_names([(f, chance_of(f, examined)) for f in examined.findings])
    checks = [number_check(f, p) for f, p in judged]
    if stranger := find_strange_name(examined):
        return stranger
    places = tuple(s for f, p in judged if p >= DECIDED for s in _places(f, examined))
    if turned := _turned(examined, judged):
        detail = turned.detail
        return Judgement(
            ruled("contradicted", 0.95, detail, [*checks, Check(name=turned.kind, passed=False, detail=detail)]),
            (),
            places,
        )
    finding, worst = min(judged, key=lambda item: item[1])
    if worst >= DECIDED and (read := _read_beside(examined, judged)) is not None:
        least = _READ_WITH_AMOUNTS if any(_measures(f.target.quantity) for f, _ in judged) else READ
        return _with_reading(read, least, worst, checks, places)
    if worst >= DECIDED:
        return Judgement(ruled("grounded", worst, checks[0].detail, checks), (), places)
    others_hold = any(p >= DECIDED for _, p in judged)
    status: Status = "contradicted" if stated_otherwise(finding) else "partial" if others_hold else "unverified"
    against = place_against(finding)
    places += () if against is None else (against,)
    reworded = not (examined.sheets or examined.reading.is_answer)
    sure = min(1 - worst, LIKELY) if reworded else 1 - worst
    return Judgement(ruled(status, sure, why_not(finding), checks), (), places)


def _places(finding: Finding, examined: Examined) -> list[Seen]:
    """What a number that holds rests on: the cell or sentence that has it, or the operands of the formula that gives
    it, as the reason says."""
    printed = [s for s in (finding.cell, finding.text) if s is not None]
    found = finding.derivation
    if found is None or max((s.fit.total for s in printed), default=0.0) >= found.fit:
        return printed
    return [seen for operand in found.operands if (seen := _operand(operand, examined)) is not None]


def _operand(operand: Operand, examined: Examined) -> Seen | None:
    """The cell or sentence that an operand was read from."""
    wanted = (operand.place, operand.name, operand.text)
    values = ((v, grid) for grid, sheet in enumerate(examined.sheets) for v in sheet.values)
    if seen := next((as_seen(v, grid) for v, grid in values if (v.place, v.name, v.text) == wanted), None):
        return seen
    statement = next((s for s in examined.prose.statements if s.index == operand.place[0]), None)
    given = next((q for q in statement.quantities if q.text == operand.text), None) if statement else None
    return as_said(given, statement) if statement and given else None


def _read_beside(examined: Examined, judged: Sequence[tuple[Finding, float]]) -> dict[str, float] | None:
    """What the encoder reads where a statement's numbers stand in sentences only: 'dividends of 12' has the number of
    'a price of 12', and nothing else. None where headers or a formula say what the numbers are, or without encoder."""
    said = all(f.text is not None and f.cell is None and f.derivation is None for f, _ in judged)
    return examined.read if (said or not examined.sheets) and not examined.reading.is_answer else None


def _measures(quantity: Quantity) -> bool:
    """An amount, which says much when it is right; a bare number may be part of a name ('type 2', 'three parties')."""
    return quantity.kind != "number" or bool(quantity.unit)


def _with_reading(
    read: dict[str, float], least: float, sure: float, checks: list[Check], places: tuple[Seen, ...]
) -> Judgement:
    """A claim whose numbers are right in the sentences where they stand: whether it says what these say."""
    sure = (sure + read["supported"]) / 2
    if read["supported"] >= least:
        return Judgement(ruled("grounded", sure, checks[0].detail, checks), (), places)
    status: Status = "contradicted" if read["contradicted"] >= SPEAKS_AGAINST else "unverified"
    detail = "the source has the claim's numbers, but does not say the same of them"
    checks = [*checks, Check(name="words", passed=PASSED.get(status), detail=detail)]
    return Judgement(ruled(status, 1 - sure, detail, checks), (), places)


def chance_of(finding: Finding, examined: Examined) -> float:
    head = examined.models.heads["numbers"]
    if not has_ground(finding, examined):
        return 0.0
    return head.probabilities(numbers.features(finding))["supported"]


def _without_names(judged: Sequence[tuple[Finding, float]]) -> list[tuple[Finding, float]]:
    """Numbers that are part of a header ('aged 45', 'up to three months') of the cell that holds, or should hold,
    another claimed number name that cell and claim nothing."""
    meant = [(f, seen.value) for f, p in judged if (seen := f.cell if p >= DECIDED else f.nearest) and seen.value]
    counts = {len(f.derivation.operands) for f, p in judged if p >= DECIDED and f.derivation is not None}
    kept = [
        (f, p)
        for f, p in judged
        if p >= DECIDED or not (any(_names(f, v) for other, v in meant if other is not f) or _counts(f, counts))
    ]
    return kept or list(judged)


def _counts(finding: Finding, operands: set[int]) -> bool:
    """'the three largest … together': the number of values that another number of the claim follows from."""
    quantity = finding.target.quantity
    return quantity.spelled and quantity.number in operands


def _names(finding: Finding, value: Value) -> bool:
    """Whether a number stands in the headers of a cell, or in its table's title, as a name."""
    text, header = finding.target.quantity.text.strip(), f"{value.section} {value.label} {value.column}"
    printed = re.search(rf"(?<![\w.,]){re.escape(text)}(?![\w.,])", header) is not None
    in_title = finding.target.quantity.spelled and stem(text) in value.section_words
    return printed or in_title or bool(time_spans(text) & time_spans(header))


def _turned(examined: Examined, judged: Sequence[tuple[Finding, float]]) -> Edit | None:
    """A statement on a cell that says something else than its headers: 'was not', assets for liabilities."""
    if examined.reading.is_answer:
        return None
    held = [finding for finding, p in judged if p >= DECIDED]
    moved = misplaced(examined.claim, held, examined.sheets)
    if edit := moved or next((e for e in map(_opposite, held) if e), None):
        return edit
    values = [f.cell.value for f in held if f.cell is not None and f.cell.value is not None and rests_on_cell(f)]
    rows = [f"{v.section} {v.label} {v.text} {v.column}" for v in values]
    found = (edits.compare(examined.claim, row, examined.models.scorer.rarity).edits for row in rows)
    words = frozenset(" ".join(rows).casefold().split())
    return next(
        (e for es in found for e in es if _turns(e) and (e.kind == "order" or e.claimed.casefold() not in words)), None
    )


def _opposite(finding: Finding) -> Edit | None:
    """A number that the claim gives for a rise and the source for a fall, or the other way round."""
    said = direction(finding.target.phrase)
    found, text = finding.derivation, finding.text
    if text is not None and text.statement is not None and finding.cell is None:
        stated = direction(clause_of(text.statement, text.quantity))
        shown = short(text.name)
    elif found is not None and found.forward is not None and not rests_on_cell(finding):
        stated = (1 if found.result > 0 else -1) * (1 if found.forward else -1)
        shown = found.formula
    else:
        return None
    return Edit("direction", "rise" if said > 0 else "fall", shown) if said * stated < 0 else None


def _turns(edit: Edit) -> bool:
    moved = edit.kind == "order" and edit.claimed.isalpha()
    replaced = edit.kind in ("role", "condition") and bool(edit.claimed and edit.stated)
    return moved or replaced or edit.kind == "negation"
