"""What a claim says beyond the places it rests on."""

from __future__ import annotations

import pytest

from grounded.verification.additions import addition, other_kind, strange_year
from grounded.verification.evidence import Evidence, Grid
from grounded.verification.judge import judge
from grounded.verification.words import content

TABLE = Grid((("", "2019", "2018"), ("Net debt", "120", "100"), ("Common shares issued", "15", "12")), "(in millions)")
FORM = Evidence(text="Seats: 4\nLast Inspection: Annual\nRegistered Owner: Maxair LLC")
TERMS = Evidence(
    text="Under this Agreement the Supplier grants to the Dealer,\nduring the Term, an exclusive right to sell\n"
    "the Products in Norway, Sweden and Finland;\nprovided that the Dealer has paid every invoice when due."
)


@pytest.mark.parametrize(
    ("claim", "grounded"),
    [
        ("What was the net debt in 2019? — 120 million", True),
        ("What wasn't the net debt in 2019? — 120 million", False),
        ("What was never the net debt in 2019? — 120 million", False),
        ("What was the gross debt in 2019? — 120 million", False),
        ("What was the net debt of Borealis in 2019? — 120 million", False),
        ("What was the change in net debt from 2018 to 2019? — 20 million", True),
        ("What was the change in net debt from 2018 to 2018? — 20 million", False),
        ("What was the change in net debt from 2018 to 2019? — (20) million", False),
        ("Net debt was 120 in 2019.", True),
        ("Net debt was 120 in 2019, unless the parties agree otherwise.", False),
        ("Preferred shares issued were 15 in 2019.", False),
    ],
)
def test_cells(claim: str, grounded: bool) -> None:
    assert judge(claim, Evidence(grids=(TABLE,))).grounded is grounded


@pytest.mark.parametrize(
    ("claim", "grounded"),
    [
        ("The number of seats is 4.", True),
        ("The number of seats isn't 4.", False),
        ("The number of seats is no longer 4.", False),
        ("The registered owner is Maxair LLC.", True),
        ("The registered owner was never Maxair LLC.", False),
        ("The registered owner is Maxair LLC, only if it paid.", False),
    ],
)
def test_fields(claim: str, grounded: bool) -> None:
    assert judge(claim, FORM).grounded is grounded


@pytest.mark.parametrize(
    ("claim", "grounded"),
    [
        (
            "The Supplier grants to the Dealer, during the Term, an exclusive right to sell the Products in Norway.",
            True,
        ),
        ("The Supplier grants to the Dealer, during the Term, a shared right to sell the Products.", False),
        (
            "The Dealer grants to the Supplier, during the Term, an exclusive right to sell the Products in Norway.",
            False,
        ),
        ("The Supplier never grants to the Dealer, during the Term, an exclusive right to sell the Products.", False),
    ],
)
def test_a_sentence_that_lines_broke(claim: str, grounded: bool) -> None:
    assert judge(claim, TERMS).grounded is grounded


def test_an_answer_that_is_a_changed_copy() -> None:
    text = "Revenue is recognized when control of the goods passes to the customer at the point of delivery."
    asked = "When is revenue recognized? — when control of the goods passes to the"
    assert judge(f"{asked} carrier at the point of delivery", Evidence(text=text)).status != "grounded"
    assert judge(f"{asked} customer at the point of delivery", Evidence(text=text)).reason.count("carrier") == 0


def test_a_denial_in_other_words() -> None:
    assert addition("The gain was not recognized", "", ["Unrecognized gains"]) is None
    assert addition("The plan has no longer any members", "", ["The plan ceased to have members"]) is None
    added = addition("The gain was not recognized", "", ["Recognized gains"])
    assert added is not None and added.kind == "negation"


def test_only_in_a_question_says_what_is_asked_for() -> None:
    assert addition("What was paid in cash only? — 5 million", "5 million", ["Cash payments: 5 million"]) is None
    said = "Only the fee was paid"
    added = addition(said, said, ["The fee was paid"])
    assert added is not None and added.kind == "quantifier"


def test_years_may_be_short() -> None:
    assert strange_year("in 2018", "adjustments of 2017/18") == ""
    assert strange_year("in 2016", "adjustments of 2017/18") == "2016"


@pytest.mark.parametrize("work", ["Ito et al., 2016", "Ito et al. (2016)", "the reader (Ito and Bo, 2016)"])
def test_the_year_of_a_work_that_is_cited_is_not_the_claims(work: str) -> None:
    assert strange_year(f"It does better than {work} on both tasks", "accuracy of each reader") == ""


def test_what_has_both_kinds_is_neither() -> None:
    assert other_kind(content("gross margin"), content("Net margin")) == ("gross", "net")
    assert other_kind(content("ratio of liabilities to assets"), content("Total assets, total liabilities")) is None


def test_words_that_deny_each_other_are_no_other_wording() -> None:
    text = Evidence(
        text="The partially completed plant was approved and its certain costs were disclosed to the board."
    )
    for old, new in (("completed", "uncompleted"), ("approved", "refused"), ("disclosed", "concealed")):
        assert judge(text.text.replace(old, new), text).status == "contradicted"
