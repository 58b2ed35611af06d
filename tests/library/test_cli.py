"""`index` and `library` by contracts.md: exit codes, one JSON document on stdout, every failed file named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from grounded.cli import main


def run(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, Any, str]:
    """Exit code, the JSON document on stdout (None when it is empty), and stderr."""
    code = main([str(word) for word in words])
    out, err = capsys.readouterr()
    return code, json.loads(out) if out.strip() else None, err


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    made = pymupdf.open()
    made.new_page().insert_text((72, 72), "The ferry leaves at nine.")
    made.new_page()
    made.save(tmp_path / "ferry.pdf")
    return tmp_path / "ferry.pdf"


def test_index_list_rename_remove(capsys: pytest.CaptureFixture[str], tmp_path: Path, sample: Path) -> None:
    library = ("--library", tmp_path / "lib", "--json")
    code, said, err = run(capsys, "index", sample, *library)
    assert (code, said["failed"], said["total"]) == (0, 0, 1)
    assert said["files"][0]["coverage"]["pages"] == 2
    assert "1 of 2 pages readable" in err
    code, listed, _ = run(capsys, "library", *library)
    [document] = listed["documents"]
    assert code == 0
    assert {"id", "names", "pages", "readable_pages", "chunks", "extractor", "added"} <= document.keys()
    assert run(capsys, "library", "rename", "ferry.pdf", "boat.pdf", *library)[1]["name"] == "boat.pdf"
    assert run(capsys, "library", "verify", *library)[:2] == (0, {"documents": 1, "findings": []})
    assert run(capsys, "library", "remove", document["id"], *library)[0] == 0
    assert run(capsys, "library", *library)[1]["documents"] == []


def test_a_bad_file_is_named_with_its_error(capsys: pytest.CaptureFixture[str], tmp_path: Path, sample: Path) -> None:
    (tmp_path / "bad.pdf").write_bytes(b"<html>")
    code, said, err = run(capsys, "index", tmp_path, "--library", tmp_path / "lib", "--json")
    assert code == 1
    assert {Path(f["path"]).name: (f["error"] or {}).get("type") for f in said["files"]} == {
        "bad.pdf": "NotAPdf",
        "ferry.pdf": None,
    }
    assert "bad.pdf" in err
    assert "NotAPdf" in err


def test_a_cluster_that_is_not_there_is_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, sample: Path
) -> None:
    ray = ("--engine", "ray", "--address", "127.0.0.1:1")
    code, said, err = run(capsys, "index", sample, *ray, "--library", tmp_path / "lib", "--json")
    assert (code, said["error"]["type"]) == (1, "LibraryError")
    assert err.startswith("LibraryError: 127.0.0.1:1: no Ray cluster answers there") and err.count("\n") == 1


def test_wrong_calls(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    library = ("--library", tmp_path / "lib", "--json")
    assert run(capsys, "index", tmp_path / "nowhere.pdf", *library)[0] == 2
    assert run(capsys, "library", "remove", *library)[0] == 2
    code, said, _ = run(capsys, "library", "remove", "nothing.pdf", *library)
    assert (code, said["error"]["type"]) == (1, "LibraryError")
    (tmp_path / "none").mkdir()
    code, said, _ = run(capsys, "index", tmp_path / "none", *library)
    assert (code, said["total"]) == (1, 0)
