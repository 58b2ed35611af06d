"""`check`: claims from anywhere against PDFs or inline evidence."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from grounded import documents
from grounded.cli import emit, note
from grounded.errors import UsageError
from grounded.library import Library
from grounded.retrieval.pairs import available_pairs
from grounded.settings import Settings, load_settings
from grounded.types import Document, Page, PageSource
from grounded.verification.check import CheckItem, CheckResult, check_claims, read_item


class FileSource:
    """A PDF read for this run only; a types.PageSource of one document."""

    def __init__(self, document: Document) -> None:
        self._document = document

    def page(self, document: str, number: int) -> Page:
        return self._document.page(number)

    def page_count(self, document: str) -> int:
        return len(self._document.pages)

    def section_at(self, document: str, page: int, offset: int) -> str:
        return " › ".join(self._document.section_at(page, offset))

    def name(self, document: str) -> str:
        return self._document.name


class _Documents:
    """Opens what items name: a path first, else a library id or name. Each is read once."""

    def __init__(self, library: str, settings: Settings) -> None:
        self._library, self._settings = library, settings
        self._opened: dict[str, tuple[str, PageSource]] = {}

    def __call__(self, name: str) -> tuple[str, PageSource]:
        if name not in self._opened:
            self._opened[name] = self._open(name)
        return self._opened[name]

    def _open(self, name: str) -> tuple[str, PageSource]:
        path = Path(name)
        if path.is_file():
            document = documents.read(path.read_bytes(), path.name, settings=self._settings.documents)
            return document.id, FileSource(document)
        if not Path(self._library).is_dir():
            raise UsageError("no such file, and there is no library", where=name, advice="Give a path, or `index` it")
        library = Library(self._library, settings=self._settings)
        return library.find(name).id, library


def configure(parser: argparse.ArgumentParser, command: str) -> None:
    """Options of contracts.md."""
    help_ = 'a claim a line: {"claim", "quote"?, "page"?, "document"} or {"claim", "text"?, "table"?, "caption"?}'
    parser.add_argument("file", type=Path, metavar="FILE.jsonl", help=help_)
    said = "for claims that name no document; several may all speak to a claim"
    parser.add_argument("--doc", metavar="PATH_ID_OR_NAME", action="append", default=[], help=said)


def run(args: argparse.Namespace) -> int:
    """Exit code 0 when every claim is grounded, 1 when some is not."""
    items = _items(args.file, args.doc)
    results = check_claims(items, _Documents(args.library, load_settings()), available_pairs())
    grounded = sum(result.verdict.grounded for result in results)
    if args.json:
        shown = [result.model_dump(mode="json") for result in results]
        emit({"results": shown, "grounded": grounded, "total": len(results)})
    else:
        _print(results)
    return 0 if grounded == len(results) else 1


def _items(path: Path, documents: Sequence[str]) -> list[CheckItem]:
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")  # splitlines() breaks at U+2028, too
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError("the file cannot be read", where=str(path), advice="Give UTF-8 JSON Lines") from error
    return [_item(f"{path}:{n}", line, documents) for n, line in enumerate(lines, start=1) if line.strip()]


def _item(where: str, line: str, documents: Sequence[str]) -> CheckItem:
    try:
        raw: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError("this line is not JSON", where=where, advice="Give one JSON object a line") from error
    if not isinstance(raw, dict):
        raise UsageError("a claim is a JSON object", where=where)
    if documents and not any(raw.get(key) for key in ("document", "text", "table")):
        raw["document"] = list(documents)
    return read_item(raw, where)


def _print(results: list[CheckResult]) -> None:
    for result in results:
        print(f"[{result.verdict.status}] {result.claim}")
        print(f"    {result.verdict.reason}  (confidence {result.verdict.confidence:.2f})")
        for citation in result.citations:
            print(f"    {citation.source_name}, p. {citation.page_label}: {' '.join(citation.snippet.split())}")
    note(f"{sum(r.verdict.grounded for r in results)} of {len(results)} grounded")
