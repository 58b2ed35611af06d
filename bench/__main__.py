"""`python -m bench`: every benchmark that this machine has the data for; `python -m bench.NAME` runs one."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

# Order of reading; quality and speed of each room, then the app as a whole.
MODULES = ("index", "ask", "documents", "structure", "retrieval", "reader", "verification", "claude", "audit", "app")


def main() -> int:
    """Run each benchmark in a process of its own, so that memory and imports are its own. Exit 1 when one fails."""
    failed = []
    for name in MODULES:
        if importlib.util.find_spec(f"bench.{name}") is None:
            continue
        print(f"\n## bench.{name}", flush=True)
        if subprocess.run([sys.executable, "-m", f"bench.{name}"], cwd=Path(__file__).parent.parent).returncode:
            failed.append(name)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
