"""Document cards: what tells a document from its look-alikes, and which documents a question means."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grounded.retrieval import dates
from grounded.retrieval.words import words
from grounded.types import Card, Document, DocumentRecord

HEAD_CHARACTERS = 6000  # of the first readable pages: where documents say what they are
_FORM = r"(?:form\s+)?(?:10-[KQ]|20-F|8-K|6-K|40-F|S-1|F-1|DEF\s*14A)(?:/A)?"
_KINDS = re.compile(
    rf"\b(?:{_FORM}|annual\s+report|quarterly\s+report|interim\s+report|fact\s*sheet|prospectus|earnings\s+release|"
    r"proxy\s+statement|press\s+release|(?:[a-z-]+\s+)?accident\s+(?:brief|report)|factual\s+report|"
    r"(?:[A-Za-z-]+\s+){0,2}(?:agreement|contract|lease|amendment)|policy|guideline|invoice|protocol|white\s*paper)\b",
    re.IGNORECASE,
)
_SUFFIX = (
    r"(?:Inc|Incorporated|Corp|Corporation|Company|Co|LLC|L\.L\.C|LP|L\.P|LLP|Ltd|Limited|plc|PLC|N\.V|NV|S\.A|SA|AG|"
    r"GmbH|SE|B\.V|Trust|Fund|ETF|Bank|Group|Holdings|Partners|Association|University|INC|CORP|CORPORATION|COMPANY|LTD)"
)
_NAME = re.compile(rf"\b((?:[A-Z0-9][\w&'’.-]*[ ,]+(?:of |and |the |& )?){{1,6}}){_SUFFIX}\b\.?")
_REGISTRANT = re.compile(r"([^\n]{2,80})\n[^\n]{0,40}\(?\s*Exact\s+name\s+of\s+registrant", re.IGNORECASE)
_CODE = re.compile(r"\b(?=[A-Z0-9-]*\d)(?=[A-Z0-9-]*[A-Z-])[A-Z0-9]+(?:-[A-Z0-9]+)*\b")
_TICKER = re.compile(r"\b(?:NASDAQ|NYSE|Nasdaq|AMEX|Ticker(?:\s+symbol)?|Symbol)\s*[:(]?\s*:?\s*([A-Z]{1,5})\b")
_PERIOD_LEAD = re.compile(
    r"(?:period|quarter|year|months|weeks)\s+ended:?|as\s+of|as\s+at|dated(?:\s+as\s+of)?|effective(?:\s+as\s+of)?|"
    r"ending|entered\s+into",
    re.IGNORECASE,
)
_NAME_NOISE = frozenset(["the", "of", "and", "&", "a", "an", "inc", "corp", "co"])


def make_card(document: Document) -> Card:
    """The card of a document, read from its first pages."""
    text = "\n".join(page.text for page in document.pages[:3] if page.readable)[:HEAD_CHARACTERS]
    found = dates.dates(text[: HEAD_CHARACTERS // 2])
    period = _period_end(text) or (found[0] if found else "")
    return Card(
        title=document.title,
        kind=_kind(document.title) or _kind(text[:1500]),
        names=_names(text),
        identifiers=_identifiers(text),
        period_end=period,
        dates=tuple(dict.fromkeys([period, *found] if period else found))[:12],
        head=" ".join(text[:600].split()),
    )


def _kind(text: str) -> str:
    match = _KINDS.search(text)
    return " ".join(match.group().lower().split()) if match else ""


def _names(text: str) -> tuple[str, ...]:
    registrant = [match[1].strip() for match in _REGISTRANT.finditer(text)]
    companies = [" ".join(match.group().split()).strip(" ,") for match in _NAME.finditer(text)]
    return tuple(dict.fromkeys([*registrant, *companies]))[:8]


def _identifiers(text: str) -> tuple[str, ...]:
    codes = [code for code in _CODE.findall(text) if len(code) >= 4 and not re.fullmatch(r"\d{1,2}-[KQF]", code)]
    return tuple(dict.fromkeys([*_TICKER.findall(text), *codes]))[:24]


def _period_end(text: str) -> str:
    """The first date that follows words such as "quarter ended" or "as of"."""
    for place, iso in dates.dates_with_places(text):
        if _PERIOD_LEAD.search(text[max(0, place - 40) : place]):
            return iso
    return ""


# ---------------------------------------------------------------- routing


def route(question: str, records: Sequence[DocumentRecord]) -> list[tuple[str, ...]]:
    """The documents a question means, in groups that are asked separately when it compares; [] when it names none.

    In this order, each step narrowing what the one before left, and skipped when nothing fits it: an identifier or
    file name; a company or party; a kind of document; a period, or "latest".
    """
    groups = _by_identifier(question, records) or _by_name(question, records)
    named = bool(groups)
    groups = groups or [list(records)]
    groups = [_of_kind(question, group) for group in groups]
    groups = [part for group in groups for part in _of_period(question, group)]
    if not named and sum(map(len, groups)) == len(records):
        return []
    return [tuple(record.id for record in group) for group in groups]


def _by_identifier(question: str, records: Sequence[DocumentRecord]) -> list[list[DocumentRecord]]:
    said = set(re.findall(r"[\w.-]+", question.casefold().rstrip("?.! ")))
    groups: list[list[DocumentRecord]] = []
    keys = {r.id: {i.casefold() for i in r.card.identifiers if any(map(str.isdigit, i))} for r in records}
    for key in sorted(said & set().union(*keys.values())) if keys else []:
        group = [r for r in records if key in keys[r.id]]
        if len(group) < len(records) or len(records) == 1:
            groups.append(group)
    if groups:
        return groups
    return [[r] for r in records if any(name.casefold() in question.casefold() for name in r.names)]


def _by_name(question: str, records: Sequence[DocumentRecord]) -> list[list[DocumentRecord]]:
    asked = words(question)
    groups: dict[str, list[DocumentRecord]] = {}
    for record in records:
        lengths = [(_named(core, asked), core) for core in map(_core, record.card.names[:4]) if core]
        length, core = max(lengths, default=(0, []))
        if length:
            groups.setdefault(core[0], []).append(record)
    return [] if sum(map(len, groups.values())) == len(records) and len(groups) == 1 else list(groups.values())


def _core(name: str) -> list[str]:
    """The words of a company's name that people say: without "Inc." and the like."""
    core = re.sub(rf"[ ,]+{_SUFFIX}\b\.?", "", name)
    return [word for word in words(core) if word not in _NAME_NOISE]


def _named(core: list[str], asked: list[str]) -> int:
    """How many words of the name the question says in a row, from its first word on."""
    for place, word in enumerate(asked):
        if word.removesuffix("'s").removesuffix("’s") == core[0]:
            run = 1
            while run < len(core) and place + run < len(asked) and asked[place + run].removesuffix("'s") == core[run]:
                run += 1
            return run
    return 0


def _of_kind(question: str, group: list[DocumentRecord]) -> list[DocumentRecord]:
    kinds = {" ".join(m.group().lower().split()).removeprefix("form ") for m in _KINDS.finditer(question)}
    fitting = [r for r in group if r.card.kind and any(kind in r.card.kind for kind in kinds)]
    return fitting or group


def _of_period(question: str, group: list[DocumentRecord]) -> list[list[DocumentRecord]]:
    if len(group) < 2:
        return [group]
    for period in dates.periods(question):
        fitting = [r for r in group if dates.fits(period, r.card.period_end)]
        if fitting and len(fitting) < len(group):
            return [fitting]
    dated = [r for r in group if r.card.period_end]
    if dated and dates.asks_for_latest(question):
        newest = max(r.card.period_end for r in dated)
        return [[r for r in dated if r.card.period_end == newest]]
    if dated and dates.asks_for_earliest(question):
        oldest = min(r.card.period_end for r in dated)
        return [[r for r in dated if r.card.period_end == oldest]]
    return [group]
