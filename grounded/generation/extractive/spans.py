"""The shortest stretch of a sentence that answers: a number, a date, a name, or what follows a defining verb."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

from grounded.generation.extractive.forms import durations
from grounded.generation.extractive.question import Kind, Question
from grounded.generation.extractive.words import terms, words
from grounded.quantities import periods, quantities
from grounded.types import CharSpan

NEARNESS = 30.0  # characters at which a word of the question counts half for a span beside it
CLEAR = 1.15  # the best span must be so much nearer to the question's words than the next to stand alone
_NAME = re.compile(
    r"[A-Z][\w'’&.-]*(?:,? (?:Inc|Ltd|LLC|Corp|Co|Jr|Sr)\b\.?|(?: (?:of|the|and|de|von|van|for|&))* [A-Z][\w'’&.-]*)*"
)
_TITLE = re.compile(
    r"\b(?!T(?:his|HIS)\b)(?:[A-Z][A-Za-z&/,’'-]*\s+(?:(?:and|of|for|&)\s+)?){1,7}"
    r"(?:AGREEMENT|Agreement|CONTRACT|Contract|LEASE|Lease|AMENDMENT|Amendment)\b"
)
_DEFINES = re.compile(
    r"\b(?:(?:is|are|was|were) (?:defined as|called|known as|referred to as)|means?|consists? of|comprises?|represents?"
    r"|refers? to|relates? to|includes?|reflects?|due to|because of|attributable to|resulted from|driven by)\s+",
    re.IGNORECASE,
)
_DAY_OF = re.compile(r"\d{1,2}(?:st|nd|rd|th)?\s+day\s+of\s+$", re.IGNORECASE)
_ASKS_DEFINED = re.compile(
    r"\b(?:defined|called|mean|consist|comprise|represent|refer|relate|include|reflect|due to|attributable|driven)\b"
    r"|\bwhy\b",
    re.IGNORECASE,
)


class Short(NamedTuple):
    """A span of a text that answers on its own, and whether no other there comes near it."""

    span: CharSpan
    clear: bool


def short_answer(question: Question, text: str) -> Short | None:
    """The stretch of `text` (one sentence) that answers `question`; None when the sentence has to speak for itself."""
    if _ASKS_DEFINED.search(question.text):
        return _defined(text)
    find = _FINDERS.get(question.kind)
    asked = set(question.every) | {t for p in question.periods for t in terms(p.text)}
    candidates = [s for s in (find(text) if find else ()) if not set(terms(text[slice(*s)])) <= asked]
    if not candidates:
        return None
    near = sorted(((_nearness(text, span, asked), span) for span in candidates), reverse=True)
    clear = len(near) == 1 or near[0][0] > CLEAR * near[1][0]
    return Short(near[0][1], clear)


def all_of(kind: Kind, text: str) -> list[CharSpan]:
    """Every date or name of a text, where the question asks for one of those, else the titles of contracts in it."""
    if kind == "date":
        return list(_dates(text))
    return list(_names(text)) if kind == "person" else [m.span() for m in _TITLE.finditer(text)]


def _defined(text: str) -> Short | None:
    match = _DEFINES.search(text)
    if not match:
        return None
    end = len(text.rstrip().rstrip("."))
    return Short((match.end(), end), True) if end > match.end() else None


def _nearness(text: str, span: CharSpan, asked: Collection[str]) -> float:
    """How near the question's words stand to a span, each as 1 / (1 + distance)."""
    gaps = [max(span[0] - w.end, w.start - span[1]) for w in words(text) if w.stem in asked]
    return sum(1 / (1 + max(0, gap) / NEARNESS) for gap in gaps)


def _amounts(text: str) -> Iterable[CharSpan]:
    return (q.span for q in quantities(text) if q.kind != "year")


def _dates(text: str) -> list[CharSpan]:
    """Dates with their "15th day of"; years alone only where no date says more."""
    found = [p for p in periods(text) if p.year is not None or p.month is not None]
    exact = [p for p in found if p.month is not None] or found
    return [(_day_of(text, p.span[0]), p.span[1]) for p in exact]


def _day_of(text: str, start: int) -> int:
    """Where a date begins whose month stands at `start`."""
    match = _DAY_OF.search(text[:start])
    return match.start() if match else start


def _names(text: str) -> Iterable[CharSpan]:
    """Runs of capitalised words; a lone one at the start of the sentence is just its first word."""
    return (m.span() for m in _NAME.finditer(text) if m.start() > 0 or " " in m.group())


_FINDERS: dict[Kind, Callable[[str], Iterable[CharSpan]]] = {
    "amount": _amounts,
    "date": _dates,
    "duration": durations,
    "person": _names,
    "place": _names,
}
