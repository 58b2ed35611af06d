"""Two places that give one subject different values are shown side by side; others are not."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from grounded import documents
from grounded.cli.check import FileSource
from grounded.documents.typeset import typeset
from grounded.settings import Settings
from grounded.types import Citation, PageSource, Verdict, VerifiedClaim
from grounded.verification.check import CheckItem, CheckResult, check_claims
from grounded.verification.disputes import disputes
from tests.verification.small import DOCUMENT, Pages

DOCUMENTS: dict[str, tuple[str, Sequence[str], Sequence[Sequence[str]]]] = {
    "agreement": (
        "SERVICE AGREEMENT between Harlan Freight Ltd and Osprey Foods plc dated 3 March 2021",
        ["Either party may terminate this Agreement on 30 days' written notice. The service fee is EUR 12,000 per "
         "month. The Supplier may not assign this Agreement without consent."],
        (),
    ),
    "amendment": (
        "AMENDMENT NO. 1 to the Service Agreement between Harlan Freight Ltd and Osprey Foods plc dated 9 May 2023",
        ["Either party may terminate this Agreement on 60 days' written notice. The service fee is EUR 13,500 per "
         "month. The Supplier may assign this Agreement without consent."],
        (),
    ),
    "another": (
        "SERVICE AGREEMENT between Corvid Media Inc and Tallow Press LLC dated 3 March 2021",
        ["Either party may terminate this Agreement on 90 days' written notice. The service fee is EUR 9,000 per "
         "month."],
        (),
    ),
    "report 2019": (
        "Brackwater Holdings annual report 2019",
        ["All amounts in EUR million."],
        [["", "2019", "2018"], ["Revenue", "1,204.5", "1,100.2"], ["Operating profit", "210.4", "190.3"],
         ["Net debt", "400.0", "410.0"]],
    ),
    "report 2020": (
        "Brackwater Holdings annual report 2020",
        ["All amounts in EUR million. Figures for 2019 are restated."],
        [["", "2020", "2019"], ["Revenue", "1,310.7", "1,198.1"], ["Operating profit", "225.0", "210.4"],
         ["Net debt", "390.0", "400.0"]],
    ),
    "prospectus": (
        "Prospectus. Meridian Global Bond Fund. 1 May 2024",
        [],
        [["Annual fund operating expenses", ""], ["Management fee", "0.20%"], ["Expense ratio", "0.25%"]],
    ),
    "fact sheet": (
        "Fact sheet. Meridian Global Bond Fund. 30 June 2024",
        [],
        [["Quick facts", ""], ["Expense ratio", "0.22%"], ["Net assets", "$480 million"]],
    ),
    "earlier fact sheet": (
        "Fact sheet. Meridian Global Bond Fund. 31 March 2024",
        [],
        [["Quick facts", ""], ["Expense ratio", "0.22%"], ["Net assets", "$455 million"]],
    ),
    "another fund": (
        "Fact sheet. Orion Emerging Equity Fund. 30 June 2024",
        [],
        [["Quick facts", ""], ["Expense ratio", "0.65%"], ["Net assets", "$120 million"]],
    ),
    "two places": (
        "Kestrel Motors annual report 2022",
        ["Total production was 48,200 vehicles in 2022, a record for the company.", "It employs 1,200 people."],
        [["Production (vehicles)", "2022", "2021"], ["North plant", "20,000", "19,000"],
         ["South plant", "27,100", "26,500"], ["Total production", "47,100", "45,500"]],
    ),
}  # fmt: skip
DISAGREE = [
    ("Either party may terminate this Agreement on 30 days' written notice.", "agreement, amendment", "60 days"),
    ("Either party may terminate this Agreement on 60 days' written notice.", "agreement, amendment", "30 days"),
    ("The service fee is EUR 12,000 per month.", "agreement, amendment", "13,500"),
    ("The Supplier may not assign this Agreement without consent.", "agreement, amendment", "may assign"),
    ("Revenue was 1,204.5 million in 2019.", "report 2019, report 2020", "1,198.1"),
    ("What was revenue in 2019? — 1,198.1 million", "report 2019, report 2020", "1,204.5"),
    ("The expense ratio is 0.25%.", "prospectus, fact sheet", "0.22%"),
    ("Total production was 48,200 vehicles in 2022.", "two places", "47,100"),
    ("Total production in 2022 was 47,100 vehicles.", "two places", "48,200"),
]
AGREE = [
    ("The service fee is EUR 12,000 per month.", "agreement, another"),
    ("Either party may terminate this Agreement on 30 days' written notice.", "agreement, another"),
    ("Operating profit in 2019 was 210.4 million.", "report 2019, report 2020"),
    ("Revenue in 2018 was 1,100.2 million.", "report 2019, report 2020"),
    ("Revenue in 2020 was 1,310.7 million.", "report 2019, report 2020"),
    ("Net assets are $480 million.", "fact sheet, earlier fact sheet"),
    ("The expense ratio is 0.22%.", "fact sheet, another fund"),
    ("The expense ratio of the Meridian Global Bond Fund is 0.22%.", "fact sheet, another fund"),
    ("Total production in 2021 was 45,500 vehicles.", "two places"),
    ("South plant production was 27,100 vehicles in 2022.", "two places"),
]


@pytest.fixture(scope="module")
def sources() -> dict[str, tuple[str, PageSource]]:
    found: dict[str, tuple[str, PageSource]] = {}
    for name, (title, paragraphs, table) in DOCUMENTS.items():
        data = typeset(paragraphs, table, title=title)
        document = documents.read(data, f"{name}.pdf", settings=Settings().documents)
        found[name] = document.id, FileSource(document)
    return found


def check(sources: dict[str, tuple[str, PageSource]], claim: str, names: Sequence[str]) -> CheckResult:
    (result,) = check_claims([CheckItem(claim=claim, document=tuple(names))], sources.__getitem__)
    return result


@pytest.mark.parametrize(("claim", "names", "other"), DISAGREE)
def test_both_places_are_shown(sources: dict[str, tuple[str, PageSource]], claim: str, names: str, other: str) -> None:
    for order in (1, -1):
        result = check(sources, claim, names.split(", ")[::order])
        assert result.verdict.grounded
        assert result.verdict.confidence <= 0.5
        assert "sources disagree" in result.verdict.reason
        (conflict,) = result.conflicts
        assert other in conflict.citations[1].snippet
        assert set(conflict.citations) <= set(result.citations)


@pytest.mark.parametrize(("claim", "names"), AGREE)
def test_other_periods_parties_and_rows_contradict_nothing(
    sources: dict[str, tuple[str, PageSource]], claim: str, names: str
) -> None:
    for order in (1, -1):
        result = check(sources, claim, names.split(", ")[::order])
        assert result.verdict.grounded
        assert result.conflicts == ()


def test_a_claim_of_neither_shows_what_one_says(sources: dict[str, tuple[str, PageSource]]) -> None:
    result = check(sources, "The service fee is EUR 14,000 per month.", ["agreement", "amendment"])
    assert result.verdict.status == "contradicted"
    assert result.citations


def answered(pages: Pages, text: str) -> VerifiedClaim:
    """A grounded claim of an answer, on the first page."""
    start = pages.page("", 1).text.index("The")
    span = (start, len(pages.page("", 1).text))
    citation = Citation(
        source_id="S1", document=DOCUMENT, source_name="facts.pdf", page=1, page_label="1", section="", snippet=text,
        spans=(span,), boxes=(), chunk_id=None, match="exact", score=None,
    )  # fmt: skip
    verdict = Verdict(grounded=True, status="grounded", confidence=0.9, reason="")
    return VerifiedClaim(id="c1", text=text, citations=(citation,), verdict=verdict)


@pytest.mark.parametrize(
    ("other", "found"),
    [
        ("The service fee is EUR 13,500 per month.", 1),
        ("The service fee is EUR 12,000.00 per month.", 0),
        ("The deposit is EUR 13,500 per month.", 0),
        ("The service fee was EUR 9,000 per month in 2019.", 0),
    ],
)
def test_an_answer_tells_what_its_other_sources_say(other: str, found: int) -> None:
    pages = Pages("The service fee is EUR 12,000 per month.", other)
    conflicts = disputes([answered(pages, "The service fee is EUR 12,000 per month.")], pages.context(), pages)
    assert len(conflicts) == found
    assert all([c.page for c in conflict.citations] == [1, 2] for conflict in conflicts)


def test_a_number_alone_is_disputed_by_nothing() -> None:
    pages = Pages("The service fee is EUR 12,000 per month.", "The service fee is EUR 13,500 per month.")
    assert disputes([answered(pages, "EUR 12,000")], pages.context(), pages) == ()
