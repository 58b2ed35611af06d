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
A remark on a table alone, mostly in words that the table lacks, is weighed by one head before the order of 4.
A rule that finds a difference overrules the head; a head never overrules a rule, but where only words of no class
differ.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from grounded.quantities import Quantity
from grounded.quantities.compare import units_agree
from grounded.text import sentence_spans
from grounded.types import Check, Status, Verdict
from grounded.verification import align, comparing, edits, numbers
from grounded.verification.additions import addition, other_kind, strange_condition, strange_year
from grounded.verification.cells import Value
from grounded.verification.counting import find_count
from grounded.verification.edits import Compared, Edit
from grounded.verification.evidence import Evidence
from grounded.verification.examine import Examined
from grounded.verification.fields import Field, FieldFinding, find_field
from grounded.verification.fit import period_fit, time_spans
from grounded.verification.follows import PairReader
from grounded.verification.formulas import Operand, direction
from grounded.verification.frequency import Often, find_frequency, often_words, said_often
from grounded.verification.grounds import (
    better_said,
    has_ground,
    in_other_years,
    misfit,
    names_another,
    of_other_clause,
    of_sibling,
)
from grounded.verification.models import Models, shipped
from grounded.verification.moves import misplaced
from grounded.verification.numbers import Finding, Seen, as_said, as_seen
from grounded.verification.ordering import Order, find_order
from grounded.verification.polarity import both_deny, find_denial
from grounded.verification.prose import Statement, clause_of, period_of
from grounded.verification.words import content, stem, stems

_NEARLY = 0.8  # share of a claim's words that must stand in one sentence for the differences to decide
_MOSTLY, _REORDERED = 0.6, 0.35
_FITS_WELL = 1.5  # of 2.4: a cell or sentence that is plainly about the claim's subject
_NAMED_ROW = 0.8  # of 1: a row that the claim names, whatever its column
_TOLD_ROW = 0.5  # of 1: a row that a reason may set against the claim
_TOUCHED = 0.25  # share of a claim's words, for a sentence to be about it at all
_HALF_KNOWN = 0.5  # share of a reworded claim's content words that the source must have somewhere
_LISTED = 3  # words named in a reason
_LOOKED_AT = 6  # cells shown for a remark on a table
_ROOT = 5  # letters that 'California' and 'Californian' share
_SEVERAL = 4  # content words from which an answer may be a changed copy of a sentence's part
_SURE = 0.97
_SOFTENED, _ROUND = 30, Decimal("1.1")  # letters from 'more than' to its number; by which factor that may differ
_LIKELY, _GUESSED, _BARELY = 0.85, 0.75, 0.6  # reworded: a name or number is missing; only other words; most words
_DECIDED = 0.5
_READ, _OVER = 0.4, 1.2  # chance of support at which what the encoder read counts, and by how much over that against it
_SPEAKS_AGAINST = 0.7  # confidence from which a claim that was read, not proven, is called contradicted
_READ_WITH_AMOUNTS = 0.3  # chance of support as the encoder reads a claim whose amounts are right
_PLAINLY_READ = 0.8  # the same for one that has nearly a sentence's words
_PASSED: dict[Status, bool] = {"grounded": True, "contradicted": False}
_VALUES = frozenset({"number", "unit", "period"})  # kinds of edits that the check of numbers decides better
_PLACED = frozenset({"numbers", "field", "frequency"})  # checks whose place says a value, not the whole claim
_YEAR, _ANY_YEAR, _TWO = re.compile(r"(?:19|20)\d\d"), re.compile(r"\b(?:19|20)\d\d\b"), 2
_CAPITALISED = re.compile(r"(?<=[\w,;)] )[A-Z][a-z]{3,}\b")
_ONLY = re.compile(r"\b(?:only|solely|exclusively|limited to|nothing but)\b", re.IGNORECASE)
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
# letters and digits in one word: report numbers, serial numbers, registrations, product codes
_IDENTIFIER = re.compile(r"\b(?!FY)(?=[A-Z0-9-]*[A-Z])(?=[A-Z0-9-]*\d[A-Z0-9-]*\d)[A-Z0-9][A-Z0-9-]{4,}\b")


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict with the places it rests on."""

    verdict: Verdict
    statements: tuple[Statement, ...] = ()
    cells: tuple[Seen, ...] = ()
    fields: tuple[Field, ...] = ()

    @property
    def fit(self) -> float:
        """How well the best fitting of its cells and numbers suits the claim (fit.py), 0 without any."""
        return max((round(seen.fit.total, 1) for seen in self.cells), default=0.0)


class Near(NamedTuple):
    """A sentence of the evidence, or the neighbouring pieces of one, with the claim laid beside it."""

    statements: tuple[Statement, ...]
    words: Compared

    @property
    def quantities(self) -> list[tuple[Statement, Quantity]]:
        """Its numbers, each with the piece it stands in."""
        return [(s, q) for s in self.statements for q in s.quantities]


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
    return Judgement(
        _verdict(status, _LIKELY if denial.plain else _GUESSED, denial.detail, checks), (denial.statement,)
    )


def _of_another(judged: Judgement, examined: Examined) -> Judgement | None:
    """A refusal where the one sentence that a statement rests on speaks of another name, or another date."""
    if len(judged.statements) != 1 or judged.cells:
        return None
    statement = judged.statements[0]
    if names_another(statement, examined):
        return _refused(f"the nearest sentence speaks of another: “{_short(statement.text)}”", "name")
    if period_fit(examined.reading.periods, statement.periods) == 0:
        return _refused(f"the nearest sentence gives another date: “{_short(statement.text)}”", "period")
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
    if stranger := _stranger(examined):
        return stranger
    if field := find_field(claim, evidence):
        return _by_field(field)
    if examined.reading.is_answer:
        if changed := _changed_answer(examined):
            return changed
    elif (near := _nearest(claim, examined.closest, examined)) and (
        same := _repeated(near, examined) or _rearranged(near, examined)
    ):
        return same
    if count := find_count(examined.reading, examined.sheets):
        return _by_order(count, "count")
    if examined.is_remark:
        return _by_comparing(examined)
    order = find_order(examined.reading, examined.sheets)
    if order is not None and not (order.holds and _claims_numbers(examined, order)):
        return _by_order(order)
    if examined.findings:
        return _by_numbers(examined)
    if often := find_frequency(claim, examined.spoken, evidence):
        return _by_frequency(often)
    if examined.sheets and not examined.prose.statements:
        return _by_comparing(examined)
    return _by_alignment(examined)


def _beyond(examined: Examined, judged: Judgement) -> Judgement | None:
    """The refusal of a claim that holds but for something that none of the places it rests on says."""
    if year := strange_year(examined.claim, examined.everything):
        return _refused(f"“{year}” is nowhere in the source", "period")
    if condition := strange_condition(examined.claim, examined.everything):
        return _refused(f"the source has no “{condition}”", "condition")
    passed = [check for check in judged.verdict.checks if check.passed]
    placed = all(check.name in _PLACED for check in passed)
    if placed and (stranger := _strange_name(examined)):
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
    verdict = _verdict(status, _LIKELY, added.detail, checks)
    return Judgement(verdict, judged.statements, judged.cells, judged.fields)


def _of_other_years(examined: Examined) -> Edit | None:
    """'From 2018 to 2018', 'between 2017 and 2019': a number worked out from cells of two years, where the claim names
    a year that none of them has, or one of them twice."""
    asked = _ANY_YEAR.findall(examined.reading.subject)
    for found in (f.derivation for f in examined.findings if f.derivation is not None and not _rests_on_cell(f)):
        years = {str(p.year) for o in found.operands for p in o.periods if p.year}
        two = len(years) == len(found.operands) == len(asked) == _TWO
        if two and set(asked) != years and set(asked) & years:
            return Edit("period", " and ".join(asked), " and ".join(sorted(years)))
    return None


def _of_other_kind(examined: Examined, places: Sequence[str]) -> Edit | None:
    """Gross for net, short-term for long-term: a word that excludes one which the places have instead."""
    reading = examined.reading
    if reading.is_answer and len(content(reading.stated)) >= _SEVERAL:
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


# ---------------------------------------------------------------- 1: strangers


def _stranger(examined: Examined) -> Judgement | None:
    """A verdict when the claim is about something with an identifier that the evidence does not have."""
    text = examined.everything
    missing = next((w for w in _IDENTIFIER.findall(examined.claim) if w.casefold() not in text), None)
    if missing is None:
        return None
    reason = f"“{missing}” is nowhere in the source: another document or another item is meant"
    return Judgement(_verdict("unverified", 0.95, reason, [Check(name="identifier", passed=False, detail=reason)]))


# ---------------------------------------------------------------- 2: forms


def _by_field(finding: FieldFinding) -> Judgement:
    field = finding.field
    if finding.holds and not finding.denied:
        detail = f"{field.label}: {_short(field.value)}"
        check = Check(name="field", passed=True, detail=detail)
        return Judgement(_verdict("grounded", _SURE, detail, [check]), fields=(field,))
    if not field.value:
        detail = f"the field “{field.label}” is blank"
        check = Check(name="field", passed=False, detail=detail)
        return Judgement(_verdict("unverified", 0.95, detail, [check]), fields=(field,))
    detail = f"the source says “{_short(field.value)}” for {field.label}, the claim “{_short(finding.claimed)}”"
    return Judgement(
        _verdict("contradicted", 0.95, detail, [Check(name="field", passed=False, detail=detail)]), fields=(field,)
    )


# ---------------------------------------------------------------- 3: word beside word


def _nearest(claim: str, closest: Sequence[Statement], examined: Examined) -> Near | None:
    """The sentence with most of the claim's words in order, among those that share most words. Where lines broke a
    sentence into pieces, they are also laid beside the claim together."""
    rarity = examined.models.scorer.rarity
    own = frozenset(stems(claim))
    together = (_trimmed(examined.prose.pieces(s), own) or (s,) for s in closest)
    runs = {(run[0].index, len(run)): run for run in (*((s,) for s in closest), *together)}
    compared = [Near(run, edits.compare(claim, " ".join(s.text for s in run), rarity)) for run in runs.values()]
    return max(compared, key=lambda n: (round(n.words.share, 2), -len(n.words.edits)), default=None)


def _trimmed(run: tuple[Statement, ...], own: frozenset[str]) -> tuple[Statement, ...]:
    """The pieces from the first to the last that has a word of the claim."""
    having = [n for n, statement in enumerate(run) if statement.stem_set & own]
    return run[having[0] : having[-1] + 1] if having else ()


def _repeated(near: Near, examined: Examined) -> Judgement | None:
    """By the differences, where a claim nearly repeats a sentence: none, or one change."""
    found = _differences(near, examined)
    if near.words.share < _NEARLY or not edits.is_one_change(found):
        return None
    judged = _by_words(near, found)
    return judged if not found else _by_row(examined) or _reworded(near, judged, examined)


def _changed_answer(examined: Examined) -> Judgement | None:
    """An answer in several words that nearly repeats a part of a sentence, with one change."""
    answer = examined.reading.stated
    if len(content(answer)) < _SEVERAL:
        return None
    near = _nearest(answer, examined.closest_to_answer, examined)
    if near is None or near.words.share < _NEARLY:
        return None
    found = _differences(near, examined)
    return _by_words(near, found) if found and edits.is_one_change(found) else None


def _differences(near: Near, examined: Examined) -> list[Edit]:
    found = [edit for edit in near.words.edits if not _settled(edit, near, examined)]
    beside = (differ(f, near) for f in examined.findings for differ in (_other_period, _other_row, _other_measure))
    return found + [edit for edit in beside if edit]


def _by_words(near: Near, found: Sequence[Edit]) -> Judgement:
    if not found:
        check = Check(name="words", passed=True, detail=f"stands in: “{_short(near.words.text)}”")
        return Judgement(_verdict("grounded", _SURE, "the source says it in the same words", [check]), near.statements)
    checks = [Check(name=edit.kind, passed=False, detail=edit.detail) for edit in found]
    opposed = all(edit.stated for edit in found[:1]) or found[0].kind == "negation"
    status: Status = "contradicted" if opposed and found[0].kind != "content" else "unverified"
    sure = _GUESSED if found[0].kind == "content" else 0.95
    return Judgement(_verdict(status, sure, found[0].detail, checks), near.statements)


def _reworded(near: Near, judged: Judgement, examined: Examined) -> Judgement:
    """The judgement, or a better one when only words without a class differ and the encoder plainly reads the same."""
    if any(check.name != "content" for check in judged.verdict.checks) or (read := examined.read) is None:
        return judged
    if read["supported"] < _PLAINLY_READ:
        return judged
    return _aligned("grounded", read["supported"], "follows, in other words, from", near.statements[0])


def _other_period(finding: Finding, near: Near) -> Edit | None:
    """A difference when the sentence prints the number for another period than the claim, and for the claim's not."""
    target = finding.target
    given = [period_of(s, q) for s, q in near.quantities if q.number == target.quantity.number]
    others = any(in_other_years(target.bare, s.text) for s, q in near.quantities if q.number == target.quantity.number)
    if not given or not (others or all(period_fit(target.periods, periods) == 0 for periods in given)):
        return None
    return Edit("period", ", ".join(p.text for p in target.periods), ", ".join(p.text for p in given[0]))


def _other_row(finding: Finding, near: Near) -> Edit | None:
    """A difference when the number belongs to another row, or another clause of the sentence, than the claim says."""
    text = finding.text
    if text is None or text.statement is None or text.statement not in near.statements:
        return None
    if not (of_sibling(finding) or of_other_clause(finding, text)):
        return None
    of = finding.cell.name if finding.cell else clause_of(text.statement, text.quantity)
    return Edit("row", finding.target.phrase.strip(), f"{text.quantity.text.strip()} for {_short(of)}")


def _other_measure(finding: Finding, near: Near) -> Edit | None:
    """A difference when the sentence prints the number in another unit or currency only, or without the claim's minus
    sign."""
    claimed = finding.target.quantity
    given = [q for _, q in near.quantities if abs(q.number) == abs(claimed.number)]
    if not given or any(units_agree(claimed, q) and not claimed.number < 0 < q.number for q in given):
        return None
    kind = "unit" if not any(units_agree(claimed, q) for q in given) else "sign"
    return Edit(kind, claimed.text.strip(), given[0].text.strip())


def _rearranged(near: Near, examined: Examined) -> Judgement | None:
    """A sentence that has the claim's words but not in its order, or all but a name that the evidence nowhere has."""
    found = _differences(near, examined)
    strangers = [w for w in near.words.loose if w[0].isupper() and w.casefold() not in examined.everything]
    if strangers and near.words.share >= _MOSTLY:
        return _by_words(near, found)
    if near.words.share >= _MOSTLY and found and _is_single(found, near, examined):
        return _reworded(near, _by_words(near, found), examined)
    turned = any(edit.kind in ("order", "negation") for edit in near.words.edits) and edits.is_one_change(found)
    return _by_words(near, found) if turned and not near.words.loose and near.words.share >= _REORDERED else None


def _is_single(found: Sequence[Edit], near: Near, examined: Examined) -> bool:
    """Whether all differences stand in one place, where the claim says something more that the source nowhere has, or
    a word of a class, or a name, for another one; and the claim has no other word that the sentence lacks."""
    if len({edit.place for edit in found}) > 1 or any(edit.kind in _VALUES for edit in found):
        return False
    if not any(edit.stated for edit in found):
        return any(e.kind == "condition" or _is_strange(e, examined) for e in found)
    told = {edit.claimed for edit in found}
    return all(e.claimed and e.kind != "content" for e in found) and told >= set(near.words.loose)


def _is_strange(edit: Edit, examined: Examined) -> bool:
    return edit.kind in ("content", "entity") and stem(edit.claimed) not in examined.stems


def _settled(edit: Edit, near: Near, examined: Examined) -> bool:
    """A number written in another way is no difference; nor is a word of the claim that is in force around the text."""
    if edit.kind == "quantifier" and any(_softens(edit, finding, near) for finding in examined.findings):
        return True
    if edit.kind == "number":
        return any(_same_number(finding, edit, near) for finding in examined.findings)
    if edit.kind == "order" and _YEAR.fullmatch(edit.claimed):
        return True  # 'in 2019' may stand anywhere; whether it is the number's year is checked by itself
    if edit.claimed.casefold() in often_words(examined.claim):
        return any(said_often(examined.claim) & said_often(s.text) for s in near.statements)
    if edit.kind in ("content", "entity", "role") and not edit.stated:
        return edit.claimed.casefold() in _neighbours(near, examined)
    return False


def _softens(edit: Edit, finding: Finding, near: Near) -> bool:
    """Whether a word is only the claim's 'about' or 'more than' before a number that the sentence bears out."""
    quantity, text = finding.target.quantity, finding.text
    if text is None or text.statement not in near.statements or not quantity.approx:
        return False
    return 0 <= quantity.span[0] - edit.at <= _SOFTENED and (text.match.how != "bound" or _is_close(quantity, text))


def _is_close(claimed: Quantity, found: Seen) -> bool:
    """Whether an amount is near enough for 'more than' to round it, and no limit of its own ('at most 50 days')."""
    amount = claimed.kind in ("money", "percent") or bool(claimed.scaled_by) or claimed.approx == "about"
    near, far = sorted(abs(q.number.scaleb(q.exponent)) for q in (claimed, found.quantity))
    return amount and far <= near * _ROUND


def _same_number(finding: Finding, edit: Edit, near: Near) -> bool:
    """Whether the sentence gives the number in another way of writing."""
    start, end = finding.target.quantity.span
    text = finding.text
    if text is None or text.statement not in near.statements or not start <= edit.at < end:
        return False
    if text.match.how in ("equal", "rounded", "omitted"):
        return True
    return text.match.how == "bound" and _is_close(finding.target.quantity, text)


def _neighbours(near: Near, examined: Examined) -> str:
    """The sentences before and after, and the headings in force: a claim may carry words from there."""
    around = examined.prose.statements[max(0, near.statements[0].index - 1) : near.statements[-1].index + 2]
    return " ".join([*(s.text for s in around), examined.evidence.around]).casefold()


# ---------------------------------------------------------------- 4, 6: order, frequency


def _by_order(order: Order, name: str = "order") -> Judgement:
    """A rank, an extreme, a comparison, a trend or a count that the table's cells decide."""
    check = Check(name=name, passed=order.holds, detail=order.detail)
    status: Status = "grounded" if order.holds else "contradicted"
    places = tuple(as_seen(cell, order.grid) for cell in order.cells)
    return Judgement(_verdict(status, 0.95, order.detail, [check]), (), places)


def _by_frequency(often: Often) -> Judgement:
    check = Check(name="frequency", passed=often.holds, detail=_short(often.detail))
    places = () if often.statement is None else (often.statement,)
    if often.holds:
        return Judgement(_verdict("grounded", 0.8, check.detail, [check]), places)
    return Judgement(_verdict("contradicted", 0.8, f"the source says “{check.detail}”", [check]), places)


def _claims_numbers(examined: Examined, order: Order) -> bool:
    """Whether the claim says more than an order: figures, which years, number words ('of the four') and the lengths of
    time of the cells' headers are not."""
    spans = frozenset().union(*(time_spans(cell.name) for cell in order.cells))
    said = [t.quantity for t in examined.reading.targets]
    return any(not q.spelled and q.kind != "year" and not time_spans(q.text) & spans for q in said)


# ---------------------------------------------------------------- 5: numbers


def _by_numbers(examined: Examined) -> Judgement:
    judged = _without_names([(f, _chance(f, examined)) for f in examined.findings])
    checks = [_number_check(f, p) for f, p in judged]
    if stranger := _strange_name(examined):
        return stranger
    places = tuple(s for f, p in judged if p >= _DECIDED for s in _places(f, examined))
    if turned := _turned(examined, judged):
        detail = turned.detail
        return Judgement(
            _verdict("contradicted", 0.95, detail, [*checks, Check(name=turned.kind, passed=False, detail=detail)]),
            (),
            places,
        )
    finding, worst = min(judged, key=lambda item: item[1])
    if worst >= _DECIDED and (read := _read_beside(examined, judged)) is not None:
        least = _READ_WITH_AMOUNTS if any(_measures(f.target.quantity) for f, _ in judged) else _READ
        return _with_reading(read, least, worst, checks, places)
    if worst >= _DECIDED:
        return Judgement(_verdict("grounded", worst, checks[0].detail, checks), (), places)
    others_hold = any(p >= _DECIDED for _, p in judged)
    status: Status = "contradicted" if _stated_otherwise(finding) else "partial" if others_hold else "unverified"
    against = _against(finding)
    places += () if against is None else (against,)
    reworded = not (examined.sheets or examined.reading.is_answer)
    sure = min(1 - worst, _LIKELY) if reworded else 1 - worst
    return Judgement(_verdict(status, sure, _why_not(finding), checks), (), places)


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
        return Judgement(_verdict("grounded", sure, checks[0].detail, checks), (), places)
    status: Status = "contradicted" if read["contradicted"] >= _SPEAKS_AGAINST else "unverified"
    detail = "the source has the claim's numbers, but does not say the same of them"
    checks = [*checks, Check(name="words", passed=_PASSED.get(status), detail=detail)]
    return Judgement(_verdict(status, 1 - sure, detail, checks), (), places)


def _chance(finding: Finding, examined: Examined) -> float:
    head = examined.models.heads["numbers"]
    if not has_ground(finding, examined):
        return 0.0
    return head.probabilities(numbers.features(finding))["supported"]


def _without_names(judged: Sequence[tuple[Finding, float]]) -> list[tuple[Finding, float]]:
    """Numbers that are part of a header ('aged 45', 'up to three months') of the cell that holds, or should hold,
    another claimed number name that cell and claim nothing."""
    meant = [(f, seen.value) for f, p in judged if (seen := f.cell if p >= _DECIDED else f.nearest) and seen.value]
    counts = {len(f.derivation.operands) for f, p in judged if p >= _DECIDED and f.derivation is not None}
    kept = [
        (f, p)
        for f, p in judged
        if p >= _DECIDED or not (any(_names(f, v) for other, v in meant if other is not f) or _counts(f, counts))
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


def _strange_name(examined: Examined) -> Judgement | None:
    """A name in a claim that the evidence nowhere has, nor a word that begins like it."""
    names = [w for w in _CAPITALISED.findall(examined.reading.undated) if not _is_known(w, examined)]
    return _refused(f"“{names[0]}” is nowhere in the source", "name") if names else None


def _is_known(name: str, examined: Examined) -> bool:
    return stem(name) in examined.stems or name[:_ROOT].casefold() in examined.everything


def _strange_limit(examined: Examined) -> Judgement | None:
    """'Only' or 'solely' in a claim, where no sentence that has words of it says so."""
    limit = _ONLY.search(examined.claim)
    if limit is None or any(_ONLY.search(a.statement.text) for a in examined.aligned if a.covered >= _TOUCHED):
        return None
    return _refused(f"no sentence about it says “{limit.group()}”", "quantifier")


def _strange_words(examined: Examined) -> Judgement | None:
    """A claim of which the source has less than half the content words."""
    if examined.explained >= _HALF_KNOWN:
        return None
    return _refused(f"{_listed(examined.strangers)} are nowhere in the source", "content", _BARELY)


def _listed(words: Sequence[str]) -> str:
    """The first few, in quotes."""
    return ", ".join(f"“{word}”" for word in words[:_LISTED])


def _refused(reason: str, check: str, sure: float = _LIKELY) -> Judgement:
    return Judgement(_verdict("unverified", sure, reason, [Check(name=check, passed=False, detail=reason)]))


def _by_row(examined: Examined) -> Judgement | None:
    """A claim that a sentence nearly repeats, but that stands in a table row in all its words."""
    named = [_words_of(f.cell.value) for f in examined.findings if f.cell is not None and f.cell.value is not None]
    if not named or len(named) < len(examined.findings):
        return None
    own = content(examined.claim)
    if len(own - frozenset().union(*named)) > 0.15 * len(own):
        return None
    judged = _by_numbers(examined)
    return judged if judged.verdict.grounded else None


def _words_of(value: Value) -> frozenset[str]:
    return value.label_words | value.section_words | value.column_words


def _turned(examined: Examined, judged: Sequence[tuple[Finding, float]]) -> Edit | None:
    """A statement on a cell that says something else than its headers: 'was not', assets for liabilities."""
    if examined.reading.is_answer:
        return None
    held = [finding for finding, p in judged if p >= _DECIDED]
    moved = misplaced(examined.claim, held, examined.sheets)
    if edit := moved or next((e for e in map(_opposite, held) if e), None):
        return edit
    values = [f.cell.value for f in held if f.cell is not None and f.cell.value is not None and _rests_on_cell(f)]
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
        shown = _short(text.name)
    elif found is not None and found.forward is not None and not _rests_on_cell(finding):
        stated = (1 if found.result > 0 else -1) * (1 if found.forward else -1)
        shown = found.formula
    else:
        return None
    return Edit("direction", "rise" if said > 0 else "fall", shown) if said * stated < 0 else None


def _turns(edit: Edit) -> bool:
    moved = edit.kind == "order" and edit.claimed.isalpha()
    replaced = edit.kind in ("role", "condition") and bool(edit.claimed and edit.stated)
    return moved or replaced or edit.kind == "negation"


def _rests_on_cell(finding: Finding) -> bool:
    if finding.cell is None:
        return False
    return finding.derivation is None or finding.cell.fit.total >= finding.derivation.fit


def _number_check(finding: Finding, p: float) -> Check:
    if p < _DECIDED:
        return Check(name="numbers", passed=False, detail=_why_not(finding))
    return Check(name="numbers", passed=True, detail=_why(finding))


def _why(finding: Finding) -> str:
    best = max((s for s in (finding.cell, finding.text) if s), key=lambda s: s.fit.total, default=None)
    if best is not None and (finding.derivation is None or best.fit.total >= finding.derivation.fit):
        return f"{best.match.detail} ({_short(best.name)})"
    assert finding.derivation is not None
    return f"{finding.derivation.formula}, from {finding.derivation.cells}"


def _stated_otherwise(finding: Finding) -> bool:
    """Whether a cell or sentence that is plainly about the claim's subject gives another number; a part in words
    ('half of them') is compared with no printed number."""
    if finding.target.quantity.kind == "fraction":
        return False
    return any(s and _is_plain(s) and not s.match.agrees for s in (finding.nearest, finding.nearest_text))


def _is_plain(seen: Seen) -> bool:
    """Whether a cell or sentence is plainly about the claim's subject: on the whole, or by its row alone."""
    return seen.fit.total >= _FITS_WELL or (seen.fit.row >= _NAMED_ROW and seen.fit.period > 0)


def _near_miss(finding: Finding) -> Seen | None:
    return next((miss for miss in finding.near_misses if _is_plain(miss)), None)


def _fitting(finding: Finding) -> Seen | None:
    """The cell or sentence that is plainly about the claim's subject, whatever number it gives."""
    return next((s for s in (finding.nearest, finding.nearest_text) if s and _is_plain(s)), None)


def _against(finding: Finding) -> Seen | None:
    """The place that the reason against a number speaks of."""
    if miss := _near_miss(finding):
        return miss
    other = finding.cell or finding.text
    if finding.text is not None and finding.cell is None and better_said(finding, finding.text):
        return finding.nearest_text
    return _fitting(finding) if other is None else _meant(finding.nearest) or other


def _why_not(finding: Finding) -> str:
    """The sentence that says what is wrong with a number: scale, sign, cell, year, or that it is nowhere."""
    claimed = finding.target.quantity.text.strip()
    if miss := _near_miss(finding):
        return f"wrong {miss.match.how}: {miss.match.detail} ({_short(miss.name)})"
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
        return f"the source gives {_shown(seen.quantity)} for {_short(seen.name)}, not {claimed}"
    return f"{claimed} is not in the source and does not follow from it"


def _said_better(claimed: str, finding: Finding) -> str:
    """The sentence that says nearly all of the claim with another number; of its numbers one in the claim's unit."""
    said = finding.nearest_text
    assert said is not None and said.statement is not None
    alike = [q for q in said.statement.quantities if q.unit == finding.target.quantity.unit]
    given = _shown(alike[0] if alike else said.quantity)
    return f"the source gives {given} in “{_short(said.name)}”, not {claimed}"


def _meant(nearest: Seen | None) -> Seen | None:
    """The best fitting cell, when it is near enough for the claim to mean it."""
    return nearest if nearest and (_is_plain(nearest) or nearest.fit.row >= _TOLD_ROW) else None


def _elsewhere(claimed: str, other: Seen, nearest: Seen | None) -> str:
    if other.statement is not None:
        said = f"{claimed} stands in “{_short(other.name)}”"
    else:
        said = f"{claimed} is {_short(other.name)}"
    if nearest is None or nearest.name == other.name:
        return f"{said}; that the claim is about this cannot be told from its words"
    what = "year" if nearest.fit.row - other.fit.row < 0.1 and other.fit.period < nearest.fit.period else "cell"
    return f"wrong {what}: {said}; for {_short(nearest.name)} the source gives {_shown(nearest.quantity)}"


def _shown(quantity: Quantity) -> str:
    return quantity.text.strip()


# ---------------------------------------------------------------- 7: remarks on a table, and alignment


def remark_features(examined: Examined) -> dict[str, float]:
    """What the head for remarks on a table is told: how its rows and columns compare, what the rules say about order,
    and how the claim's numbers fare."""
    told = [comparing.features(examined.claim, sheet) for sheet in examined.sheets]
    best = max(told, key=lambda t: t["rows_named"] + t["columns_named"])
    order = find_order(examined.reading, examined.sheets)
    chances = [_chance(finding, examined) for finding in examined.findings]
    return best | {
        "order": 0.0 if order is None else (1.0 if order.holds else -1.0),
        "numbers": float(min(len(chances), 4)),
        "numbers_worst": min(chances, default=0.5),
        "numbers_mean": sum(chances) / len(chances) if chances else 0.5,
        "explained": examined.explained,
    }


def _by_comparing(examined: Examined) -> Judgement:
    """A remark on tables alone: what their rows, columns and numbers say to it, with the head's sober confidence."""
    chance = examined.models.heads["tables"].probabilities(remark_features(examined))["supported"]
    if chance >= _DECIDED:
        detail = "the table's rows and columns agree with the remark"
        check = Check(name="comparison", passed=True, detail=detail)
        return Judgement(_verdict("grounded", chance, detail, [check]), (), _compared(examined))
    detail = "the table's rows and columns do not bear the remark out"
    return Judgement(_verdict("unverified", 1 - chance, detail, [Check(name="comparison", passed=None, detail=detail)]))


def _compared(examined: Examined) -> tuple[Seen, ...]:
    """Cells of the table whose rows and columns the claim names most narrowly."""
    found = [[as_seen(v, n) for v in comparing.compared(examined.claim, s)] for n, s in enumerate(examined.sheets)]
    return tuple(min((cells for cells in found if cells), key=len, default=[])[:_LOOKED_AT])


def _by_alignment(examined: Examined) -> Judgement:
    if not examined.aligned:
        check = Check(name="words", passed=None, detail="there is no text to hold the claim against")
        return Judgement(_verdict("unverified", 0.5, check.detail, [check]))
    if stranger := next((w for w in _DIGITS.findall(examined.claim) if w not in examined.everything), None):
        return _refused(f"“{stranger}” is nowhere in the source", "numbers")
    known = align.is_learned(examined.claim)
    if not known and (stranger := _strange_name(examined) or _strange_limit(examined)):
        return stranger
    chances = _learned(examined) if known else _unfamiliar(examined)
    sure = chances["supported"]
    closest = max(examined.aligned, key=lambda a: a.covered)
    for_it = max(examined.aligned, key=lambda a: a.supports) if known else closest
    against = max(examined.aligned, key=lambda a: a.contradicts) if known else closest
    if sure >= (max(chances.values()) if known else max(_READ, _OVER * chances["contradicted"])):
        stranger = None if known else _strange_words(examined)
        return stranger or _aligned("grounded", sure, "follows from", for_it.statement)
    if chances["contradicted"] > chances["not stated"]:
        plainly = 1 - sure >= _SPEAKS_AGAINST and not both_deny(examined.claim, against.statement.text)
        if known or plainly:
            return _aligned("contradicted", 1 - sure, "spoken against by", against.statement)
        return _aligned("unverified", 1 - sure, "not stated plainly; perhaps spoken against by", against.statement)
    unknown = "" if known or not examined.strangers else f" (the source nowhere has {_listed(examined.strangers)})"
    return _aligned("unverified", 1 - sure, f"not stated{unknown}; the nearest sentence is", for_it.statement)


def _learned(examined: Examined) -> dict[str, float]:
    """Class probabilities of a claim in words whose counterparts were learned."""
    told = align.features(examined.claim, examined.prose, examined.aligned, examined.models.scorer)
    return examined.models.heads["words"].probabilities(told)


def _unfamiliar(examined: Examined) -> dict[str, float]:
    """Class probabilities of a claim whose words were hardly ever met in training: the encoder reads it; without one a
    head that knows no words decides."""
    if examined.read is not None:
        return examined.read
    told = align.open_features(examined.claim, examined.prose, examined.models.scorer)
    return examined.models.heads["open"].probabilities(told)


def _aligned(status: Status, confidence: float, why: str, statement: Statement) -> Judgement:
    """What a head says. That it finds nothing stated is no objection: a language model may know better."""
    reason = f"{why} “{_short(statement.text)}”"
    check = Check(name="words", passed=_PASSED.get(status), detail=reason)
    return Judgement(_verdict(status, confidence, reason, [check]), (statement,))


def _verdict(status: Status, confidence: float, reason: str, checks: Sequence[Check]) -> Verdict:
    return Verdict(
        grounded=status == "grounded",
        status=status,
        confidence=round(confidence, 4),
        reason=reason,
        checks=tuple(checks),
    )


_SPACE = re.compile(r"\s+")


def _short(text: str, length: int = 160) -> str:
    flat = _SPACE.sub(" ", text).strip()
    return flat if len(flat) <= length else f"{flat[: length - 1].rstrip()}…"
