"""Writing: durable before it is told, sealed when it is closed, honest when it cannot be."""

from __future__ import annotations

import json
import math
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grounded.audit.canonical import canonical
from grounded.audit.content import Erasable
from grounded.audit.reader import entries, raw_spans, read_trace
from grounded.audit.verify import verify
from grounded.errors import AuditError, Cancelled
from grounded.types import Usage
from tests.audit.logs import BROKEN_DISK, NO_SPACE, NOW, Counting, Quick, SetClock, make_log, write_run


def test_a_span_is_on_disk_before_its_id_is_returned(tmp_path: Path) -> None:
    log = make_log(tmp_path)
    with log.open("ask", {"question": "q"}) as trace:
        assert [span["name"] for span in raw_spans(trace.path)] == ["ask"]
        span_id = trace.span("retrieve", {}, {}, start=NOW, end=NOW)
        assert [span["span_id"] for span in raw_spans(trace.path)] == [trace.root_id, span_id]
        assert [span["span_id"] for span in trace.spans] == [trace.root_id, span_id]


def test_our_files_are_canonical_lines_and_owner_only(tmp_path: Path) -> None:
    log = make_log(tmp_path)
    trace = write_run(log, "Où est le « café » ? \ud800")
    lines = trace.path.read_bytes().split(b"\n")
    assert lines.pop() == b""
    assert all(canonical(json.loads(line)) == line for line in lines)
    assert trace.path.stat().st_mode & 0o007 == 0
    assert all(path.stat().st_mode & 0o077 == 0 for path in (tmp_path / "state").rglob("*") if path.is_file())


def test_ids_cannot_be_guessed_and_are_safe_names(tmp_path: Path) -> None:
    log = make_log(tmp_path)
    ids = {log.new_trace_id() for _ in range(1000)}
    assert len(ids) == 1000
    assert all(len(trace_id) == 32 and trace_id.isalnum() for trace_id in ids)


def test_what_was_recorded_reads_back(tmp_path: Path) -> None:
    given: dict[str, Any] = {
        "usage": Usage(input_tokens=3),
        "array": np.array([[1.5, 2.0]]),
        "one": np.float32(0.5),
        "nan": math.nan,
        "large": 2**60,
        "path": Path("a/b"),
        "when": datetime(2026, 1, 2, tzinfo=UTC),
        "tuple": (1, (2,)),
        3: "three",
        "$commit": "not one",
        "surrogate": "a\ud800b\ud83d\ude00",
    }
    log = make_log(tmp_path)
    with log.open("ask", {}) as trace:
        trace.span("x", given, {"$log": {"$commit": "0" * 64, "bytes": 3}}, start=NOW, end=NOW)
    span = read_trace(log.folder, trace.trace_id)[1]
    assert span["input"] == {
        "usage": Usage(input_tokens=3).model_dump(mode="json"),
        "array": [[1.5, 2.0]],
        "one": 0.5,
        "nan": "nan",
        "large": str(2**60),
        "path": "a/b",
        "when": "2026-01-02T00:00:00.000000Z",
        "tuple": [1, [2]],
        "3": "three",
        "$commit": "not one",
        "surrogate": "a\ufffdb😀",
    }
    assert span["output"] == {"$log": {"$commit": "0" * 64, "bytes": 3}}
    assert verify(log.folder, state=log.state).verdict == "intact"


def test_large_and_erasable_values_are_kept_beside_the_log(tmp_path: Path) -> None:
    log = make_log(tmp_path, erasable=("question",))
    with log.open("ask", {"question": "who?"}) as trace:
        trace.span("x", {"text": "x" * 17_000, "name": Erasable({"n": ["Ann"]})}, {"short": "y"}, start=NOW, end=NOW)
    root, span = raw_spans(trace.path)
    assert root["input"]["question"].keys() == {"$commit", "bytes"}
    assert span["input"]["text"] == {"$commit": span["input"]["text"]["$commit"], "bytes": 17_002}
    assert b"Ann" not in trace.path.read_bytes() and b"who?" not in trace.path.read_bytes()
    opened = read_trace(log.folder, trace.trace_id)
    assert opened[0]["input"]["question"] == "who?"
    assert opened[1]["input"] == {"text": "x" * 17_000, "name": {"n": ["Ann"]}}
    assert verify(log.folder, state=log.state).verdict == "intact"


def test_two_equal_values_have_unlike_commitments(tmp_path: Path) -> None:
    log = make_log(tmp_path)
    with log.open("ask", {}) as trace:
        trace.span("x", {"a": Erasable("Ann"), "b": Erasable("Ann")}, {}, start=NOW, end=NOW)
    span = list(raw_spans(trace.path))[1]
    assert span["input"]["a"]["$commit"] != span["input"]["b"]["$commit"]


def test_encrypted_content_opens_with_the_key_only(tmp_path: Path) -> None:
    log = make_log(tmp_path, encrypt_content=True)
    with log.open("ask", {}) as trace:
        trace.span("x", {"name": Erasable("Ann Example")}, {}, start=NOW, end=NOW)
    kept = next((log.folder / "content").iterdir())
    assert b"Ann" not in kept.read_bytes()
    assert read_trace(log.folder, trace.trace_id, state=log.state)[1]["input"] == {"name": "Ann Example"}
    assert "$commit" in read_trace(log.folder, trace.trace_id)[1]["input"]["name"]
    assert verify(log.folder, state=log.state).verdict == "intact"
    without = verify(log.folder)
    assert without.verdict == "intact" and any("encrypted" in item for item in without.not_checked)
    kept.write_bytes(kept.read_bytes()[:-1] + b"\x00")
    assert {f.code for f in verify(log.folder, state=log.state).findings} == {"content_altered"}


def test_content_that_is_not_stored_is_only_committed_to(tmp_path: Path) -> None:
    log = make_log(tmp_path, store_content=False)
    with log.open("ask", {}) as trace:
        trace.span("x", {"name": Erasable("Ann")}, {}, start=NOW, end=NOW)
    assert not (log.folder / "content").exists()
    report = verify(log.folder, state=log.state)
    assert (report.verdict, [f.code for f in report.findings]) == ("intact", ["content_not_kept"])


@pytest.mark.parametrize(
    ("error", "status"),
    [(None, "ok"), (ValueError("x"), "error"), (Cancelled("stop"), "cancelled"), (KeyboardInterrupt(), "cancelled")],
)
def test_how_a_run_ended_is_sealed(tmp_path: Path, error: BaseException | None, status: str) -> None:
    log = make_log(tmp_path)
    try:
        with log.open("ask", {}):
            if error:
                raise error
    except BaseException as caught:  # noqa: BLE001 — also what Ctrl-C raises
        assert caught is error
    close = [entry for entry in entries(log.folder) if entry["kind"] == "trace.close"]
    assert [entry["status"] for entry in close] == [status]
    assert verify(log.folder, state=log.state).verdict == "intact"


def test_a_step_that_fails_is_recorded_with_its_error(tmp_path: Path) -> None:
    log = make_log(tmp_path)
    with log.open("ask", {}) as trace, pytest.raises(ValueError), trace.step("verify", {"n": 1}) as step:
        step.output, step.reasoning = {"so_far": 1}, "half-way"
        raise ValueError("no")
    span = list(raw_spans(trace.path))[1]
    assert span["output"] == {"so_far": 1, "error": {"type": "ValueError", "message": "no"}}
    assert (span["name"], span["reasoning"], span["parent_id"]) == ("verify", "half-way", trace.root_id)


def test_a_closed_trace_takes_nothing_more(tmp_path: Path) -> None:
    trace = write_run(make_log(tmp_path))
    trace.close()
    with pytest.raises(AuditError):
        trace.span("late", {}, {}, start=NOW, end=NOW)


@pytest.mark.parametrize("strike", [NO_SPACE, BROKEN_DISK])
def test_fail_closed_raises_and_seals_an_error(tmp_path: Path, strike: Any) -> None:
    files = Counting()
    log = make_log(tmp_path, files=files)
    trace = log.open("ask", {})
    files._at, files._strike, files._half = files.count + 1, strike, True
    with pytest.raises(AuditError):
        trace.span("x", {}, {}, start=NOW, end=NOW)
    trace.close("ok")
    close = [entry for entry in entries(log.folder) if entry["kind"] == "trace.close"]
    assert [(entry["status"], entry["n"]) for entry in close] == [("error", 1)]
    assert verify(log.folder, state=log.state).verdict == "intact"


def test_fail_open_goes_on_and_confesses(tmp_path: Path) -> None:
    files = Counting()
    log = make_log(tmp_path, files=files, fail_closed=False)
    with log.open("ask", {}) as trace:
        files._at, files._strike = files.count + 1, NO_SPACE
        trace.span("x", {}, {}, start=NOW, end=NOW)
        trace.span("y", {}, {}, start=NOW, end=NOW)
        assert trace.failed
    write_run(log)
    beats = [entry["dropped_writes"] for entry in entries(log.folder) if entry["kind"] == "heartbeat"]
    assert beats == [2]
    assert verify(log.folder, state=log.state).verdict == "intact"


def test_fail_open_answers_even_when_nothing_can_be_created(tmp_path: Path) -> None:
    log = make_log(tmp_path, fail_closed=False)
    (tmp_path / "traces").write_text("a file where the folder should be")
    with log.open("ask", {}) as trace:
        trace.span("x", {}, {}, start=NOW, end=NOW)
    assert trace.failed and trace.spans == ()
    with pytest.raises(AuditError):
        make_log(tmp_path).open("ask", {})


def test_clock_jumps_are_recorded(tmp_path: Path) -> None:
    clock = SetClock()
    log = make_log(tmp_path, clock=clock)
    write_run(log)
    clock.jump(3600)
    write_run(log)
    clock.jump(-7200)
    write_run(log)
    jumps = [entry["clock_jump_ms"] for entry in entries(log.folder) if "clock_jump_ms" in entry]
    assert len(jumps) == 2 and 3_590_000 < jumps[0] < 3_610_000 and -7_210_000 < jumps[1] < -7_190_000
    report = verify(log.folder, state=log.state)
    assert (report.verdict, report.findings) == ("intact", [])


def test_a_clock_set_back_between_two_processes_is_recorded(tmp_path: Path) -> None:
    write_run(make_log(tmp_path, clock=SetClock()))
    earlier = SetClock()
    earlier.jump(-86_400)
    write_run(make_log(tmp_path, clock=earlier))
    jumps = [entry["clock_jump_ms"] for entry in entries(tmp_path / "traces") if "clock_jump_ms" in entry]
    assert len(jumps) == 1 and jumps[0] < -86_000_000


def test_the_log_beats_every_hour(tmp_path: Path) -> None:
    clock = SetClock()
    log = make_log(tmp_path, clock=clock)
    write_run(log)
    clock.ticks, clock.wall = clock.ticks + 4000, clock.wall.replace(hour=15, minute=40)
    write_run(log)
    write_run(log)
    assert [entry["kind"] for entry in entries(log.folder)].count("heartbeat") == 1


def test_a_symlink_in_the_way_is_not_followed(tmp_path: Path) -> None:
    log = make_log(tmp_path)
    write_run(log)
    outside = tmp_path / "outside"
    outside.write_bytes((log.folder / "ledger/entries.jsonl").read_bytes())
    (log.folder / "ledger/entries.jsonl").unlink()
    (log.folder / "ledger/entries.jsonl").symlink_to(outside)
    before = outside.read_bytes()
    with pytest.raises(AuditError):
        write_run(make_log(tmp_path))
    assert outside.read_bytes() == before


@pytest.mark.parametrize("name", ["ledger/entries.jsonl", "ledger/checkpoints"])
def test_nothing_is_added_to_a_ledger_that_was_tampered_with(tmp_path: Path, name: str) -> None:
    log = make_log(tmp_path)
    write_run(log)
    path = log.folder / name
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data) if name.endswith("jsonl") else path.read_bytes()[:-20] + b"A" * 19 + b"\n")
    before = path.read_bytes()
    with pytest.raises(AuditError, match="does not verify"):
        write_run(make_log(tmp_path))
    assert path.read_bytes() == before


def test_a_lost_key_stops_the_writer_and_says_what_to_do(tmp_path: Path) -> None:
    write_run(make_log(tmp_path))
    for path in (tmp_path / "state/keys").glob("*.key"):
        path.unlink()
    with pytest.raises(AuditError, match="Restore it"):
        write_run(make_log(tmp_path))


def test_a_new_log_in_the_place_of_an_old_one_says_so(tmp_path: Path) -> None:
    log = make_log(tmp_path)
    write_run(log)
    verify(log.folder, state=log.state)
    log.folder.rename(tmp_path / "gone")
    write_run(make_log(tmp_path))
    report = verify(log.folder, state=log.state)
    assert (report.verdict, [f.code for f in report.findings]) == ("intact", ["log_replaced"])


def test_one_writer_a_process_and_a_folder_that_goes_away(tmp_path: Path) -> None:
    import shutil

    from grounded.audit.writer import shared_log
    from grounded.settings import AuditSettings

    made = [shared_log(tmp_path / "traces", state=tmp_path / "state", settings=AuditSettings()) for _ in range(2)]
    assert made[0] is made[1]
    write_run(made[0])
    shutil.rmtree(made[0].folder)
    write_run(made[0])
    report = verify(made[0].folder, state=made[0].state)
    assert (report.verdict, report.traces, [f.code for f in report.findings]) == ("intact", 1, ["log_replaced"])


def test_writing_really_waits_for_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[int] = []
    monkeypatch.setattr(os, "fsync", waits.append)
    from grounded.audit.files import Files

    log = make_log(tmp_path, files=Files())
    write_run(log)
    first = len(waits)
    trace = log.open("ask", {})
    opened = len(waits)
    trace.span("x", {}, {}, start=NOW, end=NOW)
    assert len(waits) == opened + 1
    trace.close()
    assert len(waits) == opened + 1 + 3 and first >= 9
    assert isinstance(Quick(), Files)
