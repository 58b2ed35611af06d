"""Which reader, second opinion, planner, repairer and judge a question gets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from grounded.generation.reader import Reader
from grounded.settings import Settings
from grounded.verification.entailment import Entailment
from grounded.verification.follows import PairReader

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
    pairs: PairReader | None = None


def models_for(settings: Settings) -> Models:
    """By the settings: Claude with a key (or when asked for), else the extractive reader and no model at all."""
    if settings.reader_in_use == "extractive":
        return _extractive(settings)
    from grounded.llm import Client

    return _claude(settings, Client(settings))


def models_on(settings: Settings, spans: Sequence[Mapping[str, Any]]) -> Models:
    """The same, with the model's replies taken from a trace's spans: offline and free."""
    if settings.reader_in_use == "extractive":
        return _extractive(settings)
    from grounded.llm.recorded import RecordedClient

    return _claude(settings, RecordedClient(settings, spans))


def _extractive(settings: Settings) -> Models:
    from grounded.generation.extractive import ExtractiveReader
    from grounded.retrieval.glossary import load_glossary
    from grounded.retrieval.pairs import available_pairs, load_pairs

    glossary = load_glossary(settings.retrieval.glossary)
    reader = ExtractiveReader(lambda q: [(s.said, s.entry.forms) for s in glossary.senses(q)], load_pairs())
    return Models(reader, pairs=available_pairs())


def _claude(settings: Settings, client: Client) -> Models:
    from grounded.evaluation.judge import ClaudeJudge
    from grounded.generation.claude import ClaudeReader
    from grounded.retrieval.pairs import available_pairs
    from grounded.verification.claude import ClaudeEntailment

    entailment = ClaudeEntailment(settings, client)
    reports, notes = entailment.reports, entailment.notes
    reader, judge, pairs = ClaudeReader(settings, client), ClaudeJudge(client), available_pairs()
    return Models(reader, entailment, judge, client, reports, notes, pairs)
