"""Quotes of generated pages of every kind, taken from PyMuPDF's own words: found, and their boxes cover just them."""

from __future__ import annotations

import random
import textwrap
from collections.abc import Callable

import pymupdf
import pytest

from bench.documents_spans import as_a_model_writes, as_written, exact, glyphs, random_quotes
from grounded.types import LocateMatch, Page
from grounded.verification.locate import locate
from tests.documents.make import pdf, read_pdf, words
from tests.documents.raw import raw_pdf

PROSE = (
    "The administrator shall review each application within thirty days of its receipt and publish the reasons for"
    " refusal. Participation fell from 12.5% to 9.8% in 2023, while expenditures of $4,120 were well-documented. No"
    " waiver was granted to applicants who did not file form 27-B; special circumstances are described on page 14. "
)
Paint = Callable[[pymupdf.Page], object]


def box(page: pymupdf.Page, rect: tuple[float, ...], text: str, **options: object) -> None:
    page.insert_textbox(rect, text, **({"fontsize": 10} | options))


def in_a_row(page: pymupdf.Page, x: float, y: float, *parts: tuple[str, float, float]) -> None:
    """Texts one behind the other, each with its size and how far it is raised."""
    for text, size, raised in parts:
        page.insert_text((x, y - raised), text, fontsize=size)
        x += pymupdf.get_text_length(text, "helv", size)


def turned(angle: int) -> Paint:
    def paint(page: pymupdf.Page) -> None:
        box(page, (60, 60, 340, 460), PROSE * 3)
        page.set_cropbox(pymupdf.Rect(50, 50, 350, 480))
        page.set_rotation(angle)

    return paint


def columns(page: pymupdf.Page) -> None:
    page.insert_text((40, 60), "A heading over both columns of the page", fontsize=14)
    box(page, (40, 90, 190, 480), PROSE * 2, fontsize=8, align=3)
    box(page, (210, 90, 360, 480), PROSE.upper() + PROSE, fontsize=8, align=3)


def drop_cap(page: pymupdf.Page) -> None:
    page.insert_text((40, 90), "T", fontsize=40)
    box(page, (70, 58, 360, 90), "he quick administration of justice was delayed in many counties during the years")
    box(page, (40, 95, 360, 400), PROSE * 2)


def small_caps(page: pymupdf.Page) -> None:
    title = "The Honorable Court Of Appeals For The Ninth Circuit"
    parts = [(part, size, 0.0) for word in title.split() for part, size in ((word[0], 12.0), (word[1:].upper(), 9.0))]
    in_a_row(page, 40, 80, *[(text + " " if size == 9 else text, size, raised) for text, size, raised in parts])
    box(page, (40, 95, 360, 400), PROSE * 2)


def drawn_twice(page: pymupdf.Page) -> None:
    for shift, grey in ((1.0, 0.7), (0.0, 0.0)):
        page.insert_text((40 + shift, 40 + shift), "Quarterly Review of Results", fontsize=16, color=(grey,) * 3)
    for shift in (0.0, 0.4):
        box(page, (40 + shift, 60, 360 + shift, 200), PROSE)
    box(page, (40, 210, 360, 400), PROSE.lower())


def raised_marks(page: pymupdf.Page) -> None:
    for n in range(12):
        water = (("the amount of H", 10, 0), ("2", 6, -2), ("O rose by x", 10, 0), ("2", 6, 4))
        in_a_row(page, 40, 60 + 14 * n, *water, (" as noted by Smith", 10, 0), ("1,3", 6, 4), (f" in 20{n:02}", 10, 0))


def leaders(page: pymupdf.Page) -> None:
    for n, title in enumerate(("Introduction", "Methods and materials", "Results by region", "Discussion", "Tables")):
        page.insert_text((40, 60 + 14 * n), title.ljust(60, "."), fontsize=10, fontname="cour")
        page.insert_text((405, 60 + 14 * n), str(3 + 7 * n), fontsize=10)
    for n, title in enumerate(("Salaries and wages", "Rent", "Depreciation of equipment", "Other costs")):
        page.insert_text((40, 140 + 14 * n), f"{title} {'. ' * 20} {n + 1},23{n}.50", fontsize=10)


def hyphenated(page: pymupdf.Page) -> None:
    lines = "The adminis-|trator of the com-|mission shall re-|view each applica-|tion in thirty days|after it came"
    for column in range(2):
        words(*[(40 + column * 120, 60 + 12 * n, line) for n, line in enumerate(lines.split("|"))], size=9)(page)


def table(page: pymupdf.Page) -> None:
    words((190, 60, "Year ended December 31,"), (310, 60, "Change"), size=9)(page)
    rows = (
        "(in thousands)|2024|2023|%\nNet sales|1,234|1,100|12.2%\nCost of sales|(800)|(750)|6.7%\nGross|434|350|24.0%"
    )
    for n, row in enumerate(
        f"{rows}\nOperating expenses:\nSelling|(100)|(90)|11.1%\nIncome|$ 284|$ 215|32.1%".split("\n")
    ):
        words(*[(x, 74 + 14 * n, cell) for x, cell in zip((40, 170, 230, 290), row.split("|"), strict=False)], size=9)(
            page
        )
        page.draw_line((40, 77 + 14 * n), (340, 77 + 14 * n))
    box(page, (40, 200, 360, 480), PROSE * 2)


def form(page: pymupdf.Page) -> None:
    for n, (label, value) in enumerate((("Full name", "Maria Gonzalez Ruiz"), ("Amount claimed", "4,120.50"))):
        page.insert_text((40, 80 + n * 40), f"{label} of the applicant:", fontsize=10)
        field = pymupdf.Widget()
        field.rect, field.field_type = pymupdf.Rect(220, 66 + n * 40, 390, 86 + n * 40), pymupdf.PDF_WIDGET_TYPE_TEXT
        field.field_name, field.field_value, field.text_fontsize = f"f{n}", value, 10
        page.add_widget(field)
    box(page, (40, 220, 360, 480), PROSE)


def annotated(page: pymupdf.Page) -> None:
    box(page, (40, 40, 360, 240), PROSE)
    page.add_freetext_annot((60, 260, 300, 300), "Reviewer: please confirm the amount of 4,120 dollars", fontsize=10)
    page.add_highlight_annot(next(word[:4] for word in page.get_text("words") if word[4] == "administrator"))


def margin_slug(page: pymupdf.Page) -> None:
    box(page, (60, 40, 340, 460), PROSE * 3)
    page.insert_text((20, 400), "VerDate Sep 11 2014 16:08 Jul 02 2024 Jkt 262001 PO 00000", fontsize=4, rotate=90)


def stamped(page: pymupdf.Page) -> None:
    """Letters of a stamp lie on the lines and between them."""
    box(page, (40, 40, 360, 460), PROSE * 3)
    around = pymupdf.Point(60, 300)
    page.insert_text(around, "SPECIMEN ONLY", fontsize=40, color=(0.8,) * 3, morph=(around, pymupdf.Matrix(40)))


def slanted(page: pymupdf.Page) -> None:
    for n, line in enumerate(textwrap.wrap(PROSE, 40)):
        at = pymupdf.Point(60 + 12 * n, 250 + 12 * n)
        page.insert_text(at, line, fontsize=9, morph=(at, pymupdf.Matrix(30)))


def formula(page: pymupdf.Page) -> None:
    """Scripts that reach into the lines above and below."""
    for n in range(10):
        y = 60 + 13 * n
        in_a_row(
            page,
            40,
            y,
            ("where the sum", 10, 0),
            (f"i={n}", 6, -4),
            ("of x", 10, 0),
            (f"k+{n}", 6, 6),
            ("is less than all", 10, 0),
        )


def side_by_side(page: pymupdf.Page) -> None:
    for column, colour in enumerate(("red", "blue")):
        for row in range(3):
            area = (40 + column * 170, 60 + row * 60, 190 + column * 170, 110 + row * 60)
            box(page, area, f"A multiline textbox using padding and a border of {colour}")


def spaced(points: float) -> bytes:
    """Justified by blanks between words and between letters."""
    lines = enumerate(textwrap.wrap(PROSE, 45))
    return raw_pdf("".join(f"BT /F1 10 Tf {points} Tc 2 Tw 40 {460 - 14 * n} Td ({line}) Tj ET\n" for n, line in lines))


KINDS = {
    paint.__name__: pdf(paint, width=440)
    for paint in (columns, drop_cap, small_caps, drawn_twice, raised_marks, leaders, hyphenated, table, form, annotated)
} | {
    "margin slug": pdf(margin_slug),
    "side by side": pdf(side_by_side),
    "stamped": pdf(stamped),
    "slanted": pdf(slanted),
    "formula": pdf(formula),
    **{f"turned {angle}": pdf(turned(angle)) for angle in (0, 90, 180, 270)},
    **{f"spaced {points}": spaced(points) for points in (0.5, 3)},
}


@pytest.mark.parametrize("inside_block", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_quotes_of_generated_pages_are_found_with_boxes_on_just_their_glyphs(kind: str, inside_block: bool) -> None:
    page, rng = read_pdf(KINDS[kind]).page(1), random.Random(kind)
    with pymupdf.open(stream=KINDS[kind]) as document:
        source = glyphs(document[0])
    pools = source.blocks if inside_block else [[word for block in source.blocks for word in block]]
    for chosen in random_quotes(pools, rng, 60):
        quote = as_a_model_writes(as_written(source, chosen))
        assert exact(proofs(page, quote), source, chosen), quote


def proofs(page: Page, quote: str) -> list[LocateMatch]:
    return [match for match in locate([page], quote) if match.match != "approximate"]


def test_a_sentence_over_a_page_break_is_found_on_both_pages() -> None:
    document = read_pdf(
        pdf(words((40, 480, "The fee is due on the first day")), words((40, 40, "of each month in cash.")))
    )
    (match,) = locate(document.pages, "due on the first day of each month")
    assert (match.page, [part.page for part in match.continues]) == (1, [2])


def test_text_drawn_twice_is_text_once() -> None:
    page = read_pdf(KINDS["drawn_twice"]).page(1)
    assert page.text.count("Quarterly Review of Results") == 1
    assert page.text.count("No waiver was granted") == 1
