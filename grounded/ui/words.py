"""The words and numbers of the screen: the same ones in cards, charts, tables and files taken away."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from grounded.types import Answer, Citation, HitRecord, Status, Verdict

STATUS_ORDER: tuple[Status, ...] = ("grounded", "partial", "unverified", "contradicted")
STATUS_MEANING: Mapping[Status, str] = {
    "grounded": "every part of the claim stands in its cited source",
    "partial": "some of the claim stands in its source, the rest was not found",
    "unverified": "no cited source proves the claim",
    "contradicted": "the cited source says something else",
}
STATUS_MARK: Mapping[Status, str] = {"grounded": "✓", "partial": "~", "unverified": "?", "contradicted": "✕"}
_BASIS: Mapping[str, str] = {
    "rules": "by rules: quote located, numbers compared",
    "model": "by a second model that saw only claim, snippet and source",
    "both": "by rules and by a second model that saw only claim, snippet and source",
}
_ENDED: Mapping[str, str] = {"abstained": "no answer", "cancelled": "stopped", "failed": "failed"}
_STEPS = ("plan", "retrieve", "rerank", "context", "generate", "verify", "repair", "judge", "assemble")
_CHECKS: Mapping[str, str] = {"verbatim": "Quote", "numbers": "Numbers", "entailment": "Meaning"}


def plural(count: int, noun: str) -> str:
    """`1 page`, `2 pages`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def confidence(value: float | None) -> str:
    """Two decimals, or a dash when there is none."""
    return "–" if value is None else f"{value:.2f}"


def basis(verdict: Verdict) -> str:
    """What a confidence rests on."""
    return f"Confidence {confidence(verdict.confidence)} {_BASIS[verdict.basis]}"


def check_name(name: str) -> str:
    """The check's name as a person reads it."""
    return _CHECKS.get(name, name.replace("_", " ").capitalize())


def where(place: Citation | HitRecord, *, short: bool = False) -> str:
    """`voo.pdf · p. 1 · Quick facts`; a label that differs from the position shows both. short: the innermost
    section only."""
    section = place.section.rsplit(" › ", 1)[-1] if short else place.section
    label = place.page_label
    page = f"p. {label}" if label == str(place.page) else f"p. {label} (page {place.page})"
    return " · ".join(part for part in (place.source_name, page, section) if part)


def seconds(milliseconds: float) -> str:
    """`0.84 s`, `12 s`."""
    value = milliseconds / 1000
    return f"{value:.2f} s" if value < 10 else f"{value:,.0f} s"


def in_order(timings_ms: Mapping[str, float]) -> dict[str, float]:
    """The steps as they ran; a trace keeps them by the alphabet."""
    rank = {name: number for number, name in enumerate(_STEPS)}
    return dict(sorted(timings_ms.items(), key=lambda step: rank.get(step[0], len(rank))))


def money(usd: float | None) -> str:
    """Dollars with the digits that matter; '' when unknown."""
    return "" if usd is None else f"${usd:.4f}" if usd < 1 else f"${usd:,.2f}"


def retrieval_confidence(answer: Answer) -> float | None:
    """The best source that went to the reader."""
    return max((hit.retrieval_confidence for hit in answer.hits if hit.in_context), default=None)


def grounded_count(answer: Answer) -> int:
    """Claims whose verdict is grounded."""
    return sum(claim.verdict.grounded for claim in answer.claims)


def reader(answer: Answer) -> str:
    """Who read the sources."""
    return f"Claude ({answer.model})" if answer.model else "extractive reader, no model"


def took(answer: Answer) -> float:
    """Milliseconds of the whole answer: the recorded total, else the sum of its stages."""
    return answer.timings_ms.get("total", sum(answer.timings_ms.values()))


def summary(answer: Answer) -> list[str]:
    """The line under the question."""
    parts: list[str] = [_ENDED[answer.status]] if answer.status in _ENDED else []
    if answer.claims:
        parts.append(f"{grounded_count(answer)} of {len(answer.claims)} grounded")
        parts.append(f"confidence {confidence(answer.generation_confidence)}")
    if (found := retrieval_confidence(answer)) is not None:
        parts.append(f"retrieval {confidence(found)}")
    parts += [reader(answer), seconds(took(answer)), money(answer.usage.cost_usd) if answer.model else ""]
    return [part for part in parts if part]


def searched(names: Sequence[str]) -> str:
    """What an abstention looked at."""
    return f"Searched {plural(len(names), 'document')}: {listed(names)}." if names else "There was nothing to search."


def unread(pages: Mapping[str, Sequence[int]]) -> list[str]:
    """Per document, the pages nobody could read."""
    return [f"{name}: {plural(len(numbers), 'page')} unread ({ranges(numbers)})" for name, numbers in pages.items()]


def listed(names: Iterable[str], most: int = 6) -> str:
    """`a, b, c and 4 more`."""
    everything = list(names)
    head = ", ".join(everything[:most])
    rest = len(everything) - most
    return f"{head} and {rest:,} more" if rest > 0 else head


def ranges(numbers: Iterable[int]) -> str:
    """`1–3, 7` from page numbers."""
    parts: list[list[int]] = []
    for number in sorted(set(numbers)):
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ", ".join(str(low) if low == high else f"{low}–{high}" for low, high in parts)
