"""One self-contained HTML file with the cited pages as images. It runs no script and fetches nothing."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from enum import Enum
from html import escape

from grounded.types import Box
from grounded.ui import words
from grounded.ui.export.record import NOTE, Record, verdict_line


class NoPicture(Enum):
    """Why a page is not shown, as the file says it."""

    GONE = "its original is no longer kept in the library."
    ENCRYPTED = "the document is encrypted and its password is not kept, so the page is not shown here."


# (document, page, boxes) -> PNG with the boxes marked, or why there is none.
Picture = Callable[[str, int, Sequence[Box]], bytes | NoPicture]

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; color: #1c2024; }
h1 { font-size: 1.5rem; line-height: 1.25; } h2 { font-size: 1.125rem; margin-top: 2rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; font-size: .875rem; color: #4d545c; }
dd { margin: 0; overflow-wrap: anywhere; }
.claim { border-left: 4px solid #4d545c; padding: .25rem 0 .25rem .75rem; margin: 1rem 0; }
.grounded { border-color: #0b6437; } .partial { border-color: #7d4a00; } .contradicted { border-color: #a3211a; }
.claim p { margin: 0; } .verdict, .where { font-size: .875rem; color: #4d545c; }
blockquote { margin: .25rem 0 0; padding-left: .75rem; border-left: 2px solid #d9dce0; font-size: .9375rem; }
figure { margin: 1.5rem 0; } img { max-width: 100%; border: 1px solid #d9dce0; }
figcaption, li, footer { font-size: .875rem; overflow-wrap: anywhere; }
@media print { figure { break-inside: avoid; } }
"""
_HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
"""


def page(record: Record, picture: Picture) -> str:
    """The whole answer as HTML."""
    question = escape(record.answer.question)
    facts = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in record.facts())
    parts = [
        f"{_HEAD}<title>{question}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{question}</h1><dl>{facts}</dl>",
        *_claims(record),
        *_conflicts(record),
        *_abstention(record),
        "<h2>Pages</h2>" if record.footnotes() else "",
        *_pages(record, picture),
        "<h2>Documents</h2><ul>",
        *(f"<li>{escape(name)}, sha256 <code>{escape(key)}</code></li>" for key, name in record.documents.items()),
        f"</ul><footer><p>{escape(NOTE)}</p></footer></body></html>\n",
    ]
    return "\n".join(part for part in parts if part)


def _claims(record: Record) -> list[str]:
    lines: list[str] = []
    for claim in record.answer.claims:
        status = claim.verdict.status
        cited = "".join(
            f'<blockquote>{escape(c.snippet)}<div class="where">{escape(words.where(c))}</div></blockquote>'
            for c in claim.citations
        )
        mark = words.STATUS_MARK[status]
        verdict = f'<p class="verdict">{mark} {escape(verdict_line(claim))}</p>'
        lines.append(f'<div class="claim {status}"><p>{escape(claim.text)}</p>{verdict}{cited}</div>')
    return lines


def _conflicts(record: Record) -> list[str]:
    return [
        f"<h2>Sources disagree</h2><p>{escape(conflict.detail)}</p>"
        + "".join(
            f'<blockquote>{escape(c.snippet)}<div class="where">{escape(words.where(c))}</div></blockquote>'
            for c in conflict.citations
        )
        for conflict in record.answer.conflicts
    ]


def _abstention(record: Record) -> list[str]:
    abstention = record.answer.abstention
    if not abstention:
        return []
    unread = "".join(f"<li>{escape(line)}</li>" for line in words.unread(abstention.unread_pages))
    nearest = "".join(
        f'<blockquote>{escape(hit.text)}<div class="where">{escape(words.where(hit))}</div></blockquote>'
        for hit in abstention.nearest
    )
    head = "<h2>Nearest passages, not an answer</h2>" if nearest else ""
    return [
        f"<p>{escape(words.searched(abstention.searched))}</p>",
        f"<ul>{unread}</ul>" if unread else "",
        head,
        nearest,
    ]


def _pages(record: Record, picture: Picture) -> list[str]:
    marked: dict[tuple[str, int], list[Box]] = {}
    for citation in record.footnotes():
        marked.setdefault((citation.document, citation.page), []).extend(citation.boxes)
    return [
        _figure(record.documents.get(document, document), number, picture(document, number, boxes))
        for (document, number), boxes in marked.items()
    ]


def _figure(name: str, number: int, png: bytes | NoPicture) -> str:
    caption = f"{name}, page {number}"
    if isinstance(png, NoPicture):
        return f"<p>{escape(caption)}: {png.value}</p>"
    data = base64.b64encode(png).decode("ascii")
    alt = f"{caption}, cited passages marked"
    return f'<figure><img alt="{escape(alt)}" src="data:image/png;base64,{data}"><figcaption>{escape(caption)}</figcaption></figure>'  # noqa: E501
