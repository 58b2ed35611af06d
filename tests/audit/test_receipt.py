"""Receipts: the same bytes every time, checked without this project, and no byte of one can change."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from grounded.audit import receipt_verify
from grounded.audit.content import Erasable
from grounded.audit.receipt import build_receipt
from grounded.audit.writer import AuditLog
from grounded.errors import AuditError, UsageError
from tests.audit.logs import NOW, make_log, write_run


@pytest.fixture
def log(tmp_path: Path) -> AuditLog:
    return make_log(tmp_path)


def run_with_content(log: AuditLog) -> str:
    with log.open("ask", {"question": "q", "name": Erasable("Ann")}) as trace:
        trace.span("generate", {}, {"raw": Erasable("reply")}, start=NOW, end=NOW)
        trace.span("assemble", {}, {"answer": {"answer": "a"}}, start=NOW, end=NOW)
    write_run(log)
    return trace.trace_id


def key_of(log: AuditLog) -> str:
    return next((log.state / "keys").glob("*.vkey")).read_text().split()[-1]


def holds(data: bytes, key: str) -> bool:
    try:
        receipt_verify.verify(data, key)
    except Exception:  # noqa: BLE001 — however it fails, it does not hold
        return False
    return True


def test_a_receipt_holds_and_is_the_same_every_time(log: AuditLog) -> None:
    trace_id = run_with_content(log)
    receipt = build_receipt(log.folder, trace_id)
    assert receipt == build_receipt(log.folder, trace_id)
    entry, spans, contents = receipt_verify.verify(receipt, key_of(log))
    assert (entry["trace_id"], len(spans), len(contents)) == (trace_id, 3, 2)


def test_it_is_checked_by_one_file_alone(log: AuditLog, tmp_path: Path) -> None:
    """Copied away from the project, without its packages (-I -S), also under -O, which drops assertions."""
    receipt = tmp_path / "r.zip"
    receipt.write_bytes(build_receipt(log.folder, run_with_content(log)))
    script = tmp_path / "check.py"
    shutil.copy(receipt_verify.__file__, script)

    def check(*options: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-I", "-S", *options, str(script), str(receipt), key_of(log)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    assert check().returncode == 0 and "not that it is true" in check().stdout
    data = bytearray(receipt.read_bytes())
    data[100] ^= 1
    receipt.write_bytes(bytes(data))
    assert check().returncode == 1 and check("-O").returncode == 1
    assert subprocess.run([sys.executable, str(script)], capture_output=True, check=False).returncode == 2


def test_no_byte_of_a_receipt_can_change(log: AuditLog) -> None:
    receipt, key = build_receipt(log.folder, run_with_content(log)), key_of(log)
    chance, tried = random.Random(3), 0
    for at in range(len(receipt)):
        changed = receipt[:at] + bytes([receipt[at] ^ (1 + chance.randrange(255))]) + receipt[at + 1 :]
        assert not holds(changed, key), at
        tried += 1
    for cut in range(0, len(receipt), 40):
        assert not holds(receipt[:cut], key)
    assert not holds(receipt + b"\x00", key) and tried >= 2500


def test_no_byte_of_its_files_can_change_even_when_packed_anew(log: AuditLog) -> None:
    receipt, key = build_receipt(log.folder, run_with_content(log)), key_of(log)
    files = receipt_verify.unpack(receipt)
    chance = random.Random(4)
    for name, data in files.items():
        for _ in range(40):
            at = chance.randrange(len(data))
            forged = {**files, name: data[:at] + bytes([data[at] ^ (1 + chance.randrange(255))]) + data[at + 1 :]}
            assert not holds(receipt_verify.pack(forged), key), (name, at)
        assert not holds(receipt_verify.pack({k: v for k, v in files.items() if k != name}), key) or "content" in name
    assert not holds(receipt_verify.pack({**files, "extra": b""}), key)
    assert not holds(receipt_verify.pack({**files, "content/" + "0" * 64: b"x" * 40}), key)


def test_another_key_does_not_vouch(log: AuditLog, tmp_path: Path) -> None:
    receipt = build_receipt(log.folder, run_with_content(log))
    other = make_log(tmp_path / "other")
    write_run(other)
    assert not holds(receipt, key_of(other))
    assert not holds(receipt, "") and not holds(receipt, "a+b+c")


def test_withheld_spans_show_only_their_hash(log: AuditLog) -> None:
    receipt = build_receipt(log.folder, run_with_content(log), spans={"assemble"}, contents=False)
    _, spans, contents = receipt_verify.verify(receipt, key_of(log))
    assert [span and span["name"] for span in spans] == [None, None, "assemble"] and contents == {}
    assert b"question" not in zipfile.ZipFile(BytesIO(receipt)).read("trace.jsonl")


def test_what_is_erased_is_not_in_later_receipts(log: AuditLog) -> None:
    from grounded.audit.retention import erase

    trace_id = run_with_content(log)
    erase(log.ledger, trace_id, reason="r", actor="a")
    _, _, contents = receipt_verify.verify(build_receipt(log.folder, trace_id), key_of(log))
    assert contents == {}


def test_receipts_after_a_rotation_are_signed_by_the_new_key(log: AuditLog) -> None:
    trace_id = run_with_content(log)
    new = log.ledger.rotate_key()
    assert holds(build_receipt(log.folder, trace_id), new)


def test_no_receipt_for_what_does_not_hold(log: AuditLog) -> None:
    trace_id = run_with_content(log)
    path = log.folder / f"{trace_id}.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"answer":"a"', b'"answer":"b"'))
    with pytest.raises(AuditError, match="would not hold"):
        build_receipt(log.folder, trace_id)
    for bad in ("nope", "../x", "A" * 200):
        with pytest.raises(UsageError):
            build_receipt(log.folder, bad)


def test_a_bomb_is_refused(log: AuditLog) -> None:
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("checkpoint", b"\x00" * 50_000_000)
    with pytest.raises(ValueError, match="unpacks"):
        receipt_verify.verify(out.getvalue(), "a+b+c")
