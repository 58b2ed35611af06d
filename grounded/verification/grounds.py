"""Whether a claimed number has ground at all, before the head says how good it is: the vetoes of rules."""

from __future__ import annotations

import re

from grounded.quantities.compare import units_agree
from grounded.quantities.units import CURRENCIES, PERCENT
from grounded.verification.derive import in_time
from grounded.verification.examine import Examined
from grounded.verification.fit import period_fit
from grounded.verification.formulas import Derivation, direction, operations
from grounded.verification.numbers import Finding, Seen, is_count, unexplained
from grounded.verification.prose import Statement, coverage, local_words, period_of
from grounded.verification.words import naming, stem

_HALF = 0.5
_IN_FULL = 0.9  # fit of a row whose whole label the claim has
_NEARLY_IN_FULL = 0.85  # the same of a short label
_LESS, _MUCH_LESS = 0.1, 0.5  # of such a fit: what a row, of the same table or another, may lack to be meant as well
_NEARLY_ALL = 0.75
_MEANT, _LESS_FITTING = 0.65, 0.5  # fit of a formula, at least, and what it may lack to the best possible one
_MUCH_LESS_FITTING = 1.0  # the same where a question asks for a calculation
_WHOLE = re.compile(
    r"(?:%|\b(?:percent(?:age)?|share|proportion|portion|fraction))\s+of\s|\bratio\b.* to ", re.IGNORECASE
)
_GAP = re.compile(
    r"\b(?:(?P<above>exceed\w*|beats?|outperform\w*|above|ahead of|(?:higher|larger|greater|more) than)"
    r"|(?P<below>trail\w*|lag\w*|underperform\w*|below|behind|short of|(?:lower|smaller|less) than))\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+")
_NAMES = re.compile(r"\b(?!FY\b|US\b|Q\d)[A-Z]{2,6}\b|(?<=[\w,;)] )[A-Z][a-z]{3,}\b")
_CURRENCIES = frozenset(CURRENCIES.values())
_SPAN_OF_YEARS = re.compile(r"\b(?P<first>(?:19|20)\d\d)(?: and | to | through |[–-])(?P<last>(?:19|20)\d\d)\b")
_OPENING = 3  # sentences that say what a document is about


def has_ground(finding: Finding, examined: Examined) -> bool:
    """Whether the number stands somewhere in the claim's period, or follows from something in a scale it can have."""
    if _is_of_other_kind(finding):
        return False
    return _in_cell(finding) or _in_text(finding, examined) or _follows(finding)


def _is_of_other_kind(finding: Finding) -> bool:
    """'Revenue was 14 %': a row that a statement names in full holds amounts, no better one nor a sentence has the
    number, and nothing is said of a share or a change."""
    target, row = finding.target, finding.closest
    if target.asked or row is None or row.fit.row < _IN_FULL:
        return False
    scaled = row.value is not None and bool(row.value.exponents) and 0 not in row.value.exponents
    if units_agree(target.quantity, row.quantity) and not (target.quantity.kind == "percent" and scaled):
        return False
    if any(s is not None and s.fit.row >= _IN_FULL for s in (finding.cell, finding.text)):
        return False
    return not unexplained(target.bare, row.value)


def _in_cell(finding: Finding) -> bool:
    cell = finding.cell
    if cell is None or cell.fit.period == 0 or finding.beside:
        return False
    named = cell.fit.row + cell.fit.column > 0 or cell.fit.period == 1
    return named and not _outdone(finding)


def _in_text(finding: Finding, examined: Examined) -> bool:
    text = finding.text
    if text is None or text.fit.period == 0 or (finding.cell is not None and text.fit.row < _HALF):
        return False
    if finding.target.asked and not text.fit.row:
        return False
    of_another = _of_another(finding, text, examined) or of_sibling(finding) or of_other_clause(finding, text)
    of_another = of_another or better_said(finding, text)
    in_time = not (_undated(finding, text) or in_other_years(finding.target.bare, text.name))
    return in_time and not (of_another or _overruled(finding))


def _follows(finding: Finding) -> bool:
    """A question asks for a calculation; what a statement's number follows from must be plainly about its subject, and
    no row that is printed."""
    found = finding.derivation
    if found is None or finding.aside or finding.scale_of_derivation == "wrong" or misfit(finding):
        return False
    dated = finding.nearest is not None and finding.nearest.fit.period == 1
    if dated and not in_time(finding.target.periods, found.operands):
        return False
    if _names_row(finding):
        return False
    if finding.target.asked:
        return found.fit >= finding.possible - _MUCH_LESS_FITTING
    return found.fit >= max(_MEANT, finding.possible - _LESS_FITTING)


def misfit(finding: Finding) -> str:
    """What is wrong with a formula that gives the claimed digits: 'sign' where an answer gives the size of an average
    of amounts that the source prints as deductions (a count has no sign); 'unit' where a statement says that a
    percentage rose by 2 % and it rose by 2 percentage points; 'order' where the part is taken for the whole; '' when
    nothing is."""
    found, target = finding.derivation, finding.target
    if found is None:
        return ""
    if found.operation in ("share", "ratio", "difference") and _is_turned_round(found, target.phrase):
        return "order"
    if target.asked:
        return "sign" if found.flipped and found.operation == "average" and not is_count(target) else ""
    moved = found.operation == "difference" and len({o.place[0] for o in found.operands}) == 1
    in_percent = target.quantity.unit == PERCENT and all(o.unit == PERCENT for o in found.operands)
    return "unit" if moved and in_percent and direction(target.phrase) else ""


def _is_turned_round(found: Derivation, phrase: str) -> bool:
    """Whether the claim names the divisor before the word that parts them ('40 % of', 'ratio of … to'), and the
    dividend behind it; or what is subtracted before 'exceeds', and what it is subtracted from behind."""
    gap = found.operation == "difference"
    said = (_GAP if gap else _WHOLE).search(phrase)
    if said is None:
        return False
    first, second = (naming(operand.name) for operand in found.operands)
    if gap and said["below"]:
        first, second = second, first
    before, behind = naming(phrase[: said.end()]), naming(phrase[said.end() :])
    right = (first - second) & before or (second - first) & behind
    return not right and bool((second - first) & before) and bool((first - second) & behind)


def _of_another(finding: Finding, seen: Seen, examined: Examined) -> bool:
    """Whether the number's sentence speaks of another name than the claim: the same figure for another company."""
    if finding.target.asked or seen.statement is None:
        return False
    at = seen.statement.index
    alone = bool(at) and _speaks_for_itself(finding, examined.prose.statements[at - 1], examined)
    return names_another(seen.statement, examined, alone)


def names_another(statement: Statement, examined: Examined, alone: bool = False) -> bool:
    """Whether the sentence, with the one before it unless it stands alone, lacks a name of the claim that the evidence
    has elsewhere, and has another name instead: another company, agency or product."""
    statements, at = examined.prose.statements, statement.index
    before = statements[at - 1 : at] if at and not alone else ()
    near = " ".join(s.text for s in (*before, statement))
    opening = " ".join(s.text for s in statements[:_OPENING] if all(q.kind == "year" for q in s.quantities))
    asked = set(_NAMES.findall(examined.claim)) - _CURRENCIES
    there = f"{near} {opening}"
    missing = [n for n in asked if not re.search(rf"\b{n}\b", there) and n.casefold() in examined.everything]
    return bool(missing) and bool(set(_NAMES.findall(statement.text)) - asked)


def _speaks_for_itself(finding: Finding, before: Statement, examined: Examined) -> bool:
    """Whether the sentence before a number's own says more of the claim, and of a number of the same kind: it does not
    lead up to the number but gives that of its own subject."""
    text, words = finding.text, finding.target.words
    if text is None or text.statement is None or all(q.kind != text.quantity.kind for q in before.quantities):
        return False
    weights = examined.prose.weights
    return coverage(words, before, None, weights) > coverage(words, text.statement, None, weights)


def _undated(finding: Finding, text: Seen) -> bool:
    """A number without a period of its own beside another one of the sentence for the claim's period, or beside a cell
    that has the number, under its full name, for another."""
    cell, asked = finding.cell, finding.target.periods
    if text.statement is not None and not period_of(text.statement, text.quantity):
        others = (q for q in text.statement.quantities if q.kind != "year")
        if any(period_fit(asked, period_of(text.statement, q)) == 1 for q in others):
            return True
    return cell is not None and cell.fit.period == 0 and cell.fit.row >= _IN_FULL and text.fit.period < 1


def in_other_years(claim: str, text: str) -> bool:
    """Whether a text speaks of other spans of years than the claim: 'between 2010 and 2020'."""
    asked, given = _years(claim), _years(text)
    return bool(asked and given) and not asked & given


def _years(text: str) -> frozenset[tuple[str, str]]:
    """The spans of years that a text names."""
    return frozenset((m["first"], m["last"]) for m in _SPAN_OF_YEARS.finditer(text))


def _outdone(finding: Finding) -> bool:
    """Whether a row that the claim names in full stands beside a less fitting, or shorter, one that has its number."""
    cell, nearest = finding.cell, finding.nearest
    if of_sibling(finding):
        return True
    if cell is None or nearest is None or nearest.match.agrees or not _names_row(finding):
        return False
    if cell.grid != nearest.grid:
        return cell.fit.row < nearest.fit.row - _MUCH_LESS
    shorter = cell.value and nearest.value and cell.value.label_words < nearest.value.label_words
    return bool(shorter) or cell.fit.row < nearest.fit.row - _LESS


def _names_row(finding: Finding) -> bool:
    """Whether the claim names the best fitting row in full, and no calculation in its other words."""
    nearest = finding.nearest
    if nearest is None or nearest.value is None or nearest.fit.row < _NEARLY_IN_FULL:
        return False
    own = nearest.value.label_words | nearest.value.section_words
    return not operations(_WORD.sub(lambda m: " " if stem(m.group()) in own else m.group(), finding.target.bare))


def of_sibling(finding: Finding) -> bool:
    """Whether the number stands in another row of the column than the one that a statement names, which is called
    otherwise in words of the claim: 'whites' for 'blacks'."""
    cell, nearest, words = finding.cell, finding.nearest, finding.target.words
    if finding.target.asked or not (cell and nearest and cell.value and nearest.value) or nearest.match.agrees:
        return False
    if cell.grid != nearest.grid or cell.value.column != nearest.value.column:
        return False
    own, theirs = cell.value.label_words, nearest.value.label_words
    return bool(theirs - own) and theirs - own <= words and bool(own - theirs) and not (own - theirs) & words


def of_other_clause(finding: Finding, text: Seen) -> bool:
    """Whether another number of the sentence has a clause all in words of the claim, where the number's own has others:
    'stroke 26 %' against '32 % of all deaths: 26 % from heart disease and 6 % from stroke'."""
    if finding.target.asked or text.statement is None or text.match.how != "equal":
        return False
    words, own = finding.target.words, local_words(text.statement, text.quantity)
    kind, phrase = text.quantity.kind, finding.target.phrase
    others = [q for q in text.statement.quantities if q.kind == kind and q.text.strip() not in phrase]
    clauses = (local_words(text.statement, q) for q in others)
    return not own <= words and any(clause - own and clause <= words for clause in clauses)


def better_said(finding: Finding, text: Seen) -> bool:
    """Whether another sentence says nearly all of the claim, with another number, and the number's own hardly any."""
    said = finding.nearest_text
    if said is None or finding.target.asked or said.statement is text.statement:
        return False
    return text.fit.row < _HALF and said.fit.row >= _NEARLY_ALL and not said.match.agrees


def _overruled(finding: Finding) -> bool:
    """Whether a row that the claim names in full has another number than a sentence whose clause is not about it."""
    nearest, text = finding.nearest, finding.text
    if nearest is None or text is None or finding.target.asked:
        return False
    return nearest.fit.row >= _IN_FULL and not nearest.match.agrees and text.fit.column < _HALF
