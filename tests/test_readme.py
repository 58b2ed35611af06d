"""What README.md says must be so."""

from __future__ import annotations

import re
from pathlib import Path

from bench.__main__ import readme_block
from grounded.cli import COMMANDS

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def test_the_figures_are_those_that_were_recorded() -> None:
    block = README.split("<!-- figures -->\n")[1].split("<!-- /figures -->")[0]
    assert block.strip()
    assert block == readme_block()


def test_every_command_it_names_exists() -> None:
    named = set(re.findall(r"python -m grounded ([a-z][a-z-]+)", README))
    assert named
    assert named <= set(COMMANDS)


def test_every_file_it_points_to_exists() -> None:
    targets = re.findall(r"\]\((?!http)([^)#]+)\)", README)
    assert targets
    assert [target for target in targets if not (ROOT / target).exists()] == []


def test_nobody_is_told_to_install_somebody_elses_package() -> None:
    for path in [
        ROOT / "README.md",
        ROOT / "Makefile",
        *(ROOT / "docs").glob("*.md"),
        *(ROOT / "grounded").rglob("*.py"),
    ]:
        assert not re.search(r"pip install +grounded\b", path.read_text("utf-8")), path
