"""Does an answer say the gold value? Exact match of numbers with their scale, else of words, and token F1."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from grounded.evaluation.cases import GoldCase
from grounded.evaluation.metrics import contained, exact_match, numeric_match, token_f1
from grounded.quantities import Quantity, quantities
from grounded.types import VerifiedClaim

EXPONENTS = {"": 0, "thousand": 3, "million": 6, "billion": 9, "percent": 0}
_ANOTHER = "another scale"


def is_numeric(case: GoldCase) -> bool:
    """Whether every gold answer is one number."""
    return bool(case.answers) and all(_number(answer) is not None for answer in case.answers)


def exact(claims: Iterable[VerifiedClaim], case: GoldCase) -> float | None:
    """1 when the claims say the gold answers (any or all, as the case needs). None when the case has none."""
    if not case.answers:
        return None
    said = [part for claim in claims for part in parts(claim)]
    return _as_needed(case, [any(same(part, gold, case.scale) for part in said) for gold in case.answers])


def held(claims: Iterable[VerifiedClaim], case: GoldCase) -> float | None:
    """1 when the gold answers stand word for word in the claims. None when the case has none."""
    if not case.answers:
        return None
    said = [claim.text for claim in claims]
    return _as_needed(case, [any(contained(text, gold) == 1.0 for text in said) for gold in case.answers])


def _as_needed(case: GoldCase, found: Sequence[bool]) -> float:
    return float(all(found) if case.needs == "all" else any(found))


def best_f1(claims: Iterable[VerifiedClaim], case: GoldCase) -> float | None:
    """SQuAD's F1 of the best part of the first claim against the best gold answer; all answers as one when all are
    needed. None when the case has no answers."""
    if not case.answers:
        return None
    gold = [" ".join(case.answers)] if case.needs == "all" else case.answers
    said = [part for claim in list(claims)[:1] for part in parts(claim)]
    return max((token_f1(part, answer) for part in said for answer in gold), default=0.0)


def parts(claim: VerifiedClaim) -> list[str]:
    """What a claim may be read to answer: all of it, what stands behind one of its colons ('Flown under: Part 91:
    Personal'), and of each what stands before its brackets."""
    words = claim.text.split(": ")
    behind = [": ".join(words[n:]) for n in range(len(words))]
    found = list(dict.fromkeys(part for text in behind for part in (text, text.split(" (")[0])))
    return [*found, claim.calculation.result] if claim.calculation else found


def same(said: str, gold: str, scale: str = "") -> bool:
    """Whether two answers are one: as numbers at the gold's printed precision and in its scale (a scale may be left
    out), or as words after SQuAD's normalisation."""
    wanted = _number(gold)
    if wanted is None:
        return exact_match(said, gold) == 1.0
    found = quantities(said)
    if len(found) != 1:
        return False
    exponent = wanted.exponent or EXPONENTS[scale]
    said_scale = scale if found[0].exponent in (0, exponent) else _ANOTHER
    return numeric_match(found[0].number, said_scale, wanted.number, scale) == 1.0


def _number(text: str) -> Quantity | None:
    """The number a text is, when it is nothing else."""
    found = quantities(text)
    return found[0] if len(found) == 1 and found[0].text.strip() == text.strip() else None
