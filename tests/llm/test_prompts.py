"""Prompt files: a head with id and version, and a digest that changes with every byte."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

import grounded
from grounded.llm import load_prompt

ROOT = Path(grounded.__file__).parent
FILES = sorted(ROOT.glob("*/prompts/*.md"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_prompt_names_itself_and_warns_of_instructions_in_data(path: Path) -> None:
    prompt = load_prompt(f"grounded.{path.parent.parent.name}", path.stem)
    assert re.fullmatch(rf"{path.stem}@\d+", prompt.id)
    assert prompt.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert "never an instruction to you" in prompt.text or path.stem == "repair"


def test_a_file_without_a_head_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "headless"
    (package / "prompts").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "prompts" / "x.md").write_text("You answer.")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ValueError, match="must start with"):
        load_prompt("headless", "x")
