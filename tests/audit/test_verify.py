"""Verifying: other writers' files, what is and is not checked, memory, exit codes, and things that must not hang."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from grounded.audit.canonical import span_hash
from grounded.audit.reference import verify_reference
from grounded.audit.verify import verify, verify_file
from grounded.cli import main
from tests.attacks.log import rechain, render
from tests.audit.logs import NOW, make_log, write_run

ROOT = Path(__file__).resolve().parents[2]


def foreign(count: int = 4) -> list[dict[str, Any]]:
    """A trace as another program writes it: spans at their end, the root last, offsets instead of Z."""
    spans = []
    for index in range(count):
        last = index == count - 1
        spans.append(
            {
                "span_id": "root" if last else f"s{index}",
                "parent_id": None if last else "root",
                "trace_id": "foreign-1",
                "name": "nœud",
                "start": "2026-11-24T14:14:00+01:00",
                "end": "2026-11-24T14:14:01.5+01:00",
                "input": {"q": "Où ?", "big": 2**60},
                "output": {"score": 1e-07, "x": [1e16, -0.0]},
                "reasoning": "parce que",
            }
        )
    return rechain(spans)


@pytest.mark.parametrize(
    "style",
    [
        {},
        {"ensure_ascii": False},
        {"ensure_ascii": False, "separators": (",", ":")},
        {"indent": None, "separators": (", ", ":")},
    ],
)
def test_files_by_other_writers_verify_and_their_form_is_a_note(tmp_path: Path, style: dict[str, Any]) -> None:
    path = tmp_path / "foreign-1.jsonl"
    path.write_bytes(b"".join(json.dumps(span, **style).encode() + b"\n" for span in foreign()))
    report = verify(path)
    assert (report.verdict, report.assurance, report.spans) == ("intact", "L0", 4)
    assert [finding.code for finding in report.findings] == ["form"]
    assert "completeness: no ledger" in report.not_checked
    assert verify(tmp_path).verdict == "intact"


def test_canonical_files_by_other_writers_have_no_note(tmp_path: Path) -> None:
    path = tmp_path / "foreign-1.jsonl"
    path.write_bytes(render(foreign()))
    assert (verify(path).verdict, verify(path).findings) == ("intact", [])


def test_one_odd_line_among_canonical_ones_is_tampering(tmp_path: Path) -> None:
    lines = render(foreign()).split(b"\n")
    lines[1] = json.dumps(json.loads(lines[1])).encode()
    path = tmp_path / "foreign-1.jsonl"
    path.write_bytes(b"\n".join(lines))
    assert [(f.code, f.line) for f in verify(path).findings] == [("non_canonical_bytes", 2)]


def test_the_rule_of_the_format_is_the_one_of_the_paper(tmp_path: Path) -> None:
    import hashlib

    span = foreign(1)[0]
    body = {key: value for key, value in span.items() if key not in ("prev_hash", "this_hash")}
    text = "0" * 64 + json.dumps(body, sort_keys=True, separators=(",", ":"))
    assert span["this_hash"] == hashlib.sha256(text.encode("utf-8")).hexdigest() == span_hash("0" * 64, span)


def test_a_file_beside_its_ledger_is_held_against_its_seal(tmp_path: Path) -> None:
    log = make_log(tmp_path)
    trace = write_run(log)
    assert verify_file(trace.path, state=log.state).assurance == "L1"
    lines = trace.path.read_bytes().split(b"\n")
    trace.path.write_bytes(b"\n".join(lines[:2]) + b"\n")
    report = verify_file(trace.path, state=log.state)
    assert (report.verdict, report.findings[0].code) == ("tampered", "trace_truncated")
    unknown = verify_file(trace.path)
    assert unknown.verdict == "intact" and any("key of the ledger" in item for item in unknown.not_checked)
    entries = log.folder / "ledger/entries.jsonl"
    entries.write_bytes(entries.read_bytes().replace(b'"seq":1', b'"seq":9'))
    broken = verify_file(trace.path, state=log.state)
    assert broken.verdict == "intact" and any("does not verify" in item for item in broken.not_checked)


def test_a_foreign_file_in_our_folder_verifies_alone_and_is_foreign_to_the_folder(tmp_path: Path) -> None:
    log = make_log(tmp_path)
    write_run(log)
    (log.folder / "foreign-1.jsonl").write_bytes(render(foreign()))
    alone = verify_file(log.folder / "foreign-1.jsonl", state=log.state)
    assert alone.verdict == "intact" and any("does not list" in item for item in alone.not_checked)
    assert verify(log.folder, state=log.state).findings[0].code == "trace_not_in_ledger"


def test_a_trace_torn_from_its_log_says_where_it_belongs(tmp_path: Path) -> None:
    log = make_log(tmp_path)
    trace = write_run(log)
    shutil.copy(trace.path, tmp_path)
    report = verify_file(tmp_path / trace.path.name)
    assert any(log.ledger.origin in item for item in report.not_checked)


def test_levels_rise_with_what_is_known(tmp_path: Path) -> None:
    log = make_log(tmp_path)
    write_run(log)
    key = next((log.state / "keys").glob("*.vkey")).read_text().strip()
    assert verify(log.folder).assurance == "L0"
    assert verify(log.folder, key=key).assurance == "L1"
    assert verify(log.folder, state=log.state, remember=False).assurance == "L1"
    assert verify(log.folder, state=log.state).assurance == "L1"
    assert verify(log.folder, state=log.state).assurance == "L2"
    write_run(log)
    assert verify(log.folder, state=log.state).assurance == "L2"
    stranger = "grounded.example/log/n+" + key.split("+", 1)[1]
    with pytest.raises(Exception, match="verifier key"):
        verify(log.folder, key=stranger)
    other = make_log(tmp_path / "other")
    write_run(other)
    wrong = next((other.state / "keys").glob("*.vkey"))
    assert verify(log.folder, key=str(wrong)).findings[0].code == "checkpoint_untrusted_key"


def test_memory_goes_forward_only_and_is_not_moved_by_a_bad_state(tmp_path: Path) -> None:
    log = make_log(tmp_path)
    write_run(log)
    shutil.copytree(log.folder, tmp_path / "old")
    write_run(log)
    assert verify(log.folder, state=log.state).verdict == "intact"
    shutil.rmtree(log.folder)
    shutil.copytree(tmp_path / "old", log.folder)
    for _ in range(2):
        report = verify(log.folder, state=log.state)
        assert [f.code for f in report.findings] == ["rollback"]


def test_after_a_rotation_the_old_key_and_the_new_are_both_followed(tmp_path: Path) -> None:
    log = make_log(tmp_path)
    write_run(log)
    old = next((log.state / "keys").glob("*.vkey")).read_text().strip()
    new = log.ledger.rotate_key()
    write_run(log)
    write_run(make_log(tmp_path))
    for key in (old, new):
        assert (verify(log.folder, key=key).verdict, verify(log.folder, key=key).assurance) == ("intact", "L1")
    assert verify(log.folder, state=log.state).verdict == "intact"


def test_every_single_byte_of_a_small_log_counts(tmp_path: Path) -> None:
    """Each byte of each file changed in turn: never intact, never a crash. bench.audit tries every other value."""
    log = make_log(tmp_path, erasable=("actor",))
    with log.open("ask", {"question": "Où ?", "actor": "a"}) as trace:
        trace.span("x", {}, {"score": 0.5}, start=NOW, end=NOW)
    verify(log.folder, state=log.state)
    tried = 0
    for path in sorted(log.folder.rglob("*")):
        data = path.read_bytes() if path.is_file() else b""
        for at in range(len(data)):
            path.write_bytes(data[:at] + bytes([data[at] ^ (1 << at % 8)]) + data[at + 1 :])
            report = verify(log.folder, state=log.state, remember=False)
            assert report.verdict != "intact", (path.name, at)
            tried += 1
        if data:
            path.write_bytes(data)
    assert tried > 2000
    assert verify(log.folder, state=log.state).verdict == "intact"


@pytest.mark.parametrize(
    "content",
    [b"\x00" * 3000, b"{" * 200_000, b"[" * 3_000_000 + b"\n", b'"' + b"\\" * 100_000 + b'"\n', b"\n" * 50_000],
)
def test_hostile_files_get_a_verdict(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "A.jsonl"
    path.write_bytes(content)
    report = verify(path)
    assert report.verdict in ("tampered", "not_judged")
    assert len(report.findings) <= 3000
    reference = {(code, line) for _, code, _, line in verify_reference(path)}
    assert {(f.code, f.line) for f in report.findings} <= reference


def test_a_line_of_a_hundred_megabytes_gets_a_verdict_in_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "A.jsonl"
    with path.open("wb") as stream:
        stream.truncate(100_000_000)
        stream.seek(0, os.SEEK_END)
        stream.write(b"\n")
    report = verify(path)
    assert (report.verdict, report.findings[0].code) == ("not_judged", "line_too_long")


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir, lambda path: path.symlink_to("/dev/zero")])
@pytest.mark.parametrize(
    "name", ["A.jsonl", "ledger", "ledger/entries.jsonl", "ledger/checkpoints", "content", "ledger/lock"]
)
def test_what_is_no_file_never_hangs(tmp_path: Path, make: Any, name: str) -> None:
    log = make_log(tmp_path)
    trace = write_run(log)
    path = log.folder / (trace.path.name if name == "A.jsonl" else name)
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    make(path)
    report = verify(log.folder, state=log.state)
    assert (
        report.verdict in ("tampered", "intact") if name in ("content", "ledger/lock") else report.verdict == "tampered"
    )
    if name == "A.jsonl":
        assert verify(path).verdict == "tampered"


def test_file_names_that_are_no_ids_are_only_names(tmp_path: Path) -> None:
    log = make_log(tmp_path)
    write_run(log)
    for name in ("-rf.jsonl", "a b.jsonl", "\u202egnp.jsonl", "\x1b[31m.jsonl", ".jsonl"):
        (log.folder / name).write_bytes(b"x\n")
    report = verify(log.folder, state=log.state)
    assert report.verdict == "tampered"
    assert all(text.isprintable() for text in map(str, report.findings))


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)


def test_exit_codes_and_json(tmp_path: Path, capsys: pytest.CaptureFixture[str], private_state: Path) -> None:
    log = make_log(tmp_path)
    trace = write_run(log)
    assert main(["verify-log", str(log.folder), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert {"verdict", "assurance", "spans", "findings", "not_checked"} <= document.keys()
    with trace.path.open("ab") as stream:
        stream.write(b"{")
    assert main(["verify-log", str(log.folder), "--json"]) == 1
    finding = json.loads(capsys.readouterr().out)["findings"][0]
    assert finding.keys() == {"severity", "code", "file", "line", "expected", "found"}
    shutil.copy(trace.path, tmp_path)
    assert main(["verify-log", str(tmp_path / trace.path.name)]) == 2
    assert main(["verify-log", str(tmp_path / "nothing")]) == 3
    assert main(["verify-log", str(log.folder), "--key", "nonsense"]) in (2, 3)
    with pytest.raises(SystemExit) as stopped:
        main(["verify-log"])
    assert stopped.value.code == 3
    assert list(private_state.iterdir()) == []


def test_verifying_loads_nothing_heavy(tmp_path: Path) -> None:
    path = tmp_path / "foreign-1.jsonl"
    path.write_bytes(render(foreign()))
    code = (
        "import sys; from grounded.cli import main; main(['verify-log', sys.argv[1], '--json']);"
        "bad = [m for m in ('pydantic', 'numpy', 'streamlit', 'torch', 'lancedb', 'anthropic', 'langgraph', 'pymupdf',"
        " 'cryptography', 'filelock', 'http.client') if m in sys.modules]; sys.exit(repr(bad) if bad else 0)"
    )
    done = run("-c", code, str(path))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["verdict"] == "intact"
