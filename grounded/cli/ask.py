"""`ask` and `search`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from grounded.cli import emit, note
from grounded.errors import GroundedError, UsageError
from grounded.library import Library
from grounded.settings import Settings, load_settings
from grounded.text import collapse
from grounded.types import Answer, HitRecord

_EXIT = {"answered": 0, "abstained": 3, "failed": 1, "cancelled": 1}


def configure(parser: argparse.ArgumentParser, command: str) -> None:
    """Options of contracts.md; `search` takes the same ones."""
    parser.add_argument("question", nargs="?", help="the question")
    batch = '{"id", "question", "doc"?} a line; one JSON a line comes out'
    parser.add_argument("--batch", type=Path, metavar="FILE.jsonl", help=batch)
    parser.add_argument("--doc", action="append", default=[], metavar="ID_OR_NAME", help="only this one (repeatable)")
    parser.add_argument("--top-k", type=int, help="how many passages")
    parser.add_argument("--budget-tokens", type=int, help="size of the context")
    parser.add_argument("--model", help="the model to ask (implies --reader claude)")
    parser.add_argument("--reader", choices=["claude", "extractive"], help="default: claude if a key is set")
    parser.add_argument("--judge", action="store_true", help="score the answer with a model: a signal, no proof")
    parser.add_argument("--no-include-citations", action="store_true", help="no [S1] labels inside the context text")
    parser.add_argument("--no-include-trace", action="store_true", help="leave the hits out of the printed answer")


def run(args: argparse.Namespace) -> int:
    """Ask, or search, once or for a batch."""
    if (args.question is None) == (args.batch is None):
        raise UsageError("a question or --batch FILE is needed, one of the two")
    questions = list(_batch(args.batch)) if args.batch else [{"question": args.question}]
    work = _search if args.command == "search" else _ask
    return work(args, questions)


def _batch(path: Path) -> Iterator[dict[str, Any]]:
    try:
        lines = path.read_text(encoding="utf-8").split("\n")  # splitlines() breaks at U+2028, too
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError("the batch file cannot be read", where=str(path), advice="Give UTF-8 JSON Lines") from error
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield _batch_line(path, number, line)


def _batch_line(path: Path, number: int, line: str) -> dict[str, Any]:
    where = f"{path}:{number}"
    try:
        item = json.loads(line)
    except ValueError as error:
        raise UsageError("this line is not JSON", where=where) from error
    if not isinstance(item, dict) or not isinstance(item.get("question"), str):
        raise UsageError(
            'this line has no "question"', where=where, advice='Write {"id": …, "question": "…", "doc"?: "…"}'
        )
    return item


def _settings(args: argparse.Namespace) -> Settings:
    return load_settings(
        {
            "library": args.library,
            "traces": args.traces,
            "model": args.model,
            "reader": args.reader or ("claude" if args.model else None),
            "retrieval": {"top_k": args.top_k},
            "generation": {
                "budget_tokens": args.budget_tokens,
                "include_citations": False if args.no_include_citations else None,
            },
        }
    )


def _scope(library: Library, names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(library.find(name).id for name in names))


def _docs(item: dict[str, Any], args: argparse.Namespace) -> list[str]:
    own = item.get("doc") or []
    return [*args.doc, *([own] if isinstance(own, str) else own)]


def _ask(args: argparse.Namespace, questions: list[dict[str, Any]]) -> int:
    from grounded.pipeline import ask

    settings = _settings(args)
    library = Library(args.library, settings=settings)

    def one(item: dict[str, Any]) -> Answer:
        return ask(
            item["question"],
            library=library,
            settings=settings,
            scope=_scope(library, _docs(item, args)),
            judge=args.judge,
        )

    if args.batch:
        return _each(questions, lambda item: _printed(one(item), args))
    answer = one(questions[0])
    if args.json:
        emit(_printed(answer, args))
    else:
        _show(answer)
    return _EXIT[answer.status]


def _search(args: argparse.Namespace, questions: list[dict[str, Any]]) -> int:
    from grounded.pipeline import find

    settings = _settings(args)
    library = Library(args.library, settings=settings)

    def one(item: dict[str, Any]) -> dict[str, Any]:
        hits = find(item["question"], library=library, settings=settings, scope=_scope(library, _docs(item, args)))
        records = [HitRecord.of(hit, f"S{rank}") for rank, hit in enumerate(hits, 1)]
        return {"question": item["question"], "hits": [record.model_dump(mode="json") for record in records]}

    if args.batch:
        return _each(questions, one)
    found = one(questions[0])
    if args.json:
        emit(found)
    else:
        for hit in found["hits"]:
            print(f"{hit['reranked_rank']:>3}  {hit['retrieval_confidence']:.3f}  {_where(hit)}")
            print(f"     {_one_line(hit['text'])}")
    return 0


def _each(questions: list[dict[str, Any]], work: Callable[[dict[str, Any]], dict[str, Any]]) -> int:
    """One JSON line a question, in order. A question that fails is a line with its error; the rest goes on."""
    failed = 0
    for item in questions:
        identity = {"id": item["id"]} if "id" in item else {}
        try:
            emit({**identity, **work(item)})
        except GroundedError as error:
            failed += 1
            emit({**identity, "question": item["question"], "error": {"type": error.kind, "message": error.message}})
    return 1 if failed else 0


def _printed(answer: Answer, args: argparse.Namespace) -> dict[str, Any]:
    return answer.model_dump(mode="json", exclude={"hits"} if args.no_include_trace else set())


def _show(answer: Answer) -> None:
    print(answer.answer or answer.status)
    if answer.abstention:
        print(f"No answer: {answer.abstention.reason}")
        for hit in answer.abstention.nearest:
            print(f"  nearest passage, not an answer: {_where(hit.model_dump())}: {_one_line(hit.text)}")
        for name, pages in answer.abstention.unread_pages.items():
            print(f"  unread: {name}, pages {', '.join(map(str, pages))}")
    for conflict in answer.conflicts:
        print(f"Sources disagree: {conflict.detail}")
    for text in answer.notes:
        note(text)
    if answer.claims:
        share = sum(claim.verdict.grounded for claim in answer.claims)
        note(f"grounded {share} of {len(answer.claims)} · confidence {answer.generation_confidence} · {answer.reader}")
    note(f"trace {answer.trace_id}")


def _where(hit: dict[str, Any]) -> str:
    section = f", {hit['section']}" if hit["section"] else ""
    return f"{hit['source_name']} p.{hit['page_label']}{section}"


def _one_line(text: str) -> str:
    flat = collapse(text)
    return flat if len(flat) <= 160 else flat[:159] + "…"
