"""One claimed number against everything the evidence prints and everything that follows from it.

Three ways for a number to be right: a cell whose headers and period fit the claim holds it; a sentence about the
claim's subject says it; it follows from such numbers by a formula. What is merely printed somewhere is not enough: the
headers decide, and the reason says which cell, scale, sign or year is the wrong one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from grounded.quantities import Quantity
from grounded.quantities.compare import units_agree
from grounded.verification.cells import Sheet, Value
from grounded.verification.claims import Target
from grounded.verification.derive import derive, in_time
from grounded.verification.fit import Fit, fit, period_fit, time_spans
from grounded.verification.formulas import FORMULAS, Derivation, direction, operations
from grounded.verification.match import Match, as_deducted, is_plainly_different, match
from grounded.verification.prose import Prose, Statement, coverage, local_words, period_of

_Scale = Literal["none", "stated", "open", "wrong"]
_Derived = tuple[Derivation | None, _Scale, float]
_NO_DERIVATION: _Derived = (None, "none", 0.0)  # nothing was looked for
_COUNT = re.compile(r"\b(?:number of|how many)\b", re.IGNORECASE)
_COARSE = 2  # digits of a claim that many numbers round to
_READ_OUT = 3  # numbers of one table that make a sentence its text, when they are most of the sentence's numbers


@dataclass(frozen=True, slots=True)
class Seen:
    """A printed number as a candidate: how it compares and how well its place fits the claim."""

    match: Match
    fit: Fit
    quantity: Quantity
    name: str
    value: Value | None = None
    grid: int = -1
    statement: Statement | None = None


class Implied(NamedTuple):
    """What speaks for the claim's scale where a table states none. said: 1 when the amounts of the text around are
    mostly in it, -1 when mostly in another, 0 without any. largest: digits before the point of the table's largest
    amount. above: by how many digits it would be longer, in the claim's scale, than the text's largest amount."""

    said: float = 0.0
    largest: int = 0
    above: int = 0


NOTHING_IMPLIED = Implied()


@dataclass(frozen=True, slots=True)
class Finding:
    """What is known about one claimed number. cell, text: the best fitting candidates that agree; nearest: the best
    fitting cell of the claim's unit, whatever it holds; derivation: the best formula that gives the number; possible:
    the best fit of any two printed numbers that the asked operations could take, whatever comes out; beside: the claim
    names what another cell has and the agreeing one lacks; closest: the best fitting cell of any unit; aside: the
    claim names another column than the one that the formula's cells stand in."""

    target: Target
    cell: Seen | None
    nearest: Seen | None
    text: Seen | None
    nearest_text: Seen | None
    derivation: Derivation | None
    near_misses: tuple[Seen, ...]
    scale_of_derivation: _Scale = "none"
    cued: frozenset[str] = frozenset()
    implied: Implied = NOTHING_IMPLIED
    possible: float = 0.0
    beside: bool = False
    closest: Seen | None = None
    aside: bool = False


def find(
    target: Target, sheets: Sequence[Sheet], prose: Prose, said: Sequence[Statement], notes: tuple[int, ...]
) -> Finding:
    """Look for one claimed number. said: the sentences of the prose with numbers of their own. notes: scales that the
    tables' notes put in force for unscaled text amounts."""
    cells = [
        seen for i, sheet in enumerate(sheets) for seen in _cells(target, i, sheet, _beyond(target, sheet, sheets))
    ]
    texts = [seen for s in said for seen in _texts(target, s, prose, notes)]
    nearest = _nearest(target, [s for s in cells if units_agree(target.quantity, s.quantity)] or cells)
    cued = unexplained(target.phrase, nearest.value if nearest and nearest.fit.row else None)
    asked = operations(target.phrase) if target.asked else cued
    if target.quantity.kind == "fraction":
        asked |= {"share"}
    cell = _best([s for s in cells if s.match.agrees])
    said_there = cell is not None and cell is nearest and not target.asked
    derivation, scale, possible = _NO_DERIVATION if said_there else _derived(target, asked, sheets, prose)
    misses = [s for s in (*cells, *texts) if s.match.how in ("scale", "sign", "unit", "ambiguous")]
    return Finding(
        target,
        cell,
        nearest,
        _best([s for s in texts if s.match.agrees]),
        _best(texts),
        derivation,
        tuple(sorted(misses, key=lambda s: -s.fit.total)[:3]),
        scale,
        cued,
        _implied(target.quantity, prose, max((sheet.largest for sheet in sheets), default=0)),
        possible,
        _beside(target, cell, cells),
        _best(cells),
        derivation is not None and _aside(target, derivation, cells),
    )


def _beside(target: Target, cell: Seen | None, cells: Sequence[Seen]) -> bool:
    """Whether the claim names what another cell has and this one lacks: a column, or a length of period, of its row; a
    section in which a row is called the same."""
    value = cell.value if cell is not None else None
    if cell is None or value is None:
        return False
    others = [s.value for s in cells if s.grid == cell.grid and s.value is not None]
    row = [other for other in others if other.row == value.row]
    if _in_other_column(target, value, row):
        return True
    if value.periods and not _lasts_as_asked(target, value) and any(_lasts_as_asked(target, o) for o in row):
        return True
    same = (o for o in others if o.label_words == value.label_words)
    return any(_named_apart(target, o.section_words, value.section_words) for o in same)


def _aside(target: Target, derivation: Derivation, cells: Sequence[Seen]) -> bool:
    """Whether all operands stand in one column, and the claim names another of their rows' columns, and not this."""
    places = {(o.place, o.name) for o in derivation.operands}
    if len({place[1] for place, _ in places}) > 1:
        return False
    operands = [s for s in cells if s.value is not None and (s.value.place, s.value.name) in places]
    rows = {(s.grid, s.value.row): s.value for s in operands if s.value}
    named = {
        (s.grid, s.value.row)
        for s in cells
        if s.value is not None and s.value.column_words and s.value.column_words <= target.words
    }
    own = [value.column_words for at, value in rows.items() if at in named]
    return bool(rows) and len(own) == len(rows) and all(words and not words & target.words for words in own)


def _in_other_column(target: Target, value: Value, row: Sequence[Value]) -> bool:
    """Whether the claim names another column of a cell's row, and not the cell's own."""
    named = value.column_words & target.words
    return bool(value.column_words) and not named and any(o.column_words & target.words for o in row)


def _named_apart(target: Target, others: frozenset[str], own: frozenset[str]) -> bool:
    """Whether the claim has a word of others' that own lacks, and none the other way round."""
    return bool((others - own) & target.words) and not (own - others) & target.words


def _lasts_as_asked(target: Target, value: Value) -> bool:
    """Whether a cell's period is one of the claim's, and as long as the claim says."""
    return any(a.length and a.length == g.length and a.agrees(g) for a in target.periods for g in value.periods)


def read_out(statement: Statement, sheets: Sequence[Sheet]) -> bool:
    """Whether a sentence is only a table's text, line after line: it has the words of every row beside the numbers of
    every other, and the cells, which know their own headers, speak for themselves."""
    texts = [quantity.text.strip() for quantity in statement.quantities]
    own = max((sum(text in sheet.printed for text in texts) for sheet in sheets), default=0)
    return own >= _READ_OUT and own * 2 > len(texts)


def _implied(claimed: Quantity, prose: Prose, largest: int) -> Implied:
    told = [q for s in prose.statements for q in s.quantities if q.scaled_by and q.number]
    if not told or not claimed.scaled_by:
        return Implied(0.0, largest)
    same = sum(q.exponent == claimed.exponent for q in told)
    top = max(q.value.adjusted() + 1 for q in told)
    return Implied(1.0 if same * 2 > len(told) else -1.0, largest, largest + claimed.exponent - top)


def is_count(target: Target) -> bool:
    """Whether a claim is about how many: a count has no sign, however its table prints it."""
    return bool(_COUNT.search(target.phrase))


def unexplained(phrase: str, nearest: Value | None) -> frozenset[str]:
    """The operations that the claim names and the best fitting cell's headers do not: 'total equity' asks for no sum
    when a row is called so."""
    if nearest is None:
        return operations(phrase)
    return operations(phrase) - operations(_headers(nearest))


def _best(candidates: list[Seen]) -> Seen | None:
    """The best fitting one; among equals one that agrees."""
    return max(candidates, key=lambda s: (s.fit.total, s.match.agrees), default=None)


def _nearest(target: Target, cells: list[Seen]) -> Seen | None:
    """The best fitting cell, in the column of the length of time that the claim names where its row has one."""
    best, asked = _best(cells), time_spans(target.phrase)
    if best is None or not asked:
        return best
    row = (s for s in cells if s.value and best.value and (s.grid, s.value.row) == (best.grid, best.value.row))
    return _best([s for s in row if s.value and asked & time_spans(f"{s.value.label} {s.value.column}")]) or best


def _beyond(target: Target, sheet: Sheet, sheets: Sequence[Sheet]) -> float:
    """Weight of the claim's words that other tables have and this one has not."""
    missing = [w for w in target.words if w not in sheet.weights]
    return sum(max((s.weights[w] for s in sheets if w in s.weights), default=0.0) for w in missing)


def _cells(target: Target, grid: int, sheet: Sheet, beyond: float) -> Iterator[Seen]:
    """The numbers of one table as candidates."""
    for value in sheet.values:
        found = as_deducted(target.quantity, value.quantity, target.phrase) or value.quantity
        how = match(target.quantity, found, value.exponents)
        yield Seen(how, fit(target, value, sheet.weights, beyond), value.quantity, value.name, value, grid)


def as_seen(value: Value, grid: int) -> Seen:
    """A cell that a verdict rests on as a whole."""
    return Seen(Match("equal", value.text), Fit(1.0, 1.0, 1.0), value.quantity, value.name, value, grid)


def as_said(quantity: Quantity, statement: Statement) -> Seen:
    """A number of a sentence that a verdict rests on."""
    return Seen(Match("equal", quantity.text), Fit(1.0, 1.0, 1.0), quantity, statement.text, statement=statement)


def _texts(target: Target, statement: Statement, prose: Prose, notes: tuple[int, ...]) -> Iterator[Seen]:
    """The numbers of one sentence as candidates."""
    before = prose.statements[statement.index - 1] if statement.index else None
    covered = coverage(target.words, statement, before, prose.weights)
    asked = sum(prose.weights.get(w, 1.0) for w in target.words) or 1.0
    for quantity in statement.quantities:
        if not covered and is_plainly_different(target.quantity, quantity):
            continue
        exponents = (quantity.exponent,) if quantity.scaled_by or quantity.unit else (0, *notes) if notes else ()
        how = match(target.quantity, quantity, exponents)
        near = target.words & local_words(statement, quantity) if how.agrees else frozenset()
        local = sum(prose.weights.get(w, 1.0) for w in near) / asked
        in_time = period_fit(target.periods, period_of(statement, quantity))
        yield Seen(how, Fit(covered, local, in_time), quantity, statement.text, statement=statement)


def _derived(target: Target, cued: frozenset[str], sheets: Sequence[Sheet], prose: Prose) -> _Derived:
    """The best derivation whose scale can be the claim's, else the best with a wrong scale; the best fit possible."""
    wrong: Derivation | None = None
    derived = derive(target, cued, sheets, prose)
    for derivation in derived.readings:
        scale = _scale(target.quantity, derivation)
        if scale != "wrong":
            return derivation, scale, derived.possible
        wrong = wrong or derivation
    return wrong, "wrong" if wrong else "none", derived.possible


def _scale(claimed: Quantity, derivation: Derivation) -> Literal["stated", "open", "wrong"]:
    if derivation.rescaled:
        return "stated"
    scales = derivation.scales
    if scales is None:
        return "stated" if not claimed.scaled_by else "wrong"
    if not claimed.scaled_by or claimed.kind == "percent":
        return "stated"
    if not scales:
        return "open"
    return "stated" if claimed.exponent in scales else "wrong"


# ---------------------------------------------------------------- features


def features(finding: Finding) -> dict[str, float]:
    """What the calibrated model is told about a claimed number. Fits are 0..2.4; gaps are what a better fitting place
    has over the one that agrees; 0/1 otherwise."""
    target = finding.target
    cues = operations(target.phrase)
    told: dict[str, float] = {
        f"cue_{name}": float(name in cues) for name in ("change", "average", "share", "sum", "ratio")
    }
    told |= {f"ask_{name}": float(name in finding.cued) for name in ("change", "average", "share", "sum", "ratio")}
    told |= _of_seen("cell", target, finding.cell, finding.nearest)
    told |= _of_seen("text", target, finding.text, finding.nearest_text)
    told |= _of_place(finding) | _of_derivation(finding)
    claimed = target.quantity
    told["text_cell_gap"] = (finding.nearest.fit.total if finding.nearest else 0.0) - told["text_fit"]
    told["text_local"] = finding.text.fit.column if finding.text else 0.0
    told["difference"] = float("differ" in target.phrase.lower())
    told["difference_negative"] = told["difference"] * (claimed.number < 0)
    told["open_scale"] = finding.implied.said
    told |= _of_open_source(finding)
    told["negative"] = float(claimed.number < 0)
    told["percent"] = float(claimed.kind == "percent")
    told["digits"] = float(len(claimed.number.as_tuple().digits))
    told["scaled"] = float(claimed.exponent)
    for kind in ("scale", "sign", "unit"):
        told[f"miss_{kind}"] = max((s.fit.total for s in finding.near_misses if s.match.how == kind), default=0.0)
    return told


def _of_seen(name: str, target: Target, seen: Seen | None, nearest: Seen | None) -> dict[str, float]:
    best = nearest.fit.total if nearest else 0.0
    digits = len(target.quantity.number.normalize().as_tuple().digits)
    if seen is None:
        return {f"{name}_hit": 0.0, f"{name}_fit": 0.0, f"{name}_gap": best, f"{name}_period": 0.5, f"{name}_row": 0.0,
                f"{name}_open": 0.0, f"{name}_omitted": 0.0, f"{name}_coarse": 0.0}  # fmt: skip
    return {
        f"{name}_hit": 1.0,
        f"{name}_fit": seen.fit.total,
        f"{name}_gap": best - seen.fit.total,
        f"{name}_period": seen.fit.period,
        f"{name}_row": seen.fit.row,
        f"{name}_open": float(seen.match.how == "open"),
        f"{name}_omitted": float(seen.match.how == "omitted"),
        f"{name}_coarse": float(seen.match.how == "rounded" and digits <= _COARSE),
    }


def _of_place(finding: Finding) -> dict[str, float]:
    """What the cell's headers have that the claim does not ask for, or lack that the best fitting cell's have."""
    told = dict.fromkeys(
        ("cell_unasked", "cell_unnamed", "cell_lacks_cue", "cell_lacks_words", "cell_deducted", "column_gap"), 0.0
    )
    if finding.cell is None or finding.cell.value is None or finding.nearest is None or finding.nearest.value is None:
        return told
    value, nearest, target = finding.cell.value, finding.nearest.value, finding.target
    told["cell_unasked"] = float(bool(value.periods) and not target.periods and not nearest.periods)
    if value.row == nearest.row and finding.cell.grid == finding.nearest.grid:
        told["column_gap"] = finding.nearest.fit.column - finding.cell.fit.column
    told["cell_deducted"] = float(value.quantity.number < 0 < target.quantity.number)
    told["cell_unnamed"] = float(not value.label_words & target.words)
    cues = operations(target.phrase)
    told["cell_lacks_cue"] = float(len(cues & (operations(_headers(nearest)) - operations(_headers(value)))))
    mine, best = (target.words & (v.label_words | v.section_words | v.column_words) for v in (value, nearest))
    told["cell_lacks_words"] = float(len(best - mine))
    return told


def _headers(value: Value) -> str:
    return f"{value.label} {value.column} {value.section}"


def _of_open_source(finding: Finding) -> dict[str, float]:
    """Where no scale is stated: the shape of the source's number; 96,168 is in thousands more often than 1.2."""
    derivation = finding.derivation
    if finding.cell is not None and finding.cell.match.how == "open":
        number = finding.cell.quantity.number
    elif derivation is not None and finding.scale_of_derivation == "open":
        number = derivation.operands[0].number
    else:
        return dict.fromkeys(("source_whole", "source_decimals", "source_largest", "source_above"), 0.0)
    shape = number.as_tuple()
    decimals = -int(shape.exponent)
    return {
        "source_whole": float(len(shape.digits) - decimals),
        "source_decimals": float(decimals),
        "source_largest": float(finding.implied.largest),
        "source_above": float(finding.implied.above),
    }


def _forward(finding: Finding) -> float:
    """1 for later less earlier, -1 for the other way round; a statement that something fell by so much means that."""
    found, target = finding.derivation, finding.target
    if found is None or found.forward is None:
        return 0.0
    fell = found.operation == "difference" and not target.asked and direction(target.phrase) < 0
    return 1.0 if found.forward or fell else -1.0


def _of_derivation(finding: Finding) -> dict[str, float]:
    found = finding.derivation
    told = {f"der_{kind}": float(found is not None and found.operation == kind) for kind in FORMULAS}
    told["der_hit"] = float(found is not None)
    told["der_fit"] = found.fit if found else 0.0
    told["der_gap"] = finding.possible - told["der_fit"]
    told["der_cell_gap"] = (finding.nearest.fit.total if finding.nearest else 0.0) - told["der_fit"]
    told["der_forward"] = _forward(finding)
    told["der_flipped"] = float(found is not None and found.flipped)
    told["der_in_time"] = in_time(finding.target.periods, found.operands) if found else 0.0
    told["der_rows"] = float(len({o.place[0] for o in found.operands})) if found else 0.0
    told["der_columns"] = float(len({o.place[1] for o in found.operands})) if found else 0.0
    told["der_operands"] = float(len(found.operands)) if found else 0.0
    told["der_open"] = float(finding.scale_of_derivation == "open")
    told["der_wrong_scale"] = float(finding.scale_of_derivation == "wrong")
    return told
