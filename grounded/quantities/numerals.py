"""A numeral as printed -> Decimal: thousands marks, decimal marks, footnote digits, and what stays ambiguous."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Literal, NamedTuple

DecimalMark = Literal[".", ","]

# Languages whose readers take the comma as the decimal mark (CLDR number symbols, the common ones).
_COMMA_LANGUAGES = re.compile(
    r"(?:bg|ca|cs|da|de|el|es|et|fi|fr|hr|hu|id|is|it|lt|lv|nb|nl|no|pl|pt|ro|ru|sk|sl|sr|sv|tr|uk)(?:[-_]|$)",
    re.IGNORECASE,
)
_GROUPS = "'’\u00a0\u202f\u2009"  # thousands marks that are never decimal marks
_DIGITS = r"0-9"
NUMERAL = re.compile(rf"(?:\d|[.,](?=\d)(?<![{_DIGITS}].)(?<!\w.))(?:[\d]|[.,·{_GROUPS}](?=\d))*", re.ASCII)
_SPACED = re.compile(r"\d{1,3}(?: \d{3})+,\d{1,2}(?!\d)", re.ASCII)  # "1 234,56": the comma shows that the spaces group
_ENGLISH = re.compile(
    r"\b(?:the|of|and|was|were|is|are|for|in|by|with|from|which|what|how|total|shall|year|years|than|to)\b",
    re.IGNORECASE,
)
_COMMA_PROSE = re.compile(
    r"\b(?:der|die|das|und|für|mit|von|im|wurde|betrug|Umsatz|Jahr|le|la|les|et|des|du|pour|dans|est|el|los|las|y|del|il|che|per|een|het|van)\b",
    re.IGNORECASE,
)
_POINT_FORM = re.compile(
    r"\d,\d{3}\.\d|\d(?:,\d{3}){2,}|(?<![\d.,])\d+\.\d{1,2}(?![\d.,]\d|\d)|(?<![\d.,])0\.\d|[$£]\s?\d"
)
_COMMA_FORM = re.compile(r"\d\.\d{3},\d|\d(?:\.\d{3}){2,}|(?<![\d.,])\d+,\d{1,2}(?![\d.,]\d|\d)|(?<![\d.,])0,\d")


class Numeral(NamedTuple):
    """One reading of a numeral. `others` are the readings another locale would give; `mark` a glued footnote digit."""

    value: Decimal
    decimals: int
    others: tuple[Decimal, ...] = ()
    mark: str = ""


def decimal_mark(hint: str | None, text: str) -> DecimalMark | None:
    """The decimal mark in force: from a language tag ('en', 'de-AT'), else from the forms and words of the text.
    None when nothing decides."""
    if hint in (".", ","):
        return "." if hint == "." else ","
    if hint:
        return "," if _COMMA_LANGUAGES.match(hint) else "."
    point, comma = bool(_POINT_FORM.search(text)), bool(_COMMA_FORM.search(text))
    if point != comma:
        return "." if point else ","
    english, other = len(_ENGLISH.findall(text)), len(_COMMA_PROSE.findall(text))
    if english != other:
        return "." if english > other else ","
    return None


def spaced_numeral(text: str, start: int) -> int | None:
    """End of a numeral grouped by plain spaces that begins at `start` ('1 234,56'), else None."""
    match = _SPACED.match(text, start)
    return match.end() if match else None


def read(token: str, mark: DecimalMark | None) -> Numeral | None:
    """Read a numeral token. None when it is no number (version, section number, address)."""
    token = token.replace("·", ".")  # 5·84, as some journals print it
    plain = re.sub(rf"[{_GROUPS} ]", "", token)
    if plain != token and not re.match(rf"\d{{1,3}}(?:[{_GROUPS} ]\d{{3}})+(?![\d])", token):
        return None
    points, commas = plain.count("."), plain.count(",")
    if points and commas:
        return _both(plain)
    if commas:
        return _only_commas(plain, mark)
    if points:
        return _only_points(plain, mark)
    return Numeral(Decimal(plain), 0)


def _both(plain: str) -> Numeral | None:
    """Point and comma: the last one is the decimal mark, the other one must group."""
    last = "." if plain.rfind(".") > plain.rfind(",") else ","
    whole, _, part = plain.rpartition(last)
    group = "," if last == "." else "."
    if last in whole or not (_grouped(whole, group) or (group == "," and _indian(whole))):
        return None
    return Numeral(Decimal(f"{whole.replace(group, '')}.{part}"), len(part))


def _only_commas(plain: str, mark: DecimalMark | None) -> Numeral | None:
    head, *tail = plain.split(",")
    joined = Decimal(plain.replace(",", "") or 0)
    if len(tail) > 1 or (tail and not head):
        if _grouped(plain, ",") or _indian(plain):
            return Numeral(joined, 0)
        return _glued(plain)
    decimal = Decimal(f"{head}.{tail[0]}")
    if not _grouped(plain, ","):
        if mark != "," and (glued := _glued(plain)):
            return glued._replace(others=() if mark else (decimal,))
        return Numeral(decimal, len(tail[0]), (joined,) if mark == "." and len(tail[0]) > 3 else ())
    if mark == ",":
        return Numeral(decimal, 3)
    return Numeral(joined, 0, () if mark == "." else (decimal,))


def _only_points(plain: str, mark: DecimalMark | None) -> Numeral | None:
    joined = Decimal(plain.replace(".", ""))
    if plain.count(".") > 1:
        return Numeral(joined, 0) if _grouped(plain, ".") else None
    part = plain.partition(".")[2]
    decimal = Decimal(plain)
    if not _grouped(plain, ".") or mark == ".":
        return Numeral(decimal, len(part))
    if mark == ",":
        return Numeral(joined, 0)
    return Numeral(decimal, len(part), (joined,))


def _glued(plain: str) -> Numeral | None:
    """'1,2341': three digits belong to the group, the fourth is a footnote mark that lost its superscript."""
    body, extra = plain[:-1], plain[-1]
    if _grouped(body, ","):
        return Numeral(Decimal(body.replace(",", "")), 0, (), extra)
    return None


def _grouped(plain: str, mark: str) -> bool:
    head, *tail = plain.split(mark)
    return 1 <= len(head) <= 3 and head[0] != "0" and all(len(part) == 3 for part in tail)


def _indian(plain: str) -> bool:
    """12,34,567: pairs, then a last group of three."""
    head, *tail = plain.split(",")
    return 1 <= len(head) <= 2 and len(tail) > 1 and len(tail[-1]) == 3 and all(len(p) == 2 for p in tail[:-1])
