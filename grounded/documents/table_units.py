"""Units and scales as printed: "in thousands", "$ in millions, except per share data", "%"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

_SCALE = r"(?:thousands?|millions?|billions?|hundreds?|'?000s?|mm|mn|bn|lakhs?|crores?|Tsd|Mio|Mrd)"
_MONEY = (
    r"(?:US\$|U\.S\.\s?(?:dollars?|\$)|[A-Z]{1,2}\$|[$€£¥₹]|(?:US |Canadian |Australian )?dollars?|euros?|pounds?"
    r"|USD|EUR|GBP|CHF|JPY|CAD|AUD|SEK|NOK|DKK|CNY|RMB|INR|amounts?|shares?)"
)
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # "(in thousands, except per share data)", "(dollars in millions)"
        rf"\(([^()]{{0,60}}\b{_SCALE}\b[^()]{{0,80}})\)",
        # "Amounts in thousands of euros", "$ in millions"
        rf"((?:all\s)?(?:{_MONEY}\s)?(?:are\s)?(?:expressed\s|stated\s|presented\s|figures\s)?\bin\s(?:{_MONEY}\s)?"
        rf"{_SCALE}(?:\.?\s(?:[$€£¥]|EUR|USD|CHF)(?!\w))?(?:\sof\s(?:US\s)?[a-z.]+(?:\sdollars)?)?(?:[,;]?\sexcept[^.()]{{1,60}})?)",
        # "$ millions", "€m", "$000s"
        rf"({_MONEY}\s?{_SCALE}\b|[$€£]\s?m\b)",
        # "% of net assets", "(%)", "percent"
        r"(%\s?of\s[a-z ]{2,40}|(?<![\d.])\s?%|\bper\s?cent(?:age)?\b)",
        r"\(((?:US|C|A)?[$€£¥]|USD|EUR|GBP|CHF|hours|minutes|days|weeks|years|months|km[²2]?|mm|cm|m[²³]?|ha|tons?|tonnes?"
        r"|units?|(?:k|m|µ|μ|mc)g(?:/\w+)?|m[lL]|mmol(?:/\w+)?|mmHg|[kMGT]Wh?|bps|°[CF])\)",
    )
)
_PERCENT = 3  # which of the patterns
_SCALED = re.compile(rf"\b{_SCALE}\b|[$€£]\s?m\b", re.IGNORECASE)
_PER_SHARE = re.compile(
    r"\bper\b.{0,30}\b(?:share|unit|ads|security)\b|\bepu\b|\beps\b|%|\bpercent|\bratio\b|\bmargin\b|\brate\b", re.I
)


@lru_cache(maxsize=4096)
def unit_in(text: str, *, header: bool) -> str:
    """The unit a header, caption or title states, as printed without brackets; "" when it states none.

    A percent sign counts in headers only: a caption may mention a percentage without being one.
    """
    for number, pattern in enumerate(_PATTERNS):
        if not header and number == _PERCENT:
            continue
        if match := pattern.search(text):
            return " ".join(match.group(1).split()).strip(" .,;:")
    return ""


def is_scaled_out(unit: str, labels: Sequence[str]) -> bool:
    """Whether the table's scale does not hold for a row or column: "except per share data" and a per-share label."""
    return _SCALED.search(unit) is not None and any(_PER_SHARE.search(label) for label in labels)
