"""Places that a question names by their number: "Section 3.1(b)", "Item 7A", "Note 12", "Exhibit B"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

_LEADS = (
    r"sections?|§+|items?|articles?|clauses?|paragraphs?|exhibits?|schedules?|annex|appendix|notes?|chapters?|rules?|"
    r"tables?|figures?|titles?"
)
_SUBS = r"(?:\s?\([A-Za-z0-9]{1,4}\))*"
_NAMED = re.compile(
    rf"(?<!\w)(?P<lead>(?i:{_LEADS}))\s*(?:(?i:no)\.?\s*)?"
    rf"(?P<base>\d+[A-Za-z]?(?:\.\d+)*|[IVXL]+\b|[A-Z](?:-\d+)?\b)(?P<subs>{_SUBS})"
)
_BARE = re.compile(r"(?<![\w.$€£])(?P<base>\d+[A-Za-z]?(?:\.\d+)*)(?P<subs>\([a-z]{1,4}\)(?:\([a-z0-9]{1,4}\))*)")
_NUMBERED = frozenset({"section", "clause", "paragraph", "note", ""})  # printed as "3.1 Term" as well as "Section 3.1"
OWN, UNDER, OUTER, MENTION = 1.0, 0.8, 0.6, 0.3  # the place, text under its title, the place around it, a reference


class Named(NamedTuple):
    """lead: "section", "item", …, empty for a bare number. base: "3.1". subs: "b", "ii"."""

    lead: str
    base: str
    subs: tuple[str, ...]

    @property
    def phrases(self) -> tuple[str, ...]:
        """What the word index is asked for, the finest first."""
        whole = self.base + "".join(f"({sub})" for sub in self.subs)
        led = [] if "." in self.base or self.subs else [f"{self.lead} {self.base}"]
        return tuple(dict.fromkeys(led or ([whole, self.base] if "." in self.base else [whole])))


def places_named(question: str) -> tuple[Named, ...]:
    """The numbered places a question names, in its order."""
    found = [*_NAMED.finditer(question), *_BARE.finditer(_NAMED.sub(lambda m: " " * len(m.group()), question))]
    return tuple(dict.fromkeys(_named(match) for match in sorted(found, key=lambda m: m.start())))


def place_match(places: Sequence[Named], section: str, text: str) -> float:
    """How far a passage is one of the places, 0..1: it begins the place, stands under its title, is part of the place
    around it, or only refers to it."""
    return max((_match(place, section, text) for place in places), default=0.0)


def _match(place: Named, section: str, text: str) -> float:
    heading = _heading(place.lead, place.base)
    titled = any(heading.match(title) for title in section.split(" › "))
    begun = bool(heading.search(text))
    if not (titled or begun):
        return MENTION if re.search(rf"{_reference(place)}(?!\w)", text, re.IGNORECASE) else 0.0
    if place.subs:
        inside = [re.search(rf"(?:^|[\s.;:]){re.escape(f'({sub})')}", text) for sub in place.subs]
        return OWN if all(inside) else OUTER
    return OWN if begun else UNDER


def _reference(place: Named) -> str:
    """As running text names the place."""
    whole = re.escape(place.base) + "".join(rf"\s?\({sub}\)" for sub in place.subs)
    return rf"(?<!\w){place.lead}s?\.?\s+{whole}" if place.lead else rf"(?<![\w.]){whole}"


@lru_cache(maxsize=256)
def _heading(lead: str, base: str) -> re.Pattern[str]:
    """How the place's title begins, at the start of a line."""
    led = rf"{lead}\w*\.?\s*" if lead.isalpha() else r"§+\s*"
    optional = "?" if lead in _NUMBERED else ""
    return re.compile(rf"^\W*(?:{led}){optional}{re.escape(base)}(?![\w]|\.\d)", re.IGNORECASE | re.MULTILINE)


def _named(match: re.Match[str]) -> Named:
    groups = match.groupdict()
    lead = (groups.get("lead") or "").lower()
    lead = "section" if lead.startswith("§") else lead.removesuffix("s")
    return Named(lead, groups["base"], tuple(_inner(groups["subs"] or "")))


def _inner(subs: str) -> Iterator[str]:
    return (match[1] for match in re.finditer(r"\(([A-Za-z0-9]+)\)", subs))
