"""The public claim sets as `check` items: the same dictionaries that a user would put into a JSON-lines file.

Split by document, twice. Rules, features and settings were chosen by looking at one half of the documents and never at
the other, which is reported. Models are fitted on all folds of the documents but one, and judge the claims on that one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from grounded.evaluation import sets
from grounded.evaluation.cases import GoldCase, GoldSet, Label
from grounded.evaluation.sets import fold_of, is_fitted, rows

__all__ = ["SETS", "Case", "contractnli", "ntsb", "rows", "scifact", "scitab", "tatqa"]


@dataclass(frozen=True, slots=True)
class Case:
    """A claim of a set with its gold label; group: the document it belongs to; kind: what the set says about it."""

    set: str
    id: str
    group: str
    item: dict[str, Any]
    label: Label
    kind: str = ""
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def chosen_on(self) -> bool:
        """Whether the document belongs to the half that rules and settings were chosen on."""
        return is_fitted(self.group)

    @property
    def fold(self) -> int:
        """Which models may judge it: those fitted without this fold."""
        return fold_of(self.group)


def tatqa() -> Iterator[Case]:
    """Numeric claims on a table with its paragraphs, look-ups and arithmetic apart."""
    for gold, case in _checked("tatqa"):
        part, _, kind = case.kind.partition(": ")
        yield _case(gold, case, f"tatqa {part}", kind)


def contractnli() -> Iterator[Case]:
    """Seventeen statements about each of the non-disclosure agreements; extra: evidence spans, the statement's name."""
    for gold, case in _checked("contractnli"):
        spans = [span for place in case.places for span in place.spans]
        yield _case(gold, case, "contractnli", case.kind, spans=spans, hypothesis=case.kind)


def scifact() -> Iterator[Case]:
    """Scientific claims, each with the abstract it cites; extra: the sentences that settle it."""
    for gold, case in _checked("scifact"):
        yield _case(gold, case, "scifact", "", sentences=[place.quote for place in case.places])


def scitab() -> Iterator[Case]:
    """Claims on tables of papers; the two decided classes."""
    for gold, case in _checked("scitab"):
        yield _case(gold, case, "scitab", "")


def ntsb() -> Iterator[Case]:
    """Claims on accident reports: true, another report's value, a digit edited. Blank fields have questions only."""
    for gold, case in _checked("ntsb"):
        yield _case(gold, case, "ntsb", case.kind)


def _checked(name: str) -> Iterator[tuple[GoldSet, GoldCase]]:
    gold = sets.load(name)
    return ((gold, case) for case in gold.cases if case.task == "check")


def _case(gold: GoldSet, case: GoldCase, name: str, kind: str, **extra: Any) -> Case:
    fields = {"claim", "text", "table", "caption", "document"}
    item = case.model_dump(mode="json", include=fields, exclude_none=True)
    if case.document:
        item["document"] = str(gold.pdfs[case.document])
    assert case.label is not None  # a check has one
    return Case(name, case.id, case.group, item, case.label, kind, extra)


SETS = {"tatqa": tatqa, "ntsb": ntsb, "contractnli": contractnli, "scitab": scitab, "scifact": scifact}
