"""JSON as models write it: everything complete is read, nothing cut off is completed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grounded.llm.lenient import ListScanner, decode, mapping, records

ONE = {"text": "It costs 0.03 %.", "citations": [{"source_id": "S1", "quote": 'a "b" ] } , c\\'}]}
TWO = {"text": "Zweitens: ä 中 🙂", "citations": None}
GOOD = json.dumps({"claims": [ONE, TWO]}, ensure_ascii=False)

WRAPPED = {
    "plain": GOOD,
    "escaped": json.dumps({"claims": [ONE, TWO]}),
    "indented": json.dumps({"claims": [ONE, TWO]}, indent=4),
    "bom": "\ufeff" + GOOD,
    "fenced": f"```json\n{GOOD}\n```",
    "fenced without a language": f"```\n{GOOD}\n```",
    "prose around": f"Here is [S1] my answer:\n\n{GOOD}\n\nI hope {{this}} helps.",
    "prose with a brace": f"As {{asked}}: {GOOD}",
    "stringified list": json.dumps({"claims": json.dumps([ONE, TWO])}),
    "stringified whole": json.dumps(GOOD),
    "stringified elements": json.dumps({"claims": [json.dumps(ONE), json.dumps(TWO)]}),
    "bare list": json.dumps([ONE, TWO]),
    "list in a fence": f"```json\n{json.dumps([ONE, TWO])}\n```",
    "keyed by id": json.dumps({"claims": {"c1": ONE, "c2": TWO}}),
    "trailing commas": GOOD.replace("}]", "},]").replace("null}", "null,}"),
    "python": repr({"claims": [ONE, TWO]}),
    "python words": GOOD.replace("null", "None"),
    "nan": GOOD.replace("null", "NaN"),
    "undefined": GOOD.replace("null", "undefined"),
    "other keys first": GOOD.replace('{"claims"', '{"thinking": "the \\"claims\\": [none]", "claims"'),
    "written twice": GOOD + "\n" + GOOD,
    "cut after the last element": GOOD[:-2],
}


def _objects(found: list[Any]) -> list[Any]:
    return [decode(f) if isinstance(f, str) else f for f in found]


@pytest.mark.parametrize("name", WRAPPED)
def test_whatever_stands_around_the_claims_they_are_read(name: str) -> None:
    found = _objects(records(WRAPPED[name], "claims"))
    assert [f["text"] for f in found] == [ONE["text"], TWO["text"]]
    assert found[0]["citations"] == ONE["citations"]


@pytest.mark.parametrize("raw", ["", "   ", "{", "null", "42", '"text"', "I cannot.", "[", "]", "{}", "[1, 2]", "{]}"])
def test_nothing_is_found_in_nothing(raw: str) -> None:
    assert records(raw, "claims") == []
    assert isinstance(mapping(raw), dict)


def test_a_reply_cut_anywhere_gives_whole_claims_or_none() -> None:
    for cut in range(len(GOOD)):
        found = [f for f in records(GOOD[:cut], "claims") if isinstance(f, dict) and "text" in f]
        assert found in ([], [ONE], [ONE, TWO]), cut


@given(st.lists(st.integers(1, 9), min_size=1), st.sampled_from(sorted(WRAPPED)))
@settings(max_examples=100, deadline=None)
def test_the_stream_shows_a_beginning_of_what_the_whole_holds(sizes: list[int], name: str) -> None:
    raw, scanner, streamed, at = WRAPPED[name], ListScanner("claims"), [], 0
    for size in sizes * (len(raw) // sum(sizes) + 1):
        streamed += scanner.feed(raw[at : at + size])
        at += size
    whole = records(raw, "claims")
    assert streamed == whole[: len(streamed)]
    if name in ("plain", "indented", "fenced", "prose around", "nan", "trailing commas"):
        assert len(streamed) == 2


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@given(st.lists(json_values, max_size=5))
@settings(max_examples=100, deadline=None)
def test_every_element_but_null_comes_back_as_it_was(elements: list[Any]) -> None:
    raw = json.dumps({"claims": elements})
    assert records(raw, "claims") == elements
    assert ListScanner("claims").feed(raw) == [e for e in elements if e is not None]


@given(st.text(alphabet='{}[]",:\\ abc"claims', max_size=300))
@settings(max_examples=150, deadline=None)
def test_garbage_never_raises(raw: str) -> None:
    records(raw, "claims")
    mapping(raw)


HOSTILE = ["[" * 200_000, '{"a":' * 50_000, '"' * 200_001, '{"claims": [' + "{" * 100_000, "," * 200_000]


@pytest.mark.timeout(30)
@pytest.mark.parametrize("raw", HOSTILE, ids=lambda raw: raw[:12])
def test_hostile_text_is_read_in_linear_time(raw: str) -> None:
    assert not [record for record in records(raw, "claims") if isinstance(record, dict)]
