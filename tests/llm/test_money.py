"""Prices are dated and editable, unknown is null, and a budget stops the call that could go over."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from grounded.errors import BudgetReached, UsageError
from grounded.llm import Call, Client, price_table
from grounded.llm.prices import add
from grounded.types import Usage
from tests.tools.fake_claude import settings_for
from tests.tools.scripted_messages import ScriptedMessages, drop_after, reply, status

MODEL = "claude-sonnet-5-5"  # 2 and 10 USD per million tokens


def call(model: str = MODEL, max_tokens: int = 1000) -> Call:
    turn = {"role": "user", "content": "What does it cost?"}
    return Call(purpose="test", model=model, messages=(turn,), max_tokens=max_tokens)


@pytest.fixture
def server() -> Iterator[ScriptedMessages]:
    with ScriptedMessages([reply("ok", model=MODEL)], counts=lambda _: 1000) as running:
        yield running


def test_the_built_in_table_is_dated() -> None:
    table = price_table()
    assert len(table.as_of) == 10
    assert table.price("claude-haiku-4-5-20251001") == table.price("claude-haiku-4-5")
    assert table.price("claude-unheard-of") is None


def test_a_long_prompt_has_its_own_price() -> None:
    table = price_table()
    assert table.cost("claude-haiku-5-5", Usage(input_tokens=100_000)) == pytest.approx(0.01)
    assert table.cost("claude-haiku-5-5", Usage(input_tokens=100_001)) == pytest.approx(0.0500005)


def test_a_user_edits_the_prices(tmp_path: Path, server: ScriptedMessages) -> None:
    rates = {"input": 1000, "output": 0, "cache_write": 0, "cache_read": 0}
    path = tmp_path / "prices.json"
    path.write_text(json.dumps({"as_of": "2030-01-01", "models": {"house-model": rates}}))
    client = Client(settings_for(server.url, {"prices": path}))
    assert client.complete(call("house-model")).usage.cost_usd == pytest.approx(0.1)


@pytest.mark.parametrize("text", ["", "{", '{"as_of": "x", "models": {"m": {"input": -1}}}', "[]"])
def test_a_broken_price_table_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / f"prices{len(text)}.json"
    path.write_text(text)
    with pytest.raises(UsageError, match="price table"):
        price_table(path)


def test_a_sum_with_an_unknown_part_is_unknown() -> None:
    known, unknown = Usage(input_tokens=1, cost_usd=0.1), Usage(input_tokens=1)
    assert add([known, known]).cost_usd == pytest.approx(0.2)
    assert add([known, unknown]).cost_usd is None
    assert add([known, Usage()]).cost_usd == pytest.approx(0.1)
    assert add([]).cost_usd is None


def test_a_budget_stops_before_overspending(server: ScriptedMessages) -> None:
    # ceiling of one call: 1,000 prompt tokens at the cache-write rate of 2.5 plus 1,000 of reply at 10 = 0.0125
    client = Client(settings_for(server.url, {"budget_usd_question": 0.0125}))
    client.complete(call())
    assert len(server.counted) == 1
    with pytest.raises(BudgetReached, match="BUDGET_USD_QUESTION") as caught:
        client.complete(call())
    assert len(server.requests) == 1
    assert caught.value.report["attempts"] == []


def test_a_budget_holds_over_parallel_calls(server: ScriptedMessages) -> None:
    client = Client(settings_for(server.url, {"budget_usd_question": 0.03}))
    refused: list[BudgetReached] = []

    def ask() -> None:
        try:
            client.complete(call())
        except BudgetReached as error:
            refused.append(error)

    threads = [threading.Thread(target=ask) for _ in range(30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert client.usage.cost_usd is not None
    assert client.usage.cost_usd <= 0.03
    assert refused


def test_the_budget_of_the_day_outlives_the_question(server: ScriptedMessages) -> None:
    settings = settings_for(server.url, {"budget_usd_day": 0.0128})
    Client(settings).complete(call())
    with pytest.raises(BudgetReached, match="day"):
        Client(settings).complete(call())
    assert len(server.requests) == 1


def test_a_call_that_was_turned_away_costs_nothing(server: ScriptedMessages) -> None:
    server.script = [status(529), status(529), reply("ok", model=MODEL)]
    assert Client(settings_for(server.url, {"budget_usd_question": 0.013})).complete(call()).text == "ok"


def test_a_call_that_broke_off_may_have_been_billed(server: ScriptedMessages) -> None:
    server.script = [drop_after("half"), reply("ok", model=MODEL)]
    with pytest.raises(BudgetReached) as caught:
        Client(settings_for(server.url, {"budget_usd_question": 0.013})).complete(call())
    assert len(server.requests) == len(caught.value.report["attempts"]) == 1


def test_a_budget_without_a_price_refuses(server: ScriptedMessages) -> None:
    with pytest.raises(BudgetReached, match="no price"):
        Client(settings_for(server.url, {"budget_usd_question": 5.0})).complete(call("somebody-elses"))
    assert not server.requests


def test_without_a_budget_nothing_is_counted(server: ScriptedMessages, private_state: Path) -> None:
    Client(settings_for(server.url)).complete(call())
    assert not server.counted
    assert not (private_state / "spend").exists()


def test_the_estimate_stands_in_when_the_endpoint_does_not_count(server: ScriptedMessages) -> None:
    client = Client(settings_for(server.url))
    assert client.count_tokens(call()) == (1000, "count_tokens")
    server.counts = None
    tokens, how = client.count_tokens(call())
    assert how == "estimate"
    assert tokens > 10
    count = client.text_counter(MODEL)
    assert count("word " * 30) >= 30
    assert len(server.counted) == 3
    assert count("word") >= 1
    assert len(server.counted) == 3
