"""A fake model with Claude's shape: it reads the request it gets and answers in the form that was asked for.

It quotes the first sentence of every source as a claim, finds every claim grounded, and has no opinions. Tests put
their own behaviour in its place; by hand it makes the whole app run without a key.
"""

from __future__ import annotations

import json
import re
from typing import Any

from grounded.settings import Settings
from grounded.text import sentence_spans
from tests.tools.scripted_messages import Body, Step, end, events, reply, start, text_block

FAST = {
    "retry_first_s": 0.001, "retry_cap_s": 0.002, "first_byte_s": 10.0, "stall_s": 10.0, "deadline_s": 30.0,
}  # fmt: skip


def settings_for(url: str, llm: Body | None = None, **more: Any) -> Settings:
    """Settings with a key, that address, and short clocks."""
    given: Body = {"api_key": "sk-ant-test-0123456789", "base_url": url, "llm": FAST | (llm or {})} | more
    return Settings(_env_file=None, **given)


def answer(body: Body) -> Step:
    """The reply to whatever was asked."""
    wanted = asked_for(body)
    if wanted == "native":
        return native(body)
    makers = {"claims": claims, "verdicts": verdicts, "repairs": repairs, "steps": steps}
    if wanted in makers:
        return reply({wanted: makers[wanted](body)} | _more(wanted))
    if wanted == "question":
        return reply({"question": fenced(body, "question")[0]["question"]})
    return reply({name: {"score": 1.0, "reason": "fake"} for name in _properties(body)})


def asked_for(body: Body) -> str:
    """claims, verdicts, repairs, steps, question, faithfulness (the judge), or native."""
    names = _properties(body)
    known = ("claims", "verdicts", "repairs", "steps", "question")
    return next((name for name in known if name in names), next(iter(names), "native"))


def fenced(body: Body, name: str) -> list[Any]:
    """The records between the marker lines of that name, last turn first."""
    for turn in reversed(body["messages"]):
        content = turn["content"]
        text = content if isinstance(content, str) else "\n".join(b.get("text", "") for b in content)
        if match := re.search(rf"^<{name}>\n(.*?)^</{name}>", text + "\n", re.DOTALL | re.MULTILINE):
            return [json.loads(line) for line in match[1].splitlines()]
    return []


def claims(body: Body) -> list[Body]:
    """The first sentence of every source, quoted."""
    found = []
    for source in fenced(body, "sources"):
        start_, end_ = sentence_spans(source["text"])[0]
        sentence = source["text"][start_:end_]
        citations = [{"source_id": source["id"], "quote": sentence}]
        found.append({"text": sentence, "citations": citations, "calculation": None})
    return found


def verdicts(body: Body) -> list[Body]:
    """Yes to everything."""
    yes = {"status": "grounded", "grounded": True, "confidence": 0.97, "reason": "the snippet says so"}
    return [{"id": item["id"]} | yes for item in fenced(body, "items")]


def repairs(body: Body) -> list[Body]:
    """Drops everything."""
    nothing = {"action": "drop", "text": None, "citations": None, "calculation": None}
    return [{"id": item["id"]} | nothing for item in fenced(body, "failed")]


def steps(body: Body) -> list[Body]:
    """One step: the question."""
    return [{"question": fenced(body, "question")[0]["question"], "documents": []}]


def native(body: Body) -> Step:
    """The first sentence of every document, cited by the provider's own citations."""
    parts: list[bytes] = []
    documents = [block for block in body["messages"][-1]["content"] if block["type"] == "document"]
    for index, document in enumerate(documents):
        text = document["source"]["data"]
        start_, end_ = sentence_spans(text)[0]
        citation = {
            "type": "char_location", "cited_text": text[start_:end_], "document_index": index,
            "document_title": document["title"], "start_char_index": start_, "end_char_index": end_,
        }  # fmt: skip
        parts += text_block([text[start_:end_] + " "], index=index, citations=[citation])
    return events(start(), *parts, *end())


def _properties(body: Body) -> Body:
    schema = body.get("output_config", {}).get("format", {}).get("schema", {})
    properties: Body = schema.get("properties", {})
    return properties


def _more(wanted: str) -> Body:
    return {"claims": {"unanswered": None}, "steps": {"kind": "single", "reason": "fake"}}.get(wanted, {})
