"""Every case at every level, by both verifiers; the controls; the data are what make.py gives."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from grounded import locations
from grounded.audit import layout
from grounded.audit.keys import remember_folder
from grounded.audit.reference import Place, verify_reference
from grounded.audit.report import Finding, Report
from grounded.audit.verify import Pin, save_pin, verify
from tests.attacks import make
from tests.attacks.suite import DATA, LEVELS, Published, published

CASES = published()
KEY = (DATA / "log.vkey").read_text("utf-8").strip()
PIN = json.loads((DATA / "pin.json").read_text("utf-8"))
SEVERITY = {"tampered": "error", "not_judged": "unknown", "intact": "note"}


def laid(case: Published, level: str, tmp_path: Path) -> Path:
    """What the verifier is pointed at: the attacked trace by itself, or the folder."""
    folder = tmp_path / "traces"
    folder.mkdir()
    case.lay(folder)
    if level != "single_file":
        return folder
    alone = tmp_path / "alone" / case.target
    alone.parent.mkdir()
    if os.path.lexists(folder / case.target):
        (folder / case.target).rename(alone)
    return alone


def state_with(tmp_path: Path, level: str) -> Path:
    """A state folder that knows the log's key, and its checkpoint where the level says so."""
    state = tmp_path / "state"
    known = layout.known_keys_path(state, PIN["origin"])
    known.parent.mkdir(parents=True)
    known.write_text(f"{KEY}\n", "utf-8")
    if level == "remembered":
        save_pin(state, Pin(PIN["origin"], PIN["size"], bytes.fromhex(PIN["root"])))
        remember_folder(state, tmp_path / "traces", PIN["origin"])
    return state


def first(report: Report) -> Finding | None:
    worst = SEVERITY[report.verdict]
    return next((finding for finding in report.findings if finding.severity == worst), None)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_verdict_of_every_case_at_every_level_by_both_verifiers(
    case: Published, level: str, tmp_path: Path
) -> None:
    expected = case.facts["verdicts"][level]
    path = laid(case, level, tmp_path)
    if not os.path.lexists(path):
        assert expected["verdict"] == "no_file"
        return
    report = verify(path, state=state_with(tmp_path, level), remember=False)
    assert report.verdict == expected["verdict"], report.findings
    found = first(report)
    if "code" in expected:
        assert found is not None
        assert (found.code, found.line) == (expected["code"], expected["line"])
        assert Path(found.file).name == Path(expected["file"]).name
    assert Counter(places(report)) == Counter(by_reference(path, level))


def places(report: Report) -> list[Place]:
    """Findings without their texts. Orphans are a note about crashes: the reference does not look for them."""
    return [(f.severity, f.code, f.file, f.line) for f in report.findings if not f.code.endswith("_orphan")]


def by_reference(path: Path, level: str) -> list[Place]:
    pin = (PIN["size"], bytes.fromhex(PIN["root"])) if level == "remembered" else None
    return verify_reference(path, key=None if level == "single_file" else KEY, pin=pin)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_control_proves_that_the_edit_landed(case: Published, tmp_path: Path) -> None:
    folder = case.lay(tmp_path)
    control, harmless = case.facts["control"], {"A91", "L01"}
    changed = bool(control["sha256"]) or bool(case.facts["special"]) or bool(case.facts["pad"])
    assert changed != (case.id in harmless)
    for name, digest in control["sha256"].items():
        assert digest["before"] != digest["after"]
        assert _sha256(DATA / "base" / name) == digest["before"]
        assert _sha256(folder / name) == digest["after"] or name in case.facts["pad"]


def _sha256(path: Path) -> str | None:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


def test_a_plain_chain_accepts_what_the_ledger_exists_for() -> None:
    blind = {case.id for case in CASES if case.facts["control"]["plain_chain"] == "accepts"}
    assert {"A07", "A08", "A10", "A11", "A15", "A23", "A29", "A55", "A57", "A59", "A85", "A87"} <= blind


def test_the_data_are_what_the_script_gives(tmp_path: Path) -> None:
    make.write(tmp_path)
    assert _tree(tmp_path) == _tree(DATA)


def _tree(folder: Path) -> dict[str, str | None]:
    return {str(path.relative_to(folder)): _sha256(path) for path in folder.rglob("*") if path.is_file()}


@pytest.mark.shared
def test_every_row_of_the_design_is_covered_with_its_verdicts() -> None:
    path = locations.shared() / "design" / "attacks.csv"
    if not path.is_file():
        pytest.skip(f"{path} is absent: set GROUNDED_SHARED")
    by_id = {case.id: case.facts["verdicts"] for case in CASES}
    columns = ("single_file", "directory_with_ledger_and_key", "with_remembered_checkpoint")
    with path.open(encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            wanted: list[dict[str, Any]] = [make.parse(row[column]) for column in columns]
            assert [by_id[row["id"]][level] for level in LEVELS] == wanted, row["id"]


def test_an_untouched_copy_is_intact(tmp_path: Path) -> None:
    shutil.copytree(DATA / "base", tmp_path / "traces")
    report = verify(tmp_path / "traces", state=state_with(tmp_path, "remembered"), remember=False)
    assert (report.verdict, report.assurance, report.findings) == ("intact", "L2", [])
