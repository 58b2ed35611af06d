"""What kind of page it is, recognised from the page itself: a balance sheet, a signature page, a table of contents."""

from __future__ import annotations

import re
from collections.abc import Mapping

from grounded.types import Document, Page

HEAD_CHARS = 600  # a statement's title stands in the head of its page
COVER_WORDS = 160

_HEADS: Mapping[str, re.Pattern[str]] = {
    kind: re.compile(pattern, re.IGNORECASE)
    for kind, pattern in {
        "comprehensive income": r"^\W*(?:condensed |consolidated |combined |interim )*"
        r"(?:statements?|schedules?) of (?:other )?comprehensive (?:income|loss)",
        "income statement": r"^\W*(?:(?:condensed |consolidated |combined |interim |unaudited )*"
        r"statements? of (?:consolidated )?(?:income|operations|earnings|profit (?:or|and) loss)|"
        r"(?:consolidated |condensed |interim )*(?:income statements?|profit and loss accounts?)\s*$)",
        "balance sheet": r"^\W*(?:condensed |consolidated |combined |interim |unaudited )*"
        r"(?:balance sheets?|statements? of (?:consolidated )?financial (?:position|condition))\b",
        "cash flow statement": r"^\W*(?:condensed |consolidated |combined |interim |unaudited )*"
        r"(?:statements? of (?:consolidated )?cash flows?|cash flow statements?)\b",
        "statement of equity": r"^\W*(?:condensed |consolidated |combined |interim |unaudited )*statements? of "
        r"(?:changes in )?(?:consolidated )?(?:(?:total )?(?:stockholders|shareholders|members|partners)[’'`]? ?"
        r"|total |owners[’']? )?(?:equity|deficit|capital)\b",
        "notes": r"^\W*notes? to (?:the )?(?:condensed |consolidated |combined |interim |unaudited )*"
        r"financial statements",
        "auditor's report": r"^\W*(?:report of independent (?:registered public accounting firm|auditors?)"
        r"|independent auditor[’']?s?[’']? report)",
        "table of contents": r"^\W*(?:table of contents|contents)\W*(?:page)?\W*$",
        "references": r"^\W*(?:\d+\.?\s+)?(?:references|bibliography)\W*$",
        "abstract": r"^\W*abstract\b",
        "definitions": r"^\W*(?:(?:article|section)\s+[ivx\d]+\W*|[\d.]+\W*)?(?:certain |defined )?"
        r"(?:definitions?|defined terms)(?: and interpretation)?\b[^a-z]*$",
    }.items()
}
_ANYWHERE: Mapping[str, tuple[re.Pattern[str], int]] = {
    "signature page": (re.compile(r"in witness whereof|\[signature page|^\W*signatures?\W*$", re.I | re.M), 1),
    "table of contents": (re.compile(r"(?:\.\s?){5,}\W*(?:\d+|[ivx]+)\s*$", re.M), 5),
    "definitions": (re.compile(r"[“\"][^”\"\n]{2,60}[”\"] (?:\([^)]*\) )?(?:means?|shall mean|has the meaning)"), 4),
    "references": (re.compile(r"^\s*(?:\[\d+\]|\d{1,3}\.)\s.*\b(?:19|20)\d\d\b", re.M), 12),
}
_SIGNED = re.compile(r"^\W*(?:by|name|title|its)\s*:", re.IGNORECASE | re.MULTILINE)
_SIGNATURES = 3
_NUMBERS = re.compile(r"\d[\d,.]+")
_STATEMENTS = {
    "income statement",
    "balance sheet",
    "cash flow statement",
    "statement of equity",
    "comprehensive income",
}


def page_kinds(document: Document) -> dict[int, str]:
    """Page number -> kind, for pages with a recognisable kind only."""
    return {page.number: kind for page in document.pages if page.readable and (kind := _kind(page))}


def _kind(page: Page) -> str:
    body = _without_furniture(page)
    for kind, pattern in _HEADS.items():
        if _head_matches(body, pattern) and (kind not in _STATEMENTS or _is_statement(page, body)):
            return kind
    for kind, (pattern, needed) in _ANYWHERE.items():
        if sum(1 for _ in pattern.finditer(body)) >= needed:
            return kind
    if len(_SIGNED.findall(body)) >= _SIGNATURES:
        return "signature page"
    return "cover" if page.number == 1 and len(body.split()) < COVER_WORDS and not page.tables else ""


def _head_matches(body: str, pattern: re.Pattern[str]) -> bool:
    """A title is a line of its own in the head of the page."""
    return any(pattern.search(line) and len(line) < 110 for line in body[:HEAD_CHARS].splitlines())


def _is_statement(page: Page, body: str) -> bool:
    """A page that only names a statement has few numbers; the statement itself is mostly numbers."""
    return bool(page.tables) and len(_NUMBERS.findall(body)) >= 12


def _without_furniture(page: Page) -> str:
    parts, cursor = [], 0
    for start, end in sorted(page.furniture):
        parts.append(page.text[cursor:start])
        cursor = max(cursor, end)
    return "".join([*parts, page.text[cursor:]]).strip()
