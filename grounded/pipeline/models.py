"""Which reader, second opinion, planner, repairer and judge a question gets."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from grounded.generation.reader import Reader
from grounded.settings import Settings
from grounded.verification.entailment import Entailment

if TYPE_CHECKING:
    from grounded.evaluation.judge import Judge
    from grounded.llm import Client


@dataclass(frozen=True, slots=True)
class Models:
    """What answers one question. Without a client no model is called: rules plan and verify, nothing is repaired."""

    reader: Reader
    entailment: Entailment | None = None
    judge: Judge | None = None
    client: Client | None = None
    entailment_reports: list[dict[str, Any]] = field(default_factory=list)
    entailment_notes: list[str] = field(default_factory=list)


def models_for(settings: Settings) -> Models:
    """By the settings: Claude with a key (or when asked for), else the extractive reader and no model at all."""
    if settings.reader_in_use == "extractive":
        from grounded.generation.extractive import ExtractiveReader
        from grounded.retrieval.glossary import load_glossary

        glossary = load_glossary(settings.retrieval.glossary)
        return Models(ExtractiveReader(lambda q: [(sense.said, sense.entry.forms) for sense in glossary.senses(q)]))
    from grounded.evaluation.judge import ClaudeJudge
    from grounded.generation.claude import ClaudeReader
    from grounded.llm import Client
    from grounded.verification.claude import ClaudeEntailment

    client = Client(settings)
    entailment = ClaudeEntailment(settings, client)
    return Models(
        ClaudeReader(settings, client), entailment, ClaudeJudge(client), client, entailment.reports, entailment.notes
    )
