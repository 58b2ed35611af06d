"""Claims that no rule decides, read by the encoder beside their nearest sentences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from grounded.retrieval.pairs import load_pairs
from grounded.verification import align, follows
from grounded.verification.evidence import Evidence
from grounded.verification.judge import judge
from grounded.verification.models import shipped
from grounded.verification.prose import read_prose

FUND = Evidence(
    text="Shares of the fund can be bought and sold only through a broker, who may charge a commission. "
    "An investment in the fund could lose money over short or even long periods. "
    "The index holds the stocks of about 500 of the largest companies of the United States. "
    "Interest expense was $5.1 million for the year. On May 2, 2019 the company acquired Fotomat for cash "
    "consideration of $12.4 million. The agreement may be terminated by either party on 30 days notice.",
)


class Counting:
    """The encoder, counting how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def states(self, claim: str, passage: str) -> tuple[Any, Any]:
        self.asked += 1
        return load_pairs().states(claim, passage)


@pytest.mark.parametrize(
    ("claim", "holds"),
    [
        ("Investors can lose money in this fund.", True),
        ("The fund's shares are traded through brokers.", True),
        ("The moon is made of cheese.", False),
        ("The manager picks stocks by own judgement.", False),
        ("Either side can end the contract with 30 days' notice.", True),
        ("Dividends of $12.4 million were paid.", False),
        ("The bank lent $5.1 million to its employees.", False),
        ("The notes are due within 77 days.", False),
        ("The fund invests in gold.", False),
        ("The fund pays a dividend every month.", False),
    ],
)
def test_reworded_claims_and_strange_ones(claim: str, holds: bool) -> None:
    verdict = judge(claim, FUND, load_pairs())
    assert verdict.grounded == holds, verdict
    assert verdict == judge(claim, FUND, load_pairs())


@pytest.mark.parametrize(
    ("claim", "asked"),
    [
        ("An investment in the fund could lose money over short or even long periods.", 0),
        ("An investment in the fund could not lose money over short or even long periods.", 0),
        ("What was the interest expense for the year? — $5.1 million", 0),
        ("Interest expense was $6.1 million for the year.", 0),
        ("Investors can lose money in this fund.", 1),
        ("Dividends of $12.4 million were paid.", 1),
    ],
)
def test_it_is_asked_only_where_rules_do_not_decide(claim: str, asked: int) -> None:
    counting = Counting()
    judge(claim, FUND, counting)
    assert counting.asked == asked


def test_without_encoder_rules_and_heads_decide_alone() -> None:
    assert judge("Investors can lose money in this fund.", FUND).checks
    assert not judge("An investment in the fund could not lose money.", FUND).grounded


def test_the_passage_has_the_nearest_sentences_in_their_order() -> None:
    text = " ".join(f"Sentence {i} tells of the weather in some detail and of little else." for i in range(40))
    prose = read_prose(f"The cat sat. {text} The dog lay on the cat. {text}", ".")
    passage = follows.passage(align.align("The dog lay on the cat.", prose, shipped().scorer))
    assert passage.index("The cat sat.") < passage.index("The dog lay on the cat.")
    assert len(passage) < 800


def test_what_is_weighed() -> None:
    claim, passage = np.arange(12.0).reshape(3, 4), np.arange(8.0).reshape(2, 4)
    pooled = follows.pooled(claim, passage)
    assert pooled.tolist() == [2, 3, 4, 5, 4, 5, 6, 7, 0, 1, 2, 3, 6, 7, 8, 9, 8, 9, 10, 11]
