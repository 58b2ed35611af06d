"""CSV of the claims and JSON of the whole answer."""

from __future__ import annotations

import csv
import io
import json
import re

from grounded.ui import words
from grounded.ui.export.record import Record

_COLUMNS = (
    "trace_id", "asked_at", "question", "claim", "status", "confidence", "reason", "snippet", "document", "page",
    "page_label", "section", "match", "document_sha256",
)  # fmt: skip
_NUMBER = re.compile(r"[-+]?[\d.,\s]+%?")


def claims_csv(record: Record) -> str:
    """One line a citation (one for a claim without any), UTF-8 with a header line."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(_COLUMNS)
    for claim in record.answer.claims:
        head = [record.answer.trace_id, record.asked_at, record.answer.question, claim.text]
        verdict = [claim.verdict.status, words.confidence(claim.verdict.confidence), claim.verdict.reason]
        for c in claim.citations or (None,):
            cited = [c.snippet, c.source_name, c.page, c.page_label, c.section, c.match, c.document] if c else [""] * 7
            writer.writerow([_cell(value) for value in (*head, *verdict, *cited)])
    return out.getvalue()


def answer_json(record: Record) -> str:
    """The answer as the command line prints it, with the time it was asked and the documents' names."""
    body = record.answer.model_dump(mode="json")
    extra = {"asked_at": record.asked_at, "documents": dict(record.documents), "link": record.link or None}
    return json.dumps({**body, **extra}, indent=2, ensure_ascii=False) + "\n"


def _cell(value: object) -> str:
    """A cell a spreadsheet will not run as a formula: text that opens one is set off by an apostrophe."""
    text = str(value)
    return f"'{text}" if text[:1] in "=+-@\t\r" and text and not _NUMBER.fullmatch(text) else text
