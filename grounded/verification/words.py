"""Words as the checks see them: tokens, stems, and which words carry content."""

from __future__ import annotations

import re
from functools import lru_cache

_TOKEN = re.compile(r"non-?(?=[^\W\d_]{3})[^\W\d_]+|[^\W\d_]+(?:['’&][^\W\d_]+)*|\d+(?:[.,]\d+)*", re.IGNORECASE)
_FUNCTION_WORDS = """
a an and are as at be been being but by did do does for from had has have having he her his how i if in into is it its
itself me much many my no nor not of off on or our out she so some such than that the their them then there these they
this those to was we were what when where which who whom whose why will with would you your shall should may might must
can could also any all each both per between among during under over above below up down only very more most less least
about after before again further once own same too just
"""
_FUNCTION = frozenset(_FUNCTION_WORDS.split())
# endings taken off, the first that fits; the stem keeps at least three letters
_ENDING_TABLE = """
ically=ic ations=at ation=at ating=at ators=at ator=at ated=at ates=at ments=ment ities=ity iness=y ies=y ied=y sses=ss
xes=x ches=ch shes=sh ings= ing= edly= ed= ers=er ly= es=e s=
"""
_ENDINGS = tuple((ending, instead) for ending, _, instead in (e.partition("=") for e in _ENDING_TABLE.split()))


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A light stem: lower case, no possessive, common endings off ('obligations', 'obligated' -> 'obligat')."""
    base = word.lower().replace("’", "'").removesuffix("'s").replace("'", "").replace("-", "")
    if len(base) <= 3 or base.endswith("ss") or base[-1].isdigit():
        return base
    for ending, instead in _ENDINGS:
        if base.endswith(ending) and len(base) - len(ending) + len(instead) >= 3:
            return _undouble(base[: len(base) - len(ending)] + instead)
    return base.removesuffix("e") if len(base) > 4 else base


def _undouble(base: str) -> str:
    """'submitt' -> 'submit'; then the silent e goes, so that 'license' and 'licensing' meet."""
    if len(base) > 4 and base[-1] == base[-2] and base[-1] not in "lsz":
        base = base[:-1]
    return base.removesuffix("e") if len(base) > 4 else base


@lru_cache(maxsize=16384)
def stems(text: str) -> tuple[str, ...]:
    """Stems of the content words and numbers of `text`, in order."""
    return tuple(stem(t) for t in tokens(text) if t.lower() not in _FUNCTION)


@lru_cache(maxsize=16384)
def tokens(text: str) -> tuple[str, ...]:
    """Words and numbers as written."""
    return tuple(_TOKEN.findall(text))


def is_function(word: str) -> bool:
    """Whether a lower-case word carries no content of its own."""
    return word in _FUNCTION


def content(text: str) -> frozenset[str]:
    """The set of stems, numbers left out."""
    return frozenset(s for s in stems(text) if not s[0].isdigit())


_NAMING_NUMBER = re.compile(r"\d{1,3}")


def naming(text: str) -> frozenset[str]:
    """What names a row, a column or a subject: its content words and short whole numbers ('level 2', 'aged 65')."""
    return frozenset(s for s in stems(text) if not s[0].isdigit() or _NAMING_NUMBER.fullmatch(s))
