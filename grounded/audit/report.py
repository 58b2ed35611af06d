"""What a verification found. Standard library only."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

Severity = Literal["error", "unknown", "note"]
Verdict = Literal["intact", "tampered", "not_judged"]
EXIT_CODES: dict[Verdict, int] = {"intact": 0, "tampered": 1, "not_judged": 2}
MAX_FINDINGS = 1000  # of each severity; the rest are counted
_RANK: dict[Severity, int] = {"error": 0, "unknown": 1, "note": 2}


class Finding(NamedTuple):
    """One thing found. error: tampering; unknown: cannot be judged; note: lawful, worth knowing.

    line counts from 1: of the file, or of the notes in `ledger/checkpoints`."""

    severity: Severity
    code: str
    file: str
    line: int | None = None
    expected: str = ""
    found: str = ""

    def as_json(self) -> dict[str, Any]:
        """As `verify-log --json` prints it."""
        return self._asdict()

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line is not None else self.file
        detail = f": expected {self.expected}" if self.expected else ""
        detail += f"{',' if detail else ':'} found {self.found}" if self.found else ""
        return printable(f"{self.severity:<7} {self.code} {where}{detail}")


def printable(text: str, limit: int = 500) -> str:
    """Untrusted text for a terminal: control, format and surrogate characters as escapes, cut at `limit`."""
    shown = "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text[: limit + 1]
    )
    return shown if len(text) <= limit else shown[:limit] + "…"


class Findings:
    """Collects findings, a bounded number of each severity."""

    def __init__(self) -> None:
        self.items: list[Finding] = []
        self.counts: dict[Severity, int] = {"error": 0, "unknown": 0, "note": 0}

    def add(
        self, severity: Severity, code: str, file: str, line: int | None, expected: str = "", found: str = ""
    ) -> None:
        """Add one."""
        self.counts[severity] += 1
        if self.counts[severity] <= MAX_FINDINGS:
            self.items.append(Finding(severity, code, file, line, expected[:200], found[:200]))

    def error(self, code: str, file: str, line: int | None, expected: str = "", found: str = "") -> None:
        """Tampering."""
        self.add("error", code, file, line, expected, found)

    def unknown(self, code: str, file: str, line: int | None, expected: str = "", found: str = "") -> None:
        """Something that cannot be judged."""
        self.add("unknown", code, file, line, expected, found)

    def note(self, code: str, file: str, line: int | None, expected: str = "", found: str = "") -> None:
        """Something lawful."""
        self.add("note", code, file, line, expected, found)

    def sort_from(self, start: int) -> None:
        """Put the findings of one file, which begin at `start`, in the order of their lines, worst first."""
        self.items[start:] = sorted(self.items[start:], key=lambda f: (f.line or 0, _RANK[f.severity]))

    @property
    def verdict(self) -> Verdict:
        """What they add up to."""
        if self.counts["error"]:
            return "tampered"
        return "not_judged" if self.counts["unknown"] else "intact"


@dataclass
class Report:
    """The outcome of one verification. not_checked names what was not looked at: it is never counted as fine."""

    verdict: Verdict
    assurance: str
    spans: int
    findings: list[Finding] = field(default_factory=list)
    not_checked: list[str] = field(default_factory=list)
    traces: int = 0
    log: str | None = None
    entries: int = 0
    omitted: int = 0

    @property
    def exit_code(self) -> int:
        """By contracts.md."""
        return EXIT_CODES[self.verdict]

    def as_json(self) -> dict[str, Any]:
        """As `verify-log --json` prints it."""
        return {
            "verdict": self.verdict,
            "assurance": self.assurance,
            "spans": self.spans,
            "findings": [finding.as_json() for finding in self.findings],
            "not_checked": self.not_checked,
            "traces": self.traces,
            "log": self.log,
            "entries": self.entries,
            "omitted": self.omitted,
        }
