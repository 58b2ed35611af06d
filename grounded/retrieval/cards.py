"""Document cards: what tells a document from its look-alikes, and which documents a question means."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from grounded.retrieval import dates, fiscal
from grounded.retrieval.words import words
from grounded.text import sentence_spans
from grounded.types import Card, Document, DocumentRecord

CARDS = "grounded-cards 10"  # raise the number whenever a card can change
NAME_CHARACTERS = 2500
HEAD_CHARACTERS = 6000  # of the first readable pages: where documents say what they are
_FORM = r"(?:form\s+)?(?:10-[KQ]|20-F|8-K|6-K|40-F|S-1|F-1|DEF\s*14A)(?:/A)?"
_KINDS = re.compile(
    rf"\b(?:{_FORM}|annual\s+report|quarterly\s+report|interim\s+report|fact\s*sheet|prospectus|earnings\s+release|"
    r"proxy\s+statement|press\s+release|(?:[a-z-]+\s+)?accident\s+(?:brief|report)|factual\s+report|"
    r"(?:[A-Za-z-]+\s+){0,2}(?:agreement|contract|lease|amendment)|policy|guideline|invoice|protocol|white\s*paper)\b",
    re.IGNORECASE,
)
_KIND_REFERENCE = re.compile(
    rf"(?:\b(?:in|of|for|from|per|between|across|according\s+to)\s+)?(?:\b(?:the|its|their|both|each|these|two|latest|most"
    rf"\s+recent)\s+)*{_KINDS.pattern}s?\b",
    re.IGNORECASE,
)
_QUARTERLY = re.compile(r"10-q|quarterly report")
_ANNUAL = re.compile(r"10-k|20-f|40-f|annual report")
_SUFFIX = (
    r"(?:Inc|Incorporated|Corp|Corporation|Company|Co|LLC|L\.L\.C|LP|L\.P|LLP|Ltd|Limited|plc|PLC|N\.V|NV|S\.A|SA|AG|"
    r"GmbH|SE|B\.V|Trust|Fund|ETF|Bank|Group|Holdings|Partners|Association|University|INC|CORP|CORPORATION|COMPANY|LTD)"
)
_NAME = re.compile(rf"\b((?:[A-Z0-9][\w&'’.-]*[ ,]+(?:of |and |the |& )?){{1,6}}){_SUFFIX}\b\.?")
_LIST_NUMBER = re.compile(r"^\d{1,2}\s+(?=[A-Z])")  # "1 Larkspur Devices Inc." in a list of holdings
_PHONE = re.compile(r"\d{3}-\d{3}-\d{4}|\d{3}-\d{4}")
_REGISTRANT = re.compile(
    r"([^\n]{2,80})\n(?:[^A-Za-z0-9\n]*\n){0,4}[^\n]{0,40}\(?\s*Exact\s+name\s+of\s+(?:the\s+)?(?:registrant|company)",
    re.IGNORECASE,
)
_FORMER = re.compile(
    r"([^\n]{2,80})\n(?:[^A-Za-z0-9\n]*\n){0,4}[^\n]{0,20}\(?\s*(?i:former\s+name)\b"
    r"|\b(?i:formerly(?:\s+known\s+as|\s+named)?|f/k/a)\s+[“\"]?((?:[A-Z][\w&.’'-]*[ ,]*){1,6})"
)
_ASIDE = re.compile(r"\s*\((?:formerly|f/k/a|d/b/a)\b.*", re.IGNORECASE)
_NO_NAME = re.compile(r"\W*(?:not?\s+applicable|n/?a|none|same|no\s+changes?)\b|\W*\(|[^A-Za-z]*$", re.IGNORECASE)
_CODE = r"(?=[A-Z0-9-]*\d)(?=[A-Z0-9-]*[A-Z-])[A-Z0-9]+(?:-[A-Z0-9]+)*"
_NUMBER_LABEL = r"(?:numbers?|nos?\.|nos?(?=\s*:)|nr\.|\#|№|cik|cusip|isin|lei|ein|doi|accession|docket)"
_FIELD_LABEL = (
    r"(?:registration|reference|ref\.?|id|identifier|serial|report|invoice|case|order|contract|policy|file|claim)"
)
_LABELLED = re.compile(
    rf"(?:(?<!\w)(?i:{_NUMBER_LABEL})\s*[:#]?|\b(?i:{_FIELD_LABEL})\s*[:#])\s*({_CODE}|\d{{6,}})\b"
    rf"|\b({_CODE})\s*\((?i:[^()\n]{{0,40}}\b(?:number|no\.))"
)
_CELL = re.compile(rf"(?:^|\t)[ ]*({_CODE})[ ]*(?=\t|$)", re.MULTILINE)
_NO_IDENTIFIER = re.compile(rf"\d{{1,2}}-[KQF]|(?:19|20)\d\d-(?:19|20)?\d\d|(?:\d{{3}}-)?{_PHONE.pattern}")
MIN_INITIALS = 3
MIN_CODE, MIN_CELL_CODE, MIN_CELL_DIGITS = 4, 7, 4  # characters and digits: a short code in a cell is a value
_EXCHANGE = r"(?:NASDAQ|Nasdaq|NYSE|AMEX|New York Stock Exchange)"
_TICKER = re.compile(
    rf"\b(?:{_EXCHANGE}|[Tt]icker(?:\s+[Ss]ymbol)?|[Ss]ymbol(?:\(s\)|s)?)\s*[:(]?\s*:?\s*([A-Z]{{1,5}})\b"
    rf"|\b([A-Z]{{1,5}})\s+(?:The\s+)?{_EXCHANGE}"
)
_PERIOD_LEAD = re.compile(
    r"(?:period|quarter|year|months|weeks)\s+ended:?|as\s+of|as\s+at|dated(?:\s+as\s+of)?|effective(?:\s+as\s+of)?|"
    r"ending|entered\s+into",
    re.IGNORECASE,
)
_NOISE_WORDS = "the of and & a an inc corp co"
_DOCUMENTS = r"(?:documents|files|reports|filings|sheets|fact\s*sheets|versions|years|periods|quarters)"
_BOTH = re.compile(
    rf"\b(?:both|the\s+two|each|either|between\s+(?:(?:the|these|those)\s+)?{_DOCUMENTS})\b", re.IGNORECASE
)
_CHANGES = re.compile(
    r"\b(?:chang(?:e|es|ed|ing)|gr[eo]w|grown|r[io]se|risen|f[ae]ll|fallen|increas(?:e|es|ed|ing)|"
    r"decreas(?:e|es|ed|ing)|declin(?:e|es|ed|ing)|drop(?:s|ped)?|shr[aiu]nk|improved?|worsened|differ(?:s|ed)?|"
    r"compar(?:e|es|ed|ing|ison)|versus|vs\.?|over\s+time|than\s+before|year[\s-]on[\s-]year|year[\s-]over[\s-]year)\b",
    re.IGNORECASE,
)
_TREND = re.compile(
    r"\b(?:over\s+time|trends?|historically|from\s+(?:quarter|year|period)\s+to\s+(?:quarter|year|period)|"
    r"(?:each|every|per|by)\s+(?:quarter|year|period)|across\s+(?:the\s+|all\s+)?(?:quarters|years|periods|filings|reports)|"
    r"(?:last|past|recent)\s+(?:\w+\s+)?(?:quarters|years|periods|filings|reports))\b",
    re.IGNORECASE,
)
_KIND_FILLER_WORDS = "the this that these those of a an in under our and or to for by any its their such form"
_KIND_FILLERS = frozenset(_KIND_FILLER_WORDS.split())
_ANY_KIND = frozenset({"agreement", "contract", "lease", "amendment", "policy", "guideline", "invoice", "protocol"})
_DEFINITION = re.compile(r"\b(?:is|are)\s+(?:defined|calculated|computed)\s+as\b", re.IGNORECASE)
_BETWEEN_PARTIES = re.compile(r"agreement|contract|lease|amendment")
_HYPHEN = re.compile(r"(?<=[^\W\d_])[-‐‑–](?=[^\W\d_])")
_NAME_NOISE = frozenset(_NOISE_WORDS.split())
# First words of so many names that alone they name nobody.
_FIRST_WORDS = """
    american united national general first new international global north south east west central advanced standard
    federal public world great royal pacific atlantic allied applied universal british canadian european african asian
    australian chinese japanese indian german french italian spanish swiss dutch swedish irish scottish"""
_COMMON_FIRST = frozenset(_FIRST_WORDS.split())
_TIME_LEAD = r"(?:\b(?:as\s+of|as\s+at|in|for|on|at|of|during|ended|ending|the|quarter|year|period|fiscal)\s+)*"
_REFERENCE_LEAD = r"\b(?:in|of|for|from|per|under|by)\s+(?:(?!(?:in|of|for|from|per|under|by)\b)[\w.&'’-]+\s+){0,5}"
TOP_CHARACTERS = 600  # where a document prints its own number
TITLE_CHARACTERS = 120
MAX_PERIODS = 6  # of one issuer, the newest, that a question on a development is asked of
NAMES = 4  # of a card that are matched; the first is the issuer


def make_card(document: Document) -> Card:
    """The card of a document, read from its first pages."""
    text = "\n".join(page.text for page in document.pages[:3] if page.readable)[:HEAD_CHARACTERS]
    found = dates.dates(text[: HEAD_CHARACTERS // 2])
    period = _period_end(text) or (found[0] if found else "")
    kind = _kind(text[:1500])
    quarter = fiscal.quarter(document) if _QUARTERLY.search(kind) else None
    return Card(
        title=document.title,
        kind=_kind(document.title) or kind,
        names=_names(text),
        identifiers=_identifiers(text),
        period_end=period,
        dates=tuple(dict.fromkeys([period, *found] if period else found))[:12],
        quarter=quarter,
        fiscal_year=fiscal.year(document, period, quarter) if quarter or _ANNUAL.search(kind) else None,
        head=" ".join(text[:600].split()),
    )


def _kind(text: str) -> str:
    match = _KINDS.search(text)
    return " ".join(word for word in match.group().lower().split() if word not in _KIND_FILLERS) if match else ""


def _names(text: str) -> tuple[str, ...]:
    """The registrant of a filing; else the companies named at the front. A cover names exchanges and agents too."""
    if registrant := [_ASIDE.sub("", match[1]).strip(" \t_") for match in _REGISTRANT.finditer(text)]:
        return tuple(dict.fromkeys([*registrant, *_former_names(text)]))
    companies = (" ".join(match.group().split()).strip(" ,") for match in _NAME.finditer(text[:NAME_CHARACTERS]))
    return tuple(dict.fromkeys(_LIST_NUMBER.sub("", name) for name in companies))[:8]


def _former_names(text: str) -> Iterator[str]:
    """By which a registrant was called before, as its cover says."""
    for match in _FORMER.finditer(text[:NAME_CHARACTERS]):
        name = (match[1] or match[2]).strip(" \t_,.")
        if not _NO_NAME.match(name) and _core(name):
            yield name


def _identifiers(text: str) -> tuple[str, ...]:
    """Tickers, and the codes printed as identifiers: beside a label, or long and alone on a line or in a cell at the
    top. A code in running text ("PD-1", "HIV-1") is a word of the subject and identifies no document."""
    tickers = [before or after for before, after in _TICKER.findall(text)]
    labelled = [before or after for before, after in _LABELLED.findall(text)]
    cells = _CELL.findall(text[:TOP_CHARACTERS])
    alone = [code for code in cells if len(code) >= MIN_CELL_CODE and _digits(code) >= MIN_CELL_DIGITS]
    codes = [code for code in (*labelled, *alone) if len(code) >= MIN_CODE and not _NO_IDENTIFIER.fullmatch(code)]
    return tuple(dict.fromkeys([*tickers, *codes]))[:24]


def _digits(code: str) -> int:
    return sum(map(str.isdigit, code))


def _period_end(text: str) -> str:
    """The first date that follows words such as "quarter ended" or "as of"."""
    for place, iso in dates.dates_with_places(text):
        if _PERIOD_LEAD.search(text[max(0, place - 40) : place]):
            return iso
    return ""


# ---------------------------------------------------------------- routing


class Mention(NamedTuple):
    """Where a question says a document's name: the words [start, end) of `_spoken(question)`."""

    start: int
    end: int
    record: DocumentRecord


class Name(NamedTuple):
    """A name on a card as it is looked up. tail: what follows the core ("Holdings"), which tells it from a name with
    the same core when it is said. own: the document is about it, or issued by it; else it is mentioned."""

    core: tuple[str, ...]
    tail: str
    own: bool
    record: DocumentRecord


class Catalogue(NamedTuple):
    """What a question is looked up in, derived from the cards once."""

    identifiers: Mapping[str, Sequence[tuple[str, DocumentRecord]]]  # by case-folded identifier: as printed, where
    files: Sequence[tuple[str, DocumentRecord]]  # case-folded file names that can be told from plain words
    names: Mapping[str, Sequence[Name]]  # by first word


class _Same:
    """Records as a key: equal when they are the same objects, so that no card is compared. Holds them, so that no
    other record can take their place in memory."""

    def __init__(self, records: Sequence[DocumentRecord]) -> None:
        self.records = tuple(records)
        self._ids = tuple(map(id, self.records))
        self._hash = hash(self._ids)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self._ids == other._ids


def _catalogue(records: Sequence[DocumentRecord]) -> Catalogue:
    return _derived(_Same(records))


@lru_cache(maxsize=32)
def _derived(same: _Same) -> Catalogue:
    identifiers: dict[str, list[tuple[str, DocumentRecord]]] = {}
    names: dict[str, list[Name]] = {}
    for record in same.records:
        for identifier in record.card.identifiers:
            identifiers.setdefault(identifier.casefold(), []).append((identifier, record))
        if (initials := _initials(record.card)) and initials not in record.card.identifiers:
            identifiers.setdefault(initials.casefold(), []).append((initials, record))
        for name in record.card.names[:NAMES]:
            for core in _cores(name):
                names.setdefault(core[0], []).append(Name(core, _tail(name, core), _is_own(name, record.card), record))
    files = [(name.casefold(), record) for record in same.records for name in record.names if _is_told(name)]
    return Catalogue(identifiers, files, names)


def _initials(card: Card) -> str:
    """By which a report's issuer of a long name is called: "AMD", "P&G". Empty for a name of one or two words."""
    parts = re.findall(r"[\w.]+|&", card.names[0]) if card.names and card.fiscal_year else []
    said = [part for part in parts if part == "&" or (_core(part) and not re.fullmatch(_SUFFIX, part.strip(".")))]
    return "".join(part[0] for part in said).upper() if len(said) >= MIN_INITIALS else ""


def _is_own(name: str, card: Card) -> bool:
    """Is it the document's own name? A document that says what it is (report, fact sheet, contract) prints its issuer
    or parties at the front; in any other, only a name in the title or at the very top is its own."""
    return bool(card.kind) or name in card.title or name in card.head[:TITLE_CHARACTERS]


def _is_told(file_name: str) -> bool:
    """A file name that is one plain word ("contract") or number ("2001") is not taken for one."""
    return not file_name.isalpha() and not file_name.isdigit()


def route(question: str, records: Sequence[DocumentRecord]) -> list[tuple[str, ...]]:
    """The documents a question means, in groups that are asked separately when it compares; [] when it names none.

    In this order, each step narrowing what the one before left, and skipped when nothing fits it: an identifier or
    file name; a company or party; a kind of document; a period, or "latest".
    """
    catalogue = _catalogue(records)
    groups = _by_identifier(question, catalogue, len(records)) or _by_name(question, catalogue) or [list(records)]
    groups = [_of_kind(question, group) for group in groups]
    groups = [part for group in groups for part in _of_periods(question, group)]
    if len(groups) == 1 and len(groups[0]) == 2 and _asks_of_two(question, groups[0]):
        groups = [[record] for record in sorted(groups[0], key=lambda r: r.card.period_end)]
    elif len(groups) == 1 and _asks_of_each(question, groups[0]):
        groups = [[record] for record in sorted(groups[0], key=lambda r: r.card.period_end)[-MAX_PERIODS:]]
    if len(groups) == 1 and len(groups[0]) == len(records) > 1:
        return []
    return [tuple(record.id for record in group) for group in groups]


def _asks_of_two(question: str, pair: Sequence[DocumentRecord]) -> bool:
    """Is each of the two asked? When the question says so, or asks what became different between look-alikes."""
    return bool(_BOTH.search(question)) or (bool(_CHANGES.search(question)) and _alike(pair))


def _asks_of_each(question: str, group: Sequence[DocumentRecord]) -> bool:
    """Is it asked how something developed over the reports of one issuer?"""
    if len(group) < 2 or not _TREND.search(question):
        return False
    return len({_issuer(record) for record in group if record.card.period_end}) == 1


def _alike(group: Sequence[DocumentRecord]) -> bool:
    """Are they of one issuer or one kind? Only among those does a time choose."""
    kinds = {record.card.kind for record in group}
    return len({_issuer(record) for record in group}) == 1 or (len(kinds) == 1 and kinds != {""})


def without_reference(question: str, records: Sequence[DocumentRecord]) -> str:
    """The question without the words that say which document is meant: inside it they tell nothing.

    "What is the engine model in NTSB accident report NYC08CA055?" -> "What is the engine model ?". Empty never: a
    question that is only a reference stays as it is.
    """
    rest = question
    catalogue = _catalogue(records)
    for key in _said_identifiers(question, catalogue):
        rest = re.sub(rf"(?:{_REFERENCE_LEAD})?(?<![\w-]){re.escape(key)}(?:['’]s)?(?![\w-])", " ", rest, flags=re.I)
    for period, said in dates.said_times(question):
        if records and all(fiscal.covering(period, [record.card for record in records])):
            rest = re.sub(rf"{_TIME_LEAD}{re.escape(said)}", " ", rest, flags=re.IGNORECASE)
    kinds = {record.card.kind for record in records if record.card.kind}
    rest = _KIND_REFERENCE.sub(lambda m: " " if any(_kind(m.group()) in kind for kind in kinds) else m.group(), rest)
    for core in _said_names(question, catalogue):
        rest = re.sub(_name_pattern(core), " ", rest, flags=re.IGNORECASE)
    return rest if len(words(rest)) > 2 else question


def _said_names(question: str, catalogue: Catalogue) -> list[tuple[str, ...]]:
    """The companies' names as the question says them, longest first: whole, or, of an issuer, as much of the beginning
    as names it. A party of a contract that is named by half may be asked about."""
    asked = set(_spoken(question))
    whole = {name.core for word in asked for name in catalogue.names.get(word, ()) if asked.issuperset(name.core)}
    spoken = _spoken(question)
    begun = {
        tuple(spoken[m.start : m.end])
        for m in _mentions(question, catalogue)
        if not _BETWEEN_PARTIES.search(m.record.card.kind)
    }
    return sorted(whole | begun, key=lambda core: (-len(core), core))


def _name_pattern(core: Sequence[str]) -> str:
    """A company's name as a question says it, with the word that leads to it and its legal form."""
    said = r"\W+(?:and\W+)?".join(map(re.escape, core))
    return rf"(?:\b(?:of|for|by|at|in)\s+)?(?:the\s+)?\b{said}\b[\s,]*(?:{_SUFFIX}\b\.?)?(?:['’]s?)?"


def recent(records: Mapping[str, DocumentRecord], documents: Iterable[str]) -> frozenset[str]:
    """The documents without those of which the same issuer has a newer one among them."""
    newest: dict[tuple[str, ...], str] = {}
    given = frozenset(documents)
    dated = [records[d] for d in given if d in records and records[d].card.period_end]
    for record in dated:
        newest[_issuer(record)] = max(record.card.period_end, newest.get(_issuer(record), ""))
    return given - {record.id for record in dated if record.card.period_end < newest[_issuer(record)]}


def _issuer(record: DocumentRecord) -> tuple[str, ...]:
    return tuple(_core(record.card.names[0])) if record.card.names else (record.card.kind,)


def _by_identifier(question: str, catalogue: Catalogue, total: int) -> list[list[DocumentRecord]]:
    """One group for each identifier the question says that not every document has; else for each file name."""
    keys = _said_identifiers(question, catalogue)
    groups = [[r for printed, r in catalogue.identifiers[key.casefold()] if printed == key] for key in keys]
    telling = _distinct([group for group in groups if len(group) < total])
    return telling or [[record] for record in _said_files(question, catalogue)]


def _said_files(question: str, catalogue: Catalogue) -> list[DocumentRecord]:
    """The documents whose file names stand in the question."""
    folded = question.casefold()
    near = [(name, record) for name, record in catalogue.files if name in folded]
    said = [record for name, record in near if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", folded)]
    return list({record.id: record for record in said}.values())


def _said_identifiers(question: str, catalogue: Catalogue) -> list[str]:
    """Identifiers that stand in the question. Those without a digit (tickers) must be written in capitals."""
    said = dict.fromkeys(word.strip(".-") for word in re.findall(r"[\w.&-]+", question))
    known = ((word, printed) for word in said for printed, _ in catalogue.identifiers.get(word.casefold(), ()))
    return list(dict.fromkeys(printed for word, printed in known if printed == word or _digits(printed)))


def _by_name(question: str, catalogue: Catalogue) -> list[list[DocumentRecord]]:
    """The documents of each company the question names; where two share the beginning, those named further."""
    mentions = _mentions(question, catalogue)
    furthest: dict[int, int] = {}
    for mention in mentions:
        furthest[mention.start] = max(furthest.get(mention.start, 0), mention.end)
    groups: dict[int, list[DocumentRecord]] = {}
    for mention in mentions:
        if mention.end == furthest[mention.start]:
            groups.setdefault(mention.start, []).append(mention.record)
    return [groups[start] for start in sorted(groups)]


def _mentions(question: str, catalogue: Catalogue) -> list[Mention]:
    """For each document that the question names, the longest saying of one of its names."""
    asked = _spoken(question)
    best: dict[str, Mention] = {}
    for name in (name for word in dict.fromkeys(asked) for name in catalogue.names.get(word, ())):
        for start, end in _sayings(name, asked, question):
            known = best.get(name.record.id)
            if known is None or (end - start, -start) > (known.end - known.start, -known.start):
                best[name.record.id] = Mention(start, end, name.record)
    return list(best.values())


def _sayings(name: Name, asked: Sequence[str], question: str) -> Iterator[tuple[int, int]]:
    """The places [start, end) where the question says the name: as much of its beginning as names it when it is the
    document's own, else the whole of it."""
    core = name.core
    for start, word in enumerate(asked):
        if word != core[0]:
            continue
        length = 1
        while length < min(len(core), len(asked) - start) and asked[start + length] == core[length]:
            length += 1
        if length == len(core) and name.tail and asked[start + length : start + length + 1] == [name.tail]:
            yield start, start + length + 1
        elif length == len(core) > 1 or (name.own and (length > 1 or _alone(core, question))):
            yield start, start + length


def _alone(core: Sequence[str], question: str) -> bool:
    """May the first word of a name stand for it? It must be written as a name, or be all of the name in a question
    that has no capitals, and not be one half of all names."""
    written = re.search(rf"\b{re.escape(core[0])}\b", question, re.IGNORECASE)
    capital = written is not None and (written.group()[0].isupper() or written.group()[0].isdigit())
    whole = len(core) == 1 and question.islower()
    return (capital or whole) and core[0] not in _COMMON_FIRST and not core[0].isdigit()


@lru_cache(maxsize=16384)
def _core(name: str) -> tuple[str, ...]:
    """The words of a company's name that people say: without "Inc." and the like."""
    core = re.sub(rf"[ ,]+{_SUFFIX}\b\.?", "", name)
    return tuple(word for word in _spoken(core) if word not in _NAME_NOISE)


def _cores(name: str) -> Iterator[tuple[str, ...]]:
    """The core of a name, and that of one with a hyphen also in one word: "Wal-Mart" is called Walmart."""
    yield from filter(None, dict.fromkeys((_core(name), _core(_HYPHEN.sub("", name)))))


def _spoken(text: str) -> list[str]:
    """The words of a text as names are compared: "Coca-Cola" is two."""
    return [_bare(word) for word in words(_HYPHEN.sub(" ", text))]


def _tail(name: str, core: Sequence[str]) -> str:
    """The word behind the core of a name, "" for none."""
    said = [word for word in _spoken(name) if word not in _NAME_NOISE]
    return said[len(core)] if said[: len(core)] == list(core) and len(said) > len(core) else ""


def _bare(word: str) -> str:
    return word.removesuffix("'s").removesuffix("’s").rstrip("'’.").removesuffix(".com")


def _of_kind(question: str, group: list[DocumentRecord]) -> list[DocumentRecord]:
    kinds = _said_kinds(question)
    fitting = [r for r in group if r.card.kind and any(kind in r.card.kind for kind in kinds)]
    return fitting or group


def _said_kinds(question: str) -> set[str]:
    """Kinds of document that the question names; "the contract" and the like mean any."""
    found = (
        " ".join(w for w in match.group().lower().split() if w not in _KIND_FILLERS)
        for match in _KINDS.finditer(question)
    )
    return {kind for kind in found if kind not in _ANY_KIND}


def _of_periods(question: str, group: list[DocumentRecord]) -> list[list[DocumentRecord]]:
    """The group cut down to the times the question names, one part for each; as it is when it names none it has, or
    when they are no look-alikes."""
    asked = dates.periods(_asking(question))
    latest, earliest = dates.asks_for_latest(question), dates.asks_for_earliest(question)
    if not (asked or latest or earliest) or len(group) < 2 or not _alike(group):
        return [group]
    dated = sorted((r for r in group if r.card.period_end), key=lambda r: r.card.period_end)
    fits = [fiscal.covering(period, [r.card for r in dated]) for period in asked]
    fitting = [part for which in fits if (part := list(itertools.compress(dated, which)))]
    if fitting or not dated:
        return _distinct(fitting) or [group]
    wanted = dated[-1 if latest else 0].card.period_end if latest or earliest else ""
    return [[r for r in dated if r.card.period_end == wanted] or group]


def _asking(question: str) -> str:
    """The question without the sentences that define a measure: their times are not asked for."""
    kept = [question[s:e] for s, e in sentence_spans(question) if not _DEFINITION.search(question[s:e])]
    return " ".join(kept) or question


def _distinct(parts: Sequence[list[DocumentRecord]]) -> list[list[DocumentRecord]]:
    """The parts without those that only widen an earlier one: "June 30, 2024" said beside "2024"."""
    kept: list[list[DocumentRecord]] = []
    for part in parts:
        ids = {r.id for r in part}
        if not any({r.id for r in other} <= ids for other in kept):
            kept.append(part)
    return kept
