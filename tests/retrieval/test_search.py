"""Questions over a small library of invented documents, searched with the real embedder: codes, defined terms, dates,
and a user's own terms find their passages among many that look alike.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from grounded.retrieval.embed import load_embedder
from grounded.retrieval.glossary import GlossaryEntry, Sense
from grounded.retrieval.index import Index
from grounded.retrieval.places import place_match, places_named
from grounded.retrieval.plan import plan
from grounded.retrieval.question import Query
from grounded.retrieval.search import Candidate, Signals, at_home, retrieve
from grounded.settings import RetrievalSettings
from grounded.types import Chunk, Hit
from tests.retrieval.small import committed

ARTICLES = ("Definitions", "Payment", "Accounts", "Delivery", "Term", "Warranties", "Notices", "General")
GOODS = ("timber", "copper", "linen", "amber")


def agreement() -> list[str]:
    """Eight articles of four sections of three clauses that refer to one another."""
    pages = []
    for article, title in enumerate(ARTICLES, 1):
        lines = [f"ARTICLE {article}. {title.upper()}"]
        for section, good in enumerate(GOODS, 1):
            lines.append(f"{article}.{section} Care of {good} under Article {article}.")
            lines.extend(
                f"({letter}) The parties observe Section {9 - article}.{5 - section}({letter}) and Item {article}B; "
                f"each keeps the {good} {kept} in good order for the benefit of the other."
                for letter, kept in zip("abc", ("ledger", "stock", "seal"), strict=True)
            )
        pages.append("\n".join(lines))
    return pages


REPORT = [
    "Item 6. Reserved\nThe Company left this item out.",
    "Item 7A. Market Risk\nA strong dollar lowers what we earn abroad. See also Item 6 and Item 9A.",
    "Item 9A. Controls\nControls were effective. Item 7A describes currencies.",
    "“Permitted Liens” means liens for taxes not yet due and liens of carriers.\n“Ripe Amber” means amber of grade 2.",
    "The Permitted Liens may not exceed the amount stated, and Permitted Liens of carriers end upon payment.",
    "The board met on March 3, 2021 and on June 9, 2021. It approved the budget.",
    "On June 19, 2022 the plant at Ostwick was closed. The board had met before.",
    "Our Q-score was 71, measured as satisfied visits over all visits of the year.",
]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    made = Index(tmp_path_factory.mktemp("library"))
    committed(made, "agreement.pdf", agreement())
    committed(made, "report.pdf", REPORT)
    return made


def candidate(document: str, text: str, signals: Signals) -> Candidate:
    made = Chunk(
        id=document, document=document, source_name=document, page=1, page_label="1", span=(0, len(text)), text=text,
        ordinal=0,
    )  # fmt: skip
    return Candidate(made, signals, None, None)


def first(index: Index, question: str, **settings: object) -> Hit:
    chosen = RetrievalSettings.model_validate(settings)
    return retrieve(index, load_embedder(), plan(question), settings=chosen)[0]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What does section 3.1(b) say?", "ARTICLE 3."),
        ("What is in Section 4.2?", "4.2 Care"),
        ("7.3(c)", "7.3 Care"),
        ("Article 6", "ARTICLE 6."),
        ("Item 7A", "Item 7A."),
        ("Summarize Item 9A.", "Item 9A."),
        ("What are Permitted Liens?", "“Permitted Liens” means"),
        ("What happened on June 19, 2022?", "On June 19, 2022"),
        ("Did the board meet on June 9, 2021?", "The board met on March"),
    ],
)
def test_codes_defined_terms_and_dates_are_found(index: Index, question: str, found: str) -> None:
    assert found in first(index, question).chunk.text


def test_pages_of_a_kind_are_searched_on_their_own(index: Index) -> None:
    assert {found.chunk.page_kind for found in index.matching("the parties", 9, kinds=["definitions"])} <= {
        "definitions"
    }
    assert len(index.matching("Permitted Liens", 9)) > len(index.matching("Permitted Liens", 9, kinds=["cover"]))


def test_the_kind_of_a_page_counts_as_far_as_its_document_says_the_rest() -> None:
    """Who signed the treaty of Ostwick is not asked of a contract's signature page."""
    sense = Sense(GlossaryEntry(terms=("signed by",), forms=("By:",)), frozenset(["sign"]), 1.0)
    query = Query("Who signed the treaty of Ostwick?", "", (sense,), ())
    strong = Signals(page=1.0, vocabulary=0.8)
    found = [
        candidate("contract", "By: Pell", strong),
        candidate("history", "The treaty of Ostwick was signed", strong),
    ]
    assert [(c.signals.page, c.signals.vocabulary) for c in at_home(found, query)] == [(0.0, 0.0), (1.0, 0.8)]


def test_a_users_own_terms_are_searched(index: Index, tmp_path: Path) -> None:
    asked = "What is the zorble?"
    own = tmp_path / "terms.json"
    own.write_text(json.dumps([{"terms": ["zorble"], "forms": ["Q-score", "satisfied visits"]}]))
    assert first(index, asked, glossary=own).chunk.text.startswith("Our Q-score")
    assert not first(index, asked).chunk.text.startswith("Our Q-score")


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("What does Section 3.1(b)(ii) say?", [("section", "3.1", ("b", "ii"))]),
        ("§ 12 and Exhibit B-1", [("section", "12", ()), ("exhibit", "B-1", ())]),
        ("Items 7 and 7A", [("item", "7", ())]),
        ("note 12", [("note", "12", ())]),
        ("Was it 4.2 million or $3.1 (net)?", []),
        ("Which items a buyer keeps", []),
    ],
)
def test_the_places_a_question_names(question: str, named: list[tuple[str, str, tuple[str, ...]]]) -> None:
    assert [tuple(place) for place in places_named(question)] == named


@pytest.mark.parametrize(
    ("section", "text", "expected"),
    [
        ("", "3.1 Reserve\n(a) One.\n(b) Two.", 1.0),
        ("ARTICLE 3 › 3.1 Reserve", "(b) Two. (c) Three.", 1.0),
        ("ARTICLE 3 › 3.1 Reserve", "(c) Three.", 0.6),
        ("", "Subject to Section 3.1(b), the Seller pays.", 0.3),
        ("", "Subject to Section 3.1(c), the Seller pays 3.1 million.", 0.0),
        ("", "3.10 Other\n(b) Two.", 0.0),
    ],
)
def test_a_passage_is_the_place_or_only_refers_to_it(section: str, text: str, expected: float) -> None:
    assert place_match(places_named("Section 3.1(b)?"), section, text) == expected
