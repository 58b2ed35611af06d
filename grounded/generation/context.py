"""Hits -> Context: the numbered sources that really go to the reader, in final hit order, within a token budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, Protocol

from grounded.llm import estimate_tokens
from grounded.text import sentence_spans
from grounded.types import Context, Hit, PageSource, Source, Trimmed

CountTokens = Callable[[str], int]


class Fit(NamedTuple):
    """What of a text goes in: all, a head, or nothing with the reason."""

    text: str | None
    reason: str = ""


class Strategy(Protocol):
    """Decides, hit by hit, what goes in. `room` is what is left of the budget, in tokens."""

    def fit(self, text: str, cost: CountTokens, room: int, *, first: bool) -> Fit: ...


class SkipMisfits:
    """The default: what does not fit is skipped and smaller later hits may still go in."""

    def fit(self, text: str, cost: CountTokens, room: int, *, first: bool) -> Fit:
        needed = cost(text)
        if needed <= room:
            return Fit(text)
        if first and (head := longest_head(text, cost, room)):
            return Fit(head)
        return Fit(None, f"needs {needed} tokens, {room} of the budget are left")


class StopAtMisfit(SkipMisfits):
    """Nothing after the first hit that does not fit: the context is always a prefix of the ranking."""

    def __init__(self) -> None:
        self._full = False

    def fit(self, text: str, cost: CountTokens, room: int, *, first: bool) -> Fit:
        if self._full:
            return Fit(None, "the budget was reached by an earlier hit")
        fit = super().fit(text, cost, room, first=first)
        self._full = fit.text is None
        return fit


def strategy_of(misfits: Literal["skip", "stop"]) -> Strategy:
    """The strategy that a setting names, fresh: it remembers what it has seen."""
    return StopAtMisfit() if misfits == "stop" else SkipMisfits()


def assemble(
    hits: Sequence[Hit],
    *,
    budget_tokens: int,
    count_tokens: CountTokens = estimate_tokens,
    include_citations: bool = True,
    pages: PageSource | None = None,
    strategy: Strategy | None = None,
    counter: Literal["estimate", "count_tokens"] = "estimate",
) -> Context:
    """Number the hits S1, S2, … in their order and keep what fits into `budget_tokens`.

    A first hit that is too long alone is cut at a sentence; later ones that do not fit are left out with the reason.
    `include_citations=False` leaves the labels out of `Context.text`; the sources stay the same. `pages` names the
    section of chunks that carry none. `counter` says how `count_tokens` counts.
    """
    strategy = strategy or SkipMisfits()
    sources: list[Source] = []
    trimmed: list[Trimmed] = []
    room = budget_tokens
    for hit in hits:
        source_id, label = f"S{len(sources) + 1}", label_of(hit, pages)
        cost = _cost(source_id, label if include_citations else "", count_tokens)
        if any(source.hit.chunk.id == hit.chunk.id for source in sources):
            fit = Fit(None, "already in the context")
        else:
            fit = strategy.fit(hit.chunk.text, cost, room, first=not sources)
        if fit.text is None:
            trimmed.append(Trimmed(chunk_id=hit.chunk.id, reason=fit.reason))
        else:
            sources.append(_source(source_id, hit, label, fit.text, cost(fit.text)))
            room -= sources[-1].tokens
    return Context(
        sources=tuple(sources),
        trimmed=tuple(trimmed),
        text="\n\n".join(_entry(s.id, s.label if include_citations else "", s.text) for s in sources),
        tokens=budget_tokens - room,
        budget_tokens=budget_tokens,
        counter=counter,
    )


def _source(source_id: str, hit: Hit, label: str, text: str, tokens: int) -> Source:
    cut = len(text) < len(hit.chunk.text)
    return Source(id=source_id, hit=hit, label=label, text=text, tokens=tokens, truncated=cut)


def without(context: Context, source_ids: Sequence[str]) -> Context:
    """The same context without those sources; the others keep their numbers."""
    kept = tuple(s for s in context.sources if s.id not in source_ids)
    left_out = tuple(Trimmed(chunk_id=s.hit.chunk.id, reason="left out") for s in context.sources if s not in kept)
    labelled = context.text.startswith(f"[{context.sources[0].id}] ") if context.sources else True
    text = "\n\n".join(_entry(s.id, s.label if labelled else "", s.text) for s in kept)
    changes = {
        "sources": kept,
        "trimmed": context.trimmed + left_out,
        "text": text,
        "tokens": sum(s.tokens for s in kept),
    }
    return context.model_copy(update=changes)


def label_of(hit: Hit, pages: PageSource | None = None) -> str:
    """Document name, page label and section, as far as known: 'voo.pdf, p. 1, Quick facts'."""
    chunk = hit.chunk
    section = chunk.section
    if not section and pages is not None:
        section = pages.section_at(chunk.document, chunk.page, chunk.span[0])
    parts = (chunk.source_name or "source", f"p. {chunk.page_label or chunk.page}", section)
    return ", ".join(" ".join(part.split()) for part in parts if part.strip())


def longest_head(text: str, cost: CountTokens, room: int) -> str | None:
    """The longest beginning that fits: whole sentences, else whole lines, else whole words; None when not one."""
    ends = [end for _, end in sentence_spans(text)]
    lines = [at for at, char in enumerate(text) if char == "\n"]
    words = [at for at, char in enumerate(text) if char.isspace()]
    for cuts in (ends, lines, words):
        fitting = _last_fitting(text, cuts, cost, room)
        if fitting and text[:fitting].strip():
            return text[:fitting]
    return None


def _last_fitting(text: str, cuts: Sequence[int], cost: CountTokens, room: int) -> int:
    """The last cut whose head fits, by bisection (a longer head never costs less); 0 when none does."""
    low, high = 0, len(cuts)
    while low < high:
        middle = (low + high) // 2
        if cost(text[: cuts[middle]]) <= room:
            low = middle + 1
        else:
            high = middle
    return cuts[low - 1] if low else 0


def _cost(source_id: str, label: str, count_tokens: CountTokens) -> CountTokens:
    return lambda text: count_tokens(_entry(source_id, label, text) + "\n\n")


def _entry(source_id: str, label: str, text: str) -> str:
    return f"[{source_id}] {label}\n{text}" if label else text
