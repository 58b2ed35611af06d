"""Loaders: the sample questions of this project, and the public sets of the shared folder as gold cases.

Sources and licences stand in each set; its folder's README has the details. Pages there are 0-based, here 1-based. What
this project ships was partly fitted on these sets: such cases are marked `seen`, document by document.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from grounded import locations
from grounded.errors import UsageError
from grounded.evaluation.cases import GoldCase, GoldPlace, GoldSet, Label, Sheet, Size, read_cases, read_set

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "data" / "samples.jsonl"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _-]{0,63}")
Row = dict[str, Any]


def shared() -> Path:
    """The folder of the public sets, found from any working directory inside the checkout."""
    folder = locations.shared()
    return (folder if folder.is_absolute() or folder.is_dir() else ROOT / folder) / "bench"


def rows(name: str, folder: Path | None = None) -> list[Row]:
    """A JSON-lines file of the shared folder."""
    text = ((folder or shared()) / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.split("\n") if line.strip()]


def available() -> dict[str, str]:
    """Every set by name -> what it is, or why it is not there."""
    found = {name: (loader.__doc__ or "").split("\n")[0] for name, loader in LOADERS.items()}
    absent = {name for name, file in _NEEDS.items() if not (shared() / file).exists()}
    return {
        name: f"absent: no {_NEEDS[name]} in {shared()}" if name in absent else about for name, about in found.items()
    } | {path.stem: f"your own, {path}" for path in own_sets()}


def is_absent(name: str) -> bool:
    """Whether a set of the shared folder is not on this machine."""
    return name in _NEEDS and not (shared() / _NEEDS[name]).exists()


def load(name: str) -> GoldSet:
    """A set by name: one of the loaders, or one of the user's own. Raises UsageError when there is none."""
    if name in LOADERS:
        if is_absent(name):
            raise UsageError(
                f"the set {name} is not on this machine", where=str(shared()), advice="Set GROUNDED_SHARED"
            )
        return LOADERS[name](shared())
    own = {path.stem: path for path in own_sets()}
    if name not in own:
        raise UsageError("there is no such set", where=name, advice="`eval --list` names them; or give a JSONL file")
    return read_set(own[name])


def own_sets() -> list[Path]:
    """The user's own sets, made by `eval new` and by marking answers in the app."""
    return sorted(sets_folder().glob("*.jsonl"))


def sets_folder() -> Path:
    """Where the user's own sets lie."""
    return locations.state() / "evaluation" / "sets"


def own_set(name: str) -> Path:
    """The file of one of the user's own sets. Raises UsageError for a name that is no plain name or is taken."""
    if not _NAME.fullmatch(name):
        raise UsageError("a set's name is letters, digits, spaces, - and _", where=name[:80])
    if name in LOADERS:
        raise UsageError("this name belongs to a set that comes with the project", where=name, advice="Choose another")
    return sets_folder() / f"{name}.jsonl"


# ---------------------------------------------------------------- loaders


def samples(folder: Path = ROOT) -> GoldSet:
    """Five sample questions, unanswerable ones and claims on the two fictional fact sheets of this project."""
    cases = read_cases(SAMPLES)
    pdfs = {path.name: path for path in sorted((ROOT / "data").glob("*.pdf"))}
    return GoldSet("samples", _about(samples), "as this project", cases, pdfs=pdfs, ci=Size(10, 100))


def cuad(folder: Path) -> GoldSet:
    """50 contracts: 41 kinds of clause asked of each, expert spans with pages and boxes, two thirds not answerable."""
    pages: dict[str, list[GoldPlace]] = {}
    for span in rows("cuad/gold_spans.jsonl", folder):
        pages[span["span_id"]] = [p for part in span["pdf_fragments"] for p in _fragment(f"{span['doc_id']}.pdf", part)]
    cases = tuple(
        GoldCase(
            id=f"{row['doc_id']}:{row['category']}",
            group=row["doc_id"],
            kind=row["category"],
            seen=True,
            question=row["question"],
            documents=(f"{row['doc_id']}.pdf",),
            answerable=row["answerable"],
            places=tuple(dict.fromkeys(place for span in row["span_ids"] for place in pages[span])),
        )
        for row in rows("cuad/queries.jsonl", folder)
    )
    caution = "the shipped clause model was trained on these contracts and the retrieval weights fitted on half of them"
    licence = "CC BY 4.0, CUAD v1 (arXiv:2103.06268)"
    return GoldSet("cuad", _about(cuad), licence, cases, _pdfs(folder / "cuad"), caution=caution, ci=Size(10, 160))


def _fragment(name: str, part: Row) -> Iterator[GoldPlace]:
    """A place a page; over a page break only the boxes say where."""
    quote = part["text"] if part["page_start"] == part["page_end"] else None
    for on_page in part["boxes"]:
        boxes = tuple((a, b, c, d) for a, b, c, d in on_page["rects"])
        yield GoldPlace(document=name, page=on_page["page_index"] + 1, quote=quote, boxes=boxes)


def ntsb(folder: Path) -> GoldSet:
    """Ten accident reports on one form: fields asked and claimed, true, swapped, edited or left blank."""
    found = rows("ntsb/gold.jsonl", folder)
    fitted = _first_half({row["doc"] for row in found})
    asked = [_field(row, row["doc"] in fitted) for row in found if row["kind"] in ("true", "blank_field")]
    labels: Mapping[str, Label] = {"supported": "supported", "not_supported": "not supported"}
    claimed = [
        GoldCase(
            id=f"claim {row['id']}", task="check", group=row["doc"], kind=row["kind"], seen=is_fitted(row["doc"]),
            claim=row["claim"], document=row["doc"], label=labels.get(row["label"], "not stated"),
        )
        for row in found
        if row["claim"]
    ]  # fmt: skip
    licence = "public domain (NTSB); gold made from the form"
    cases = (*asked, *claimed)
    return GoldSet("ntsb", _about(ntsb), licence, cases, _pdfs(folder / "ntsb"), whole=True, ci=Size(10, 160))


def _field(row: Row, seen: bool) -> GoldCase:
    others = [page for page in row["pages_with_value"] if page != row["page_index"]]
    places = [GoldPlace(document=row["doc"], page=page + 1) for page in others]
    if row["answerable"]:
        quote, boxes = row["gold_quote"], tuple((a, b, c, d) for a, b, c, d in row["boxes"])
        places.insert(0, GoldPlace(document=row["doc"], page=row["page_index"] + 1, quote=quote, boxes=boxes))
    return GoldCase(
        id=f"question {row['id']}", group=row["doc"], kind=row["field"], seen=seen, question=row["question"],
        answerable=row["answerable"], places=tuple(places), answers=(row["gold_value"],) if row["gold_value"] else (),
    )  # fmt: skip


def tatqa(folder: Path) -> GoldSet:
    """278 tables with text of annual reports: questions with values and scales, claims with six kinds of error."""
    contexts = {row["context_id"]: row for row in rows("tatqa/dev_contexts.jsonl", folder)}
    order = sorted(contexts)
    random.Random(0).shuffle(order)  # noqa: S311 - a split, no secret
    fitted = set(order[: len(order) // 2])
    asked = [
        _numeric_question(row, row["context_id"] in fitted)
        for row in rows("tatqa/dev_questions.jsonl", folder)
        if row["context_id"] in contexts
    ]
    claimed = [_numeric_claim(row, contexts) for row in rows("tatqa/dev_numeric_claims.jsonl", folder)]
    sheets = {f"{key}.pdf": tatqa_sheet(context) for key, context in contexts.items()}
    cases = (*asked, *claimed)
    return GoldSet("tatqa", _about(tatqa), "CC BY 4.0, TAT-QA", cases, sheets=sheets, ci=Size(40, 200))


def tatqa_sheet(context: Row) -> Sheet:
    """A context as a page: its paragraphs in order, its table."""
    texts = [p["text"] for p in sorted(context["paragraphs"], key=lambda p: p["order"])]
    return Sheet(texts, context["table"])


def _numeric_question(row: Row, seen: bool) -> GoldCase:
    gold = row["answer"] if isinstance(row["answer"], list) else [row["answer"]]
    return GoldCase(
        id=row["uid"], group=row["context_id"], kind=f"{row['answer_type']} from {row['answer_from']}", seen=seen,
        question=row["question"], documents=(f"{row['context_id']}.pdf",), answers=tuple(map(str, gold)),
        scale=row["scale"], needs="all",
    )  # fmt: skip


def _numeric_claim(row: Row, contexts: Mapping[str, Row]) -> GoldCase:
    context = contexts[row["context_id"]]
    return GoldCase(
        id=f"claim {row['id']}", task="check", group=row["context_id"], seen=not is_held_back(row["context_id"]),
        kind=f"{row['kind']}: {row['perturbation'] or 'true'}", claim=row["claim"], table=_cells(context["table"]),
        text="\n".join(p["text"] for p in context["paragraphs"]),
        label="supported" if row["label"] == "supported" else "not supported",
    )  # fmt: skip


def contractnli(folder: Path) -> GoldSet:
    """Seventeen statements about each of 61 non-disclosure agreements: entailed, contradicted, or not mentioned."""
    texts = {row["doc_id"]: row["text"] for row in rows("contractnli/dev_docs.jsonl", folder)}
    labels: dict[str, Label] = {"Entailment": "supported", "Contradiction": "contradicted"}
    cases = tuple(
        GoldCase(
            id=row["id"], task="check", group=str(row["doc_id"]), kind=row["hypothesis_key"],
            seen=not is_held_back(str(row["doc_id"])), claim=row["claim"], text=texts[row["doc_id"]],
            label=labels.get(row["label"], "not stated"),
            places=_inline(row["doc_id"], spans=row["evidence_spans"]),
        )
        for row in rows("contractnli/dev_claims.jsonl", folder)
    )  # fmt: skip
    return GoldSet("contractnli", _about(contractnli), "CC BY 4.0, ContractNLI", cases, ci=Size(30, 300))


def scifact(folder: Path) -> GoldSet:
    """5,183 abstracts: the ones that settle a claim are searched for, and the claim is held against each."""
    corpus = {row["doc_id"]: row for row in rows("scifact/corpus.jsonl", folder)}
    claims = rows("scifact/claims_train.jsonl", folder)
    fitted = _first_half({row["id"] for row in claims})
    searched = [
        GoldCase(
            id=f"search {row['id']}", task="search", group=row["id"], seen=row["id"] in fitted, question=row["claim"],
            places=tuple(GoldPlace(document=f"{cited}.pdf") for cited in row["cited_doc_ids"]),
        )
        for row in claims
    ]  # fmt: skip
    checked = [_rationale(row, corpus[cited]) for row in claims for cited in row["cited_doc_ids"]]
    sheets = {f"{key}.pdf": Sheet([" ".join(row["abstract"])], title=row["title"]) for key, row in corpus.items()}
    licence = "CC BY 4.0 / ODC-By, SciFact"
    cases = (*searched, *checked)
    return GoldSet("scifact", _about(scifact), licence, cases, sheets=sheets, whole=True, ci=Size(600, 150))


def _rationale(row: Row, abstract: Row) -> GoldCase:
    labels: dict[str, Label] = {"SUPPORT": "supported", "CONTRADICT": "contradicted"}
    found = [e for e in row["evidence"] if e["doc_id"] == abstract["doc_id"]]
    sentences = [abstract["abstract"][i] for e in found for i in e["sentences"]]
    return GoldCase(
        id=f"{row['id']}:{abstract['doc_id']}", task="check", group=abstract["doc_id"],
        seen=not is_held_back(abstract["doc_id"]), claim=row["claim"],
        text=" ".join([abstract["title"], *(s.strip() for s in abstract["abstract"])]),
        label=labels[found[0]["label"]] if found else "not stated",
        places=_inline(abstract["doc_id"], quotes=sentences),
    )  # fmt: skip


def scitab(folder: Path) -> GoldSet:
    """Claims on tables of papers; the two decided classes."""
    labels: dict[str, Label] = {"supports": "supported", "refutes": "contradicted"}
    cases = tuple(
        GoldCase(
            id=row["id"], task="check", group=row["paper_id"], seen=not is_held_back(row["paper_id"]),
            claim=row["claim"], table=_cells([row["table_column_names"], *row["table_content_values"]]),
            caption=row["table_caption"], label=labels[row["label"]],
        )
        for row in rows("scitab/scitab.jsonl", folder)
        if row["label"] in labels
    )  # fmt: skip
    return GoldSet("scitab", _about(scitab), "MIT, SciTab", cases, ci=Size(100, 200))


def xquad(folder: Path) -> GoldSet:
    """595 questions, each asked of its own encyclopedia paragraph and of one of another article."""
    found = rows("xquad_en/xquad_en.jsonl", folder)
    texts = {row["context_id"]: row["context"] for row in found}
    chooser = random.Random(3)  # noqa: S311
    cases: list[GoldCase] = []
    for row in found:
        others = [key for key in texts if _article(key) != _article(row["context_id"])]
        cases.append(_paragraph_question(row))
        if others:
            wrong = chooser.choice(others)
            cases.append(
                GoldCase(
                    id=f"{row['id']} elsewhere", group=_article(row["context_id"]), kind="wrong paragraph",
                    question=row["question"], documents=(f"{wrong}.pdf",), answerable=False,
                )
            )  # fmt: skip
    sheets = {f"{key}.pdf": Sheet([text]) for key, text in texts.items()}
    return GoldSet("xquad_en", _about(xquad), "CC BY-SA 4.0, XQuAD", tuple(cases), sheets=sheets, ci=Size(48, 144))


def _paragraph_question(row: Row) -> GoldCase:
    name, first = f"{row['context_id']}.pdf", row["answers"][0]
    before = row["context"][: first["start"]].count(first["text"])
    return GoldCase(
        id=row["id"], group=_article(row["context_id"]), kind="own paragraph", question=row["question"],
        documents=(name,), answers=tuple(dict.fromkeys(a["text"] for a in row["answers"])),
        places=(GoldPlace(document=name, page=1, quote=first["text"], occurrence=before),),
    )  # fmt: skip


# ---------------------------------------------------------------- inside


FOLDS = 5  # of the documents that judged claims are on; the models shipped are fitted on all but the first


def fold_of(document: str) -> int:
    """In which fold a document is, by the hash of its name."""
    return hashlib.sha256(document.encode()).digest()[1] % FOLDS


def is_held_back(document: str) -> bool:
    """Whether the models of the verifier that are shipped were fitted without this document."""
    return fold_of(document) == 0


def is_fitted(document: str) -> bool:
    """Whether rules and readers were developed on this document: half of them, by the hash of the name."""
    return hashlib.sha256(document.encode()).digest()[0] % 2 == 0


def _first_half(names: set[str]) -> set[str]:
    """The documents that the retrieval weights were fitted on (bench.retrieval)."""
    ordered = sorted(names)
    return set(ordered[: len(ordered) // 2])


def _article(context: str) -> str:
    return context.rsplit("_", 1)[0]


def _pdfs(folder: Path) -> dict[str, Path]:
    return {path.name: path for path in sorted((folder / "pdfs").glob("*.pdf"))}


def _cells(table: Sequence[Sequence[object]]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple("" if cell is None else str(cell) for cell in row) for row in table)


def _inline(
    document: object, *, spans: Sequence[Sequence[int]] = (), quotes: Sequence[str] = ()
) -> tuple[GoldPlace, ...]:
    """Evidence inside an inline text."""
    if spans:
        return (GoldPlace(document=str(document), spans=tuple((a, b) for a, b in spans)),)
    return tuple(GoldPlace(document=str(document), quote=quote) for quote in quotes)


def _about(loader: Callable[..., GoldSet]) -> str:
    return (loader.__doc__ or "").split("\n")[0]


LOADERS: dict[str, Callable[[Path], GoldSet]] = {
    "samples": samples,
    "cuad": cuad,
    "ntsb": ntsb,
    "tatqa": tatqa,
    "contractnli": contractnli,
    "scifact": scifact,
    "scitab": scitab,
    "xquad_en": xquad,
}
_NEEDS = {
    "cuad": "cuad/queries.jsonl",
    "ntsb": "ntsb/gold.jsonl",
    "tatqa": "tatqa/dev_contexts.jsonl",
    "contractnli": "contractnli/dev_claims.jsonl",
    "scifact": "scifact/corpus.jsonl",
    "scitab": "scitab/scitab.jsonl",
    "xquad_en": "xquad_en/xquad_en.jsonl",
}
