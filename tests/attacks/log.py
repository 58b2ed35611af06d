"""A small writer of the log format, apart from the project's own and deterministic: what SPEC.md says, nothing more.

Also the toolbox of the attackers: some of them can recompute chains, some hold a key.
"""

from __future__ import annotations

import base64
import copy
import hashlib
import json
import random
from collections.abc import Sequence
from typing import Any

from grounded.audit.keys import Signer

ZERO = "0" * 64
DOMAIN = b"grounded-audit/content/v1\x00"
ORIGIN = "grounded.example/log/attacks"
Span = dict[str, Any]


def canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def body_hash(prev: str, span: Span) -> str:
    body = {key: value for key, value in span.items() if key not in ("prev_hash", "this_hash")}
    return hashlib.sha256(prev.encode() + canonical(body)).hexdigest()


def rechain(spans: Sequence[Span], first: str = ZERO) -> list[Span]:
    """The spans with every hash computed anew: what anybody who can write files can do."""
    done, prev = [], first
    for span in spans:
        fresh = {**span, "prev_hash": prev, "this_hash": body_hash(prev, span)}
        done.append(fresh)
        prev = fresh["this_hash"]
    return done


def render(spans: Sequence[Span]) -> bytes:
    return b"".join(canonical(span) + b"\n" for span in spans)


def commit(salt: bytes, content: bytes) -> str:
    return hashlib.sha256(DOMAIN + salt + content).hexdigest()


def seal(trace_id: str, spans: Sequence[Span], status: str = "ok") -> dict[str, Any]:
    data = render(spans)
    hashes = [span["this_hash"] for span in spans]
    digest = hashlib.sha256(data).hexdigest()
    fields = {"n": len(spans), "spans": hashes, "bytes": len(data), "file_sha256": digest}
    return {"kind": "trace.close", "trace_id": trace_id, "status": status, **fields}


def merkle_root(leaves: Sequence[bytes]) -> bytes:
    """RFC 6962, recursively, as the paper has it."""
    if len(leaves) == 1:
        return hashlib.sha256(b"\x00" + leaves[0]).digest()
    k = 1 << ((len(leaves) - 1).bit_length() - 1)
    return hashlib.sha256(b"\x01" + merkle_root(leaves[:k]) + merkle_root(leaves[k:])).digest()


def checkpoint(origin: str, size: int, root: bytes) -> bytes:
    return f"{origin}\n{size}\n{base64.b64encode(root).decode()}\n".encode()


def note(signer: Signer, size: int, root: bytes) -> bytes:
    text = checkpoint(signer.key.name, size, root)
    mark = base64.b64encode(signer.key.key_id + signer.sign(text)).decode()
    return text + f"\n— {signer.key.name} {mark}\n".encode()


def cosignature(text: bytes, seconds: int = 1795530000) -> bytes:
    """The line of a witness whose key is known: a verifier need not know it."""
    witness = Signer("witness.example", b"a witness on another machine !!!")
    key_id = hashlib.sha256(b"witness.example\n\x04" + witness.key.public).digest()[:4]
    signature = witness.sign(f"cosignature/v1\ntime {seconds}\n".encode() + text)
    mark = base64.b64encode(key_id + seconds.to_bytes(8, "big") + signature).decode()
    return f"— witness.example {mark}\n".encode()


class Model:
    """A whole log in memory: traces, content and ledger entries without seq. `files` signs and renders it."""

    def __init__(self, seed: int, signer: Signer | None = None) -> None:
        self.random = random.Random(seed)
        self.signer = signer or Signer(ORIGIN, self.random.randbytes(32))
        self.later = Signer(self.signer.key.name, self.random.randbytes(32))
        self.traces: dict[str, list[Span]] = {}
        self.content: dict[str, bytes] = {}
        self.tokens: dict[str, bytes] = {}
        self.entries: list[dict[str, Any]] = []
        genesis = {"origin": self.signer.key.name, "key": str(self.signer.key), "profile": "grounded-audit/1"}
        self.add({"kind": "log.genesis", **genesis})

    def copy(self) -> Model:
        return copy.deepcopy(self, {id(self.signer): self.signer, id(self.later): self.later})

    def add(self, entry: dict[str, Any]) -> None:
        minute = len(self.entries)
        self.entries.append({"time": f"2026-11-24T14:{minute:02d}:00.000000Z", **entry})

    def keep(self, value: Any) -> dict[str, Any]:
        """Keep a value beside the log; its place in the span."""
        salt, content = self.random.randbytes(32), canonical(value)
        digest = commit(salt, content)
        self.content[digest] = salt + content
        return {"$commit": digest, "bytes": len(content)}

    def run(self, trace_id: str, spans: Sequence[Span]) -> None:
        """A whole run: opened, written, closed."""
        self.traces[trace_id] = rechain(spans)
        self.add({"kind": "trace.open", "trace_id": trace_id})
        self.add(seal(trace_id, self.traces[trace_id]))

    def reseal(self) -> None:
        """Make every seal fit its trace: what the holder of the key can do."""
        for index, entry in enumerate(self.entries):
            if entry["kind"] == "trace.close":
                fresh = seal(entry["trace_id"], self.traces[entry["trace_id"]])
                self.entries[index] = {"time": entry["time"], **fresh, "status": entry["status"]}

    def lines(self) -> list[bytes]:
        return [canonical({"seq": seq, **entry}) for seq, entry in enumerate(self.entries)]

    def notes(self) -> list[bytes]:
        """A checkpoint for every entry; after a key.rotate entry the later key signs."""
        lines, made, signer = self.lines(), [], self.signer
        for size in range(1, len(lines) + 1):
            made.append(note(signer, size, merkle_root(lines[:size])))
            if self.entries[size - 1]["kind"] == "key.rotate":
                signer = self.later
        return made

    def files(self) -> dict[str, bytes]:
        rendered = {f"{trace_id}.jsonl": render(spans) for trace_id, spans in self.traces.items()}
        rendered |= {f"content/{digest}": blob for digest, blob in self.content.items()}
        rendered |= {f"ledger/tokens/{digest}": token for digest, token in self.tokens.items()}
        rendered["ledger/entries.jsonl"] = b"".join(line + b"\n" for line in self.lines())
        rendered["ledger/checkpoints"] = b"".join(self.notes())
        return rendered


def spans(model: Model, trace_id: str, question: str, answer: str) -> list[Span]:
    """A run of five spans with something for every attack: numbers, accents, escapes, kept values."""

    def span(index: int, name: str, input: dict[str, Any], output: dict[str, Any], reasoning: str) -> Span:
        times = {"start": f"2026-11-24T14:14:0{index}.000000Z", "end": f"2026-11-24T14:14:0{index}.250000Z"}
        ids = {"span_id": f"{trace_id}-s{index}", "parent_id": f"{trace_id}-s0" if index else None}
        return {
            "trace_id": trace_id,
            "name": name,
            **ids,
            **times,
            "input": input,
            "output": output,
            "reasoning": reasoning,
        }

    scores = {"cosine": 0.8731, "rank": 1, "trimmed": 0, "tiny": 1e-07}
    reply = {"answer": answer, "scores": scores, "raw": model.keep(f"{answer} {'x' * 64}"), "tokens": 412}
    return [
        span(0, "ask", {"question": question, "actor": "analyst-7", "$log": model.signer.key.name}, {}, "café, naïve"),
        span(1, "retrieve", {"question": question}, {"hits": [{"chunk": "c1", "cosine": 0.8731}]}, "fused ranks"),
        span(2, "generate", {"sources": ["S1"], "prompt": model.keep(question)}, reply, "quoted S1"),
        span(3, "verify", {"claims": ["c1"]}, {"verdicts": [{"grounded": True, "confidence": 0.98}]}, "verbatim"),
        span(4, "assemble", {"claims": ["c1"]}, {"answer": {"answer": answer, "status": "answered"}}, "1 of 1"),
    ]


def base() -> Model:
    """The untouched log: three runs, ten ledger entries."""
    model = Model(seed=20261124)
    for trace_id, question, answer in (
        ("A", "What is the expense ratio?", "The expense ratio of café fund is 0.03%."),
        ("B", "What is the yield?", "The yield is 1.2%."),
        ("C", "Who is the custodian?", "The custodian is Example Trust."),
    ):
        model.run(trace_id, spans(model, trace_id, question, answer))
    model.add({"kind": "heartbeat", "dropped_writes": 0})
    model.add({"kind": "audit", "action": "export", "actor": "auditor-1", "trace_id": "A"})
    model.add({"kind": "heartbeat", "dropped_writes": 0})
    return model
