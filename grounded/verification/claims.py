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
# an answer in parentheses as a whole is negative: '(2.5%)', '$(3) million'
_ENCLOSED = re.compile(r"^([$€£]?)\(([$€£]?\d[\d.,]*\s?%?(?: [mbt]\w+)?)\)(?=%?(?: [mbt]\w+)?$)")
_PARTING = (
    r"(?:and|but|while|whereas|against|versus|vs\.?|than|from|to|trail(?:s|ed)|lag(?:s|ged)|beat"
    r"|exceed(?:s|ed)|above|below|compared (?:with|to)) "
)
_BREAK = re.compile(rf"[,;:]\s(?:{_PARTING})?| {_PARTING}")
_SUBJECT = 2  # words of a clause from which it has a subject of its own; with a verb one is enough
_LINKS = frozenset({"compar"})  # stems that name nothing: 'compared with 5 for the index'
_IS = re.compile(r"\b(?:was|were|is|are|stood|amounted|came|totall?ed)\b", re.IGNORECASE)
_COUNTED_THING = re.compile(r" [a-z]{3,}\b(?<! and)(?<! for)(?<! but)")  # '505 stocks … 500'
_NAME_BEHIND, _NAME_BEFORE = re.compile(r"[-'’](?:[A-Z]{2,}|(?<=['’])-?[a-z]+)"), re.compile(r"\b[A-Za-z]+\d+[-/]$")
_PER = re.compile(r"(?:\bper|\bout of (?:the|every)) $", re.IGNORECASE)
_A_DAY = re.compile(r" (?:an?|each|every|per) (?:day|week|month|year)\b| (?:dai|week|month|year)ly\b")
_ENDED = re.compile(r"(?:[\s-]+period)?\s+end(?:ed|ing)\b", re.IGNORECASE)
_A_YEAR = re.compile(r"(?:19|20)\d\d year$")
_MORE_THAN = re.compile(r"\b(?:more|less|fewer|greater|higher|lower) than\s*$", re.IGNORECASE)
_LASTING = re.compile(r"\b(?:over|for|last|past|trailing)(?: the)?(?: last| past)? $", re.IGNORECASE)
_THING = re.compile(r" [a-z]")
_LENGTHS = frozenset({"year", "month", "quarter", "week", "day"})
_COUNTED = frozenset({"number", "money", "percent", "multiple", "fraction"})


@dataclass(frozen=True, slots=True)
class Target:
    """One claimed number with the words and periods that say what it is. asked: it answers a question. clause: what the
    number's own words are taken from."""

    quantity: Quantity
    words: frozenset[str]
    periods: tuple[Period, ...]
    phrase: str
    asked: bool = False
    clause: str = ""

    @property
    def bare(self) -> str:
        """The phrase without the number."""
        return self.phrase if self.asked else _without_number(self.phrase, self.quantity)


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

    @property
    def undated(self) -> str:
        """A statement without its dates and periods."""
        text = self.text
        for period in reversed(self.periods):
            text = f"{text[: period.span[0]]} {text[period.span[1] :]}"
        return text


@lru_cache(maxsize=2048)
def read_claim(text: str, mark: DecimalMark | None) -> Reading:
    """Take a claim apart. Numbers of the question part are conditions, not claims."""
    match = _QUESTION.match(text.strip())
    subject, stated = (match["question"], _ENCLOSED.sub(r"-\1\2", match["answer"])) if match else (text, text)
    numbers = [
        q
        for q in quantities(stated, locale_hint=mark)
        if (q.kind in _COUNTED or (match and q.kind == "year")) and not _names(stated, q)
    ]
    numbers = [q for q in numbers if not _lasts(stated, q)] or numbers
    numbers = [q for q in numbers if not _is_condition(stated, q, numbers)]
    spoken = tuple(periods(subject))
    clauses = [_said_beside(subject, stated, q, numbers) for q in numbers]
    targets = tuple(
        Target(
            q,
            naming(clause) | (frozenset() if match else _said_of_count(stated, q)),
            _near(stated, q, spoken, len(numbers)),
            subject,
            match is not None,
            clause,
        )
        for q, clause in zip(numbers, clauses, strict=True)
    )
    return Reading(text, subject, stated, targets, spoken, tuple(periods(stated)) if match else ())


def _lasts(stated: str, quantity: Quantity) -> bool:
    """'over five years', 'the 10-year return': a length of time that says which number is meant."""
    start, end = quantity.span
    joined = "-" in quantity.text and _THING.match(stated, end)
    return quantity.unit in _LENGTHS and bool(joined or _LASTING.search(stated[:start]))


def _names(stated: str, quantity: Quantity) -> bool:
    """A digit in a name ('4-PBA', 'OCT3/4', \"5'-nucleotidase\") or period ('nine months ended'), and 'one of', count
    nothing."""
    start, end = quantity.span
    if quantity.unit == "year" and _A_YEAR.match(quantity.text):
        return True  # 'at 2019 year end'
    in_name = _NAME_BEHIND.match(stated, end) or _NAME_BEFORE.search(stated[:start]) or _ENDED.match(stated, end)
    return bool(in_name) or (quantity.spelled and quantity.number == 1 and stated[end : end + 4] == " of ")


def _is_condition(stated: str, quantity: Quantity, numbers: Sequence[Quantity]) -> bool:
    """The base of a rate ('per 100,000'), and how often something is done ('twice a day')."""
    before = stated[: quantity.span[0]]
    if quantity.unit == "times" and _A_DAY.match(stated, quantity.span[1]):
        return True
    return len(numbers) > 1 and _PER.search(before) is not None


def _without_number(stated: str, quantity: Quantity) -> str:
    """A statement without the number, nor its 'more than'; its percent sign stays where a share is meant ('5 % of the
    total'), and the 'times' of a multiple."""
    before, after = _MORE_THAN.sub("", stated[: quantity.span[0]]), stated[quantity.span[1] :]
    share = quantity.kind == "percent" and after.startswith(" of ")
    return f"{before} {'%' if share else 'times' if quantity.kind == 'multiple' else ''} {after}"


def _said_beside(subject: str, stated: str, quantity: Quantity, numbers: Sequence[Quantity]) -> str:
    """What is said beside the number: everything, or, where a statement has several numbers, the number's own clause
    and, when that has no subject, what stands before the first number and what that one counts."""
    if subject != stated:
        return subject
    start, end = quantity.span
    if len(numbers) < 2:
        return f"{stated[:start]} {stated[end:]}"
    own = _clause(stated, quantity, numbers)
    if len(naming(own) - _LINKS) >= (1 if _IS.search(own) else _SUBJECT):
        return own
    counted = _COUNTED_THING.match(stated, numbers[0].span[1])
    return f"{stated[: numbers[0].span[0]]} {counted.group() if counted else ''} {own}"


def _said_of_count(stated: str, quantity: Quantity) -> frozenset[str]:
    """'505 stocks' is what a table calls 'number of stocks'."""
    counts = quantity.kind == "number" and not (quantity.unit or quantity.decimals or quantity.scaled_by)
    return naming("number") if counts and _COUNTED_THING.match(stated, quantity.span[1]) else frozenset()


def _clause(stated: str, quantity: Quantity, numbers: Sequence[Quantity]) -> str:
    """The words from the last break, or number, before a number to the next break, or number, after it. A number
    between commas ('the average, 0.74 %,') belongs to the clause before."""
    start, end = quantity.span
    left = max((n.span[1] for n in numbers if n.span[1] <= start), default=0)
    right = min((n.span[0] for n in numbers if n.span[0] >= end), default=len(stated))
    opens, closes = _break(stated, left, start), _break(stated, end, right) if right < len(stated) else None
    after = stated[end : closes.start() if closes else right]
    own = f"{stated[opens.end() if opens else left : start]} {after}"
    return own if naming(own) else f"{stated[left:start]} {after}"


def _break(stated: str, start: int, end: int) -> re.Match[str] | None:
    """Where one clause ends and the next begins: at the last mark or word that parts clauses, else, behind a number, at
    the first 'and', as the others may be part of a name ('research and development')."""
    breaks = list(_BREAK.finditer(stated, start, end))
    parting = [m for m in breaks if m.group() != " and "]
    return parting[-1] if parting else breaks[0] if breaks and start else None


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
    between = quantities(sentence[quantity.span[1] : behind[0].span[0]]) if behind else ()
    if behind and all(q.unit == "month" for q in between):  # 'for the nine months ended'
        return behind[0]
    before = [p for p in spoken if p.span[1] <= quantity.span[0]]
    return before[-1] if before else min(spoken, key=lambda p: abs(p.span[0] - quantity.span[0]))
