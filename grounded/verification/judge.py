"""Claim and evidence -> verdict, by rules and small calibrated models. Pure: the same input, the same verdict.

A claim of several sentences is judged sentence by sentence. For each one, in this order:
1. strangers: an identifier or name that the evidence nowhere has cannot be supported by it;
2. forms: a field that the claim's subject names must carry the claimed value;
3. word beside word: where a sentence of the evidence has nearly the same words, the differences decide;
4. counts and order: how many cells lie beyond a threshold; ranks, extremes, comparisons and trends over named rows
   and periods of a table;
5. numbers: every claimed number must stand in a cell or sentence that fits the claim, or follow from such ones;
6. frequency: how often something happens, where a sentence or row says it;
7. else the alignment of claim and text decides, by the calibrated heads;
8. claims in words never met in training, and numbers right in a sentence that may say something else of them, are read
   by an encoder, when one is given.
What holds so far is refused where it says more than its places (additions.py), or where the nearest sentence denies it,
speaks of another name or date, or gives another frequency (polarity.py, grounds.py, frequency.py).
A remark on a table alone, mostly in words that the table lacks, is weighed by one head before the order of 4.
A rule that finds a difference overrules the head; a head never overrules a rule, but where only words of no class
differ.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from grounded.text import sentence_spans
from grounded.types import Check, Status, Verdict
from grounded.verification import align
from grounded.verification.additions import addition, other_kind, strange_condition, strange_year
from grounded.verification.counting import find_count
from grounded.verification.edits import Edit
from grounded.verification.evidence import Evidence
from grounded.verification.examine import Examined
from grounded.verification.fields import FieldFinding, find_field
from grounded.verification.fit import period_fit, time_spans
from grounded.verification.follows import PairReader
from grounded.verification.frequency import Often, find_frequency
from grounded.verification.grounds import names_another
from grounded.verification.judgement import GUESSED, LIKELY, SURE, Judgement, refused, ruled, short
from grounded.verification.models import Models, shipped
from grounded.verification.numbers import as_seen
from grounded.verification.numeric import by_numbers
from grounded.verification.ordering import Order, find_order
from grounded.verification.polarity import find_denial
from grounded.verification.reasons import rests_on_cell
from grounded.verification.rewording import by_alignment, by_comparing
from grounded.verification.strangers import find_strange_name, find_stranger
from grounded.verification.wording import SEVERAL, by_changed_answer, by_rearrangement, by_repetition, find_nearest
from grounded.verification.words import content

_PLACED = frozenset({"numbers", "field", "frequency"})  # checks whose place says a value, not the whole claim
_ANY_YEAR, _TWO = re.compile(r"\b(?:19|20)\d\d\b"), 2


def judge(claim: str, evidence: Evidence, pairs: PairReader | None = None) -> Verdict:
    """The verdict of rules and heads on one claim, no language model asked. pairs: an encoder that reads the claim with
    its nearest sentences where no rule decides."""
    return weigh(claim, evidence, pairs).verdict


def weigh(claim: str, evidence: Evidence, pairs: PairReader | None = None, models: Models | None = None) -> Judgement:
    """The same with the sentences and cells it rests on. models: others than those shipped, for figures on documents
    that these were fitted on."""
    parts = _parts(claim)
    judged = [_unless_denied(Examined(part, evidence, models or shipped(), pairs)) for part in parts]
    return judged[0] if len(judged) == 1 else _together(parts, judged)


def _parts(claim: str) -> list[str]:
    """The sentences of a claim; 'question? — answer' stays whole."""
    if "?" in claim:
        return [claim]
    return [claim[a:b] for a, b in sentence_spans(claim)] or [claim]


def _together(parts: Sequence[str], judged: Sequence[Judgement]) -> Judgement:
    """One verdict over a claim's sentences: the worst one speaks; some right and some not is partial."""
    verdicts = [j.verdict for j in judged]
    checks = tuple(check for v in verdicts for check in v.checks)
    failed = [(part, v) for part, v in zip(parts, verdicts, strict=True) if not v.grounded]
    places = (tuple(s for j in judged for s in j.statements), tuple(c for j in judged for c in j.cells))
    if not failed:
        weakest = min(verdicts, key=lambda v: v.confidence)
        return Judgement(weakest.model_copy(update={"checks": checks}), *places)
    part, worst = max(failed, key=lambda f: f[1].confidence)
    contradicted = worst.status == "contradicted"
    status: Status = "contradicted" if contradicted else "partial" if len(failed) < len(parts) else worst.status
    reason = worst.reason if len(failed) == len(parts) else f"“{part}”: {worst.reason}"
    verdict = Verdict(grounded=False, status=status, confidence=worst.confidence, reason=reason, checks=checks)
    return Judgement(verdict, *places)


def _unless_denied(examined: Examined) -> Judgement:
    """The judgement on one sentence; what sentences bear out is refused where the nearest one denies a word of it, or
    says another frequency."""
    judged = _part(examined)
    if other := _other_frequency(judged, examined):
        return other
    resting = judged.statements or any(seen.statement is not None for seen in judged.cells)
    if not (judged.verdict.grounded and resting) or examined.reading.is_answer or align.is_learned(examined.claim):
        return judged
    denial = find_denial(examined.claim, examined.aligned)
    if denial is None:
        return _of_another(judged, examined) or judged
    checks = [*judged.verdict.checks, Check(name="negation", passed=False, detail=denial.detail)]
    status: Status = "contradicted" if denial.plain else "unverified"
    return Judgement(ruled(status, LIKELY if denial.plain else GUESSED, denial.detail, checks), (denial.statement,))


def _of_another(judged: Judgement, examined: Examined) -> Judgement | None:
    """A refusal where the one sentence that a statement rests on speaks of another name, or another date."""
    if len(judged.statements) != 1 or judged.cells:
        return None
    statement = judged.statements[0]
    if names_another(statement, examined):
        return refused(f"the nearest sentence speaks of another: “{short(statement.text)}”", "name")
    if period_fit(examined.reading.periods, statement.periods) == 0:
        return refused(f"the nearest sentence gives another date: “{short(statement.text)}”", "period")
    return None


def _other_frequency(judged: Judgement, examined: Examined) -> Judgement | None:
    """The judgement that the source says another frequency, where nothing else of a statement was found wrong."""
    wrong = {check.name for check in judged.verdict.checks if check.passed is False}
    if examined.reading.is_answer or judged.verdict.status == "contradicted" or wrong - {"period", "unit"}:
        return None
    often = find_frequency(examined.claim, examined.spoken, examined.evidence)
    return _by_frequency(often) if often is not None and not often.holds else None


def _part(examined: Examined) -> Judgement:
    judged = _decided(examined)
    if not judged.verdict.grounded:
        return judged
    return _beyond(examined, judged) or judged


def _decided(examined: Examined) -> Judgement:
    claim, evidence = examined.claim, examined.evidence
    if stranger := find_stranger(examined):
        return stranger
    if field := find_field(claim, evidence):
        return _by_field(field)
    if examined.reading.is_answer:
        if changed := by_changed_answer(examined):
            return changed
    elif (near := find_nearest(claim, examined.closest, examined)) and (
        same := by_repetition(near, examined) or by_rearrangement(near, examined)
    ):
        return same
    if count := find_count(examined.reading, examined.sheets):
        return _by_order(count, "count")
    if examined.is_remark:
        return by_comparing(examined)
    order = find_order(examined.reading, examined.sheets)
    if order is not None and not (order.holds and _claims_numbers(examined, order)):
        return _by_order(order)
    if examined.findings:
        return by_numbers(examined)
    if often := find_frequency(claim, examined.spoken, evidence):
        return _by_frequency(often)
    if examined.sheets and not examined.prose.statements:
        return by_comparing(examined)
    return by_alignment(examined)


def _beyond(examined: Examined, judged: Judgement) -> Judgement | None:
    """The refusal of a claim that holds but for something that none of the places it rests on says."""
    if year := strange_year(examined.claim, examined.everything):
        return refused(f"“{year}” is nowhere in the source", "period")
    if condition := strange_condition(examined.claim, examined.everything):
        return refused(f"the source has no “{condition}”", "condition")
    passed = [check for check in judged.verdict.checks if check.passed]
    placed = all(check.name in _PLACED for check in passed)
    if placed and (stranger := find_strange_name(examined)):
        return stranger
    if not placed and not (examined.reading.is_answer and all(check.name == "words" for check in passed)):
        return None  # read as a whole, or worked out from an order, its denials with it
    places = _resting(examined, judged, passed)
    added = addition(examined.claim, examined.reading.stated, places)
    if added is None and placed:
        added = _of_other_years(examined) or _of_other_kind(examined, places)
    if added is None:
        return None
    status: Status = "contradicted" if added.kind in ("negation", "role", "period") else "unverified"
    checks = (*judged.verdict.checks, Check(name=added.kind, passed=False, detail=added.detail))
    verdict = ruled(status, LIKELY, added.detail, checks)
    return Judgement(verdict, judged.statements, judged.cells, judged.fields)


def _of_other_years(examined: Examined) -> Edit | None:
    """'From 2018 to 2018', 'between 2017 and 2019': a number worked out from cells of two years, where the claim names
    a year that none of them has, or one of them twice."""
    asked = _ANY_YEAR.findall(examined.reading.subject)
    for found in (f.derivation for f in examined.findings if f.derivation is not None and not rests_on_cell(f)):
        years = {str(p.year) for o in found.operands for p in o.periods if p.year}
        two = len(years) == len(found.operands) == len(asked) == _TWO
        if two and set(asked) != years and set(asked) & years:
            return Edit("period", " and ".join(asked), " and ".join(sorted(years)))
    return None


def _of_other_kind(examined: Examined, places: Sequence[str]) -> Edit | None:
    """Gross for net, short-term for long-term: a word that excludes one which the places have instead."""
    reading = examined.reading
    if reading.is_answer and len(content(reading.stated)) >= SEVERAL:
        return None
    found = other_kind(content(reading.subject), frozenset[str]().union(*map(content, places)))
    return Edit("role", *found) if found else None


def _resting(examined: Examined, judged: Judgement, passed: Sequence[Check]) -> list[str]:
    """The texts of what a number, a field's value or an answer rests on."""
    cells = [f"{c.value.section} {c.value.label} {c.value.column}" for c in judged.cells if c.value is not None]
    said = [c.statement.text for c in judged.cells if c.statement is not None] + [s.text for s in judged.statements]
    if any(check.name == "words" for check in passed) or (said and not examined.reading.is_answer):
        said += [s.text for s in examined.closest]
    return [*(check.detail for check in passed), *cells, *said, *(grid.caption for grid in examined.evidence.grids)]


def _by_field(finding: FieldFinding) -> Judgement:
    field = finding.field
    if finding.holds and not finding.denied:
        detail = f"{field.label}: {short(field.value)}"
        check = Check(name="field", passed=True, detail=detail)
        return Judgement(ruled("grounded", SURE, detail, [check]), fields=(field,))
    if not field.value:
        detail = f"the field “{field.label}” is blank"
        check = Check(name="field", passed=False, detail=detail)
        return Judgement(ruled("unverified", 0.95, detail, [check]), fields=(field,))
    detail = f"the source says “{short(field.value)}” for {field.label}, the claim “{short(finding.claimed)}”"
    return Judgement(
        ruled("contradicted", 0.95, detail, [Check(name="field", passed=False, detail=detail)]), fields=(field,)
    )


def _by_order(order: Order, name: str = "order") -> Judgement:
    """A rank, an extreme, a comparison, a trend or a count that the table's cells decide."""
    check = Check(name=name, passed=order.holds, detail=order.detail)
    status: Status = "grounded" if order.holds else "contradicted"
    places = tuple(as_seen(cell, order.grid) for cell in order.cells)
    return Judgement(ruled(status, 0.95, order.detail, [check]), (), places)


def _by_frequency(often: Often) -> Judgement:
    check = Check(name="frequency", passed=often.holds, detail=short(often.detail))
    places = () if often.statement is None else (often.statement,)
    if often.holds:
        return Judgement(ruled("grounded", 0.8, check.detail, [check]), places)
    return Judgement(ruled("contradicted", 0.8, f"the source says “{check.detail}”", [check]), places)


def _claims_numbers(examined: Examined, order: Order) -> bool:
    """Whether the claim says more than an order: figures, which years, number words ('of the four') and the lengths of
    time of the cells' headers are not."""
    spans = frozenset().union(*(time_spans(cell.name) for cell in order.cells))
    said = [t.quantity for t in examined.reading.targets]
    return any(not q.spelled and q.kind != "year" and not time_spans(q.text) & spans for q in said)
