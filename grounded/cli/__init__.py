"""`python -m grounded COMMAND`: one table of commands; a command's module is imported only when it is called."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn, Protocol, cast

from grounded import locations
from grounded.errors import Cancelled, GroundedError, UsageError

# command -> (module in this folder, one line of help)
COMMANDS: dict[str, tuple[str, str]] = {
    "index": ("library", "add PDFs (files or folders) to the library"),
    "library": ("library", "list documents; `library remove ID`, `library verify`"),
    "ask": ("ask", "answer a question, every claim with its proof"),
    "search": ("ask", "retrieval only: the passages found for a question"),
    "locate": ("locate", "find a quote in a PDF: page, characters, rectangles"),
    "check": ("check", "verify claims that came from anywhere"),
    "verify-log": ("verify_log", "check one trace file, or a folder of traces with its ledger"),
    "trace": ("trace", "list traces, show one, compare two"),
    "explain": ("explain", "one page on one answer: by its trace, or by when it was given"),
    "receipt": ("receipt", "one trace with its proof, to hand over"),
    "replay": ("replay", "run a recorded question again: every step must come out the same"),
    "causality": ("causality", "which sources did the model use, not only cite? (asks again without each)"),
    "export": ("export", "traces as OTLP/JSON, or to Langfuse"),
    "erase": ("retention", "erase what a trace keeps beside the log"),
    "hold": ("retention", "forbid erasing (legal hold)"),
    "release": ("retention", "lift a hold"),
    "witness": ("witness", "run a witness; have one cosign this log; have it time-stamped"),
    "keys": ("keys", "list, rotate and trust signing keys"),
    "eval": ("eval", "run gold sets: figures with intervals, history, comparison, gates"),
    "app": ("app", "start the app in the browser"),
}


class Command(Protocol):
    """What a module in this folder offers."""

    def configure(self, parser: argparse.ArgumentParser, command: str) -> None:
        """Add the command's own options."""
        ...

    def run(self, args: argparse.Namespace) -> int:
        """Do it; the exit code of contracts.md."""
        ...


class _Parser(argparse.ArgumentParser):
    """A parser whose exit code for wrong usage is the command's own (contracts.md)."""

    usage_exit = 2

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(self.usage_exit, f"{self.prog}: {message}\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. A GroundedError becomes one line on stderr, never a traceback."""
    words = list(sys.argv[1:] if argv is None else argv)
    if not words or words[0] in {"-h", "--help", "help"}:
        print(_overview())
        return 0 if words else 2
    if words[0] not in COMMANDS:
        print(f"grounded: no command {words[0]!r}. `python -m grounded --help` lists them.", file=sys.stderr)
        return 2
    return _run(words[0], words[1:])


def emit(document: Any) -> None:
    """Print one JSON document on stdout. Lone surrogates leave as escapes, so any page text can be printed."""
    print(json.dumps(document, ensure_ascii=True, allow_nan=False))


def note(text: str) -> None:
    """A line for the person, on stderr."""
    print(text, file=sys.stderr)


def _run(name: str, words: list[str]) -> int:
    command = cast(Command, importlib.import_module(f"grounded.cli.{COMMANDS[name][0]}"))
    usage_exit, failure_exit = getattr(command, "USAGE_EXIT", 2), getattr(command, "FAILURE_EXIT", 1)
    parser = _Parser(prog=f"python -m grounded {name}", description=COMMANDS[name][1])
    parser.usage_exit = usage_exit
    parser.set_defaults(command=name)
    parser.add_argument("--json", action="store_true", help="print one JSON document on stdout, nothing else there")
    parser.add_argument("--library", default=locations.library(), help="library folder or URI (default: %(default)s)")
    parser.add_argument(
        "--traces", type=Path, default=locations.traces(), help="folder of traces (default: %(default)s)"
    )
    command.configure(parser, name)
    args = parser.parse_args(words)
    try:
        return command.run(args)
    except GroundedError as error:
        _explain(error, args.json)
        return usage_exit if isinstance(error, UsageError) else failure_exit
    except KeyboardInterrupt:
        _explain(Cancelled("stopped by Ctrl-C"), args.json)
        return failure_exit
    except BrokenPipeError:  # the reader (`| head`) has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return failure_exit


def _explain(error: GroundedError, as_json: bool) -> None:
    if as_json:
        emit({"error": {"type": error.kind, "message": error.message}})
    note(f"{error.kind}: {error.message}")


def _overview() -> str:
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {text}" for name, (_, text) in COMMANDS.items()]
    return "\n".join(
        ["usage: python -m grounded COMMAND [--help] [--json]", "", *lines, "", "Environment and settings: README.md"]
    )
