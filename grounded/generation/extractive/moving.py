"""What went the furthest: "which sector grew the most", between two columns of a table, two documents, or year by
year."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import combinations, pairwise
from typing import NamedTuple

from grounded.generation.extractive import amounts, operations
from grounded.generation.extractive.evidence import Fact, timeless
from grounded.generation.extractive.matching import Matcher
from grounded.generation.extractive.operations import Computed
from grounded.generation.extractive.question import Question
from grounded.generation.extractive.words import terms
from grounded.quantities import Period

_TOTALS = frozenset(terms("total totals subtotal sum aggregate overall"))
_FIRST_LEAST = re.compile(r"\b(?:least|smallest|lowest)\b", re.IGNORECASE)


class Pair(NamedTuple):
    """One measure at two times."""

    old: Fact
    new: Fact

    @property
    def change(self) -> Decimal:
        return operations.number(self.new).value - operations.number(self.old).value

    @property
    def growth(self) -> Decimal | None:
        base = operations.number(self.old).value
        return self.change / abs(base) if base else None


def movers(question: Question, matcher: Matcher, known: Sequence[Fact], *, by_period: bool) -> list[Computed]:
    """The changes asked for, the furthest first, each with its formula; [] when no two times are told of."""
    lines = _years(known) if by_period else _columns(known, question.periods)
    best: list[Pair] = []
    best_score = 0.0
    for pairs in lines:
        kept = [p for p in pairs if amounts.comparable([operations.number(f) for f in p])]
        score = _score(matcher, [p.new for p in kept], by_period=by_period)
        if len(kept) > 1 and score > best_score:
            best, best_score = kept, score
    compute = operations.growth if question.operation == "growth" else operations.difference
    first = question.rank - 1
    chosen = _ordered(question, best)[first : first + question.top]
    return [computed for pair in chosen if (computed := compute(pair, best_score))]


def _score(matcher: Matcher, facts: Sequence[Fact], *, by_period: bool) -> float:
    if not facts:
        return 0.0
    return matcher.fact(facts[0]).score if by_period else matcher.column(facts)._replace(period=0.0).score


def _ordered(question: Question, pairs: Sequence[Pair]) -> list[Pair]:
    """Those that moved the way asked, the furthest first ("the least": last)."""
    size = {id(p): (p.growth or Decimal(0)) if question.operation == "growth" else p.change for p in pairs}
    sign = {"up": 1, "down": -1}.get(question.moved, 0)
    moved = [p for p in pairs if sign == 0 or size[id(p)] * sign > 0]
    least = bool(_FIRST_LEAST.search(question.text))
    return sorted(moved, key=lambda p: abs(size[id(p)]), reverse=not least)


def _columns(known: Sequence[Fact], wanted: Sequence[Period]) -> Iterator[list[Pair]]:
    """Rows of two columns that say the same at two times: those asked for, else the latest two."""
    columns: dict[tuple[int, int], list[Fact]] = {}
    for fact in known:
        if fact.table and fact.cell and fact.row_stems and not _TOTALS & set(fact.row_stems) and _when(fact):
            columns.setdefault((id(fact.table), fact.cell.col), []).append(fact)
    dated = sorted(columns.values(), key=lambda column: _when(column[0]), reverse=True)
    latest: set[tuple[object, ...]] = set()
    for new, old in combinations(dated, 2):
        key = (_measure(new[0]), id(new[0].table) if new[0].table is old[0].table else new[0].sheet.document)
        asked = _agree(wanted[:2], old[0], new[0]) if len(wanted) > 1 else key not in latest
        if asked and _when(old[0]) < _when(new[0]) and _measure(old[0]) == _measure(new[0]):
            pairs = _paired(old, new)
            latest |= {key} if pairs else set()
            yield pairs


def _paired(old: Sequence[Fact], new: Sequence[Fact]) -> list[Pair]:
    by_row = {timeless(f.row_text): f for f in old}
    matched = ((by_row.get(timeless(f.row_text)), f) for f in operations.without_totals(new))
    return [Pair(before, after) for before, after in matched if before is not None]


def _years(known: Sequence[Fact]) -> Iterator[list[Pair]]:
    """Each measure of a table from one time to the next."""
    series: dict[tuple[object, ...], list[Fact]] = {}
    for fact in known:
        if fact.table and _when(fact):
            key = (id(fact.table), timeless(fact.row_text), _measure(fact))
            series.setdefault(key, []).append(fact)
    for facts in series.values():
        ordered = sorted(facts, key=_when)
        yield [Pair(old, new) for old, new in pairwise(ordered) if _when(old) < _when(new)]


def _agree(wanted: Sequence[Period], old: Fact, new: Fact) -> bool:
    """Whether the two facts are of the two times, the earlier one first."""
    first, last = sorted(wanted, key=lambda p: tuple(part or 0 for part in p.key))
    return any(first.agrees(p) for p in old.periods) and any(last.agrees(p) for p in new.periods)


def _measure(fact: Fact) -> tuple[str, ...]:
    return timeless(fact.column_text)


def _when(fact: Fact) -> tuple[int, ...]:
    """The time a fact is of, as exactly as it is told; () when there is none, or there are several years."""
    keys = {tuple(part or 0 for part in p.key) for p in fact.periods if p.year is not None}
    return max(keys) if len({key[0] for key in keys}) == 1 else ()
