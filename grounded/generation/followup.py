"""A follow-up question, rewritten to stand alone. Earlier answers say what words refer to; they are never evidence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pydantic import Field

from grounded.errors import ModelError
from grounded.generation import asking
from grounded.llm import Call, Client, fence, never
from grounded.llm.lenient import mapping
from grounded.text import collapse
from grounded.types import Frozen

_LAST_TURNS = 6
_ANSWER_CHARS = 1500
_MAX_QUESTION_CHARS = 2000
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"question": {"type": "string"}},
    "required": ["question"],
    "additionalProperties": False,
}


class Rewrite(Frozen):
    """A question that stands alone. `question` is the asked one when nothing was rewritten."""

    asked: str
    question: str
    notes: tuple[str, ...] = ()
    report: dict[str, Any] = Field(default_factory=dict)

    @property
    def changed(self) -> bool:
        """Whether the search uses other words than the user's."""
        return self.question != self.asked


def rewrite_followup(
    client: Client,
    question: str,
    history: Sequence[tuple[str, str]],
    *,
    cancelled: Callable[[], bool] = never,
) -> Rewrite:
    """Rewrite `question` with the help of earlier (question, answer) pairs, oldest first.

    Without history nothing is sent. When the model fails the question stays as asked, and the notes say so. Raises
    Cancelled when stopped.
    """
    if not history:
        return Rewrite(asked=question, question=question)
    try:
        reply = client.complete(rewrite_call(client, question, history), cancelled=cancelled)
    except ModelError as error:
        note = f"The question was not rewritten to stand alone: {error.what}."
        return Rewrite(asked=question, question=question, notes=(note,), report={"error": error.kind} | error.report)
    report = asking.report(asking.prompt("rewrite"), [reply])
    written = mapping(reply.text).get("question")
    usable = isinstance(written, str) and 0 < len(written.strip()) <= _MAX_QUESTION_CHARS
    if not usable:
        note = "The question was not rewritten to stand alone: the model's reply could not be read."
        return Rewrite(asked=question, question=question, notes=(note,), report=report)
    return Rewrite(asked=question, question=collapse(str(written)), report=report)


def rewrite_call(client: Client, question: str, history: Sequence[tuple[str, str]]) -> Call:
    """The request; answers are shortened, since only what they are about matters."""
    turns = [{"question": asked, "answer": answer[:_ANSWER_CHARS]} for asked, answer in history[-_LAST_TURNS:]]
    data = fence("history", turns) + "\n" + fence("question", [{"question": question}])
    return Call(
        purpose="rewrite",
        model=client.settings.model,
        system=asking.prompt("rewrite").text,
        messages=(asking.user({"type": "text", "text": data}),),
        max_tokens=2000,
        output_schema=_SCHEMA,
    )
