"""Several replicas of an app: a log and a key each, verified together."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from grounded import cli
from grounded.audit.export import otlp
from grounded.audit.reader import read_trace
from tests.audit.logs import make_log, write_run


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """`all/` with the logs of replicas a and b, and `keys.vkey` with the public keys of both."""
    keys = ""
    for name in ("a", "b"):
        log = make_log(tmp_path / name, replica=name)
        write_run(log)
        shutil.copytree(log.folder, tmp_path / "all" / name)
        keys += "".join(path.read_text() for path in (log.state / "keys").glob("*.vkey"))
    (tmp_path / "keys.vkey").write_text(keys)
    return tmp_path / "all"


def verified(capsys: pytest.CaptureFixture[str], logs: Path, *paths: Path) -> tuple[int, dict[str, object]]:
    capsys.readouterr()
    code = cli.main(["verify-log", *map(str, paths), "--key", str(logs.parent / "keys.vkey"), "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_logs_are_verified_together_by_paths_or_by_their_folder(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for paths in ([logs], [logs / "a", logs / "b"]):
        code, printed = verified(capsys, logs, *paths)
        assert code == 0 and printed["verdict"] == "intact"
        assert [(Path(log["path"]).name, log["verdict"]) for log in printed["logs"]] == [
            ("a", "intact"),
            ("b", "intact"),
        ]
        assert all(log["assurance"] in ("L1", "L2") for log in printed["logs"])
    code, alone = verified(capsys, logs, logs / "a")
    assert code == 0 and "logs" not in alone and alone["verdict"] == "intact"


def test_one_altered_log_is_named_and_decides(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = next((logs / "b").glob("*.jsonl"))
    trace.write_text(trace.read_text().replace("tester", "nobody"))
    code, printed = verified(capsys, logs, logs)
    assert code == 1 and printed["verdict"] == "tampered"
    assert [log["verdict"] for log in printed["logs"]] == ["intact", "tampered"]


def test_a_log_that_lies_there_twice_is_not_judged(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(logs / "a", logs / "c")
    code, printed = verified(capsys, logs, logs)
    assert code == 2 and printed["verdict"] == "not_judged" and len(printed["log_twice"]) == 1


def test_a_trace_says_which_replica_wrote_it(tmp_path: Path) -> None:
    log = make_log(tmp_path, replica="eu-west-2")
    trace = read_trace(log.folder, write_run(log).trace_id, state=log.state)
    assert trace[0]["input"]["$replica"] == "eu-west-2"
    resource = otlp([trace])["resourceSpans"][0]["resource"]
    assert {"key": "service.instance.id", "value": {"stringValue": "eu-west-2"}} in resource["attributes"]
