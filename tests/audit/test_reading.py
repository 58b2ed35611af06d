"""Lists, explanations, comparisons, exports, erasures: what is done with a log besides verifying it."""

from __future__ import annotations

import json
from datetime import UTC, timedelta
from pathlib import Path
from typing import Any

import pytest

from grounded.audit import langfuse_export
from grounded.audit.content import Erasable
from grounded.audit.explain import parse_moment, trace_at
from grounded.audit.export import otlp
from grounded.audit.reader import entries, list_traces, read_trace, rebuild_answer, resolve
from grounded.audit.replay import Step, compare, diff
from grounded.audit.retention import erase, hold, release
from grounded.audit.verify import verify
from grounded.audit.writer import AuditLog
from grounded.cli import main
from grounded.errors import AuditError, UsageError
from tests.audit.logs import NOW, SetClock, make_log, write_run

ANSWER = {
    "answer": "[grounded] The fee is 0.03 % (p. 1)",
    "status": "answered",
    "reader": "claude",
    "model": "claude-sonnet-4-5",
    "claims": [
        {
            "id": "c1",
            "text": "The fee is 0.03 %",
            "citations": [{"source_id": "S1", "source_name": "f.pdf", "page": 1, "page_label": "i", "section": "Fees",
                           "snippet": "0.03 %"}],
            "verdict": {"status": "grounded", "confidence": 0.98, "reason": "verbatim"},
        }
    ],
}  # fmt: skip


def full_run(log: AuditLog, question: str = "What is the fee?") -> str:
    documents = [{"sha256": "d" * 64, "name": "f.pdf", "pages": 2}]
    with log.open("ask", {"question": question, "actor": "ana", "documents": documents}) as trace:
        hits = [{"chunk_id": "c1", "text": "0.03 %", "retrieval_confidence": 0.7, "page": 1, "document": "d" * 64}]
        trace.span("retrieve", {"question": question}, {"hits": hits}, "fused", start=NOW, end=NOW)
        reply = {
            "model": "claude-sonnet-4-5",
            "usage": {"input_tokens": 10, "output_tokens": 3},
            "stop_reason": "end_turn",
        }
        trace.span("generate", {"model": "claude-x"}, reply, start=NOW, end=NOW + timedelta(seconds=2))
        trace.span("assemble", {}, {"answer": ANSWER}, "1 of 1", start=NOW, end=NOW)
    return trace.trace_id


def test_the_list_pages_newest_first_without_reading_all(tmp_path: Path) -> None:
    log = make_log(tmp_path, clock=SetClock(), erasable=("question",))
    ids = [write_run(log, f"question {number}").trace_id for number in range(25)]
    page = list_traces(log.folder, offset=5, limit=10)
    assert page.total == 25
    assert [row.trace_id for row in page.items] == ids[::-1][5:15]
    assert page.items[0].question == "question 19" and page.items[0].status == "ok" and page.items[0].spans == 3
    (log.folder / f"{ids[0]}.jsonl").write_bytes(b"\x00 not read for this page")
    assert len(list_traces(log.folder, limit=10).items) == 10
    assert list_traces(tmp_path / "nowhere").total == 0


def test_an_answer_is_rebuilt_from_the_trace_alone(tmp_path: Path) -> None:
    log = make_log(tmp_path)
    trace_id = full_run(log)
    for path in log.folder.iterdir():
        if path.name != f"{trace_id}.jsonl" and path.is_file():
            path.unlink()
    assert rebuild_answer(read_trace(log.folder, trace_id)) == ANSWER
    with log.open("ask", {}) as trace:
        pass
    with pytest.raises(AuditError):
        rebuild_answer(read_trace(log.folder, trace.trace_id))


@pytest.mark.parametrize("bad", ["", "../A", "/etc/passwd", "a/b", "a\x00b", ".", "..", "-x", "A" * 129, "é", "a\nb"])
def test_ids_are_never_paths(tmp_path: Path, bad: str) -> None:
    log = make_log(tmp_path)
    write_run(log)
    with pytest.raises(UsageError):
        read_trace(log.folder, bad)
    with pytest.raises(UsageError):
        resolve(log.folder, bad)
    with pytest.raises(UsageError):
        erase(log.ledger, bad, reason="r", actor="a")
    with pytest.raises(UsageError):
        hold(log.ledger, bad, reason="r", actor="a")


def test_what_was_said_at_a_moment(tmp_path: Path) -> None:
    clock = SetClock()
    log = make_log(tmp_path, clock=clock)
    first = full_run(log, "first")
    clock.jump(300)
    second = full_run(log, "second")
    assert trace_at(log.folder, "2026-11-24T14:14+00:00")[0].trace_id == first
    assert trace_at(log.folder, "2026-11-24T14:19+00:00") == (trace_at(log.folder, "2026-11-24T15:00+00:00")[0], True)
    found, within = trace_at(log.folder, "2026-11-24T15:00+00:00")
    assert (found.trace_id, within) == (second, False)
    with pytest.raises(UsageError, match="nothing was recorded"):
        trace_at(log.folder, "2020-01-01")
    with pytest.raises(UsageError, match="not a moment"):
        parse_moment("tuesday")
    local, width = parse_moment("2026-11-24 14:14")
    assert local.tzinfo == UTC and width == timedelta(minutes=1)


def test_the_page_says_question_answer_sources_model_and_proof(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    log = make_log(tmp_path, clock=SetClock())
    monkeypatch.setenv("GROUNDED_STATE", str(log.state))
    trace_id = full_run(log, "What is \x1b[31mthe fee?")
    assert main(["explain", "--at", "2026-11-24T14:14+00:00", "--traces", str(log.folder)]) == 0
    page = capsys.readouterr().out
    for text in ("What is \\x1b[31mthe fee?", "0.03 %", "f.pdf, p. i, Fees", "grounded, confidence 0.98",
                 "claude-sonnet-4-5",
                 "intact, assurance L1", "d" * 64, "not that it is true"):  # fmt: skip
        assert text in page
    assert main(["explain", trace_id[:8], "--traces", str(log.folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["claims"][0]["sources"][0]["snippet"] == "0.03 %"
    assert main(["explain", "--traces", str(log.folder)]) == 2


def test_the_commands_list_show_and_compare(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = make_log(tmp_path)
    first, second = full_run(log, "one"), full_run(log, "two")
    traces = ["--traces", str(log.folder)]
    assert main(["trace", "list", *traces, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["total"] == 2
    assert main(["trace", "show", first, *traces, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["spans"]) == 4
    assert main(["trace", "show", first, *traces]) == 0
    assert main(["trace", "diff", first, second, *traces, "--json"]) == 0
    steps = json.loads(capsys.readouterr().out.splitlines()[-1])["steps"]
    assert (steps[0]["name"], steps[0]["outcome"]) == ("retrieve", "different")
    assert main(["trace", "show", "nope", *traces]) == 2


def test_steps_are_compared_but_for_what_never_repeats(tmp_path: Path) -> None:
    log = make_log(tmp_path)
    spans = read_trace(log.folder, full_run(log))
    again = [Step(s["name"], s["input"], {**s["output"], "elapsed_ms": 9}) for s in spans[1:]]
    assert [step.outcome for step in compare(spans, again)] == ["same", "same", "same"]
    again[0].output["hits"][0]["retrieval_confidence"] = 0.71  # type: ignore[index]
    changed = compare([*spans], [again[0], *again[1:2]])
    assert [step.outcome for step in changed][-1] == "missing"
    assert diff(spans, spans)[0].outcome == "same"
    more = compare(spans, [*again, Step("judge", {}, {})])
    assert more[-1] == ("judge", "added", ())


def test_otlp_carries_genai_and_openinference_names(tmp_path: Path) -> None:
    log = make_log(tmp_path)
    trace_id = full_run(log)
    document = otlp([read_trace(log.folder, trace_id)])
    assert json.loads(json.dumps(document)) == document
    spans = document["resourceSpans"][0]["scopeSpans"][0]["spans"]
    flat = {span["name"]: {item["key"]: item["value"] for item in span["attributes"]} for span in spans}
    assert flat["generate"]["gen_ai.response.model"] == {"stringValue": "claude-sonnet-4-5"}
    assert flat["generate"]["gen_ai.usage.input_tokens"] == {"intValue": "10"}
    assert flat["generate"]["openinference.span.kind"] == {"stringValue": "LLM"}
    assert flat["retrieve"]["retrieval.documents.0.document.id"] == {"stringValue": "c1"}
    assert flat["retrieve"]["retrieval.documents.0.document.score"] == {"doubleValue": 0.7}
    assert {span["traceId"] for span in spans} == {trace_id}
    root = next(span for span in spans if "parentSpanId" not in span)
    assert all(span["parentSpanId"] == root["spanId"] for span in spans if span is not root)
    ids = {span["name"]: int(span["endTimeUnixNano"]) - int(span["startTimeUnixNano"]) for span in spans}
    assert ids["generate"] == 2 * 10**9


def test_langfuse_gets_a_copy_only_when_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("langfuse")
    from langfuse import Langfuse
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    monkeypatch.delenv("LANGFUSE_PUBLIC_KEY", raising=False)
    assert not langfuse_export.enabled()
    monkeypatch.setenv("LANGFUSE_PUBLIC_KEY", "pk-test")
    assert langfuse_export.enabled()
    log = make_log(tmp_path)
    trace_id = full_run(log)
    exporter = InMemorySpanExporter()
    client = Langfuse(
        public_key="pk-test", secret_key="sk-test", base_url="http://127.0.0.1:9", span_exporter=exporter,
        tracer_provider=TracerProvider(),
    )  # fmt: skip
    assert langfuse_export.send(read_trace(log.folder, trace_id), client) == 4
    sent: dict[str, Any] = {span.name: span for span in exporter.get_finished_spans()}
    assert set(sent) == {"ask", "retrieve", "generate", "assemble"}
    assert {format(span.context.trace_id, "032x") for span in sent.values()} == {trace_id}
    assert "claude-sonnet-4-5" in str(sent["generate"].attributes)
    client.shutdown()


def test_a_copy_that_fails_costs_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LANGFUSE_PUBLIC_KEY", raising=False)
    assert langfuse_export.copy_if_asked(lambda: pytest.fail("not asked")) is None
    monkeypatch.setenv("LANGFUSE_PUBLIC_KEY", "pk-test")

    def unreadable() -> list[dict[str, Any]]:
        raise AuditError("no trace")

    assert "no trace" in str(langfuse_export.copy_if_asked(unreadable))


def test_a_hold_beats_an_erasure(tmp_path: Path) -> None:
    log = make_log(tmp_path)
    with log.open("ask", {"name": Erasable("Ann")}) as trace:
        pass
    hold(log.ledger, trace.trace_id, reason="case 1", actor="counsel")
    hold(log.ledger, trace.trace_id, reason="case 2", actor="counsel")
    release(log.ledger, trace.trace_id, reason="case 1 settled", actor="counsel")
    with pytest.raises(AuditError, match="hold"):
        erase(log.ledger, trace.trace_id, reason="request", actor="dpo")
    release(log.ledger, trace.trace_id, reason="settled", actor="counsel")
    with pytest.raises(UsageError, match="no hold"):
        release(log.ledger, trace.trace_id, reason="again", actor="counsel")
    with pytest.raises(UsageError, match="keeps no value"):
        erase(log.ledger, trace.trace_id, reason="request", actor="dpo", commits=["0" * 64])
    assert len(erase(log.ledger, trace.trace_id, reason="request", actor="dpo")) == 1
    assert erase(log.ledger, trace.trace_id, reason="request", actor="dpo") == []
    assert list((log.folder / "content").iterdir()) == []
    report = verify(log.folder, state=log.state)
    assert (report.verdict, [f.code for f in report.findings]) == ("intact", ["content_erased"])
    assert "$commit" in read_trace(log.folder, trace.trace_id)[0]["input"]["name"]


def test_an_interrupted_erasure_is_finished(tmp_path: Path) -> None:
    log = make_log(tmp_path)
    with log.open("ask", {"name": Erasable("Ann")}) as trace:
        pass
    kept = next((log.folder / "content").iterdir())
    blob = kept.read_bytes()
    erase(log.ledger, trace.trace_id, reason="request", actor="dpo")
    kept.write_bytes(blob)
    assert [f.code for f in verify(log.folder, state=log.state).findings] == ["erasure_unfinished"]
    make_log(tmp_path).recover()
    assert not kept.exists()


def test_access_and_exports_are_on_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = make_log(tmp_path)
    monkeypatch.setenv("GROUNDED_STATE", str(log.state))
    trace_id = full_run(log)
    log.note_access("read", "auditor", trace_id)
    receipt = tmp_path / "r.zip"
    words = ["receipt", trace_id, "-o", str(receipt), "--actor", "auditor", "--traces", str(log.folder)]
    assert main(words) == 0
    kinds = [(entry["action"], entry["actor"]) for entry in entries(log.folder) if entry["kind"] == "audit"]
    assert kinds == [("read", "auditor"), ("export", "auditor")]
    assert verify(log.folder, state=log.state).verdict == "intact"
