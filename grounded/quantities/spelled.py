"""Numbers written in words: 'twenty-five million', 'two-thirds', 'a dozen', 'third', 'doubled'."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Literal, NamedTuple


def _numbered(words: str, first: int = 0, step: int = 1) -> dict[str, int]:
    return {word: first + step * i for i, word in enumerate(words.split())}


_ONES = _numbered(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen"
)
_TENS = _numbered("twenty thirty forty fifty sixty seventy eighty ninety", first=20, step=10)
_POWERS = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_PARTS = {"half": 2, "halves": 2} | {
    name + plural: part
    for name, part in {"third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "tenth": 10}.items()
    for plural in ("", "s")
}
_ORDINALS = _numbered("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth", first=1)
_FACTORS = {"two": "2", "three": "3", "four": "4", "five": "5", "ten": "10"}
_MULTIPLES = {f"{n}{mark}fold": value for n, value in _FACTORS.items() for mark in ("", "-", " ")} | {
    "doubled": "2", "doubling": "2", "twice": "2", "tripled": "3", "tripling": "3", "quadrupled": "4",
    "halved": "0.5", "halving": "0.5",
}  # fmt: skip
_ONE = "|".join(_ONES)
_WORD = "|".join((*_ONES, *_TENS, *_POWERS))
_PART = "|".join(_PARTS)
_RUN = re.compile(
    rf"\b(?:(?P<frac>(?:(?:{_ONE}|an?)[\s-]+)?(?:{_PART})(?=\s+(?:of|the)\b)|(?:{_ONE})-(?:{_PART}))"
    r"|(?P<dozen>(?:(?:an?|two|three|four|five|six)\s+)?dozen)"
    rf"|(?P<multiple>{'|'.join(sorted(_MULTIPLES, key=len, reverse=True))})"
    rf"|(?P<count>(?:{_ONE}|{'|'.join(_TENS)}|an?\s+(?:{'|'.join(_POWERS)}))"
    rf"(?:(?:\s+and\s+|[\s-]+)(?:{_WORD}))*(?:\s+and\s+a\s+half)?)"
    rf"|(?P<ordinal>{'|'.join(_ORDINALS)}))\b",
    re.IGNORECASE,
)


class Spelled(NamedTuple):
    """A number in words at a half-open span."""

    start: int
    end: int
    value: Decimal
    kind: Literal["number", "fraction", "multiple", "ordinal"]


def spelled(text: str) -> list[Spelled]:
    """All numbers in words, left to right."""
    found = []
    for match in _RUN.finditer(text):
        kind = match.lastgroup or ""
        words = match.group().lower()
        if kind == "count":
            found.append(Spelled(*match.span(), _count(words), "number"))
        elif kind == "dozen":
            found.append(Spelled(*match.span(), 12 * _leading(words), "number"))
        elif kind == "frac":
            found.append(Spelled(*match.span(), _fraction(words), "fraction"))
        elif kind == "multiple":
            found.append(Spelled(*match.span(), Decimal(_MULTIPLES[words]), "multiple"))
        else:
            found.append(Spelled(*match.span(), Decimal(_ORDINALS[words]), "ordinal"))
    return found


def _count(words: str) -> Decimal:
    body, half, _ = words.partition(" and a half")
    total = current = Decimal(0)
    for word in re.split(r"[\s-]+", body):
        if word in _ONES or word in _TENS:
            current += _ONES.get(word, 0) + _TENS.get(word, 0)
        elif word == "hundred":
            current = (current or Decimal(1)) * 100
        elif word in _POWERS:
            total += (current or Decimal(1)) * Decimal(10) ** _POWERS[word]
            current = Decimal(0)
    return total + current + (Decimal("0.5") if half else 0)


def _leading(words: str) -> Decimal:
    head = re.split(r"[\s-]+", words)[0]
    return Decimal(_ONES.get(head, 1))


def _fraction(words: str) -> Decimal:
    parts = re.split(r"[\s-]+", words)
    return (_leading(words) if len(parts) > 1 else Decimal(1)) / _PARTS[parts[-1]]
