"""Who a contract is between: the names its first lines list, each with what it is called from there on."""

from __future__ import annotations

import re

from grounded.types import CharSpan

REACH = 1800  # characters behind "between" in which parties are listed
AWAY = 60  # characters behind a name in which its short name or its kind follows
_ANCHOR = re.compile(r"\b(?:between|among)\b:?", re.IGNORECASE)
_STOP = re.compile(
    r"\b(?:WHEREAS|Whereas|RECITALS?|Recitals|BACKGROUND|Background|WITNESS\w*|W I T N E S S|NOW,? THEREFORE|"
    r"TABLE OF CONTENTS|Table of Contents)\b|\n\s*1\.\s|[Tt]he [Pp]arties (?:agree|hereby)"
)
_WORD = r"(?:[A-ZÀ-Þ0-9][\w'’&/-]*(?:\.\w+)*|[a-z]+[A-Z]\w*|\w+\.com|&)\.?(?:\([A-Z]+\))?"
_SUFFIX = (
    r"(?i:Inc|Incorporated|LLC|L\.L\.C|LLP|L\.L\.P|LP|L\.P|Ltd|Limited|Corp|Corporation|Company|Co|N\.A|PLC|plc|"
    r"GmbH|AG|A/S|S\.A|B\.V|N\.V|Pty|Bank|Fund|Trust|Group|Partnership|Association|University|Foundation|Authority)"
)
_NAME = re.compile(
    rf"(?<![\w.])(?!AND\b){_WORD}(?:\s+(?:(?:of|the|de|and)\s+)?{_WORD}|,\s+{_SUFFIX}\b\.?|\s+\([A-Z]{{2,}}\)(?=\s+{_SUFFIX}\b))*"
)
_COMPANY = re.compile(rf"\b{_SUFFIX}\.?$")
_PLACED = re.compile(rf"(.+\b{_SUFFIX}\.?) of (?=[^,]*\d)")
_LEAD = re.compile(r"(?:\b(?:between|among|and)\b:?(?:\s*-)?|[,;:)])\s*$", re.IGNORECASE)
_SURE_LEAD = re.compile(r"\b(?:between|among|and)\b:?(?:\s*-)?\s*$", re.IGNORECASE)
_ALIAS = re.compile(r"\s*,?\s*\((?:[^()\"“”]{0,40}[\"“”][^\"“”]{1,40}[\"“”]|the [A-Z]+\b|[Hh]ereinafter)")
_KIND = re.compile(
    r",?\s+(?:individual|an? (?:[\w.]+ ){0,4}?(?:individual|person|citizen|corporation|company|partnership))\b",
    re.IGNORECASE,
)


def parties(text: str) -> list[CharSpan]:
    """Where the parties' names stand in a page's text, in order; [] when it lists no two of them."""
    text = text.replace("\u00a0", " ")
    for anchor in _ANCHOR.finditer(text):
        stop = _STOP.search(text, anchor.end())
        end = min(len(text), anchor.end() + REACH, stop.start() if stop else len(text))
        found = _named(text, anchor.end(), end)
        if len(found) > 1:
            return found
    return []


def _named(text: str, start: int, end: int) -> list[CharSpan]:
    """The names behind `start`, each once, where it stands first."""
    found: dict[str, CharSpan] = {}
    for match in _NAME.finditer(text, start, end):
        for span in _split(text, match.span()):
            name = " ".join(text[slice(*span)].split()).casefold()
            if _is_party(text, span) and not any(name in longer for longer in found):
                found[name] = span
    return list(found.values())


def _split(text: str, span: CharSpan) -> list[CharSpan]:
    """A run of names as one, or its parts around "and" when the first is a company of its own, or an address; without
    the place a company is "of"."""
    placed = _PLACED.match(text[slice(*span)])
    span = (span[0], span[0] + placed.end(1)) if placed else span
    for joint in re.finditer(r"\s+and\s+", text[slice(*span)], re.IGNORECASE):
        left, right = (span[0], span[0] + joint.start()), (span[0] + joint.end(), span[1])
        if _COMPANY.search(text[slice(*left)]) or text[left[1] - 1].isdigit() or left[0] == left[1]:
            return [left, *_split(text, right)]
    return [span]


def _is_party(text: str, span: CharSpan) -> bool:
    """Whether a name is a company's, or is given a short name or said to be a person or a company."""
    name, before, after = text[slice(*span)], text[max(0, span[0] - 16) : span[0]], text[span[1] : span[1] + 2 * AWAY]
    if _COMPANY.search(name):
        return len(name.split()) > 1 and bool(_LEAD.search(before))
    spoken = bool(_SURE_LEAD.search(before)) and not any(c.isdigit() for c in name)
    return spoken and bool(_ALIAS.match(after) or _KIND.match(after))
