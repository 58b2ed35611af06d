"""What kind of page it is, recognised from the page itself: a balance sheet, a signature page, a table of contents."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from grounded.types import Document, Page

HEAD_CHARS = 600  # a statement's title stands in the head of its page
COVER_WORDS = 160
TITLE_CHARS = 110
HEADING_CHARS = 80
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
    last: re.Pattern[str]  # the row it ends with: without it, it goes on on the next page


class Titled(NamedTuple):
    """A page under a statement's title. full: the title heads nothing else."""

    kind: str
    full: bool


def _statement(title: str, short: str, rows: Sequence[str], needed: int, last: str) -> Statement:
    return Statement(
        re.compile(rf"(?:^\W*|\b{_ADJECTIVES}){_ADJECTIVES}*(?:{title})", re.IGNORECASE),
        re.compile(rf"(?:^\W*|\b){_ADJECTIVES}+(?:{short})", re.IGNORECASE),
        tuple(re.compile(rf"^[^\w\n]*(?:total |less:? )*(?:{row})", re.IGNORECASE | re.MULTILINE) for row in rows),
        needed,
        re.compile(rf"^[^\w\n]*{last}[^\n]*\d", re.IGNORECASE | re.MULTILINE),
    )


_STATEMENTS: Mapping[str, Statement] = {
    "comprehensive income": _statement(
        r"(?:statements?|schedules?) of (?:consolidated )?(?:other )?comprehensive (?:income|loss|earnings)"
        r"|comprehensive (?:income|loss|earnings) statements?",
        r"comprehensive (?:income|loss|earnings)",
        (
            r"(?:net (?:income|loss|earnings)|profit|loss)",
            r"(?:other )?comprehensive",
            r".*(?:translation|hedg|pension)",
        ),
        3,
        r".*comprehensive",
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
        r".*(?:per (?:common )?share|diluted|net (?:income|loss|earnings)|(?:profit|loss) for the)",
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
        r"total (?:liabilities|(?:[\w’']+ ){0,2}(?:equity|deficit|capital))",
    ),
    "cash flow statement": _statement(
        r"statements? of (?:consolidated )?cash flows?\b|cash flows? statements?\b",
        r"cash flows?\b",
        (r".*operating activities", r".*investing activities", r".*financing activities", r".*(?:end|beginning) of"),
        3,
        r".*\bend of",
    ),
    "statement of equity": _statement(
        r"statements? of (?:changes in )?(?:consolidated )?(?:(?:total )?(?:stockholders|shareholders|shareowners|"
        r"members|partners|owners)[’'`]? ?|total )*(?:equity|deficit|capital)\b"
        r"|(?:stockholders|shareholders|shareowners)[’'`]? ?equity statements?\b",
        r"(?:(?:stockholders|shareholders|shareowners)[’'`]? ?)equity\b",
        (r".*(?:balances?|at)\W", r".*dividends?", r".*(?:net (?:income|loss|earnings)|profit|comprehensive)"),
        3,
        r".*balance",
    ),
}
_LINE = re.compile(rf"^[^\n]{{1,{TITLE_CHARS - 1}}}$", re.MULTILINE)
_TITLED_ROWS = 2  # of the rows, under a full title
_UNTITLED = ("income statement", "balance sheet", "cash flow statement")  # told by their rows alone
_LISTED = re.compile(
    r"^(?:(?:item|note|part)\s+\d+[a-z]?\W*)?[^\W\d][^\d\n]*[\s.]\d{1,3}\s*$", re.MULTILINE | re.IGNORECASE
)
_LISTING = 5  # lines of a table of contents
_POINTER = re.compile(r"\s(?:\d{1,3}|[ivx]+)\s*$")  # behind a title in a table of contents
# Of the parent alone, of each guarantor, or as if a merger had been: look-alikes of the statements.
_PARTIAL = re.compile(
    r"parent[\s-]+(?:company[\s-]+)?only|\(parent(?: company)?\)|condensed financial information of|consolidating"
    r"|pro[\s-]forma",
    re.IGNORECASE,
)
_AFTER_NOTES = re.compile(r"^[^\w\n]*(?:item\s+(?!8)\d+[a-c]?|part\s+[iv]+)\b\W", re.IGNORECASE | re.MULTILINE)
_ITEM = re.compile(
    r"^[^\w\n]*items?[^\S\n]+\d+[a-c]?\b(?:\.?[^\S\n]*(?:and|&)[^\S\n]*\d+[a-c]?\b)?[\s.:—–-]*([^\n]*)$", re.I | re.M
)
_TALK = r"management[’'`]?s discussion and analysis\b.*|(?:operating and )?financial review"
_RISKS = r"risk factors|principal risks(?: and uncertainties)?"
_PARTS = (
    ("discussion", re.compile(rf"(?:{_TALK})\W*", re.IGNORECASE)),
    ("risk factors", re.compile(rf"(?:{_RISKS})\W*", re.IGNORECASE)),
    ("business", re.compile(r"(?:description of )?(?:our )?business(?: overview| and properties)?\W*", re.IGNORECASE)),
)
_UNNUMBERED = re.compile(rf"^[^\w\n]*({_TALK}|{_RISKS})[^\w\n]*$", re.IGNORECASE | re.MULTILINE)
_RUNNING_ON = re.compile(r"[”\";]|,\s+(?:and elsewhere|which|as|see|in|we|our|for)\b|\d\s*$")
_NO_PART = frozenset({"signature page", "auditor's report", "notes", *_STATEMENTS})
_NO_NOTES = frozenset({"signature page", "table of contents", "auditor's report", *_UNTITLED})


def page_kinds(document: Document) -> dict[int, str]:
    """Page number -> kind, for pages with a recognisable kind only."""
    pages = [page for page in document.pages if page.readable]
    bodies = {page.number: _without_furniture(page) for page in pages}
    titled = {number: _titled_statement(body) for number, body in bodies.items()}
    kinds = {page.number: _kind(page, bodies[page.number]) for page in pages} | _statements(titled)
    parts = _parts(bodies, kinds)
    kinds = _with_notes(bodies, _with_untitled(bodies, kinds, parts))
    return {number: found for number, kind in kinds.items() if (found := kind or parts[number])}


def _statements(titled: Mapping[int, Titled | None]) -> dict[int, str]:
    """The pages under a statement's title; a short title counts where no page has the full one."""
    whole = {found.kind for found in titled.values() if found and found.full}
    return {n: found.kind for n, found in titled.items() if found and (found.full or found.kind not in whole)}


def _kind(page: Page, body: str) -> str:
    """The kind of a page that is no statement."""
    for kind, pattern in _HEADS.items():
        if _head_matches(body, pattern) and (kind != "table of contents" or _lists(body)):
            return kind
    for kind, (pattern, needed) in _ANYWHERE.items():
        if sum(1 for _ in pattern.finditer(body)) >= needed:
            return kind
    if len(_SIGNED.findall(body)) >= _SIGNATURES:
        return "signature page"
    return "cover" if page.number == 1 and len(body.split()) < COVER_WORDS and not page.tables else ""


def _lists(body: str) -> bool:
    """Are there lines that end in page numbers, or hardly any text? "Table of contents" is also a link at the top of
    every page of a filing."""
    return len(_LISTED.findall(body)) >= _LISTING or len(body.split()) < COVER_WORDS


def _head_matches(body: str, pattern: re.Pattern[str]) -> bool:
    """A title is a line of its own in the head of the page; with a page number behind it, it points to another."""
    lines = (line for line in body[:HEAD_CHARS].splitlines() if len(line) < TITLE_CHARS)
    return any(pattern.search(line) and not _POINTER.search(line) for line in lines)


def _titled_statement(body: str) -> Titled | None:
    """The statement whose title stands highest in the head of the page, when its rows are there too: other pages name
    statements as well. A full title that heads most of its rows may stand anywhere: text often runs on into the page
    where the statements begin."""
    if not _is_numeric(body) or _PARTIAL.search(body[:HEAD_CHARS]):
        return None
    for match in _LINE.finditer(body):
        if found := _titled(match.group().strip(), body, match.start()):
            return found
    return None


def _titled(line: str, body: str, place: int) -> Titled | None:
    """The statement that a line at `place` of the body is the title of."""
    in_head = place < HEAD_CHARS
    for kind, statement in _STATEMENTS.items():
        full = statement.title.search(line)
        if in_head and (full or statement.short.search(line)):
            if _rows(kind, body) >= (_TITLED_ROWS if full else statement.needed):
                return Titled(kind, bool(full))
        elif full and _is_heading(line) and _rows(kind, body[place:]) > _TITLED_ROWS:
            return None if _PARTIAL.search(body[place - HEAD_CHARS : place]) else Titled(kind, full=True)
    return None


def _is_heading(line: str) -> bool:
    """Short, and not running on as a sentence."""
    return len(line) < HEADING_CHARS and line[-1] not in ".,;" and line[:1].isupper()


def _with_untitled(bodies: Mapping[int, str], kinds: Mapping[int, str], parts: Mapping[int, str]) -> dict[int, str]:
    """Pages that are a statement by their rows are added where none has the title, or the page before has it; and the
    second page of a statement that the page before does not end. Never inside a part that discusses."""
    titled, found = set(kinds.values()), dict(kinds)
    for number, body in bodies.items():
        if kinds[number] or parts[number] or not _is_numeric(body) or _PARTIAL.search(body[:HEAD_CHARS]):
            continue
        for kind in _UNTITLED:
            follows, last = kinds.get(number - 1) == kind, _STATEMENTS[kind].last
            whole = (follows or kind not in titled) and _rows(kind, body) >= _STATEMENTS[kind].needed
            if whole or (follows and last.search(body) and not last.search(bodies[number - 1])):
                found[number] = kind
    return found


def _with_notes(bodies: Mapping[int, str], kinds: Mapping[int, str]) -> dict[int, str]:
    """Notes run on until another part of the document begins. A statement among or behind them that stood before them
    already is that of a part of the company."""
    found, inside, noted, before = dict(kinds), False, False, set[str]()
    for number, body in bodies.items():
        repeated = noted and kinds[number] in before
        ended = (kinds[number] in _NO_NOTES and not repeated) or bool(_AFTER_NOTES.search(body[:HEAD_CHARS]))
        inside = kinds[number] == "notes" or (inside and not ended)
        noted = noted or inside
        if repeated or (inside and not kinds[number]):
            found[number] = "notes" if inside else ""
        elif kinds[number] in _STATEMENTS:
            before.add(kinds[number])
    return found


def _parts(bodies: Mapping[int, str], kinds: Mapping[int, str]) -> dict[int, str]:
    """The parts of an annual or quarterly report that run over many pages: business, risk factors, discussion; "" for
    other pages. A part that begins in the lower half of a page is that of the next one."""
    found, part = dict[int, str](), ""
    for number, body in bodies.items():
        found[number] = part
        for place, begun in () if kinds[number] == "table of contents" else _parts_begun(body, part):
            part = begun
            found[number] = begun if place * 2 < len(body) else found[number]
        part = "" if kinds[number] in _NO_PART else part
    return found


def _parts_begun(body: str, part: str) -> Iterator[tuple[int, str]]:
    """Where a part begins, and which: "" for one that has no kind of its own. Without a number a title counts where no
    part is running: inside one it heads a paragraph."""
    numbered = [(match.start(), match[1]) for match in _ITEM.finditer(body)]
    bare = [(match.start(), match[1]) for match in _UNNUMBERED.finditer(body)] if not part else []
    for place, title in sorted(numbered + bare):
        if _is_title(title):
            yield place, next((kind for kind, pattern in _PARTS if pattern.fullmatch(title)), "")


def _is_title(text: str) -> bool:
    """Not running text that happens to begin its line with "Item 8", and no line of a table of contents."""
    return text[:1].isupper() and len(text) < TITLE_CHARS and not _RUNNING_ON.search(text)


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
