"""Furniture, tables and sections of a whole document, in the order in which they need each other."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

from grounded.documents.furniture import find_furniture
from grounded.documents.layout import OutlineEntry, PageLayout
from grounded.documents.rules import Rules, read_rules
from grounded.documents.sections import find_sections
from grounded.documents.table_continuation import with_continued_headers
from grounded.documents.tables import find_tables
from grounded.types import CharSpan, Section, Table

# What unforeseen geometry can make a detector raise: then a page has no tables, or a document no sections, and says so.
_FAULTS = (ArithmeticError, LookupError, ValueError, TypeError, AssertionError, RecursionError)


class Structure(NamedTuple):
    """What the layouts of all pages say together; `furniture` and `tables` are per page."""

    furniture: tuple[tuple[CharSpan, ...], ...]
    tables: tuple[tuple[Table, ...], ...]
    sections: tuple[Section, ...]
    warnings: tuple[str, ...] = ()


def find_structure(pages: Sequence[PageLayout], outline: Sequence[OutlineEntry] = ()) -> Structure:
    """Structure of a document from the layouts of its pages, in page order. A detector that fails is a warning."""
    warnings: list[str] = []
    no_furniture: list[tuple[CharSpan, ...]] = [() for _ in pages]
    no_tables: tuple[Table, ...] = ()
    no_sections: tuple[Section, ...] = ()
    furniture = _guarded(lambda: find_furniture(pages), no_furniture, "running headers", warnings)
    rules = [
        _guarded(partial(read_rules, page), Rules((), ()), f"rules of page {page.number}", warnings) for page in pages
    ]
    tables = [
        _guarded(partial(find_tables, page, marked, drawn), no_tables, f"tables of page {page.number}", warnings)
        for page, marked, drawn in zip(pages, furniture, rules, strict=True)
    ]
    tables = _guarded(lambda: with_continued_headers(pages, furniture, tables), tables, "continued tables", warnings)
    search = partial(find_sections, pages, outline=outline, furniture=furniture, tables=tables, rules=rules)
    sections = _guarded(search, no_sections, "sections", warnings)
    keys = [(section.page, section.span[0]) for section in sections]
    placed = [tuple(_with_section(table, sections, keys) for table in of_page) for of_page in tables]
    return Structure(tuple(furniture), tuple(placed), sections, tuple(warnings))


Found = TypeVar("Found")


def _guarded(work: Callable[[], Found], otherwise: Found, what: str, warnings: list[str]) -> Found:
    try:
        return work()
    except _FAULTS as error:
        warnings.append(f"{what} could not be judged ({type(error).__name__})")
        return otherwise


def _with_section(table: Table, sections: Sequence[Section], keys: Sequence[tuple[int, int]]) -> Table:
    at = bisect_right(keys, (table.page, table.span[0]))
    return table.model_copy(update={"section": sections[at - 1].path}) if at else table
