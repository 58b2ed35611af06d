"""The committed log verifies with nothing but its public key."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from grounded.audit.verify import verify_file, verify_folder
from grounded.cli import main

SAMPLES = Path(__file__).resolve().parent.parent / "traces" / "samples"
KEY = re.findall(r"--key '([^']+)'", (SAMPLES / "README.md").read_text("utf-8"))[0]


def test_the_folder_is_intact_under_its_key() -> None:
    report = verify_folder(SAMPLES, key=KEY, remember=False)
    assert (report.verdict, report.assurance) == ("intact", "L1")


@pytest.mark.parametrize("trace", sorted(SAMPLES.glob("*.jsonl")), ids=lambda path: path.stem[:8])
def test_each_chain_is_intact_alone(trace: Path) -> None:
    assert verify_file(trace).verdict == "intact"


def test_the_command_the_readme_gives(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify-log", str(SAMPLES), "--key", KEY, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"] == "intact"
