"""Is the record whole? Said in words, with the exact line when it is not, and with what was not looked at."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from grounded import locations
from grounded.audit.reader import trace_file
from grounded.audit.report import Finding, Report
from grounded.audit.verify import verify_file
from grounded.ui import frame, words
from grounded.ui.access import Workspace, home_of

_BADGES = {
    "intact": ":green-badge[✓ chain intact]",
    "tampered": ":red-badge[✕ tampered]",
    "not_judged": ":gray-badge[? not judged]",
}


def check(workspace: Workspace, trace: str) -> Report:
    """Check one trace of the workspace. Raises UsageError when there is none."""
    return verify_file(trace_file(home_of(workspace, trace).settings.traces, trace), state=locations.state())


def headline(report: Report, name: str = "") -> None:
    """Verdict, level and size in one line. `name` is text of ours."""
    size = words.plural(report.spans, "span")
    if report.traces > 1:
        size = f"{words.plural(report.traces, 'trace')} · {size}"
    st.markdown(f"{f'**{name}** ' if name else ''}{_BADGES[report.verdict]} {report.assurance} · {size}")


def findings(report: Report) -> None:
    """The exact broken lines, with what was expected and what was found; then what was not looked at."""
    errors = [f for f in report.findings if f.severity == "error"]
    if errors:
        st.text(sentence(errors[0]))
    if len(errors) > 1:
        rows = [
            {"file": Path(f.file).name, "line": f.line, "what": f.code, "expected": f.expected, "found": f.found}
            for f in errors[1:]
        ]
        st.caption(f"{words.plural(len(rows) + report.omitted, 'further break')}")
        st.dataframe(rows, hide_index=True, height=frame.table_height(len(rows), 220))
    unknown = [f for f in report.findings if f.severity == "unknown"]
    if unknown:
        st.text("\n".join(f"Cannot be judged: {f}" for f in unknown[:10]))
    if report.not_checked:
        with st.expander(f"Not checked ({len(report.not_checked)})"):
            st.text("\n".join(f"– {line}" for line in report.not_checked))


def sentence(finding: Finding) -> str:
    """Where it is broken, what was expected there and what was found."""
    where = f"{Path(finding.file).name}, line {finding.line}" if finding.line else Path(finding.file).name
    lines = [f"Broken at {where}: {finding.code.replace('_', ' ')}"]
    lines += [f"expected {finding.expected}"] if finding.expected else []
    lines += [f"found    {finding.found}"] if finding.found else []
    return "\n".join(lines)
