import numpy as np
import pytest

from grounded.types import Box, Calculation, Cell, CharSpan, Citation, Claim, Page, Table, Verdict
from grounded.verification.composed import composed

ROWS = [
    ("Technology", "32.7%", "30.6%"),
    ("Energy", "3.0%", "3.9%"),
    ("Utilities", "2.3%", "2.4%"),
    ("Materials7", "1.9%", "2.0%"),
]
YEARS = ("2025", "2024")
TEXT = (
    "Sectors\n" + " ".join(YEARS) + "\n" + "\n".join(" ".join(row) for row in ROWS) + "\nOwner:   Acme   Held:   None"
)


def span(text: str, nth: int = 0) -> CharSpan:
    at = -1
    for _ in range(nth + 1):
        at = TEXT.index(text, at + 1)
    return at, at + len(text)


def box(start: int) -> Box:
    line = TEXT.count("\n", 0, start)
    column = start - (TEXT.rfind("\n", 0, start) + 1)
    return (6.0 * column, 12.0 * line, 6.0 * column + 6, 12.0 * line + 10)


def table() -> Table:
    cells = [
        Cell(
            row=r,
            col=c,
            text=value,
            spans=(span(value),),
            box=(0, 0, 0, 0),
            row_headers=(row[0],),
            col_headers=(YEARS[c],),
            unit="%",
        )
        for r, row in enumerate(ROWS)
        for c, value in enumerate(row[1:])
    ]
    return Table(
        page=1, index=0, box=(0, 0, 0, 0), span=(0, TEXT.index("Owner")), n_rows=4, n_cols=2, cells=tuple(cells)
    )


class Pages:
    def page(self, document: str, number: int) -> Page:
        boxes = np.array([box(i) for i in range(len(TEXT))], np.float32)
        return Page(1, "1", 612, 792, 0, TEXT, boxes, tables=(table(),))

    def page_count(self, document: str) -> int:
        return 1

    def section_at(self, document: str, page: int, offset: int) -> str:
        return "Sectors"

    def name(self, document: str) -> str:
        return "a.pdf"


def cite(text: str) -> Citation:
    start, end = span(text)
    boxes = ((box(start)[0], box(start)[1], box(end - 1)[2], box(end - 1)[3]),)
    return Citation(
        source_id="S1",
        document="d",
        source_name="a.pdf",
        page=1,
        page_label="1",
        section="Sectors",
        snippet=text,
        spans=((start, end),),
        boxes=boxes,
        chunk_id="c",
        match="exact",
        score=0.5,
    )


def judged(text: str, *quotes: str, calculation: Calculation | None = None) -> Verdict | None:
    claim = Claim(id="c1", text=text, calculation=calculation)
    return composed(claim, [cite(q) for q in quotes], Pages())


def calculated(operation: str, result: str, *operands: str) -> Calculation:
    return Calculation(operation=operation, formula="", operands=operands, result=result)


@pytest.mark.parametrize(
    ("text", "quotes"),
    [
        ("Technology (2025, Sectors): 32.7%", ("Technology 32.7%", "2025")),
        ("Technology (2024): 30.6%", ("30.6%", "Technology", "2024")),
        ("Materials (2025): 1.9%", ("Materials7 1.9%", "2025")),  # 7: a footnote mark, or the name's own
        ("Owner: Acme", ("Owner:", "Acme")),
        ("Energy 3.0% 3.9%", ("Energy 3.0% 3.9%",)),
    ],
)
def test_claims_that_come_apart_cleanly_are_proven(text: str, quotes: tuple[str, ...]) -> None:
    verdict = judged(text, *quotes)
    assert verdict is not None
    assert verdict.grounded


@pytest.mark.parametrize(
    ("text", "quotes"),
    [
        ("Technology (2024, Sectors): 32.7%", ("32.7%", "2024")),  # another column's header
        ("Energy (2025): 32.7%", ("32.7%", "Energy")),  # another row's label
        ("Technology (2025): 3.0%", ("Technology", "3.0%", "2025")),  # another row's value
        ("Technology (2025): 2.7%", ("Technology 32.7%", "2025")),  # part of a number
        ("Technology (2025, largest): 32.7%", ("32.7%", "2025")),  # a rank nobody computed
        ("Technology (2025): 32.7% (in millions)", ("32.7%", "2025")),  # a unit nobody quoted
        ("Owner: None", ("Owner:", "None")),  # a value from farther on, behind another label
        ("Materials8 (2025): 1.9%", ("Materials7 1.9%", "2025")),  # another number behind the name
        ("Best of all: 32.7%", ("32.7%",)),
    ],
)
def test_claims_that_do_not_are_left_to_the_other_rules(text: str, quotes: tuple[str, ...]) -> None:
    assert judged(text, *quotes) is None


def test_calculations_are_done_again() -> None:
    text = "Energy: 3.0% (2025) − 3.9% (2024) = −0.9 percentage points"
    right = calculated("difference", "−0.9 percentage points", "3.0%", "3.9%")
    assert judged(text, "3.0%", "3.9%", calculation=right) is not None


@pytest.mark.parametrize(
    ("text", "calculation"),
    [
        # wrong result, wrong order of operands, wrong operation, columns exchanged, another row's name
        ("Energy: 3.0% (2025) − 3.9% (2024) = 0.9%", calculated("difference", "0.9%", "3.0%", "3.9%")),
        ("Energy: 3.9% (2024) − 3.0% (2025) = −0.9%", calculated("difference", "−0.9%", "3.0%", "3.9%")),
        ("Energy: 3.0% (2025) − 3.9% (2024) = 6.9%", calculated("sum", "6.9%", "3.0%", "3.9%")),
        ("Energy: 3.0% (2024) − 3.9% (2025) = −0.9%", calculated("difference", "−0.9%", "3.0%", "3.9%")),
        ("Utilities: 3.0% (2025) − 3.9% (2024) = −0.9%", calculated("difference", "−0.9%", "3.0%", "3.9%")),
        ("Energy: 3.0% (2025) − 3.9% (2024) = −0.9%", calculated("difference", "−0.9%", "3.0%", "2.4%")),
    ],
)
def test_calculations_that_do_not_hold(text: str, calculation: Calculation) -> None:
    assert judged(text, "3.0%", "3.9%", calculation=calculation) is None


def test_largest_only_when_nothing_is_larger() -> None:
    whole = calculated("maximum", "32.7%", "32.7%", "3.0%", "2.3%")
    assert judged("Technology (2025, largest): 32.7%", "32.7%", "3.0%", "2.3%", calculation=whole) is not None
    part = calculated("maximum", "3.0%", "3.0%", "2.3%")
    assert judged("Energy (2025, largest): 3.0%", "3.0%", "2.3%", calculation=part) is None
    lie = calculated("minimum", "2.3%", "2.3%", "3.0%")
    assert judged("Utilities (2025, largest): 2.3%", "2.3%", "3.0%", calculation=lie) is None
