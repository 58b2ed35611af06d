"""`app`: the Streamlit server, with this command's library and traces."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from grounded.errors import UsageError

_SCRIPT = Path(__file__).resolve().parents[2] / "streamlit_app.py"


def configure(parser: argparse.ArgumentParser, command: str) -> None:
    """Where it listens. Only this machine can reach it unless told otherwise."""
    parser.add_argument("--port", type=int, default=8501, help="default: %(default)s")
    parser.add_argument("--address", default="localhost", help="address to listen on (default: %(default)s)")


def run(args: argparse.Namespace) -> int:
    """Become the server: this process is replaced, so that Ctrl-C and signals reach it directly."""
    if not _SCRIPT.exists():
        raise UsageError("the app's files are not there", where=str(_SCRIPT), advice="Run this from a checkout")
    os.environ["GROUNDED_LIBRARY"], os.environ["GROUNDED_TRACES"] = str(args.library), str(args.traces)
    options = ["--server.port", str(args.port), "--server.address", args.address, "--server.headless", "true"]
    options += ["--browser.gatherUsageStats", "false"]  # whatever the working directory's configuration says
    print(f"Grounded: http://{args.address}:{args.port}", file=sys.stderr, flush=True)
    os.execv(sys.executable, [sys.executable, "-m", "streamlit", "run", str(_SCRIPT), *options])  # noqa: S606 - our own arguments
