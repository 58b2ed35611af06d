"""What claims lose when their evidence is a PDF instead of inline text and table.

    python -m bench.check_pdfs [SET ...] [--half fit|report] [--documents N] [--claims N] [--layout NAME ...] [--errors]

Sets: tatqa, scitab, contractnli, scifact (typeset here in the layouts of bench.bound), ntsb (its own PDFs). The same
claims go through the function behind `check` inline, and against the PDFs without quotes, with the page, with a true
quote, with a wrong page, and with a quote of another place. Reported are documents that the models shipped never saw.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bench import claims
from bench.bound import LAYOUTS, Context, Layout, bind
from bench.claims import Case
from bench.verification import Opener, Scored, balanced_accuracy
from grounded.evaluation import sets
from grounded.retrieval.pairs import available_pairs
from grounded.text import sentence_spans
from grounded.verification.check import CheckResult, check_claims, read_item

TEXTS = {"contractnli", "scifact"}  # have no tables


class Printed(NamedTuple):
    """A case with the PDF that holds its context, the pages it stands on, and how many the PDF has."""

    case: Case
    path: str
    pages: range
    of: int


class Run(NamedTuple):
    """What came of a case."""

    printed: Printed
    result: CheckResult

    @property
    def scored(self) -> Scored:
        verdict = self.result.verdict
        return Scored(self.printed.case, verdict.grounded, verdict.status, verdict.confidence, verdict.reason)

    @property
    def on_page(self) -> bool:
        """Whether the first place shown is on a page of the claim's own context."""
        return self.result.citations[0].page in self.printed.pages


def main() -> int:
    """Print a table for each set."""
    args = _arguments()
    with tempfile.TemporaryDirectory() as folder:
        for name in args.sets:
            cases = sample(list(claims.SETS[name]()), args)
            for layout in _layouts(name, args.layout):
                _report(name, layout, cases, Path(folder), args.errors)
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.check_pdfs", description=__doc__.split("\n")[0])
    parser.add_argument("sets", nargs="*", default=list(claims.SETS), metavar="SET", help=", ".join(claims.SETS))
    parser.add_argument("--half", choices=["report", "fit"], default="report")
    parser.add_argument("--documents", type=int, default=40)
    parser.add_argument("--claims", type=int, default=400)
    parser.add_argument("--layout", nargs="*", default=[layout.name for layout in LAYOUTS])
    parser.add_argument("--errors", action="store_true", help="print the claims lost; fitting half only")
    args = parser.parse_args()
    if args.errors and args.half == "report":
        parser.error("rows of the reported half are not looked at")
    return args


def sample(cases: Sequence[Case], args: argparse.Namespace) -> list[Case]:
    """So many claims of so many documents of a half; of the reported one, documents that no model saw."""
    fitting = args.half == "fit"
    half = [c for c in cases if c.chosen_on == fitting and (fitting or c.fold == 0 or "document" in c.item)]
    chooser = random.Random(1)
    groups = sorted({case.group for case in half})
    chosen = set(chooser.sample(groups, min(args.documents, len(groups))))
    kept = [case for case in half if case.group in chosen]
    return sorted(chooser.sample(kept, min(args.claims, len(kept))), key=lambda case: case.group)


def _layouts(name: str, wanted: Sequence[str]) -> list[Layout | None]:
    if name == "ntsb":
        return [None]
    plain = ("alone", "columns")  # bound together, the agreements would all speak to every statement
    return [layout for layout in LAYOUTS if layout.name in wanted and (name not in TEXTS or layout.name in plain)]


# ---------------------------------------------------------------- printing


def typeset(name: str, layout: Layout | None, cases: Sequence[Case], folder: Path) -> list[Printed]:
    """The cases with the PDFs of their contexts, written to the folder; those of ntsb have their own."""
    if layout is None:
        return [Printed(c, c.item["document"], range(1, 100), 0) for c in cases]
    contexts = list(_contexts(name, cases))
    printed: dict[str, tuple[str, range, int]] = {}
    for n in range(0, len(contexts), layout.bound):
        part = contexts[n : n + layout.bound]
        path = folder / f"{name}-{layout.name}-{n}.pdf"
        pages = bind(path, part, layout)
        last = max(p.stop for p in pages.values()) - 1
        printed |= {key: (str(path), found, last) for key, found in pages.items()}
    return [Printed(case, *printed[_key(case)]) for case in cases]


def _key(case: Case) -> str:
    """Papers have several tables, each a context of its own."""
    return f"{case.group} {case.item['caption']}{case.item['table'][0]}" if case.set == "scitab" else case.group


def _contexts(name: str, cases: Sequence[Case]) -> Iterator[Context]:
    """Each case's context once, in an order that parts the contexts of one report."""
    sheets = sets.load("tatqa").sheets if name == "tatqa" else {}
    texts = _texts() if name == "scifact" else {}
    seen: dict[str, Case] = {_key(case): case for case in cases}
    for key in sorted(seen):
        item = seen[key].item
        if name == "tatqa":
            sheet = sheets[f"{key}.pdf"]
            yield Context(key, sheet.paragraphs, [[str(c or "") for c in row] for row in sheet.table])
        elif name == "scitab":
            yield Context(key, (), item["table"], item["caption"])
        elif name == "scifact":
            yield Context(key, texts[key])
        else:
            yield Context(key, item["text"].split("\n"))


def _texts() -> dict[str, list[str]]:
    corpus = sets.rows("scifact/corpus.jsonl")
    return {row["doc_id"]: [row["title"], " ".join(s.strip() for s in row["abstract"])] for row in corpus}


# ---------------------------------------------------------------- running


def _quotes(cases: Sequence[Case]) -> dict[str, str]:
    """Case -> a quote that its claim rests on, where the set says so: sentences, spans, the row of a look-up."""
    found = {}
    rows = (
        {row["id"]: row for row in sets.rows("tatqa/dev_numeric_claims.jsonl")} if cases[0].set[:5] == "tatqa" else {}
    )
    for case in cases:
        if case.extra.get("sentences"):
            found[case.id] = case.extra["sentences"][0].strip()
        elif case.extra.get("spans"):
            found[case.id] = case.item["text"][slice(*max(case.extra["spans"], key=lambda s: s[1] - s[0]))]
        elif case.set == "tatqa lookup" and (row := _row(case, rows[case.id.removeprefix("claim ")])):
            found[case.id] = row
    return found


def _row(case: Case, row: dict[str, Any]) -> str:
    """The table row that holds the gold value, as printed."""
    value = str(row["gold_answer"][0] if isinstance(row["gold_answer"], list) else row["gold_answer"]).strip("$% ")
    holding = [r for r in case.item["table"] if r[0] and any(c.strip("$% ") == value for c in r[1:])]
    return " ".join(" ".join(c.split()) for c in holding[0] if c.strip()) if len(holding) == 1 else ""


def _other(case: Case, quote: str) -> str:
    """Another sentence of the same text, or another row."""
    text = case.item.get("text") or ""
    sentences = [text[a:b] for a, b in sentence_spans(text) if b - a > 40 and "\n" not in text[a:b].strip()]
    others = [s for s in sentences if s.strip() not in quote and quote not in s]
    return random.Random(case.id).choice(others) if others else ""


def run(printed: Sequence[Printed], make: Callable[[Printed], dict[str, Any] | None]) -> list[Run]:
    """The cases through `check`, each as the item made of it (the claim is added); without an item it is left out."""
    kept = [(p, item) for p in printed if (item := make(p)) is not None]
    read = [read_item({"claim": p.case.item["claim"], **item}, p.case.id) for p, item in kept]
    results = check_claims(read, _OPENER, available_pairs())
    return [Run(p, result) for (p, _), result in zip(kept, results, strict=True)]


_OPENER = Opener()


def _report(name: str, layout: Layout | None, cases: Sequence[Case], folder: Path, errors: bool) -> None:
    printed = typeset(name, layout, cases, folder)
    quotes = _quotes(cases)
    for path in {p.path for p in printed}:
        _OPENER(path)
    wrong = {p.case.id: next((n for n in range(1, p.of + 1) if n not in p.pages), 0) for p in printed}
    ways: dict[str, Callable[[Printed], dict[str, Any] | None]] = {
        "inline": lambda p: None if layout is None else {k: v for k, v in p.case.item.items() if k != "claim"},
        "PDF": lambda p: {"document": p.path},
        "page": lambda p: {"document": p.path, "page": p.pages[0]} if p.of > 1 and len(p.pages) == 1 else None,
        "wrong page": lambda p: {"document": p.path, "page": wrong[p.case.id]} if wrong[p.case.id] else None,
        "quote": lambda p: {"document": p.path, "quote": q} if (q := quotes.get(p.case.id)) else None,
        "quote, wrong page": lambda p: {"document": p.path, "quote": q, "page": wrong[p.case.id]}
        if (q := quotes.get(p.case.id)) and wrong[p.case.id] else None,
        "other quote": lambda p: {"document": p.path, "quote": o}
        if (q := quotes.get(p.case.id)) and (o := _other(p.case, q)) else None,
    }  # fmt: skip
    pages = f"{len({p.path for p in printed})} PDFs, up to {max(p.of for p in printed)} pages"
    print(f"\n{name}, {layout.name if layout else 'its own PDFs'}: {len(cases)} claims, {pages}")
    runs = {}
    for way, make in ways.items():
        start = time.process_time()
        runs[way] = run(printed, make)
        _row_of(way, runs[way], time.process_time() - start)
    if errors:
        _print_lost(runs["inline"], runs["PDF"])


def _row_of(way: str, runs: Sequence[Run], seconds: float) -> None:
    if not runs:
        return
    by_set = defaultdict(list)
    for run in runs:
        by_set[run.printed.case.set].append(run)
    for name, part in sorted(by_set.items()):
        scored = [run.scored for run in part]
        held = [run for run in part if run.result.verdict.grounded]
        against = [run for run in part if run.result.verdict.status == "contradicted"]
        print(
            f"  {way:<18}{name:<18}{len(part):>5}  balanced accuracy {balanced_accuracy(scored):.3f}"
            f"  grounded {len(held) / len(part):.2f}  {_cited('grounded', held)}  {_cited('contradicted', against)}"
            f"  {seconds * 1000 / len(runs):.0f} ms a claim",
            flush=True,
        )


def _cited(what: str, runs: Sequence[Run]) -> str:
    """Of the verdicts of a kind: how many show a place, and how many of these on the context's own page."""
    shown = [run for run in runs if run.result.citations]
    if not shown:
        return f"{what} -"
    return f"{what} shown {len(shown) / len(runs):.2f}, own page {sum(r.on_page for r in shown) / len(shown):.2f}"


def _print_lost(inline: Sequence[Run], pdf: Sequence[Run]) -> None:
    before = {run.printed.case.id: run for run in inline}
    for run in pdf:
        was = before.get(run.printed.case.id)
        if (was is None or was.scored.right) and not run.scored.right:
            said = was.result.verdict.reason if was else ""
            case, verdict = run.printed.case, run.result.verdict
            shown = [f"p{c.page} {' '.join(c.snippet.split())[:80]}" for c in run.result.citations]
            print(f"LOST|{case.set}|{case.kind}|{case.label}|{case.item['claim']}")
            print(f"    inline: {said}\n    PDF: {verdict.status} {verdict.reason} {shown} (own {run.printed.pages})")


if __name__ == "__main__":
    sys.exit(main())
