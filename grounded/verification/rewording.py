"""Remarks on tables, and claims in other words than the source's: weighed by heads, or read by an encoder."""

from __future__ import annotations

import re

from grounded.types import Check
from grounded.verification import align, comparing
from grounded.verification.examine import Examined
from grounded.verification.judgement import DECIDED, READ, SPEAKS_AGAINST, Judgement, on_statement, refused, ruled
from grounded.verification.numbers import Seen, as_seen
from grounded.verification.numeric import chance_of
from grounded.verification.ordering import find_order
from grounded.verification.polarity import both_deny
from grounded.verification.strangers import find_strange_limit, find_strange_name, find_strange_words, listed

_LOOKED_AT = 6  # cells shown for a remark on a table
_OVER = 1.2  # by how much it must be over the chance of the contrary
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")


def remark_features(examined: Examined) -> dict[str, float]:
    """What the head for remarks on a table is told: how its rows and columns compare, what the rules say about order,
    and how the claim's numbers fare."""
    told = [comparing.features(examined.claim, sheet) for sheet in examined.sheets]
    best = max(told, key=lambda t: t["rows_named"] + t["columns_named"])
    order = find_order(examined.reading, examined.sheets)
    chances = [chance_of(finding, examined) for finding in examined.findings]
    return best | {
        "order": 0.0 if order is None else (1.0 if order.holds else -1.0),
        "numbers": float(min(len(chances), 4)),
        "numbers_worst": min(chances, default=0.5),
        "numbers_mean": sum(chances) / len(chances) if chances else 0.5,
        "explained": examined.explained,
    }


def by_comparing(examined: Examined) -> Judgement:
    """A remark on tables alone: what their rows, columns and numbers say to it, with the head's sober confidence."""
    chance = examined.models.heads["tables"].probabilities(remark_features(examined))["supported"]
    if chance >= DECIDED:
        detail = "the table's rows and columns agree with the remark"
        check = Check(name="comparison", passed=True, detail=detail)
        return Judgement(ruled("grounded", chance, detail, [check]), (), _compared(examined))
    detail = "the table's rows and columns do not bear the remark out"
    return Judgement(ruled("unverified", 1 - chance, detail, [Check(name="comparison", passed=None, detail=detail)]))


def _compared(examined: Examined) -> tuple[Seen, ...]:
    """Cells of the table whose rows and columns the claim names most narrowly."""
    found = [[as_seen(v, n) for v in comparing.compared(examined.claim, s)] for n, s in enumerate(examined.sheets)]
    return tuple(min((cells for cells in found if cells), key=len, default=[])[:_LOOKED_AT])


def by_alignment(examined: Examined) -> Judgement:
    """A claim in words: by the heads that learned its statement, else as the encoder reads it; refused first for what
    the evidence nowhere has."""
    if not examined.aligned:
        check = Check(name="words", passed=None, detail="there is no text to hold the claim against")
        return Judgement(ruled("unverified", 0.5, check.detail, [check]))
    if stranger := next((w for w in _DIGITS.findall(examined.claim) if w not in examined.everything), None):
        return refused(f"“{stranger}” is nowhere in the source", "numbers")
    known = align.is_learned(examined.claim)
    if not known and (stranger := find_strange_name(examined) or find_strange_limit(examined)):
        return stranger
    chances = _learned(examined) if known else _unfamiliar(examined)
    sure = chances["supported"]
    closest = max(examined.aligned, key=lambda a: a.covered)
    for_it = max(examined.aligned, key=lambda a: a.supports) if known else closest
    against = max(examined.aligned, key=lambda a: a.contradicts) if known else closest
    if sure >= (max(chances.values()) if known else max(READ, _OVER * chances["contradicted"])):
        stranger = None if known else find_strange_words(examined)
        return stranger or on_statement("grounded", sure, "follows from", for_it.statement)
    if chances["contradicted"] > chances["not stated"]:
        plainly = 1 - sure >= SPEAKS_AGAINST and not both_deny(examined.claim, against.statement.text)
        if known or plainly:
            return on_statement("contradicted", 1 - sure, "spoken against by", against.statement)
        return on_statement("unverified", 1 - sure, "not stated plainly; perhaps spoken against by", against.statement)
    unknown = "" if known or not examined.strangers else f" (the source nowhere has {listed(examined.strangers)})"
    return on_statement("unverified", 1 - sure, f"not stated{unknown}; the nearest sentence is", for_it.statement)


def _learned(examined: Examined) -> dict[str, float]:
    """Class probabilities of a claim in words whose counterparts were learned."""
    told = align.features(examined.claim, examined.prose, examined.aligned, examined.models.scorer)
    return examined.models.heads["words"].probabilities(told)


def _unfamiliar(examined: Examined) -> dict[str, float]:
    """Class probabilities of a claim whose words were hardly ever met in training: the encoder reads it; without one a
    head that knows no words decides."""
    if examined.read is not None:
        return examined.read
    told = align.open_features(examined.claim, examined.prose, examined.models.scorer)
    return examined.models.heads["open"].probabilities(told)
