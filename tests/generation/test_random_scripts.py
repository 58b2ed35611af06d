"""Random models over a real connection: whatever they say and however it breaks, only what is true, quoted and
confirmed by a whole verdict is shown as grounded; and when nothing breaks, exactly that is."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grounded.errors import ModelError
from tests.generation.asking import Asked, ask
from tests.tools import fake_claude
from tests.tools.fake_claude import fenced, settings_for
from tests.tools.scripted_messages import Body, Pause, ScriptedMessages, Step, drop_after, reply, status
from tests.verification.small import Pages

FACTS = [
    "The expense ratio is 0.03 %.",
    "The fund holds 505 stocks.",
    "Net assets were $1,234.5 million.",
    "גודל הקרן הוא 77 מיליון.",
    "该基金持有 812 只股票。",
    "The fund returned 14.92 % in 2024 🙂.",
]
PAGES = Pages(*FACTS)
YES = {"status": "grounded", "grounded": True, "confidence": 0.9, "reason": "ok"}
NOES: list[Any] = [YES | {"grounded": False, "status": s} for s in ("partial", "unverified", "contradicted")]
GARBLED: list[Any] = [
    YES | {"grounded": "true"}, YES | {"grounded": 1}, YES | {"status": "contradicted"}, YES | {"confidence": "high"},
    YES | {"confidence": 2}, {"grounded": True}, {"status": "grounded"}, YES | {"grounded": None},
]  # fmt: skip


@dataclass(frozen=True)
class Said:
    """One claim of a random model, whether it deserves a yes, and what the verifier says about it."""

    record: Any
    honest: bool
    verdict: str
    spoilt: Any


@dataclass(frozen=True)
class Script:
    """A whole random run."""

    said: tuple[Said, ...]
    wrap: str
    size: int
    cut: tuple[str, int] | None
    faults: tuple[int, ...]


def _claim(text: Any, *citations: Any) -> dict[str, Any]:
    return {"text": text, "citations": list(citations) or None, "calculation": None}


def _honest(number: int) -> dict[str, Any]:
    return _claim(FACTS[number], {"source_id": f"S{number + 1}", "quote": FACTS[number]})


def _lies(number: int) -> list[Any]:
    fact, source = FACTS[number], f"S{number + 1}"
    wrong = fact.translate(str.maketrans("0123456789", "9876543210"))
    return [
        _claim(wrong, {"source_id": source, "quote": fact}),
        _claim(fact, {"source_id": source, "quote": wrong}),
        _claim(fact, {"source_id": "S99", "quote": fact}),
        _claim(fact, {"source_id": source, "quote": fact}, {"source_id": source, "quote": "The moon is cheese."}),
        _claim(fact, {"source_id": None, "quote": fact}),
        _claim(fact, {"source_id": source, "quote": " "}),
        _claim(fact),
        _claim(f"<cite>{fact}</cite> [S1]"),
        _claim(""), _claim(None), _claim(7), fact, None, [], {"claims": []},
    ]  # fmt: skip


numbers = st.integers(0, len(FACTS) - 1)
lies = numbers.flatmap(lambda n: st.sampled_from(_lies(n)))
records = numbers.map(lambda n: (_honest(n), True)) | lies.map(lambda record: (record, False))
verdicts = st.sampled_from(["yes", "yes", "yes", "no", "missing", "twice", "garbled", "other id"])
said = st.builds(
    lambda record, verdict, spoilt: Said(record[0], record[1], verdict, spoilt),
    records, verdicts, st.sampled_from(NOES + GARBLED),
)  # fmt: skip
cuts = st.none() | st.tuples(st.sampled_from(["drop", "max_tokens", "refusal"]), st.integers(0, 900))
scripts = st.builds(
    Script,
    st.lists(said, max_size=7).map(tuple),
    st.sampled_from(["plain", "fenced", "prose", "stringified", "bare", "comma", "python"]),
    st.integers(1, 400),
    cuts,
    st.lists(st.sampled_from([429, 500, 529]), max_size=2).map(tuple),
)


def wrapped(records_: list[Any], key: str, wrap: str) -> str:
    """The list in one of the forms models give it."""
    value: Any = {key: records_}
    raw = json.dumps(value, ensure_ascii=False)
    return {
        "plain": raw,
        "fenced": f"```json\n{raw}\n```",
        "prose": f"Sure [S1]! Here it is:\n{raw}\nAll of it is grounded.",
        "stringified": json.dumps({key: json.dumps(records_)}),
        "bare": json.dumps(records_),
        "comma": raw.replace("}]", "},]"),
        "python": repr(value),
    }[wrap]


def played(script: Script) -> Callable[[Body], Step]:
    """The script as a model."""
    by_text = _by_text(script)
    faults = list(script.faults)

    def model(body: Body) -> Step:
        if faults:
            return status(faults.pop())
        wanted = fake_claude.asked_for(body)
        if wanted == "claims":
            return _broken(wrapped([s.record for s in script.said], "claims", script.wrap), script)
        given_ = [r for item in fenced(body, "items") for r in _verdicts(item["id"], by_text.get(item["claim"]))]
        return reply(wrapped(given_, "verdicts", script.wrap), size=script.size)

    return model


def _by_text(script: Script) -> dict[str, Said]:
    """Whose verdict a sentence gets: the first honest claim's when there is one, else the first lie's."""
    texts = [s for s in script.said if isinstance(s.record, dict) and isinstance(s.record.get("text"), str)]
    lies_first = [*filter(lambda s: not s.honest, texts[::-1]), *filter(lambda s: s.honest, texts[::-1])]
    return {s.record["text"]: s for s in lies_first}


def _verdicts(claim_id: str, said_: Said | None) -> list[Any]:
    if said_ is None or said_.verdict == "missing":
        return []
    if said_.verdict == "yes":
        return [{"id": claim_id} | YES]
    if said_.verdict == "twice":
        return [{"id": claim_id} | YES] * 2
    if said_.verdict == "other id":
        return [{"id": claim_id + "x"} | YES]
    return [{"id": claim_id} | said_.spoilt]


def _broken(raw: str, script: Script) -> Step:
    if script.cut is None:
        return reply(raw, size=script.size)
    how, at = script.cut
    if how == "drop":
        return drop_after(raw[:at], size=script.size)
    return reply(raw[:at], size=script.size, stop_reason=how)


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedMessages]:
    with ScriptedMessages([fake_claude.answer]) as running:
        yield running


def run(server: ScriptedMessages, script: Script) -> Asked | None:
    server.script = [played(script)]
    server.requests.clear()
    try:
        return ask(settings_for(server.url), PAGES, repairs=False)
    except ModelError:
        return None


@given(scripts)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_only_what_is_true_quoted_and_confirmed_is_grounded(server: ScriptedMessages, script: Script) -> None:
    asked = run(server, script)
    if asked is None:
        assert script.faults or script.cut
        return
    deserved = {text for text, said_ in _by_text(script).items() if said_.honest and said_.verdict == "yes"}
    for claim in asked.claims:
        assert claim.verdict.grounded == (claim.verdict.status == "grounded")
        if claim.verdict.grounded:
            assert claim.text in deserved
            assert [c.snippet for c in claim.citations] == [claim.text]
    assert [c.id for c in asked.shown] == [c.id for c in asked.claims]
    if script.cut is None:
        assert {claim.text for claim in asked.claims if claim.verdict.grounded} == deserved


def test_a_pause_is_no_fault(server: ScriptedMessages) -> None:
    honest = Said(_honest(0), True, "yes", None)
    step = _broken(wrapped([honest.record], "claims", "plain"), Script((honest,), "plain", 9, None, ()))
    slow = Step(tuple(part for piece in step.parts for part in (piece, Pause(0.001))), headers=step.headers)
    model = played(Script((honest,), "plain", 9, None, ()))
    server.script = [lambda body: slow if fake_claude.asked_for(body) == "claims" else model(body)]
    asked = ask(settings_for(server.url), PAGES, repairs=False)
    assert [claim.verdict.grounded for claim in asked.claims] == [True]
