"""Cards tell look-alikes apart; routing understands names, times and identifiers, and may say nothing."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence

import numpy as np
import pytest

from grounded.retrieval.cards import make_card, recent, route, without_reference
from grounded.retrieval.plan import plan
from grounded.types import Card, Coverage, Document, DocumentRecord, Page


def document(*pages: str, name: str = "file.pdf", title: str = "") -> Document:
    made = [Page(n, str(n), 612, 792, 0, t, np.zeros((len(t), 4), np.float32)) for n, t in enumerate(pages, 1)]
    return Document(
        id=hashlib.sha256("".join(pages).encode()).hexdigest(), name=name, pages=tuple(made), extractor="t", title=title
    )


def record(name: str, card: Card) -> DocumentRecord:
    return DocumentRecord(
        id=name, names=(name,), pages=1, readable_pages=1, chunks=1, extractor="e", chunker="c", embedder="m",
        added=name, coverage=Coverage(pages=1), card=card, build="b", digest="d",
    )  # fmt: skip


def cover(company: str, ticker: str, end: str) -> str:
    return (
        f"FORM 10-Q\nQUARTERLY REPORT\nFor the quarterly period ended {end}\nCommission File Number: 001-12345\n"
        f"{company}\n(Exact name of registrant as specified in its charter)\n"
        f"Common stock\t{ticker}\tNew York Stock Exchange\n"
    )


FILINGS = [
    record(f"{ticker}-{end}", make_card(document(cover(company, ticker, end), span)))
    for company, ticker in (
        ("Larkspur Devices Inc.", "LKSD"),
        ("Larkspur Energy Corporation", "LKE"),
        ("The Fennimore Company", "FNM"),
    )
    for end, span in (
        ("March 31, 2023", "Three months ended March 31, 2023"),
        ("July 1, 2023", "Three and six months ended July 1, 2023"),
        ("September 30, 2023", "Nine months ended September 30, 2023"),
    )
]


def routed(question: str, records: Sequence[DocumentRecord] = FILINGS) -> list[set[str]]:
    return [set(group) for group in route(question, records)]


def test_a_card_is_read_from_the_cover() -> None:
    card = make_card(document(cover("Larkspur Devices Inc.", "LKSD", "July 1, 2023"), "six months ended July 1, 2023"))
    assert card.names[0] == "Larkspur Devices Inc."
    assert "10-q" in card.kind
    assert {"LKSD", "001-12345"} <= set(card.identifiers)
    assert (card.period_end, card.quarter) == ("2023-07-01", 2)


def test_a_contract_card_knows_its_parties_and_date() -> None:
    text = (
        "DISTRIBUTION AGREEMENT\nThis Distribution Agreement is entered into as of the 3rd day of May, 2010 by and "
        "between Tessaly Software, Inc., a Delaware corporation, and Quarrion Semiconductor Corp."
    )
    card = make_card(document(text))
    assert "agreement" in card.kind
    assert card.period_end == "2010-05-03"
    assert any("Quarrion" in name for name in card.names)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What was Larkspur Devices's revenue in the quarter ended March 31, 2023?", {"LKSD-March 31, 2023"}),
        ("Larkspur Energy Corporation net income Q3 2023", {"LKE-September 30, 2023"}),
        ("What is Fennimore's latest inventory?", {"FNM-September 30, 2023"}),
        ("According to the most recent 10-Q, what is LKE's debt?", {"LKE-September 30, 2023"}),
        ("What did Fennimore report for the second quarter of 2023?", {"FNM-July 1, 2023"}),
        ("What did Fennimore report for the quarter ended June 2023?", {"FNM-July 1, 2023"}),
        ("Cash of Larkspur Devices?", {"LKSD-March 31, 2023", "LKSD-July 1, 2023", "LKSD-September 30, 2023"}),
    ],
)
def test_company_and_period_find_the_document(question: str, expected: set[str]) -> None:
    assert routed(question) == [expected]


@pytest.mark.parametrize("question", ["What is the capital of France?", "How much debt is there?", "larkspurs sing"])
def test_a_question_that_names_no_document_is_asked_of_all(question: str) -> None:
    assert routed(question) == []


def test_a_kind_of_document_is_understood_and_the_contract_means_any() -> None:
    kinds = ["trademark license agreement", "lease agreement", "contract"]
    contracts = [record(kind, Card(kind=kind)) for kind in kinds]
    assert routed("What royalty does the trademark license agreement set?", contracts) == [{kinds[0]}]
    assert routed("Which law governs the contract?", contracts) == []
    assert routed("Contract term?", contracts) == []


def test_an_empty_library_and_unlike_documents_are_not_routed_by_time() -> None:
    assert plan("What happened in 2023?").subquestions[0].documents == ()
    papers = [record(n, Card(names=(n,), period_end=f"{y}-01-01")) for n, y in (("Ash Inc.", 2001), ("Elm Ltd.", 2002))]
    assert routed("32% required it in 2001.", papers) == []


def test_two_companies_or_two_times_are_two_groups() -> None:
    both = routed("Compare the revenue of Fennimore and Larkspur Devices in Q1 2023")
    assert both == [{"FNM-March 31, 2023"}, {"LKSD-March 31, 2023"}]
    times = routed("How did Fennimore's revenue change from Q1 2023 to Q3 2023?")
    assert times == [{"FNM-March 31, 2023"}, {"FNM-September 30, 2023"}]


def test_an_identifier_beats_everything() -> None:
    reports = [
        record(n, make_card(document(f"Accident Number: {n}\nCessna 172"))) for n in ("NYC08CA055", "DEN08WA042")
    ]
    assert routed("What is the engine model in report DEN08WA042?", reports) == [{"DEN08WA042"}]


PROSE = [
    record("blockade", make_card(document("PD-1 blockade in patients with HIV-1, followed in 1998-2002 with ALDH1."))),
    record(
        "insured", make_card(document("Health data, " * 20 + "as held by the British United Provident Association."))
    ),
    record("2001", make_card(document("Methadone after transplantation.", name="2001"))),
    *FILINGS,
]


@pytest.mark.parametrize(
    "question",
    [
        "90% of patients respond to PD-1 blockade.",
        "HIV-1 infects few progenitor cells and ALDH1 was seen in 1998-2002.",
        "British students are bullied.",
        "32% of programs required methadone to stop in 2001.",
    ],
)
def test_what_running_text_mentions_restricts_no_question(question: str) -> None:
    assert routed(question, PROSE) == []


@pytest.mark.parametrize(
    ("printed", "identifier"),
    [
        ("Accident Number:\nNYC08CA055", "NYC08CA055"),
        ("Registration: N5921D", "N5921D"),
        ("Invoice No. 20240031", "20240031"),
        ("CIK 0000320193", "0000320193"),
        ("Accession No. 0000320193-24-000069", "0000320193-24-000069"),
        ("001-12345\n(Commission File Number)", "001-12345"),
        ("INVOICE\nINV-2024-0031\nfor services", "INV-2024-0031"),
        ("Fund ticker symbol: NMBF", "NMBF"),
    ],
)
def test_a_code_printed_as_an_identifier_names_its_document(printed: str, identifier: str) -> None:
    records = [record("meant", make_card(document(printed))), record("other", make_card(document("Nothing.")))]
    assert identifier in records[0].card.identifiers
    assert routed(f"What does {identifier} say?", records) == [{"meant"}]


@pytest.mark.parametrize(
    "text", ["Call 800-877-6799", "No CD4 cells", "as in case HIV-1 was", "on Form No. 10-Q", "a\n1992-2002\nb"]
)
def test_a_code_that_is_no_identifier_is_left_out(text: str) -> None:
    assert make_card(document(text)).identifiers == ()


def test_a_mentioned_name_counts_only_when_it_is_said_whole() -> None:
    assert routed("What does the British United Provident Association hold?", PROSE) == [{"insured"}]
    assert routed("British United kingdom health data", PROSE) == []


def test_two_identifiers_of_one_document_ask_it_once() -> None:
    reports = [
        record(n, make_card(document(f"Accident Number: {n}\nRegistration: {r}")))
        for n, r in (("NYC08CA055", "N5921D"), ("CHI08CA047", "N2151J"))
    ]
    assert routed("Did N2151J crash in CHI08CA047?", reports) == [{"CHI08CA047"}]
    assert routed("Compare N2151J and NYC08CA055", reports) == [{"CHI08CA047"}, {"NYC08CA055"}]


def test_what_is_derived_belongs_to_the_very_records() -> None:
    """Other cards under the same ids, in a fresh list each time, are looked up afresh."""
    for word in ("Ash", "Elm", "Ash"):
        records = [record("a", Card(kind="fact sheet", names=(f"{word} Fund",))), record("b", Card(kind="fact sheet"))]
        assert routed("The fee of Ash?", records) == ([{"a"}] if word == "Ash" else [])


def test_a_plan_over_thousands_of_documents_takes_milliseconds() -> None:
    many = [
        record(
            f"file-{n}.pdf", Card(kind="form 10-q", names=(f"Company{n} Systems Inc.",), identifiers=(f"ID-{n:06}",))
        )
        for n in range(3000)
    ]
    questions = [f"What was Company{n}'s revenue?" for n in range(20)]
    assert routed(questions[7], many) == [{"file-7.pdf"}]  # derives
    start = time.process_time()
    assert [plan(q, documents=list(many)).subquestions[0].documents for q in questions] == [
        (f"file-{n}.pdf",) for n in range(20)
    ]
    assert (time.process_time() - start) / len(questions) < 0.02


def test_the_reference_is_no_part_of_what_is_searched_inside() -> None:
    reports = [record("a", make_card(document("Accident Number: NYC08CA055")))]
    inside = without_reference("What is the engine model in NTSB accident report NYC08CA055?", reports)
    assert " ".join(inside.split()) == "What is the engine model ?"
    assert "Fennimore" not in without_reference("What is the inventory of The Fennimore Company?", FILINGS)
    assert without_reference("Fennimore?", FILINGS) == "Fennimore?"


def test_the_newest_of_each_issuer() -> None:
    records = {r.id: r for r in FILINGS}
    assert recent(records, records) == {f"{t}-September 30, 2023" for t in ("LKSD", "LKE", "FNM")}


SHEETS = [
    record(f"nimbus_{year}.pdf", Card(names=("Nimbus 500 Index Fund",), kind="fact sheet", period_end=f"{year}-06-30"))
    for year in (2024, 2025)
]


BOTH = [("nimbus_2024.pdf",), ("nimbus_2025.pdf",)]


@pytest.mark.parametrize(
    ("question", "history", "kind", "asked"),
    [
        ("What is the expense ratio?", [], "single", [()]),
        ("How did the sector change between the two fact sheets?", [], "comparison", BOTH),
        ("How did the expense ratio change between the two fact sheets?", [], "comparison", BOTH),
        ("Which sector grew the most?", [], "comparison", BOTH),
        ("Did the expense ratio of Nimbus 500 fall?", [], "comparison", BOTH),
        ("Is there a change between fact sheets?", [], "comparison", BOTH),
        ("What is the difference between price and NAV?", [], "single", [()]),
        ("What is the growth of a $10,000 investment?", [], "single", [()]),
        ("How much did net assets grow in 2025?", [], "single", [("nimbus_2025.pdf",)]),
        ("Expense ratio in 2024 and in 2025?", [], "comparison", BOTH),
        ("And in 2025?", ["What was the expense ratio in 2024?"], "follow-up", [("nimbus_2025.pdf",)]),
        ("What about the top holding?", ["The expense ratio in 2024?"], "follow-up", [("nimbus_2024.pdf",)]),
        ("What is the fee in nimbus_2024.pdf? Who manages it?", [], "several", [("nimbus_2024.pdf",), ()]),
        ("What is the NAV in 2024? Answer in USD. Use only the table.", [], "single", [("nimbus_2024.pdf",)]),
        ("What is the fee? The fee is defined as cost per unit.", [], "single", [()]),
    ],
)  # fmt: skip
def test_plans(question: str, history: list[str], kind: str, asked: list[tuple[str, ...]]) -> None:
    made = plan(question, history=history, documents=SHEETS)
    assert (made.kind, [sub.documents for sub in made.subquestions]) == (kind, asked)
    assert made == plan(question, history=history, documents=SHEETS)
    assert all(sub.text.strip() for sub in made.subquestions)


def test_a_development_is_asked_of_each_report_of_the_issuer() -> None:
    ends = ("March 31, 2023", "July 1, 2023", "September 30, 2023")
    assert routed("How did Fennimore's revenue change over time?") == [{f"FNM-{end}"} for end in ends]
    assert routed("FNM revenue over the last three quarters") == [{f"FNM-{end}"} for end in ends]
    assert routed("Fennimore's revenue") == [{f"FNM-{end}" for end in ends}]
    assert routed("How does revenue develop over time?") == []


def test_a_change_is_asked_of_a_pair_of_look_alikes_only() -> None:
    unlike = [record("a", Card(kind="invoice")), record("b", Card(kind="white paper"))]
    for documents in (unlike, [*SHEETS, unlike[0]], [*SHEETS, *FILINGS]):
        made = plan("Which sector grew the most?", documents=documents)
        assert (made.kind, made.subquestions[0].documents) == ("single", ())


def test_a_follow_up_takes_what_it_leaves_out() -> None:
    again = plan("And in 2025?", history=["What was the expense ratio in 2024?"], documents=SHEETS)
    assert "expense ratio" in again.subquestions[0].text
    new = plan("What about the top holding?", history=["The expense ratio in 2024?"], documents=SHEETS)
    assert "expense" not in new.subquestions[0].text


def quarterly(company: str, end: str, stretch: str, *more: str) -> DocumentRecord:
    made = make_card(document(cover(company, "XYZ", end), f"{stretch} ended {end}", *more))
    return record(f"{company.split()[0]} {end}", made)


# The year of Pell ends in September, that of Cobb Stores in January and is named after the year before.
FISCAL = [
    quarterly("Pell Instruments, Inc.", "December 31, 2022", "Three months"),
    quarterly("Pell Instruments, Inc.", "April 1, 2023", "Three and six months"),
    quarterly("Pell Instruments, Inc.", "July 1, 2023", "Three and nine months"),
    quarterly("Cobb Stores Corporation", "April 29, 2023", "Thirteen weeks", "In fiscal 2023 we opened nine stores."),
    quarterly("Cobb Stores Corporation", "July 29, 2023", "Thirteen and twenty-six weeks", "fiscal 2023"),
    quarterly("Cobb Stores Corporation", "July 30, 2022", "Thirteen and twenty-six weeks", "fiscal 2022"),
]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Pell's revenue in Q1 2023", "Pell December 31, 2022"),
        ("What did Pell earn in the second quarter of fiscal 2023?", "Pell April 1, 2023"),
        ("Pell gross margin FY23 Q3", "Pell July 1, 2023"),
        ("Pell gross margin 3Q23", "Pell July 1, 2023"),
        ("Pell's cash flow in the first nine months of 2023", "Pell July 1, 2023"),
        ("Pell's net income for the quarter ended June 30, 2023", "Pell July 1, 2023"),
        ("What is Pell's current ratio in the latest quarter?", "Pell July 1, 2023"),
        ("Cobb's comparable sales in Q2 2023", "Cobb July 29, 2023"),
        ("Cobb's comparable sales, second quarter of fiscal year 2022", "Cobb July 30, 2022"),
        ("Cobb's sales in the thirteen weeks ended April 29, 2023", "Cobb April 29, 2023"),
    ],
)
def test_a_quarter_is_the_companys_own(question: str, expected: str) -> None:
    assert routed(question, FISCAL) == [{expected}]


ANNUAL = [
    record(
        f"{company} {end}",
        make_card(
            document(
                f"FORM 10-K\nANNUAL REPORT\nFor the fiscal year ended {end}\n{company}\n"
                "(Exact name of registrant as specified in its charter)\nCommon\tABC\tThe Nasdaq Stock Market LLC",
                text,
            )
        ),
    )
    for company, end, text in (
        ("Advanced Copper Products, Inc.", "December 31, 2022", ""),
        ("Advanced Copper Products, Inc.", "December 31, 2021", ""),
        ("Cobb Stores Corporation", "January 28, 2023", "In fiscal 2022 sales grew."),
        ("MERIDIAN.COM, INC.", "December 31, 2022", ""),
    )
]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("ACP's FY2022 capex", "Advanced Copper Products, Inc. December 31, 2022"),
        ("meridian capex fy2022", "MERIDIAN.COM, INC. December 31, 2022"),
        ("Cobb FY22 capex", "Cobb Stores Corporation January 28, 2023"),
        ("Meridian's revenue", "MERIDIAN.COM, INC. December 31, 2022"),
        (
            "What is the FY2021 DPO of Advanced Copper? DPO is defined as the average of FY2021 and FY2022.",
            "Advanced Copper Products, Inc. December 31, 2021",
        ),
    ],
)
def test_annual_reports_are_told_apart(question: str, expected: str) -> None:
    assert routed(question, ANNUAL) == [{expected}]


def test_a_cover_names_its_registrant_only() -> None:
    assert [set(r.card.names) for r in ANNUAL[2:]] == [{"Cobb Stores Corporation"}, {"MERIDIAN.COM, INC."}]
    assert routed("Which shares are listed on the Nasdaq Stock Market?", ANNUAL) == []


@pytest.mark.parametrize(
    ("printed", "names"),
    [
        ("Pagewell Media Group, Inc.\n(Former name, former address)", ("Vantor, Inc.", "Pagewell Media Group, Inc")),
        ("Not applicable\n(Former name, if changed since last report)", ("Vantor, Inc.",)),
        ("(555) 010-2000\n(Former name, if changed since last report)", ("Vantor, Inc.",)),
        ("formerly known as Pagewell Media, Inc.", ("Vantor, Inc.", "Pagewell Media, Inc")),
        ("formerly reported as other", ("Vantor, Inc.",)),
    ],
)
def test_a_cover_names_what_the_registrant_was_called(printed: str, names: tuple[str, ...]) -> None:
    head = "FORM 10-Q\nVantor, Inc.\n(Exact name of registrant as specified in its charter)\n"
    assert make_card(document(head + printed)).names == names


def test_the_end_of_a_name_tells_it_from_its_like() -> None:
    records = [
        record(name, make_card(document(cover(name, ticker, "June 30, 2023"))))
        for name, ticker in (("Marrow Bay Bancorp", "MRWB"), ("Marrow Bay Holdings, Inc.", "MBH"))
    ]
    assert routed("What is the debt of Marrow Bay Holdings?", records) == [{"Marrow Bay Holdings, Inc."}]
    assert routed("What is the debt of Marrow Bay Bancorp?", records) == [{"Marrow Bay Bancorp"}]
    assert routed("Marrow Bay's debt?", records) == []


@pytest.mark.parametrize("said", ["Val-Dor", "Val Dor", "Valdor", "Val-Dor Stores", "val-dor stores"])
def test_a_hyphen_in_a_name_may_be_left_out(said: str) -> None:
    records = [
        record(name, make_card(document(cover(name, ticker, "June 30, 2023"))))
        for name, ticker in (("Val-Dor Stores, Inc.", "VDS"), ("Ostrand Foods, Inc.", "OSF"))
    ]
    assert routed(f"What is the debt of {said}?", records) == [{"Val-Dor Stores, Inc."}]
    assert " ".join(without_reference(f"What is the debt of {said}?", records[:1]).split()) == "What is the debt ?"


@pytest.mark.parametrize(
    ("question", "end"),
    [
        ("Fennimore's revenue in the quarter ended September 30", "September 30, 2023"),
        ("FNM inventory, March quarter", "March 31, 2023"),
        ("FNM debt at Sep-23", "September 30, 2023"),
        ("FNM sales year to date through September", "September 30, 2023"),
    ],
)
def test_a_month_may_be_said_without_a_year(question: str, end: str) -> None:
    assert routed(question) == [{f"FNM-{end}"}]


def test_the_short_name_of_an_issuer_is_not_searched_that_of_a_party_is() -> None:
    assert "Advanced" not in without_reference("What are the leases of Advanced Copper?", ANNUAL)
    contract = [record("c", make_card(document("LEASE AGREEMENT by and between Pell Instruments, Inc. and Ash Ltd.")))]
    assert "Pell" in without_reference("What must Pell pay on termination?", contract)


def test_a_cover_of_rules_and_blank_lines_is_read_in_no_time() -> None:
    lines = " _" * 2000 + "\n" + "\n \n" * 1500
    text = f"FORM 10-K\nPell Instruments, Inc.\n____________\n\n(Exact name of registrant)\n{lines}"
    start = time.process_time()
    assert make_card(document(text)).names == ("Pell Instruments, Inc.",)
    assert time.process_time() - start < 2
