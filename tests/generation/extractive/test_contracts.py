"""Contracts: every party by name, whatever the wording of the question."""

import pytest

from grounded.generation.extractive.clauses import is_contract, kind_of
from grounded.generation.extractive.parties import parties
from tests.generation.extractive.sheets import Pages, ask, page

PREAMBLE = (
    "SUPPLY AGREEMENT\n\nThis Supply Agreement is made as of the 3rd day of May, 2021 by and between Alder Mills, "
    "Inc., a Delaware corporation with offices at 12 Quay Street, Suite 4, Dover (“Supplier”), Brook & Vale LLC (the "
    "“Buyer”) and JANE Q. MILLER, an individual (“Guarantor”).\n\nWHEREAS, the Buyer wishes to buy flour;\n\n"
    "This Agreement shall be governed by the laws of the State of Oregon."
)
NAMES = ["Alder Mills, Inc.", "Brook & Vale LLC", "JANE Q. MILLER"]


def test_every_party_and_no_address() -> None:
    assert [" ".join(PREAMBLE[a:b].split()) for a, b in parties(PREAMBLE)] == NAMES


@pytest.mark.parametrize("asked", ["Parties", "who are the parties?", "Who are the parties to this agreement?"])
def test_all_parties_are_named(asked: str) -> None:
    reading = ask(asked, Pages({"a.pdf": [page(PREAMBLE)]}))
    assert [claim.text for claim in reading.claims] == NAMES


@pytest.mark.parametrize(
    ("asked", "kind"),
    [
        ("When does the agreement expire?", "Expiration Date"),
        ("How long does the contract run?", "Expiration Date"),
        ("May a party assign this agreement without consent?", "Anti-Assignment"),
        ("liability cap", "Cap On Liability"),
        ("Which law applies?", "Governing Law"),
    ],
)
def test_plain_wordings_of_clauses(asked: str, kind: str) -> None:
    found = kind_of(asked)
    assert found is not None
    assert found.name == kind


def test_what_begins_like_a_contract() -> None:
    assert is_contract(PREAMBLE)
    assert not is_contract("FORM 10-Q\nQuarterly report\nMaterial agreements")
