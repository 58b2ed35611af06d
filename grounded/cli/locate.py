"""`locate DOC --quote "…"`: where a quote stands in a PDF, or that it does not."""

from __future__ import annotations

import argparse
import getpass
import sys
from pathlib import Path
from typing import Any

from grounded.cli import emit, note
from grounded.errors import PasswordNeeded, UsageError
from grounded.types import LocateMatch, Page
from grounded.verification.locate import locate


def configure(parser: argparse.ArgumentParser, command: str) -> None:
    """The options of the command."""
    parser.add_argument("document", metavar="DOC", help="a PDF file, or the id or name of a document in the library")
    parser.add_argument("--quote", required=True, help="the words to find")
    parser.add_argument("--page", type=int, help="only on this page (1-based)")
    parser.add_argument("--password", help="of an encrypted file (asked for on a terminal when it is needed)")


def run(args: argparse.Namespace) -> int:
    """0 found, 1 not found. The nearest passage of an altered quote is printed and counts as not found."""
    if not args.quote.strip():
        raise UsageError("the quote is empty", where="--quote", advice="Give the words to find")
    pages = _pages(args)
    chosen = pages if args.page is None else [_only(pages, args.page)]
    matches = locate([page for page in chosen if page.readable], args.quote)
    found = any(match.match != "approximate" for match in matches)
    if args.json:
        emit(_report(found, matches, chosen))
    else:
        _tell(found, matches, chosen)
    return 0 if found else 1


def _pages(args: argparse.Namespace) -> list[Page]:
    path = Path(args.document)
    if path.is_file():
        return _read(path, args.password)
    from grounded.library import Library

    library = Library(args.library)
    record = library.find(args.document)
    return [library.page(record.id, number) for number in range(1, library.page_count(record.id) + 1)]


def _read(path: Path, password: str | None) -> list[Page]:
    from grounded.documents import read
    from grounded.settings import Settings

    settings = Settings().documents
    data = path.read_bytes()
    try:
        return list(read(data, path.name, password=password, settings=settings).pages)
    except PasswordNeeded:
        if password is not None or not sys.stdin.isatty():
            raise
    return list(read(data, path.name, password=getpass.getpass("Password: "), settings=settings).pages)


def _only(pages: list[Page], number: int) -> Page:
    if not 1 <= number <= len(pages):
        raise UsageError(f"there is no page {number}, the document has {len(pages)}", where="--page")
    return pages[number - 1]


def _report(found: bool, matches: list[LocateMatch], pages: list[Page]) -> dict[str, Any]:
    return {
        "found": found,
        "matches": [match.model_dump(mode="json") for match in matches],
        "pages_searched": sum(page.readable for page in pages),
        "unreadable_pages": [page.number for page in pages if not page.readable],
    }


def _tell(found: bool, matches: list[LocateMatch], pages: list[Page]) -> None:
    if not found:
        note("Not found." + (" The nearest passage, which is no proof:" if matches else ""))
    for match in matches:
        for part in (match, *match.continues):
            boxes = "  ".join("[" + ", ".join(f"{value:.1f}" for value in box) + "]" for box in part.boxes)
            print(f"page {part.page} ({part.page_label})  {part.match}  {' '.join(part.text.split())!r}")
            print(f"  {boxes}")
    if unread := [str(page.number) for page in pages if not page.readable]:
        note(f"Pages that could not be read: {', '.join(unread)}")
