"""Questions on the sample fact sheets, written by us: answered rightly, or rightly not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from grounded.library import Library
from grounded.pipeline import ask
from grounded.settings import Settings, load_settings
from grounded.types import Answer

QUESTIONS = [
    json.loads(line) for line in (Path(__file__).parent / "fact_sheets.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.fixture(scope="module")
def library(samples: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Library:
    made = Library(str(tmp_path_factory.mktemp("library")), settings=load_settings())
    assert all(result.usable for result in made.add(samples))
    return made


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings({"traces": tmp_path / "traces", "reader": "extractive"})


def answer(asked: dict[str, Any], library: Library, settings: Settings) -> Answer:
    scope = tuple(library.find(name).id for name in asked["in"])
    return ask(asked["question"], library=library, settings=settings, scope=scope)


@pytest.mark.parametrize("asked", [q for q in QUESTIONS if not q.get("silent")], ids=lambda q: q["question"])
def test_answered(asked: dict[str, Any], library: Library, settings: Settings) -> None:
    given = answer(asked, library, settings)
    said = "\n".join(claim.text for claim in given.claims)
    assert [part for part in asked["says"] if part not in said] == [], said or given.abstention
    assert all(claim.verdict.grounded for claim in given.claims), [c.verdict.reason for c in given.claims]
    cited = [citation for claim in given.claims for citation in claim.citations]
    assert {c.page for c in given.claims[0].citations} <= {asked.get("page", c.page) for c in given.claims[0].citations}
    assert {c.source_name for c in cited} <= {asked.get("from", c.source_name) for c in cited}
    computed = {claim.calculation.operation for claim in given.claims if claim.calculation}
    assert asked.get("computes") is None or asked["computes"] in computed


@pytest.mark.parametrize("asked", [q for q in QUESTIONS if q.get("silent")], ids=lambda q: q["question"])
def test_silent(asked: dict[str, Any], library: Library, settings: Settings) -> None:
    given = answer(asked, library, settings)
    assert given.status == "abstained", [claim.text for claim in given.claims]
    assert given.abstention is not None
    assert given.abstention.nearest


def test_a_phrase_is_shown_with_its_sentence(library: Library, settings: Settings) -> None:
    given = answer({"question": "Who can buy shares?", "in": ["nimbus_2025.pdf"]}, library, settings)
    assert given.claims[-1].text.startswith("Shares of the Nimbus 500 Index Fund can be bought and sold only through")


def test_a_section_named_like_the_question_answers(library: Library, settings: Settings) -> None:
    given = answer({"question": "What are the risks?", "in": ["nimbus_2025.pdf"]}, library, settings)
    assert given.claims[0].text.startswith("An investment in the fund could lose money")
    assert {citation.section.rsplit(" › ")[-1] for c in given.claims for citation in c.citations} == {
        "Plain talk about risk"
    }


def test_every_part_of_a_question_is_answered_or_said_to_be_missing(library: Library, settings: Settings) -> None:
    asked = "What is the 10-year return, what does the fund cost, when was it launched and who is the chairman?"
    given = answer({"question": asked, "in": ["nimbus_2025.pdf"]}, library, settings)
    assert [claim.text.rsplit(": ")[-1] for claim in given.claims] == ["13.46%", "0.03%", "September 15, 2011"]
    assert [note for note in given.notes if "who is the chairman" in note]
