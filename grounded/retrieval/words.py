"""Words as retrieval sees them: lower case, stemmed lightly, without the words that carry no subject."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+(?:[.,’'&/-][^\W_]+)*")
_LABEL = re.compile(r"(?:^|\t)\s*([^\W\d_][^\t\n:\d$€£]{1,60}?)\s*(?=[:\t\d$€£]|$)", re.MULTILINE)
_DEFINED = re.compile(
    r"[“\"]([^”\"\n]{2,60})[”\"]\s*(?:\([^)\n]*\)\s*)?(?:means?|shall\s+mean|has\s+the\s+meaning|refers?\s+to)\b"
)
_STOP_WORDS = """
    a about above after again all also am an and any are as at be because been before being below between both
    but by can could did do does doing down during each few find for from further get give given gives had has
    have having he her here hers him his how i if in into is it its itself list many may me mention mentioned
    more most much must my no nor not of off on once one only or other our out over own please provide said
    same shall she should show so some state stated such tell than that the their them then there these they
    this those through to too under until up us very was we were what when where which while who whom whose
    why will with within without would you your document documents report according
"""
_STOP = frozenset(_STOP_WORDS.split())


def words(text: str) -> list[str]:
    """The words of `text`, lower case, in order. "10-Q", "U.S." and "7A" stay whole."""
    return [w.casefold().rstrip(".") for w in _WORD.findall(text)]


def is_stop_word(word: str) -> bool:
    """Whether the word carries no subject."""
    return word.casefold() in _STOP


def content_words(text: str) -> str:
    """The words that carry a subject, each once, joined by spaces."""
    return " ".join(dict.fromkeys(w for w in words(text) if w not in _STOP))


def content_stems(text: str) -> list[str]:
    """Stems of the words that carry a subject, in order."""
    return [stem(w) for w in words(text) if w not in _STOP]


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A light English stem: plural and possessive endings, -ing, -ed. Numbers and short words stay."""
    word = word.removesuffix("'s").removesuffix("’s")
    if len(word) <= 3 or not word.isalpha():
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word.removesuffix(ending)
    return word


def longest_shared_run(left: Sequence[str], right: Sequence[str]) -> int:
    """Length of the longest run of words that stands in both, in the same order without a gap."""
    best, previous = 0, [0] * (len(right) + 1)
    for word in left:
        current = [0] * (len(right) + 1)
        for j, other in enumerate(right):
            if word == other:
                current[j + 1] = previous[j] + 1
                best = max(best, current[j + 1])
        previous = current
    return best


def section_match(question: str, section: str) -> float:
    """How far the question names the section, 0..1.

    Over the titles of the section's path (joined by ' › '), the best of: 1.0 when every content word of the title is
    in the question, or two or more of them stand side by side in both ("expense ratio" names "Expense ratio
    comparison"); otherwise half the share of the title's content words that the question has. Words are compared by
    stem; words without a subject ("the", "report") do not count.
    """
    asked = content_stems(question)
    return max((_title_match(asked, stems(title)) for title in section.split(" › ")), default=0.0)


def titles_named(names: Iterable[str], section: str) -> bool:
    """Does a title of the section's path contain one of the names, word for word (compared by stem)?"""
    return any(_contains(stems(title), stems(name)) for title in section.split(" › ") if title for name in names)


def _contains(words: Sequence[str], part: Sequence[str]) -> bool:
    spans = range(len(words) - len(part) + 1)
    return bool(part) and any(words[i : i + len(part)] == part for i in spans)


@lru_cache(maxsize=65536)
def stems(text: str) -> tuple[str, ...]:
    """`content_stems` of a text that comes again and again: a title, a term."""
    return tuple(content_stems(text))


def label_match(question: str, text: str, *, whole: str = "") -> float:
    """How much of the question is said by one label of the text, 0..1: the share of the question's content words, for
    the best label all of whose words are in the question (or in `whole`, the question with its date and document).
    Labels are what stands at the start of a line or cell before a colon, a number or the end: field names of a form,
    row heads of a table, headings; and the terms that the text defines."""
    asked = frozenset(content_stems(question))
    allowed = asked | set(stems(whole))
    said = [len(label & asked) for label in _labels(text) if label <= allowed]
    return max(said, default=0) / max(len(asked), 1)


@lru_cache(maxsize=4096)
def _labels(text: str) -> tuple[frozenset[str], ...]:
    stems = (frozenset(content_stems(label)) for label in (*_LABEL.findall(text), *_DEFINED.findall(text)))
    return tuple({label for label in stems if label})


def _title_match(asked: Sequence[str], title: Sequence[str]) -> float:
    if not title or not asked:
        return 0.0
    share = sum(word in asked for word in title) / len(title)
    if share == 1.0 or longest_shared_run(title, asked) >= 2:
        return 1.0
    return share / 2
