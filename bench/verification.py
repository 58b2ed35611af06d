"""How well claims are told apart, on documents that nothing was fitted on.

    python -m bench.verification [SET ...] [--json] [--folds] [--half all|report|fit] [--sample N]

Sets: tatqa, ntsb, contractnli, scitab, scifact, mutations, edited (default: all). Every claim goes through the
functions behind the `check` command. The models shipped judge the fold of the documents that they never saw; with
--folds the other folds are judged too, each by models fitted without it, which are kept in bench/results as long as the
models shipped are the same (a quarter of an hour to fit them). --half: only the documents that rules and settings were
chosen on (fit), or only the others (report). Balanced accuracy with a 95 % bootstrap interval over documents;
calibration of the confidences.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import claims
from bench.claims import Case
from bench.edited_claims import edited_claims
from bench.mutations import mutations
from grounded import documents
from grounded.cli.check import FileSource
from grounded.evaluation import metrics
from grounded.evaluation.sets import FOLDS
from grounded.evaluation.statistics import Figure, of_rows
from grounded.retrieval.pairs import available_pairs
from grounded.settings import Settings
from grounded.types import PageSource
from grounded.verification.check import check_claims, evidence_of, read_item
from grounded.verification.follows import PairReader
from grounded.verification.judge import weigh
from grounded.verification.models import HOME, Models, load

FLOORS_AND_AIMS = {
    "tatqa lookup": (0.76, 0.97), "tatqa arithmetic": (0.51, 0.90), "ntsb": (0.97, 0.995), "contractnli": (0.67, 0.78),
    "scitab": (0.50, 0.65), "scifact": (0.70, 0.76), "mutations": (None, 0.97),
    "edited": (None, 0.97),
}  # fmt: skip
BUILT = Path(__file__).parent / "results" / "verifier"
SETS = claims.SETS | {"mutations": mutations, "edited": edited_claims}


@dataclass(frozen=True, slots=True)
class Scored:
    """A case with its verdict."""

    case: Case
    grounded: bool
    status: str
    confidence: float
    reason: str

    @property
    def right(self) -> bool:
        return self.grounded == (self.case.label == "supported")


def main() -> int:
    """Run the chosen sets and print the tables."""
    args = _arguments()
    report = {name: _measure(name, args) for name in args.sets}
    if args.json:
        print(json.dumps(report, indent=1))
    else:
        for name, part in report.items():
            _print(name, part)
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.verification", description=__doc__.split("\n")[0])
    parser.add_argument("sets", nargs="*", default=list(SETS), metavar="SET", help=", ".join(SETS))
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--half", choices=["all", "report", "fit"], default="all")
    parser.add_argument("--folds", action="store_true", help="judge every fold, by models fitted without it")
    parser.add_argument("--sample", type=int, default=0, help="only so many documents a set")
    parser.add_argument("--alone", action="store_true", help="without the encoder, where no rule decides")
    parser.add_argument("--errors", action="store_true", help="print the claims judged wrongly")
    return parser.parse_args()


def _measure(name: str, args: argparse.Namespace) -> dict[str, Any]:
    cases = [c for c in SETS[name]() if args.half == "all" or c.chosen_on == (args.half == "fit")]
    if args.sample:
        groups = sorted({c.group for c in cases})[: args.sample]
        cases = [c for c in cases if c.group in groups]
    start = time.process_time()
    scored = held_back(cases, None if args.alone else available_pairs(), args.folds)
    spent = (time.process_time() - start) * 1000 / max(1, len(scored))
    if args.errors:
        _print_errors(scored)
    by_set = defaultdict(list)
    for s in scored:
        by_set[s.case.set].append(s)
        if args.half == "all" and not s.case.chosen_on:
            by_set[f"{s.case.set}, half nothing was chosen on"].append(s)
    return {"ms_a_claim": round(spent, 2), "sets": {key: _figures(part) for key, part in sorted(by_set.items())}}


def _print_errors(scored: Sequence[Scored]) -> None:
    for s in scored:
        if not s.right:
            verdict = f"{s.status} {s.confidence:.2f}"
            print(
                "|".join([s.case.set, s.case.kind, s.case.label, verdict, s.case.item["claim"], s.reason]),
                file=sys.stderr,
            )


def held_back(cases: Sequence[Case], pairs: PairReader | None, folds: bool) -> list[Scored]:
    """Cases on documents that no model saw: of the first fold by the models shipped; of the others, when asked for, by
    models fitted without it. No model is fitted on reports that are given as documents."""
    scored = score([c for c in cases if c.fold == 0 or "document" in c.item], pairs)
    for fold in range(1, FOLDS) if folds else ():
        of_fold = [c for c in cases if c.fold == fold and "document" not in c.item]
        scored += score(of_fold, pairs, _fitted_without(fold)) if of_fold else []
    return scored


def _fitted_without(fold: int) -> Models:
    shipped = b"".join((HOME / name).read_bytes() for name in ("models.json", "sentences.json", "follows.npz"))
    home = BUILT / hashlib.sha256(shipped).hexdigest()[:16] / f"without-{fold}"
    if not (home / "follows.npz").is_file():
        from bench import train_verifier  # needs scikit-learn

        home.mkdir(parents=True, exist_ok=True)
        train_verifier.train(train_verifier.Fit(home, fold), train_verifier.ALL, BUILT / "read.pickle")
    return load(home)


def score(cases: Sequence[Case], pairs: PairReader | None, models: Models | None = None) -> list[Scored]:
    """All cases through `check_claims`, or by other models than those shipped."""
    items = [read_item(c.item, c.id) for c in cases]
    if models is None:
        verdicts = [result.verdict for result in check_claims(items, Opener(), pairs)]
    else:
        verdicts = [weigh(item.claim, evidence_of(item), pairs, models).verdict for item in items]
    return [Scored(c, v.grounded, v.status, v.confidence, v.reason) for c, v in zip(cases, verdicts, strict=True)]


class Opener:
    """Reads each PDF once."""

    def __init__(self) -> None:
        self.opened: dict[str, tuple[str, PageSource]] = {}

    def __call__(self, name: str) -> tuple[str, PageSource]:
        if name not in self.opened:
            path = Path(name)
            document = documents.read(path.read_bytes(), path.name, settings=Settings().documents)
            self.opened[name] = document.id, FileSource(document)
        return self.opened[name]


# ---------------------------------------------------------------- figures


def _figures(scored: Sequence[Scored]) -> dict[str, Any]:
    name, found = scored[0].case.set, _balanced(scored)
    contradicted = [s for s in scored if s.case.label == "contradicted"]
    figures: dict[str, Any] = {
        "claims": len(scored),
        "documents": len({s.case.group for s in scored}),
        "balanced_accuracy": round(found.value or math.nan, 4),
        "interval": [round(math.nan if x is None else x, 4) for x in (found.low, found.high)],
        "floor": FLOORS_AND_AIMS[name][0],
        "aim": FLOORS_AND_AIMS[name][1],
        "right_by_kind": {k: round(v, 4) for k, v in _by_kind(scored).items()},
        "ece": round(metrics.calibration_error([s.confidence for s in scored], [s.right for s in scored]) or 0.0, 4),
        "reliability": reliability(scored),
        "statuses": dict(Counter(s.status for s in scored)),
    }
    if contradicted:
        figures["contradiction_recall"] = round(
            sum(s.status == "contradicted" for s in contradicted) / len(contradicted), 4
        )
    return figures


def balanced_accuracy(scored: Sequence[Scored]) -> float:
    """Mean of the shares of true claims grounded and of other claims not grounded; NaN when one kind is absent."""
    return _balanced(scored).value or math.nan


def _balanced(scored: Sequence[Scored]) -> Figure:
    rows = [(float(s.grounded), float(s.case.label == "supported")) for s in scored]
    return of_rows(rows, [s.case.group for s in scored], lambda r: metrics.balanced_accuracy(r[:, 0] > 0, r[:, 1] > 0))


def _by_kind(scored: Sequence[Scored]) -> dict[str, float]:
    kinds: dict[str, list[bool]] = defaultdict(list)
    for s in scored:
        kinds[s.case.kind or s.case.label].append(s.right)
    return {kind: sum(part) / len(part) for kind, part in sorted(kinds.items())}


def reliability(scored: Sequence[Scored]) -> list[dict[str, float]]:
    """Confidence against the share of right verdicts, in ten equal bins of confidence."""
    bins = metrics.reliability([s.confidence for s in scored], [s.right for s in scored])
    return [{"claims": n, "confidence": round(sure, 3), "right": round(right, 3)} for sure, right, n in bins]


def _print(name: str, part: dict[str, Any]) -> None:
    print(f"\n{name}: {part['ms_a_claim']} ms a claim")
    for key, f in part["sets"].items():
        low, high = f["interval"]
        print(f"  {key}: {f['claims']} claims, {f['documents']} documents")
        accuracy = f"{f['balanced_accuracy']:.3f} [{low:.3f}, {high:.3f}]"
        print(f"    balanced accuracy {accuracy}  floor {f['floor']}  aim {f['aim']}")
        if "contradiction_recall" in f:
            print(f"    contradiction recall {f['contradiction_recall']:.3f}")
        print(f"    expected calibration error {f['ece']:.3f}   statuses {f['statuses']}")
        for kind, right in f["right_by_kind"].items():
            print(f"      {kind:<24}{right:.3f}")
        print("    confidence  right  claims")
        for row in f["reliability"]:
            print(f"      {row['confidence']:.2f}      {row['right']:.2f}   {row['claims']}")


if __name__ == "__main__":
    sys.exit(main())
