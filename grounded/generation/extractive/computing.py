"""Which computation a question asks for, and its operands: changes, averages, totals, shares, extremes and counts.

A computation first finds its operands, each a fact that a source holds; nothing is computed from a guess.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import NamedTuple

from grounded.generation.extractive import amounts, operations
from grounded.generation.extractive.evidence import Fact, columns, rows, timeless
from grounded.generation.extractive.listing import Members, counted, members
from grounded.generation.extractive.matching import Matcher
from grounded.generation.extractive.moving import movers
from grounded.generation.extractive.operations import Computed
from grounded.generation.extractive.question import COMPUTING, Question, analyse
from grounded.generation.extractive.words import stem, terms
from grounded.quantities import Period, Quantity, periods, quantities

ANCHORS = 12  # best-fitting facts tried as the first operand
MOST_ALIKE = 3  # rows that are added up because each is one of what is asked for
_DIFFERENCE = stem("difference")  # between two values, either way round; a change has a direction
MIN_PART = 0.5  # share of a named part's terms that its operand's labels must hold
OTHER_FORM = 0.5  # of a column's score, when it holds no percentages and the question asks for a rate
_ERROR = frozenset(terms("margin of error"))  # a column that measures nothing itself
_RATES = frozenset(terms("rate rates percent percentage proportion"))
_TOTALS = frozenset(terms("total totals subtotal sum aggregate overall"))
_PERIOD_WORD = r"(?:years?|quarters?|periods?|months?|dates?|fy|fys)"
_WHICH_PERIOD = re.compile(
    r"\b(?:which|what|how many|best|worst|strongest|weakest|highest|lowest)(?: of the)?(?: \w+)?"
    rf" {_PERIOD_WORD}\b|^when\b",
    re.IGNORECASE,
)
_WHICH_PERIODS = re.compile(r"\b(?:which|what) (?:fiscal )?(?:years|quarters|periods)\b", re.IGNORECASE)
_SHARE = r"(?:percentage|percent|proportion|share|ratio|fraction)"
_MADE = r"(?: (?:of )?(?:constitution|composition|contribution))?"
_IS = r"(?:is|was|were|are|came from|relates? to|related to|consists? of)"
_TO = r"(?:to|over|in|out of|against|from|within|among|amongst|in the|relative to|on)"
_MORE = r"(?:more|less|higher|lower|greater|larger|smaller)"
_PARTS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        ("share", rf"(?P<a>.+?),? as an? (?:\w+ )?{_SHARE} of (?P<b>.+)"),
        ("share", rf"{_SHARE} of (?P<b>.+?) {_IS} (?P<a>.+)"),
        ("share", rf"{_SHARE}{_MADE} of (?P<a>.+?) {_TO} (?P<b>.+)"),
        ("share", rf"{_SHARE} of (?P<a>.+?) of (?P<b>.+)"),
        ("share", r"(?P<a>.+?) divided by (?P<b>.+)"),
        ("difference", r"\bdifferences? (?:in .+? |of .+? )?between (?P<b>.+?) and (?P<a>.+)"),
        ("difference", rf"\bhow much {_MORE} (?:is|was|were|are) (?P<b>.+?) than (?P<a>.+)"),
        (
            "difference",
            r"\bhow much (?:did|do|does) (?P<b>.+?) (?:trail|lag|beat|outperform|underperform|exceed) (?P<a>.+)",
        ),
        (
            "difference",
            rf"(?P<b>.+?) (?:vs\.?|versus|compared? (?:with|to)|against|below|above|{_MORE} than) (?P<a>.+)",
        ),
        ("sum", r"\b(?:total|sum|combined)(?: amount| value)?(?: of)? (?P<a>.+?) and (?P<b>.+)"),
        ("average", r"\baverage(?: of)? (?P<a>.+?) and (?P<b>.+)"),
    )
)
_THRESHOLD = re.compile(
    r"\b(?P<over>exceed(?:s|ed|ing)?|(?:greater|more|higher|larger) than|above|over|at least)"
    r"|(?P<under>(?:less|lower|smaller|fewer) than|below|under|at most)\b",
    re.IGNORECASE,
)

_FOR_TIME = re.compile(r"\s+\d+[ -](?:year|month|quarter)s?\b", re.IGNORECASE)
_FROM = re.compile(r"\bfrom\b.*\bto\b|\bnet difference\b", re.IGNORECASE)  # a difference that has a direction
_YEAR = re.compile(r"(?:19|20)\d\d\b(?![.,]\d)")
_RUN = re.compile(r"\b((?:19|20)\d\d)\s*(?:to|through|[-–])\s*((?:19|20)\d\d)\b")
_YEAR_AVERAGE = re.compile(r"\b(?:19|20)\d\d average\b", re.IGNORECASE)  # of that year end and the one before
_UNDER = re.compile(r"\b(?:less|lower|smaller|fewer) than\b|\b(?:below|under|at most)\b", re.IGNORECASE)


_NAMED_RATIOS = {
    "current ratio": ("total current assets", "total current liabilities"),
    "debt to equity ratio": ("total liabilities", "total equity"),
    "debt to asset ratio": ("total liabilities", "total assets"),
    "liability to asset ratio": ("total liabilities", "total assets"),
}


class Line(NamedTuple):
    """Facts of one measure or one column, and how well it fits the question."""

    facts: list[Fact]
    score: float


class Computer:
    """Finds operands for one question among the facts of a context."""

    def __init__(self, question: Question, matcher: Matcher, known: Sequence[Fact]) -> None:
        self.question = question
        self.matcher = matcher
        self.known = _measured([fact for fact in known if fact.quantity is not None])

    def compute(self) -> list[Computed]:
        """The computation the question asks for when its operands are all there; [] when not."""
        operation = self.question.operation
        if not self.known:
            return []
        if operation is None or self.question.kind == "yes-no":
            tried = self._over_parts() or self._named_ratio()
            return [tried] if tried else []
        if self.question.moved and (found := self._movers()):
            return found
        if operation in ("largest", "smallest"):
            return self._extremes(largest=operation == "largest")
        tried = self._count() if operation == "count" else self._over_parts() or self._over_periods()
        return [tried] if tried else []

    def compares_within(self) -> bool:
        """Whether the two things compared stand side by side in one table: "expense ratio vs category average"."""
        found = self._over_parts() if self.question.operation == "difference" else None
        return found is not None and len({id(fact.table) for fact in found.operands}) == 1

    def at_every_period(self) -> list[Computed]:
        """The measure asked for at each period there is, when the question is for which years it is told."""
        if not _WHICH_PERIODS.search(self.question.text):
            return []
        row, table = self._by_period(), self._of_table()
        line = table if table and (row is None or table.score > row.score) else row
        if line is None:
            return []
        return [
            Computed("", _year_of(fact) or fact.column_text, (fact,), "", fact.value_text, line.score, fact.row_text)
            for fact in line.facts
        ]

    def _movers(self) -> list[Computed]:
        return movers(self.question, self.matcher, self.known, by_period=bool(_WHICH_PERIOD.search(self.question.text)))

    def _count(self) -> Computed | None:
        """How many periods are beyond a threshold, or how many rows stand under a heading."""
        limit = self._threshold()
        if limit is None:
            found = members(self.matcher, self.known)
            return counted(found) if found else None
        line = self._by_period() if _WHICH_PERIOD.search(self.question.text) else self._by_row()
        if line is None:
            return None
        beyond = [f for f in line.facts if self._beyond(f, limit)]
        return counted(Members(beyond, operations.label(line.facts), line.score)) if beyond else None

    def _beyond(self, fact: Fact, limit: Quantity) -> bool:
        """Whether a value is over (or under) the threshold, both in one scale when one of them names none."""
        value = operations.number(fact)
        scaled = limit.exponent and value.exponent
        over = value.value > limit.value if scaled else value.number > limit.number
        return over != bool(_UNDER.search(self.question.text))

    # ------------------------------------------------------------ one measure over periods

    def over(self, wanted: Sequence[Period]) -> Line | None:
        """The same measure at each of the wanted periods; None unless all are there."""
        best: Line | None = None
        for score, anchor in self.ranked(wanted[0])[:ANCHORS]:
            line = [anchor, *(self._sibling(anchor, period) for period in wanted[1:])]
            found = [fact for fact in line if fact is not None]
            if len(found) == len(wanted) == len({id(f) for f in found}) and (best is None or score > best.score):
                best = Line(found, score)
        return best

    def ranked(self, period: Period | None = None) -> list[tuple[float, Fact]]:
        """Facts by fit; those of `period` only when one is given."""
        fitting = [f for f in self.known if self.matcher.picks(f) and (period is None or _is_of(f, period))]
        rated = ((self.matcher.fact(f)._replace(form=0.0).score, f) for f in fitting)  # an operand, not the answer
        return sorted(rated, key=lambda pair: -pair[0])

    def _sibling(self, anchor: Fact, period: Period) -> Fact | None:
        """The fact that says at `period` what `anchor` says at its own: same labels but for the period."""
        row, column = timeless(anchor.row_text), timeless(anchor.column_text)
        found = [
            (fact.table is anchor.table, timeless(fact.column_text) == column, -order, fact)
            for order, fact in enumerate(self.known)
            if fact is not anchor
            and _is_of(fact, period)
            and fact.dated[0] == anchor.dated[0]
            and timeless(fact.row_text) == row
        ]
        return max(found, key=lambda f: f[:3])[3] if found else None

    def _over_periods(self) -> Computed | None:
        name = self.question.operation or ""
        operation = OVER_PERIODS.get(name)
        line = self._line(pair=name in ("difference", "growth")) if operation else None
        if operation is None or line is None or not amounts.comparable([operations.number(f) for f in line.facts]):
            return None
        undirected = _DIFFERENCE in self.question.cue and not _FROM.search(self.question.text)
        facts = sorted(line.facts, key=_value) if undirected else line.facts
        return operation(facts, line.score)

    def _line(self, *, pair: bool) -> Line | None:
        """The operands over time: at the periods named; at the one named and the one before; or at all there are."""
        wanted = _spread(self.question, pair=pair)
        if len(wanted) >= 2:
            return self.over(sorted(wanted, key=_when) if pair else wanted)
        if not wanted and self.question.operation == "sum":
            found = members(self.matcher, self.known)
            return Line(found.facts, found.score) if found else None
        anchors = self.ranked(wanted[0] if wanted else None)
        if not anchors:
            return None
        if self.question.operation == "sum" and (parts := self._alike(anchors)):
            return parts
        score, anchor = anchors[0]
        series = self._series(anchor)
        if wanted and not pair and not _YEAR_AVERAGE.search(self.question.text):
            return None
        if wanted:
            series = [f for f in series if _when(f.periods[0]) <= _when(anchor.periods[0])][-2:]
        elif pair and len(series) != 2:
            return None
        return Line(series, score) if len(series) >= 2 else None

    def _alike(self, ranked: Sequence[tuple[float, Fact]]) -> Line | None:
        """The two or three rows of a column that say what is asked for and more: "total monetary assets" of current and
        non-current ones."""
        best, first = ranked[0]
        said = self.matcher.asked & set(first.row_stems)
        if first.table is None or not said - _TOTALS or self.matcher.names_whole_row(first):
            return None
        column = [
            f for _, f in ranked if f.table is first.table and f.cell and first.cell and f.cell.col == first.cell.col
        ]
        rows_alike = [f for f in column if said <= set(f.row_stems)]
        return Line(rows_alike, best) if 1 < len(rows_alike) <= MOST_ALIKE else None

    def _series(self, anchor: Fact) -> list[Fact]:
        """The anchor's measure at every period of its table, oldest first. A title over all columns is often read as
        that of the middle one: where every year stands once, the columns tell of one measure."""
        row, column = timeless(anchor.row_text), timeless(anchor.column_text)
        dated = [
            fact
            for fact in self.known
            if fact.table is anchor.table
            and len(fact.periods) == 1
            and fact.periods[0].year is not None
            and timeless(fact.row_text) == row
        ]
        once = len({f.periods[0].year for f in dated}) == len(dated) and all(f.dated[0] == 0 for f in dated)
        same = [f for f in dated if once or timeless(f.column_text) == column]
        return sorted(same, key=lambda f: _when(f.periods[0]))

    # ------------------------------------------------------------ two measures

    def _over_parts(self) -> Computed | None:
        """A computation over two things the question names."""
        for name, pattern in _PARTS:
            match = pattern.search(self.question.text.rstrip("?. "))
            if name != self.question.operation or not match:
                continue
            line = self._two(match["a"], match["b"])
            if line:
                facts = sorted(line.facts, key=_value) if name == "difference" else line.facts
                return _OVER_PARTS[self._form(name)](facts, line.score)
        return None

    def _named_ratio(self) -> Computed | None:
        """A ratio known by name, of the two totals it is made of; one that is printed is no computation."""
        name = next((name for name in _NAMED_RATIOS if name in self.question.text.casefold().replace("-", " ")), "")
        if not name or any(set(terms(name)) <= set(f.row_stems) for f in self.known):
            return None
        line = self._two(*_NAMED_RATIOS[name])
        return operations.ratio(line.facts, line.score) if line else None

    def _form(self, name: str) -> str:
        return "ratio" if name == "share" and not re.search("percent", self.question.text, re.IGNORECASE) else name

    def _two(self, first: str, second: str) -> Line | None:
        """Two facts of one column (or row) and period, one for each part of the question."""
        ranked = [self._of_part(first), self._of_part(second)]
        said = set(terms(first)), set(terms(second))
        best: Line | None = None
        for score_a, a in ranked[0]:
            for score_b, b in ranked[1]:
                score = (score_a + score_b) / 2
                if a is not b and _are_told_apart((a, b), said) and (best is None or score > best.score):
                    best = Line([a, b], score)
        return best

    def _of_part(self, part: str) -> list[tuple[float, Fact]]:
        """Facts whose labels hold most of a part's words, best first."""
        asked = analyse(part)
        own = {t for t in terms(part) if not t.isdigit()}
        if not set(asked.subject) - COMPUTING and not any(_says(fact, own) for fact in self.known):
            return []
        matcher = self.matcher.about(asked)
        period = self.question.periods[0] if len(self.question.periods) == 1 else None
        found: list[tuple[float, Fact]] = []
        for fact in self.known:
            fit = matcher.fact(fact)
            if fit.own + fit.group >= MIN_PART and fit.own > 0 and (period is None or _is_of(fact, period)):
                found.append((fit.score + 0.25 * self.matcher.fact(fact).score, fact))
        return sorted(found, key=lambda rated: -rated[0])[:ANCHORS]

    # ------------------------------------------------------------ extremes

    def _extremes(self, *, largest: bool) -> list[Computed]:
        line = self._by_period() if _WHICH_PERIOD.search(self.question.text) else self._by_row_or_column()
        if line is None or len(line.facts) < 2 or not amounts.comparable([operations.number(f) for f in line.facts]):
            return []
        ordered = sorted(line.facts, key=lambda f: operations.number(f).value, reverse=largest)
        limit = self._threshold()
        if limit is not None:
            ordered = [f for f in ordered if self._beyond(f, limit)]
            return [_picked(f, line, largest=largest, rank=0) for f in ordered]
        first, count = self.question.rank, self.question.top
        chosen = list(enumerate(ordered, 1))[first - 1 : first - 1 + count]
        return [_picked(f, line, largest=largest, rank=i) for i, f in chosen]

    def _threshold(self) -> Quantity | None:
        match = _THRESHOLD.search(self.question.text)
        timed = match and _FOR_TIME.match(self.question.text, match.end())  # "over 10 years"
        found = quantities(self.question.text[match.end() :]) if match and not timed else []
        return found[0] if found else None

    def _by_period(self) -> Line | None:
        """The best-fitting measure at every period of its table."""
        ranked = self.ranked()
        for score, anchor in ranked[:ANCHORS]:
            if len(series := self._series(anchor)) > 1:
                return Line(series, score)
        return None

    def _of_table(self) -> Line | None:
        """The first measure of the table that the question names, at every period."""
        best: Line | None = None
        for facts in _first_rows(self.known):
            series = self._series(facts[0])
            score = self.matcher.column(facts)._replace(period=0.0).score
            if len(series) > 1 and (best is None or score > best.score):
                best = Line(series, score)
        return best

    def _has_form(self, fact: Fact) -> bool:
        """Whether a value is a percentage where the question asks for a rate."""
        rate = operations.number(fact).unit == "percent" or bool(_RATES & set(fact.column_stems))
        return rate or not _RATES & set(self.question.every)

    def _by_row_or_column(self) -> Line | None:
        """The rows of a column, or the columns of a row: "which class has the lowest fee"."""
        rows, columns = self._by_row(), self._by_column()
        return columns if columns and (rows is None or columns.score > rows.score) else rows

    def _by_column(self) -> Line | None:
        """The row the question names, across columns that are no periods."""
        best: Line | None = None
        for facts in rows(self.known).values():
            named = self.matcher.fact(facts[0])._replace(form=0.0)
            apart = len({f.column_text for f in facts}) == len(facts) > 1 and not any(
                periods(f.column_text) for f in facts
            )
            if apart and self.matcher.names_row(facts[0]) and (best is None or named.score > best.score):
                best = Line(facts, named.score)
        return best

    def _by_row(self) -> Line | None:
        """The column whose table, section or header the question names, without its total rows."""
        best: Line | None = None
        for column in columns(self.known):
            rows = operations.without_totals([f for f in column if f.row_stems and not _TOTALS & set(f.row_stems)])
            if len(rows) < 2 or (set(rows[0].column_stems) >= _ERROR and not _ERROR & set(self.question.every)):
                continue
            score = self.matcher.column(rows).score * (1.0 if self._has_form(rows[0]) else OTHER_FORM)
            if score > 0 and (best is None or score > best.score):
                best = Line(rows, score)
        return best


def _picked(fact: Fact, line: Line, *, largest: bool, rank: int) -> Computed:
    """One member of a line, as the largest, the second largest, …"""
    others = tuple(f for f in line.facts if f is not fact)
    by_row = len({f.row_text for f in line.facts}) > 1
    column = (_year_of(fact) if fact.dated[0] == 0 else "") or fact.column_text
    label, of = (fact.row_text, fact.column_text) if by_row else (column, fact.row_text)
    word = "largest" if largest else "smallest"
    place = word if rank == 1 else ""  # of the others the order of the claims says it
    function = "max" if largest else "min"
    formula = f"{function}({'; '.join(f.value_text for f in (fact, *others))}) = {fact.value_text}"
    context = ", ".join(part for part in (of or fact.group, place) if part)
    operation = {1: "maximum" if largest else "minimum"}.get(rank, "")
    return Computed(operation, label, (fact, *others), formula, fact.value_text, line.score, context)


def _year_of(fact: Fact) -> str:
    """The year of a column that names one, and no day, quarter or month beside it."""
    years = {p.year for p in fact.periods if p.year is not None and p.quarter is None}
    return str(years.pop()) if len(years) == 1 else ""


OVER_PERIODS: dict[str, operations.Operation] = {
    "difference": operations.difference,
    "growth": operations.growth,
    "sum": operations.total,
    "average": operations.average,
}
_OVER_PARTS: dict[str, Callable[[Sequence[Fact], float], Computed | None]] = {
    "share": operations.percentage,
    "ratio": operations.ratio,
    "difference": operations.difference,
    "sum": operations.total,
    "average": operations.average,
}


def _first_rows(known: Sequence[Fact]) -> list[list[Fact]]:
    """Of each table the first row that has values."""
    first: dict[int, list[Fact]] = {}
    for facts in rows(known).values():
        first.setdefault(id(facts[0].table), facts)
    return list(first.values())


def _are_told_apart(pair: tuple[Fact, Fact], said: tuple[set[str], set[str]]) -> bool:
    """Whether two operands stand side by side, each named by its own words: neither in the column of the other, and of
    one row only in columns that are named."""
    (a, b), (words_a, words_b) = pair, said
    columns_apart = (words_a ^ words_b) & (set(a.column_stems) ^ set(b.column_stems))
    named = a.row_text != b.row_text or bool(columns_apart)
    return named and _aligned(a, b) and not _says(a, words_b) and not _says(b, words_a)


def _says(fact: Fact, part: set[str]) -> bool:
    """Whether a value's column is the other thing that is named: it cannot be both."""
    return bool(part) and part <= set(fact.column_stems)


def _measured(known: Sequence[Fact]) -> list[Fact]:
    """Facts but for columns of years, which are names of times: "Last year of expiration: 2029"."""
    dates = {id(f) for column in columns(known) if all(_YEAR.match(f.value_text) for f in column) for f in column}
    return [fact for fact in known if id(fact) not in dates]


def _aligned(a: Fact, b: Fact) -> bool:
    """Whether two operands stand in one column, in one row, or both on no table."""
    if a.table is None or b.table is None:
        return a.table is b.table
    same_column = a.column_text == b.column_text and a.row_text != b.row_text
    return same_column or (a.table is b.table and a.row_text == b.row_text)


def _is_of(fact: Fact, period: Period) -> bool:
    return len({p.year for p in fact.periods}) == 1 and any(period.agrees(p) for p in fact.periods)


def _value(fact: Fact) -> Decimal:
    return operations.number(fact).value


def _spread(question: Question, *, pair: bool) -> tuple[Period, ...]:
    """The periods a computation runs over: the two named for a change; every year from the first to the last for
    "from 2015 to 2019" or "2017-2019"."""
    named = question.periods
    ends = [p for p in named if p.end_year is not None]
    years = [p.year for p in named if p.year is not None]
    if ends and ends[0].year is not None and ends[0].end_year is not None:
        years = [ends[0].year, ends[0].end_year]
    elif pair or len(years) != 2 or not re.search(r"\b(?:from|between|through|over)\b", question.text, re.IGNORECASE):
        return named[:2] if pair else named
    run = range(min(years), max(years) + 1) if not pair else sorted(years)
    return tuple(p for year in run for p in periods(str(year)))


def every_year(question: Question) -> tuple[Period, ...]:
    """The periods a question names; of "2017 to 2019" each year, in the order told."""
    named, run = question.periods, _RUN.search(question.text)
    if run is None or len(named) != 2:
        return named
    first, last = int(run[1]), int(run[2])
    years = range(first, last + 1) if first < last else range(first, last - 1, -1)
    return tuple(p for year in years for p in periods(str(year)))


def _when(period: Period) -> tuple[int, ...]:
    return tuple(part or 0 for part in period.key)
