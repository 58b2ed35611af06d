"""A claim that nearly repeats a sentence, word beside word: what was changed, and whether the change turns the meaning.

Where most of a claim's words stand in one sentence in the same order, what differs can be named: a lost 'not', 'may'
for 'shall', 'all' for 'some', 'fell' for 'rose', another party, unit, month, condition, or two words that changed
places.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise

from grounded.quantities.units import UNIT_NAMES
from grounded.verification.lexicon import opposites, word_groups
from grounded.verification.words import is_function, stem

_TOKEN = re.compile(
    r"[$€£¥]?\(?\d[\d.,·:/]*\d%?\)?|[$€£¥]?\d%?|[^\W\d_]+(?:['’-][^\W_]+)*|[%$€£¥]|[A-Za-z]+\d\w*", re.UNICODE
)
# list marks, and footnote marks glued to a word, are no numbers; blanked so that offsets stay
_ITEM_MARK = re.compile(
    r"(?:^|(?<=[.;:,]\s))\(\d{1,2}\)(?=\s)|(?<=[,;:.])\s\d{1,2}\.$|^\d{1,2}[.)](?=\s)|(?<=[a-z]{5})\d{1,2}\b"
)
_CLASS = word_groups()
_MORE_UNITS = (
    "percent percentage dollars euros pounds million billion thousand trillion hundred % $ € £ ¥ usd eur gbp bps cents"
)
_SIGNS = {"%": "percent", "percentage": "percent", "$": "dollars", "€": "euros", "£": "pounds"}
_UNITS = {name for name in UNIT_NAMES if len(name) > 1} | set(_MORE_UNITS.split(" "))
_WORTH_SAYING = frozenset({"negation", "modality", "quantifier", "condition"})
_MAY_MOVE = frozenset({"number", "period", "entity", "content", "role", "unit"})
_EXCEPTION = re.compile(
    r"(?:and |or )?(?:unless|except|excluding|provided|if|other than|subject to|save|apart from|until|but only)\b",
    re.IGNORECASE,
)
_HARMLESS = frozenset({"and", "or", "will", "would", "any"})
# who does what to whom; which thing is set against which; which figure is which
_TRADE_PLACES: tuple[Callable[[Token], bool], ...] = (
    lambda token: token.kind == "entity" or (token.kind == "role" and not _is_thing(token)),
    lambda token: token.kind == "role" and _is_thing(token),
    lambda token: token.kind == "number",
)
_THING = re.compile(
    r"(?:asset|liabilit|revenue|sale|cost|expense|receivable|payable|import|export)\w{0,3}|gross|net|basic|diluted",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_FROM_TWO = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NUMBER_WORDS = {word: str(i) for i, word in enumerate(_FROM_TWO, start=2)}  # 'one' is mostly no number
_MONTHS = frozenset({"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"})
_PERIOD_MARKS = frozenset({"fy", "fiscal", "q1", "q2", "q3", "q4", "h1", "h2"})
_PREFIXES = ("un", "in", "im", "ir", "dis", "non")
_SKIPPED = 8  # words of the source that a claim may pass over before a whole clause, not a word, was left out
_REACH = 3  # words beyond the shared ones that are looked at


@dataclass(frozen=True, slots=True)
class Token:
    """A word as written with what it is compared by."""

    text: str
    key: str
    at: int
    kind: str
    group: int = -1
    function: bool = False


@dataclass(frozen=True, slots=True)
class Edit:
    """One difference that matters: what the claim has (at which offset), what the source has; place: which of the
    stretches of other words it is from."""

    kind: str
    claimed: str
    stated: str
    at: int = -1
    place: int = -1

    @property
    def detail(self) -> str:
        """The difference in words."""
        if not self.stated:
            return f"the claim adds “{self.claimed}”"
        if not self.claimed:
            return f"the claim leaves out “{self.stated}”"
        return f"the source says “{self.stated}”, the claim “{self.claimed}”"


@dataclass(frozen=True, slots=True)
class Compared:
    """A claim beside one text. share: weighted share of the claim's words that stand there in the same order;
    edits: the differences that matter; loose: content words of the claim that the sentence lacks."""

    text: str
    share: float
    edits: tuple[Edit, ...]
    loose: tuple[str, ...]


def is_one_change(edits: Sequence[Edit]) -> bool:
    """Whether differences are of one kind or stand in one place: a changed copy, not a sentence of its own. An
    exception left out besides is no second one."""
    told = [e for e in edits if e.claimed or e.kind != "condition"]
    return len({e.kind for e in told}) <= 1 or len({e.place for e in told} - {-1}) <= 1


@lru_cache(maxsize=8192)
def tokenize(text: str) -> tuple[Token, ...]:
    """Words of a text for comparison."""
    found = []
    for i, match in enumerate(_TOKEN.finditer(_ITEM_MARK.sub(_blank, text))):
        found.append(_token(match.group(), match.start(), i == 0))
    return tuple(found)


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())


def _token(word: str, at: int, first: bool) -> Token:
    lowered = word.lower().replace("’", "'")
    if any(c.isdigit() for c in word):
        return Token(word, lowered.strip("()$€£¥").rstrip("."), at, "number")
    if lowered in _NUMBER_WORDS:
        return Token(word, _NUMBER_WORDS[lowered], at, "number")
    if lowered in _CLASS:
        kind, group = _CLASS[lowered]
        return Token(word, lowered, at, kind, group, is_function(lowered))
    if lowered in _UNITS:
        return Token(word, _SIGNS.get(lowered) or UNIT_NAMES.get(lowered, lowered), at, "unit")
    if is_function(lowered) or lowered in _PERIOD_MARKS:
        return Token(word, lowered, at, "function", function=True)
    entity = word[0].isupper() and not first
    return Token(word, stem(word), at, "entity" if entity else "content")


def compare(claim: str, text: str, weights: Mapping[str, float]) -> Compared:
    """Lay the claim beside a sentence."""
    ours, theirs = tokenize(claim), tokenize(text)
    matcher = SequenceMatcher(None, [t.key for t in ours], [t.key for t in theirs], autojunk=False)
    blocks = matcher.get_opcodes()
    matched = sum(_weight(t, weights) for tag, a, b, _, _ in blocks if tag == "equal" for t in ours[a:b])
    total = sum(_weight(t, weights) for t in ours) or 1.0
    edits = (*_edits(ours, theirs, blocks), *_other_dates(ours, theirs))
    there = {t.key for t in theirs}
    loose = tuple(t.text for t in ours if t.kind in ("content", "entity") and t.key not in there)
    return Compared(text, matched / total, edits, loose)


def _weight(token: Token, weights: Mapping[str, float]) -> float:
    if token.function:
        return 0.5
    return weights.get(token.key, 3.0) if token.kind == "content" else 3.0


_Block = tuple[str, int, int, int, int]


def _edits(ours: Sequence[Token], theirs: Sequence[Token], blocks: Sequence[_Block]) -> Iterator[Edit]:
    first = next((i for i, b in enumerate(blocks) if b[0] == "equal"), 0)
    last = next((i for i in range(len(blocks) - 1, -1, -1) if blocks[i][0] == "equal"), 0)
    moved, swapped = _moved(ours, theirs, blocks), _swapped(ours, theirs)
    for i, (tag, a, b, c, d) in enumerate(blocks):
        if tag == "equal":
            continue
        inside = first < i < last
        # what stands before the first or after the last shared word was not quoted: it may add, it does not change
        stated = theirs[c:d] if inside else theirs[max(c, d - _REACH) : d] if i < first else theirs[c : c + _REACH]
        kept = {t.at for t in ours[a:b] if t.kind == "negation" and _stands_so(ours, t, theirs)}
        new = [t for t in ours[a:b] if t.at not in kept]
        for edit in _changes(new, stated, moved, swapped, inside and len(stated) <= _SKIPPED):
            yield replace(edit, place=i)
        if i < first and d and theirs[d - 1].kind == "negation" and not any(t.kind == "negation" for t in ours[a:b]):
            yield Edit("negation", "", theirs[d - 1].text, place=i)
        if i > last and (lost := _EXCEPTION.match(" ".join(t.text for t in theirs[c : c + _REACH]))):
            yield Edit("condition", "", lost.group(), place=i)


def _stands_so(ours: Sequence[Token], token: Token, theirs: Sequence[Token]) -> bool:
    """Whether the source has the word before the same next word: 'no prison term' that stands elsewhere in it; as
    often as the claim has it there."""
    pair = next(((a.key, b.key) for a, b in pairwise(ours) if a.at == token.at), None)
    here, there = (sum((a.key, b.key) == pair for a, b in pairwise(words)) for words in (ours, theirs))
    return pair is not None and here <= there


def _moved(ours: Sequence[Token], theirs: Sequence[Token], blocks: Sequence[_Block]) -> frozenset[str]:
    """Keys that were taken out in one place and put in at another. What stands beyond the shared words may hold
    anything: only names, numbers and periods can have come from there."""
    equal = [i for i, block in enumerate(blocks) if block[0] == "equal"] or [0]
    gone = {
        t.key
        for i, (tag, _, _, c, d) in enumerate(blocks)
        if tag != "equal"
        for t in theirs[c:d]
        if equal[0] < i < equal[-1] or t.kind in _MAY_MOVE
    }
    come = {t.key for tag, a, b, _, _ in blocks if tag != "equal" for t in ours[a:b]}
    return frozenset(gone & come)


def _is_thing(token: Token) -> bool:
    """A role that no person or company has: 'revenue of Acme' and 'Acme's revenue' are the same."""
    return _THING.fullmatch(token.text) is not None


def _swapped(ours: Sequence[Token], theirs: Sequence[Token]) -> frozenset[str]:
    """Keys of parties, or of numbers, that stand in another order among themselves. A single one that moved past
    other words ('net assets were 5 as of June', 'net assets as of June 5') changes nothing."""
    swapped: set[str] = set()
    for may_trade in _TRADE_PLACES:
        there = list(dict.fromkeys(t.key for t in _undated(theirs) if may_trade(t)))
        here = [k for k in dict.fromkeys(t.key for t in _undated(ours) if may_trade(t)) if k in there]
        rank = [there.index(key) for key in here]
        swapped |= {
            key
            for i, key in enumerate(here)
            if any((rank[i] - rank[j]) * (i - j) < 0 for j in range(len(here)) if j != i)
        }
    return frozenset(swapped)


def _undated(tokens: Sequence[Token]) -> list[Token]:
    """The tokens without the numbers of dates, whose place in a sentence is free."""
    return [t for i, t in enumerate(tokens) if t.kind != "number" or not _in_date(tokens, i)]


def _in_date(tokens: Sequence[Token], i: int) -> bool:
    if _YEAR.fullmatch(tokens[i].key):
        return True
    beside = [tokens[j].text.lower() for j in (i - 1, i + 1) if 0 <= j < len(tokens)]
    return len(tokens[i].key) <= 2 and any(word[:3] in _MONTHS and word.isalpha() for word in beside)


def _other_dates(ours: Sequence[Token], theirs: Sequence[Token]) -> Iterator[Edit]:
    """Months that stand beside a day or year in the source, and beside none of these in the claim."""
    there = _dates(theirs)
    for month, numbers in _dates(ours).items():
        beside = there.get(month, frozenset())
        if beside and not beside & numbers:
            yield Edit("period", month, f"{month} {min(beside)}")


def _dates(tokens: Sequence[Token]) -> dict[str, frozenset[str]]:
    """Month -> the numbers beside it."""
    found: dict[str, frozenset[str]] = {}
    for i, token in enumerate(tokens):
        if token.kind == "period" and token.key[:3] in _MONTHS:
            beside = {t.key for t in tokens[max(0, i - 1) : i + 2] if t.kind == "number"}
            found[token.key] = found.get(token.key, frozenset()) | beside
    return found


def _changes(
    ours: Sequence[Token], theirs: Sequence[Token], moved: frozenset[str], swapped: frozenset[str], inside: bool
) -> Iterator[Edit]:
    """The differences that matter between two stretches of words."""
    left = [t for t in theirs if t.kind != "function"]
    for token in (t for t in ours if t.kind != "function"):
        same = next(
            (o for o in left if o.kind == token.kind and (o.group == token.group >= 0 or o.key == token.key)), None
        )
        if same is not None:
            left.remove(same)
            continue
        if token.key in moved:
            if token.key in swapped:
                yield Edit("order", token.text, "the same words in another order", token.at)
            continue
        other = next((o for o in left if o.kind == token.kind), None)
        if other is not None:
            left.remove(other)
        yield Edit(_kind(token, other), token.text, other.text if other else "", token.at)
    for token in left:
        if (
            inside
            and token.kind in _WORTH_SAYING
            and token.key not in moved
            and token.text.lower() not in ("and", "or", "will", "would", "any")
        ):
            yield Edit(token.kind, "", token.text)


def _kind(claimed: Token, stated: Token | None) -> str:
    """Two words of no class that exclude each other, or of which one denies the other, are no other wording."""
    if stated is None or claimed.kind != "content":
        return claimed.kind
    both = {claimed.key, stated.key}
    denied = any(prefix + one in both for prefix in _PREFIXES for one in both)
    return "direction" if denied or any(both <= line for line in opposites()) else "content"
