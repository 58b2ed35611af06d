"""Claims that compare rows or columns of a table: who is above whom, and who is at the top or bottom."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from grounded.verification.cells import Sheet, Value
from grounded.verification.cues import cues
from grounded.verification.words import stem, tokens

_TOP = re.compile(r"\b(?:best|highest|most|largest|greatest|top|strongest|maximum|peak\w*)\b", re.IGNORECASE)
_BOTTOM = re.compile(r"\b(?:worst|lowest|least|smallest|weakest|minimum)\b", re.IGNORECASE)
_EVERYWHERE = re.compile(r"\b(?:all|every|each|always|both|consistently|across)\b", re.IGNORECASE)
_NAMED = 0.6  # share of a label's words that the claim must have

Line = Mapping[int, float]  # the numbers of one row (by column) or one column (by row)


def features(claim: str, sheet: Sheet) -> dict[str, float]:
    """What rows and columns say about the claim's comparison: 1 for it, -1 against it, 0 nothing."""
    said = cues(claim)
    direction = float("up" in said) - float("down" in said)
    turned = -1.0 if "negation" in said else 1.0
    told = {"direction": direction, "negated": turned, "everywhere": float(bool(_EVERYWHERE.search(claim)))}
    told |= {"top": float(bool(_TOP.search(claim))), "bottom": float(bool(_BOTTOM.search(claim)))}
    sides = {"rows": _rows(sheet.values), "columns": _columns(sheet.values)}
    mentioned = {name: _mentioned(claim, labels) for name, (_, labels) in sides.items()}
    for name, other in (("rows", "columns"), ("columns", "rows")):
        named, lines = mentioned[name], _narrowed(sides[name][0], mentioned[other])
        told[f"{name}_named"] = float(min(len(named), 3))
        above = _above(named, lines)
        told[f"{name}_above"] = above
        told[f"{name}_agree"] = turned * above * direction
        rank = _rank(named[0], lines) if named else 0.0
        told[f"{name}_rank"] = rank
        told[f"{name}_extreme"] = turned * rank * (told["top"] - told["bottom"])
    return told


def _narrowed(lines: Mapping[int, Line], named: Sequence[int]) -> Mapping[int, Line]:
    """The lines at the places that the claim names, when it names some: 'the highest F1' is about that column."""
    kept = {key: {at: x for at, x in line.items() if at in named} for key, line in lines.items()}
    return kept if any(kept.values()) else lines


def compared(claim: str, sheet: Sheet) -> list[Value]:
    """The cells of the rows that a claim names, in the columns it names; of all of either where it names none."""
    rows, columns = _mentioned(claim, _rows(sheet.values)[1]), _mentioned(claim, _columns(sheet.values)[1])
    return [v for v in sheet.values if (not rows or v.row in rows) and (not columns or v.col in columns)]


def _rows(values: Sequence[Value]) -> tuple[dict[int, dict[int, float]], dict[int, str]]:
    lines: dict[int, dict[int, float]] = {}
    for value in values:
        lines.setdefault(value.row, {})[value.col] = float(value.quantity.number)
    return lines, {value.row: value.label for value in values}


def _columns(values: Sequence[Value]) -> tuple[dict[int, dict[int, float]], dict[int, str]]:
    lines: dict[int, dict[int, float]] = {}
    for value in values:
        lines.setdefault(value.col, {})[value.row] = float(value.quantity.number)
    return lines, {value.col: value.column for value in values}


def _mentioned(claim: str, labels: Mapping[int, str]) -> list[int]:
    """The lines whose labels the claim has, in the order of mention."""
    places = {word: i for i, word in reversed(list(enumerate(stem(t) for t in tokens(claim))))}
    found = []
    for key, label in labels.items():
        own = [stem(t) for t in tokens(label)]
        hit = [places[s] for s in own if s in places]
        if own and len(hit) >= _NAMED * len(own):
            found.append((min(hit), -len(hit), key))
    return [key for _, _, key in sorted(found)]


def _above(named: Sequence[int], lines: Mapping[int, Line]) -> float:
    """-1..1: how often the first line named is above the second, over the places both have."""
    if len(named) < 2:
        return 0.0
    first, second = lines[named[0]], lines[named[1]]
    shared = [k for k in first if k in second]
    return sum((first[k] > second[k]) - (first[k] < second[k]) for k in shared) / len(shared) if shared else 0.0


def _rank(key: int, lines: Mapping[int, Line]) -> float:
    """1 when the line is at the top everywhere, -1 when at the bottom everywhere."""
    own = lines[key]
    scores = []
    for place, value in own.items():
        others = [line[place] for k, line in lines.items() if k != key and place in line]
        if others:
            scores.append((sum(value > o for o in others) - sum(value < o for o in others)) / len(others))
    return sum(scores) / len(scores) if scores else 0.0
