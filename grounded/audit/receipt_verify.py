"""Check a receipt of the audit log. Standard library only; needs nothing else of this project.

    python receipt_verify.py RECEIPT.zip KEY        KEY: the log's verifier key (name+id+base64) or a file with it

Exit 0: the receipt holds. 1: it does not. 2: usage. What must hold, in this order (SPEC.md §7):
1 the zip is byte for byte the one its files make, so nothing hides between them;
2 the checkpoint is signed by KEY (Ed25519, RFC 8032);
3 the entry is in the log: its inclusion proof leads to the checkpoint's root (RFC 9162 §2.1.3.2);
4 the entry closes a trace, and every span shown is the one it names; of a withheld span only its hash is shown;
5 every content shown is one that a span shown commits to.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import sys
import zipfile
from pathlib import Path
from typing import Any

P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
DOMAIN, ZERO = b"grounded-audit/content/v1\x00", "0" * 64
NAMES = {"checkpoint", "entry.json", "proof.json", "trace.jsonl"}
Point = tuple[int, int, int, int]


def need(holds: object, otherwise: str) -> None:
    """One condition of the list above."""
    if not holds:
        raise ValueError(otherwise)


def point(data: bytes) -> Point:
    """A curve point in its one spelling. RFC 8032 §5.1.3."""
    number = int.from_bytes(data, "little")
    y, sign = number & (1 << 255) - 1, number >> 255
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x if x * x % P == square else x * pow(2, (P - 1) // 4, P) % P
    need(len(data) == 32 and y < P and x * x % P == square and (x or not sign), "not a point of the curve")
    x = x if x & 1 == sign else P - x
    return x, y, 1, x * y % P


def add(p: Point, q: Point) -> Point:
    """p + q in extended coordinates. RFC 8032 §5.1.4."""
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(scalar: int, p: Point) -> Point:
    """scalar · p."""
    total = (0, 1, 1, 0)
    while scalar:
        total, p, scalar = add(total, p) if scalar & 1 else total, add(p, p), scalar >> 1
    return total


BASE = point((4 * pow(5, -1, P) % P).to_bytes(32, "little"))


def ed25519(public: bytes, signature: bytes, message: bytes) -> bool:
    """Whether a signature holds. RFC 8032 §5.1.7 without cofactor; s below the group order."""
    try:
        r, a, s = point(signature[:32]), point(public), int.from_bytes(signature[32:], "little")
    except ValueError:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % L
    left, right = times(s, BASE), add(r, times(k, a))
    same = all((left[i] * right[2] - right[i] * left[2]) % P == 0 for i in (0, 1))
    return same and len(signature) == 64 and s < L


def canonical(value: Any) -> bytes:
    """JSON in its one spelling."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def strict(data: bytes) -> Any:
    """What canonical JSON says: no double keys, no other spelling of a number or a letter."""
    value = json.loads(data)
    need(canonical(value) == data, "not canonical JSON")
    return value


def unbase64(text: str) -> bytes:
    """Base64 in its one spelling."""
    data = base64.b64decode(text, validate=True)
    need(base64.b64encode(data).decode() == text, "base64 with spare bits")
    return data


def pack(files: dict[str, bytes]) -> bytes:
    """The zip that a receipt of these files is."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in sorted(files):
            archive.writestr(zipfile.ZipInfo(name), files[name])
    return out.getvalue()


def unpack(data: bytes) -> dict[str, bytes]:
    """1: the files of a receipt."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        need(sum(info.file_size for info in archive.infolist()) <= len(data), "the zip unpacks to more than it is")
        files = {info.filename: archive.read(info) for info in archive.infolist()}
    need(pack(files) == data, "the zip was altered")
    need(files.keys() >= NAMES and all(n.startswith("content/") for n in files.keys() - NAMES), "not a receipt's files")
    return files


def signed_root(note: bytes, key: str) -> tuple[int, bytes]:
    """2: the size and the root that the checkpoint vouches for."""
    name, key_id, public = key.split("+", 2)
    blob = unbase64(public)
    digest = hashlib.sha256(name.encode() + b"\n" + blob).digest()[:4]
    need(blob[0] == 1 and len(blob) == 33 and digest.hex() == key_id, "not a verifier key")
    text, _, mark = note.decode().partition("\n\n")
    need(mark.startswith(f"— {name} ") and mark.endswith("\n"), "a checkpoint of another log")
    signature = unbase64(mark.removeprefix(f"— {name} ")[:-1])
    need(signature[:4] == digest and ed25519(blob[1:], signature[4:], f"{text}\n".encode()), "wrong signature")
    origin, size, root = text.split("\n")
    need(origin == name, "a checkpoint of another log")
    return int(size), unbase64(root)


def root_of(leaf: bytes, index: int, size: int, proof: list[str]) -> bytes:
    """3: the root that an inclusion proof leads to."""
    node, last = hashlib.sha256(b"\x00" + leaf).digest(), size - 1
    need(type(index) is int and 0 <= index < size, "no such entry")
    for sibling in map(bytes.fromhex, proof):
        need(last, "the proof is too long")
        if index & 1 or index == last:
            node = hashlib.sha256(b"\x01" + sibling + node).digest()
            while not index & 1 and index:
                index, last = index >> 1, last >> 1
        else:
            node = hashlib.sha256(b"\x01" + node + sibling).digest()
        index, last = index >> 1, last >> 1
    need(last == 0, "the proof is too short")
    return node


def spans_of(data: bytes, entry: dict[str, Any]) -> list[Any]:
    """4: the spans, None where withheld, each held against the hash that the entry names."""
    *lines, end = data.split(b"\n")
    spans, hashes = [strict(line) for line in lines], entry["spans"]
    need(end == b"" and len(spans) == len(hashes) == entry["n"], "not the spans that were sealed")
    shown = [None if span == {"$redacted": sealed} else span for span, sealed in zip(spans, hashes, strict=True)]
    for span, before, sealed in zip(shown, [ZERO, *hashes], hashes, strict=False):
        if span is not None:
            body = canonical({key: value for key, value in span.items() if key not in ("prev_hash", "this_hash")})
            need(span["prev_hash"] == before and span["trace_id"] == entry["trace_id"], "a span was altered")
            need(
                span["this_hash"] == sealed == hashlib.sha256(before.encode() + body).hexdigest(), "a span was altered"
            )
    need(None in shown or hashlib.sha256(data).hexdigest() == entry["file_sha256"], "not the file that was sealed")
    return shown


def committed(value: Any) -> set[tuple[str, int]]:
    """Every commitment inside a value."""
    if isinstance(value, dict) and "$commit" in value:
        return {(value["$commit"], value["bytes"])}
    inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return set().union(*map(committed, inner))


def verify(data: bytes, key: str) -> tuple[dict[str, Any], list[Any], dict[str, bytes]]:
    """All of it: the entry, the spans (None where withheld), the contents shown. ValueError and the like if not."""
    files = unpack(data)
    size, root = signed_root(files["checkpoint"], key)
    entry, proof = strict(files["entry.json"]), strict(files["proof.json"])
    need(proof.keys() == {"index", "size", "hashes"} and proof["size"] == size, "a proof for another checkpoint")
    need(root_of(files["entry.json"], proof["index"], size, proof["hashes"]) == root, "the entry is not in the log")
    need(entry["kind"] == "trace.close" and entry["seq"] == proof["index"], "the entry closes no trace")
    spans = spans_of(files["trace.jsonl"], entry)
    known = committed([[span["input"], span["output"]] for span in spans if span is not None])
    contents = {name: blob for name, blob in files.items() if name not in NAMES}
    for name, blob in contents.items():
        digest = hashlib.sha256(DOMAIN + blob).hexdigest()
        need(name == f"content/{digest}" and (digest, len(blob) - 32) in known, "content that no span commits to")
    return entry, spans, contents


def main(args: list[str]) -> int:
    """Print what holds."""
    try:
        path, key = args
        data = Path(path).read_bytes()
        key = key if key.count("+") > 1 else Path(key).read_text("utf-8").split()[-1]
    except (OSError, ValueError, IndexError) as error:
        sys.stderr.write(f"{__doc__}\n{error}\n")
        return 2
    try:
        entry, spans, contents = verify(data, key)
    except Exception as error:  # noqa: BLE001 — whatever a forged file makes Python raise, it does not hold
        sys.stdout.write(f"DOES NOT HOLD: {ascii(str(error))[:200]} ({type(error).__name__})\n")
        return 1
    shown = f"{len(spans) - spans.count(None)} of {len(spans)} spans and {len(contents)} contents shown"
    sys.stdout.write(
        f"HOLDS: trace {entry['trace_id']}, status {entry['status']}, closed {entry['time']}; {shown}\n"
        f"signed by {key}\nIt proves what was recorded and that it is unchanged since, not that it is true.\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
