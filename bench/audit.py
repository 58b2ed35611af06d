"""Speed of the audit log: `python -m bench.audit [SPANS]` (default 100,000 spans of 4 KB).

Ratios against floors measured in the same run, interleaved, since machines are noisy:
naive = each line into a pydantic model, dumped, hashed; floor = json.loads + SHA-256 alone. CPU seconds.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from grounded.audit.verify import verify
from grounded.audit.writer import AuditLog
from grounded.settings import AuditSettings
from tests.attacks.log import rechain, render

PARTS = 10  # the file is read in parts by each candidate in turn


class Span(BaseModel):
    """The span as the paper has it."""

    span_id: str
    parent_id: str | None
    trace_id: str
    name: str
    start: str
    end: str
    input: dict[str, Any]
    output: dict[str, Any]
    reasoning: str
    prev_hash: str
    this_hash: str


def make_file(folder: Path, spans: int, *, accents: float = 0.01) -> Path:
    """A canonical trace of spans of about 4 KB: hits with ids, scores and text. accents: share of words with one."""
    chance = random.Random(11)
    plain = "the expense ratio of its benchmark yield total net assets in thousands percent".split()  # noqa: SIM905
    words = [*plain * 100, *["fund’s", "café"] * round(accents * 50 * len(plain))]
    path, prev, trace_id = folder / "bench.jsonl", "0" * 64, "bench"
    with path.open("wb") as stream:
        for index in range(spans):
            hits = [
                {
                    "chunk_id": f"{chance.getrandbits(256):064x}",
                    "cosine": round(chance.random(), 6),
                    "retrieval_confidence": chance.random(),
                    "page": chance.randrange(1, 300),
                    "text": " ".join(chance.choices(words, k=62)),
                }
                for _ in range(6)
            ]
            span = {
                "span_id": f"s{index}",
                "parent_id": "s0" if index else None,
                "trace_id": trace_id,
                "name": "retrieve",
                "start": "2026-11-24T14:14:00.000000Z",
                "end": "2026-11-24T14:14:00.250000Z",
                "input": {"question": "What is the expense ratio?"},
                "output": {"hits": hits},
                "reasoning": "fused ranks",
            }
            done = rechain([span], prev)
            prev = done[0]["this_hash"]
            stream.write(render(done))
    return path


def naive(path: Path) -> bool:
    """A pydantic model per line."""
    prev = "0" * 64
    with path.open("rb") as stream:
        for line in stream:
            span = Span.model_validate_json(line)
            body = span.model_dump(exclude={"prev_hash", "this_hash"})
            text = prev + json.dumps(body, sort_keys=True, separators=(",", ":"))
            if span.prev_hash != prev or hashlib.sha256(text.encode()).hexdigest() != span.this_hash:
                return False
            prev = span.this_hash
    return True


def floor(path: Path) -> bool:
    """What no verifier can do without."""
    with path.open("rb") as stream:
        for line in stream:
            json.loads(line)
            hashlib.sha256(line).hexdigest()
    return True


def fast(path: Path) -> bool:
    """Ours, every check on."""
    return verify(path).verdict == "intact"


def cpu(work: Callable[[Path], bool], path: Path) -> float:
    """CPU seconds of one pass, which must succeed."""
    began = time.process_time()
    if not work(path):
        raise SystemExit(f"{work.__name__} did not accept the file")
    return time.process_time() - began


def verifying(folder: Path, spans: int, accents: float) -> dict[str, float]:
    """Time of each candidate over the same spans, in turn, part by part."""
    part = make_file(folder, spans // PARTS, accents=accents)
    times: dict[str, list[float]] = {"naive": [], "floor": [], "fast": []}
    for _ in range(PARTS):
        for work in (naive, floor, fast):
            times[work.__name__].append(cpu(work, part))
    total = {name: sum(found) for name, found in times.items()}
    return {
        "spans": spans,
        "bytes_per_span": round(part.stat().st_size / (spans // PARTS)),
        **{f"{name}_cpu_s": round(seconds, 2) for name, seconds in total.items()},
        "fast_over_naive": round(total["fast"] / total["naive"], 3),
        "fast_over_floor": round(total["fast"] / total["floor"], 3),
    }


def memory(folder: Path, spans: int) -> dict[str, float]:
    """Peak resident MB of `verify-log` on one file with all the spans, and sealed in a folder with its ledger."""
    path, log_state = make_file(folder, spans), folder / "state"
    alone = _peak_mb(["verify-log", str(path), "--json"], log_state)
    path.unlink()
    log = AuditLog(folder / "traces", state=log_state, settings=AuditSettings(), files=_Quick())
    with log.open("ask", {"question": "q"}) as trace:
        text = "y" * 3500
        for index in range(spans):
            trace.span("retrieve", {"n": index}, {"text": text}, start=0.0, end=0.0)
    return {"file_mb": alone, "folder_mb": _peak_mb(["verify-log", str(folder / "traces"), "--json"], log_state)}


def _peak_mb(words: list[str], state: Path) -> float:
    """Of the process itself: getrusage would count the memory of the one that started it."""
    code = (
        "import re, sys; from grounded.cli import main; code = main(sys.argv[1:]);"
        "print(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1], file=sys.stderr); sys.exit(code)"
    )
    known = {**os.environ, "GROUNDED_STATE": str(state)}
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True, env=known)
    return round(int(done.stderr.split()[-1]) / 1024, 1)


def _Quick() -> Any:  # noqa: N802 — the tests' file layer, loaded only here
    from tests.audit.logs import Quick

    return Quick()


def writing(folder: Path, answers: int = 30) -> dict[str, float]:
    """Milliseconds a sealed answer of six spans costs, every fsync included; and of one fsync, for comparison."""
    log = AuditLog(folder / "write", state=folder / "write-state", settings=AuditSettings())
    costs = []
    for number in range(answers + 1):
        began = time.perf_counter()
        with log.open("ask", {"question": "What is the expense ratio?", "number": number}) as trace:
            for name in ("retrieve", "rerank", "context", "generate", "verify"):
                trace.span(name, {"q": "x"}, {"hits": ["y" * 400] * 6}, "because", start=0.0, end=0.0)
        costs.append((time.perf_counter() - began) * 1000)
    first, rest = costs[0], costs[1:]
    return {
        "answer_ms_median": round(statistics.median(rest), 1),
        "answer_ms_worst": round(max(rest), 1),
        "first_answer_ms": round(first, 1),
        "fsync_ms_median": round(_fsync_ms(folder), 2),
    }


def _fsync_ms(folder: Path) -> float:
    from grounded.audit.files import Files, append

    files, found = Files(), []
    descriptor = files.create(folder / "probe")
    for _ in range(50):
        began = time.perf_counter()
        append(files, descriptor, b"x" * 2000)
        found.append((time.perf_counter() - began) * 1000)
    return statistics.median(found)


def starting(folder: Path) -> dict[str, float]:
    """Milliseconds `verify-log` on a small file takes above a bare interpreter (median of pairs)."""
    path = make_file(folder, 10)
    pairs = []
    for _ in range(9):
        bare = _wall_ms(["-c", "pass"])
        pairs.append(_wall_ms(["-m", "grounded", "verify-log", str(path), "--json"]) - bare)
    return {"start_ms_above_bare": round(statistics.median(pairs), 1)}


def _wall_ms(words: list[str]) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, *words], capture_output=True, check=True)
    return (time.perf_counter() - began) * 1000


def main(argv: list[str] | None = None) -> dict[str, dict[str, float]]:
    """Measure everything and print it as JSON."""
    words = sys.argv[1:] if argv is None else argv
    spans = int(words[0]) if words else 100_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = {
            "verifying": verifying(folder, spans, accents=0.01),
            "verifying_many_accents": verifying(folder, spans // 4, accents=0.15),
            "memory": memory(folder, spans),
            "writing": writing(folder),
            "starting": starting(folder),
        }
    print(json.dumps(found, indent=1))
    return found


if __name__ == "__main__":
    main()
