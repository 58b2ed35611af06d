"""Forms: 'Label: value' in text and tables, and claims of the form 'the … is …' held against them.

A field is the claim's when the claim's subject names its label; then its value must be the claimed one, as a whole.
Where several labels are named, any of them may carry the value; where none does, the best named one says what is wrong.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import log

from grounded.quantities import compare, periods, quantities
from grounded.verification.evidence import Evidence, Grid
from grounded.verification.words import stems

_LABEL = re.compile(r"(?:^|(?<=[\n\t|])|(?<=\s\s))[ ]?(?P<label>[A-Z][^\n\t:|]{1,50}?):(?=[\s|]|$)")
_SPLIT = re.compile(r"\s+(?:is|was|are|were)\s+(?!no\b)", re.IGNORECASE)
_DENIED = re.compile(r"\b(is|was|are|were)(?:n['’]t|\s+(?:not|never|no longer))\b", re.IGNORECASE)
_VALUE_TOKEN = re.compile(r"[-−]?\d+(?:[.,:/-]\d+)*%?|[^\W_]+(?:['’][^\W_]+)*|[$€£%°]")
_LONGEST = 160
_BRACKETS = re.compile(r"\([^)]*\)")
_SLASH = re.compile(r"\w+\s?/\s?\w+")
_NAMES = 0.75  # share of a label's words that the subject must have
_PLAINLY = 0.3  # F-score of subject and label from which a differing value speaks against the claim
_AS_WELL = 0.55  # of the best label's F-score: labels that may be meant as well
_CONTINUED = re.compile(r"\(?cont(?:inued|['’]?d|\.)?\)?\.?", re.IGNORECASE)  # behind a heading that is printed again
_SHORT = 8  # words: a claimed value that a form's field could hold


@dataclass(frozen=True, slots=True)
class Field:
    """A label with the value printed beside it; blank fields have none. grid, row, col: its cell, -1 for text; span:
    label and value in the text."""

    label: str
    value: str
    grid: int = -1
    row: int = -1
    col: int = -1
    span: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class FieldFinding:
    """What the forms say about a claim: the field that carries the value, or the one that carries another. denied: the
    claim says that the value is another than the one it carries."""

    field: Field
    holds: bool
    claimed: str
    fit: float
    denied: bool = False


def find_field(claim: str, evidence: Evidence) -> FieldFinding | None:
    """The field that decides a claim, or None when no field is named or the claim has another form."""
    fields = _fields(evidence)
    if not fields:
        return None
    weights = _weights(fields)
    plain = _DENIED.sub(r"\1", claim)
    for subject, value in _readings(plain):
        named = sorted(_named(subject, value, fields, weights), key=lambda f: -f.fit)
        near = [f for f in named if f.fit >= _AS_WELL * named[0].fit]
        holding = next((f for f in near if f.holds), None) or next((f for f in named if f.holds and _telling(f)), None)
        if holding or (
            plain == claim and near and near[0].fit >= _needed(near[0].field) and _comparable(value, near[0].field)
        ):
            return replace(holding or near[0], denied=plain != claim)
    return None


def _comparable(claimed: str, field: Field) -> bool:
    """Whether the claimed value could stand in the field: a sentence behind a colon ('Note: …') is no value."""
    return len(_tokens(claimed)) <= _SHORT and (field.grid >= 0 or len(_tokens(field.value)) <= _SHORT + 4)


def _needed(field: Field) -> float:
    """How well a label must fit to speak against a claim: a form's field less than a line of text with a colon."""
    return _PLAINLY if field.grid >= 0 else 2 * _PLAINLY


def _telling(finding: FieldFinding) -> bool:
    """A value of several words is no coincidence under a less fitting label ('Aircraft' for 'make and model')."""
    return len(_tokens(finding.claimed)) > 1 and any(len(t) > 3 for t in _tokens(finding.claimed))


def _readings(claim: str) -> Iterator[tuple[str, str]]:
    """(subject, value) at each 'is', the last one first; for 'question? — answer' the question is the subject."""
    text = claim.strip()
    if "?" in text:
        subject, _, value = text.partition("?")
        if value.strip(" —–-:"):
            yield subject, value.strip(" —–-:")
        return
    for match in reversed(list(_SPLIT.finditer(text))):
        if text.count("(", 0, match.start()) > text.count(")", 0, match.start()):
            continue  # 'as such term is defined' in parentheses
        yield text[: match.start()], text[match.end() :].rstrip(" .")


def _named(subject: str, value: str, fields: Sequence[Field], weights: dict[str, float]) -> Iterator[FieldFinding]:
    asked = frozenset(stems(subject))
    for field in fields:
        fit = max(_label_fit(own, asked, weights) for own in _label_readings(field.label))
        if fit:
            yield FieldFinding(field, same_value(value, field.value), value, fit)


def _label_fit(own: frozenset[str], asked: frozenset[str], weights: dict[str, float]) -> float:
    """F-score of label and subject, 0 when the subject lacks too much of the label."""
    total = sum(weights[s] for s in own)
    hit = sum(weights[s] for s in own & asked)
    if not total or hit / total < _NAMES:
        return 0.0
    recall = hit / (sum(weights[s] for s in asked if s in weights) or 1.0)
    return 2 * (hit / total) * recall / (hit / total + recall)


def _label_readings(label: str) -> list[frozenset[str]]:
    """The words of a label; 'Model/Series' may also be read as either."""
    readings = [_label_stems(label)]
    for match in _SLASH.finditer(label):
        readings += [_label_stems(label.replace(match.group(), word)) for word in match.group().split("/")]
    return readings


@lru_cache(maxsize=4096)
def _label_stems(label: str) -> frozenset[str]:
    """Words of a label; what stands in parentheses is an abbreviation or a plural."""
    return frozenset(stems(_BRACKETS.sub(" ", label)))


def _weights(fields: Sequence[Field]) -> dict[str, float]:
    """Rarity of each label word among the labels."""
    labels = {field.label for field in fields}
    seen = Counter(s for label in labels for s in _label_stems(label))
    return {s: log(1 + len(labels) / n) for s, n in seen.items()}


def same_value(claimed: str, stated: str) -> bool:
    """Whether a field's value is the claimed one: same words, or these words in one run of it; a last word may be cut
    short. Numbers and dates agree as values."""
    wanted, have = _tokens(claimed), _tokens(stated)
    if not wanted or not have:
        return False
    size = len(wanted)
    for start in range(len(have) - size + 1):
        window = have[start : start + size]
        if window[:-1] == wanted[:-1] and _same_or_cut(wanted[-1], window[-1]):
            return True
    return _same_quantity(claimed, stated)


def _tokens(text: str) -> list[str]:
    return [t.casefold().replace("−", "-") for t in _VALUE_TOKEN.findall(text)]


def _same_or_cut(claimed: str, stated: str) -> bool:
    return claimed == stated or (len(claimed) > 4 and claimed.isalpha() and stated.startswith(claimed))


def _same_quantity(claimed: str, stated: str) -> bool:
    dates, own_dates = periods(claimed), periods(stated)
    if dates or own_dates:
        left = claimed[: dates[0].span[0]] + claimed[dates[0].span[1] :] if dates else claimed
        return len(dates) == len(own_dates) == 1 and dates[0].key == own_dates[0].key and not left.strip(" .,")
    numbers, own = quantities(claimed, locale_hint="en"), quantities(stated, locale_hint="en")
    alone = len(numbers) == len(own) == 1 and _only(claimed, numbers[0].text) and _only(stated, own[0].text)
    return alone and compare(numbers[0], own[0]).agrees


def _only(text: str, part: str) -> bool:
    return not text.replace(part, "").strip(" .,")


# ---------------------------------------------------------------- reading forms


@lru_cache(maxsize=256)
def _fields(evidence: Evidence) -> tuple[Field, ...]:
    in_tables = [f for i, grid in enumerate(evidence.grids) for f in _in_grid(i, grid)]
    return tuple(dict.fromkeys((*in_tables, *_in_text(evidence.text))))


def _in_grid(index: int, grid: Grid) -> Iterator[Field]:
    """'Label:' cells with the cell beside them, in tables where most rows have such cells."""
    labelled = sum(any(cell.rstrip().endswith(":") for cell in row[:-1]) for row in grid.rows)
    if labelled * 2 < len(grid.rows):
        return
    for r, row in enumerate(grid.rows):
        for c, cell in enumerate(row[:-1]):
            text = " ".join(cell.split())
            if text.endswith(":") and 1 < len(text) <= 60:
                yield Field(text.rstrip(": "), " ".join(row[c + 1].split()), index, r, c + 1)


def _in_text(text: str) -> Iterator[Field]:
    """'Label:' at the start of a line or after a tab, with what follows up to the next label or line."""
    labels = list(_LABEL.finditer(text))
    ends = [match.start() for match in labels[1:]] + [len(text)]
    for match, end in zip(labels, ends, strict=False):
        rest = text[match.end() : end]
        lines = [line.strip(" \t|") for line in rest.split("\n")]
        value = lines[0] or (lines[1] if len(lines) > 1 else "")
        drawn = value and not any(c.isalnum() for c in value)  # a line to sign on
        if len(value) <= _LONGEST and not drawn and not _CONTINUED.fullmatch(value):
            stop = match.end() + rest.find(value) + len(value)
            yield Field(" ".join(match["label"].split()), " ".join(value.split()), span=(match.start("label"), stop))
