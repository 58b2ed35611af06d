"""Sets: what a line may be, how a part is chosen, and every loader over the public folder."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from grounded.errors import UsageError
from grounded.evaluation import sets
from grounded.evaluation.cases import GoldCase, GoldSet, Sheet, Size, held_out, read_cases, read_set, sample
from grounded.evaluation.catalogue import METRICS
from grounded.evaluation.summary import stage_of


def written(folder: Path, *lines: object) -> Path:
    path = folder / "own.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    return path


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("not json", "not JSON"),
        ({"id": "a"}, "needs `question`"),
        ({"id": "a", "task": "check", "claim": "x", "text": "y"}, "needs `claim` and `label`"),
        ({"id": "a", "task": "check", "claim": "x", "label": "supported"}, "needs `document`"),
        ({"id": "a", "question": "q", "colour": 1}, "colour"),
        ({"id": "a", "question": "q", "places": [{"document": "d", "page": 0}]}, "places.0.page"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: object, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_cases(written(tmp_path, {"id": "good", "question": "q"}, line))
    assert "own.jsonl:2" in caught.value.message and words in caught.value.message


def test_two_cases_with_one_id(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="two cases"):
        read_cases(written(tmp_path, {"id": "a", "question": "q"}, {"id": "a", "question": "r"}))


def test_documents_beside_the_file_come_along(tmp_path: Path) -> None:
    (tmp_path / "here.pdf").write_bytes(b"%PDF-")
    path = written(
        tmp_path,
        {"id": "1", "question": "q", "documents": ["here.pdf"]},
        {"id": "2", "question": "q", "documents": ["library.pdf"]},
    )
    assert read_set(path).pdfs == {"here.pdf": tmp_path / "here.pdf"}


def a_set(*, whole: bool = False) -> GoldSet:
    cases = [
        GoldCase(id=f"{d}-{n}", question="q", documents=(f"d{d}",), seen=d % 2 == 0)
        for d in range(10)
        for n in range(8)
    ]
    return GoldSet("s", "", "", tuple(cases), sheets={f"d{d}": Sheet(["text"]) for d in range(30)}, whole=whole)


def test_a_sample_is_spread_over_documents_and_always_the_same() -> None:
    chosen = sample(a_set(), Size(5, 12))
    units = [case.unit for case in chosen.cases]
    assert len(units) == 12 and len(set(units)) == 5
    assert max(map(units.count, units)) - min(map(units.count, units)) <= 1
    assert chosen.cases == sample(a_set(), Size(5, 12)).cases
    assert set(chosen.sheets) == set(units)


def test_a_set_asked_as_a_whole_keeps_other_documents_to_be_wrong_about() -> None:
    assert len(sample(a_set(whole=True), Size(20, 3)).sheets) == 20


def test_held_out_drops_what_was_fitted_on_unless_nothing_is_left() -> None:
    assert {case.seen for case in held_out(a_set()).cases} == {False}
    everything_seen = GoldSet("s", "", "", tuple(c.model_copy(update={"seen": True}) for c in a_set().cases))
    assert len(held_out(everything_seen).cases) == 80


def test_names_of_own_sets_are_no_paths(private_state: Path) -> None:
    for name in ("../x", "a/b", "", ".hidden", "x" * 99, "cuad"):
        with pytest.raises(UsageError):
            sets.own_set(name)
    assert sets.own_set("my set").parent == private_state / "evaluation" / "sets"


def test_absent_sets_are_said_to_be(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GROUNDED_SHARED", str(tmp_path))
    assert sets.available()["cuad"].startswith("absent")
    with pytest.raises(UsageError, match="not on this machine"):
        sets.load("cuad")
    assert sets.load("samples").cases


EXPECTED = {  # as the folder's README counts them
    "cuad": {"ask": 2050},
    "ntsb": {"ask": 334, "check": 627},
    "tatqa": {"ask": 1668, "check": 4274},
    "contractnli": {"check": 1037},
    "scifact": {"search": 809},
    "xquad_en": {"ask": 1190},
}


@pytest.mark.shared
@pytest.mark.parametrize("name", sets.LOADERS)
def test_every_set_loads(shared: Path, name: str) -> None:
    gold = sets.load(name)
    assert gold.about and gold.licence
    counts: dict[str, int] = {}
    for case in gold.cases:
        counts[case.task] = counts.get(case.task, 0) + 1
    assert counts | EXPECTED.get(name, {}) == counts
    assert len({case.id for case in gold.cases}) == len(gold.cases)
    asked = [case for case in gold.cases if case.task != "check" or case.document]
    assert {name for case in asked for name in case.names()} <= gold.own_documents


def test_the_documentation_names_every_field_and_metric() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "evaluation.md").read_text("utf-8")
    assert {f"`{name}`" for name in GoldCase.model_fields if name != "seen"} - set(re.findall(r"`\w+`", page)) == set()
    names = {(stage_of(metric.name) or (metric.name,))[0] for metric in METRICS}
    assert [name for name in names if f"| {name} |" not in page] == []
