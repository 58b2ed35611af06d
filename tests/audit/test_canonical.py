"""One spelling, strictly read; and the quick reading of a line never differs from the strict one."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grounded.audit.canonical import (
    MAX_DEPTH,
    Malformed,
    beyond_safe_integers,
    canonical,
    is_profile_time,
    is_rfc3339,
    parse_strict,
)
from grounded.audit.chain import read_line

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
SCALARS = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | FLOATS | st.text(st.characters(codec="utf-8"))
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner)
)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b'{"a":1,"a":1}', "duplicate_key"),
        (b'{"a":{"b":1,"\\u0062":2}}', "duplicate_key"),
        (b'{"a":NaN}', "non_finite_number"),
        (b'{"a":-Infinity}', "non_finite_number"),
        (b'{"a":1e999}', "non_finite_number"),
        (b"\xef\xbb\xbf{}", "bom"),
        (b"{}\r", "crlf"),
        (b"", "blank_line"),
        (b" \t ", "blank_line"),
        (b'{"a":"\xff"}', "invalid_utf8"),
        (b'{"a":"\xed\xa0\x80"}', "invalid_utf8"),
        (b'{"a":"\\ud800"}', "lone_surrogate"),
        (b'{"\\udfff":1}', "lone_surrogate"),
        (b'{"a":"\x01"}', "invalid_json"),
        (b'{"a":01}', "invalid_json"),
        (b"{'a':1}", "invalid_json"),
        (b'{"a":1}{"b":2}', "invalid_json"),
        (b'{"a":' + b"9" * 5000 + b"}", "invalid_json"),
        (b"[" * 100_000 + b"]" * 100_000, "invalid_json"),
        (b"[" * 100_000, "invalid_json"),
        (b'{"a":' * 100_000, "invalid_json"),
        (b"\x00" * 50, "invalid_json"),
    ],
)
def test_what_json_readers_disagree_about_is_refused(line: bytes, code: str) -> None:
    with pytest.raises(Malformed) as caught:
        parse_strict(line)
    assert caught.value.code == code
    with pytest.raises(Malformed) as caught:
        read_line(line)
    assert caught.value.code == code


def test_nesting_up_to_the_limit_is_read() -> None:
    assert parse_strict(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH)
    with pytest.raises(Malformed):
        read_line(b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1))
    for depth in (200, 300, MAX_DEPTH):
        assert read_line(b"[" * depth + b"]" * depth).value
    assert parse_strict(json.dumps({"text": "[{" * 4000}).encode()) == {"text": "[{" * 4000}


@given(JSON)
def test_the_quick_reading_of_canonical_bytes_is_the_strict_one(value: Any) -> None:
    line = canonical(value)
    assert line == json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
    quick = read_line(line)
    assert canonical(quick.value) == line
    if quick.fast:
        assert beyond_safe_integers(quick.value) is None


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_counts_as_canonical_only_as_python_spells_it(number: float) -> None:
    for spelling in {
        repr(number),
        f"{number:e}",
        f"{number:.17g}",
        f"{number:f}",
        f"{number:.3e}".replace("e-0", "e-"),
    }:
        line = f'{{"a":{spelling}}}'.encode()
        try:
            read = read_line(line)
        except Malformed:
            continue
        assert not read.fast or canonical(read.value) == line


@pytest.mark.parametrize(
    ("text", "numbers", "quick"),
    [
        ("café ’x’ 😀 \x01 14:14:00.000000Z", [0.5, 1e16, -0.0, 12, 0.00012], True),
        ("é’" * 10, [0.5], True),
        ("\\u2019 ’ \\\\u00e9 é", [0.5], True),
        ("one-time fee-5 \\x41 \\U0001f600 e-5", [0.5], True),
        ("\x7f", [1e-07, 1e-05, 0.5], True),
    ],
)
def test_a_line_taken_as_canonical_is_canonical_under_random_damage(
    text: str, numbers: list[float], quick: bool
) -> None:
    chance = random.Random(5)
    line, taken = canonical({"text": text, "n": numbers, "k": {"b": None, "a": True}}), 0
    assert read_line(line).fast == quick
    for _ in range(10_000):
        at = chance.randrange(len(line))
        damaged = line[:at] + bytes([chance.randrange(256)]) * chance.randrange(3) + line[at + 1 :]
        try:
            read = read_line(damaged)
        except Malformed:
            continue
        taken += read.fast
        assert not read.fast or canonical(read.value) == damaged
    assert not quick or taken > 100


@pytest.mark.parametrize(
    ("text", "any_writer", "ours"),
    [
        ("2026-11-24T14:14:00.000000Z", True, True),
        ("2026-11-24T14:14:00Z", True, False),
        ("2026-11-24T14:14:00.123+01:00", True, False),
        ("2026-11-24 14:14:00.123456+00:00", True, False),
        ("2026-11-24T14:14:00.000000", False, False),
        ("2026-13-24T14:14:00.000000Z", False, False),
        ("2026-11-24T25:14:00.000000Z", False, False),
        ("2026-11-24T14:14:00.000000Z\n", False, False),
        ("٢٠٢٦-11-24T14:14:00.000000Z", False, False),
        ("", False, False),
    ],
)
def test_times_say_their_zone(text: str, any_writer: bool, ours: bool) -> None:
    assert (is_rfc3339(text), is_profile_time(text)) == (any_writer, ours)
