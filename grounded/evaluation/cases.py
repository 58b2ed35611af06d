"""What a gold set is: cases, one a line of a JSONL file, and the documents they are about (docs/evaluation.md)."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple, Self

from pydantic import Field, ValidationError, model_validator

from grounded.errors import UsageError
from grounded.types import Box, CharSpan, Frozen

Task = Literal["ask", "search", "check"]
Label = Literal["supported", "contradicted", "not stated", "not supported"]


class GoldPlace(Frozen):
    """Where the gold stands. Without a page the document as a whole counts; without quote and spans, the page."""

    document: str = Field(description="file name, or id, as in the set's documents")
    page: int | None = Field(default=None, ge=1, description="1-based")
    quote: str | None = Field(default=None, description="as printed; located on the page when the set is run")
    occurrence: int = Field(default=0, ge=0, description="which one, when the quote stands there more than once")
    spans: tuple[CharSpan, ...] = Field(default=(), description="offsets into the page text; win over the quote")
    boxes: tuple[Box, ...] = Field(default=(), description="points, top-left origin, as displayed")


class GoldCase(Frozen):
    """One case. `ask`: a question for the whole pipeline; `search`: for retrieval alone; `check`: a claim."""

    id: str = Field(min_length=1)
    task: Task = "ask"
    group: str = Field(default="", description="the document it belongs to: unit of splits and intervals")
    kind: str = Field(default="", description="what the set says about it: an error's kind, a field, a clause")
    seen: bool = Field(default=False, description="something this project ships was fitted on its document")

    question: str | None = None
    documents: tuple[str, ...] = Field(default=(), description="asked of these only; empty: of all of the set")
    answerable: bool = True
    places: tuple[GoldPlace, ...] = ()
    answers: tuple[str, ...] = Field(default=(), description="gold values or words")
    scale: str = Field(default="", description="of numeric answers: thousand, million, billion, percent")
    needs: Literal["any", "all"] = Field(default="any", description="how many of the answers must be said")

    claim: str | None = None
    label: Label | None = None
    document: str | None = Field(default=None, description="what the claim is held against; or inline:")
    quote: str | None = None
    page: int | None = Field(default=None, ge=1)
    text: str | None = None
    table: tuple[tuple[str, ...], ...] | None = None
    caption: str | None = None

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.task == "check":
            if not self.claim or self.label is None:
                raise ValueError("a claim to check needs `claim` and `label`")
            if not self.document and self.text is None and self.table is None:
                raise ValueError("a claim to check needs `document`, or `text` or `table` inline")
        elif not self.question:
            raise ValueError(f"a case to {self.task} needs `question`")
        return self

    @property
    def unit(self) -> str:
        """The document it counts for."""
        named = (self.group, self.document or "", *self.documents, *(place.document for place in self.places), self.id)
        return next(name for name in named if name)

    def names(self) -> set[str]:
        """Every document it names."""
        return {name for name in (self.document, *self.documents, *(p.document for p in self.places)) if name}


class Sheet(NamedTuple):
    """A document that never was a PDF: it is typeset as one."""

    paragraphs: Sequence[str]
    table: Sequence[Sequence[object]] = ()
    title: str = ""


class Size(NamedTuple):
    """A sample of a set: at most so many documents, and so many cases of each task, spread over them."""

    documents: int
    cases: int


DEFAULT_SIZE = Size(50, 500)


@dataclass(frozen=True)
class GoldSet:
    """A set with all that is needed to run it.

    pdfs, sheets: its own documents by the name the cases use; without either, the cases name documents of the user's
    library. whole: questions are asked of all documents at once, so that each of them stays in when cases are sampled.
    """

    name: str
    about: str
    licence: str
    cases: tuple[GoldCase, ...]
    pdfs: Mapping[str, Path] = field(default_factory=dict)
    sheets: Mapping[str, Sheet] = field(default_factory=dict)
    whole: bool = False
    caution: str = ""
    ci: Size = DEFAULT_SIZE

    @property
    def own_documents(self) -> set[str]:
        """Names of the documents it brings along."""
        return self.pdfs.keys() | self.sheets.keys()


def read_cases(path: Path) -> tuple[GoldCase, ...]:
    """The cases of a JSONL file. Raises UsageError that names the line."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")  # splitlines() breaks at U+2028, too
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError("the set cannot be read", where=str(path), advice="Give UTF-8 JSON Lines") from error
    cases = tuple(_case(f"{path}:{number}", line) for number, line in enumerate(lines, 1) if line.strip())
    _require_distinct(cases, path)
    return cases


def read_set(path: Path) -> GoldSet:
    """A set from a file of the user's own. Documents named by a path that exists beside it come along with it."""
    cases = read_cases(path)
    names = {name for case in cases for name in case.names()}
    beside = {name: path.parent / name for name in names if (path.parent / name).is_file()}
    return GoldSet(path.stem, f"cases of {path.name}", "", cases, pdfs=beside)


def held_out(gold: GoldSet) -> GoldSet:
    """The set without cases on documents that anything shipped was fitted on, task by task; a task of which nothing
    would be left stays, because a figure with a caution is better than none."""
    free = {case.task for case in gold.cases if not case.seen}
    return _with(gold, [case for case in gold.cases if not case.seen or case.task not in free])


def sample(gold: GoldSet, size: Size) -> GoldSet:
    """A part of the set, always the same: documents by the hash of their name, their cases dealt in turn."""
    kept: list[GoldCase] = []
    for task in dict.fromkeys(case.task for case in gold.cases):
        kept += _deal([case for case in gold.cases if case.task == task], size)
    return _with(gold, kept, distractors=size.documents)


def _deal(cases: Sequence[GoldCase], size: Size) -> list[GoldCase]:
    groups: dict[str, list[GoldCase]] = defaultdict(list)
    for case in sorted(cases, key=lambda case: _hash(case.id)):
        groups[case.unit].append(case)
    chosen = sorted(groups, key=_hash)[: size.documents]
    dealt = sorted((place, _hash(name), case.id, case) for name in chosen for place, case in enumerate(groups[name]))
    return [case for *_, case in dealt][: size.cases]


def _with(gold: GoldSet, cases: Iterable[GoldCase], *, distractors: int | None = None) -> GoldSet:
    """The set with these cases and the documents they need, or of a `whole` one so many more."""
    kept = tuple(cases)
    needed = {name for case in kept for name in case.names()}
    if gold.whole:
        others = sorted(gold.own_documents - needed, key=_hash)
        needed |= set(others if distractors is None else others[: max(0, distractors - len(needed))])
    pdfs = {name: path for name, path in gold.pdfs.items() if name in needed}
    sheets = {name: sheet for name, sheet in gold.sheets.items() if name in needed}
    return GoldSet(
        gold.name, gold.about, gold.licence, kept, pdfs, sheets, whole=gold.whole, caution=gold.caution, ci=gold.ci
    )


def _case(where: str, line: str) -> GoldCase:
    try:
        return GoldCase.model_validate(json.loads(line))
    except ValidationError as error:
        first = error.errors()[0]
        field_ = ".".join(map(str, first["loc"]))
        raise UsageError(
            f"{field_}: {first['msg']}".lstrip(": "), where=where, advice="See docs/evaluation.md"
        ) from error
    except ValueError as error:
        raise UsageError("this line is not JSON", where=where) from error


def _require_distinct(cases: Sequence[GoldCase], path: Path) -> None:
    seen: set[str] = set()
    for case in cases:
        if case.id in seen:
            raise UsageError(f"two cases have the id {case.id!r}", where=str(path), advice="Give each its own")
        seen.add(case.id)


def _hash(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
