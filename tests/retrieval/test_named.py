"""What is asked of one name is not answered from a document on another."""

from __future__ import annotations

import pytest

from grounded.retrieval.embed import load_embedder
from grounded.retrieval.glossary import load_glossary
from grounded.retrieval.index import Index
from grounded.retrieval.named import names_said, with_unmentioned
from grounded.retrieval.plan import plan
from grounded.types import SubQuestion
from tests.retrieval.small import committed

HALDEN = [
    "Halden Paper\nThe expense ratio of the fund is 0.4%. It was 0.5% before, when operating income was lower. "
    "See the publications on trails. The ace of the amber acre came."
]
LEAFLET = ["What Cardivol is\nThe usual dose of Cardivol is one tablet. Do not take it with ibuprofen."]


@pytest.fixture(scope="module")
def ids(tmp_path_factory: pytest.TempPathFactory) -> tuple[Index, str, str]:
    index = Index(tmp_path_factory.mktemp("library"))
    made = index, committed(index, "halden.pdf", HALDEN), committed(index, "leaflet.pdf", LEAFLET)
    index.optimize()
    return made


def step(index: Index, question: str, scope: tuple[str, ...] = ()) -> SubQuestion:
    made = with_unmentioned(plan(question), index, load_embedder(), scope=scope, glossary=load_glossary())
    return made.subquestions[0]


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("What is Acme's expense ratio?", ["Acme"]),
        ("Acme’s expense ratio?", ["Acme"]),
        ("What does the Acme 500 fund cost?", ["Acme"]),
        ("Did Orlow & Pell sue in March?", ["Orlow", "Pell"]),
        ("can i take paracetamol with it", ["paracetamol"]),
        ("What may the Recipient disclose under Section 5?", []),
        ("What Is the Net Asset Value of It?", []),
        ("Who is the CEO?", []),
        ("What does “Permitted Liens” mean?", []),
        ("What is today's weather?", []),
        ("Summarize the fund; then summarize its cost.", []),
    ],
)
def test_what_names_something_is_told_from_roles_and_titles(question: str, names: list[str]) -> None:
    embedder = load_embedder()
    assert names_said(question, lambda word: embedder.count_tokens(word) - 2) == names


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("What is Acme's expense ratio?", ("Acme",)),
        ("What is the dose of enoxaparin?", ("enoxaparin",)),
        ("What is Halden's expense ratio?", ()),
        ("What is the dose of cardivol?", ()),
        ("What is the dose of Cardivoll?", ()),
        ("What was the operatng income?", ()),
        ("Which publicaton of Haldn names the trail?", ()),
        ("What is the expense ratio?", ()),
    ],
)
def test_a_name_that_stands_in_no_document_is_told(
    ids: tuple[Index, str, str], question: str, missing: tuple[str, ...]
) -> None:
    assert step(ids[0], question).unmentioned == missing


def test_only_the_documents_in_scope_are_looked_at(ids: tuple[Index, str, str]) -> None:
    index, halden, _ = ids
    assert step(index, "What is the dose of Cardivol?", (halden,)).unmentioned == ("Cardivol",)
