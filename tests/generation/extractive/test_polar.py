"""Yes or no only where the sentence says so plainly."""

import pytest

from grounded.text import polarity
from tests.generation.extractive.sheets import Pages, ask, page

LEASE = page(
    "The tenant may not keep dogs in the flat. The landlord insures the building against fire. "
    "The lease runs for five years. The tenant shall not sublet the flat without the landlord's consent."
)


@pytest.mark.parametrize(
    ("sentence", "word"),
    [
        ("The tenant shall not keep dogs.", "No"),
        ("The landlord insures the building.", "Yes"),
        ("The tenant shall not sublet without consent.", ""),
        ("Nothing is not insured, and no one pays.", ""),
        ("Rent rises if prices rise.", ""),
    ],
)
def test_polarity(sentence: str, word: str) -> None:
    assert polarity(sentence) == word


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("May the tenant keep dogs in the flat?", "No: The tenant may not keep dogs in the flat."),
        ("Does the landlord insure the building against fire?", "Yes: The landlord insures the building against fire."),
        ("Does the lease run for ten years?", None),
        ("May the tenant sublet the flat?", None),
    ],
)
def test_yes_or_no(asked: str, answer: str | None) -> None:
    said = [claim.text for claim in ask(asked, Pages({"lease.pdf": [LEASE]})).claims]
    assert said[:1] == [answer] if answer else not any(text.startswith(("Yes", "No:")) for text in said)


def test_half_a_sentence_is_no_yes_and_nothing_is_said_twice() -> None:
    text = "small business set-aside for ferries or\n\nThe landlord insures the building against fire."
    told = page(text)
    half = ask("Is this a small business set-aside for ferries?", Pages({"form.pdf": [told]})).claims
    assert not any(claim.text.startswith("Yes") for claim in half)
    twice = ask("Does the landlord insure the building?", Pages({"form.pdf": [told], "copy.pdf": [told]})).claims
    assert [claim.text for claim in twice] == ["Yes: The landlord insures the building against fire."]
