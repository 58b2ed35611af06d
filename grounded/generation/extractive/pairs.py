"""Label–value pairs of forms: "Label: value" on a line, a label with its value beside it, or straight below it.
Blank values are kept: a form that leaves a field empty says so, and the next field's value must not pass for it."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from grounded.generation.extractive.fragments import Fragment, fragments
from grounded.types import CharSpan, Page

MAX_LABEL_WORDS = 8
_INLINE = re.compile(r"^(?P<label>[^\W\d_][^:\n]{1,70}?)\s*:\s+(?=\S)")
_SAME_EDGE = 1.0  # points
ROW_REACH = 8  # fragments before and after in text order that may stand on the same row


class Pair(NamedTuple):
    """A label and the value printed for it; no value spans when the field is blank."""

    label: tuple[CharSpan, ...]
    value: tuple[CharSpan, ...]


class _Form(NamedTuple):
    """The fragments of a stretch of page: which are labels, which the first lines of two-line labels."""

    found: list[Fragment]
    labels: dict[int, int]  # index of the fragment that ends a label -> index of the one that begins it

    def is_label(self, index: int) -> bool:
        return index in self.labels or index in self.labels.values()


def pairs(page: Page, span: CharSpan) -> list[Pair]:
    """The pairs whose label stands inside `span`, in text order."""
    found = fragments(page, span)
    ends = [i for i, f in enumerate(found) if page.text[f.end - 1] == ":" and _short(page, f)]
    form = _Form(found, {i: _begins(found, i, ends) for i in ends})
    form.labels.update({i: i for i in _without_colon(page, form)})
    beside = {i: _beside(form, i) for i in form.labels}
    filled_columns = [found[i].x0 for i, value in beside.items() if value]
    result = [_pair(form, i, beside[i] or _below(form, i, filled_columns)) for i in form.labels]
    edges = Counter(round(found[i].x0) for i in form.labels)
    result = [
        pair
        for i, pair in zip(form.labels, result, strict=True)
        if pair.value or _on(found[i].x0, filled_columns) or edges[round(found[i].x0)] > 2
    ]
    result += [pair for f in found if (pair := _inline(page, f))]
    return sorted(
        result + _two_piece_rows(page, form, {span for pair in result for span in (*pair.label, *pair.value)})
    )


def _two_piece_rows(page: Page, form: _Form, taken: set[CharSpan]) -> list[Pair]:
    """Rows of just two short pieces, at least two rows with their first pieces on one edge: labels without colons."""
    free = [f for f in form.found if f[:2] not in taken]
    rows: list[tuple[Fragment, Fragment]] = []
    for i, left in enumerate(free):
        beside = [f for f in free[max(0, i - ROW_REACH) : i + ROW_REACH] if f is not left and f.beside(left)]
        if len(beside) == 1 and beside[0].x0 > left.x1 and _short(page, left) and _short(page, beside[0]):
            rows.append((left, beside[0]))
    edges = Counter(round(left.x0) for left, _ in rows)
    return [Pair((left[:2],), (right[:2],)) for left, right in rows if edges[round(left.x0)] > 1]


def _on(edge: float, columns: list[float]) -> bool:
    return any(abs(x - edge) < _SAME_EDGE for x in columns)


def _pair(form: _Form, index: int, value: list[Fragment]) -> Pair:
    lines = range(form.labels[index], index + 1)
    return Pair(tuple(form.found[i][:2] for i in lines), tuple(f[:2] for f in value))


def _short(page: Page, fragment: Fragment) -> bool:
    return len(page.text[fragment.start : fragment.end].split()) <= MAX_LABEL_WORDS


def _inline(page: Page, fragment: Fragment) -> Pair | None:
    """ "Label: value" in one fragment."""
    match = _INLINE.match(page.text[fragment.start : fragment.end])
    if not match or len(match["label"].split()) > MAX_LABEL_WORDS or "http" in match["label"]:
        return None
    label = (fragment.start, fragment.start + match.end("label"))
    return Pair((label,), ((fragment.start + match.end(), fragment.end),))


def _begins(found: list[Fragment], index: int, ends: list[int]) -> int:
    """A label of two lines has its first line straight above it, in a column of labels."""
    if index == 0 or index - 1 in ends:
        return index
    label, above = found[index], found[index - 1]
    column = sum(abs(found[i].x0 - label.x0) < _SAME_EDGE for i in ends)
    return index - 1 if column > 1 and abs(above.x0 - label.x0) < _SAME_EDGE and _under(above, label) else index


def _without_colon(page: Page, form: _Form) -> list[int]:
    """Short fragments in a column of labels, with something beside them: labels that miss their colon."""
    edges = Counter(round(form.found[i].x0) for i in form.labels)
    return [
        i
        for i, f in enumerate(form.found)
        if edges[round(f.x0)] > 2 and not form.is_label(i) and _short(page, f) and _beside(form, i)
    ]


def _under(upper: Fragment, lower: Fragment) -> bool:
    return 0 < lower.y0 - upper.y0 < 1.6 * (upper.y1 - upper.y0)


def _beside(form: _Form, index: int) -> list[Fragment]:
    """What stands to the right of a label, before the next label of that row, with the lines that go on below it."""
    lines = form.found[form.labels.get(index, index) : index + 1]
    right = max(f.x1 for f in lines) - _SAME_EDGE
    row = [(i, f) for i, f in enumerate(form.found) if f.x0 >= right and any(f.beside(line) for line in lines)]
    stop = min((f.x0 for i, f in row if form.is_label(i)), default=float("inf"))
    value = sorted((f for i, f in row if not form.is_label(i) and f.x0 < stop), key=lambda f: f.x0)
    return value + _continued(form, value[0]) if value else []


def _below(form: _Form, index: int, filled_columns: list[float]) -> list[Fragment]:
    """The value of a stacked form: straight below its label. Where labels of the same column have their values
    beside them, a label with nothing beside it is blank."""
    label = form.found[index]
    if _on(label.x0, filled_columns):
        return []
    return _continued(form, label)[:1]


def _continued(form: _Form, first: Fragment) -> list[Fragment]:
    """The lines below `first` that go on with it: same left edge, close under, no label of their own."""
    more: list[Fragment] = []
    last = first
    for i, fragment in enumerate(form.found):
        if form.is_label(i) or abs(fragment.x0 - first.x0) > _SAME_EDGE or not _under(last, fragment):
            continue
        if any(form.found[j].beside(fragment) and form.found[j].x1 <= fragment.x0 + _SAME_EDGE for j in form.labels):
            break
        more.append(fragment)
        last = fragment
    return more
