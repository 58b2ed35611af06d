"""Write the attack suite down as data: `python -m tests.attacks.make` (deterministic; the tests check that the data is
what this script gives).

data/base: the untouched log (as files of a traces folder). data/log.vkey: its public key. data/pin.json: its checkpoint
as a verifier remembers it. data/cases/ID/expected.json: what was attacked and the verdict at each level, how to make
what cannot be kept as a file (removed, special, pad), and the control. data/cases/ID/files: the changed files.

The control proves that the edit landed: for every file that differs from the base its SHA-256 before and after, and
what a plain hash-chain check, which is all many logs have, says about the attacked trace.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

from tests.attacks.attacks import CASES, Case
from tests.attacks.expected import EXPECTED
from tests.attacks.log import ZERO, body_hash, merkle_root
from tests.attacks.suite import DATA

TARGETS = {"A55": "F.jsonl", "L07": "E.jsonl", **dict.fromkeys(("X70", "L08", "L09", "L12", "L16", "L18"), "D.jsonl")}


def plain_chain(data: bytes | None) -> str:
    """What a plain chain check says: parse each line, recompute its hash, compare. Nothing else."""
    if data is None:
        return "no file"
    prev = ZERO
    try:
        for line in data.decode().splitlines():
            span = json.loads(line)
            if span["prev_hash"] != prev or body_hash(prev, span) != span["this_hash"]:
                return "rejects"
            prev = span["this_hash"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return "rejects"
    return "accepts"


def digest(data: bytes | None) -> str | None:
    return None if data is None else hashlib.sha256(data).hexdigest()


def facts(case_id: str, title: str, made: Case, base: dict[str, bytes]) -> dict[str, Any]:
    target = TARGETS.get(case_id, "A.jsonl")
    differs = sorted(name for name in base.keys() | made.files.keys() if base.get(name) != made.files.get(name))
    changes = {name: {"before": digest(base.get(name)), "after": digest(made.files.get(name))} for name in differs}
    control: dict[str, Any] = {"sha256": changes, "plain_chain": plain_chain(made.files.get(target))}
    return {
        "id": case_id,
        "attack": title,
        "target": target,
        "verdicts": {level: parse(text) for level, text in EXPECTED[case_id].items()},
        "removed": sorted(base.keys() - made.files.keys()),
        "special": made.special,
        "pad": {name: list(value) for name, value in made.pad.items()},
        "control": control,
    }


def parse(text: str) -> dict[str, Any]:
    """`T code @ file:line` as JSON: the verdict and the first finding that matters."""
    mark, _, rest = text.partition(" ")
    verdict = {"ok": "intact", "T": "tampered", "?": "not_judged", "no": "no_file"}[mark]
    if "@" not in rest:
        return {"verdict": verdict}
    code, _, place = rest.partition(" @ ")
    name, _, line = place.partition(":")
    files = {"cp": "ledger/checkpoints", "ledger": "ledger/entries.jsonl" if line else "ledger"}
    name = files.get(name, name if "." in name or "/" in name else f"{name}.jsonl")
    return {"verdict": verdict, "code": code, "file": name, "line": int(line) if line else None}


def write(folder: Path) -> None:
    """The whole suite into `folder`."""
    untouched = Case()
    for name, data in untouched.files.items():
        put(folder / "base" / name, data)
    put(folder / "log.vkey", f"{untouched.model.signer.key}\n".encode())
    root = merkle_root(untouched.model.lines()).hex()
    pin = {"origin": untouched.model.signer.key.name, "size": len(untouched.model.entries), "root": root}
    put(folder / "pin.json", as_json(pin))
    for case_id, (title, change) in CASES.items():
        made = Case()
        change(made)
        known = facts(case_id, title, made, untouched.files)
        put(folder / "cases" / case_id / "expected.json", as_json(known))
        for name in known["control"]["sha256"]:
            if name in made.files:
                put(folder / "cases" / case_id / "files" / name, made.files[name])


def as_json(value: Any) -> bytes:
    return (json.dumps(value, indent=1, sort_keys=True) + "\n").encode()


def put(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


if __name__ == "__main__":
    shutil.rmtree(DATA, ignore_errors=True)
    write(DATA)
