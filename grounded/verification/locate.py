"""Where a quote stands on the pages: spans and boxes, or nowhere.

A quote is accepted when
  1. its key (grounded.text.fold) is part of the page's key, in reading order or in the file's (written.py), at once, or
     piece by piece: at elisions in text order, else from one neighbour on the page to the next (neighbours.py);
  2. what the key drops agrees on the raw text: digits and their joints, signs, negations (marks.same_marks);
  3. it begins and ends at the edge of a word or number (marks.cuts_start, cuts_end); only a long quote that proves
     nothing may begin or end inside a word (marks.part_of_word).
It is then `exact` (equal after collapsing whitespace) or `folded`. Everything else is at best `approximate`: the
nearest passage, shown as such and never proof. Pure string work: no model, no PDF library.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from grounded.text import Folded, collapse, fold, sentence_spans
from grounded.types import CharSpan, LocateMatch, Match, Page, snippet_at, spans_boxes
from grounded.verification.marks import cuts_end, cuts_start, follows_number, leaves_number, part_of_word, same_marks
from grounded.verification.neighbours import Neighbours, neighbours
from grounded.verification.written import Body, are_whole, page_spans, reaches_a_number, written

Spans = tuple[CharSpan, ...]

_ELISION = re.compile(
    r"\s*(?:\[\s*(?:…|\.\s?\.\s?\.)\s*\]|\(\s*(?:…|\.\s?\.\s?\.)\s*\)|…"
    r"|(?<!\.)(?<!\.\s)\.\s?\.\s?\.(?:\s?\.)?(?!\s?\.))\s*"  # more dots lead the eye and leave out nothing
)
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_LEADER = re.compile(r"\.\s?\.|…")
_FIRST_DOTS, _LAST_DOTS = re.compile(r"(?:\.\s*)+"), re.compile(r"(?:\s*\.)+$")
_UNKNOWN_LEADER = re.compile("\ufffd{4,}")
_MARKS = re.compile("\ufffd{4,}|\\S")
_ROW_OF_DOTS = re.compile(r"\.\s?\.\s?\.\s?\.")
_POINT_BEFORE, _POINT_AFTER = re.compile(r"(?<!\.)\.\d"), re.compile(r"\d\.\d")
_QUOTES = " \t\r\n\"'“”‘’«»"
_OUTER = _QUOTES + "*_`•·|"
_TRAILING = re.compile(r"(?<=\S)[.,;:]+$")
_BULLET = re.compile(r"^[-–—]\s+(?=[^\W\d])")
_DASHES = "-‐‑‒–—―−﹣－"
_NEGATION = re.compile(r"\b(?:not|no|nor|never|none|neither|without|cannot|unless|except|\w+n['’]t)\b", re.IGNORECASE)
# A piece of an elided quote must be at least this long (key characters), and the pieces this close (raw characters).
_PIECE_LENGTH, _ELIDED_LENGTH = 8, 4000
_MOST_STEPS = 5000  # tried on one page, in all
# Words of a quote that steps off a row to a number or cuts a word; a quote of so many key characters may cut one too.
_LEAST_WORDS, _LONG = 5, 16
# At a page break: how much may stand between the two halves (running footers and headers), in key characters.
_FOOT_LENGTH, _HEAD_LENGTH, _HALF_LENGTH = 600, 400, 4
_MOST_SKIPPED = 15  # words of a line that is no footnote
# The halves end and begin a paragraph, or the page: nothing of their lines and paragraphs is left out.
_FOOT, _TOP = re.compile(r"[-\u00ad \t]*(?:\s*$|\n\s*\n)"), re.compile(r"^\s*$|\n[ \t]*\n\s*$")
_PARAGRAPH_END, _FOOTNOTE = re.compile(r"\n\s*\n"), re.compile(r"[*†‡§⁰¹²³⁴⁵⁶⁷⁸⁹]|\d{1,3}\s")
# The share of a quote's words the nearest passage must have.
_LEAST_LIKENESS = 0.6
_WORD = re.compile(r"\w+(?:[.,'’]\w+)*%?")


class TextMatch(NamedTuple):
    """A quote in a bare string."""

    spans: Spans
    text: str
    match: Match


def locate(
    pages: Iterable[Page], quote: str, *, within: tuple[int, CharSpan] | None = None, as_proof: bool = False
) -> list[LocateMatch]:
    """All places of `quote` in `pages` (ascending numbers), exact ones first; else the nearest passage; else [].

    within: (page number, span) of the chunk the quote was taken from; matches in it come before all others. as_proof:
    a claim will rest on it, so no number may be reached off its row and no word be cut. Pages are read one after the
    other, so `pages` may be a generator over a long document.
    """
    quote = _CONTROL.sub("\ufffd", quote)  # glyphs without Unicode, as in the page text
    found: list[LocateMatch] = []
    nearest = _Nearest(quote)
    previous: Page | None = None
    for page in pages:
        found.extend(_on_page(page, match) for match in _places(page, quote, as_proof=as_proof))
        if previous is not None and previous.number + 1 == page.number:
            found.extend(_over_break(previous, page, quote))
        if not found:
            nearest.look_at(page)
        previous = page
    return sorted(found or nearest.best(), key=lambda match: _preference(match, within))


def _places(page: Page, quote: str, *, as_proof: bool) -> list[TextMatch]:
    """The places on one page, in reading order and in the file's: where words repeat, one order may join cells or
    columns to the same words that the other has in one piece."""
    found = _proofs(page.text, quote, as_proof=as_proof)
    known = {match.spans for match in found}
    found += [match for match in _written(page, quote, as_proof=as_proof) if match.spans not in known]
    return found or _across(page, quote)


def locate_in_text(text: str, quote: str, *, approximate: bool = True) -> list[TextMatch]:
    """All places of `quote` in a bare string, exact ones first; else the nearest passage when asked for; else []."""
    found = _proofs(text, quote)
    if not found and approximate and (span := _nearest_span(text, quote)[1]):
        return [TextMatch((span,), text[slice(*span)], "approximate")]
    return found


def _proofs(text: str, quote: str, *, as_proof: bool = True) -> list[TextMatch]:
    for wanted in _readings(quote):
        found = _whole(text, wanted, as_proof=as_proof) or _elided(text, wanted)
        if kept := [match for match in found if _ends_alike(quote, wanted, text, match.spans)]:
            return sorted(kept, key=lambda match: (match.match != "exact", match.spans))
    return []


def _ends_alike(quote: str, reading: str, text: str, spans: Spans) -> bool:
    """Where something was taken off the quote's ends, or is dots that lead the eye, it did not stand there in the place
    of a number or word."""
    start, end, offsets = spans[0][0], spans[-1][1], fold(reading).offsets
    if not offsets:
        return True
    led, trailed = (a != b for a, b in zip(_edge_dots(reading), _edge_dots(text[start:end]), strict=True))
    led &= "." in reading[: offsets[0]]
    if led and text[start] not in ".…" and text[:start].rstrip()[-1:] not in (".", "…"):
        return False  # the page has no such dots there
    trailed &= "." in reading[offsets[-1] + 1 :]
    begins = quote.lstrip(_QUOTES).startswith(reading.lstrip(_QUOTES)) and not led
    ends = quote.rstrip(_QUOTES).endswith(reading.rstrip(_QUOTES)) and not trailed
    return (begins or not follows_number(text, start)) and (
        ends or not (leaves_number(text, end) or cuts_end(text, end))
    )


def _preference(match: LocateMatch, within: tuple[int, CharSpan] | None) -> tuple[bool, bool, int, Spans]:
    inside = within is not None and match.page == within[0] and _overlaps(match.spans, within[1])
    return not inside, match.match != "exact", match.page, match.spans


def _overlaps(spans: Spans, span: CharSpan) -> bool:
    return any(start < span[1] and span[0] < end for start, end in spans)


def _on_page(page: Page, match: TextMatch) -> LocateMatch:
    return LocateMatch(
        page=page.number,
        page_label=page.label,
        spans=match.spans,
        boxes=spans_boxes(page, match.spans),
        text=snippet_at(page, match.spans),
        match=match.match,
    )


@lru_cache(maxsize=512)
def _index(text: str) -> Folded:
    """The key of a page, kept: a page is asked for many quotes."""
    return fold(text)


def _readings(quote: str) -> Iterator[str]:
    """The quote as given, then without what people put around quotes, then without a table's column bars, then with
    dots for the glyphs without Unicode that other readers give for dots that lead the eye."""
    seen = {""}
    bare = quote.strip(_OUTER)
    unlisted = _BULLET.sub("", bare)
    trimmed = _TRAILING.sub("", unlisted).rstrip(_OUTER)
    dotted = _UNKNOWN_LEADER.sub(lambda run: "." * len(run.group()), bare)
    for reading in (quote.strip(), bare, unlisted, trimmed, bare.replace("|", " "), dotted):
        if reading not in seen:
            seen.add(reading)
            yield reading


# ---------------------------------------------------------------- one piece


def _whole(text: str, quote: str, *, as_proof: bool) -> list[TextMatch]:
    spans = [span for span, _ in _occurrences(text, quote, as_proof=as_proof)] or _led(text, quote)
    if not spans and not as_proof and not any(map(str.isalnum, quote)):
        spans = _signs_only(text, quote)
    plain = collapse(quote)
    return [
        TextMatch((span,), text[slice(*span)], "exact" if collapse(text[slice(*span)]) == plain else "folded")
        for span in spans
    ]


def _signs_only(text: str, quote: str) -> list[CharSpan]:
    """Places of a quote without letters and digits, which says nothing and proves nothing."""
    signs = r"\s*".join(re.escape(char) for char in quote if not char.isspace())
    found = re.finditer(f"(?=({signs}))", text) if signs else iter(())
    return [match.span(1) for match in islice(found, _MOST_STEPS)]


def _occurrences(text: str, quote: str, *, as_proof: bool = True) -> Iterator[tuple[CharSpan, int]]:
    """Accepted places of a quote, each with its offset in the page's key."""
    wanted, there = fold(quote), _index(text)
    has_words = not as_proof and len(quote.split()) >= _LEAST_WORDS
    free = has_words or (not as_proof and len(wanted.key) >= _LONG)
    for at in _places_of(wanted.key, there.key):
        span = _raw_span(text, there, at, quote, wanted, free=free)
        if span and same_marks(quote, wanted, text, there, at, lowered=has_words):
            yield span, at


def _places_of(key: str, there: str) -> Iterator[int]:
    at = there.find(key) if key else -1
    while at >= 0:
        yield at
        at = there.find(key, at + 1)


def _raw_span(text: str, folded: Folded, start: int, quote: str, wanted: Folded, *, free: bool) -> CharSpan | None:
    """The raw span under the key span from `start` on, with the signs the quote has in front; None when it cuts a
    number or, unless `free`, a word."""
    end = start + len(wanted.key)
    if _splits_character(folded, start) or _splits_character(folded, end):
        return None
    first, last = folded.raw_span(start, end)
    first = _back_over(text, first, quote[: wanted.offsets[0]])
    if first < 0:
        return None
    last = _over(text, last, quote[wanted.offsets[-1] + 1 :])
    if free and part_of_word(text, first, last):
        return first, last
    return None if cuts_start(text, first) or cuts_end(text, last) else (first, last)


def _back_over(text: str, first: int, marks: str) -> int:
    """Where what a quote has before its first letter or digit, which stands at `first`, begins: signs, dots that lead
    the eye, accents that stand alone. As many of them as the page has; -1 when it lacks a sign."""
    left = _MARKS.findall(marks)
    while left:
        at = first - 1
        while at >= 0 and text[at].isspace():
            at -= 1
        if at < 0 or not _same_mark(left[-1], text[at]):
            break
        first = at
        while len(left[-1]) > 1 and first > 0 and text[first - 1] == text[at]:
            first -= 1
        left.pop()
    return -1 if any(mark in _DASHES for mark in left) else first


def _over(text: str, last: int, marks: str) -> int:
    """Where what a quote has behind its last letter or digit ends: as much of it as the page has."""
    for mark in _MARKS.findall(marks):
        at = last
        while at < len(text) and text[at].isspace():
            at += 1
        if at == len(text) or not _same_mark(mark, text[at]):
            break
        last = at + 1
        while len(mark) > 1 and text.startswith(text[at], last):
            last += 1
    return last


def _same_mark(quoted: str, printed: str) -> bool:
    """Dots that lead the eye often have no Unicode: other readers give them as unknown glyphs, a row of them as one
    more or less."""
    if quoted[0] == "\ufffd":
        return printed in "\ufffd."
    return quoted == printed or (quoted in _DASHES and printed in _DASHES)


def _splits_character(folded: Folded, at: int) -> bool:
    return 0 < at < len(folded.offsets) and folded.offsets[at - 1] == folded.offsets[at]


# ---------------------------------------------------------------- dots that lead the eye


def _edge_dots(text: str) -> tuple[int, int]:
    """How many dots it begins and ends with, blanks between them or not."""
    head, tail = _FIRST_DOTS.match(text), _LAST_DOTS.search(text)
    return head.group().count(".") if head else 0, tail.group().count(".") if tail else 0


def _led(text: str, quote: str) -> list[CharSpan]:
    """Places of a quote that begins or ends with some of a row of dots: as many stand there on the page."""
    before, after = _edge_dots(quote)
    if not before + after or _ROW_OF_DOTS.search(text) is None:
        return []
    head = _FIRST_DOTS.match(quote)
    core = _LAST_DOTS.sub("", quote[head.end() if head else 0 :])
    if not fold(core).key:
        return []
    if before == 1 and core[0].isdecimal() and quote[1] == core[0]:
        return []  # a decimal point
    return list(_with_dots(text, core, before, after))


def _with_dots(text: str, core: str, before: int, after: int) -> Iterator[CharSpan]:
    """Where `core` stands with just so many dots before and after it, none of them a decimal point."""
    wanted, there = fold(core), _index(text)
    for at in _places_of(wanted.key, there.key):
        if _splits_character(there, at) or _splits_character(there, at + len(wanted.key)):
            continue
        start, end = there.raw_span(at, at + len(wanted.key))
        start = _back_over(text, start, core[: wanted.offsets[0]])
        if start < 0 or _POINT_BEFORE.search(text, max(0, start - 2), start + 1) or _POINT_AFTER.match(text, end - 1):
            continue
        first, last = _back_over(text, start, "." * before), _over(text, end, "." * after)
        cut = (not before and cuts_start(text, start)) or (not after and cuts_end(text, end))
        if cut or text[first:start].count(".") != before or text[end:last].count(".") != after:
            continue
        if same_marks(core, wanted, text, there, at):
            yield first, last


# ---------------------------------------------------------------- elisions


def _elided(text: str, quote: str) -> list[TextMatch]:
    """A quote with "…": its pieces in order, close to each other, nothing negated in what was left out."""
    pieces = [piece for piece in _ELISION.split(quote) if piece]
    if not pieces or pieces == [quote]:
        return []
    if len(pieces) > 1 and any(len(fold(piece).key) < _PIECE_LENGTH for piece in pieces):
        return []
    return [TextMatch(spans, " ".join(text[s:e] for s, e in spans), "folded") for spans in _chains(text, pieces)]


def _chains(text: str, pieces: Sequence[str]) -> Iterator[Spans]:
    for span, _ in _occurrences(text, pieces[0]):
        spans = [span]
        for piece in pieces[1:]:
            following = next((s for s, _ in _occurrences(text, piece) if s[0] >= spans[-1][1]), None)
            if following is None or not _may_leave_out(text[spans[-1][1] : following[0]]):
                break
            spans.append(following)
        else:
            yield tuple(spans)


def _may_leave_out(elided: str) -> bool:
    """Leaving this out does not turn a sentence into its opposite, as far as words tell, and the page has no dots of
    its own there, which the quote's would stand for."""
    if len(elided) > _ELIDED_LENGTH or (_LEADER.search(elided) and any(map(str.isalnum, elided))):
        return False
    sentences = sentence_spans(elided)
    return len(sentences) > 1 or _NEGATION.search(elided) is None


# ---------------------------------------------------------------- in the file's order


def _written(page: Page, quote: str, *, as_proof: bool) -> list[TextMatch]:
    """A quote in the order in which the file writes the page."""
    body = written(page)
    if body is None:
        return []
    found: list[TextMatch] = []
    for match in _proofs(body.text, quote, as_proof=as_proof):
        spans = _on_raw(page, body, match.spans)
        steps_off = reaches_a_number(page, spans) and (as_proof or len(quote.split()) < _LEAST_WORDS)
        if are_whole(page, spans, as_proof=as_proof) and not steps_off:
            text = snippet_at(page, spans)
            same = match.match == "exact" and collapse(text) == collapse(match.text)
            found.append(TextMatch(spans, text, "exact" if same else "folded"))
    return found


def _on_raw(page: Page, body: Body, spans: Spans) -> Spans:
    """The spans on the page under spans of a body."""
    return page_spans(page, (i for span in spans for i in body.offsets[slice(*span)]))


# ---------------------------------------------------------------- from neighbour to neighbour


def _across(page: Page, quote: str) -> list[TextMatch]:
    """A quote that reads the page in another order than its text: a table down its columns, a label and its value."""
    for wanted in _readings(quote):
        key, there = fold(wanted), _index(page.text)
        if len(key.key) < _PIECE_LENGTH or key.key[:3] not in there.key or key.key[-3:] not in there.key:
            continue
        found = [spans for walk in _walks(page, key.key) if (spans := _checked(page, wanted, key, walk))]
        found = [spans for spans in found if _ends_alike(quote, wanted, page.text, spans)]
        if found:
            plain = collapse(wanted)
            texts = [snippet_at(page, spans) for spans in found]
            return [
                TextMatch(spans, text, "exact" if collapse(text) == plain else "folded")
                for spans, text in zip(found, texts, strict=True)
            ]
    return []


class _Step(NamedTuple):
    """A stretch of the page's key that is a stretch of the quote's key."""

    page: int
    quote: int
    size: int


def _walks(page: Page, key: str) -> Iterator[list[_Step]]:
    """Ways to spell `key` from the tail of one piece over whole pieces to the head of another."""
    near, there = neighbours(page), _index(page.text).key
    budget = _MOST_STEPS
    for index, piece in enumerate(near.pieces):
        tail = _tail(there[piece.key_start : piece.key_end], key)
        if not tail:
            continue
        open_walks = [(index, [_Step(piece.key_end - tail, 0, tail)])]
        while open_walks and budget:
            budget -= 1
            at, steps = open_walks.pop()
            done = steps[-1].quote + steps[-1].size
            if done == len(key):
                yield steps
                break
            for following in reversed(near.after(at)):
                if not _may_step(page, near, at, following):
                    continue
                other = near.pieces[following]
                size = min(other.key_end - other.key_start, len(key) - done)
                if there.startswith(key[done : done + size], other.key_start):
                    open_walks.append((following, [*steps, _Step(other.key_start, done, size)]))


def _may_step(page: Page, near: Neighbours, at: int, following: int) -> bool:
    """Out of text order no number or negation is left out, and no number reached but along its row: that would make
    new rows."""
    if following == at + 1:
        return True
    skipped = page.text[slice(*near.pieces[at + 1][:2])] if following == at + 2 else ""
    here, there = near.pieces[at].box, near.pieces[following].box
    same_row = here[1] <= (there[1] + there[3]) / 2 <= here[3]
    reached = "" if same_row else page.text[slice(*near.pieces[following][:2])]
    return not any(map(str.isdigit, skipped + reached)) and _NEGATION.search(skipped) is None


def _tail(piece: str, key: str) -> int:
    """The length of the longest tail of `piece` that `key` begins with; 0 when it holds all of the key or nothing."""
    at = piece.find(key[0])
    while at >= 0:
        if len(piece) - at < len(key) and key.startswith(piece[at:]):
            return len(piece) - at
        at = piece.find(key[0], at + 1)
    return 0


def _checked(page: Page, quote: str, key: Folded, steps: Sequence[_Step]) -> Spans | None:
    """The raw spans of a walk, when every step agrees in what the key drops and no edge cuts a word or number."""
    there = _index(page.text)
    spans: list[CharSpan] = []
    for step in steps:
        if not step.size:
            continue
        first, last = key.offsets[step.quote], key.offsets[step.quote + step.size - 1] + 1
        part = quote[first:last]
        if not same_marks(part, fold(part), page.text, there, step.page):
            return None
        start, end = there.raw_span(step.page, step.page + step.size)
        if step.quote and (_joins_number(quote, key, step.quote) or not _same_sign(quote, key, step, page.text, start)):
            return None
        signed = _back_over(page.text, start, quote[key.offsets[step.quote - 1] + 1 : first]) if step.quote else start
        spans.append((start if signed < 0 else signed, end))
    first = _back_over(page.text, spans[0][0], quote[: key.offsets[0]])
    if first < 0 or cuts_start(page.text, first) or cuts_end(page.text, spans[-1][1]):
        return None
    return (first, spans[0][1]), *spans[1:]


def _same_sign(quote: str, key: Folded, step: _Step, text: str, start: int) -> bool:
    """A piece that begins with a number or its currency mark has as many dashes in front on the page as in the quote;
    in front of a word they do not matter."""
    at = key.offsets[step.quote]
    if quote[at].isalpha():
        return True
    line = text[max(text.rfind("\n", 0, start), text.rfind("\t", 0, start)) + 1 : start]
    written = quote[key.offsets[step.quote - 1] + 1 : at]
    return sum(char in _DASHES for char in written) == sum(char in _DASHES for char in line)


def _joins_number(quote: str, key: Folded, at: int) -> bool:
    """The quote writes as one number what stands in two pieces."""
    apart = quote[key.offsets[at - 1] + 1 : key.offsets[at]]
    return quote[key.offsets[at - 1]].isdecimal() and quote[key.offsets[at]].isdecimal() and not apart.strip(_DASHES)


# ---------------------------------------------------------------- page breaks


def _entire(page: Page) -> Body:
    return Body(page.text, range(len(page.text)))


@lru_cache(maxsize=8)
def _body(page: Page) -> Body:
    """The page's text without running headers and footers."""
    kept: list[int] = []
    last = 0
    for start, end in page.furniture:
        kept.extend(range(last, start))
        last = end
    kept.extend(range(last, len(page.text)))
    return Body("".join(page.text[i] for i in kept), tuple(kept))


def _over_break(first: Page, second: Page, quote: str) -> Iterator[LocateMatch]:
    """A quote that begins near the foot of one page and goes on near the head of the next."""
    for wanted in _readings(quote):
        for upper, lower in ((_body(first), _body(second)), (_entire(first), _entire(second))):
            halves = _halves(upper.text, lower.text, wanted)
            if halves is None:
                continue
            (head, tail), exact = halves
            match: Match = "exact" if exact else "folded"
            below = _on_page(second, TextMatch(_on_raw(second, lower, (tail,)), "", match))
            above = _on_page(first, TextMatch(_on_raw(first, upper, (head,)), "", match))
            yield above.model_copy(update={"continues": (below,)})
            return


def _halves(upper: str, lower: str, quote: str) -> tuple[tuple[CharSpan, CharSpan], bool] | None:
    key = fold(quote)
    above, below = _index(upper), _index(lower)
    if len(key.key) < 2 * _HALF_LENGTH:
        return None
    for at, size in _prefixes(above.key, key.key):
        for length in range(size, max(size - 24, _HALF_LENGTH - 1), -1):
            start = below.key.find(key.key[length:], 0, _HEAD_LENGTH + len(key.key))
            if start < 0 or len(key.key) - length < _HALF_LENGTH:
                continue
            if halves := _joined(upper, above, at, lower, below, start, quote, key, length):
                return halves
    return None


def _prefixes(page: str, key: str) -> Iterator[tuple[int, int]]:
    """Places near the foot of the page where the key begins, with how much of it follows there."""
    at = page.find(key[:_HALF_LENGTH], max(0, len(page) - _FOOT_LENGTH - len(key)))
    while at >= 0:
        size = _HALF_LENGTH
        while size < len(key) and at + size < len(page) and page[at + size] == key[size]:
            size += 1
        yield at, size
        at = page.find(key[:_HALF_LENGTH], at + 1)


def _joined(
    upper: str, above: Folded, at: int, lower: str, below: Folded, start: int, quote: str, key: Folded, length: int
) -> tuple[tuple[CharSpan, CharSpan], bool] | None:
    """Both halves checked like whole quotes; a number is never put together over a page break."""
    cut = key.offsets[length]
    head, tail = quote[:cut], quote[cut:]
    if key.key[length - 1].isdigit() and key.key[length].isdigit():
        return None
    first = above.raw_span(at, at + length)
    second = below.raw_span(start, start + len(key.key) - length)
    if cuts_start(upper, first[0]) or cuts_end(lower, second[1]):
        return None
    if not (_clean_break(upper, first[1]) and _clean_break(lower, second[0])):
        return None
    foot, top = upper[first[1] :], lower[: second[0]]
    if not (_FOOT.match(foot) and _TOP.search(top) and _may_skip(foot) and _may_skip(top)):
        return None
    if not (same_marks(head, fold(head), upper, above, at) and same_marks(tail, fold(tail), lower, below, start)):
        return None
    exact = collapse(f"{upper[slice(*first)]} {lower[slice(*second)]}") == collapse(quote)
    return (first, second), exact


def _clean_break(text: str, at: int) -> bool:
    """The break lies between words (or behind a hyphen)."""
    return not (0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum())


def _may_skip(text: str) -> bool:
    """What lies between a half and the edge of its page is footnotes, and lines too short to say much."""
    blocks = (block.strip(" -\u00ad\n") for block in _PARAGRAPH_END.split(text))
    return all(
        _FOOTNOTE.match(block) or (len(block.split()) <= _MOST_SKIPPED and _NEGATION.search(block) is None)
        for block in blocks
    )


# ---------------------------------------------------------------- nearest passage


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


class _Nearest:
    """The passage that shares most words with a quote, over all pages seen."""

    def __init__(self, quote: str) -> None:
        self._quote = quote
        self._best: tuple[float, Page, CharSpan] | None = None

    def look_at(self, page: Page) -> None:
        """Keep the page's best passage when it is better than what was seen before."""
        likeness, span = _nearest_span(page.text, self._quote)
        if span and (self._best is None or likeness > self._best[0]):
            self._best = likeness, page, span

    def best(self) -> list[LocateMatch]:
        """The passage, as a list of none or one."""
        if self._best is None:
            return []
        _, page, span = self._best
        return [_on_page(page, TextMatch((span,), "", "approximate"))]


def _nearest_span(text: str, quote: str) -> tuple[float, CharSpan | None]:
    """The passage most like the quote and its likeness: where all the letters agree 1, else the share of words."""
    for wanted in _readings(quote):
        key, there = fold(wanted).key, _index(text)
        if key and (at := there.key.find(key)) >= 0:
            return 1.0, _whole_words(text, there.raw_span(at, at + len(key)))
    return _nearest_window(text, Counter(_words(quote)))


def _whole_words(text: str, span: CharSpan) -> CharSpan:
    start, end = span
    while start > 0 and not text[start - 1].isspace() and not text[start].isspace():
        start -= 1
    while end < len(text) and not text[end].isspace():
        end += 1
    return start, end


def _nearest_window(text: str, wanted: Counter[str]) -> tuple[float, CharSpan | None]:
    """The window of as many words as wanted that has most of them."""
    size = sum(wanted.values())
    plain = text.casefold()
    if not size or sum(n for word, n in wanted.items() if word in plain) < _LEAST_LIKENESS * size:
        return 0.0, None
    found = [match.span() for match in _WORD.finditer(text)]
    words = [text[s:e].casefold() for s, e in found]
    shared, at = _best_window(words, wanted, size)
    if shared < _LEAST_LIKENESS * size:
        return 0.0, None
    hits = [k for k in range(at, min(at + size, len(words))) if words[k] in wanted]
    return shared / size, (found[hits[0]][0], found[hits[-1]][1])


def _best_window(words: Sequence[str], wanted: Counter[str], size: int) -> tuple[int, int]:
    """(words in common, first word) of the best window of `size` words."""
    shared = best = at = 0
    missing = Counter(wanted)
    for i, word in enumerate(words):
        if i >= size:
            missing[words[i - size]] += 1
            shared -= missing[words[i - size]] > 0
        shared += missing[word] > 0
        missing[word] -= 1
        if shared > best:
            best, at = shared, max(0, i - size + 1)
    return best, at
