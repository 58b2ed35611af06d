"""Passages beside the ones that were found: what a cut between two chunks tore apart is offered to the reader whole."""

from __future__ import annotations

from collections.abc import Sequence

from grounded.types import Hit


def with_neighbours(hits: Sequence[Hit], top_k: int, limit: int) -> list[Hit]:
    """The first `top_k` hits and behind them at most `limit` other hits that stand right before or after one of them
    in the same section, those of the best hits first. They go into the context when the budget has room for them."""
    chosen = list(hits[:top_k])
    places = {(hit.chunk.document, hit.chunk.ordinal): hit for hit in hits[top_k:]}
    beside = [
        other
        for hit in chosen
        for step in (1, -1)
        if (other := places.get((hit.chunk.document, hit.chunk.ordinal + step)))
        and other.chunk.section == hit.chunk.section
    ]
    return [*chosen, *{hit.chunk.id: hit for hit in beside}.values()][: len(chosen) + limit]
