"""The context assembler: final hit order, within the budget, every hit in or named with the reason."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grounded.generation.context import assemble, longest_head, strategy_of, without
from grounded.llm import estimate_tokens
from grounded.types import Chunk, Hit
from tests.verification.small import Pages

SENTENCES = "The fund tracks an index. Its expense ratio is 0.03 %. It holds 505 stocks."


def hit(text: str, number: int = 1, **chunk: object) -> Hit:
    given = {
        "id": f"{number:064x}", "document": "d", "source_name": "voo.pdf", "page": 1, "page_label": "1",
        "span": (0, len(text)), "text": text, "section": "Quick facts",
    } | chunk  # fmt: skip
    return Hit(
        chunk=Chunk.model_validate(given), cosine=0.5, section_match=0, retrieval_confidence=0.35,
        retrieved_rank=number, reranked_rank=number,
    )  # fmt: skip


def by_words(text: str) -> int:
    return len(text.split())


def test_sources_are_numbered_in_hit_order_with_labels() -> None:
    context = assemble([hit("Alpha.", 1), hit("Beta.", 2, page_label="iv", section="")], budget_tokens=100)
    assert [s.id for s in context.sources] == ["S1", "S2"]
    assert context.text == "[S1] voo.pdf, p. 1, Quick facts\nAlpha.\n\n[S2] voo.pdf, p. iv\nBeta."
    assert context.tokens == sum(s.tokens for s in context.sources)


def test_without_citations_the_labels_go_and_the_sources_stay() -> None:
    context = assemble([hit("Alpha.", 1), hit("Beta.", 2)], budget_tokens=100, include_citations=False)
    assert context.text == "Alpha.\n\nBeta."
    assert [s.label for s in context.sources] == ["voo.pdf, p. 1, Quick facts"] * 2


def test_a_first_hit_that_is_too_long_is_cut_at_a_sentence() -> None:
    context = assemble([hit(SENTENCES)], budget_tokens=18, count_tokens=by_words)
    (source,) = context.sources
    assert source.text == "The fund tracks an index. Its expense ratio is 0.03 %."
    assert source.truncated
    assert context.tokens <= 18


def test_later_hits_that_do_not_fit_are_skipped_with_the_reason() -> None:
    hits = [hit("Alpha one.", 1), hit(SENTENCES, 2), hit("Beta two.", 3)]
    context = assemble(hits, budget_tokens=20, count_tokens=by_words)
    assert [s.text for s in context.sources] == ["Alpha one.", "Beta two."]
    assert [s.id for s in context.sources] == ["S1", "S2"]
    (trimmed,) = context.trimmed
    assert trimmed.chunk_id == hits[1].chunk.id
    assert trimmed.reason == "needs 21 tokens, 12 of the budget are left"


def test_another_strategy_stops_at_the_first_misfit() -> None:
    hits = [hit("Alpha one.", 1), hit(SENTENCES, 2), hit("Beta two.", 3)]
    context = assemble(hits, budget_tokens=20, count_tokens=by_words, strategy=strategy_of("stop"))
    assert [s.text for s in context.sources] == ["Alpha one."]
    assert "earlier" in context.trimmed[1].reason


def test_a_chunk_found_twice_goes_in_once() -> None:
    context = assemble([hit("Alpha.", 1), hit("Alpha.", 1)], budget_tokens=100)
    assert len(context.sources) == 1
    assert context.trimmed[0].reason == "already in the context"


def test_pages_name_the_section_a_chunk_lacks() -> None:
    context = assemble([hit("Alpha.", section="")], budget_tokens=100, pages=Pages("Alpha."))
    assert context.sources[0].label == "voo.pdf, p. 1, Facts"


def test_a_source_left_out_leaves_the_others_their_numbers() -> None:
    context = without(assemble([hit("Alpha.", 1), hit("Beta.", 2)], budget_tokens=100), ["S1"])
    assert [s.id for s in context.sources] == ["S2"]
    assert "Alpha" not in context.text
    assert context.trimmed[0].reason == "left out"


@pytest.mark.parametrize(
    ("text", "room", "head"),
    [
        ("Row one 1\nRow two 2\nRow three 3", 7, "Row one 1\nRow two 2"),
        ("one two three four", 2, "one two"),
        ("Three word sentence. Next.", 3, "Three word sentence."),
        ("word", 0, None),
    ],
)
def test_the_longest_head(text: str, room: int, head: str | None) -> None:
    assert longest_head(text, by_words, room) == head


texts = st.text(st.sampled_from("ab .\n中é"), min_size=1, max_size=300).filter(str.strip)


@given(st.lists(texts, max_size=6), st.integers(1, 300))
@settings(max_examples=150, deadline=None)
def test_every_hit_is_in_or_named_and_the_budget_holds(given_texts: list[str], budget: int) -> None:
    hits = [hit(text, number) for number, text in enumerate(given_texts, 1)]
    context = assemble(hits, budget_tokens=budget)
    assert context.tokens <= budget
    assert estimate_tokens(context.text) <= budget
    assert len(context.sources) + len(context.trimmed) == len(hits)
    assert [s.id for s in context.sources] == [f"S{i}" for i in range(1, len(context.sources) + 1)]
    assert all(s.hit.chunk.text.startswith(s.text) for s in context.sources)
    assert all(not s.truncated for s in context.sources[1:])
