"""Stretches of a sentence found by their form: dates, names, titles of contracts, what follows a defining verb."""

from __future__ import annotations

import re

from grounded.generation.extractive.question import Kind, Question
from grounded.quantities import periods
from grounded.types import CharSpan

_NAME = re.compile(
    r"[A-Z][\w'’&.-]*(?:,? (?:Inc|Ltd|LLC|Corp|Co|Jr|Sr)\b\.?|(?: (?:of|the|and|de|von|van|for|&))* [A-Z][\w'’&.-]*)*"
)
_TITLE = re.compile(
    r"\b(?!T(?:his|HIS)\b)(?:[A-Z][A-Za-z&/,’'-]*\s+(?:(?:and|of|for|&)\s+)?){1,7}"
    r"(?:AGREEMENT|Agreement|CONTRACT|Contract|LEASE|Lease|AMENDMENT|Amendment)\b"
)
_DEFINES = re.compile(
    r"\b(?:(?:is|are|was|were) (?:defined as|called|known as|referred to as|(?:comprised|composed|made up) of)"
    r"|means?|consists? of|comprises?|represents?"
    r"|refers? to|relates? to|includes?|reflects?)\s+",
    re.IGNORECASE,
)
_CAUSES = re.compile(
    r"\b(?:due(?: (?:primarily|mainly|largely|principally))? to|because(?: of)?|attribut(?:able|ed) to|as a result of|"
    r"result(?:ed|ing|s)? (?:primarily |mainly )?from|(?:driven|caused|impacted|affected|offset)(?: \w+ly)? by|"
    r"owing to|thanks to|led by|in order to)\s+",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(
    r";|,? (?:which|while|whereas|although|therefore|but)\b|, and (?:is|are|was|were|has|have|had)\b|\s\("
)
_GOES_ON = re.compile(r"\s+(?!(?:is|are|was|were|has|have|had|will|may|can|shall|which|while|but|as)\b)[a-z(]")
_DAY_OF = re.compile(r"\d{1,2}(?:st|nd|rd|th)?\s+day\s+of\s+$", re.IGNORECASE)
_LAST_OF_LIST = re.compile(r",?\s+(?:and|or)\s+[^,.;:()]{1,80}(?<=\w)(?!\w)")
_NUMBER_WORDS = re.compile(
    r"\b(?:(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|\w+ty|hundred|thousand|million|and|"
    r"percent|dollars)\b[\s-]*)+$",
    re.IGNORECASE,
)
_ASKS_DEFINED = re.compile(
    r"\b(?:defined|called|mean|consist|comprise|represent|refer|relate|include|reflect|due to|attributable|driven)\b"
    r"|\bwhy\b",
    re.IGNORECASE,
)


def asks_defined(question: Question) -> bool:
    """Whether a question asks for what a defining verb is followed by."""
    return bool(_ASKS_DEFINED.search(question.text))


def defined(text: str, *, cause: bool = False) -> CharSpan | None:
    """What follows the defining verb of a sentence, or what it gives as a cause; None when it has neither."""
    match = (_CAUSES if cause else _DEFINES).search(text) or (None if cause else _CAUSES.search(text))
    end = len(text.rstrip().rstrip("."))
    return (match.end(), end) if match and end > match.end() else None


def whole_list(text: str, span: CharSpan) -> CharSpan:
    """A row of things that a phrase breaks off before its last: "paper, chemicals" of "paper, chemicals and food"."""
    rest = _LAST_OF_LIST.match(text, span[1]) if "," in text[slice(*span)] else None
    return (span[0], rest.end()) if rest else span


def whole_clause(text: str, span: CharSpan) -> CharSpan:
    """A phrase with what belongs to it up to the end of its clause: "royalty reports" of "royalty reports received from
    third parties"."""
    if not _GOES_ON.match(text, span[1]):
        return span
    stop = _CLAUSE_END.search(text, span[1])
    end = len(text[: stop.start() if stop else len(text)].rstrip(" .\n\t"))
    return (span[0], max(span[1], end))


def in_words(text: str, span: CharSpan) -> CharSpan:
    """A number in brackets with the words it repeats: "thirty (30)". Alone its brackets could be a minus sign."""
    start, end = span
    if not (text[:start].endswith("(") and text[end : end + 1] == ")" and text[start:end].strip("$€£%,. ").isdigit()):
        return span
    words = _NUMBER_WORDS.search(text[: start - 1])
    return (words.start() if words else start - 1, end + 1)


def all_of(kind: Kind, text: str) -> list[CharSpan]:
    """Every date or name of a text, where the question asks for one of those, else the titles of contracts in it."""
    if kind == "date":
        return _dates(text)
    return _names(text) if kind == "person" else [m.span() for m in _TITLE.finditer(text)]


def _names(text: str) -> list[CharSpan]:
    """Runs of capitalised words; a lone one at the start of the sentence is just its first word."""
    return [m.span() for m in _NAME.finditer(text) if m.start() > 0 or " " in m.group()]


def _dates(text: str) -> list[CharSpan]:
    """Dates with their "15th day of"; years alone only where no date says more."""
    found = [p for p in periods(text) if p.year is not None or p.month is not None]
    exact = [p for p in found if p.month is not None] or found
    return [(_day_of(text, p.span[0]), p.span[1]) for p in exact]


def _day_of(text: str, start: int) -> int:
    """Where a date begins whose month stands at `start`."""
    match = _DAY_OF.search(text[:start])
    return match.start() if match else start
