"""Claude as the second opinion: independent calls that see claim, snippet and source, and nothing else."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, get_args

from grounded.errors import Cancelled, ModelError, ModelNotFound
from grounded.llm import Call, Client, Prompt, Reply, fence, load_prompt
from grounded.llm.lenient import records
from grounded.orders import orders_to_a_model
from grounded.settings import Settings
from grounded.types import Status
from grounded.verification.entailment import EntailmentItem, ModelVerdict

_POLL_S = 0.05
_TOKENS_A_VERDICT = 300
_TOKENS_TO_THINK = 2000
_STATUSES: tuple[str, ...] = get_args(Status)
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "verdicts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "id": {"type": "string"},
                    "status": {"type": "string", "enum": list(_STATUSES)},
                    "grounded": {"type": "boolean"},
                    "confidence": {"type": "number"},
                    "reason": {"type": "string"},
                },
                "required": ["id", "status", "grounded", "confidence", "reason"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["verdicts"],
    "additionalProperties": False,
}


class ClaudeEntailment:
    """The Entailment that asks Claude. `reports` holds one entry a call, `notes` what a user should know."""

    def __init__(self, settings: Settings, client: Client | None = None) -> None:
        self.model = settings.verification.model
        self.reports: list[dict[str, Any]] = []
        self.notes: list[str] = []
        self._settings = settings
        self._client = client or Client(settings)
        self._prompt = load_prompt("grounded.verification", "entail")
        self._lock = threading.Lock()

    def judge(self, items: Sequence[EntailmentItem], *, cancelled: Callable[[], bool]) -> Mapping[str, ModelVerdict]:
        """A verdict for every item. One that could not be had (fault, garbled, missing or given twice) is an
        unverified verdict with that reason and confidence 0; after Stop the rest is missing. An item whose source
        gives orders to a model is asked alone, so that it cannot speak for others."""
        stop = threading.Event()
        verdicts: dict[str, ModelVerdict] = {}
        batches = list(_batches(items, self._settings.verification.batch))
        with ThreadPoolExecutor(max_workers=self._settings.verification.parallel) as pool:
            pending = {pool.submit(self._batch, batch, stop) for batch in batches}
            try:
                for done in _as_done(pending, stop, cancelled):
                    verdicts |= done.result()
            finally:
                stop.set()
        return verdicts

    def _batch(self, items: Sequence[EntailmentItem], stop: threading.Event) -> dict[str, ModelVerdict]:
        if stop.is_set():
            return {}
        try:
            reply = self._ask(items, stop)
        except Cancelled:
            return {}
        except ModelError as error:
            report = {"prompt": self._prompt.record(), "error": error.kind} | error.report
            self._keep(report)
            return {item.id: _unverified(f"the verifier gave no verdict: {error.what}", report) for item in items}
        report = reply.report() | {"prompt": self._prompt.record()}
        self._keep(report)
        return read_verdicts(reply.text, items, _short(report))

    def _ask(self, items: Sequence[EntailmentItem], stop: threading.Event) -> Reply:
        model = self.model
        try:
            return self._client.complete(entail_call(model, self._prompt, items), cancelled=stop.is_set)
        except ModelNotFound as error:
            if model == self._settings.model:
                raise
            self._keep(error.report)
            self._fall_back()
            return self._client.complete(entail_call(self.model, self._prompt, items), cancelled=stop.is_set)

    def _fall_back(self) -> None:
        with self._lock:
            note = (
                f"The verifier model {self._settings.verification.model} is not known; {self._settings.model} checks."
            )
            if note not in self.notes:
                self.notes.append(note)
            self.model = self._settings.model

    def _keep(self, report: dict[str, Any]) -> None:
        with self._lock:
            self.reports.append(report)


def entail_call(model: str, prompt: Prompt, items: Sequence[EntailmentItem]) -> Call:
    """The request for verdicts on a few items."""
    data = fence("items", (item.model_dump() for item in items))
    return Call(
        purpose="verify",
        model=model,
        system=prompt.text,
        messages=({"role": "user", "content": [{"type": "text", "text": data}]},),
        max_tokens=_TOKENS_TO_THINK + _TOKENS_A_VERDICT * len(items),
        output_schema=_SCHEMA,
    )


def read_verdicts(raw: str, items: Sequence[EntailmentItem], report: dict[str, Any]) -> dict[str, ModelVerdict]:
    """A verdict for each item: the one given under its id, or unverified when that is missing, doubled or garbled.
    Verdicts under other ids are ignored."""
    given = [record for record in records(raw, "verdicts") if isinstance(record, dict)]
    verdicts = {}
    for item in items:
        mine = [record for record in given if record.get("id") == item.id]
        if len(mine) == 1:
            verdicts[item.id] = _verdict(mine[0], report)
        else:
            reason = "more than one verdict" if mine else "no verdict"
            verdicts[item.id] = _unverified(f"the verifier gave {reason} on this claim", report)
    return verdicts


def _verdict(record: dict[str, Any], report: dict[str, Any]) -> ModelVerdict:
    """A yes must be whole and free of contradiction; a no may be untidy and still is a no."""
    grounded, status, confidence = record.get("grounded"), record.get("status"), _share(record.get("confidence"))
    reason = record.get("reason") if isinstance(record.get("reason"), str) else ""
    if grounded is True and status == "grounded" and confidence is not None:
        return ModelVerdict(grounded=True, status="grounded", reason=reason, confidence=confidence, report=report)
    if grounded is False and status in ("partial", "unverified", "contradicted"):
        return ModelVerdict(
            grounded=False, status=status, reason=reason or status, confidence=confidence or 0.0, report=report
        )
    return _unverified("the verifier's verdict on this claim could not be read", report)


def _unverified(reason: str, report: dict[str, Any]) -> ModelVerdict:
    return ModelVerdict(grounded=False, status="unverified", reason=reason, confidence=0.0, report=report)


def _share(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value) if 0 <= value <= 1 else None


def _short(report: dict[str, Any]) -> dict[str, Any]:
    """What every verdict of a call carries; the whole report is kept once."""
    return {key: report.get(key) for key in ("prompt", "model", "request_id", "stop_reason")}


def _batches(items: Sequence[EntailmentItem], size: int) -> Iterator[Sequence[EntailmentItem]]:
    suspect = [item for item in items if orders_to_a_model(item.source)]
    clean = [item for item in items if item not in suspect]
    yield from ([item] for item in suspect)
    for start in range(0, len(clean), size):
        yield clean[start : start + size]


def _as_done(
    pending: set[Future[dict[str, ModelVerdict]]], stop: threading.Event, cancelled: Callable[[], bool]
) -> Iterator[Future[dict[str, ModelVerdict]]]:
    """The futures as they finish. `cancelled` is asked in the caller's thread only."""
    while pending:
        done, pending = wait(pending, timeout=_POLL_S, return_when=FIRST_COMPLETED)
        yield from done
        if cancelled():
            stop.set()
