"""A question as it is searched: without what it says to the reader, and with the words its pages use."""

from __future__ import annotations

import re
from typing import NamedTuple

from grounded.retrieval.glossary import Glossary, Sense
from grounded.retrieval.places import Named, places_named
from grounded.retrieval.words import content_words
from grounded.text import sentence_spans

KEY_WORDS = 14
_ASKING = re.compile(
    r"\W*(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|do|does|did|can|could|has|have|had|will|should|"
    r"would|may|list|find|show|give|name|state|describe|explain|compare|summari[sz]e|identify|the|calculate|compute)\b",
    re.IGNORECASE,
)
MAX_SENSES = 4  # ideas of one question that are looked up

_INSTRUCTION = re.compile(
    r"^(?:please\s+)?(?:(?:answer|respond|reply|give\s+(?:a|your|the)\s+(?:response|answer)|provide\s+(?:a|your|the)\s+"
    r"(?:response|answer)|use\s+only|do\s+not|don['’]t|be\s+(?:concise|brief|specific)|round\b|express|format|explain\s+your|"
    r"show\s+your|think\s+step|assume\s+(?:that\s+)?you|you\s+are\s+an?\b|imagine|act\s+as|quote\s+the|cite\s+|return\s+only|"
    r"if\s+(?:the\s+)?(?:answer|question|metric|you)\b|"
    r"if\s.{2,80}\bnot\s+(?:an?\s+)?(?:useful|relevant|meaningful|applicable|available|material)\b)).*",
    re.IGNORECASE | re.DOTALL,
)
_LEAD = re.compile(
    r"^(?:(?:please|kindly|(?:can|could|would)\s+you(?:\s+please)?|i\s+(?:want|would\s+like|need)\s+to\s+know|tell\s+me|"
    r"(?:based\s+(?:up)?on|according\s+to|using|from|per)\s+(?:the|this|these)\s+(?:\w+\s+){0,2}(?:document|documents|text|"
    r"passage|information|pdf|context|file|excerpt|filing|contract|agreement)s?|in\s+(?:the|this)\s+(?:document|pdf|text)|"
    r"answer\s+the\s+following\s+question[^:?]*(?=:))\b[\s,:]*)+",
    re.IGNORECASE,
)
_DEFINED_AS = re.compile(r"\b(?:(?:is|are)\s+)?(?:defined|calculated|computed)\s+as\b", re.IGNORECASE)
_FISCAL = re.compile(r"\bFY\s*['’]?(\d{2}|\d{4})\b", re.IGNORECASE)


class Query(NamedTuple):
    """What is handed to the searches."""

    text: str  # for the embedder: the question without instructions
    words: str  # for the word index: its telling words, fiscal years spelled out
    senses: tuple[Sense, ...]  # ideas of the glossaries it speaks of, strongest first
    places: tuple[Named, ...]  # numbered places it names: "Section 3.1(b)"

    @property
    def vocabulary(self) -> str:
        """The words in which its ideas are printed."""
        return content_words(" ".join(form for s in self.senses for form in (*s.entry.forms, *s.said)))


def read_question(question: str, glossary: Glossary) -> Query:
    """Strip instructions, spell out fiscal years, look up the vocabulary. Deterministic."""
    text = core(question)
    years = " ".join(_full_year(match[1]) for match in _FISCAL.finditer(text))
    senses = glossary.senses(_DEFINED_AS.sub(" ", question))[:MAX_SENSES] if _asks(text) else []
    return Query(text, content_words(f"{text} {years}") or text, tuple(senses), places_named(text))


def _asks(text: str) -> bool:
    """Is it a question or some key words? A statement already has the words its page is written in."""
    key_words = len(text.split()) <= KEY_WORDS and not text.rstrip().endswith(".")
    return "?" in text or bool(_ASKING.match(text)) or key_words


def core(question: str) -> str:
    """The question without sentences and openings that instruct the reader. Never empty for a non-empty question."""
    sentences = [question[s:e] for s, e in sentence_spans(question)]
    asked = [s for s in sentences if not _INSTRUCTION.match(s) or s.rstrip().endswith("?")] or sentences
    stripped = _LEAD.sub("", " ".join(asked)).strip()
    return stripped or question.strip()


def _full_year(digits: str) -> str:
    return digits if len(digits) == 4 else f"20{digits}"
