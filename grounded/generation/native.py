"""The alternative generator: the provider's own citations (document blocks), mapped onto the same Claim."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from grounded.generation import asking
from grounded.generation.claims import clean
from grounded.llm import Block, Call
from grounded.settings import Settings
from grounded.text import sentence_spans
from grounded.types import Claim, Context, Plan, Quote, Source

_NOTHING = "NOT IN THE SOURCES"


def native_call(settings: Settings, plan: Plan, context: Context) -> Call:
    """The request: one plain-text document block a source, so that cited offsets are offsets into the source."""
    labelled = settings.generation.include_citations
    documents = [_document(source, labelled=labelled) for source in context.sources]
    documents[-1]["cache_control"] = {"type": "ephemeral"}
    return Call(
        purpose="generate",
        model=settings.model,
        system=asking.prompt("native").text,
        messages=(asking.user(*documents, asking.question_block(plan)),),
        max_tokens=settings.generation.max_tokens,
        effort=settings.generation.effort,
    )


def _document(source: Source, *, labelled: bool) -> dict[str, Any]:
    block: dict[str, Any] = {
        "type": "document",
        "source": {"type": "text", "media_type": "text/plain", "data": source.text},
        "title": source.label if labelled else source.id,
        "citations": {"enabled": True},
    }
    chunk = source.hit.chunk
    return block | ({"context": chunk.context} if chunk.kind == "table" and chunk.context else {})


class NativeCollector:
    """Collects sentences and their citations block by block. A sentence is a claim once the next one has begun."""

    def __init__(self, on_claim: Callable[[Claim], None], context: Context) -> None:
        self.claims: list[Claim] = []
        self.unreadable = 0
        self._on_claim, self._context = on_claim, context
        self._text = ""
        self._cited: list[tuple[int, int, Quote]] = []
        self._done = 0
        self._silence: str | None = None

    def feed(self, block: Block) -> None:
        """Take the next completed text block."""
        start = len(self._text)
        self._text += str(block.get("text") or "")
        for citation in block.get("citations") or []:
            quote = self._quote(citation)
            if quote is not None:
                self._cited.append((start, len(self._text), quote))
        self._take(sentence_spans(self._text[self._done :])[:-1])

    def finish(self, raw: str) -> str | None:
        """The last sentence; returns what the model says is not answered."""
        self._take(sentence_spans(self._text[self._done :]))
        return self._silence

    def understood(self, raw: str) -> bool:
        """Plain sentences always are."""
        return True

    def _take(self, spans: list[tuple[int, int]]) -> None:
        base = self._done
        for start, end in spans:
            self._sentence(base + start, base + end)
            self._done = base + end

    def _sentence(self, start: int, end: int) -> None:
        text = clean(self._text[start:end])
        if text.upper().startswith(_NOTHING):
            self._silence = text[len(_NOTHING) :].lstrip(" :") or "The sources do not answer this question."
        elif any(char.isalnum() for char in text):
            quotes = [quote for low, high, quote in self._cited if low < end and high > start]
            claim = Claim(id=f"c{len(self.claims) + 1}", text=text, quotes=tuple(dict.fromkeys(quotes)))
            self.claims.append(claim)
            self._on_claim(claim)

    def _quote(self, citation: Any) -> Quote | None:
        """The cited characters of the source, as the model points at them; located again by verification."""
        index, cited = citation.get("document_index"), citation.get("cited_text")
        if not isinstance(cited, str) or not cited.strip():
            return None
        if not isinstance(index, int) or not 0 <= index < len(self._context.sources):
            return Quote(source_id=f"document {index}", text=cited.strip())
        source = self._context.sources[index]
        return Quote(source_id=source.id, text=cited.strip(), span=_span(source, citation))


def _span(source: Source, citation: dict[str, Any]) -> tuple[int, int] | None:
    start, end = citation.get("start_char_index"), citation.get("end_char_index")
    if not isinstance(start, int) or not isinstance(end, int) or not 0 <= start < end <= len(source.text):
        return None
    base = source.hit.chunk.span[0]
    return base + start, base + end
