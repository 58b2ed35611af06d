"""A claim taken apart: what it is about, which numbers it claims, for which periods."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from grounded.quantities import Period, Quantity, periods, quantities
from grounded.quantities.numerals import DecimalMark
from grounded.verification.words import naming

_QUESTION = re.compile(r"^(?P<question>.*?\?)\s*(?:[—–:-]+\s+)?(?P<answer>\S.*)$", re.DOTALL)
_BREAK = re.compile(
    r"[,;:]\s| (?:and|but|while|whereas|against|versus|vs\.?|than|from|to|trail(?:s|ed)|lag(?:s|ged)|beat"
    r"|exceed(?:s|ed)|above|below|compared (?:with|to)) "
)
_SUBJECT = 2  # words of a clause from which it has a subject of its own
_COUNTED_THING = re.compile(r" [a-z]{3,}\b(?<! and)(?<! for)(?<! but)")  # '505 stocks … 500'
_NAME_BEHIND, _NAME_BEFORE = re.compile(r"[-'’](?:[A-Z]{2,}|(?<=['’])-?[a-z]+)"), re.compile(r"\b[A-Za-z]+\d+[-/]$")
_ENDED = re.compile(r"(?:[\s-]+period)?\s+end(?:ed|ing)\b", re.IGNORECASE)
_COUNTED = frozenset({"number", "money", "percent", "multiple", "fraction"})


@dataclass(frozen=True, slots=True)
class Target:
    """One claimed number with the words and periods that say what it is. asked: it answers a question."""

    quantity: Quantity
    words: frozenset[str]
    periods: tuple[Period, ...]
    phrase: str
    asked: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """A claim taken apart. For 'question — answer' claims `subject` is the question, `stated` the answer; else both
    are the whole claim. periods: those of the subject; answered: those of an answer."""

    text: str
    subject: str
    stated: str
    targets: tuple[Target, ...]
    periods: tuple[Period, ...]
    answered: tuple[Period, ...] = ()

    @property
    def is_answer(self) -> bool:
        """Whether the claim has the form 'question — answer'."""
        return self.subject != self.stated


@lru_cache(maxsize=2048)
def read_claim(text: str, mark: DecimalMark | None) -> Reading:
    """Take a claim apart. Numbers of the question part are conditions, not claims."""
    match = _QUESTION.match(text.strip())
    subject, stated = (match["question"], match["answer"]) if match else (text, text)
    numbers = [
        q
        for q in quantities(stated, locale_hint=mark)
        if (q.kind in _COUNTED or (match and q.kind == "year")) and not _names(stated, q)
    ]
    spoken = tuple(periods(subject))
    targets = tuple(
        Target(
            q, _words(subject, stated, q, numbers), _near(stated, q, spoken, len(numbers)), subject, match is not None
        )
        for q in numbers
    )
    return Reading(text, subject, stated, targets, spoken, tuple(periods(stated)) if match else ())


def _names(stated: str, quantity: Quantity) -> bool:
    """A digit in a name ('4-PBA', 'OCT3/4', \"5'-nucleotidase\") or period ('nine months ended'), and 'one of', count
    nothing."""
    start, end = quantity.span
    in_name = _NAME_BEHIND.match(stated, end) or _NAME_BEFORE.search(stated[:start]) or _ENDED.match(stated, end)
    return bool(in_name) or (quantity.spelled and quantity.number == 1 and stated[end : end + 4] == " of ")


def _beside(stated: str, quantity: Quantity) -> str:
    """A statement without the number; its percent sign stays where a share is meant: '5 % of the total'."""
    before, after = stated[: quantity.span[0]], stated[quantity.span[1] :]
    share = quantity.kind == "percent" and after.startswith(" of ")
    return f"{before} {'%' if share else ''} {after}"


def _words(subject: str, stated: str, quantity: Quantity, numbers: Sequence[Quantity]) -> frozenset[str]:
    """What is said beside the number: everything, or, where a statement has several numbers, the number's own clause
    and, when that has no subject, what stands before the first number and what that one counts."""
    if subject != stated:
        return naming(subject)
    start, end = quantity.span
    counting = _said_of_count(stated, quantity)
    if len(numbers) < 2:
        return naming(f"{stated[:start]} {stated[end:]}") | counting
    own = _clause(stated, quantity, numbers)
    if len(own) >= _SUBJECT:
        return own | counting
    counted = _COUNTED_THING.match(stated, numbers[0].span[1])
    return own | counting | naming(f"{stated[: numbers[0].span[0]]} {counted.group() if counted else ''}")


def _said_of_count(stated: str, quantity: Quantity) -> frozenset[str]:
    """'505 stocks' is what a table calls 'number of stocks'."""
    counts = quantity.kind == "number" and not (quantity.unit or quantity.decimals or quantity.scaled_by)
    return naming("number") if counts and _COUNTED_THING.match(stated, quantity.span[1]) else frozenset()


def _clause(stated: str, quantity: Quantity, numbers: Sequence[Quantity]) -> frozenset[str]:
    """The words from the last break, or number, before a number to the next break, or number, after it. A number
    between commas ('the average, 0.74 %,') belongs to the clause before."""
    start, end = quantity.span
    left = max((n.span[1] for n in numbers if n.span[1] <= start), default=0)
    right = min((n.span[0] for n in numbers if n.span[0] >= end), default=len(stated))
    opens = [left, *(m.end() for m in _BREAK.finditer(stated, left, start))]
    closes = [m.start() for m in _BREAK.finditer(stated, end, right)]
    after = stated[end : closes[-1] if closes and right < len(stated) else right]
    own = naming(f"{stated[opens[-1] : start]} {after}")
    return own if own or len(opens) < 2 else naming(f"{stated[opens[-2] : start]} {after}")


def _near(stated: str, quantity: Quantity, spoken: tuple[Period, ...], count: int) -> tuple[Period, ...]:
    """The periods a number is about: the claim's, or, where several numbers stand beside several periods, the one
    that pairs with it."""
    if count < 2 or len(spoken) < 2 or "?" in stated:
        return spoken
    return (paired(stated, quantity, spoken),)


def opens_anew(sentence: str, quantity: Quantity, period: Period) -> bool:
    """Whether a period behind a number begins another statement: '$25 million (2018: $33 million)'."""
    return ";" in sentence[quantity.span[1] : period.span[0]] or sentence[period.span[1] :].lstrip().startswith(":")


def paired(sentence: str, quantity: Quantity, spoken: tuple[Period, ...]) -> Period:
    """The period beside a number: by position in '…respectively' lists, else the first one after the number and
    before the next number, else the last one before it, else the nearest."""
    if "respectively" in sentence:
        numbers = [q for q in quantities(sentence) if q.kind in _COUNTED]
        place = next((i for i, q in enumerate(numbers) if q.span == quantity.span), None)
        if place is not None and len(numbers) >= 2:
            return spoken[place % len(spoken)]
    behind = [p for p in spoken if p.span[0] >= quantity.span[1] and not opens_anew(sentence, quantity, p)]
    if behind and not quantities(sentence[quantity.span[1] : behind[0].span[0]]):
        return behind[0]
    before = [p for p in spoken if p.span[1] <= quantity.span[0]]
    return before[-1] if before else min(spoken, key=lambda p: abs(p.span[0] - quantity.span[0]))
