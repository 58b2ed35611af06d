"""Outcomes to figures: tables with intervals over documents, what a chart needs, and the comparison of two runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from pydantic import Field

from grounded.evaluation import metrics, statistics
from grounded.evaluation.cases import GoldSet, Task
from grounded.evaluation.catalogue import METRICS, Metric
from grounded.evaluation.outcomes import FAILED, Outcome
from grounded.evaluation.statistics import Difference, Figure
from grounded.types import Frozen


class Row(Frozen):
    """A metric over a set."""

    metric: str
    section: str
    figure: Figure


class Signal(Frozen):
    """An opinion on answers: its mean, and how far it agrees with the gold, where both exist."""

    name: str
    mean: Figure
    agreement: Figure = Field(description="AUROC: does it score right answers above wrong ones? 0.5 is chance")


class Kind(Frozen):
    """The cases of one kind."""

    task: Task
    kind: str
    cases: int
    right: int


class Abstention(Frozen):
    """Answered or silent, on questions that can or cannot be answered: counts."""

    answered_answerable: int = 0
    silent_answerable: int = 0
    answered_unanswerable: int = 0
    silent_unanswerable: int = 0


class Bin(Frozen):
    """Cases of about the same confidence."""

    confidence: float
    right: float
    cases: int


class SetReport(Frozen):
    """What a run says about a set."""

    name: str
    about: str = ""
    licence: str = ""
    caution: str = ""
    cases: int
    documents: int
    failed: int = Field(default=0, description="questions that could not be asked; in no figure")
    undecided: int = Field(default=0, description="cases whose gold does not say whether the answer is right")
    rows: tuple[Row, ...] = ()
    signals: tuple[Signal, ...] = ()
    abstention: Abstention | None = None
    reliability: dict[str, tuple[Bin, ...]] = Field(default_factory=dict, description="of verdicts, of answers")
    kinds: tuple[Kind, ...] = ()

    def value(self, metric: str) -> float | None:
        """The value of a metric, None when it is not there or n/a."""
        return next((row.figure.value for row in self.rows if row.metric == metric), None)


class Compared(Frozen):
    """A metric in two runs, on the cases both have."""

    metric: str
    section: str
    first: float | None
    second: float | None
    difference: Difference
    more_is_better: bool = True


def summarise(gold: GoldSet, outcomes: Sequence[Outcome]) -> SetReport:
    """The report on one set."""
    return SetReport(
        name=gold.name,
        about=gold.about,
        licence=gold.licence,
        caution=gold.caution,
        cases=len(outcomes),
        documents=len({outcome.unit for outcome in outcomes}),
        failed=sum(outcome.status in FAILED for outcome in outcomes),
        undecided=sum(outcome.right is None and outcome.status not in FAILED for outcome in outcomes),
        rows=tuple(row for metric in METRICS if (row := _row(metric, outcomes)) is not None),
        signals=tuple(_signals(outcomes)),
        abstention=_abstention(outcomes),
        reliability=_reliability(outcomes),
        kinds=tuple(_kinds(outcomes)),
    )


def stage_of(metric: str) -> tuple[str, str] | None:
    """(measure, stage) of a retrieval measure that is taken at every stage: recall@k, MRR, nDCG@10; else None."""
    name, _, stage = metric.removesuffix(")").partition(" (")
    if not name.startswith(("recall@", "MRR", "nDCG@")):
        return None
    return name, stage or "reranked"


def by_stage(found: SetReport) -> dict[str, dict[str, Figure]]:
    """Retrieval measures by name, then by stage."""
    table: dict[str, dict[str, Figure]] = defaultdict(dict)
    for row in found.rows:
        if at := stage_of(row.metric):
            table[at[0]][at[1]] = row.figure
    return dict(table)


def compare(first: Sequence[Outcome], second: Sequence[Outcome]) -> list[Compared]:
    """Second run minus first, metric by metric. A verdict speaks of quality: of costs, less is better."""
    mine, theirs = ({outcome.id: outcome for outcome in side} for side in (first, second))
    shared = [key for key in mine if key in theirs]
    a, b = [mine[key] for key in shared], [theirs[key] for key in shared]
    found = []
    for metric in METRICS:
        before, after = _row(metric, a), _row(metric, b)
        if before and after:
            found.append(_compared(metric, before, after, a, b))
    return found


def _compared(metric: Metric, before: Row, after: Row, a: Sequence[Outcome], b: Sequence[Outcome]) -> Compared:
    documents = {outcome.id: outcome.unit for outcome in a}
    if metric.take and metric.statistic:
        first, second = ({o.id: row for o in side if (row := metric.take(o)) is not None} for side in (a, b))
        difference = statistics.compare_rows(first, second, documents, metric.statistic)
    else:
        values = [{o.id: o.figures.get(metric.name) for o in side} for side in (a, b)]
        difference = statistics.compare(values[0], values[1], documents)
    if not metric.more_is_better:
        difference = difference.model_copy(update={"verdict": _TURNED[difference.verdict]})
    return Compared(
        metric=metric.name, section=metric.section, first=before.figure.value, second=after.figure.value,
        difference=difference, more_is_better=metric.more_is_better,
    )  # fmt: skip


_TURNED: Mapping[statistics.Verdict, statistics.Verdict] = {
    "better": "worse",
    "worse": "better",
    "no difference": "no difference",
    "n/a": "n/a",
}


def _row(metric: Metric, outcomes: Sequence[Outcome]) -> Row | None:
    """None when the metric does not apply to any case."""
    if metric.take and metric.statistic:
        kept = [(row, o.unit) for o in outcomes if (row := metric.take(o)) is not None]
        figure = statistics.of_rows([row for row, _ in kept], [unit for _, unit in kept], metric.statistic)
    else:
        kept = [((), o.unit) for o in outcomes if metric.name in o.figures]
        values = [o.figures[metric.name] for o in outcomes if metric.name in o.figures]
        figure = statistics.mean_over_documents(values, [unit for _, unit in kept])
    return Row(metric=metric.name, section=metric.section, figure=figure) if kept else None


def _signals(outcomes: Sequence[Outcome]) -> Iterable[Signal]:
    names = dict.fromkeys(name for outcome in outcomes for name in outcome.signals)
    for name in names:
        having = [o for o in outcomes if name in o.signals and o.said]
        scored = [(value, o) for o in having if (value := o.signals[name]) is not None]
        judged = [(value, o) for value, o in scored if o.right is not None]
        yield Signal(
            name=name,
            mean=statistics.mean_over_documents([o.signals[name] for o in having], [o.unit for o in having]),
            agreement=statistics.of_rows(
                [(value, float(bool(o.right))) for value, o in judged],
                [o.unit for _, o in judged],
                lambda rows: metrics.auroc(rows[:, 0], rows[:, 1] > 0),
            ),
        )


def _abstention(outcomes: Sequence[Outcome]) -> Abstention | None:
    asked = [o for o in outcomes if o.task == "ask" and o.status not in FAILED]
    if not asked:
        return None
    return Abstention(
        answered_answerable=sum(o.said and o.gold for o in asked),
        silent_answerable=sum(not o.said and o.gold for o in asked),
        answered_unanswerable=sum(o.said and not o.gold for o in asked),
        silent_unanswerable=sum(not o.said and not o.gold for o in asked),
    )


def _reliability(outcomes: Sequence[Outcome]) -> dict[str, tuple[Bin, ...]]:
    found: dict[str, tuple[Bin, ...]] = {}
    for name in ("verdicts", "answers"):
        take = next(m.take for m in METRICS if m.name == f"ECE of {name}")
        rows = [row for o in outcomes if take and (row := take(o)) is not None]
        bins = metrics.reliability([row[0] for row in rows], [row[1] > 0 for row in rows]) if rows else []
        if bins:
            found[name] = tuple(Bin(confidence=sure, right=right, cases=n) for sure, right, n in bins)
    return found


def _kinds(outcomes: Sequence[Outcome]) -> Iterable[Kind]:
    held: dict[tuple[Task, str], list[bool]] = defaultdict(list)
    for outcome in outcomes:
        if outcome.right is not None:
            kind = outcome.kind or {"ask": "question", "search": "search", "check": "claim"}[outcome.task]
            held[outcome.task, kind].append(outcome.right)
    for (task, kind), right in sorted(held.items()):
        yield Kind(task=task, kind=kind, cases=len(right), right=sum(right))
