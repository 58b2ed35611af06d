"""Sentences as an analyst writes them: several numbers, rounded words, other years, names and directions."""

from __future__ import annotations

import pytest

from grounded.verification import edits
from grounded.verification.evidence import Evidence, Grid
from grounded.verification.examine import Examined
from grounded.verification.judge import judge
from grounded.verification.models import shipped

TRAITS = Grid(
    (
        ("", "Fund", "Benchmark"),
        ("Number of stocks", "505", "500"),
        ("Return on equity", "25.3%", "25.4%"),
        ("Foreign holdings", "0.6%", "0.6%"),
    ),
    "Fund characteristics (%)",
)
CASES = Evidence(
    text="This report covers enforcement. It has three parts. All years are fiscal. "
    "In FY 2011, HSI opened 1,212 investigations. HSI arrests increased by 57 percent in comparison to FY 2010. "
    "In FY 2011, the FBI initiated 235 investigations and obtained 79 convictions. "
    "Expenses decreased $8.6 million to $24.9 million in 2019 from $33.5 million in 2018. "
    "The seller shall not use the information for any purpose other than the sale of the product.",
)


@pytest.mark.parametrize(
    ("claim", "holds"),
    [
        ("Return on equity is 25.3% for the fund and 25.4% for the benchmark.", True),
        ("Return on equity is 25.4% for the fund and 25.3% for the benchmark.", False),
        ("The number of stocks of the fund is 500.", False),
        ("The number of stocks of the fund is 505.", True),
    ],
)
def test_each_number_has_its_own_clause(claim: str, holds: bool) -> None:
    assert judge(claim, Evidence(text="A fund and its benchmark.", grids=(TRAITS,))).grounded == holds


@pytest.mark.parametrize(
    ("claim", "holds"),
    [
        ("The FBI initiated 235 investigations in FY 2011.", True),
        ("The FBI opened 1,212 investigations in FY 2011.", False),
        ("HSI arrests increased by 57% in comparison to FY 2010.", True),
        ("HSI arrests decreased by 57% in comparison to FY 2010.", False),
        ("Expenses decreased to $24.9 million in 2019.", True),
        ("Expenses were $33.5 million in 2019.", False),
        ("The seller shall not use the information for any purpose.", False),
    ],
)
def test_another_name_year_direction_or_a_lost_exception(claim: str, holds: bool) -> None:
    verdict = judge(claim, CASES)
    assert verdict.grounded == holds, verdict


@pytest.mark.parametrize(("part", "holds"), [("a third", True), ("a quarter", False)])
def test_parts_in_words(part: str, holds: bool) -> None:
    grid = Grid((("Sector", "Weight"), ("Technology", "32.7%"), ("Energy", "3.0%")))
    assert (
        judge(f"Technology is about {part} of the weight.", Evidence(text="Sectors.", grids=(grid,))).grounded == holds
    )


@pytest.mark.parametrize(
    ("claim", "status"),
    [
        ("The fund holds 505 stocks.", "grounded"),
        ("The fund holds 405 stocks.", "contradicted"),
        ("The fund has 505 stocks, the benchmark 500.", "grounded"),
    ],
)
def test_a_count_of_things_is_the_row_number_of_things(claim: str, status: str) -> None:
    assert judge(claim, Evidence(text="A fund and its benchmark.", grids=(TRAITS,))).status == status


@pytest.mark.parametrize(
    ("claim", "status"),
    [
        ("The agreement may be executed in two or more counterparts by the parties.", "grounded"),
        ("The agreement may be executed in 2 or more counterparts by the parties.", "grounded"),
        ("The agreement may be executed in three or more counterparts by the parties.", "contradicted"),
        ("The seller is the smallest supplier of the parts named in the annex.", "contradicted"),
        ("Such remedy shall not be exclusive, but shall not be in addition to all others.", "contradicted"),
    ],
)
def test_a_word_that_turns_a_sentence(claim: str, status: str) -> None:
    text = (
        "The agreement may be executed in two or more counterparts by the parties. "
        "The seller is the largest supplier of the parts named in the annex. "
        "Such remedy shall not be exclusive, but shall be in addition to all others."
    )
    assert judge(claim, Evidence(text=text)).status == status


@pytest.mark.parametrize(
    ("claim", "one"),
    [
        ("The tenant shall pay the rent in June.", True),
        ("The tenant may not pay the rent in June.", True),
        ("The landlord shall pay the rent in June.", True),
        ("The tenant shall not pay the rent in July.", False),
        ("The landlord may pay the rent unless it rains in June.", False),
    ],
)
def test_a_changed_copy_has_one_change(claim: str, one: bool) -> None:
    compared = edits.compare(claim, "The tenant shall pay the rent in June.", {})
    assert edits.is_one_change(compared.edits) == one, compared.edits


def test_words_that_the_source_nowhere_has() -> None:
    source = Evidence(text="The fund invests in shares of European companies.")
    examined = Examined("The Fund invests in bonds of European issuers.", source, shipped())
    assert examined.strangers == ("bonds", "issuers")
