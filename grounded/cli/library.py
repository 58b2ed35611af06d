"""`index` and `library`: PDFs in, listed, removed, checked."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path

from grounded.cli import emit, note
from grounded.errors import UsageError
from grounded.library import FileResult, Library
from grounded.types import DocumentRecord


def configure(parser: argparse.ArgumentParser, command: str) -> None:
    """The options of the command."""
    if command == "index":
        parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="PDF files, or folders (recursive)")
        parser.add_argument("--password", action="append", default=[], help="for encrypted PDFs; repeatable")
        parser.add_argument("--engine", choices=["local", "ray"], default="local", help="who reads and embeds")
        parser.add_argument("--address", help="of the Ray cluster (default: one on this machine, started and ended)")
        parser.add_argument("--workers", type=int, help="of a Ray cluster on this machine (default: one per core)")
        return
    parser.add_argument("action", nargs="?", default="list", choices=["list", "remove", "rename", "verify"])
    parser.add_argument("document", nargs="?", help="id or file name, for remove and rename")
    parser.add_argument("name", nargs="?", help="the new name, for rename")


def run(args: argparse.Namespace) -> int:
    """Do it; the exit code of contracts.md."""
    library = Library(args.library)
    if args.command == "index":
        return _index(library, args)
    actions = {"list": _list, "remove": _remove, "rename": _rename, "verify": _verify}
    return actions[args.action](library, args)


def _index(library: Library, args: argparse.Namespace) -> int:
    def tell(done: int, total: int, result: FileResult) -> None:
        note(f"[{done}/{total}] {_line(result)}")

    with library.ray_engine(args.address, args.workers) if args.engine == "ray" else nullcontext() as engine:
        results = library.add(args.paths, passwords=args.password, progress=tell, engine=engine)
    bad = sum(not result.usable for result in results)
    if args.json:
        emit({"files": [r.model_dump(mode="json") for r in results], "failed": bad, "total": len(results)})
    elif not results:
        note("No PDF files found there.")
    else:
        print(f"{len(results) - bad} of {len(results)} files can be asked; {len(library.documents())} in the library")
    return 1 if bad or not results else 0


def _line(result: FileResult) -> str:
    """One file, one line: what became of it and what of it could be read."""
    if result.error:
        return f"{result.path}: {result.status}, {result.error.type}: {result.error.message}"
    coverage = f"{result.readable_pages} of {result.pages} pages readable"
    if result.coverage and result.coverage.unread:
        reasons = [f"{pages} {reason}" for reason, pages in _by_reason(result.coverage.unread).items()]
        coverage += " (" + "; ".join(reasons) + ")"
    return f"{result.path}: {result.status}, {coverage}, {result.chunks} chunks"


def _by_reason(unread: Mapping[int, str]) -> dict[str, str]:
    """Reason -> the pages it holds for, as a person writes them: "4–5, 9"."""
    return {reason: _ranges([p for p, r in unread.items() if r == reason]) for reason in dict.fromkeys(unread.values())}


def _ranges(pages: list[int]) -> str:
    runs: list[list[int]] = []
    for page in sorted(pages):
        if runs and page == runs[-1][-1] + 1:
            runs[-1].append(page)
        else:
            runs.append([page])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs)


def _list(library: Library, args: argparse.Namespace) -> int:
    records = library.documents()
    if args.json:
        emit({"documents": [_listed(record) for record in records], "index_digest": library.index_digest})
        return 0
    for record in records:
        names = ", ".join(record.names)
        print(f"{record.id[:12]}  {names}  {record.readable_pages}/{record.pages} pages, {record.chunks} chunks")
    if not records:
        note("The library is empty. `index PATH` adds PDFs.")
    return 0


def _listed(record: DocumentRecord) -> dict[str, object]:
    return record.model_dump(mode="json", exclude={"build"}) | {"name": record.name}


def _remove(library: Library, args: argparse.Namespace) -> int:
    record = library.find(_document(args))
    library.remove(record.id)
    if args.json:
        emit({"removed": record.id, "names": record.names})
    else:
        print(f"removed {record.name}; answers that cite it still open")
    return 0


def _rename(library: Library, args: argparse.Namespace) -> int:
    if not args.name:
        raise UsageError("rename needs a document and a new name", advice="library rename ID NAME")
    record = library.rename(library.find(_document(args)).id, args.name)
    if args.json:
        emit(_listed(record))
    else:
        print(f"{record.id[:12]} is now {record.name}")
    return 0


def _verify(library: Library, args: argparse.Namespace) -> int:
    findings = library.verify()
    if args.json:
        emit({"documents": len(library.documents()), "findings": [f.model_dump() for f in findings]})
    else:
        for finding in findings:
            print(f"{finding.document[:12]} {finding.code}: {finding.detail}")
        print("the index agrees with its documents" if not findings else f"{len(findings)} findings")
    return 1 if findings else 0


def _document(args: argparse.Namespace) -> str:
    if not args.document:
        raise UsageError(f"{args.action} needs a document", advice="Give its id or file name; `library` lists them")
    return str(args.document)
