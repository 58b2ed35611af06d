"""What a text says and what it denies: 'will not take defensive positions' is no ground for 'takes defensive
positions', whatever else the two have in common."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from grounded.verification.align import Aligned
from grounded.verification.prose import Statement
from grounded.verification.words import is_function, stem, stems

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|[,;:.()]")
_DENIES = frozenset({"not", "never", "cannot", "nor", "no"})
# 'does not try to outperform' denies the outperforming
_LEADS_ON = frozenset(map(stem, ["try", "seek", "attempt", "aim", "intend", "plan", "able", "yet", "ever"]))
_NO_DENIAL = re.compile(
    r"\b(?:not (?:only|just|merely|necessarily|limited)|(?:whether|if) or not|"
    r"no(?:t)? (?:more|less|fewer|later|earlier|longer|greater|higher|lower)\b[^.;]{0,20}? than)\b",
    re.IGNORECASE,
)
_NEGATES = re.compile(
    r"\b(?:no|not|nor|never|neither|none|without|cannot|unable|fail\w*|lack\w*)\b|n['’]t\b", re.IGNORECASE
)
_PHRASE = frozenset(
    ["in", "on", "at", "by", "for", "with", "from", "as", "to", "of", "all", "every", "always", "the", "a"]
)
_LISTED = frozenset({",", "or", "nor"})
_SHARED = 2  # words that a sentence must share with a claim to deny it
_ABOUT, _PLAINLY = 0.25, 0.5  # share of a claim's words: a sentence about it, one that plainly says or denies it


class Denial(NamedTuple):
    """A sentence that denies what the claim says, or says what it denies. plain: it has most of the claim's words."""

    statement: Statement
    detail: str
    plain: bool


def find_denial(claim: str, aligned: Sequence[Aligned]) -> Denial | None:
    """The sentence about the claim that has most of its words and one of them under a 'not' that the claim lacks, or
    one without the 'not' that the claim has. None where another sentence with as many words agrees."""
    ours, own = denied(claim), frozenset(stems(claim))
    words = ours or {word: word for word in own}
    for word, written in sorted(words.items()):
        about = [a for a in aligned if word in a.statement.stem_set and _is_about(a, own)]
        closest = max(about, key=lambda a: a.covered, default=None)
        if closest is None:
            continue
        theirs = denied(closest.statement.text)
        if not ours and word in theirs:
            detail = f"the source says “{theirs[word]}”, the claim has it without the denial"
            return Denial(closest.statement, detail, closest.covered >= _PLAINLY)
        if ours and closest.covered >= _PLAINLY and not _NEGATES.search(closest.statement.text):
            return Denial(closest.statement, f"the claim says “{written}”, the source has it without the denial", True)
    return None


def both_deny(claim: str, text: str) -> bool:
    """Whether both say that something is not so."""
    return bool(denied(claim)) and _NEGATES.search(text) is not None


def _is_about(aligned: Aligned, own: frozenset[str]) -> bool:
    return aligned.covered >= _ABOUT and len(aligned.statement.stem_set & own) >= _SHARED


@lru_cache(maxsize=8192)
def denied(text: str) -> dict[str, str]:
    """Stem -> the denial in the text's words ('not sponsor', 'not … endorse') of the words that a 'not' stands before:
    the first content word behind it, and those listed with that one."""
    words = _WORD.findall(_NO_DENIAL.sub(" ", text))
    found: dict[str, str] = {}
    for i, token in enumerate(words):
        if token.lower() in _DENIES or token.lower().endswith(("n't", "n’t")):
            for at in _scope(words, i + 1):
                between = " … " if at > i + 1 else " "
                found.setdefault(stem(words[at]), f"{token}{between}{words[at]}")
    return found


def _scope(words: Sequence[str], start: int) -> list[int]:
    """Places of the words that a 'not' in front of `start` denies: one, or several joined by 'or'. None where only a
    phrase of place or manner is denied ('but not in mice')."""
    items: list[int] = []
    joined = False
    for i in range(start, len(words)):
        word = words[i].lower()
        if word in ";:.()" or (i == start and word in _PHRASE) or (items and not _goes_on(words[i - 1], word)):
            break
        joined |= word in ("or", "nor")
        if word != "," and not _passed_over(word):
            items.append(i)
    return items if joined else items[:1]


def _goes_on(before: str, word: str) -> bool:
    """Whether a word still belongs to a list: a joint, or what stands behind one."""
    return word in _LISTED or before.lower() in _LISTED


def _passed_over(word: str) -> bool:
    return is_function(word.lower()) or stem(word) in _LEADS_ON or word.endswith("ly")
