"""Markdown with footnotes. Untrusted text is escaped, so it reads as it was written and fetches nothing."""

from __future__ import annotations

import re

from grounded.text import collapse
from grounded.ui import words
from grounded.ui.export.record import NOTE, Record, verdict_line

# Everything that could open markup, a link, an image, HTML, mathematics or a directive. CommonMark lets any ASCII
# punctuation be escaped; the rest is left alone so that numbers stay readable in the raw file.
_ACTIVE = re.compile(r"([\\`*_\[\]<>&$~|#!^{}@]|:(?=[A-Za-z/]))")
_LINE_START = re.compile(r"^(\d+)([.)])|^([+-])")


def escape(text: str) -> str:
    """`text` on one line, inert in CommonMark and its common extensions."""
    inert = _ACTIVE.sub(r"\\\1", collapse(text)).replace("www.", "www\\.")
    return _LINE_START.sub(lambda m: f"{m[1]}\\{m[2]}" if m[1] else f"\\{m[3]}", inert)


def markdown(record: Record) -> str:
    """The whole answer."""
    lines = [f"# {escape(record.answer.question)}", ""]
    lines += [f"- {name}: {escape(value)}" for name, value in record.facts()]
    lines.append("")
    for claim in record.answer.claims:
        marks = "".join(f"[^{number}]" for number in record.numbers(claim))
        lines += [
            f"**{words.STATUS_MARK[claim.verdict.status]} {claim.verdict.status}** {escape(claim.text)}{marks}",
            "",
        ]
        lines += [f"> {escape(verdict_line(claim))}", ""]
    lines += _conflicts(record) + _nearest(record)
    for number, citation in enumerate(record.footnotes(), 1):
        lines.append(f"[^{number}]: “{escape(citation.snippet)}” — {escape(words.where(citation))}")
    lines += ["", "## Documents", ""]
    lines += [f"- {escape(name)}, sha256 `{document}`" for document, name in record.documents.items()]
    return "\n".join([*lines, "", NOTE, ""])


def _conflicts(record: Record) -> list[str]:
    lines: list[str] = []
    for conflict in record.answer.conflicts:
        lines += [f"**Sources disagree** {escape(conflict.detail)}", ""]
        lines += [f"- “{escape(c.snippet)}” — {escape(words.where(c))}" for c in conflict.citations] + [""]
    return lines


def _nearest(record: Record) -> list[str]:
    abstention = record.answer.abstention
    if not abstention:
        return []
    lines = [escape(words.searched(abstention.searched)), ""]
    lines += [f"- {escape(line)}" for line in words.unread(abstention.unread_pages)]
    if abstention.nearest:
        lines += ["", "Nearest passages, not an answer:", ""]
        lines += [f"- “{escape(hit.text)}” — {escape(words.where(hit))}" for hit in abstention.nearest]
    return [*lines, ""]
