"""Remove any one check from the verifier and a case fails: nothing in it is there for show.

A check is an `if` (or a conditional return) whose branch reports a finding or a fault. Each is switched off in turn, in
a copy of the module, and the published cases are judged again until one comes out otherwise.
"""

from __future__ import annotations

import ast
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from grounded.audit import chain, entries, ledger_check, verify
from grounded.audit.report import Report
from tests.attacks.suite import published
from tests.attacks.test_attacks import state_with

REPORTING = {"_error", "error", "unknown", "_broken", "_bad_note"}
FAULTS = {"_note_fault", "entry_fault", "_value_fault", "_fits"}
MODULES = (chain, ledger_check, entries, verify)
# Checks of what the suite of files cannot show; each has a test of its own.
ELSEWHERE = {
    "unreadable",  # needs a file that may not be read
    "nothing_to_check",  # an empty folder
    "log_replaced",  # needs a state that remembers another log
    "ledger_replaced",
}


def reports(node: ast.AST) -> bool:
    """Whether a statement reports a finding itself, not in a nested `if`."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute) and inner.func.attr in REPORTING:
            return True
    return False


def checks(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The line of every check, and the code it reports."""
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        for node in ast.walk(function):
            if isinstance(node, ast.If) and (
                any(reports(part) for part in node.body if not isinstance(part, ast.If))
                or (function.name in FAULTS and any(isinstance(part, ast.Return) for part in node.body))
            ):
                yield node.lineno, " ".join(text for text in _strings(node.body) if text.isidentifier())


def _strings(body: list[ast.stmt]) -> Iterator[str]:
    for part in body:
        for inner in ast.walk(part):
            if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
                yield inner.value


class SwitchOff(ast.NodeTransformer):
    """The `if` of one line never holds."""

    def __init__(self, line: int) -> None:
        self._line = line

    def visit_If(self, node: ast.If) -> ast.AST:
        self.generic_visit(node)
        if node.lineno == self._line:
            node.test = ast.copy_location(ast.Constant(value=False), node.test)
        return node


MUTANTS = [
    pytest.param(module, line, code, id=f"{module.__name__.rsplit('.', 1)[1]}:{line}:{code.split(' ')[0][:30]}")
    for module in MODULES
    for line, code in checks(ast.parse(Path(str(module.__file__)).read_text("utf-8")))
    if not ELSEWHERE & set(code.split())
]


class Laid(NamedTuple):
    """A case in a folder of its own."""

    folder: Path
    alone: Path
    state: Path


@pytest.fixture(scope="module")
def laid(tmp_path_factory: pytest.TempPathFactory) -> list[Laid]:
    """Every case laid once: the folder, the single file, the state, the id. Long lines are left to their own tests."""
    found = []
    for case in published():
        if case.facts["pad"]:
            continue
        home = tmp_path_factory.mktemp(case.id)
        folder = home / "traces"
        folder.mkdir()
        case.lay(folder)
        alone = home / "alone" / case.target
        alone.parent.mkdir()
        if (folder / case.target).is_file() and not (folder / case.target).is_symlink():
            alone.write_bytes((folder / case.target).read_bytes())
        found.append(Laid(folder, alone, state_with(home, "remembered")))
    return found


def outcome(report: Report) -> tuple[Any, ...]:
    return report.assurance, [(f.severity, f.code, f.file, f.line) for f in report.findings]


def outcomes(module: types.ModuleType, case: Laid) -> list[Any]:
    """The folder, the trace beside its ledger, the trace alone."""
    found = [outcome(module.verify(case.folder, state=case.state, remember=False))]
    if case.alone.exists():
        beside = case.folder / case.alone.name
        found += [outcome(module.verify(beside, state=case.state)), outcome(module.verify(case.alone))]
    return found


@pytest.fixture(scope="module")
def usual(laid: list[Laid]) -> list[tuple[Laid, Any, str]]:
    """Each case with what is said of it, and that as text."""
    return [(case, found, str(found)) for case in laid for found in [outcomes(verify, case)]]


def mutated(module: types.ModuleType, line: int, monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    """The verifier with one check switched off: that module, and those built on it, made anew."""
    order = [entries, chain, ledger_check, verify]
    fresh: types.ModuleType = verify
    for original in order[order.index(module) :]:
        source = Path(str(original.__file__)).read_text("utf-8")
        tree: ast.AST = ast.parse(source)
        if original is module:
            tree = ast.fix_missing_locations(SwitchOff(line).visit(tree))
        fresh = types.ModuleType(original.__name__)
        fresh.__file__ = original.__file__
        monkeypatch.setitem(sys.modules, original.__name__, fresh)
        exec(compile(tree, str(original.__file__), "exec"), fresh.__dict__)
    return fresh


@pytest.mark.parametrize(("module", "line", "codes"), MUTANTS)
def test_without_this_check_a_case_comes_out_otherwise(
    module: types.ModuleType,
    line: int,
    codes: str,
    usual: list[tuple[Laid, Any, str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    without = mutated(module, line, monkeypatch)
    wanted = set(codes.split()) or {"ledger_value"}
    likely_first = sorted(usual, key=lambda item: not any(code in item[2] for code in wanted))
    assert any(_differs(without, case, known) for case, known, _ in likely_first)


def _differs(without: types.ModuleType, case: Laid, known: Any) -> bool:
    try:
        return bool(outcomes(without, case) != known)
    except Exception:  # noqa: BLE001 — a verifier that crashes without its check needed it
        return True
