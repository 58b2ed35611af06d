"""Many sealed traces through the real writer, quickly: what a log looks like after years of questions."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from grounded.audit.writer import AuditLog
from grounded.settings import AuditSettings
from grounded.types import Answer, Status
from tests.audit.logs import Quick
from tests.ui.gallery import example

FUNDS = ("nimbus_2024.pdf", "nimbus_2025.pdf", "cobalt_income.pdf", "harbor_growth.pdf")
TOPICS = ("expense ratio", "largest sector", "10-year return", "number of holdings", "benchmark", "duration")
_BEGAN = datetime(2023, 1, 2, 9, 0, tzinfo=UTC)


def write_traces(home: Path, count: int) -> list[str]:
    """`count` traces in `home`/traces, their keys in `home`/state; returns their ids, oldest first.

    Every seventh question is not answered, every fifth claim is contradicted, documents and readers take turns."""
    log = AuditLog(home / "traces", state=home / "state", settings=AuditSettings(), files=Quick())
    done = example()[0]
    return [_write(log, done, number) for number in range(count)]


def _write(log: AuditLog, done: Answer, number: int) -> str:
    fund, topic = FUNDS[number % len(FUNDS)], TOPICS[number // len(FUNDS) % len(TOPICS)]
    question = f"What is the {topic} of {fund.removesuffix('.pdf')}, question {number:,}?"
    reader = "claude" if number % 3 == 0 else "extractive"
    start = _BEGAN + timedelta(minutes=23 * number)
    documents = [{"sha256": f"{number % len(FUNDS):x}" * 64, "name": fund, "pages": 2, "extractor": "test"}]
    asked: dict[str, Any] = {"question": question, "documents": documents, "scope": [], "reader": reader}
    with log.open("ask", asked, "a question was asked", start=start) as trace:
        shown = _answer(done, question, number, trace.trace_id).model_dump(mode="json")
        trace.span("assemble", {}, {"answer": shown}, "assembled", start=start, end=start + timedelta(seconds=1))
    return trace.trace_id


def _answer(done: Answer, question: str, number: int, trace: str) -> Answer:
    changed: dict[str, Any] = {"question": question, "trace_id": trace, "hits": ()}
    if number % 7 == 0:
        return done.model_copy(update=changed | {"status": "abstained", "claims": (), "generation_confidence": None})
    claim = done.claims[1 + number % 2]
    status: Status = "contradicted" if number % 5 == 0 else "grounded"
    verdict = claim.verdict.model_copy(update={"status": status, "grounded": status == "grounded"})
    return done.model_copy(update=changed | {"claims": (claim.model_copy(update={"verdict": verdict}),)})
