"""Every metric: what it is called, what it means, where the definition comes from, which way is better."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from grounded.evaluation import metrics
from grounded.evaluation.outcomes import FAILED, KS, STAGES, Outcome
from grounded.evaluation.statistics import Rows, Statistic

Section = Literal["retrieval", "citations", "answers", "abstention", "claims", "calibration", "cost"]


class Metric(NamedTuple):
    """A mean of a figure that each case has for itself, or, with `take`, a statistic of all cases together."""

    name: str
    section: Section
    meaning: str
    source: str = ""
    more_is_better: bool = True
    take: Callable[[Outcome], Sequence[float] | None] | None = None
    statistic: Statistic | None = None


_MANNING = "Manning, Raghavan & Schütze 2008, ch. 8"
_AFTER = {
    "retrieved": "before reranking",
    "reranked": "in the final order",
    "read": "after trimming: of what went to the reader",
}


def _staged(stage: str) -> list[Metric]:
    tail, said = ("" if stage == "reranked" else f" ({stage})"), _AFTER[stage]
    recall = "share of gold pages among the first"
    return [
        *(Metric(f"recall@{k}{tail}", "retrieval", f"{recall} {k}, {said}", _MANNING) for k in KS),
        Metric(f"MRR{tail}", "retrieval", f"1 / rank of the first gold page, {said}", "Voorhees 1999"),
        Metric(f"nDCG@10{tail}", "retrieval", f"gain of gold pages by log2 of rank, {said}",
               "Järvelin & Kekäläinen 2002"),
    ]  # fmt: skip


def _of(task: str, value: Callable[[Outcome], Sequence[float]]) -> Callable[[Outcome], Sequence[float] | None]:
    return lambda outcome: value(outcome) if outcome.task == task and outcome.status not in FAILED else None


def _sure(task: str) -> Callable[[Outcome], Sequence[float] | None]:
    """(confidence, right) of the cases that have both; of questions, of the answered ones."""

    def take(outcome: Outcome) -> Sequence[float] | None:
        asked = outcome.task == task and (task == "check" or outcome.said)
        if not asked or outcome.confidence is None or outcome.right is None:
            return None
        return outcome.confidence, float(outcome.right)

    return take


def belief(outcome: Outcome) -> float:
    """How far a verdict speaks for its claim, 0 to 1: confidence says how sure it is, grounded says of what."""
    sure = (outcome.confidence or 0.0) / 2
    return 0.5 + sure if outcome.said else 0.5 - sure


def _balanced(rows: Rows) -> float | None:
    return metrics.balanced_accuracy(rows[:, 0] > 0, rows[:, 1] > 0)


def _auroc(rows: Rows) -> float | None:
    return metrics.auroc(rows[:, 0], rows[:, 1] > 0)


def _ece(rows: Rows) -> float | None:
    return metrics.calibration_error(rows[:, 0], rows[:, 1] > 0)


def _brier(rows: Rows) -> float | None:
    return metrics.brier(rows[:, 0], rows[:, 1] > 0)


_SAID = lambda o: (float(o.said), float(o.gold))  # noqa: E731 - a row: said, gold
_NAEINI, _BRIER, _SQUAD = "Naeini et al. 2015, 10 bins", "Brier 1950", "Rajpurkar et al. 2016"

METRICS: tuple[Metric, ...] = (
    *(metric for stage in STAGES for metric in _staged(stage)),
    Metric("right document first", "retrieval", "the first passage is of a gold document", "success@1"),
    Metric("right page first", "retrieval", "the first passage is on a gold page", "success@1"),
    Metric("citation precision", "citations", "share of citations that touch a gold place; n/a when nothing is cited",
           "Gao et al. 2023 (ALCE), on gold spans"),
    Metric("citation recall", "citations", "share of gold places that a citation touches", "as above"),
    Metric("page accuracy", "citations", "share of citations on a gold page"),
    Metric("span F1", "citations", "F1 of cited and gold characters, over all pages", "SQuAD's F1 on characters"),
    Metric("box IoU", "citations", "area in cited and gold boxes / in either", "Everingham et al. 2010"),
    Metric("wrong document", "citations", "share of citations in another document", more_is_better=False),
    Metric("exact match", "answers", "the gold answers are said: numbers with their scale, words after normalisation",
           f"{_SQUAD}; Zhu et al. 2021"),
    Metric("numeric exact match", "answers", "of questions whose answers are numbers: value and scale agree",
           "Zhu et al. 2021 (TAT-QA)"),
    Metric("text exact match", "answers", "of the others", _SQUAD),
    Metric("answer contained", "answers", "of the others: the gold words stand in the answer, side by side",
           "Mallen et al. 2023"),
    Metric("token F1", "answers", "F1 of words, best part of the first claim", _SQUAD),
    Metric("abstention right", "abstention", "answered what can be answered, silent on the rest"),
    Metric("answered on answerable", "abstention", "share of answerable questions answered"),
    Metric("silent on unanswerable", "abstention", "share of unanswerable questions not answered"),
    Metric("balanced abstention", "abstention", "mean of the two shares above",
           take=_of("ask", _SAID), statistic=_balanced),
    Metric("verdict right", "claims", "grounded exactly when supported"),
    Metric("balanced accuracy", "claims", "mean of the shares of true claims grounded and of others refused",
           "Brodersen et al. 2010", take=_of("check", _SAID), statistic=_balanced),
    Metric("AUROC", "claims", "chance that a true claim is believed more than another", "Mann & Whitney 1947",
           take=_of("check", lambda o: (belief(o), float(o.gold))), statistic=_auroc),
    Metric("true claims grounded", "claims", "recall of supported claims"),
    Metric("false claims refused", "claims", "recall of the others; by kind of error in the table of kinds"),
    Metric("contradictions named", "claims", "share of contradicted claims called contradicted"),
    Metric("ECE of verdicts", "calibration", "|confidence − share right|, weighted by bin", _NAEINI,
           more_is_better=False, take=_sure("check"), statistic=_ece),
    Metric("Brier of verdicts", "calibration", "mean squared distance of confidence and outcome", _BRIER,
           more_is_better=False, take=_sure("check"), statistic=_brier),
    Metric("ECE of answers", "calibration", "the same of generation confidence and right answers", _NAEINI,
           more_is_better=False, take=_sure("ask"), statistic=_ece),
    Metric("Brier of answers", "calibration", "the same of generation confidence and right answers", _BRIER,
           more_is_better=False, take=_sure("ask"), statistic=_brier),
    Metric("milliseconds a question", "cost", "all steps of the pipeline, without the log", more_is_better=False),
    Metric("milliseconds a search", "cost", "retrieval alone", more_is_better=False),
    Metric("milliseconds a claim", "cost", "reading its evidence included", more_is_better=False),
    Metric("input tokens", "cost", "of all model calls of a question", more_is_better=False),
    Metric("output tokens", "cost", "of all model calls of a question", more_is_better=False),
    Metric("cost in USD", "cost", "by the dated price table; n/a where a price is unknown", more_is_better=False),
)  # fmt: skip
BY_NAME = {metric.name: metric for metric in METRICS}
