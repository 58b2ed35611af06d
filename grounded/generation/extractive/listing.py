"""Members of what a question names: the rows under a heading of a table, or of a table as a whole; and their number."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from grounded.generation.extractive.evidence import Fact, columns
from grounded.generation.extractive.matching import Matcher
from grounded.generation.extractive.operations import Computed, names
from grounded.generation.extractive.words import terms

MIN_HEADING = 0.6  # share of the question's weight that a heading must hold for its rows to be meant
_TOTALS = frozenset(terms("total totals subtotal"))
_ASKS_MEMBERS = re.compile(
    r"\b(?:components?|constituents?|items|types|kinds|categories|elements|parts) (?:\w+ ){0,3}"
    r"(?:of|under|in|within|making)\b"
    r"|\b(?:consists?|comprises?|comprised|composed|made up) (?:mainly |primarily )?(?:of\b|\?|$)|\bcomprise\b",
    re.IGNORECASE,
)


class Members(NamedTuple):
    """Rows of one column, without totals, and how well what heads them fits."""

    facts: list[Fact]
    heading: str
    score: float


def members(matcher: Matcher, known: Sequence[Fact]) -> Members | None:
    """The rows under the heading the question names; None when it names none that has two rows or more."""
    best: Members | None = None
    for titles, rows in (*_groups(known), *(_sums(known) if asks_members(matcher.question.text) else ())):
        fit = matcher.heading(titles, rows)
        if fit.own >= MIN_HEADING and (best is None or fit.score > best.score):
            best = Members(rows, titles[0], fit.score)
    return best


def asks_members(question: str) -> bool:
    """Whether a question asks for the parts of something, not for its value."""
    return bool(_ASKS_MEMBERS.search(question))


def counted(found: Members) -> Computed:
    """How many members there are, each quoted."""
    shown = str(len(found.facts))
    formula = f"count({'; '.join(names(found.facts))}) = {shown}"
    heads = all(set(terms(found.heading)) <= {*f.row_stems, *terms(f.group)} for f in found.facts)
    return Computed("count", found.heading if heads else "", tuple(found.facts), formula, shown, found.score)


def _groups(known: Sequence[Fact]) -> Iterator[tuple[list[str], list[Fact]]]:
    """(titles, rows) for each heading inside a table and for each table, in each column."""
    by_path: dict[tuple[int, int, tuple[str, ...]], list[Fact]] = {}
    for fact in known:
        if fact.table and fact.cell and fact.value and fact.cell.row_headers:
            for path in {fact.cell.row_headers[:-1], ()}:
                by_path.setdefault((id(fact.table), fact.cell.col, path), []).append(fact)
    for (_, _, path), facts in by_path.items():
        shown = _to_its_sum(facts) if path else facts
        rows = [f for f in shown if f.row_stems and not _TOTALS & set(f.row_stems)]
        if len(rows) > 1:
            yield ([path[-1].rstrip(":")] if path else _titles(rows[0])), rows


def _to_its_sum(facts: Sequence[Fact]) -> Sequence[Fact]:
    """The rows under a heading as far as the sum of them: what follows is no part of it."""
    for number, fact in enumerate(facts):
        if number > 1 and _is_sum(fact, facts[:number]):
            return facts[:number]
    return facts


def _sums(known: Sequence[Fact]) -> Iterator[tuple[list[str], list[Fact]]]:
    """The rows that each total of a column adds up, with its label."""
    for facts in columns(known):
        begin = 0
        for number, fact in enumerate(facts):
            if number - begin > 1 and fact.row_text and _is_sum(fact, facts[begin:number]):
                yield [fact.row_text.rsplit(" › ", 1)[-1]], list(facts[begin:number])
                begin = number + 1


def _is_sum(fact: Fact, above: Sequence[Fact]) -> bool:
    """Whether a value is the sum of others, as far as their rounding goes."""
    total, parts = fact.quantity, [f.quantity for f in above if f.quantity]
    if total is None or len(parts) < 2:
        return False
    off = abs(sum((q.value for q in parts), Decimal(0)) - total.value)
    return off <= Decimal(len(parts)).scaleb(total.exponent - total.decimals) / 2


def _titles(fact: Fact) -> list[str]:
    """What heads a table: the closest title, its caption, and the whole path with both."""
    table = fact.table
    assert table is not None  # _groups
    return [title for title in (*table.section[-1:], table.caption, fact.group) if title] or [""]
