"""The public claim sets as `check` items: the same dictionaries that a user would put into a JSON-lines file.

Split by document: the first half of the hash space is for fitting, the other half is reported. Nothing in the code or
in the model was chosen by looking at the reported half.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from grounded import locations

Label = Literal["supported", "contradicted", "not stated", "not supported"]


@dataclass(frozen=True, slots=True)
class Case:
    """A claim of a set with its gold label; group: the document it belongs to; kind: what the set says about it."""

    set: str
    id: str
    group: str
    item: dict[str, Any]
    label: Label
    kind: str = ""
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def for_fitting(self) -> bool:
        """Whether the document belongs to the half that models are fitted on."""
        return hashlib.sha256(self.group.encode()).digest()[0] % 2 == 0


def rows(name: str) -> list[dict[str, Any]]:
    """A JSON-lines file of the shared bench folder."""
    path = shared() / "bench" / name
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def shared() -> Path:
    """The shared folder, found from any working directory inside the checkout."""
    folder = locations.shared()
    return folder if folder.is_absolute() or folder.is_dir() else Path(__file__).parents[1] / folder


def tatqa() -> Iterator[Case]:
    """Numeric claims on a table with its paragraphs: 'question — value'."""
    contexts = {c["context_id"]: c for c in rows("tatqa/dev_contexts.jsonl")}
    for row in rows("tatqa/dev_numeric_claims.jsonl"):
        context = contexts[row["context_id"]]
        text = "\n".join(p["text"] for p in context["paragraphs"])
        item = {"claim": row["claim"], "table": context["table"], "text": text}
        label: Label = "supported" if row["label"] == "supported" else "not supported"
        yield Case("tatqa " + row["kind"], row["id"], row["context_id"], item, label, row["perturbation"] or "true")


def contractnli() -> Iterator[Case]:
    """Seventeen statements about each of the non-disclosure agreements."""
    texts = {d["doc_id"]: d["text"] for d in rows("contractnli/dev_docs.jsonl")}
    labels: dict[str, Label] = {
        "Entailment": "supported",
        "Contradiction": "contradicted",
        "NotMentioned": "not stated",
    }
    for row in rows("contractnli/dev_claims.jsonl"):
        item = {"claim": row["claim"], "text": texts[row["doc_id"]]}
        extra = {"spans": row["evidence_spans"], "hypothesis": row["hypothesis_key"]}
        yield Case(
            "contractnli", row["id"], str(row["doc_id"]), item, labels[row["label"]], row["hypothesis_key"], extra
        )


def scifact() -> Iterator[Case]:
    """Scientific claims, each with the abstract it cites."""
    corpus = {d["doc_id"]: d for d in rows("scifact/corpus.jsonl")}
    labels: dict[str, Label] = {"SUPPORT": "supported", "CONTRADICT": "contradicted"}
    for row in rows("scifact/claims_train.jsonl"):
        for cited in row["cited_doc_ids"]:
            found = [e for e in row["evidence"] if e["doc_id"] == cited]
            abstract = corpus[cited]
            item = {
                "claim": row["claim"],
                "text": " ".join([abstract["title"], *(s.strip() for s in abstract["abstract"])]),
            }
            label = labels[found[0]["label"]] if found else "not stated"
            extra = {"sentences": [abstract["abstract"][i] for e in found for i in e["sentences"]]}
            yield Case("scifact", f"{row['id']}:{cited}", cited, item, label, "", extra)


def scitab() -> Iterator[Case]:
    """Claims on tables of papers; the two decided classes."""
    labels: dict[str, Label] = {"supports": "supported", "refutes": "contradicted"}
    for row in (r for r in rows("scitab/scitab.jsonl") if r["label"] in labels):
        table = [row["table_column_names"], *row["table_content_values"]]
        item = {"claim": row["claim"], "table": table, "caption": row["table_caption"]}
        yield Case("scitab", row["id"], row["paper_id"], item, labels[row["label"]])


def ntsb() -> Iterator[Case]:
    """Claims on accident reports: true, another report's value, a digit edited. Blank fields have questions only."""
    labels: dict[str, Label] = {"supported": "supported", "not_supported": "not supported", "not_stated": "not stated"}
    for row in (r for r in rows("ntsb/gold.jsonl") if r["claim"]):
        item = {"claim": row["claim"], "document": str(shared() / "bench/ntsb/pdfs" / row["doc"])}
        yield Case("ntsb", row["id"], row["doc"], item, labels[row["label"]], row["kind"])


SETS = {"tatqa": tatqa, "ntsb": ntsb, "contractnli": contractnli, "scitab": scitab, "scifact": scifact}
