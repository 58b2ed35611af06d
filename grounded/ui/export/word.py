"""A Word document with real footnotes: python-docx writes the text, the footnotes part is added beside it."""

from __future__ import annotations

import io
import re
from typing import Any
from xml.sax.saxutils import escape

from grounded.text import collapse
from grounded.ui import words
from grounded.ui.export.record import NOTE, Record, verdict_line

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # characters XML 1.0 cannot carry


def word(record: Record) -> bytes:
    """The whole answer as .docx bytes."""
    from docx import Document

    document = Document()
    document.add_heading(_clean(record.answer.question), level=1)
    for name, value in record.facts():
        document.add_paragraph(f"{name}: {_clean(value)}")
    for claim in record.answer.claims:
        paragraph = document.add_paragraph()
        paragraph.add_run(f"{words.STATUS_MARK[claim.verdict.status]} {claim.verdict.status}  ").bold = True
        paragraph.add_run(_clean(claim.text))
        for number in record.numbers(claim):
            _reference(paragraph.add_run(), number)
        document.add_paragraph(_clean(verdict_line(claim))).paragraph_format.left_indent = _indent()
    _rest(document, record)
    _footnotes(document, [f"“{c.snippet}” — {words.where(c)}" for c in record.footnotes()])
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def _rest(document: Any, record: Record) -> None:
    for conflict in record.answer.conflicts:
        document.add_heading("Sources disagree", level=2)
        document.add_paragraph(_clean(conflict.detail))
        for citation in conflict.citations:
            document.add_paragraph(_clean(f"“{citation.snippet}” — {words.where(citation)}"), style="List Bullet")
    if abstention := record.answer.abstention:
        document.add_paragraph(_clean(words.searched(abstention.searched)))
        for hit in abstention.nearest:
            line = f"Nearest passage, not an answer: “{hit.text}” — {words.where(hit)}"
            document.add_paragraph(_clean(line), style="List Bullet")
    document.add_heading("Documents", level=2)
    for key, name in record.documents.items():
        document.add_paragraph(_clean(f"{name}, sha256 {key}"), style="List Bullet")
    document.add_paragraph(NOTE)


def _indent() -> Any:
    from docx.shared import Pt

    return Pt(18)


def _reference(run: Any, number: int) -> None:
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    mark = OxmlElement("w:footnoteReference")
    mark.set(qn("w:id"), str(number))
    run.font.superscript = True
    run._r.append(mark)


def _footnotes(document: Any, notes: list[str]) -> None:
    """Add the footnotes part. Ids -1 and 0 are the separators Word expects; ours start at 1."""
    from docx.opc.packuri import PackURI
    from docx.opc.part import Part

    separators = (
        '<w:footnote w:type="separator" w:id="-1"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>'
        '<w:footnote w:type="continuationSeparator" w:id="0"><w:p><w:r><w:continuationSeparator/></w:r></w:p>'
        "</w:footnote>"
    )
    bodies = "".join(_footnote(number, note) for number, note in enumerate(notes, 1))
    xml = f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?><w:footnotes xmlns:w="{_W}">{separators}{bodies}</w:footnotes>'  # noqa: E501
    part = Part(PackURI("/word/footnotes.xml"), _TYPE, xml.encode("utf-8"), document.part.package)
    document.part.relate_to(part, _RELATION)


def _footnote(number: int, note: str) -> str:
    mark = '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:footnoteRef/></w:r>'
    text = f'<w:r><w:t xml:space="preserve"> {escape(_clean(note))}</w:t></w:r>'
    return f'<w:footnote w:id="{number}"><w:p>{mark}{text}</w:p></w:footnote>'


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", collapse(text))
