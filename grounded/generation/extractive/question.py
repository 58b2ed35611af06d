"""What a question asks for: its subject terms, the kind of answer, the computation, the periods. Rules only."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from grounded.generation.extractive.words import stem, terms
from grounded.quantities import Period, periods

Kind = Literal[
    "amount", "date", "duration", "person", "place", "yes-no", "definition", "reason", "manner", "list", "any"
]
Direction = Literal["", "up", "down", "any"]
Operation = Literal["largest", "smallest", "count", "sum", "average", "difference", "growth", "share"]


def _either(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns))


_KINDS: dict[Kind, re.Pattern[str]] = {
    "definition": _either(
        r"\bdefin(?:e|ed|es|ition)\b",
        r"\bwhat (?:does|do|did) .+ (?:mean|stand|refer|represent|consist|comprise|include|reflect|relate|cover)\b",
        r"\bwhat (?:is|are|was|were) .+ (?:comprised|composed|made up) of\b",
        r"\bwhat (?:is|are|was|were) (?:included in|excluded (?:from|when)|considered)\b",
        r"\bmeant by\b",
        r"\bmeaning of\b",
    ),
    "reason": _either(
        r"^why\b",
        r"\b(?:the|main|primary|what) (?:reason|cause|rationale)s?\b",
        r"\bwhat (?:caused|causes|drove|led|resulted in|impacted|affected)\b|\bdriven by\b|\bwhat factors\b",
        r"\bhow come\b",
    ),
    "manner": _either(r"^(?:in what way|how) (?:is|are|was|were|do|does|did|can|could|may|must|should|will|would)\b"),
    "duration": _either(
        r"\bhow (?:long|soon|often|old)\b",
        r"\b(?:duration|length of (?:the )?(?:term|time|period)|notice period|renewal term)\b",
    ),
    "date": _either(
        r"^(?:since |until |as of |on |by |in )?(?:when|(?:what|which) (?:date|day|year|month))\b",
        r"(?<!to )(?<!to-)\bdate\b",
        r"\bas of when\b",
    ),
    "place": _either(
        r"^(?:from |in |to )?where\b",
        r"\b(?:what|which) (?:city|country|state|place|location|county|region|jurisdiction)\b",
    ),
    "person": _either(
        r"^(?:by |to |from |for |with )?(?:who|whom|whose)\b",
        r"\b(?:what|which) (?:person|company|man|woman|firm)\b",
        r"\b(?:parties|persons|people|companies) who\b|\bwho (?:signed|are|is|were|was)\b",
    ),
    "list": _either(
        r"^(?:list|name|enumerate)\b",
        r"\bwhat (?:are|were) (?:the|all)\b",
        r"\b(?:components|items|types|kinds|categories|elements) .*\b(?:of|under|in|within|making|are there)\b",
        r"\bwhich \w+s (?:are|were|does|do|did|have)\b",
        r"\brespective(?:ly)?\b",
    ),
    "amount": _either(
        r"\bhow (?:much|many|high|large|big|far|low|small)\b",
        r"\b(?:amount|value|price|cost|number|rate|percentage|level)s? of\b",
    ),
}
_YES_NO = _either(
    r"^(?:is|are|was|were|do|does|did|can|could|may|might|must|shall|should|will|would|has|have|had)\b",
)
_OPERATIONS: dict[Operation, re.Pattern[str]] = {
    "growth": _either(
        r"(?:percent(?:age)?|%) (?:point )?(?:change|increase|decrease|growth|decline|rise|drop|variation)",
        r"\b(?:growth|change) rate\b",
        r"\b(?:change|increase|decrease|grow|fall|rise|decline)\w* (?:\w+ ){0,6}(?:in percent|percentage-?wise)\b",
        r"\bby (?:what|how many) percent",
    ),
    "average": _either(r"(?<!category )(?<!peer )(?<!group )(?<!industry )(?<!sector )\b(?:average|mean)\b"),
    "difference": _either(
        r"\b(?:differen(?:ce|t)|change[ds]?|(?:in|de)crease[ds]?|decline[ds]?|gr[eo]w(?:n|th|s)?|rise|rose|risen)\b",
        r"\b(?:fall|fell|fallen|drop(?:ped)?|compare[ds]?|versus|vs|gap|variance|movement|moved|delta)\b",
        r"\b(?:trail|lag|beat|outperform|underperform)(?:ed|s|ged)?\b",
        r"\bhow much (?:more|less|higher|lower)\b|\bup or down\b",
    ),
    "share": _either(
        r"\b(?:proportion|percentage|percent|share|fraction|ratio)\b.* (?:of|to|in|over|by|as)\b", r"\bdivided by\b"
    ),
    "count": _either(r"\bhow many\b", r"(?<!total )(?<!most )(?<!est )\bnumber of\b", r"\bcount (?:of|the)\b"),
    "largest": _either(
        r"\b(?:largest|highest|biggest|greatest|top|maximum|max|best|longest|latest|heaviest|leading|strongest)\b",
        r"\bmost\b(?! of\b)",
        r"\b(?:exceeds?|larger|higher|greater|bigger|better|more)\b",
    ),
    "smallest": _either(
        r"\b(?:smallest|lowest|least|minimum|min|worst|fewest|shortest|earliest|weakest|bottom|cheapest)\b",
        r"\b(?:smaller|lower|less|fewer|worse)\b",
    ),
    "sum": _either(r"\b(?:total|sum|combined|together|altogether|in all|overall|aggregate)\b"),
}
_EXTREME_WORD = re.compile(
    r"\b(?:most|least|largest|biggest|greatest|highest|strongest|steepest|sharpest|fastest|quickest|smallest|lowest|top)\b"
)
_MOVES: dict[Direction, re.Pattern[str]] = {
    "up": _either(
        r"\b(?:gr[eo]w(?:n|th|s|ing)?|increas(?:e[ds]?|ing)|rise[ns]?|rose|rising|gain(?:s|ed|ing|ers?)?|climb(?:s|ed)?)\b",
        r"\b(?:improve(?:d|s|ment)?|expand(?:s|ed)?|jump(?:s|ed)?)\b",
    ),
    "down": _either(
        r"\b(?:decreas(?:e[ds]?|ing)|declin(?:e[ds]?|ing)|f[ae]ll(?:s|en)?|drop(?:s|ped)?|shr[aiu]nk|los[est]+|losers?)\b",
        r"\b(?:reduc(?:ed|tion)|worsen(?:ed)?)\b",
    ),
    "any": _either(r"\b(?:chang(?:e[ds]?|ing)|moved?(?:ment)?|movers?|shift(?:s|ed)?|swing|vari(?:ed|ation))\b"),
}
_NUMBER_WORDS = dict(
    zip("two three four five six seven eight nine ten twelve".split(), [*range(2, 11), 12], strict=True)  # noqa: SIM905
)
_ORDINALS = dict(zip("second third fourth fifth sixth seventh eighth ninth tenth".split(), range(2, 11), strict=True))  # noqa: SIM905
_EXTREME = r"(?:largest|biggest|highest|smallest|lowest|greatest|top|bottom|leading|first)"
_HOW_MANY = "|".join((r"\d{1,2}", *_NUMBER_WORDS, *_ORDINALS))
_TOP = re.compile(
    rf"\b{_EXTREME}[ -]({_HOW_MANY})\b|\b({_HOW_MANY}) {_EXTREME}\b|\bwhich ({_HOW_MANY}) \w+s\b", re.IGNORECASE
)
_TOGETHER = re.compile(rf"\bhow much of\b.*\b{_EXTREME} (?:{_HOW_MANY})\b", re.IGNORECASE)
_FORM = re.compile(r"\b(?:respective (?:values?|amounts?|figures?)|values?|figures?) (?:of|for)\b", re.IGNORECASE)
_WHICH_TIME = re.compile(
    r"\b(?:which|what|how many) (?:fiscal |calendar )?(?:years?|quarters?|months?|periods?)\b(?! of )", re.I
)
_LIMIT = re.compile(  # of "above 15,000 thousand" only the word is looked for
    r"\b(exceed(?:s|ed|ing)?|than|above|below|over|under|at least|at most)\s*[$€£]?\s?-?\d[\d,.]*"
    r"(?![\d,.]*\s*(?:years?|months?|quarters?)\b)(?:\s*(?:thousands?|millions?|billions?|percent\b|%))?",
    re.IGNORECASE,
)
_THE_TWO = re.compile(
    r"\b(?:the|these|those|both|all)\s+(?:two|three|four|five|six)\b"
    r"(?![-\s]+(?:largest|biggest|highest|top|smallest|lowest|most|main|years?|months?|weeks?|days?|quarters?))",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"\b(?:below|above|under|over|(?:higher|lower|greater|less|more|larger|smaller) than)\b", re.IGNORECASE
)
_AS_PRINTED = re.compile(
    r"\brespective|\b(?:which|what) (?:fiscal )?(?:years|periods|quarters)\b.* (?:calculated|provided|presented|shown|"
    r"recorded|reported|included|given|available|disclosed)\b",
    re.IGNORECASE,
)
_EITHER_WAY = re.compile(r"\b(?:increase|decrease) ?(?:/|or) ?\(?(?:increase|decrease)\)?", re.IGNORECASE)
_IN_PERCENT = re.compile(r"\b(?:proportion|ratio),? \(?(?:in|as an?) percent(?:age)?\)?,?", re.IGNORECASE)
_GLUED = re.compile(r"\b(than|over|under|above|below|exceed(?:s|ed)?)(?=[$€£\d])", re.IGNORECASE)
_REPORTER = re.compile(r"\b(?:the|its) (company|group|firm|corporation)['’]s\b", re.IGNORECASE)
_OWNER = re.compile(r"(?<!^)(?<!\. )\b((?:[A-Z][\w&.-]* )*[A-Z][\w&.-]*)['’]s\b")
_TAIL = re.compile(r".*\b(?:in|of|for|from|per|at|by|under|according to) (.+)$")
_BACK = re.compile(r",? and (?:what|how much|how many|which)\b.*\b(?:it|they|this|that)\b[^,;]*$", re.IGNORECASE)
_COMPUTING = """
    largest highest biggest greatest most top maximum max best longest latest leading exceed larger higher greater
    bigger smallest lowest least minimum min worst fewest shortest earliest bottom smaller lower less fewer total
    sum combined together altogether overall aggregate number count change changed difference different increase
    increased decrease decreased decline declined growth grow grew grown rise rose fall fell drop dropped compare
    compared comparison versus vs percentage percent proportion share fraction average mean respectively respective
    both amount value figure more gap movement moved calculate compute long old called kind component components
    gain gained gainer mover movers climb climbed lost lose loser shrink shrank jump jumped swing shift shifted
    main key major primary all every entire whole table shown recorded calculated listed presented making
    fastest steepest sharpest strongest item items type types category categories element elements often times
    trail trailed lag lagged beat outperform outperformed underperform underperformed below above
    provided disclosed reported contributed contribute factored accounted accounts stated
"""
_COMPUTING_WORDS = frozenset(_COMPUTING.split())
COMPUTING = frozenset(map(stem, _COMPUTING_WORDS))
_NUMBER = stem("number")
NUMBER_WEIGHT = 1.5  # of a number in the question, against a word: "15 years" is not answered by "10 years"
CUE_WEIGHT = 0.7  # of "total", "change", "minimum" where the answer must be printed
COMPUTED_CUE_WEIGHT = 0.05  # of the same words where the answer is computed
FORM_WEIGHT = 0.25  # of a word that says in which form the answer is wanted, against a word of the subject


@dataclass(frozen=True, slots=True)
class Question:
    """A question taken apart.

    subject: stems to look for, in order, without the words that only say what to compute or in which form.
    every: the same with those words. periods: years named, in the order named. top: how many are asked for
    ("the three largest"), rank: from which place ("the second largest"), both 1 when not said. cue: stems of the words
    that name the computation. tail: stems of its last phrase with "in", "of", "for", …: often which
    document is meant. moved: which way what is asked for went the furthest ("grew the most"); "" when no change is
    compared. owner: stems of whose it is ("Autodesk's goodwill").
    """

    text: str
    kind: Kind
    operation: Operation | None
    subject: tuple[str, ...]
    every: tuple[str, ...]
    periods: tuple[Period, ...] = ()
    top: int = 1
    rank: int = 1
    tail: tuple[str, ...] = ()
    moved: Direction = ""
    cue: frozenset[str] = frozenset()
    owner: frozenset[str] = frozenset()

    def weight(self, term: str, *, literal: bool) -> float:
        """How much a term matters for finding the place, before its rarity is known. literal: the answer is looked up
        as printed, so that "total" or "change" must stand there too; otherwise they only say what to compute."""
        if term in self.owner:
            return FORM_WEIGHT
        if term in self.subject:
            return NUMBER_WEIGHT if term.isdigit() else 1.0
        if term in self.cue:
            return CUE_WEIGHT if literal else COMPUTED_CUE_WEIGHT
        return FORM_WEIGHT


def analyse(text: str) -> Question:
    """Take a question apart: plain words, keywords, or telegraphic."""
    plain = _without_its_amount(_plain(" ".join(text.split())))
    named = _named_periods(plain)
    operation, cue = _operation(plain)
    top, rank, counted = _top(plain)
    said = _WHICH_TIME.sub(" ", _FORM.sub(" ", _LIMIT.sub(r"\1", _THE_TWO.sub(" ", _without(plain, named)))))
    every = tuple(dict.fromkeys(t for t in terms(said) if t not in counted))
    if re.search(r"\bhow many\b", plain, re.IGNORECASE):
        every, cue = (*every, _NUMBER), cue | {_NUMBER}
    own = {stem(w) for w in re.findall(r"[^\W\d_]+", plain.casefold()) if w not in _COMPUTING_WORDS}
    subject = tuple(t for t in every if t not in COMPUTING or t in own) or every
    kind = _kind(plain)
    if kind == "yes-no" and (compared := _COMPARED.search(plain)):
        operation, cue = "difference", frozenset(terms(compared[0])) & COMPUTING
    if _is_printed(plain, kind, operation, cue):
        operation, cue = None, frozenset()
    if kind == "manner" and operation in ("difference", "growth"):
        kind = "any"  # "how did it change" asks for the change
    return Question(
        plain, kind, operation, subject, every, named, top, rank, _tail(plain), _moved(plain), cue, _owner(plain)
    )


def _is_printed(text: str, kind: Kind, operation: Operation | None, cue: frozenset[str]) -> bool:
    """Whether a word that may name a computation does not: "how much of it are the top ten", "what does it mean", "the
    respective totals", "why did it fall"."""
    if operation == "largest":
        return bool(_TOGETHER.search(text))
    if operation in ("average", "sum"):
        return bool(_AS_PRINTED.search(text)) or (kind == "definition" and cue == {stem("mean")})
    return kind == "reason" and operation in ("difference", "growth")


def _plain(text: str) -> str:
    """Without what a careful asker puts in brackets: "increase / (decrease)", "the ratio, in percentage, of"; with the
    blank forgotten before a number."""
    text = _EITHER_WAY.sub("change", text)
    return _GLUED.sub(r"\1 ", _IN_PERCENT.sub(" percentage", text) if _IN_PERCENT.search(text) else text)


def _without_its_amount(text: str) -> str:
    """Without "and what share of the fund is it" behind "which is the largest": an extreme is shown with its value."""
    back = _BACK.search(text)
    if back is None or _named_periods(back[0]) or _operation(text[: back.start()])[0] not in ("largest", "smallest"):
        return text
    amount = _operation(back[0])[0] == "share" or _kind(back[0]) == "amount"
    return text[: back.start()] + "?" if amount else text


def _named_periods(text: str) -> tuple[Period, ...]:
    """The periods of calendar time in the question: years, quarters, dates; a span of years as each of its years."""
    found: list[Period] = []
    for period in periods(text):
        if period.year is None and period.quarter is None and period.month is None:
            continue
        found.append(period)
    return tuple({p.key: p for p in found}.values())


def _without(text: str, named: Iterable[Period]) -> str:
    for period in sorted(named, key=lambda p: -p.span[0]):
        text = text[: period.span[0]] + " " + text[period.span[1] :]
    return text


def _kind(text: str) -> Kind:
    lowered = text.casefold()
    if _YES_NO.match(lowered):
        return "yes-no"
    return next((kind for kind, pattern in _KINDS.items() if pattern.search(lowered)), "any")


def _operation(text: str) -> tuple[Operation | None, frozenset[str]]:
    """The computation, and the stems of the words that say so."""
    for name, pattern in _OPERATIONS.items():
        if match := pattern.search(text.casefold()):
            return name, frozenset(terms(match.group())) & COMPUTING
    return None, frozenset()


def _moved(text: str) -> Direction:
    """The direction of a change whose extreme is asked for: "which sector grew the most", "the largest decrease"."""
    lowered = text.casefold()
    if not _EXTREME_WORD.search(lowered):
        return ""
    return next((way for way, pattern in _MOVES.items() if pattern.search(lowered)), "")


def speaks_of(direction: Direction, text: str) -> bool:
    """Whether a text speaks of a change of that direction; of none, always."""
    return not direction or bool(_MOVES[direction].search(text.casefold()))


def _tail(text: str) -> tuple[str, ...]:
    match = _TAIL.search(text)
    return terms(match[1]) if match else ()


def _owner(text: str) -> frozenset[str]:
    """Stems of names with a possessive: whose figures a report tells is seldom said beside them."""
    return frozenset(t for name in (*_OWNER.findall(text), *_REPORTER.findall(text)) for t in terms(name))


def _top(text: str) -> tuple[int, int, frozenset[str]]:
    """How many are asked for, from which place, and the stems of the words that say so."""
    for match in _TOP.finditer(text) if not _TOGETHER.search(text) else ():
        word = (match[1] or match[2] or match[3]).casefold()
        if word in _ORDINALS:
            return 1, _ORDINALS[word], frozenset(terms(word))
        number = int(word) if word.isdigit() else _NUMBER_WORDS.get(word, 0)
        if 1 < number <= 50:
            return number, 1, frozenset(terms(word))
    return 1, 1, frozenset()
