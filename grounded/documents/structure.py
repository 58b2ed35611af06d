"""Furniture, tables and sections of a whole document, in the order in which they need each other."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from grounded.documents.furniture import find_furniture
from grounded.documents.layout import OutlineEntry, PageLayout
from grounded.documents.sections import find_sections
from grounded.documents.tables import find_tables
from grounded.types import CharSpan, Section, Table


class Structure(NamedTuple):
    """What the layouts of all pages say together; `furniture` and `tables` are per page."""

    furniture: tuple[tuple[CharSpan, ...], ...]
    tables: tuple[tuple[Table, ...], ...]
    sections: tuple[Section, ...]


def find_structure(pages: Sequence[PageLayout], outline: Sequence[OutlineEntry] = ()) -> Structure:
    """Structure of a document from the layouts of its pages, in page order."""
    furniture = find_furniture(pages)
    tables = [find_tables(page, marked) for page, marked in zip(pages, furniture, strict=True)]
    sections = find_sections(pages, outline=outline, furniture=furniture, tables=tables)
    keys = [(section.page, section.span[0]) for section in sections]
    placed = [tuple(_with_section(table, sections, keys) for table in of_page) for of_page in tables]
    return Structure(tuple(furniture), tuple(placed), sections)


def _with_section(table: Table, sections: Sequence[Section], keys: Sequence[tuple[int, int]]) -> Table:
    at = bisect_right(keys, (table.page, table.span[0]))
    return table.model_copy(update={"section": sections[at - 1].path}) if at else table
