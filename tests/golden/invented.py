"""Invented documents as an office has them: statements, fact sheets, a quarterly report, agreements, a trial, a
leaflet, an outlook."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pymupdf

WIDTH, HEIGHT, LEFT, RIGHT = 595.0, 842.0, 60.0, 535.0
LINE = 14.0


class Sheet:
    """A document written top to bottom; a new page begins when one is full."""

    def __init__(self) -> None:
        self.document = pymupdf.open()
        self.fresh()

    def fresh(self) -> None:
        self.page = self.document.new_page(width=WIDTH, height=HEIGHT)
        self.y = 60.0

    def put(self, x: float, text: str, *, bold: bool = False, size: float = 10.0) -> None:
        writer = pymupdf.TextWriter(self.page.rect)
        writer.append((x, self.y), text, font=pymupdf.Font("hebo" if bold else "helv"), fontsize=size)
        writer.write_text(self.page)

    def down(self, height: float = LINE) -> None:
        self.y += height
        if self.y > HEIGHT - 70:
            self.fresh()

    def title(self, text: str, *, size: float = 16.0) -> None:
        self.put(LEFT, text, bold=True, size=size)
        self.down(size + 8)

    def heading(self, text: str) -> None:
        self.down(6)
        self.put(LEFT, text, bold=True, size=12)
        self.down(18)

    def text(self, words: str) -> None:
        line = ""
        for word in words.split():
            longer = f"{line} {word}".strip()
            if pymupdf.get_text_length(longer, fontname="helv", fontsize=10) > RIGHT - LEFT:
                self.put(LEFT, line)
                self.down()
                line = word
            else:
                line = longer
        self.put(LEFT, line)
        self.down(LINE + 6)

    def table(self, header: Sequence[str], rows: Sequence[Sequence[str]], *, first: float = 220.0) -> None:
        """The first column flush left, the others flush right."""
        step = (RIGHT - LEFT - first) / max(1, len(header) - 1)
        for number, row in enumerate((header, *rows)):
            for column, text in enumerate(row):
                font = "hebo" if number == 0 else "helv"
                right = LEFT + first + column * step
                x = LEFT if column == 0 else right - pymupdf.get_text_length(text, fontname=font, fontsize=10)
                self.put(x, text, bold=number == 0)
            self.down()
        self.down(8)

    def save(self, path: Path) -> Path:
        self.document.save(path, no_new_id=True)
        return path


def statement(path: Path, year: int, rows: Sequence[Sequence[str]], told: Sequence[str], sites: Sequence[str]) -> Path:
    sheet = Sheet()
    sheet.title("Halden Freight AB")
    sheet.title(f"Annual statement for the year ended December 31, {year}", size=12)
    sheet.heading("Income statement")
    sheet.text("(in thousands of euros, except per share amounts)")
    sheet.table(["", str(year), str(year - 1)], rows)
    for words in told:
        sheet.text(words)
    sheet.heading("Terminals")
    sheet.table(["Terminal", "Employees"], [site.split(":") for site in sites])
    return sheet.save(path)


def statements(folder: Path) -> list[Path]:
    old = [
        ["Freight revenue", "410,300", "388,100"],
        ["Warehousing revenue", "92,700", "90,400"],
        ["Total revenue", "503,000", "478,500"],
        ["Cost of services", "(331,900)", "(318,000)"],
        ["Selling and administrative expenses", "(88,200)", "(84,100)"],
        ["Operating income", "82,900", "76,400"],
        ["Interest expense", "(9,300)", "(8,700)"],
        ["Net income", "58,100", "52,600"],
        ["Basic earnings per share (euro)", "2.91", "2.63"],
    ]
    new = [
        ["Freight revenue", "455,800", "410,300"],
        ["Warehousing revenue", "84,500", "92,700"],
        ["Total revenue", "540,300", "503,000"],
        ["Cost of services", "(352,600)", "(331,900)"],
        ["Selling and administrative expenses", "(91,400)", "(88,200)"],
        ["Operating income", "96,300", "82,900"],
        ["Interest expense", "(12,100)", "(9,300)"],
        ["Net income", "65,400", "58,100"],
        ["Basic earnings per share (euro)", "3.27", "2.91"],
    ]
    told = [
        "Freight revenue increased mainly because of two new rail routes to Rotterdam and higher fuel surcharges. "
        "Warehousing revenue fell after the Malmo depot was closed in April.",
        "On February 14, 2024 the board proposed a dividend of 1.10 euro per share. The annual general meeting will be "
        "held in Gothenburg on May 7, 2024.",
        "The statements were audited by Brandt & Lind Revision. The chief executive officer is Ebba Norrgard.",
        "At year end the group operated 214 trucks and leased three vessels. The group does not hedge its fuel costs.",
        "Our main customers are in three industries: paper, chemicals and food retail.",
    ]
    return [
        statement(folder / "halden_2022.pdf", 2022, old, told[:1] + told[2:3], ["Gothenburg:610", "Malmo:145"]),
        statement(folder / "halden_2023.pdf", 2023, new, told, ["Gothenburg:640", "Narvik:88", "Turku:131"]),
    ]


def fund(path: Path) -> Path:
    sheet = Sheet()
    sheet.title("Solenne Global Bond Fund")
    sheet.title("Fact sheet as of March 31, 2025", size=12)
    sheet.heading("Objective")
    sheet.text("The fund aims to earn income and to preserve capital by investing in bonds of at least 25 countries.")
    sheet.heading("Share classes")
    sheet.table(
        ["", "Class A", "Class I", "Class R"],
        [
            ["ISIN", "LU0999000011", "LU0999000029", "LU0999000037"],
            ["Ongoing charge", "1.15%", "0.55%", "0.80%"],
            ["Entry charge", "3.00%", "none", "1.50%"],
            ["Minimum investment", "$1,000", "$1,000,000", "$100"],
            ["Launch date", "May 3, 2010", "June 1, 2012", "July 9, 2018"],
            ["1-year return", "4.12%", "4.75%", "4.48%"],
            ["5-year return", "1.86%", "2.47%", "2.21%"],
        ],
        first=150,
    )
    sheet.heading("Largest issuers")
    sheet.table(
        ["Issuer", "Weight"],
        [
            ["Republic of Arvenia", "6.4%"],
            ["Tollmark Bank", "4.9%"],
            ["Kingdom of Sorrel", "4.1%"],
            ["Vantor Rail", "2.2%"],
        ],
    )
    sheet.heading("Key facts")
    sheet.table(
        ["", ""],
        [
            ["Fund manager", "Ines Caldera"],
            ["Custodian", "Northquay Depositary Bank"],
            ["Fund size", "$2,318 million"],
            ["Average duration", "6.2 years"],
            ["Number of issuers", "187"],
        ],
    )
    return sheet.save(path)


def agreement(path: Path) -> Path:
    sheet = Sheet()
    sheet.title("MUTUAL NON-DISCLOSURE AGREEMENT")
    for words in (
        "This Mutual Non-Disclosure Agreement is entered into as of March 3, 2024 by and between Orvane Instruments, "
        "Inc. (“Orvane”) and Pelham Sensor Works GmbH (“Pelham”).",
        "1. Definitions. “Confidential Information” means all technical and commercial information that a party "
        "discloses in writing and marks as confidential. “Purpose” means the evaluation of a joint pressure sensor.",
        "2. Use. The receiving party shall use Confidential Information only for the Purpose and shall not disclose it "
        "to third parties without the prior written consent of the disclosing party.",
        "3. Term. This Agreement ends three years after its date. The duty of confidentiality survives for five years "
        "after the end of this Agreement.",
        "4. Return. Upon request the receiving party shall return or destroy all Confidential Information in 30 days.",
        "5. Notices. Notices to Pelham shall be sent to Dr. Jonas Reuter, Hafenweg 12, Bremen.",
        "6. Governing law. This Agreement is governed by the laws of the State of Delaware.",
    ):
        sheet.text(words)
    return sheet.save(path)


def trial(path: Path) -> Path:
    sheet = Sheet()
    sheet.title("Study of Veltorin in adults with chronic migraine")
    sheet.heading("Methods")
    sheet.text(
        "In this double-blind study 318 adults were randomised to receive veltorin 40 mg or placebo once daily for 24 "
        "weeks at 19 hospitals. The primary endpoint was the change in monthly migraine days from baseline to week 24. "
        "Patients with severe liver disease were excluded."
    )
    sheet.heading("Adverse events")
    sheet.table(
        ["Event", "Veltorin", "Placebo"],
        [["Nausea", "23", "11"], ["Dizziness", "17", "14"], ["Fatigue", "12", "13"], ["Rash", "5", "2"]],
    )
    sheet.heading("Conclusion")
    sheet.text("Veltorin reduced monthly migraine days by 4.6, compared with 2.1 for placebo. No deaths occurred.")
    sheet.text("The study was funded by Corvane Therapeutics. The lead investigator was Dr. Maren Holt of Aarhus.")
    return sheet.save(path)


def equity_fund(path: Path) -> Path:
    sheet = Sheet()
    sheet.title("Larkfield Dividend Equity Fund")
    sheet.title("Fact sheet as of September 30, 2025", size=12)
    sheet.heading("Fund and category")
    sheet.table(
        ["", "Fund", "Category average"],
        [
            ["Expense ratio", "0.45%", "0.82%"],
            ["Turnover rate", "31%", "54%"],
            ["Dividend yield", "3.10%", "2.40%"],
            ["Number of holdings", "84", "143"],
        ],
    )
    sheet.heading("Average annual total returns")
    sheet.text("Returns as of September 30, 2025, in percent. The benchmark is the Tamarack Value Index.")
    sheet.table(
        ["", "Quarter", "Year to date", "1 year", "3 years", "5 years", "10 years"],
        [
            ["Investor shares", "2.31", "8.40", "11.92", "9.35", "10.48", "8.77"],
            ["Institutional shares", "2.36", "8.57", "12.14", "9.57", "10.70", "8.99"],
            ["Benchmark", "2.55", "9.02", "12.60", "9.81", "10.95", "9.20"],
        ],
        first=90,
    )
    sheet.heading("Top five holdings")
    sheet.table(
        ["Company", "% of net assets"],
        [
            ["Ardmore Foods", "5.2"],
            ["Quill & Baxter", "4.6"],
            ["Northern Tram", "4.1"],
            ["Sable Pharma", "3.7"],
            ["Oxbow Utilities", "3.3"],
            ["Total", "20.9"],
        ],
    )
    sheet.heading("Sector allocation")
    sheet.table(
        ["Sector", "September 30, 2025", "September 30, 2024"],
        [
            ["Financials", "22.4%", "19.8%"],
            ["Health care", "18.1%", "20.5%"],
            ["Utilities", "14.6%", "14.2%"],
            ["Energy", "9.3%", "12.7%"],
        ],
    )
    sheet.heading("Principal risks")
    sheet.text("• Market risk: share prices may fall for long periods.")
    sheet.text("• Dividend risk: a company may reduce or stop its dividend.")
    sheet.text("• Sector risk: a few sectors may make up much of the fund.")
    return sheet.save(path)


def quarterly(path: Path) -> Path:
    sheet = Sheet()
    sheet.title("Merrow Instruments Inc.")
    sheet.title("Quarterly report for the period ended September 30, 2024", size=12)
    sheet.heading("Condensed statements of operations")
    sheet.text("The following table shows our results of operations (in millions, except per share data):")
    sheet.table(
        ["", "3 months 2024", "3 months 2023", "9 months 2024", "9 months 2023"],
        [
            ["Product revenue", "$182.4", "$164.0", "$531.7", "$487.3"],
            ["Service revenue", "61.5", "58.9", "180.2", "171.1"],
            ["", "243.9", "222.9", "711.9", "658.4"],
            ["Cost of revenue", "131.2", "122.6", "386.0", "361.5"],
            ["Gross profit", "112.7", "100.3", "325.9", "296.9"],
            ["Research and development", "34.8", "30.1", "101.6", "88.4"],
            ["Net income", "$28.6", "$22.5", "$79.3", "$65.0"],
            ["Diluted earnings per share", "$0.71", "$0.55", "$1.96", "$1.59"],
        ],
        first=130,
    )
    sheet.heading("Condensed balance sheets")
    sheet.text("(in millions)")
    sheet.table(
        ["", "Note", "September 30, 2024", "December 31, 2023"],
        [
            ["Cash and cash equivalents", "4", "$96.2", "$81.5"],
            ["Receivables", "5", "140.3", "133.8"],
            ["Inventories (1)", "", "118.9", "124.4"],
            ["Total current assets", "", "$355.4", "$339.7"],
            ["Total current liabilities", "7", "$177.7", "$188.0"],
        ],
        first=150,
    )
    sheet.text("(1) Includes spare parts of $14.2 million held for customers.")
    sheet.heading("Discussion of results")
    sheet.text(
        "Product revenue increased $18.4 million in the quarter, primarily due to higher sales of flow meters in Asia. "
        "Research and development expense rose. The increase was driven by the hiring of forty engineers in Leeds."
    )
    sheet.text(
        "Capital expenditures were $9.8 million and $7.1 million in the nine months ended September 30, 2024 and 2023, "
        "respectively. The effective tax rate was 21.5%."
    )
    return sheet.save(path)


def facility(path: Path) -> Path:
    sheet = Sheet()
    sheet.title("CREDIT AGREEMENT")
    for words in (
        "This Credit Agreement is made as of May 20, 2024 among Merrow Instruments Inc. (“Borrower”), Calder Bank plc "
        "(“Agent”) and Foss Lending LLC (“Lender”).",
        "1. Loan. The Lender makes available a term loan of $75,000,000 that matures on May 20, 2029.",
        "2. Negative covenants. The Borrower shall not: (a) create any lien on its assets; (b) sell a subsidiary; or "
        "(c) pay a dividend while an event of default continues.",
        "3. Events of default are: failure to pay when due, breach of a covenant, and insolvency of the Borrower.",
        "4. Governing law. This Agreement is governed by the laws of the State of New York.",
    ):
        sheet.text(words)
    return sheet.save(path)


def leaflet(path: Path) -> Path:
    """A medicine's leaflet: short sections, each under its own title."""
    sheet = Sheet()
    sheet.title("Package leaflet: Tolmexa 20 mg tablets")
    for title, words in (
        (
            "What Tolmexa is",
            "Tolmexa contains tolmexanol and lowers blood pressure. Each tablet contains 4 mg of lactose.",
        ),
        ("Children", "Do not give this medicine to children because it has not been studied in them."),
        ("Pregnancy and breast-feeding", "It is preferable not to take this product during pregnancy."),
        ("Driving and using machines", "Tolmexa is unlikely to affect your ability to drive."),
        (
            "How to take Tolmexa",
            "The recommended dose is one tablet a day. If you forget a dose, take it as soon as you remember. Stop the "
            "medicine five days before a planned surgery.",
        ),
        (
            "Possible side effects",
            "The most common side effect reported with Tolmexa is a dry cough. Rarely a rash is seen.",
        ),
    ):
        sheet.heading(title)
        sheet.text(words)
    return sheet.save(path)


def outlook(path: Path) -> Path:
    """Running text with values of two years and no table."""
    sheet = Sheet()
    sheet.title("Harbour trades outlook, 2015 to 2025")
    sheet.text(
        "Total employment in the harbour trades will rise by 4,100 between 2015 and 2025, from about 22,300 to 26,400. "
        "The most recent storm closed two yards for a year."
    )
    sheet.text(
        "Ferry lines are expected to increase their share of output from 31.5 percent in 2015 to 38.2 percent in 2025. "
        "Rope making is expected to lose 260 jobs. Boat building will add more jobs than any trade of the harbour."
    )
    sheet.text("On March 7, 2016, the port council issued Order 2016-11 on mooring fees.")
    return sheet.save(path)


def numbered_leaflet(path: Path) -> Path:
    """A package leaflet: a list of its sections before them, and one section on what is not to be done."""
    sheet = Sheet()
    sheet.title("Package leaflet: Quillofen 20 mg tablets")
    sheet.heading("What is in this leaflet")
    for number, title in enumerate(("What Quillofen is", "How to take Quillofen", "How to store Quillofen"), 1):
        sheet.put(LEFT, f"{number}.")
        sheet.put(LEFT + 30, title)
        sheet.down(LINE)
    sheet.heading("1. What Quillofen is")
    sheet.text("Quillofen is a tablet for adults who suffer from seasonal hay fever.")
    sheet.heading("Do not take Quillofen")
    sheet.text("Keep away from it if you are allergic to its active substance. Ask a doctor if you are not sure.")
    sheet.heading("2. How to take Quillofen")
    sheet.text("The usual dose is one tablet each morning, swallowed whole with a glass of water.")
    sheet.heading("3. How to store Quillofen")
    sheet.text("Keep the blister in its carton and below 25 degrees. Throw away what is left after the printed month.")
    return sheet.save(path)


def write(folder: Path) -> list[Path]:
    """All of them, into a folder."""
    return [
        *statements(folder),
        fund(folder / "solenne_bond.pdf"),
        agreement(folder / "orvane_nda.pdf"),
        trial(folder / "veltorin.pdf"),
        equity_fund(folder / "larkfield.pdf"),
        quarterly(folder / "merrow_q3.pdf"),
        facility(folder / "merrow_loan.pdf"),
        leaflet(folder / "tolmexa.pdf"),
        outlook(folder / "harbour_outlook.pdf"),
        numbered_leaflet(folder / "quillofen.pdf"),
    ]
