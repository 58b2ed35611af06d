"""What the comparison key drops, compared on the raw text: nothing here accepts a quote that says something else.

A folded match means: same letters, same digits, same punctuation. Whitespace, dashes and the shape of small raised
digits are not in the key, so "1 5" would pass for "15", "3.2" for "-3.2", "notable" for "no table". This module
refuses those, and quotes that begin or end inside a number or a word ("23.4" in "123.45").
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left

from grounded.text import Folded

_NUMBER = re.compile(r"\d(?:[\d.,:'/]*\d)?")
_LEAD = "$€£¥₹+±~<>≤≥("
_DASHES = frozenset("-‐‑‒–—―−﹣－⁻")
_SOFT_HYPHEN = "\u00ad"  # between digits some files mean a dash by it
_UNKNOWN = "\ufffd"  # a glyph without Unicode: it might be a digit or a sign
_NEGATION = re.compile(r"\b(?:no|not)\b(?![-‐‑\u00ad])", re.IGNORECASE)
_NOT_A_NEGATION = re.compile(r"no(?:b[el]|[dimrsuvwz]|t(?:a[bry]|e|i|o[rt]))\w", re.IGNORECASE)
_NEGATING_PREFIX = re.compile(r"(?:^|[^\w])(?:non|un|in|im|ir|il|dis|anti|de|mis|ex|not|no|never)$", re.IGNORECASE)
_NEGATING_SUFFIX = re.compile(r"(?:free|less|exempt|out)\b", re.IGNORECASE)
_ENCLOSED = re.compile(r"\(\s*[$€£¥₹]?\s*\d[\d.,]*\s*%?\s*\)")  # an accountant's negative number
# What a quote that begins or ends inside a word may not leave out: it would say something else.
_TURNING_HEAD = re.compile(
    r"(?:\w*(?:non|un|in|im|ir|il|dis|anti|de|mis|ex|no|not|never|counter|over|under|out|sub|semi|bi|tri|half|mal)|a)",
    re.IGNORECASE,
)
_TURNING_TAIL = re.compile(
    r"(?:less|free|not|out|nt|fold)|n[’']t|(?:(?<=four)|(?<=six)|(?<=seven)|(?<=eight)|(?<=nine))(?:teen|ty|y|th)",
    re.IGNORECASE,
)
_LETTERS_BEFORE, _LETTERS = re.compile(r"[^\W\d_]+$"), re.compile(r"[^\W\d_]+")
_NUMBER_NEXT = re.compile(r"\s*[-–—−(+±~<>≤≥$€£¥₹]{0,3}\s?\d")
_LEADER = 3
_SIGN_BEHIND_LEADER = re.compile(r"(?<=[\s\ufffd])[-‐‑‒–—―−﹣－⁻]{1,3}$|(?<=\ufffd)\s*[-‐‑‒–—―−﹣－⁻]{1,3}\s*$")
_RAISED = frozenset("⁰¹²³⁴⁵⁶⁷⁸⁹")
_LOWERED = {"raised": "joined", "raised, dash": "dash"}
_PERCENT = frozenset("%‰‱")
_NO_SPACES = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN")


def same_marks(
    quote: str, quote_key: Folded, page: str, page_key: Folded, start: int, *, lowered: bool = False
) -> bool:
    """Do numbers, signs and negations agree between a quote and the page, whose keys agree from `start` on?

    quote_key: fold(quote). page_key: fold of the page, of which the stretch from key offset `start` equals the quote's
    key. lowered: the quote may have on the line what the page has raised behind a number, as other readers give it.
    """
    for match in _NUMBER.finditer(quote_key.key):
        for i in range(match.start() + 1, match.end()):
            here, there = _gap(quote, quote_key, i), _gap(page, page_key, start + i)
            if here != there and not (lowered and here == _LOWERED.get(there)):
                return False
        if not _same_lead(quote, quote_key, page, page_key, start, match.start()):
            return False
    return _same_negations(quote, quote_key, page, page_key, start)


def _same_lead(quote: str, quote_key: Folded, page: str, page_key: Folded, start: int, number: int) -> bool:
    """Signs in front of the number at key offset `number`, and in front of its currency mark or parenthesis."""
    at = number
    while True:
        if at > 0 and _sign(quote, quote_key, at) != _sign(page, page_key, start + at):
            return False
        if at == 0 or quote_key.key[at - 1] not in _LEAD:
            return True
        at -= 1


def _between(text: str, folded: Folded, i: int) -> str:
    """Raw characters the key dropped before its character i."""
    return text[folded.offsets[i - 1] + 1 : folded.offsets[i]]


def _gap(text: str, folded: Folded, i: int) -> str:
    """How two neighbours inside a number stand to each other."""
    left, right = folded.offsets[i - 1], folded.offsets[i]
    if left == right:
        return "joined"
    dropped = text[left + 1 : right]
    before, after = _digit(text, folded, i - 1, -1), _digit(text, folded, i, 1)
    ends_mark = _is_plain(after) and dropped  # a note's mark, then a number
    if _is_plain(before) != _is_plain(after) and not ends_mark:
        if after not in _RAISED:
            return "set apart"
        return "raised, dash" if any(char in _DASHES for char in dropped) else "raised"
    if "." in dropped:
        return f"leader, {_sign(text, folded, i)} signs"
    if _UNKNOWN in dropped:
        return f"unknown, {_sign(text, folded, i)} signs"
    if any(char in _DASHES or char == _SOFT_HYPHEN for char in dropped):
        return "dash"
    return "space" if any(char.isspace() for char in dropped) else "joined"


def _digit(text: str, folded: Folded, i: int, step: int) -> str:
    """What stands on the page for the digit at key offset i, or for the next one behind a joint of the number."""
    while not folded.key[i].isdigit():
        i += step
    return text[folded.offsets[i]]


def _is_plain(char: str) -> bool:
    """No superscript, fraction or enclosed number: those are no digits of the number beside them."""
    return char.isdecimal() or not char.isnumeric()


def _sign(text: str, folded: Folded, i: int) -> int:
    """How many dashes (or unknown glyphs) in front of key character i count as a sign, a range or a nil amount; more
    than _LEADER of them lead the eye to a number, but for those that stand apart from them."""
    dropped = _between(text, folded, i)
    dashes = sum(char in _DASHES or char == _UNKNOWN for char in dropped)
    glued_word = dashes and dropped[0] in _DASHES and text[folded.offsets[i - 1]].isalpha()
    if dashes > _LEADER:
        apart = _SIGN_BEHIND_LEADER.search(dropped)
        return len(apart.group().strip()) if apart else 0
    return 0 if glued_word else dashes


def _same_negations(quote: str, quote_key: Folded, page: str, page_key: Folded, start: int) -> bool:
    """A "no" on one side must not be the beginning of another word on the other ("no table" is not "notable")."""
    end = start + len(quote_key.key)
    first, last = page_key.raw_span(start, end)
    return not (
        any(_glued(page, page_key, start + at) for at in _negations(quote, quote_key, 0, len(quote)))
        or any(_glued(quote, quote_key, at - start) for at in _negations(page, page_key, first, last))
    )


def _negations(text: str, folded: Folded, first: int, last: int) -> list[int]:
    """Key offsets at which "no" or "not" stands alone, hyphenated words left out."""
    return [bisect_left(folded.offsets, match.start()) for match in _NEGATION.finditer(text, first, last)]


def _glued(text: str, folded: Folded, at: int) -> bool:
    return _NOT_A_NEGATION.match(text, folded.offsets[at]) is not None


def cuts_start(text: str, start: int) -> bool:
    """Would a quote that begins at `start` begin inside a number or a word, or lose the number's sign?"""
    if start == 0:
        return False
    before, first = text[start - 1], text[start]
    if _inside_word(before, first):
        return True
    leads_number = first.isdecimal() or (first in _LEAD and text[start + 1 : start + 2].isdecimal())
    if leads_number:
        return _cuts_number_start(text, start)
    if before in _DASHES and first.isalpha():
        return _NEGATING_PREFIX.search(text[max(0, start - 12) : start - 1]) is not None
    return False


def _cuts_number_start(text: str, start: int) -> bool:
    before, earlier = text[start - 1], text[start - 2 : start - 1] if start > 1 else ""
    if before in ".,'’:/" and (earlier.isdecimal() or (before == "." and not earlier.isalnum())):
        return text[start].isdecimal()
    if before in _DASHES or before == _UNKNOWN:
        return True
    return before == "(" and _ENCLOSED.match(text, start - 1) is not None


def part_of_word(text: str, start: int, end: int) -> bool:
    """Does the span begin or end inside a word of letters, without losing what negates or counts ("un-", "-teen")?"""
    before, after = _LETTERS_BEFORE.search(text[max(0, start - 24) : start]), _LETTERS.match(text, end)
    head = before.group() if before and text[start].isalpha() else ""
    tail = after.group() if after and text[end - 1].isalpha() else ""
    if not (head or tail) or _TURNING_HEAD.fullmatch(head) or (tail and _TURNING_TAIL.match(text, end)):
        return False
    return (bool(head) or not cuts_start(text, start)) and (bool(tail) or not cuts_end(text, end))


def leaves_number(text: str, end: int) -> bool:
    """Is the next thing behind a quote that ends at `end` a number?"""
    return _NUMBER_NEXT.match(text, end) is not None


def follows_number(text: str, start: int) -> bool:
    """Is the last thing before a quote that begins at `start` a number, or the number of an item ("3.")?"""
    return text[max(0, start - 8) : start].rstrip(". \t\r\n\u00a0")[-1:].isdecimal()


def cuts_end(text: str, end: int) -> bool:
    """Would a quote that ends before `end` end inside a number or a word, or lose a percent sign?"""
    if end >= len(text):
        return False
    last, after = text[end - 1], text[end]
    if _inside_word(last, after):
        return True
    if last.isdecimal():
        return _cuts_number_end(text, end)
    if last in "nN" and text[end : end + 2].lower() in {"'t", "’t"}:
        return True
    return last.isalpha() and after in _DASHES and _NEGATING_SUFFIX.match(text, end + 1) is not None


def _cuts_number_end(text: str, end: int) -> bool:
    after, later = text[end], text[end + 1 : end + 2]
    if (after in ".,'’:/" or after in _DASHES) and later.isdecimal():
        return True
    if after == _UNKNOWN:
        return True
    if text[end : end + 3].lstrip(" \u00a0\u2009\u202f")[:1] in _PERCENT:
        return True
    opening = text.rfind("(", max(0, end - 40), end)
    return after == ")" and opening >= 0 and _ENCLOSED.fullmatch(text, opening, end + 1) is not None


def _inside_word(before: str, after: str) -> bool:
    if not (before.isalnum() and after.isalnum()):
        return False
    if not (_is_plain(before) and _is_plain(after)):
        return False
    return not (_needs_no_space(before) or _needs_no_space(after))


def _needs_no_space(char: str) -> bool:
    """Scripts that put no blank between words."""
    return char > "\u0e00" and unicodedata.name(char, "").startswith(_NO_SPACES)
