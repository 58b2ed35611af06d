"""Superlatives over running text: which is the most is answered only by a sentence that itself says so."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grounded.generation.extractive.words import is_stop, stem

_FAMILIES = tuple(
    frozenset(words.split())
    for words in (
        "most largest biggest greatest highest top leading main principal primary maximum max chief",
        "least smallest lowest fewest minimum min",
        "earliest first oldest original",
        "latest last newest",
        "best strongest",
        "worst weakest",
    )
)
_KNOWN = frozenset().union(*_FAMILIES)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d[\d.,]*|[^\w\s]")
_QUANTIFIES = re.compile(r"\s+of\b", re.IGNORECASE)  # "most of the seats"
_PARTIAL = re.compile(r"\b(?:one of|among|some of|at)(?: the| its| our| their)?\s*$", re.IGNORECASE)
_AMOUNTS = frozenset(map(stem, "number amount share proportion percentage part level of".split()))  # noqa: SIM905
_NO_SUPERLATIVES = frozenset("interest forest request harvest contest protest invest suggest honest modest".split())  # noqa: SIM905
MIN_LENGTH = 6  # of a word with "est" that is taken for a superlative
HEAD = 5  # letters that two words must share to be taken for one


def asks_superlative(question: str) -> bool:
    """Whether a question asks which is the most, the highest, the fastest."""
    return any(word in ("most", "least") or word.endswith("est") for word, _ in _superlatives(question))


def says_superlative(question: str, sentence: str) -> bool:
    """Whether a sentence says which is the most: a superlative of the question's sense that stands before a word of
    the question, or before none, and not "one of the largest"."""
    wanted = {family for word, _ in _superlatives(question) for family in _sense(word)}
    asked = {stem(w)[:HEAD] for w in _WORD.findall(question) if w[0].isalnum() and not is_stop(stem(w))}
    return any(wanted & _sense(word) and (not of or stem(of)[:HEAD] in asked) for word, of in _superlatives(sentence))


def _superlatives(text: str) -> Iterator[tuple[str, str]]:
    """Each superlative with the word of meaning right behind it, "" when a mark, a number or a small word is there."""
    found = list(_WORD.finditer(text))
    for at, match in enumerate(found):
        word = match.group().casefold()
        quantity = word in ("most", "least") and _QUANTIFIES.match(text, match.end())
        if _is_superlative(word) and not quantity and not _PARTIAL.search(text[: match.start()]):
            behind = next((m.group() for m in found[at + 1 :] if stem(m.group()) not in _AMOUNTS), "")
            yield word, behind if behind[:1].isalpha() and not is_stop(stem(behind)) else ""


def _is_superlative(word: str) -> bool:
    return word in _KNOWN or (len(word) >= MIN_LENGTH and word.endswith("est") and word not in _NO_SUPERLATIVES)


def _sense(word: str) -> frozenset[str | frozenset[str]]:
    """What a superlative means: its family, or itself."""
    return frozenset(family for family in _FAMILIES if word in family) or frozenset((word,))
