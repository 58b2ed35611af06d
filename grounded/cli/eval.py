"""`eval`: gold sets through the pipeline, reports, history, comparison, gates."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from grounded.cli import emit, note
from grounded.errors import UsageError
from grounded.evaluation import history, sets
from grounded.evaluation.cases import GoldSet, Size, held_out, read_set, sample
from grounded.evaluation.history import RunReport
from grounded.evaluation.outcomes import STAGES
from grounded.evaluation.report import figure, number, page
from grounded.evaluation.statistics import Figure
from grounded.evaluation.summary import Compared, SetReport, by_stage, stage_of
from grounded.settings import load_settings

_BAR = 24  # characters of the progress bar
_MANY = 10_000  # documents: as good as no limit


def configure(parser: argparse.ArgumentParser, command: str) -> None:
    """Options of docs/evaluation.md."""
    words = "sets by name, JSONL files; or `compare RUN RUN`, or `new NAME`"
    parser.add_argument("sets", nargs="*", metavar="SET", help=words)
    parser.add_argument("--list", action="store_true", help="the sets, and what is absent")
    parser.add_argument("--history", action="store_true", help="the recorded runs")
    parser.add_argument("--all", action="store_true", help="every set that is on this machine")
    parser.add_argument("--limit", type=int, metavar="N", help="so many cases of each task of each set")
    parser.add_argument("--subset", choices=["ci", "all"], help="ci: a small part, always the same (with --all: ci)")
    parser.add_argument("--seen", action="store_true", help="also cases on documents that something here was fitted on")
    parser.add_argument("--judge", action="store_true", help="score answers with a model: signals, beside the figures")
    parser.add_argument("--reader", choices=["claude", "extractive"], help="default: claude if a key is set")
    parser.add_argument("--model", help="the model to ask (implies --reader claude)")
    parser.add_argument("--top-k", type=int, help="how many passages")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write the report as one self-contained page")
    parser.add_argument("--gate", type=Path, metavar="FILE", help="exit 1 when worse than this report, or these limits")


def run(args: argparse.Namespace) -> int:
    """Exit code 0; 1 when the gate is closed."""
    if args.list:
        return _list(args)
    if args.history:
        return _history(args)
    if args.sets[:1] == ["compare"]:
        return _compare(args)
    if args.sets[:1] == ["new"]:
        return _new(args)
    return _evaluate(args)


def _evaluate(args: argparse.Namespace) -> int:
    from grounded.library import Library
    from grounded.pipeline.evaluate import Evaluation

    settings = load_settings(
        {
            "library": args.library,
            "model": args.model,
            "reader": args.reader or ("claude" if args.model else None),
            "retrieval": {"top_k": args.top_k},
        }
    )
    names, absent = _chosen(args)
    part = args.subset or ("ci" if args.all and args.limit is None else "all")
    chosen = [_part(_load(name), args, part) for name in names]
    progress = _Progress()

    def users() -> Library:
        return Library(args.library, settings=settings)

    evaluation = Evaluation(settings, users, judge=args.judge, progress=progress)
    report = evaluation.run(chosen, part=part if args.limit is None else str(args.limit), absent=absent)
    progress.end()
    return _report(report, args)


def _chosen(args: argparse.Namespace) -> tuple[list[str], list[str]]:
    """Names of the sets to run, and of those that are not on this machine, said aloud."""
    if not args.all and not args.sets:
        raise UsageError("name a set, a JSONL file, or --all", advice="`eval --list` names the sets")
    named = list(sets.LOADERS) if args.all else args.sets
    absent = [name for name in named if sets.is_absent(name)]
    for name in absent:
        note(f"skipped: {name} is not on this machine ({sets.shared()}; set GROUNDED_SHARED)")
    if len(absent) == len(named):
        raise UsageError("none of these sets is on this machine", where=", ".join(absent))
    return [name for name in named if name not in absent] + (args.sets if args.all else []), absent


def _load(name: str) -> GoldSet:
    return read_set(Path(name)) if name.endswith(".jsonl") else sets.load(name)


def _part(gold: GoldSet, args: argparse.Namespace, part: str) -> GoldSet:
    kept = gold if args.seen else held_out(gold)
    if args.limit is not None:
        if args.limit < 1:
            raise UsageError("--limit is at least 1")
        return sample(kept, Size(min(_MANY, max(args.limit, gold.ci.documents)), args.limit))
    return sample(kept, gold.ci) if part == "ci" else kept


def _report(report: RunReport, args: argparse.Namespace) -> int:
    if args.html:
        args.html.write_text(page(report, history.outcomes_of(report.id)), encoding="utf-8")
        note(f"report written to {args.html}")
    closed = history.gate(report, args.gate) if args.gate else []
    if args.json:
        gate = {"gate": {"passed": not closed, "regressions": [r._asdict() for r in closed]}} if args.gate else {}
        emit(report.model_dump(mode="json") | gate)
    else:
        for found in report.sets:
            _print_set(found)
        reused = f", {report.reused} cases reused" if report.reused else ""
        note(f"run {report.id}: {report.seconds:.0f} s{reused}; {report.part}; reader {report.reader}")
    for regression in closed:
        note(f"worse: {regression.set} {regression.metric}: {regression.why}")
    return 1 if closed else 0


# ---------------------------------------------------------------- other actions


def _list(args: argparse.Namespace) -> int:
    found = sets.available()
    if args.json:
        listed = [{"name": name, "about": about, "absent": sets.is_absent(name)} for name, about in found.items()]
        emit({"sets": listed})
    else:
        _table([(name, about) for name, about in found.items()])
    return 0


def _history(args: argparse.Namespace) -> int:
    found = history.runs()
    if args.json:
        emit({"runs": [run.model_dump(mode="json", exclude={"sets", "settings"}) for run in found]})
        return 0
    _table([(r.id, r.commit, r.reader, r.part, " ".join(s.name for s in r.sets), f"{r.seconds:.0f} s") for r in found])
    if not found:
        note("No run is recorded yet: `eval samples`")
    return 0


def _compare(args: argparse.Namespace) -> int:
    if len(args.sets) != 3:
        raise UsageError("compare needs two runs", advice="eval compare RUN RUN; `eval --history` lists them")
    first, second = (history.find(name) for name in args.sets[1:])
    pairs = history.compare_runs(first.id, second.id)
    if args.json:
        shown = {name: [c.model_dump(mode="json") for c in part] for name, part in pairs.items()}
        emit({"first": first.id, "second": second.id, "sets": shown})
        return 0
    for name, part in pairs.items():
        print(f"\n{name}")
        _table([_compared(c) for c in part], indent=2)
    if not pairs:
        note("the two runs have no set in common")
    return 0


def _compared(found: Compared) -> tuple[str, ...]:
    d = found.difference
    between = f"[{d.low:+.3f}, {d.high:+.3f}]" if d.low is not None and d.high is not None else ""
    changed = f"{d.value:+.3f}" if d.value is not None else "n/a"
    return found.metric, number(found.first), number(found.second), changed, between, f"n={d.n}", d.verdict


def _new(args: argparse.Namespace) -> int:
    if len(args.sets) != 2:
        raise UsageError("new needs one name", advice="eval new NAME")
    path = sets.own_set(args.sets[1])
    if path.exists():
        raise UsageError("there is such a set already", where=str(path), advice="Mark more answers, or edit the file")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    if args.json:
        emit({"set": args.sets[1], "path": str(path)})
    else:
        print(path)
        note("Ask in the app, open `Mark` below an answer, and choose this set: what you mark becomes gold.")
    return 0


# ---------------------------------------------------------------- printing


class _Progress:
    """A bar on stderr, redrawn in place; without a terminal one line a set."""

    def __init__(self) -> None:
        self._live, self._line, self._set = sys.stderr.isatty(), "", ""

    def __call__(self, step: Any) -> None:
        if not self._live:
            if step.set != self._set and not step.doing:
                note(f"{step.set}: {step.total} cases")
                self._set = step.set
            return
        full = round(_BAR * step.done / step.total) if step.total else _BAR
        line = f"[{'█' * full}{'·' * (_BAR - full)}] {step.set} {step.doing} {step.done}/{step.total}"
        if line != self._line:
            sys.stderr.write(f"\r\x1b[2K{line}")
            sys.stderr.flush()
            self._line = line

    def end(self) -> None:
        """Leave the line."""
        if self._live:
            sys.stderr.write("\r\x1b[2K")


def _print_set(found: SetReport) -> None:
    print(f"\n{found.name}: {found.cases} cases, {found.documents} documents. {found.about}")
    if found.caution:
        print(f"  caution: {found.caution}")
    if found.failed:
        print(f"  {found.failed} questions failed and are in no figure")
    _print_stages(found)
    section = ""
    for row in found.rows:
        if stage_of(row.metric):
            continue
        if row.section != section:
            section = row.section
            print(f"  {section}")
        print(f"    {row.metric:<26}{figure(row.figure)}")
    if found.abstention:
        a = found.abstention
        print(f"  answerable: {a.answered_answerable} answered, {a.silent_answerable} silent;", end=" ")
        print(f"not answerable: {a.answered_unanswerable} answered, {a.silent_unanswerable} silent")
    if found.signals:
        print("  signals: opinions, no gold (mean; agreement with gold as AUROC, 0.5 is chance)")
        for signal in found.signals:
            print(f"    {signal.name:<26}{figure(signal.mean)}   agreement {figure(signal.agreement)}")


def _print_stages(found: SetReport) -> None:
    """Retrieval measures, a column for each stage."""
    staged = by_stage(found)
    if not staged:
        return
    print(f"  {'retrieval':<14}" + "".join(f"{stage:>26}" for stage in STAGES))
    for name, figures in staged.items():
        print(f"    {name:<12}" + "".join(f"{_short(figures[stage]):>26}" for stage in STAGES))


def _short(figure: Figure) -> str:
    interval = f" [{number(figure.low)}, {number(figure.high)}]" if figure.low is not None else ""
    return number(figure.value) + interval


def _table(rows: Sequence[Iterable[str]], indent: int = 0) -> None:
    cells = [list(row) for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print(" " * indent + line.rstrip())
