"""Whatever is asked of whatever file: every quote stands where it says, and the verifier agrees with every claim.

A sample; `python -m bench.random_claims` asks thousands.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from bench.random_claims import ask, exceptions, questions, small_pdfs, some_sources
from bench.reading import open_pdf
from grounded.errors import DocumentError

FILES, QUESTIONS = 14, 9


@pytest.mark.shared
def test_every_claim_is_grounded(shared: Path) -> None:
    chooser = random.Random(11)
    claims = 0
    for path in chooser.sample(small_pdfs(shared), FILES):
        try:
            opened = open_pdf(path.read_bytes(), path.name)
        except DocumentError:
            continue
        for question in questions(opened, chooser, QUESTIONS):
            context = some_sources(opened, chooser)
            reading = ask(opened, question, context)
            assert list(exceptions(reading, context, opened)) == [], question
            claims += len(reading.claims)
    assert claims
