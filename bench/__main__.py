"""Every benchmark that this machine has the data for. `python -m bench.NAME` runs one.

    python -m bench [NAME …] [--record]

--record keeps what was printed: all of it in docs/figures.md, the figures of the sample documents in README.md too. The
gold sets' figures are kept as docs/evaluation.json; README's table is made from it.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import re
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from bench.eval import table

ROOT = Path(__file__).resolve().parent.parent
# In the order of a reader's interest; the first need nothing but the sample documents.
MODULES = (
    "ask", "index", "eval", "app", "audit", "claude", "documents", "structure", "retrieval", "reader", "verification",
    "invented_tables", "peers", "sizing", "cluster", "scale",
)  # fmt: skip
ON_DEMAND = ("peers",)  # installs other systems: only when named
IN_README = ("ask", "index")
FIGURES = ROOT / "docs" / "figures.md"
EVALUATION = ROOT / "docs" / "evaluation.json"
_PART = re.compile(r"^## `python -m bench\.(\w+)`\n\n.*?```text\n(.*?)```\n", re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(r"(<!-- figures -->\n).*?(<!-- /figures -->)", re.DOTALL)


def main() -> int:
    """Run each benchmark in a process of its own, so that memory and imports are its own. Exit 1 when one fails."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(MODULES)} (default: all but peers)")
    parser.add_argument("--record", action="store_true", help="write docs/figures.md and the figures in README.md")
    args = parser.parse_args()
    wanted = args.names or [name for name in MODULES if name not in ON_DEMAND]
    names = [name for name in wanted if importlib.util.find_spec(f"bench.{name}")]
    printed: dict[str, str] = {}
    failed = [name for name in names if not _run(name, printed, keep=args.record)]
    if args.record:
        record(printed)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return bool(failed)


def _run(name: str, printed: dict[str, str], *, keep: bool) -> bool:
    print(f"\n## bench.{name}", flush=True)
    more = {"eval": ["--keep", str(EVALUATION)], "verification": ["--folds"]}.get(name, []) if keep else []
    done = subprocess.run([sys.executable, "-m", f"bench.{name}", *more], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    print(done.stdout, flush=True)
    if done.returncode == 0:
        stamp = f"{datetime.now(UTC):%Y-%m-%d} · commit {_commit()} · {_machine()}"
        printed[name] = f"{stamp}\n{done.stdout.strip()}\n"
    return done.returncode == 0


def record(printed: Mapping[str, str]) -> None:
    """Put what was printed into the two files; parts that were not run stay as they were."""
    parts = recorded_parts() | dict(printed)
    text = "# Figures\n\nPrinted by `python -m bench --record`; nothing here is written by hand.\n"
    for name in MODULES:
        if name in parts:
            text += f"\n## `python -m bench.{name}`\n\n```text\n{parts[name]}```\n"
    FIGURES.parent.mkdir(exist_ok=True)
    FIGURES.write_text(text, encoding="utf-8")
    readme = ROOT / "README.md"
    readme.write_text(_BLOCK.sub(lambda m: m[1] + readme_block() + m[2], readme.read_text("utf-8")), encoding="utf-8")


def recorded_parts() -> dict[str, str]:
    """What docs/figures.md holds, by benchmark."""
    return dict(_PART.findall(FIGURES.read_text("utf-8"))) if FIGURES.exists() else {}


def readme_block() -> str:
    """What README.md shows between its markers."""
    parts = {name: text for name, text in recorded_parts().items() if name in IN_README}
    if EVALUATION.exists():
        parts["eval"] = table(json.loads(EVALUATION.read_text("utf-8")))
    shown = (name for name in (*IN_README, "eval") if name in parts)
    return "".join(f"```text\n$ python -m bench.{name}\n{parts[name]}```\n" for name in shown)


def _commit() -> str:
    return subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True
    ).stdout.strip()


def _machine() -> str:
    return f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}"


if __name__ == "__main__":
    sys.exit(main())
