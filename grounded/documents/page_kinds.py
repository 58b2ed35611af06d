"""What kind of page it is, recognised from the page itself: a balance sheet, a signature page, a table of contents."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from grounded.types import Document, Page

HEAD_CHARS = 600  # a statement's title stands in the head of its page
COVER_WORDS = 160
TITLE_CHARS = 110
STATEMENT_NUMBERS = 12

_HEADS: Mapping[str, re.Pattern[str]] = {
    kind: re.compile(pattern, re.IGNORECASE)
    for kind, pattern in {
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
    "signature page": (
        re.compile(r"in witness whereof|\[signature page|^[^\w\n]*signatures?[^\w\n]*$", re.I | re.M),
        1,
    ),
    "table of contents": (re.compile(r"(?:\.[^\S\n]?){5,}[^\w\n]*(?:\d+|[ivx]+)[^\S\n]*$", re.M), 5),
    "definitions": (re.compile(r"[“\"][^”\"\n]{2,60}[”\"] (?:\([^)]*\) )?(?:means?|shall mean|has the meaning)"), 4),
    "references": (re.compile(r"^[^\S\n]*(?:\[\d+\]|\d{1,3}\.)\s.*\b(?:19|20)\d\d\b", re.M), 12),
}
_SIGNED = re.compile(r"^[^\w\n]*(?:by|name|title|its)\s*:", re.IGNORECASE | re.MULTILINE)
_SIGNATURES = 3
_NUMBERS = re.compile(r"\d[\d,.]+")
_ADJECTIVES = r"(?:condensed |consolidated |combined |interim |unaudited |group |company |comparative )"


class Statement(NamedTuple):
    """How a primary statement is recognised."""

    title: re.Pattern[str]  # "statement of …", with or without "consolidated" and the like before it
    short: re.Pattern[str]  # a title that also heads other pages: "consolidated results of operations"
    rows: Sequence[re.Pattern[str]]  # what its rows begin with
    needed: int  # of the rows, when the title is short or missing


def _statement(title: str, short: str, rows: Sequence[str], needed: int) -> Statement:
    return Statement(
        re.compile(rf"(?:^\W*|\b{_ADJECTIVES}){_ADJECTIVES}*(?:{title})", re.IGNORECASE),
        re.compile(rf"(?:^\W*|\b){_ADJECTIVES}+(?:{short})", re.IGNORECASE),
        tuple(re.compile(rf"^[^\w\n]*(?:total |less:? )*(?:{row})", re.IGNORECASE | re.MULTILINE) for row in rows),
        needed,
    )


_STATEMENTS: Mapping[str, Statement] = {
    "comprehensive income": _statement(
        r"(?:statements?|schedules?) of (?:consolidated )?(?:other )?comprehensive (?:income|loss|earnings)",
        r"comprehensive (?:income|loss|earnings)",
        (
            r"(?:net (?:income|loss|earnings)|profit|loss)",
            r"(?:other )?comprehensive",
            r".*(?:translation|hedg|pension)",
        ),
        3,
    ),
    "income statement": _statement(
        r"statements? of (?:consolidated )?(?:net )?(?:income|operations|earnings|profit (?:or|and) loss|loss)\b"
        r"|income statements?\b|profit and loss accounts?\b",
        r"(?:results of )?operations\b|earnings\b|income\b",
        (
            r"(?:net |operating )*(?:sales|revenues?|turnover|interest income)",
            r"(?:cost of|costs? and|benefits|provision for (?:credit|loan) losses)",
            r"(?:operating (?:income|profit|loss|earnings|expenses)|(?:income|earnings|loss|profit) from operations)",
            r".*before (?:provision |benefit |income |taxation|taxes|tax)",
            r"(?:net (?:income|earnings|loss)|(?:profit|loss) for the)",
            r".*(?:basic|diluted|per (?:common )?share)",
        ),
        5,
    ),
    "balance sheet": _statement(
        r"balance sheets?\b|statements? of (?:consolidated )?"
        r"(?:financial (?:position|condition)|assets and liabilities)\b",
        r"financial (?:position|condition)\b",
        (
            r"current assets",
            r"assets",
            r"(?:current liabilities|deposits)",
            r"liabilities",
            r"(?:retained earnings|accumulated deficit|accumulated other)",
            r"(?:[\w’']+ ){0,3}(?:equity|deficit)",
        ),
        4,
    ),
    "cash flow statement": _statement(
        r"statements? of (?:consolidated )?cash flows?\b|cash flow statements?\b",
        r"cash flows?\b",
        (r".*operating activities", r".*investing activities", r".*financing activities", r".*(?:end|beginning) of"),
        3,
    ),
    "statement of equity": _statement(
        r"statements? of (?:changes in )?(?:consolidated )?(?:(?:total )?(?:stockholders|shareholders|shareowners|"
        r"members|partners|owners)[’'`]? ?|total )*(?:equity|deficit|capital)\b",
        r"(?:(?:stockholders|shareholders|shareowners)[’'`]? ?)equity\b",
        (r".*(?:balances?|at) ", r".*dividends?", r".*(?:net (?:income|loss|earnings)|profit|comprehensive)"),
        3,
    ),
}
_TITLED_ROWS = 2  # of the rows, under a full title
_UNTITLED = ("income statement", "balance sheet", "cash flow statement")  # told by their rows alone
_LISTED = re.compile(
    r"^(?:(?:item|note|part)\s+\d+[a-z]?\W*)?[^\W\d][^\d\n]*[\s.]\d{1,3}\s*$", re.MULTILINE | re.IGNORECASE
)
_LISTING = 5  # lines of a table of contents
_AFTER_NOTES = re.compile(r"^[^\w\n]*(?:item\s+(?!8)\d+[a-c]?|part\s+[iv]+)\b\W", re.IGNORECASE | re.MULTILINE)
_NO_NOTES = frozenset({"signature page", "table of contents", "auditor's report", *_UNTITLED})


def page_kinds(document: Document) -> dict[int, str]:
    """Page number -> kind, for pages with a recognisable kind only."""
    bodies = {page.number: _without_furniture(page) for page in document.pages if page.readable}
    kinds = {page.number: _kind(page, bodies[page.number]) for page in document.pages if page.readable}
    kinds = _with_notes(bodies, _with_untitled(bodies, kinds))
    return {number: kind for number, kind in kinds.items() if kind}


def _kind(page: Page, body: str) -> str:
    if statement := _titled_statement(body):
        return statement
    for kind, pattern in _HEADS.items():
        if _head_matches(body, pattern):
            return kind
    for kind, (pattern, needed) in _ANYWHERE.items():
        if sum(1 for _ in pattern.finditer(body)) >= needed:
            return kind
    if len(_SIGNED.findall(body)) >= _SIGNATURES:
        return "signature page"
    return "cover" if page.number == 1 and len(body.split()) < COVER_WORDS and not page.tables else ""


def _head_matches(body: str, pattern: re.Pattern[str]) -> bool:
    """A title is a line of its own in the head of the page."""
    return any(pattern.search(line) and len(line) < TITLE_CHARS for line in body[:HEAD_CHARS].splitlines())


def _titled_statement(body: str) -> str:
    """The statement whose title stands highest in the head of the page, when its rows are there too: other pages name
    statements as well."""
    if not _is_numeric(body):
        return ""
    for line in (line for line in body[:HEAD_CHARS].splitlines() if len(line) < TITLE_CHARS):
        for kind, statement in _STATEMENTS.items():
            full, short = statement.title.search(line), statement.short.search(line)
            if (full and _rows(kind, body) >= _TITLED_ROWS) or (short and _rows(kind, body) >= statement.needed):
                return kind
    return ""


def _with_untitled(bodies: Mapping[int, str], kinds: Mapping[int, str]) -> dict[int, str]:
    """Pages that are a statement by their rows are added where none has the title, or the page before has it."""
    titled, found = set(kinds.values()), dict(kinds)
    for number, body in bodies.items():
        for kind in _UNTITLED:
            wanted = not kinds[number] and (kind not in titled or kinds.get(number - 1) == kind)
            if wanted and _is_numeric(body) and _rows(kind, body) >= _STATEMENTS[kind].needed:
                found[number] = kind
    return found


def _with_notes(bodies: Mapping[int, str], kinds: Mapping[int, str]) -> dict[int, str]:
    """Notes run on until another part of the document begins."""
    found, inside = dict(kinds), False
    for number, body in bodies.items():
        ended = kinds[number] in _NO_NOTES or bool(_AFTER_NOTES.search(body[:HEAD_CHARS]))
        inside = kinds[number] == "notes" or (inside and not ended)
        if inside and not kinds[number]:
            found[number] = "notes"
    return found


def _is_numeric(body: str) -> bool:
    """Mostly figures, and not mostly the page numbers of a table of contents."""
    listed, lines = len(_LISTED.findall(body)), sum(any(map(str.isdigit, line)) for line in body.splitlines())
    return len(_NUMBERS.findall(body)) >= STATEMENT_NUMBERS and (listed < _LISTING or listed * 2 < lines)


def _rows(kind: str, body: str) -> int:
    return sum(1 for row in _STATEMENTS[kind].rows if row.search(body))


def _without_furniture(page: Page) -> str:
    parts, cursor = [], 0
    for start, end in sorted(page.furniture):
        parts.append(page.text[cursor:start])
        cursor = max(cursor, end)
    return "".join([*parts, page.text[cursor:]]).strip()
