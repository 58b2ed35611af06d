"""What a claim is held against: the quoted or found text, the tables it stands in, and what is in force around them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from grounded.types import CharSpan, Page, Table

Rows = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table as rows of cell texts. Headers and units are read from it by `cells`."""

    rows: Rows
    caption: str = ""
    added: int = 0  # rows in front that the page has not: headers printed on an earlier page
    _hash: int = field(init=False, repr=False, compare=False, default=0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.rows, self.caption)))

    def __hash__(self) -> int:
        """Kept: a table is the key of several caches."""
        return self._hash

    def without(self, left_out: Collection[int]) -> Grid:
        """The table with these rows blank."""
        if not left_out:
            return self
        rows = (("",) * len(row) if n in left_out else row for n, row in enumerate(self.rows))
        return replace(self, rows=tuple(rows))

    @classmethod
    def of_table(cls, table: Table) -> Grid:
        """The rows of an extracted table; a cell covered by a merged neighbour is blank. The unit note joins the
        caption, so that both kinds of table say it in one place. Headers from an earlier page are a row in front."""
        rows = [["" for _ in range(table.n_cols)] for _ in range(table.n_rows)]
        for cell in table.cells:
            rows[cell.row][cell.col] = cell.text
        inherited = table.inherited_headers()
        if inherited:
            rows.insert(0, [" ".join(inherited.get(col, ())) for col in range(table.n_cols)])
        notes = dict.fromkeys(cell.unit for cell in table.cells if cell.unit)
        caption = " ".join([table.caption, *(f"({note})" for note in notes if len(notes) == 1)])
        return cls(tuple(map(tuple, rows)), caption.strip(), added=int(bool(inherited)))


@dataclass(frozen=True, slots=True)
class Evidence:
    """Text (the quotes, or everything when nothing was quoted), tables, and `around`: text that is in force there but
    was not quoted (chunk, section, unit notes, defined terms). name: the document's."""

    text: str = ""
    grids: tuple[Grid, ...] = ()
    around: str = ""
    name: str = ""


def grids_under(page: Page, spans: Sequence[CharSpan]) -> list[Grid]:
    """The page's tables that any of the spans touches."""
    touched = [t for t in page.tables if any(start < t.span[1] and t.span[0] < end for start, end in spans)]
    return [Grid.of_table(table) for table in touched]
