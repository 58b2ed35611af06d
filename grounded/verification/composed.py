"""Claims put together from quoted pieces are proven by taking them apart again. No model, no statistics.

A claim is proven here when it is, word for word,
1. one quote, or "Yes: " or "No: " before one that states or denies without qualification;
2. "LABEL (WHERE): VALUE (UNIT)", where VALUE is a quoted table cell or form value, LABEL and WHERE are headers of that
   very cell (or a label quoted from the same row), its section, its document's name, and UNIT is quoted; or
3. a calculation over quoted values that gives the stated result again, its terms named by their own headers; a largest
   or smallest value only when no other value of its column or row is beyond it.
Whatever does not come apart cleanly is not judged here: `composed` answers None, and the rules on content decide.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from grounded.quantities import quantities
from grounded.text import collapse, fold, polarity
from grounded.types import Box, Calculation, Cell, CharSpan, Check, Citation, Claim, Page, PageSource, Table, Verdict
from grounded.verification.recompute import Operand, holds

_SURE = 0.99
_WORD = re.compile(r"[^\W_]+(?:[.,'’&/-][^\W_]+)*%?|%")
_GLUED = re.compile(r"(?<=[a-z])\d{1,2}$")  # a footnote mark in the size of its word; a claim may leave it out
_LEADERS = ": .…_\t\n"  # what leads the eye from a label to its value
_TAIL = re.compile(r"^(?P<value>.*?)(?: \((?P<unit>[^()]+(?:\([^()]*\))?)\))?$")


class _Extreme(NamedTuple):
    word: str  # what the claim must say
    of: Callable[[float, float], float]


_EXTREMES = {"maximum": _Extreme("largest", max), "minimum": _Extreme("smallest", min)}


@dataclass(frozen=True, slots=True)
class Piece:
    """A citation with the table cell it covers, when it covers one."""

    citation: Citation
    page: Page
    table: Table | None = None
    cell: Cell | None = None

    @property
    def text(self) -> str:
        return collapse(self.citation.snippet)

    @property
    def value(self) -> str:
        """The cell's text, else the quote's."""
        return collapse(self.cell.text) if self.cell else self.text


def composed(claim: Claim, citations: Sequence[Citation], pages: PageSource) -> Verdict | None:
    """A verdict that the claim is grounded, or None when it is not put together from its quotes."""
    pieces = [_piece(c, pages.page(c.document, c.page)) for c in citations if c.match == "exact"]
    if len(pieces) != len(citations):
        return None
    text = collapse(claim.text)
    if claim.calculation is not None:
        return _calculated(claim, text, pieces)
    if any(text == piece.text for piece in pieces):
        return _proven("the claim is a quote, word for word")
    if any(text == f"{polarity(piece.text)}: {piece.text}" for piece in pieces):
        return _proven("the claim is a quote, word for word, with what it plainly says: yes or no")
    if any(_is_field(text, piece, pieces) for piece in pieces):
        return _proven("label and value stand together in the source")
    return None


def _proven(detail: str) -> Verdict:
    check = Check(name="composition", passed=True, detail=detail)
    return Verdict(grounded=True, status="grounded", confidence=_SURE, reason=detail, checks=(check,))


def _piece(citation: Citation, page: Page) -> Piece:
    """The citation with the last data cell that lies within it."""
    for table in page.tables:
        for cell in reversed(table.cells):
            if cell.spans and not cell.is_header and all(_covered(span, citation.spans) for span in cell.spans):
                return Piece(citation, page, table, cell)
    return Piece(citation, page)


def _covered(span: CharSpan, spans: Iterable[CharSpan]) -> bool:
    return any(start <= span[0] and span[1] <= end for start, end in spans)


# ---------------------------------------------------------------- 2: label and value


def _is_field(text: str, piece: Piece, pieces: Sequence[Piece], also: str = "") -> bool:
    for match in re.finditer(r": ", text):
        tail = _TAIL.match(text[match.end() :])
        if tail and _ends_with_value(piece, tail["value"]) and _is_unit(tail["unit"], pieces):
            return _names(text[: match.start()], piece, tail["value"], pieces, also)
    return False


def _ends_with_value(piece: Piece, value: str) -> bool:
    """Whether the value is the whole cell, or a whole quote, or what a quote of "label value" ends with."""
    if not value:
        return False
    if piece.cell:
        whole = piece.citation.spans[0][0] >= piece.cell.spans[0][0]  # nothing but the cell is quoted
        return value == piece.value or (whole and value == piece.text)
    return value == piece.text or piece.text.endswith((f" {value}", f":{value}"))


def _is_unit(unit: str | None, pieces: Sequence[Piece]) -> bool:
    return unit is None or any(unit == piece.text.strip(" ()") for piece in pieces)


def _names(head: str, piece: Piece, value: str, pieces: Sequence[Piece], also: str) -> bool:
    """Whether every word of the head but `also` is in force for the value, and at least one of them is its label's."""
    label = _label_words(piece, value, pieces)
    around = label | _words(f"{piece.citation.section} {piece.citation.source_name}") | _words(also)
    said = _words(head)
    return bool(said & label) and said <= around


def _label_words(piece: Piece, value: str, pieces: Sequence[Piece]) -> set[str]:
    """Words of the headers of the value's cell; outside tables, of the label before it in its own quote or beside it on
    its row."""
    if piece.cell:
        headers = (*piece.cell.row_headers, *piece.cell.col_headers, piece.table.caption if piece.table else "")
        return _words(" ".join(headers))
    if piece.text != value:
        return _words(piece.text[: -len(value)])
    return set().union(*(_words(other.text) for other in pieces if _beside(other, piece)))


def _beside(label: Piece, value: Piece) -> bool:
    """Whether a quote stands left of a value on its row, or straight above it, in one document."""
    same = (label.citation.document, label.citation.page) == (value.citation.document, value.citation.page)
    if label is value or not same or not label.citation.boxes or not value.citation.boxes:
        return False
    a, b = label.citation.boxes[-1], value.citation.boxes[0]
    overlap = min(a[3], b[3]) - max(a[1], b[1])
    on_row = overlap > 0.5 * min(a[3] - a[1], b[3] - b[1]) and a[2] <= b[0] + 1 and _clear(label.page, a, b)
    above = abs(a[0] - b[0]) < 2 and 0 <= b[1] - a[3] < b[3] - b[1]
    return on_row or above


def _clear(page: Page, left: Box, right: Box) -> bool:
    """Whether nothing is printed between two boxes of one row: what stands between belongs to another field."""
    middle = (page.boxes[:, 1] + page.boxes[:, 3]) / 2
    row = (middle > max(left[1], right[1])) & (middle < min(left[3], right[3]))
    between = row & (page.boxes[:, 0] > left[2] - 1) & (page.boxes[:, 2] < right[0] + 1)
    return not any(page.text[i].strip(_LEADERS) for i in between.nonzero()[0])


# ---------------------------------------------------------------- 3: calculations


def _calculated(claim: Claim, text: str, pieces: Sequence[Piece]) -> Verdict | None:
    calculation = claim.calculation
    if calculation is None or not 0 < len(calculation.operands) <= len(pieces):
        return None
    used = pieces[: len(calculation.operands)]
    if any(piece.value != collapse(shown) for piece, shown in zip(used, calculation.operands, strict=True)):
        return None
    if not holds(calculation, [Operand(piece.value, _unit(piece)) for piece in used]):
        return None
    if calculation.operation in _EXTREMES:
        word = _EXTREMES[calculation.operation].word
        told = word in text and _is_field(text, used[0], pieces, word) and _is_extreme(calculation.operation, used)
    else:
        told = _is_formula(text, calculation, used)
    return _proven(f"recomputed: {calculation.formula}") if told else None


def _is_formula(text: str, calculation: Calculation, used: Sequence[Piece]) -> bool:
    """Whether the claim reads "LABEL: FORMULA = RESULT": each operand as printed, named by its own headers, the label
    by headers that all of them have."""
    match = re.fullmatch(_pattern(calculation, [re.escape(piece.value) for piece in used]), text)
    if match is None:
        return False
    names = [match[f"n{i}"] or "" for i in range(len(used))]
    named = all(_words(name) <= _in_force(piece) for name, piece in zip(names, used, strict=True))
    return named and all(_words(match["label"] or "") <= _in_force(piece) for piece in used)


def _pattern(calculation: Calculation, values: Sequence[str]) -> str:
    """The claim's text as a pattern, for the operation it says it is."""
    terms = [rf"{value}(?: \((?P<n{i}>.+?)\))?" for i, value in enumerate(values)]
    added = r" \+ ".join(terms)
    formula = {
        "difference": " − ".join(terms),
        "sum": added,
        "average": rf"\({added}\) / {len(terms)}",
        "ratio": " / ".join(terms),
        "growth": rf"\({' − '.join(terms)}\) / {values[-1]}",
        "count": rf"count\({'; '.join(terms)}\)",
    }.get(calculation.operation, "(?!)")
    return rf"(?:(?P<label>.+?): )?{formula} = {re.escape(collapse(calculation.result))}"


def _in_force(piece: Piece) -> set[str]:
    """Words of what a quoted value is the value of: its headers, caption, section, document, or its own quote."""
    headers = (*piece.cell.row_headers, *piece.cell.col_headers) if piece.cell else (piece.text,)
    caption = piece.table.caption if piece.table else ""
    return _words(" ".join((*headers, caption, piece.citation.section, piece.citation.source_name)))


def _unit(piece: Piece) -> str:
    """The unit in force for a cell: its own, else that of the other cells of its row."""
    if piece.cell is None or piece.table is None:
        return ""
    if piece.cell.unit or any("%" in header for header in piece.cell.col_headers):
        return piece.cell.unit
    row = [c.unit for c in piece.table.cells if c.row == piece.cell.row and c.unit and "%" not in c.unit]
    return row[-1] if row else ""


def _is_extreme(operation: str, used: Sequence[Piece]) -> bool:
    """Whether no value of the first operand's column (or row) that is not among the operands lies beyond it; rows that
    add up others do not count."""
    first = used[0]
    if first.table is None or first.cell is None:
        return True
    by_row = len({p.cell.row for p in used if p.cell}) > 1
    line = [c for c in first.table.cells if (c.col == first.cell.col if by_row else c.row == first.cell.row)]
    shown = {(p.cell.row, p.cell.col) for p in used if p.cell}
    best = _number(first.cell)
    if best is None:
        return False
    beyond = [c for c in line if not c.is_header and (c.row, c.col) not in shown and _is_beyond(operation, c, best)]
    return all(_adds_up(cell, line) for cell in beyond)


def _is_beyond(operation: str, cell: Cell, best: float) -> bool:
    number = _number(cell)
    return number is not None and number != best and _EXTREMES[operation].of(number, best) == number


def _adds_up(cell: Cell, line: Sequence[Cell]) -> bool:
    """Whether a cell is a total by its label, or the sum of cells above it."""
    if _words(" ".join(cell.row_headers)) & {fold(w).key for w in ("total", "subtotal", "sum", "net", "gross")}:
        return True
    above = [n for c in line if (c.row, c.col) < (cell.row, cell.col) and (n := _number(c)) is not None]
    number = _number(cell)
    return len(above) > 2 and number is not None and abs(sum(above) - number) <= 0.005 * abs(number) * len(above)


def _number(cell: Cell) -> float | None:
    found = quantities(cell.text)
    return float(found[0].number) if len(found) == 1 else None


def _words(text: str) -> set[str]:
    """The words and numbers of a text as compared: folded; footnote marks set small behind a word are in no header."""
    words = _WORD.findall(text)
    return {fold(form).key for word in words for form in (word, _GLUED.sub("", word))} - {""}
