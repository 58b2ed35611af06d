"""Quotes as people and models write them are found; altered ones never are."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

from grounded.types import LocateMatch, Page, snippet_at
from grounded.verification.locate import locate, locate_in_text


def make_page(text: str, number: int = 1, furniture: tuple[tuple[int, int], ...] = ()) -> Page:
    """A page on which every character is 5 x 10 points, lines 12 points apart."""
    boxes = np.zeros((len(text), 4), np.float32)
    x = y = 0.0
    for i, char in enumerate(text):
        boxes[i] = (x, y, x + 5, y + 10)
        x, y = (0.0, y + 12) if char == "\n" else (x + 5, y)
    return Page(number, str(number), 600, 800, 0, text, boxes, furniture=furniture)


def found(text: str, quote: str) -> list[str]:
    """Matches that count as proof."""
    return [match.match for match in locate_in_text(text, quote) if match.match != "approximate"]


ACCEPTED = [
    ("The expense ratio is 0.03%.", "expense ratio is 0.03%", "exact"),
    ("The expense\nratio  is 0.03%.", "The expense ratio is 0.03%", "exact"),
    ("“Net” income—as reported—rose", '"Net" income - as reported - rose', "folded"),
    ("the cli-\nmate changed", "the climate changed", "folded"),
    ("the cli\u00ad\nmate changed", "the climate changed", "folded"),
    ("the well-\nknown case", "the well-known case", "folded"),
    ("scienti\ufb01c o\ufb03ce", "scientific office", "folded"),
    ("in their ear lier work", "in their earlier work", "folded"),
    ("no longer inforce today", "no longer in force today", "folded"),
    ("Location:\tTallahassee, FL\tNumber:\tNYC08", "Location: Tallahassee, FL", "exact"),
    ("Revenue\t1,234\t1,100\n", "Revenue | 1,234 | 1,100", "exact"),
    ("a loss of (1,234) in May", "a loss of (1,234) in May", "exact"),
    ("a change of −3.2 % was", "a change of -3.2% was", "folded"),
    ("between 3–5 % of", "between 3-5% of", "folded"),
    ("net sales¹ were 5", "“net sales", "exact"),
    ("it was 1,234¹ that year", "it was 1,234", "exact"),
    ("COVID-\n19 cases rose", "COVID-19 cases rose", "folded"),
    ("do not pay. We cannot go", "We can not go", "folded"),
    ("the non-\ncurrent assets", "the non-current assets", "folded"),
    ("the notice period", "the no-\ntice period", "folded"),
    ("ends in 2020, and then", "ends in 2020.", "exact"),
    ("• The fee is due", "- The fee is due", "exact"),
    ("利用規約は適用されます", "規約は適用", "exact"),
    ("the \ufffdbest practices\ufffd here", "the best practices here", "folded"),
    ("H₂O and CO₂ rise", "CO2 rise", "folded"),
    ("a ½ share of it", "a 1/2 share of it", "folded"),
    ("Introduction ........ 5\nMethods", "Introduction 5", "folded"),
    ("Total funding .... 1,262.7 1,219.2", "Total funding 1,262.7 1,219.2", "folded"),
    ("Total funding .... 1,262.7 1,219.2", "Total funding \ufffd\ufffd\ufffd\ufffd\ufffd 1,262.7 1,219.2", "folded"),
    ("Introduction . . . . . . 5\nMethods", "Introduction 5 Methods", "folded"),
    ("as noted by Smith¹,³ 2002 was", "as noted by Smith1,3 2002 was", "folded"),
    ("Salaries . . . . . . 1,230\nRent . . . . . . 800", ". 1,230 Rent . . .", "exact"),
    ("Results......17\nTables......24", "Results......17 Tables......", "exact"),
    ("the title ‾‾‾‾ here", "title ‾‾", "exact"),
    ("The Way .......35\nCreating", "The Way \ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd35 Creating", "folded"),
    ("he wrote “Copying” 2", '"Copying" 2', "folded"),
    ("Devices \ufffd\ufffd\ufffd\ufffd\ufffd\ufffd 0.05 more", "Devices 0.05 more", "folded"),
]


@pytest.mark.parametrize(("text", "quote", "match"), ACCEPTED)
def test_quotes_as_people_write_them_are_found(text: str, quote: str, match: str) -> None:
    assert found(text, quote) == [match]


REFUSED = [
    ("a ratio of 1.5% was", "a ratio of 15% was"),
    ("a ratio of 15% was", "a ratio of 1.5% was"),
    ("a ratio of 1.5% was", "a ratio of 1.5 was"),
    ("a ratio of 1.5% was", "a ratio of 1.5"),
    ("a loss of (1,234) in May", "a loss of 1,234 in May"),
    ("loss\t(1,234)\tx", "1,234"),
    ("loss\t(1,234)\tx", "loss (1,234"),
    ("a change of −3.2 was", "a change of 3.2 was"),
    ("a change of 3.2 was", "a change of −3.2 was"),
    ("change\t−3.2\n", "3.2"),
    ("change\t-$3.2\n", "$3.2"),
    ("change of -$3.2 here", "change of $3.2 here"),
    ("paid 123.45 dollars", "23.4"),
    ("as shown in Table 5. The next", "as shown in Table ."),
    ("as shown in Table 5. The next", "as shown in Table."),
    ("Item 5......6", "Item 56"),
    ("in effect in 2009 ............ and", "in effect in ............"),
    ("Total funding .... -1,262.7 1,219.2", "Total funding 1,262.7 1,219.2"),
    ("The fee is due .... 5 days later", "The fee is due.5 days later"),
    ("Fee .......... 8.00 Fund Tedral", "Fee .......... Fund Tedral"),
    ("Alpha Fund ... 8.00 Fund Tedral", "Alpha Fund ... Fund Tedral"),
    ("fell .5 percent. Next . . . . . 7", ". . 5 percent."),
    ("Fee . . . . . .5 percent", ". . . 5 percent"),
    ("Fee . . . . . 5 percent", ".5 percent"),
    ("Item 5.6 of . . . . . 7", "Item 5. . . ."),
    ("Fee . . . . . -5 percent", ". . . 5 percent"),
    ("Fee \ufffd\ufffd\ufffd\ufffd\ufffd\ufffd 5 percent", "Fee \ufffd\ufffd\ufffd\ufffd\ufffd\ufffd -5 percent"),
    ("Fee \ufffd\ufffd\ufffd\ufffd\ufffd -5 percent", "Fee \ufffd\ufffd\ufffd\ufffd\ufffd 5 percent"),
    ("Fee \ufffd\ufffd\ufffd\ufffd\ufffd-5 percent", "Fee 5 percent"),
    ("Fee ------ 5 percent", "Fee ------ -5 percent"),
    ("The Way .......35\nCreating", "The Way \ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd -35 Creating"),
    ("The Way .......35\nCreating", "The Way \ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd-35 Creating"),
    ("FY 2015 ......... 360 of it", "FY 2015 ......... -360 of it"),
    ("FY 2015 ......... -360 of it", "FY 2015 ......... 360 of it"),
    ("Fee ......... 5 percent", "Fee \ufffd\ufffd\ufffd\ufffd\ufffd ..... -5 percent"),
    ("grew 5.¹ Then it rose", "grew 5.1 Then it rose"),
    ("rose to 2¹,³ of all", "rose to 21,3 of all"),
    ("about 10² 5 shares", "about 102 5 shares"),
    ("x² 5 shares", "x25 shares"),
    (". . . . .", ". . . . ."),
    ("Alpha 100.0 of the total", "***** -100.0 of the total"),
    ("sentences of 37\u00ad60 months", "sentences of 3760 months"),
    ("by Jones JE, Bavari Stiles", "by Jones JE, Bavari S,"),
    ("paid 123.45 dollars", "123"),
    ("paid 1,234 dollars", "234 dollars"),
    ("paid 1,234 dollars", "paid 1"),
    ("rows 1 5 and", "rows 15 and"),
    ("rows 15 and", "rows 1 5 and"),
    ("Section 3. 5 apples", "Section 3.5 apples"),
    ("it was 1,234¹ that year", "it was 1,2341 that year"),
    ("about 1½ shares", "about 11/2 shares"),
    ("the years 2018–19 were", "the years 201819 were"),
    ("a range of 3–5% of", "5% of"),
    ("Revenue\t–\t5\n", "Revenue 5"),
    ("there is no table here", "there is notable here"),
    ("there is notable here", "there is no table here"),
    ("the non-current assets", "current assets"),
    ("the unaudited accounts", "audited accounts"),
    ("a risk-free asset", "a risk"),
    ("they did not pay", "they did pay"),
    ("they did pay", "they did not pay"),
    ("they don't pay", "they do"),
    ("if A pays, B delivers", "B delivers, if A pays"),
    ("it was 1\ufffd5 then", "it was 15 then"),
    ("it was \ufffd3.2 then", "it was 3.2 then"),
    ("a ≠ b always", "a = b always"),
    ("it cost €5 more", "it cost $5 more"),
    ("worth 5bn in all", "worth 5"),
    ("the .45 rifle", "45 rifle"),
    ("The company did not, in the end, pay the claim", "The company did … pay the claim"),
]


@pytest.mark.parametrize(("text", "quote"), REFUSED)
def test_altered_quotes_are_no_proof(text: str, quote: str) -> None:
    assert found(text, quote) == []


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        (". . . . . . 3. Amounts", ". . . . . . 3. Amounts"),
        (". . . . . . -3. Amounts", ""),  # a sign behind the dots
        (". . . . . . 30. Amounts", ""),
        (". . . . . . Amounts", ""),  # the number behind the dots left out
        ("3. Amounts", "3. Amounts"),
        ("d² -2", ""),  # a sign behind a raised digit
        ("d² 2", "d² 2"),
    ],
)
def test_dots_that_lead_the_eye_hide_no_change(quote: str, found: str) -> None:
    text = "Total . . . . . . 3. Amounts paid d² 2"
    assert [m.text for m in locate_in_text(text, quote, approximate=False)] == ([found] if found else [])


@pytest.mark.parametrize("count", [4, 5, 6])
def test_a_row_of_unknown_glyphs_is_a_row_of_dots(count: int) -> None:
    dots = "\ufffd" * count
    text = "Tax reform .....\t.....\t.....\t12"
    assert [m.text for m in locate_in_text(text, f"Tax reform {dots} .....")] == ["Tax reform .....\t....."]
    assert [m.text for m in locate_in_text(text, f"{dots} 12")] == [".....\t12"]


@pytest.mark.parametrize(
    ("quote", "free", "proof"),
    [
        ("in wells of 2×105 cells each", True, False),
        ("cells each in 2004.12 They were", True, False),
        ("cells each in 20041", False, False),  # too short
        ("wells of 2×10 5 cells each", False, False),
        ("wells of 2×115 cells each", False, False),
        ("they were about 11/2 metres long", False, False),  # no mark but a half
        ("wells of 2×10⁵ cells each", True, True),
    ],
)
def test_raised_digits_may_be_written_on_the_line_where_nothing_rests_on_it(
    quote: str, free: bool, proof: bool
) -> None:
    page = make_page("Seeded in wells of 2×10⁵ cells each in 2004.¹² They were about 1½ metres long.")
    found = [locate([page], quote, as_proof=strict) for strict in (False, True)]
    assert [any(match.match != "approximate" for match in matches) for matches in found] == [free, proof]


def test_elisions_give_one_span_a_piece() -> None:
    text = "The tenant shall pay the rent, together with all other sums, on the first day of each month."
    (match,) = locate_in_text(text, "The tenant shall pay the rent … on the first day of each month")
    assert match.match == "folded"
    assert [text[s:e] for s, e in match.spans] == ["The tenant shall pay the rent", "on the first day of each month"]
    assert locate_in_text(text, "on the first day of each month [...] The tenant shall pay", approximate=False) == []


def test_all_occurrences_and_the_one_in_the_chunk_first() -> None:
    page = make_page("alpha beta\nalpha beta\nalpha beta\n")
    assert [m.spans for m in locate([page], "alpha beta")] == [((0, 10),), ((11, 21),), ((22, 32),)]
    assert locate([page], "alpha beta", within=(1, (11, 22)))[0].spans == ((11, 21),)


def test_boxes_are_one_per_line_and_the_text_is_read_from_the_page() -> None:
    page = make_page("one two\nthree four\n")
    (match,) = locate([page], "two three")
    assert match.boxes == ((20, 0, 35, 10), (0, 12, 25, 22))
    assert match.text == snippet_at(page, match.spans) == "two\nthree"


def test_a_sentence_over_a_page_break_has_boxes_on_both_pages() -> None:
    first = "Header A\nThe lessee shall not\nassign the lease\n12\n"
    second = "Header A\nwithout the consent of the lessor.\n"
    pages = [make_page(first, 1, ((0, 9), (47, 49))), make_page(second, 2, ((0, 9),))]
    (match,) = locate(pages, "shall not assign the lease without the consent")
    assert (match.page, match.text) == (1, "shall not\nassign the lease")
    (rest,) = match.continues
    assert (rest.page, rest.text) == (2, "without the consent")
    assert match.boxes and rest.boxes
    assert found_on(pages, "shall assign the lease without the consent") == []


@pytest.mark.parametrize(
    ("foot", "found"),
    [
        ("The contract is\n", True),
        ("The contract is\n\nDraft of May 3\n", True),
        ("The contract is\n\n¹ It was not signed before the end of the year, and then by one of the two only.\n", True),
        ("The contract is not\n", False),
        ("The contract is\nnot binding.\n", False),
        ("The contract is\n\nnot binding.\n", False),
        ("The contract is\n\n" + "binding on all who signed it, and on all their heirs, " * 3 + "\n", False),
    ],
)
def test_nothing_of_a_paragraph_is_left_out_at_a_page_break(foot: str, found: bool) -> None:
    pages = [make_page(foot, 1), make_page("terminated by the buyer.\n\nHere it ends.\n", 2)]
    assert bool(found_on(pages, "The contract is terminated by the buyer.")) is found


def test_a_quote_that_stands_on_one_page_is_not_put_together_from_two() -> None:
    pages = [make_page(f"This is page number {n} with value {n + 1000}.\n", n) for n in (16, 17)]
    (match,) = found_on(pages, "This is page number 17 with value 1017.")
    assert match.page == 17 and not match.continues


def found_on(pages: list[Page], quote: str) -> list[LocateMatch]:
    return [match for match in locate(pages, quote) if match.match != "approximate"]


def make_table(*rows: tuple[str, ...]) -> Page:
    """A page with cells 100 points apart and rows 12 points apart; its text is read row by row."""
    page = make_page("".join("\t".join(row) + "\n" for row in rows))
    boxes = page.boxes.copy()
    at = 0
    for number, row in enumerate(rows):
        for column, cell in enumerate(row):
            for offset in range(len(cell)):
                x, y = 100 * column + 5 * offset, 12 * number
                boxes[at + offset] = (x, y, x + 5, y + 10)
            at += len(cell) + 1
    return Page(1, "1", 600, 800, 0, page.text, boxes)


def test_a_table_may_be_read_down_its_columns_but_not_backwards() -> None:
    page = make_table(("Evidence that relations", "Strength of the"), ("among items conform", "measured correlation"))
    (match,) = found_on([page], "Evidence that relations among items conform")
    assert [page.text[s:e] for s, e in match.spans] == ["Evidence that relations", "among items conform"]
    assert found_on([page], "among items conform Evidence that relations") == []


def test_out_of_text_order_no_number_is_reached_from_another_row() -> None:
    page = make_table(("Sites opened", "0", "6"), ("Cities opened", "0", "9"))
    assert found_on([page], "Sites opened 0 6") and found_on([page], "Cities opened 0 9")
    assert found_on([page], "Sites opened 0 9") == []
    assert found_on([page], "Cities opened 0 -9") == []


def test_the_nearest_passage_is_called_approximate() -> None:
    page = make_page("Preface.\nTotal revenue for the year 2023 was 4.2 billion euros.\nEnd.\n")
    (match,) = locate([page], "Total revenue for the year 2023 was 2.4 billion euros")
    assert match.match == "approximate"
    assert match.text == "Total revenue for the year 2023 was 4.2 billion euros"
    assert locate([page], "Completely different words about other things") == []


@pytest.mark.parametrize("quote", ["", " ", "…", "...", '"', "-", "|", "\u0301", "\x00", "%"])
def test_quotes_without_content_are_found_nowhere(quote: str) -> None:
    assert locate([make_page("one two %\n")], quote) == [] or quote == "%"


def test_a_long_quote_against_a_long_page_is_quick() -> None:
    page = make_page("a b " * 5000)
    started = time.process_time()
    locate([page, make_page("a b " * 5000, 2)], "a b " * 200 + "c … " + "a b " * 50)
    assert time.process_time() - started < 20


def written_as(page: Page, *parts: str) -> Page:
    """The same page, written by its file in another order: the parts one after the other."""
    order: list[int] = []
    for part in parts:
        at = page.text.index(part)
        order += [*range(at, at + len(part)), -1]
    return replace(page, stream=np.array(order[:-1], np.int32))


TABLE = written_as(
    make_page("Item\t2023\t2022\nRevenue from services\t100\t90\nCosts of services\t-60\t50\n"),
    "Item", "Revenue from services", "Costs of services", "100", "-60", "90", "50", "2023", "2022",
)  # fmt: skip


def test_a_quote_in_the_order_of_the_file_is_found_with_the_boxes_of_its_glyphs() -> None:
    (match,) = locate([TABLE], "Costs of services 100 -60 90")
    assert match.match == "exact" and match.text == "Costs of services 100 -60 90"
    assert [TABLE.text[s:e] for s, e in match.spans] == ["Costs of services", "100", "-60", "90"]
    assert len(match.boxes) == 4


@pytest.mark.parametrize(
    "quote",
    [
        "Costs of services 100",  # short: reads like a row that the table has not
        "Costs of services 100 60 90",  # sign
        "Costs of services 100 -6",  # part of a number
        "Costs of services -60 100 90",  # swapped
    ],
)
def test_an_altered_quote_in_the_order_of_the_file_is_not(quote: str) -> None:
    assert all(match.match == "approximate" for match in locate([TABLE], quote))


def test_no_claim_rests_on_a_number_off_its_row() -> None:
    quote = "Costs of services 100 -60 90"
    assert all(match.match == "approximate" for match in locate([TABLE], quote, as_proof=True))


def test_letters_written_from_the_right_are_one_span() -> None:
    page = make_page("shalom aleichem and peace be with you")
    turned = replace(page, stream=np.array([*range(14, -1, -1), -1, *range(16, len(page.text))], np.int32))
    (match,) = locate([turned], "mehciela molahs and peace be with you")
    assert match.spans == ((0, len(page.text)),) and match.match == "folded"


PARTS_OF_WORDS = [
    ("The agreement shall be terminated by either party", "reement shall be terminated by either par", True),
    ("The agreement shall be terminated by either party", "agreement shall be termina", True),
    ("They were unable to pay the whole amount", "able to pay the whole amount", False),
    ("The obligation to pay is irrelevant and void", "relevant and void", False),
    ("There are risks and the fund is riskless", "There are risks and the fund is risk", False),
    ("The tenant of the premises cannot pay", "The tenant of the premises can", False),
    ("The company still owes them sixty dollars", "The company still owes them six", False),
    ("The company still owes them 1,234 dollars", "The company still owes them 1,23", False),
    ("A short unable one", "able one", False),
]


@pytest.mark.parametrize(("text", "quote", "accepted"), PARTS_OF_WORDS)
def test_a_long_quote_may_cut_a_word_but_is_then_no_proof(text: str, quote: str, *, accepted: bool) -> None:
    page = make_page(text)
    assert any(match.match != "approximate" for match in locate([page], quote)) == accepted
    assert all(match.match == "approximate" for match in locate([page], quote, as_proof=True))


def test_a_tall_glyph_does_not_stretch_the_box_of_its_line() -> None:
    page = make_page("one two\nthree √ four\nfive six\n")
    page.boxes[page.text.index("√"), [1, 3]] = 0, 34
    (match,) = locate([page], "three √ four")
    ((_, top, _, bottom),) = match.boxes
    assert top > 5 and bottom < 29
