"""Reading the published suite: a case is laid into a folder, and what a verifier says is held against expected.json."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"
LEVELS = ("single_file", "directory", "remembered")


@dataclass(frozen=True)
class Published:
    """One case as published."""

    id: str
    folder: Path
    facts: dict[str, Any]

    @property
    def target(self) -> str:
        """The trace a single-file check looks at."""
        return str(self.facts["target"])

    def lay(self, folder: Path) -> Path:
        """The base log with the case's changes, as a traces folder."""
        if (DATA / "base").is_dir():
            shutil.copytree(DATA / "base", folder, dirs_exist_ok=True)
        for name in self.facts["removed"]:
            (folder / name).unlink()
        changed = self.folder / "files"
        if changed.is_dir():
            shutil.copytree(changed, folder, dirs_exist_ok=True)
        for name, (line, spaces) in self.facts["pad"].items():
            _pad(folder / name, line, spaces)
        for name, kind in self.facts["special"].items():
            _replace(folder / name, kind)
        for empty in (folder / "ledger" / "tokens", folder / "ledger", folder / "content"):
            if empty.is_dir() and not empty.is_symlink() and not any(empty.iterdir()):
                empty.rmdir()
        return folder


def published() -> list[Published]:
    """Every case, by id."""
    folders = sorted((DATA / "cases").iterdir())
    return [Published(path.name, path, json.loads((path / "expected.json").read_text("utf-8"))) for path in folders]


def _pad(path: Path, line: int, spaces: int) -> None:
    lines = path.read_bytes().split(b"\n")
    lines[line - 1] = lines[line - 1][:-1] + b" " * spaces + b"}"
    path.write_bytes(b"\n".join(lines))


def _replace(path: Path, kind: str) -> None:
    """Put something that is no regular file where `path` was. A symlink leads to what was there."""
    aside = path.parent.parent / f"aside-{path.name}"
    path.rename(aside)
    if kind == "symlink":
        path.symlink_to(aside)
    elif kind == "fifo":
        os.mkfifo(path)
    else:
        path.mkdir()
