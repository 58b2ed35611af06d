"""Questions of an analyst in finance, law and health on invented documents: answered rightly, or rightly not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from grounded.library import Library
from grounded.pipeline import ask
from grounded.settings import load_settings
from tests.golden.invented import write

QUESTIONS = [
    json.loads(line) for line in (Path(__file__).parent / "invented.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    made = Library(str(tmp_path_factory.mktemp("library")), settings=load_settings())
    assert all(result.usable for result in made.add(write(tmp_path_factory.mktemp("pdfs"))))
    return made


@pytest.mark.parametrize("asked", QUESTIONS, ids=lambda q: q["question"])
def test_answered_or_silent(asked: dict[str, Any], library: Library, tmp_path: Path) -> None:
    scope = tuple(library.find(name).id for name in asked["in"])
    settings = load_settings({"traces": tmp_path / "traces", "reader": "extractive"})
    given = ask(asked["question"], library=library, settings=settings, scope=scope)
    said = "\n".join(claim.text for claim in given.claims)
    if asked.get("silent"):
        assert given.status == "abstained", said
        return
    assert [part for part in asked["says"] if part not in said] == [], said or given.abstention
    assert [part for part in asked.get("not", ()) if part in said] == []
    assert all(claim.verdict.grounded for claim in given.claims), [c.verdict.reason for c in given.claims]
    assert all(any(part in note for note in given.notes) for part in asked.get("missing", ()))
    computed = {claim.calculation.operation for claim in given.claims if claim.calculation}
    assert asked.get("computes") is None or asked["computes"] in computed
