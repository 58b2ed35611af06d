"""Members of what a question names: the rows under a heading of a table, or of a table as a whole; and their number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from grounded.generation.extractive.evidence import Fact
from grounded.generation.extractive.matching import Matcher
from grounded.generation.extractive.operations import Computed, names
from grounded.generation.extractive.words import terms

MIN_HEADING = 0.6  # share of the question's weight that a heading must hold for its rows to be meant
_TOTALS = frozenset(terms("total totals subtotal"))


class Members(NamedTuple):
    """Rows of one column, without totals, and how well what heads them fits."""

    facts: list[Fact]
    heading: str
    score: float


def members(matcher: Matcher, known: Sequence[Fact]) -> Members | None:
    """The rows under the heading the question names; None when it names none that has two rows or more."""
    best: Members | None = None
    for titles, rows in _groups(known):
        fit = matcher.heading(titles, rows)
        if fit.own >= MIN_HEADING and (best is None or fit.score > best.score):
            best = Members(rows, titles[0], fit.score)
    return best


def counted(found: Members) -> Computed:
    """How many members there are, each quoted."""
    shown = str(len(found.facts))
    formula = f"count({'; '.join(names(found.facts))}) = {shown}"
    return Computed("count", found.heading, tuple(found.facts), formula, shown, found.score)


def _groups(known: Sequence[Fact]) -> Iterator[tuple[list[str], list[Fact]]]:
    """(titles, rows) for each heading inside a table and for each table, in each column."""
    by_path: dict[tuple[int, int, tuple[str, ...]], list[Fact]] = {}
    for fact in known:
        if fact.table and fact.cell and fact.value and fact.cell.row_headers:
            for path in {fact.cell.row_headers[:-1], ()}:
                by_path.setdefault((id(fact.table), fact.cell.col, path), []).append(fact)
    for (_, _, path), facts in by_path.items():
        rows = [f for f in facts if f.row_stems and not _TOTALS & set(f.row_stems)]
        if len(rows) > 1:
            yield ([path[-1].rstrip(":")] if path else _titles(rows[0])), rows


def _titles(fact: Fact) -> list[str]:
    """What heads a table: the closest title, its caption, and the whole path with both."""
    table = fact.table
    assert table is not None  # _groups
    return [title for title in (*table.section[-1:], table.caption, fact.group) if title] or [""]
