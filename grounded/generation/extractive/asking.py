"""What a question looks for, as the span ranker sees it: its question word, the noun behind it, its other words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from grounded.generation.extractive.candidates import Token, tokens
from grounded.generation.extractive.words import is_stop, stem
from grounded.text import question_word

FORMS = ("who", "when", "where", "why", "how many", "how much", "how", "which", "what", "what is", "other")


def _stems(words: str) -> frozenset[str]:
    return frozenset(map(stem, words.split()))


_NOUNS: Mapping[str, frozenset[str]] = {
    "person": _stems(
        "person man woman president king queen leader author writer scientist inventor actor player coach director "
        "emperor ruler founder singer artist general pope politician philosopher governor mayor architect engineer "
        "quarterback chairman ceo minister auditor manager employee child people name doctor character"
    ),
    "place": _stems(
        "city country state place location river region county town area island province continent street building "
        "nation mountain jurisdiction district village stadium university school park venue headquarter"
    ),
    "time": _stems("year date day month century decade time era period age season"),
    "number": _stems(
        "number amount percentage percent proportion population rate price cost size height length distance speed "
        "temperature quantity degree total score share value ratio level"
    ),
    "group": _stems(
        "company organization group team party agency institution army network band association firm church company "
        "body committee publisher channel corporation empire"
    ),
}
KINDS = (*_NOUNS, "thing")


@dataclass(frozen=True, slots=True)
class Asking:
    """form: one of FORMS. kind: one of KINDS, of the noun asked for. noun: its stem, "" when none. words: the stems
    that carry meaning. exact: those of names and numbers, which have no other words. verb: the last word that may be
    one. subject: whether the question word is the subject ("who invented …", not "whom did … invent")."""

    form: str
    kind: str
    noun: str
    words: tuple[str, ...]
    exact: frozenset[str]
    verb: str
    subject: bool


@lru_cache(maxsize=256)
def asking(question: str) -> Asking:
    """The question, taken apart for the ranker."""
    found = tokens(question)
    start, at = question_word(question) or (0, 0)
    word = question[start:at].casefold() or "other"
    rest = [t for t in found if t.start >= at and t.sort != "punct"]
    noun = _noun(word, rest)
    content = [t for t in found if t.sort not in ("punct", "wh") and not is_stop(t.stem)]
    copula = bool(rest) and rest[0].sort == "aux" and word in ("what", "which")
    form = {"whom": "who", "whose": "who"}.get(word, "what is" if copula else word)
    return Asking(
        form if form in FORMS else "other",
        _kind(form, noun),
        noun,
        tuple(dict.fromkeys(t.stem for t in content)),
        frozenset(t.stem for t in content if t.start and (t.sort == "number" or t.text[0].isupper())),
        _verb(rest),
        bool(rest) and rest[0].sort != "aux" and not any(t.text.casefold() in _DO for t in rest),
    )


_DO = frozenset(("did", "does", "do"))


def _noun(word: str, rest: list[Token]) -> str:
    """The last noun of the run behind "which", "what", "how many": "which football team" asks for a team."""
    if word not in ("which", "what", "how many", "how much", "whose", "other"):
        return ""
    run: list[Token] = []
    for token in rest:
        if token.sort in ("aux", "prep", "to", "pron", "wh", "conj", "verb"):
            break
        if token.sort != "det":
            run.append(token)
    if not run and rest and rest[0].sort == "aux":
        return _noun("other", rest[1:]) if word != "other" else ""
    return run[-1].stem if run else ""


def _verb(rest: list[Token]) -> str:
    """The last word that is no name, number or noun marker: often the verb of "what did X do"."""
    lower = [t for t in rest if t.sort in ("word", "verb") and not is_stop(t.stem)]
    return lower[-1].stem if lower else ""


def _kind(form: str, noun: str) -> str:
    if form == "who":
        return "person"
    if form == "when":
        return "time"
    if form == "where":
        return "place"
    if form in ("how many", "how much"):
        return "number"
    return next((kind for kind, nouns in _NOUNS.items() if noun in nouns), "thing")
