"""What each attacker does. `CASES` maps a case's id to the change it makes; make.py writes the cases down.

Letters A: the rows of the design's attacks.csv. Letters X: more of the same kinds. Letter L: lawful states, which must
not be called tampering.
"""

from __future__ import annotations

import base64
import hashlib
import json
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from grounded.audit.keys import Signer
from tests.attacks.log import (
    Model,
    Span,
    base,
    body_hash,
    canonical,
    checkpoint,
    commit,
    cosignature,
    merkle_root,
    note,
    rechain,
    render,
    seal,
    spans,
)

ENTRIES, CHECKPOINTS = "ledger/entries.jsonl", "ledger/checkpoints"
A, B, C = "A.jsonl", "B.jsonl", "C.jsonl"


@dataclass
class Case:
    """A copy of the base log to be changed. special: names that become a symlink, FIFO or folder; pad: name -> (line,
    number of spaces put before its last brace), for lines too long to keep as data."""

    model: Model = field(default_factory=base)
    files: dict[str, bytes] = field(default_factory=dict)
    special: dict[str, str] = field(default_factory=dict)
    pad: dict[str, tuple[int, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.files = self.model.files()

    # ---- bytes

    def lines(self, name: str = A) -> list[bytes]:
        return self.files[name].split(b"\n")[:-1]

    def put(self, lines: list[bytes], name: str = A) -> None:
        self.files[name] = b"".join(line + b"\n" for line in lines)

    def line(self, number: int, change: Callable[[bytes], bytes], name: str = A) -> None:
        lines = self.lines(name)
        changed = change(lines[number - 1])
        assert changed != lines[number - 1], "the edit did not land"
        lines[number - 1] = changed
        self.put(lines, name)

    def swap(self, number: int, old: bytes, new: bytes, name: str = A) -> None:
        def change(line: bytes) -> bytes:
            assert old in line, f"nothing to change: {old!r}"
            return line.replace(old, new, 1)

        self.line(number, change, name)

    # ---- spans

    def spans(self, name: str = A) -> list[Span]:
        return [json.loads(line) for line in self.lines(name)]

    def rehash(self, number: int, change: Callable[[Span], Any], name: str = A) -> None:
        """Change a span and recompute the whole chain."""
        found = self.spans(name)
        change(found[number - 1])
        self.files[name] = render(rechain(found))

    # ---- the ledger

    def notes(self) -> list[bytes]:
        lines = self.files[CHECKPOINTS].split(b"\n")[:-1]
        return [b"\n".join(lines[i : i + 5]) + b"\n" for i in range(0, len(lines), 5)]

    def put_notes(self, notes: list[bytes]) -> None:
        self.files[CHECKPOINTS] = b"".join(notes)

    def resign(self, change: Callable[[Model], Any]) -> None:
        """The insider: change the model, sign everything anew."""
        change(self.model)
        self.files = self.model.files()


Attack = Callable[[Case], Any]
CASES: dict[str, tuple[str, Attack]] = {}


def attack(case_id: str, title: str) -> Callable[[Attack], Attack]:
    def register(function: Attack) -> Attack:
        CASES[case_id] = (title, function)
        return function

    return register


def case(case_id: str, title: str, function: Attack) -> None:
    CASES[case_id] = (title, function)


def flip(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def digit(text: str) -> str:
    return "0" if text != "0" else "1"


def edit(number: int, old: bytes, new: bytes, name: str = A) -> Attack:
    return lambda c: c.swap(number, old, new, name)


def answer(span: Span, text: str) -> None:
    span["output"]["answer"] = text


# ---------------------------------------------------------------- bytes of a line

case("A01", "flip one byte of an answer", edit(3, b"0.03%", b"0.13%"))


@attack("A02", "flip a digit of this_hash")
def _(c: Case) -> None:
    this = c.spans()[2]["this_hash"]
    c.swap(3, this.encode(), (digit(this[0]) + this[1:]).encode())


@attack("A03", "flip a digit of prev_hash")
def _(c: Case) -> None:
    prev = c.spans()[2]["prev_hash"]
    c.swap(3, prev.encode(), (digit(prev[0]) + prev[1:]).encode())


@attack("A04", "swap two lines")
def _(c: Case) -> None:
    lines = c.lines()
    c.put([*lines[:2], lines[3], lines[2], lines[4]])


case("A05", "delete a middle line", lambda c: c.put(c.lines()[:2] + c.lines()[3:]))
case("A06", "delete the first line", lambda c: c.put(c.lines()[1:]))
case("A07", "truncate the tail by one line", lambda c: c.put(c.lines()[:-1]))
case("A08", "truncate to an empty file", lambda c: c.put([]))
case("A09", "delete a whole trace file", lambda c: c.files.pop(A))


def forged(c: Case, name: str = A) -> Span:
    last = c.spans(name)[-1]
    fresh = {**last, "span_id": "forged", "prev_hash": last["this_hash"], "reasoning": "forged"}
    return {**fresh, "this_hash": body_hash(last["this_hash"], fresh)}


case("A10", "append a forged, well chained line", lambda c: c.put([*c.lines(), canonical(forged(c))]))


@attack("A11", "insert a forged line, rechain the rest")
def _(c: Case) -> None:
    found = c.spans()
    c.files[A] = render(rechain([*found[:2], {**found[2], "span_id": "forged"}, *found[2:]]))


@attack("A12", "edit, recompute that line only")
def _(c: Case) -> None:
    span = c.spans()[2]
    answer(span, "The expense ratio is 0.30%.")
    c.line(3, lambda _: canonical({**span, "this_hash": body_hash(span["prev_hash"], span)}))


case("A14", "duplicate the last line", lambda c: c.put([*c.lines(), c.lines()[-1]]))
case("A15", "duplicate key, forged value first (last wins)", edit(3, b'"answer":', b'"answer":"0.30%","answer":'))
case("A16", "duplicate key spelled with an escape", edit(3, b'"answer":', b'"\\u0061nswer":"0.30%","answer":'))
case("A18", "unicode NFC to NFD", edit(3, b"caf\\u00e9", canonical(unicodedata.normalize("NFD", "café"))[1:-1]))
case("A19", "homoglyph (Cyrillic a)", edit(3, b"ratio", b"r\\u0430tio"))
case("A20", "bidi override inserted", edit(3, b"0.03%", b"\\u202e0.03%"))
case("A21", "NaN for a number", edit(3, b"0.8731", b"NaN"))
case("A22", "1e999 (parses to Infinity)", edit(3, b"0.8731", b"1e999"))
case("A23", "-0 for 0", edit(3, b'"trimmed":0', b'"trimmed":-0'))
case("A24", "-0.0 for 0", edit(3, b'"trimmed":0', b'"trimmed":-0.0'))
case("A25", "1.0 for 1", edit(3, b'"rank":1', b'"rank":1.0'))
case("A26", "score respelled 8.731e-1", edit(3, b"0.8731", b"8.731e-1"))
case("A28", "integer beyond 2^53, rehashed", lambda c: c.rehash(3, lambda s: s["output"].update(tokens=2**53 + 1)))
case("A29", "trailing space on a line", lambda c: c.line(3, lambda line: line + b" "))
case("A30", "space inside a line", edit(3, b'"answer":', b'"answer": '))
case("A31", "keys in another order", lambda c: c.line(3, lambda line: respell(line, sort=False)))
case("A32", "CRLF line ends", lambda c: c.put([line + b"\r" for line in c.lines()]))
case("A33", "BOM at the start", lambda c: c.line(1, lambda line: b"\xef\xbb\xbf" + line))
case("A34", "blank line inserted", lambda c: c.put([*c.lines()[:2], b"", *c.lines()[2:]]))
case("A35", "ASCII spelled as \\u0061", edit(3, b'"answer":"The', b'"answer":"\\u0054he'))
case("A37", "an escaped letter respelled as UTF-8", edit(3, b"caf\\u00e9", "café".encode()))
case("A38", "file re-encoded as UTF-16", lambda c: c.files.update({A: c.files[A].decode().encode("utf-16")}))
case("A39", "invalid UTF-8 byte", edit(3, b"0.03%", b"0.03\xff"))
case("A41", "UTF-8 encoded surrogate", edit(3, b"0.03%", b"0.03\xed\xa0\x80"))
case("A42", "lone surrogate escape", edit(3, b"0.03%", b"0.03\\ud800"))
case("A43", "raw control byte in a string", edit(3, b"0.03%", b"0.03\x01"))
case("A44", "extra field, rehashed", lambda c: c.rehash(3, lambda s: s.update(note="forged")))
case("A45", "field dropped, rehashed", lambda c: c.rehash(3, lambda s: s.pop("reasoning")))


@attack("A46", "hash in upper case")
def _(c: Case) -> None:
    this = c.spans()[2]["this_hash"]
    c.swap(3, this.encode(), this.upper().encode())


case("A47", "genesis prev_hash changed, rechained", lambda c: c.files.update({A: render(rechain(c.spans(), "f" * 64))}))
case("A48", "CRASH: torn last line", lambda c: c.files.update({A: c.files[A][:-40]}))
case("A49", "CRASH: last newline missing", lambda c: c.files.update({A: c.files[A][:-1]}))


@attack("A50", "CRASH: torn line then a later record fused on it")
def _(c: Case) -> None:
    lines = c.lines()
    c.put([*lines[:3], lines[3][:50] + lines[4]])


@attack("A51", "CRASH: zero filled tail (ext4 after power loss)")
def _(c: Case) -> None:
    whole = b"".join(line + b"\n" for line in c.lines()[:4])
    c.files[A] = whole + b"\x00" * (len(c.files[A]) - len(whole))


@attack("A52", "two writers interleaved on one file (fork)")
def _(c: Case) -> None:
    found = c.spans()
    other = {**found[3], "span_id": "fork", "prev_hash": found[2]["this_hash"]}
    other["this_hash"] = body_hash(found[2]["this_hash"], other)
    c.files[A] = render([*found[:4], other, found[4]])


# ---------------------------------------------------------------- whole traces


@attack("A54", "old trace renamed")
def _(c: Case) -> None:
    c.files["Z.jsonl"] = c.files.pop(A)


@attack("A55", "trace replayed under another id, rehashed")
def _(c: Case) -> None:
    c.files["F.jsonl"] = render(rechain([{**span, "trace_id": "F"} for span in c.spans()]))


@attack("A56", "two trace files swapped")
def _(c: Case) -> None:
    c.files[A], c.files[B] = c.files[B], c.files[A]


@attack("A57", "answers of two traces exchanged, both rehashed")
def _(c: Case) -> None:
    first, second = c.spans(A)[2]["output"]["answer"], c.spans(B)[2]["output"]["answer"]
    c.rehash(3, lambda s: answer(s, second), A)
    c.rehash(3, lambda s: answer(s, first), B)


def moved_back(found: list[Span]) -> list[Span]:
    return rechain(
        [{**s, "start": s["start"].replace("-24T", "-17T"), "end": s["end"].replace("-24T", "-17T")} for s in found]
    )


case("A59", "backdated, rehashed", lambda c: c.files.update({A: render(moved_back(c.spans()))}))
case(
    "A60", "time zone dropped from a timestamp, rehashed", lambda c: c.rehash(3, lambda s: s.update(end=s["end"][:-1]))
)
case("A62", "parent_id points nowhere, rehashed", lambda c: c.rehash(4, lambda s: s.update(parent_id="nowhere")))
case("A63", "file replaced by a symlink", lambda c: c.special.update({A: "symlink"}))
case("A65", "directory in place of the file", lambda c: c.special.update({A: "folder"}))
case("A66", "FIFO in place of the file (reader hangs)", lambda c: c.special.update({A: "fifo"}))
case("A67", "stray file among the traces", lambda c: c.files.update({"A.jsonl.bak": c.files[A]}))
case("A68", "100 000 nested arrays in a line", edit(3, b'"tokens":412', b'"tokens":' + b"[" * 100_000 + b"]" * 100_000))


@attack("A70", "length extension of this_hash")
def _(c: Case) -> None:
    """SHA-256 padding after the body, then more: whoever knows only the hash can go on hashing."""
    body = {key: value for key, value in c.spans()[2].items() if key not in ("prev_hash", "this_hash")}
    length = 64 + len(canonical(body))
    padding = b"\x80" + b"\x00" * ((55 - length) % 64) + (8 * length).to_bytes(8, "big")
    c.line(3, lambda line: line + padding + b',"forged":true}')


# ---------------------------------------------------------------- the ledger

case("A71", "flip a byte of a ledger entry", edit(3, b":00.000000Z", b":00.000001Z", ENTRIES))
case("A72", "delete a ledger entry", lambda c: c.put(c.lines(ENTRIES)[:2] + c.lines(ENTRIES)[3:], ENTRIES))
case("A74", "truncate the ledger only", lambda c: c.put(c.lines(ENTRIES)[:-1], ENTRIES))


@attack("A75", "delete the ledger")
def _(c: Case) -> None:
    for name in (ENTRIES, CHECKPOINTS):
        c.files.pop(name)


case("A76", "delete the checkpoints", lambda c: c.files.pop(CHECKPOINTS))


def unsigned(c: Case, **entry: Any) -> bytes:
    seq = len(c.lines(ENTRIES))
    return canonical({"seq": seq, "time": "2026-11-24T14:59:00.000000Z", **entry})


@attack("A77", "append an unsigned ledger entry")
def _(c: Case) -> None:
    c.put([*c.lines(ENTRIES), unsigned(c, kind="heartbeat", dropped_writes=0)], ENTRIES)


@attack("A78", "flip a byte of a checkpoint signature")
def _(c: Case) -> None:
    notes = c.notes()
    at = len(notes[-1]) - 40
    flipped = b"A" if notes[-1][at : at + 1] != b"A" else b"B"
    c.put_notes([*notes[:-1], notes[-1][:at] + flipped + notes[-1][at + 1 :]])


case(
    "A80",
    "checkpoint text edited (size)",
    lambda c: c.put_notes([*c.notes()[:-1], c.notes()[-1].replace(b"\n10\n", b"\n11\n")]),
)


@attack("A81", "everything rebuilt and signed with the attacker's key")
def _(c: Case) -> None:
    c.model.signer = Signer(c.model.signer.key.name, b"attacker" * 4)
    c.model.entries[0]["key"] = str(c.model.signer.key)
    c.files = c.model.files()


@attack("A82", "checkpoint of another log of the same owner")
def _(c: Case) -> None:
    other = Signer("grounded.example/log/other", b"another log of the same owner!!!")
    c.put_notes([*c.notes()[:-1], note(other, 10, merkle_root(c.lines(ENTRIES)))])


@attack("A84", "inner tree node offered as an entry (second preimage)")
def _(c: Case) -> None:
    first, second, *rest = c.lines(ENTRIES)
    c.put([merkle_root([first]) + merkle_root([second]), *rest], ENTRIES)


@attack("A85", "consistent truncation: traces, ledger and checkpoints")
def _(c: Case) -> None:
    c.files.pop(C)
    for digest in list(c.model.content)[4:]:
        c.files.pop(f"content/{digest}")
    c.put(c.lines(ENTRIES)[:5], ENTRIES)
    c.put_notes(c.notes()[:5])


# ---------------------------------------------------------------- the insider


@attack("A87", "one answer changed, everything recomputed and re-signed")
def _(c: Case) -> None:
    def change(model: Model) -> None:
        answer(model.traces["A"][2], "The expense ratio is 0.30%.")
        model.traces["A"] = rechain(model.traces["A"])
        model.reseal()

    c.resign(change)


@attack("A88", "one trace left out, everything recomputed and re-signed")
def _(c: Case) -> None:
    def change(model: Model) -> None:
        model.traces.pop("B")
        for digest in list(model.content)[2:4]:
            model.content.pop(digest)
        left = [entry for entry in model.entries if entry.get("trace_id") != "B"]
        model.entries = []
        for entry in [*left, left[-1], left[-1]]:
            model.add({key: value for key, value in entry.items() if key != "time"})

    c.resign(change)


@attack("A89", "all times moved a week back, re-signed")
def _(c: Case) -> None:
    def change(model: Model) -> None:
        model.traces = {trace_id: moved_back(found) for trace_id, found in model.traces.items()}
        model.reseal()
        model.entries = [{**entry, "time": entry["time"].replace("-24T", "-17T")} for entry in model.entries]

    c.resign(change)


case("A91", "a run that is never logged at all", lambda c: None)


# ---------------------------------------------------------------- content beside the log


def kept(c: Case, index: int = 0) -> str:
    """The name of a kept value: 0 is the raw reply that line 3 of A commits to."""
    return f"content/{list(c.model.content)[index]}"


case("A92", "content behind a commitment altered", lambda c: c.files.update({kept(c): flip(c.files[kept(c)], 60)}))
case("A93", "content deleted without an erasure record", lambda c: c.files.pop(kept(c)))


def erasure(model: Model, trace_id: str = "A") -> str:
    digest = next(iter(model.content))
    model.add({"kind": "erasure", "trace_id": trace_id, "commits": [digest], "reason": "request 17", "actor": "dpo"})
    return digest


@attack("A94", "LAWFUL erasure (recorded)")
def _(c: Case) -> None:
    c.resign(lambda model: model.content.pop(erasure(model)))


@attack("A96", "two contents exchanged")
def _(c: Case) -> None:
    first, second = kept(c, 0), kept(c, 2)
    c.files[first], c.files[second] = c.files[second], c.files[first]


# ---------------------------------------------------------------- more of the same kinds


def respell(line: bytes, *, sort: bool = True, compact: bool = True, escape: bool = True) -> bytes:
    """The same JSON in another spelling."""
    value = json.loads(line)
    ordered = value if sort else {key: value[key] for key in sorted(value, reverse=True)}
    separators = (",", ":") if compact else None
    return json.dumps(ordered, sort_keys=sort, separators=separators, ensure_ascii=escape).encode()


case("X01", "edit, recompute the whole chain", lambda c: c.rehash(3, lambda s: answer(s, "0.30%")))
case("X02", "duplicate key deep inside", edit(3, b'"cosine":0.8731', b'"cosine":0.99,"cosine":0.8731'))
case("X03", "solidus spelled as an escape", edit(1, b"grounded.example/log", b"grounded.example\\/log"))
case("X04", "overlong UTF-8", edit(3, b"0.03%", b"0.03\xc0\xa5"))
case("X05", "exponent respelled 1e-7", edit(3, b"1e-07", b"1e-7"))
case("X06", "exponent respelled 0.0000001", edit(3, b"1e-07", b"0.0000001"))
case("X07", "Infinity for a number", edit(3, b"0.8731", b"Infinity"))
case("X08", "a line that is an array", lambda c: c.line(3, lambda line: b"[" + line + b"]"))
case("X09", "output is a list, rehashed", lambda c: c.rehash(3, lambda s: s.update(output=[])))
case("X10", "parent_id is a number, rehashed", lambda c: c.rehash(3, lambda s: s.update(parent_id=7)))
case("X11", "name is null, rehashed", lambda c: c.rehash(3, lambda s: s.update(name=None)))
case(
    "X12",
    "prev_hash in upper case",
    lambda c: c.swap(3, c.spans()[2]["prev_hash"].encode(), c.spans()[2]["prev_hash"].upper().encode()),
)
case("X13", "one span with another trace_id, rehashed", lambda c: c.rehash(3, lambda s: s.update(trace_id="B")))
case("X14", "two traces in one file", lambda c: c.put([*c.lines(A), *c.lines(B)]))
case("X15", "a span is its own parent, rehashed", lambda c: c.rehash(4, lambda s: s.update(parent_id="A-s3")))
case("X16", "bytes without a newline appended", lambda c: c.files.update({A: c.files[A] + b'{"span_id"'}))
case("X17", "all lines respelled", lambda c: c.put([respell(line, compact=False) for line in c.lines()]))
case("X18", "13th month, rehashed", lambda c: c.rehash(3, lambda s: s.update(end="2026-13-24T14:14:02.250000Z")))
case("X19", "milliseconds only, rehashed", lambda c: c.rehash(3, lambda s: s.update(end="2026-11-24T14:14:02.250Z")))
case("X20", "line of 40 MB", lambda c: c.pad.update({A: (3, 40_000_000)}))
case("X21", "integer of 5,000 digits", edit(3, b'"tokens":412', b'"tokens":' + b"9" * 5000))
case("X22", "byte order mark on a later line", lambda c: c.line(3, lambda line: b"\xef\xbb\xbf" + line))
case("X23", "file made unreadable by a NUL in front", lambda c: c.line(1, lambda line: b"\x00" + line))
case(
    "X24",
    "an altered span and another later, rehashed",
    lambda c: (c.rehash(2, lambda s: s.update(reasoning="x")), c.rehash(4, lambda s: s.update(reasoning="y"))),
)
case(
    "X30",
    "swap two ledger entries",
    lambda c: c.put([*c.lines(ENTRIES)[:3], c.lines(ENTRIES)[4], c.lines(ENTRIES)[3], *c.lines(ENTRIES)[5:]], ENTRIES),
)
case("X31", "ledger entry respelled", lambda c: c.line(3, lambda line: respell(line, compact=False), ENTRIES))
case("X32", "a checkpoint removed from the middle", lambda c: c.put_notes(c.notes()[:4] + c.notes()[5:]))
case(
    "X33",
    "an early checkpoint's signature altered",
    lambda c: c.put_notes([c.notes()[0], flip_mark(c.notes()[1]), *c.notes()[2:]]),
)
case("X34", "last two checkpoints removed", lambda c: c.put_notes(c.notes()[:-2]))
case("X35", "last checkpoint removed (as after a crash)", lambda c: c.put_notes(c.notes()[:-1]))
case("X36", "checkpoints emptied", lambda c: c.put_notes([]))
case("X37", "bytes appended to the checkpoints", lambda c: c.files.update({CHECKPOINTS: c.files[CHECKPOINTS] + b"x"}))
case(
    "X38",
    "a second signature line in a checkpoint",
    lambda c: c.put_notes([*c.notes()[:-1], c.notes()[-1] + c.notes()[-1].split(b"\n\n")[1]]),
)
case(
    "X39",
    "spare bits of a checkpoint's base64 altered",
    lambda c: c.put_notes([*c.notes()[:-1], spare_bits(c.notes()[-1])]),
)
case("X40", "ledger entry of an unknown kind, signed", lambda c: c.resign(lambda m: m.add({"kind": "party", "x": 1})))
case("X41", "extra field in a ledger entry, signed", lambda c: c.resign(lambda m: m.entries[7].update(extra=1)))
case("X42", "trace opened twice, signed", lambda c: c.resign(lambda m: m.add({"kind": "trace.open", "trace_id": "A"})))
case("X43", "trace closed twice, signed", lambda c: c.resign(lambda m: m.add(seal("A", m.traces["A"]))))
case(
    "X44",
    "seal with a wrong file hash, signed",
    lambda c: c.resign(lambda m: m.entries[2].update(file_sha256="0" * 64)),
)
case("X45", "seal with a wrong count, signed", lambda c: c.resign(lambda m: m.entries[2].update(n=4)))
case(
    "X46",
    "ledger time without zone, signed",
    lambda c: c.resign(lambda m: m.entries[7].update(time="2026-11-24T14:14:00")),
)
case(
    "X47",
    "second genesis, signed",
    lambda c: c.resign(lambda m: m.add({**m.entries[0], "time": "2026-11-24T14:59:00.000000Z"})),
)
case("X48", "no genesis, signed", lambda c: c.resign(lambda m: m.entries.pop(0)))
case(
    "X49",
    "trace id that leads out of the folder, signed",
    lambda c: c.resign(lambda m: m.add({"kind": "trace.open", "trace_id": "../A"})),
)
case("X50", "entries replaced by a symlink", lambda c: c.special.update({ENTRIES: "symlink"}))
case("X51", "checkpoints replaced by a FIFO", lambda c: c.special.update({CHECKPOINTS: "fifo"}))
case("X52", "stray file in the ledger", lambda c: c.files.update({"ledger/entries.jsonl~": b"x"}))
case(
    "X53",
    "checkpoint signed by a stranger's key under our name",
    lambda c: c.put_notes(
        [*c.notes()[:-1], note(Signer(c.model.signer.key.name, b"strange!" * 4), 10, merkle_root(c.lines(ENTRIES)))]
    ),
)
case(
    "X54",
    "checkpoint with a wrong root, signed",
    lambda c: c.put_notes([*c.notes()[:-1], note(c.model.signer, 10, b"\x00" * 32)]),
)
case(
    "X55",
    "checkpoint with a wrong size, signed",
    lambda c: c.put_notes([*c.notes()[:-1], note(c.model.signer, 12, merkle_root(c.lines(ENTRIES)))]),
)
case(
    "X56",
    "erasure while a hold is in force, signed",
    lambda c: c.resign(lambda m: (hold(m), m.content.pop(erasure(m)))),
)
case(
    "X57",
    "erasure recorded for another value",
    lambda c: c.resign(lambda m: (erasure(m), m.content.pop(list(m.content)[1]))),
)
case("X58", "anchor over a root that never was, signed", lambda c: c.resign(lambda m: m.add(anchor(m, "0" * 64))))
case(
    "X59",
    "rotation that names another old key, signed",
    lambda c: c.resign(lambda m: m.add({"kind": "key.rotate", "old": str(m.later.key), "new": str(m.later.key)})),
)
case(
    "X60",
    "rotation to something that is no key, signed",
    lambda c: c.resign(lambda m: m.add({"kind": "key.rotate", "old": str(m.signer.key), "new": "none"})),
)
case(
    "X61",
    "rotation to a key of another name, signed",
    lambda c: c.resign(
        lambda m: m.add({"kind": "key.rotate", "old": str(m.signer.key), "new": str(Signer("x", b"x" * 32).key)})
    ),
)
case(
    "X62",
    "rotation never followed: the old key signs on",
    lambda c: (
        c.resign(rotate),
        c.put_notes([note(c.model.signer, k + 1, merkle_root(c.lines(ENTRIES)[: k + 1])) for k in range(12)]),
    ),
)
case("X63", "content replaced by a symlink", lambda c: c.special.update({kept(c): "symlink"}))
case("X64", "content cut", lambda c: c.files.update({kept(c): c.files[kept(c)][:-1]}))
case(
    "X65",
    "a file of another name for content",
    lambda c: (c.files.update({"content/" + "0" * 64: c.files[kept(c)]}), c.files.pop(kept(c))),
)
case("X66", "the number of bytes in a commitment changed, rehashed and re-signed", lambda c: c.resign(longer))
case("X67", "commitments of a span exchanged for a known salt, re-signed", lambda c: c.resign(known_salt))
case("X68", "ledger line of 40 MB", lambda c: c.pad.update({ENTRIES: (3, 40_000_000)}))
case("X69", "duplicate key in a ledger entry", edit(3, b'"kind":', b'"kind":"heartbeat","kind":', ENTRIES))
case(
    "X70",
    "unlisted trace: a file from elsewhere",
    lambda c: c.files.update({"D.jsonl": render(rechain(spans(Model(7), "D", "q", "a")))}),
)
case("X71", "negative count in an entry, signed", lambda c: c.resign(lambda m: m.entries[7].update(dropped_writes=-1)))
case("X78", "the entries removed, the checkpoints kept", lambda c: c.files.pop(ENTRIES))
case("X79", "our key's checkpoint for another origin", lambda c: c.put_notes([*c.notes()[:-1], astray(c)]))
case("X80", "a ledger entry that is an array, signed", lambda c: signed_line(c, b"[]"))
case("X81", "a ledger entry without a kind, signed", lambda c: signed_line(c, b'{"seq":10}'))
case(
    "X82",
    "a seal whose file hash is in upper case, signed",
    lambda c: c.resign(lambda m: m.entries[2].update(file_sha256="A" * 64)),
)
case(
    "X83",
    "a seal whose span hashes are none, signed",
    lambda c: c.resign(lambda m: m.entries[2].update(spans=["x"] * 5)),
)
case("X84", "a seal of an unknown status, signed", lambda c: c.resign(lambda m: m.entries[2].update(status="fine")))
case(
    "X85",
    "a clock jump that is no number, signed",
    lambda c: c.resign(lambda m: m.entries[7].update(clock_jump_ms="x")),
)
case(
    "X86", "a reason that is no text, signed", lambda c: c.resign(lambda m: (hold(m), m.entries[-1].update(reason=[1])))
)
case("X75", "a token removed", lambda c: (name := anchored(c), c.files.pop(name)))
case("X76", "a token altered", lambda c: (name := anchored(c), c.files.update({name: flip(c.files[name], 90)})))
case("X77", "a token replaced by a symlink", lambda c: c.special.update({anchored(c): "symlink"}))
case("X72", "seq as a float, signed", lambda c: c.resign(lambda m: m.entries[7].update(seq=7.0)))
case("X73", "ledger replaced by a symlink to a folder", lambda c: c.special.update({"ledger": "symlink"}))
case(
    "X74",
    "closed before it was opened, signed",
    lambda c: c.resign(lambda m: m.entries.__setitem__(slice(1, 3), [m.entries[2], m.entries[1]])),
)


def astray(c: Case) -> bytes:
    """Our own key over a checkpoint of another log's name."""
    text = checkpoint("grounded.example/log/other", 10, merkle_root(c.lines(ENTRIES)))
    mark = base64.b64encode(c.model.signer.key.key_id + c.model.signer.sign(text)).decode()
    return text + f"\n— {c.model.signer.key.name} {mark}\n".encode()


def signed_line(c: Case, line: bytes) -> None:
    """An eleventh entry of any bytes, with a proper checkpoint."""
    c.put([*c.lines(ENTRIES), line], ENTRIES)
    c.put_notes([*c.notes(), note(c.model.signer, 11, merkle_root(c.lines(ENTRIES)))])


def flip_mark(made: bytes) -> bytes:
    return made[:-30] + (b"A" if made[-30:-29] != b"A" else b"B") + made[-29:]


def spare_bits(made: bytes) -> bytes:
    """The last base64 letter before the padding carries unused bits: another letter, the same signature."""
    letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    assert made.endswith(b"=\n") and not made.endswith(b"==\n")
    at = letters.index(made[-3:-2])
    return made[:-3] + letters[at ^ 1 : (at ^ 1) + 1] + made[-2:]


def hold(model: Model) -> None:
    model.add({"kind": "hold", "trace_id": "A", "reason": "case 12", "actor": "counsel"})


def release(model: Model) -> None:
    model.add({"kind": "release", "trace_id": "A", "reason": "settled", "actor": "counsel"})


def anchor(model: Model, root: str | None = None) -> dict[str, Any]:
    """An anchor over everything so far: a checkpoint that a witness cosigned."""
    size, true = len(model.entries), merkle_root(model.lines())
    cosigned = note(model.signer, size, true) + cosignature(checkpoint(model.signer.key.name, size, true))
    digest = hashlib.sha256(cosigned).hexdigest()
    model.tokens[digest] = cosigned
    return {"kind": "anchor", "type": "cosignature", "size": size, "root": root or true.hex(), "token_sha256": digest}


def anchored(c: Case) -> str:
    """The name of the file that holds the cosigned checkpoint of a log with an anchor."""
    c.resign(lambda m: m.add(anchor(m)))
    return f"ledger/tokens/{next(iter(c.model.tokens))}"


def rotate(model: Model) -> None:
    model.add({"kind": "key.rotate", "old": str(model.signer.key), "new": str(model.later.key)})
    model.add({"kind": "heartbeat", "dropped_writes": 0})


def longer(model: Model) -> None:
    model.traces["A"][2]["output"]["raw"]["bytes"] += 1
    model.traces["A"] = rechain(model.traces["A"])
    model.reseal()


def known_salt(model: Model) -> None:
    """The content's own hash without its salt: a commitment that could be guessed."""
    digest = model.traces["A"][2]["output"]["raw"]["$commit"]
    model.traces["A"][2]["output"]["raw"]["$commit"] = commit(b"", model.content[digest][32:])
    model.traces["A"] = rechain(model.traces["A"])
    model.reseal()


# ---------------------------------------------------------------- lawful states

case("L01", "the untouched log", lambda c: None)
case("L02", "a key rotated", lambda c: c.resign(rotate))
case(
    "L03",
    "a hold released, then an erasure",
    lambda c: c.resign(lambda m: (hold(m), release(m), m.content.pop(erasure(m)))),
)
case("L04", "an erasure recorded, its content not yet removed", lambda c: c.resign(erasure))
case("L05", "a checkpoint anchored", lambda c: c.resign(lambda m: m.add(anchor(m))))
case("L19", "a token of a crash: no entry names it", lambda c: c.files.update({f"ledger/tokens/{'0' * 64}": b"x"}))
case("L06", "content of a crash: nothing commits to it", lambda c: c.files.update({"content/" + "0" * 64: b"x" * 40}))
case("L07", "an empty file of a run that was never opened", lambda c: c.files.update({"E.jsonl": b""}))
case(
    "L08",
    "a trace that was never closed",
    lambda c: c.resign(
        lambda m: (m.traces.update(D=rechain(spans(m, "D", "q", "a"))), m.add({"kind": "trace.open", "trace_id": "D"}))
    ),
)
case(
    "L09",
    "torn end of a trace that was never closed",
    lambda c: (CASES["L08"][1](c), c.files.update({"D.jsonl": c.files["D.jsonl"][:-9]})),
)
case("L10", "torn last entry of the ledger", lambda c: c.files.update({ENTRIES: c.files[ENTRIES] + b'{"kind"'}))
case(
    "L11",
    "torn last checkpoint",
    lambda c: (
        c.put([*c.lines(ENTRIES), unsigned(c, kind="heartbeat", dropped_writes=0)], ENTRIES),
        c.files.update({CHECKPOINTS: c.files[CHECKPOINTS] + b"grounded"}),
    ),
)
case(
    "L12",
    "a run that was cancelled and one that failed",
    lambda c: c.resign(lambda m: (more(m, "D", "cancelled"), more(m, "E", "error"))),
)
case(
    "L13",
    "a ledger of which only empty files exist",
    lambda c: (c.files.clear(), c.files.update({ENTRIES: b"", CHECKPOINTS: b""})),
)
case(
    "L14",
    "the clock was set back, and that is recorded",
    lambda c: c.resign(lambda m: set_back(m, clock_jump_ms=-3600000)),
)
case("L15", "the clock was set back, unrecorded", lambda c: c.resign(set_back))
case("L16", "a value that was never kept", lambda c: c.resign(not_kept))
case(
    "L17",
    "quarantine, notes and samples beside the traces",
    lambda c: c.files.update({"quarantine/A.torn": b"x", "README.md": b"# log", "samples/S.jsonl": b"x"}),
)
case("L18", "two spans of one id, signed", lambda c: c.resign(twins))


def more(model: Model, trace_id: str, status: str = "ok") -> list[Span]:
    """A further run; its spans, to be changed before `model.reseal`."""
    model.run(trace_id, spans(model, trace_id, "And the year before?", "It was 0.04%."))
    model.entries[-1]["status"] = status
    return model.traces[trace_id]


def set_back(model: Model, **recorded: int) -> None:
    model.add({"kind": "heartbeat", "dropped_writes": 0})
    model.entries[-1] |= {"time": "2026-11-24T13:00:00.000000Z", **recorded}


def not_kept(model: Model) -> None:
    raw = more(model, "D")[2]["output"]["raw"]
    model.content.pop(raw["$commit"])
    raw["stored"] = False
    model.traces["D"] = rechain(model.traces["D"])
    model.reseal()


def twins(model: Model) -> None:
    found = more(model, "D")
    found[3]["span_id"] = found[2]["span_id"]
    model.traces["D"] = rechain(found)
    model.reseal()
