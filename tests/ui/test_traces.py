"""The Traces page over ten thousand runs: everything is found, and its integrity is said as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from streamlit.testing.v1 import AppTest

from grounded import locations
from grounded.ui.trace_index import TraceIndex
from grounded.ui.traces_page import PAGE, index
from tests.audit.logs import make_log, write_run
from tests.tools.many_traces import write_traces

Open = Callable[..., AppTest]
COUNT = 10_000


class Log(NamedTuple):
    """A home with many traces; their ids, oldest first."""

    home: Path
    ids: list[str]


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Log:
    home = tmp_path_factory.mktemp("many")
    return Log(home, write_traces(home, COUNT))


@pytest.fixture
def page(app: Open, log: Log) -> AppTest:
    """The Traces page once everything is read and checked."""
    test = app("pages/traces.py", log=log.home)
    return settled(test, log)


def settled(test: AppTest, log: Log) -> AppTest:
    test.run()
    assert index(log.home / "traces").wait(300)
    return test.run()


def rows(test: AppTest) -> list[dict[str, str]]:
    return list(test.dataframe[0].value.to_dict("records"))


def said(test: AppTest) -> str:
    assert not test.exception, test.exception
    return "\n".join(element.value for element in (*test.text, *test.markdown, *test.caption))


def test_every_run_is_on_a_page(page: AppTest, log: Log) -> None:
    assert f"{COUNT:,} runs" in said(page) and "✓ chain intact" in said(page)
    assert [row["trace"] for row in rows(page)] == [key[:12] for key in log.ids[: -PAGE - 1 : -1]]
    assert {row["integrity"] for row in rows(page)} == {"intact"}
    page.number_input(key="traces_at").set_value(COUNT // PAGE).run()
    assert [row["trace"] for row in rows(page)] == [key[:12] for key in log.ids[PAGE - 1 :: -1]]


def test_search_and_filters_narrow_it_down(page: AppTest, log: Log) -> None:
    page.number_input(key="traces_at").set_value(100).run()
    page.text_input(key="traces_search").set_value("HARBOR question 4,323?").run()
    assert [row["trace"] for row in rows(page)] == [log.ids[4323][:12]]
    page.text_input(key="traces_search").set_value(log.ids[17]).run()
    assert [row["question"] for row in rows(page)] == ["What is the benchmark of nimbus_2025, question 17?"]
    page.text_input(key="traces_search").set_value("").run()
    page.number_input(key="traces_at").set_value(150).run()
    page.multiselect(key="traces_status").set_value(["abstained"]).run()
    assert f"{len(range(0, COUNT, 7)):,} runs" in said(page)  # fewer pages than the one that was open
    assert {row["grounded"] for row in rows(page)} == {"–"}
    page.multiselect(key="traces_status").set_value([]).run()
    page.multiselect(key="traces_verdict").set_value(["contradicted"]).run()
    assert f"{sum(n % 5 == 0 and n % 7 > 0 for n in range(COUNT)):,} runs" in said(page)


def test_a_broken_run_among_them_is_found_with_its_line(page: AppTest, log: Log) -> None:
    path = log.home / "traces" / f"{log.ids[5000]}.jsonl"
    with changed(path, path.read_bytes().replace(b"question 5,000?", b"question 5,001?", 1)):
        settled(page, log)
        assert "✕ tampered" in said(page) and f"Broken at {path.name}, line 1" in said(page)
        page.toggle(key="traces_broken").set_value(True).run()
        assert [(row["trace"], row["integrity"]) for row in rows(page)] == [(log.ids[5000][:12], "tampered")]
    settled(page, log)
    assert "✓ chain intact" in said(page)


@contextmanager
def changed(path: Path, data: bytes) -> Iterator[None]:
    honest = path.read_bytes()
    path.write_bytes(data)
    yield
    path.write_bytes(honest)


def test_a_run_after_the_check_is_not_called_intact(tmp_path: Path) -> None:
    log = make_log(tmp_path)
    old = write_run(log).trace_id
    found = TraceIndex(tmp_path / "traces", locations.state())
    found.check()
    assert found.wait(60) and found.standing
    new = write_run(log).trace_id
    assert found.standing.of(new, listed=True) == "not checked yet"
    assert found.standing.of(old, listed=True) == "intact"
    ledger = tmp_path / "traces" / "ledger" / "entries.jsonl"
    ledger.write_bytes(ledger.read_bytes().replace(b'"ok"', b'"error"', 1))
    found.check()
    assert found.wait(60) and found.standing
    assert found.standing.report.verdict == "tampered"
    assert found.standing.of(new, listed=True) == "not judged"  # a broken ledger vouches for nothing
