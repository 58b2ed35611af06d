"""Whether a text has the form of answer a question asks for: a number, a date, a length of time, a name."""

from __future__ import annotations

import re
from functools import lru_cache

from grounded.generation.extractive.asking import asking
from grounded.generation.extractive.question import Kind
from grounded.generation.extractive.words import stem, terms, words
from grounded.quantities import periods, quantities
from grounded.types import CharSpan

_DURATION = re.compile(
    r"\b(?:days?|weeks?|months?|years?|hours?|minutes?|anniversary|perpetual(?:ly)?|indefinite(?:ly)?)\b"
    r"|\b(?:dai|week|month|quarter|annual|semi-?annual|year)ly\b|\b(?:annual|once|twice|each|every)\b",
    re.IGNORECASE,
)
_REPEATED = re.compile(r"\b(?:dai|week|month|quarter|annual|semi-?annual|year)ly\b|\b(?:each|every) \w+", re.IGNORECASE)
_NAME = re.compile(r"\b[A-Z][\w'’.&-]+(?: (?:of|and|the|de|van|von|&) | )[A-Z][\w'’.&-]+|\b[A-Z]{2,}\b")
_UNTOLD = re.compile(
    r"(?:unknown|none|n/?a|not (?:applicable|available|reported|known)|undetermined)\.?", re.IGNORECASE
)
_BODY = re.compile(
    r"\b(?:committee|board|trustees?|managers?|company|part(?:y|ies)|agents?|auditors?|directors?|officers?|bank|court|"
    r"advis[eo]rs?|administrators?|custodian|owners?|tenants?|landlord|buyers?|sellers?|suppliers?|members?|holders?|"
    r"employees?|physicians?|patients?|government|authority|agency|council|commission)\b",
    re.IGNORECASE,
)
_CAPITAL = re.compile(r"(?<!^)\b[A-Z][a-z]+")


_COUNTED = re.compile(
    r"\d|\b(?:no|none|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|\w+ty|hundred|thousand|"
    r"million|billion|dozen|half|most|all|third|quarter|several|some)\b",
    re.IGNORECASE,
)
_NAME_BEFORE = re.compile(r"[a-z,;)] [A-Z][a-z]+ $")  # a word with a capital that begins no sentence
_PRICED = re.compile(r"[$€£¥%]|\b(?:dollars?|euros?|pounds?|percent|per cent)\b", re.IGNORECASE)
_TIMES = frozenset(map(stem, "years months weeks days hours minutes".split()))  # noqa: SIM905
_MONEY = frozenset(map(stem, "dollars euros pounds percent percentage points cents thousand million billion".split()))  # noqa: SIM905
BEHIND = 10  # characters behind a number in which its unit stands
SAID = 0.5  # of a phrase's words, that the question says itself

MIN_EXPLANATION_WORDS = 5


def suits(question: str, text: str, span: CharSpan) -> bool:
    """Whether a phrase of a text may answer "how many years" (no amount of money does), "how much" (a number), or "who"
    (no title that the question itself says)."""
    asked, phrase = asking(question), text[slice(*span)]
    if asked.form == "how many":
        timed = asked.noun not in _TIMES or asked.noun in {w.stem for w in words(text[span[0] : span[1] + BEHIND])}
        priced = asked.noun not in _MONEY and _PRICED.search(phrase)
        return bool(_COUNTED.search(phrase)) and timed and not priced and not _names(text, span)
    if asked.form == "how much":
        return bool(_COUNTED.search(phrase))
    if asked.form == "who":
        said = terms(phrase)
        return not said or sum(t in asked.words for t in said) < SAID * len(said)
    return True


def _names(text: str, span: CharSpan) -> bool:
    """Whether a number is part of a name, "Flight 610", and counts nothing."""
    return text[slice(*span)].isdecimal() and bool(_NAME_BEFORE.search(text[: span[0]]))


@lru_cache(maxsize=8192)
def fits(kind: Kind, text: str) -> float:
    """1 when `text` has the form the question asks for, -1 when it cannot answer it, 0 when forms say nothing."""
    if not text or _UNTOLD.fullmatch(text):
        return 0.0
    if kind == "amount":
        return 1.0 if quantities(text) else -1.0
    if kind == "date":
        return 1.0 if _dated(text) else 0.5 if _REPEATED.search(text) else -1.0
    if kind == "duration":
        return 1.0 if _DURATION.search(text) else -1.0
    if kind in ("definition", "reason", "manner"):
        return 0.0 if len(text.split()) >= MIN_EXPLANATION_WORDS else -1.0
    if kind == "person" and _BODY.search(text):
        return float(bool(_NAME.search(text)))
    if kind in ("person", "place"):
        return 1.0 if _NAME.search(text) else 0.0 if _CAPITAL.search(text) else -1.0
    return 0.0


def _dated(text: str) -> bool:
    return any(p.year is not None or p.month is not None or p.quarter is not None for p in periods(text))
