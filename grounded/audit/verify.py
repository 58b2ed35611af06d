"""Verifying: one trace file, or a folder of traces with its ledger. Reads only, but for what it remembers in `state`.

Assurance: L0 the chain alone; L1 a ledger signed by a key known from outside; L2 which extends a remembered checkpoint;
L3 with a third party's time over it; L4 with a witness's cosignature. What was not checked is said, never counted as
fine. Loads the standard library (and orjson), `cryptography` only when there is a ledger.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from grounded.audit import keys, layout
from grounded.audit.chain import Expected, FileResult, OnCommitment, check_file
from grounded.audit.content import Commitment, ContentKeyNeeded, ContentStore, fits
from grounded.audit.evidence import NotTrusted, check_cosignature, check_stamp, read_token
from grounded.audit.files import is_claimed, reading
from grounded.audit.ledger_check import LedgerCheck, LedgerView, Pin, check_pin
from grounded.audit.notes import checkpoint_text
from grounded.audit.report import Findings, Report
from grounded.errors import AuditError, UsageError

NO_LEDGER = "completeness: no ledger"


def verify(path: Path, *, state: Path | None = None, key: str | None = None, remember: bool = True) -> Report:
    """Check a trace file or a traces folder. state: the folder with known keys and pins; key: the only key to trust.

    Raises UsageError when there is nothing at `path`. remember: pin the checkpoint of an intact folder in `state`."""
    if not os.path.lexists(path):
        raise UsageError("no such file or folder", where=str(path))
    if path.name.endswith(layout.SUFFIX) or not path.is_dir():
        return verify_file(path, state=state, key=key)
    return verify_folder(path, state=state, key=key, remember=remember)


def logs_of(path: Path) -> list[Path]:
    """The logs at `path`: the folders in it that have a ledger, when it holds no ledger and no trace itself."""
    if not path.is_dir() or (path / layout.LEDGER).exists() or any(path.glob(f"*{layout.SUFFIX}")):
        return [path]
    return sorted(entry for entry in path.iterdir() if (entry / layout.LEDGER).is_dir()) or [path]


def shared_origins(reports: Sequence[Report]) -> list[str]:
    """Logs that more than one of the reports is about: a log stands in one folder only."""
    origins = [report.log for report in reports if report.log]
    return sorted({origin for origin in origins if origins.count(origin) > 1})


def verify_file(path: Path, *, state: Path | None = None, key: str | None = None) -> Report:
    """Check one trace file: its chain, and its seal when it lies beside a ledger whose key is known."""
    findings = Findings()
    trace_id = path.name.removesuffix(layout.SUFFIX)
    view, not_checked = _ledger_beside(path, trace_id, _trust(state, key))
    seal = view.seals.get(trace_id) if view else None
    content = _ContentCheck(path.parent, path.name, view, state, findings) if view else None
    expected = Expected(trace_id, profile=view is not None, seal=seal)
    result = check_file(path, str(path), expected, findings, content.check if content else None)
    if view and seal is None:
        findings.note("trace_open", str(path), None, "a seal", "none: the trace is not closed")
        not_checked.append("completeness: the trace is not closed")
    not_checked.extend(content.not_checked if content else ())
    if result.log_mark and not view:
        not_checked.append(f"its seal: it belongs to the log {result.log_mark}")
    not_checked.append("remembered checkpoints, time stamps, witnesses: verify the folder")
    return _report(findings, "L1" if view else "L0", not_checked, spans=result.spans, traces=1, view=view)


def verify_folder(path: Path, *, state: Path | None = None, key: str | None = None, remember: bool = True) -> Report:
    """Check a folder of traces with its ledger."""
    return FolderCheck(path, state, _trust(state, key), ledger_required=key is not None).run(remember)


def _trust(state: Path | None, key: str | None) -> keys.Trust:
    return keys.load_trust(state or Path(os.devnull), key)


def _ledger_beside(path: Path, trace_id: str, trust: keys.Trust) -> tuple[LedgerView | None, list[str]]:
    """The ledger in the file's folder if it can vouch for this trace, else why not."""
    if not os.path.lexists(path.parent / layout.ENTRIES):
        return None, [NO_LEDGER]
    findings = Findings()
    view = LedgerCheck(path.parent, trust, findings, every_signature=False).run()
    if findings.counts["error"]:
        return None, [
            f"completeness: the ledger beside it does not verify ({findings.items[0].code}): verify the folder"
        ]
    if not view.known_key:
        return None, ["completeness: the key of the ledger beside it is not known here (--key)"]
    if trace_id not in view.opened:
        return None, ["completeness: the ledger beside it does not list this trace"]
    return view, []


class _ContentCheck:
    """Checks the values kept beside a log as their commitments are met in a trace."""

    def __init__(self, folder: Path, label: str, view: LedgerView, state: Path | None, findings: Findings) -> None:
        self._store = ContentStore(folder, key=keys.load_content_key(state) if state else None)
        self.label = label
        self._view, self._findings = view, findings
        self.seen: set[str] = set()
        self.not_checked: list[str] = []

    def check(self, line: int, commitment: Commitment) -> None:
        """One commitment in a span."""
        digest, erased = commitment.digest, commitment.digest in self._view.erased
        self.seen.add(digest)
        if not commitment.stored:
            return self._findings.note("content_not_kept", self.label, line, "", digest)
        state = self._state(commitment)
        if state == "missing" and erased:
            return self._findings.note("content_erased", self.label, line, "", digest)
        if state == "present" and erased:
            return self._findings.note(
                "erasure_unfinished", self.label, line, "nothing: it is recorded as erased", digest
            )
        if state in ("missing", "altered"):
            return self._findings.error(f"content_{state}", self.label, line, digest, state)
        if state == "locked":
            self.not_checked.append(f"content {digest[:12]}… of {self.label}: encrypted, no key here")
        return None

    def _state(self, commitment: Commitment) -> str:
        try:
            found = self._store.get(commitment.digest)
        except ContentKeyNeeded:
            return "locked"
        except (OSError, ValueError):
            return "altered"
        if found is None:
            return "missing"
        return "present" if fits(commitment, *found) else "altered"


class FolderCheck:
    """One verification of a folder."""

    def __init__(self, folder: Path, state: Path | None, trust: keys.Trust, *, ledger_required: bool) -> None:
        self._folder, self._state, self._trust = folder, state, trust
        self._ledger_required = ledger_required
        self._findings = Findings()
        self._not_checked: list[str] = []
        self._spans = self._traces = 0
        self._stamped = self._cosigned = 0  # up to which entry

    def run(self, remember: bool) -> Report:
        """Check everything and, when it is intact under a known key, remember its checkpoint."""
        with reading(self._folder / layout.LOCK):
            names = sorted(entry.name for entry in os.scandir(self._folder))
            view = self._ledger() if layout.LEDGER in names else None
        traces = [name for name in names if name.endswith(layout.SUFFIX)]
        if view is None:
            self._without_ledger(traces)
        else:
            self._with_ledger(view, traces)
        self._strays(names, sealed=view is not None)
        report = _report(
            self._findings, self._assurance(view), self._not_checked, spans=self._spans, traces=self._traces, view=view
        )
        if remember and view and view.known_key and report.verdict == "intact":
            self._remember(view)
        return report

    # ------------------------------------------------------------ the ledger

    def _ledger(self) -> LedgerView:
        if (self._folder / layout.LEDGER).is_symlink() or not (self._folder / layout.LEDGER).is_dir():
            self._findings.error("not_a_regular_file", layout.LEDGER, None, "a folder", "something else")
            return LedgerView()
        view = LedgerCheck(self._folder, self._trust, self._findings).run()
        if view.replaces:
            self._findings.note("log_replaced", layout.LEDGER, None, view.replaces, view.origin)
        if self._state and view.complete:
            self._against_memory(view, self._state)
        return view

    def _against_memory(self, view: LedgerView, state: Path) -> None:
        earlier = keys.remembered_origin(state, self._folder)
        origin = view.origin or earlier
        if origin and (pin := load_pin(state, origin)):
            check_pin(view, pin, self._findings)
        if earlier and view.origin and earlier != view.origin and earlier != view.replaces:
            self._findings.error("log_replaced", layout.LEDGER, None, earlier, view.origin)

    def _without_ledger(self, traces: list[str]) -> None:
        """No ledger beside them: other writers' traces have none, ours must."""
        start = len(self._findings.items)
        marks = {self._check(name, Expected(name.removesuffix(layout.SUFFIX))).log_mark for name in traces} - {None}
        remembered = keys.remembered_origin(self._state, self._folder) if self._state else None
        if self._ledger_required or remembered or marks:
            self._findings.error(
                "ledger_missing", layout.LEDGER, None, remembered or max(map(str, marks), default="a ledger"), "nothing"
            )
            self._findings.items.insert(start, self._findings.items.pop())
        elif not traces:
            self._findings.unknown("nothing_to_check", ".", None, "traces", "none")
        self._not_checked.append(NO_LEDGER)

    # ------------------------------------------------------------ the traces

    def _with_ledger(self, view: LedgerView, traces: list[str]) -> None:
        unlisted = set(traces)
        content = _ContentCheck(self._folder, "", view, self._state, self._findings)
        for trace_id in view.opened:
            name = f"{trace_id}{layout.SUFFIX}"
            unlisted.discard(name)
            content.label = name
            self._listed(name, trace_id, view, content.check)
        for name in sorted(unlisted):
            self._unlisted(name)
        self._not_checked.extend(content.not_checked)
        self._orphans(layout.CONTENT, content.seen)
        for anchor in view.anchors:
            self._anchor(anchor, view)
        self._orphans(layout.TOKENS, {anchor["token_sha256"] for anchor in view.anchors})

    def _listed(self, name: str, trace_id: str, view: LedgerView, on_commitment: OnCommitment) -> None:
        path, seal = self._folder / name, view.seals.get(trace_id)
        if not os.path.lexists(path):
            return self._findings.error("trace_missing", name, None, "the trace the ledger lists", "nothing")
        alive = seal is None and not path.is_symlink() and path.is_file() and is_claimed(path)
        self._check(name, Expected(trace_id, profile=True, seal=seal, being_written=alive), on_commitment)
        if alive:
            self._findings.note("trace_open", name, None, "a seal", "it is being written")
            self._not_checked.append(f"completeness of {name}: it is being written")
        elif seal is None:
            self._findings.unknown("trace_open", name, None, "a seal", "none: its writer died and nobody recovered it")
        return None

    def _unlisted(self, name: str) -> None:
        status = (self._folder / name).lstat()
        if stat.S_ISREG(status.st_mode) and status.st_size == 0:
            return self._findings.unknown(
                "unregistered_empty", name, None, "a ledger entry", "none: a crash at the start"
            )
        if stat.S_ISREG(status.st_mode):
            self._findings.error("trace_not_in_ledger", name, None, "a ledger entry", "none")
        self._check(name, Expected(name.removesuffix(layout.SUFFIX), profile=True))
        return None

    def _check(self, name: str, expected: Expected, on_commitment: OnCommitment | None = None) -> FileResult:
        result = check_file(self._folder / name, name, expected, self._findings, on_commitment)
        self._spans += result.spans
        self._traces += 1
        return result

    # ------------------------------------------------------------ the folder

    def _strays(self, names: list[str], *, sealed: bool) -> None:
        """A closed folder: what does not belong is reported; tampering where there is a ledger."""
        severe = self._findings.error if sealed else self._findings.note
        for name in names:
            if name not in layout.FOLDER_NAMES and not name.endswith(layout.SUFFIX):
                severe("stray_file", name, None, "traces and their ledger only", "")
        if sealed and (self._folder / layout.LEDGER).is_dir():
            for entry in sorted(os.scandir(self._folder / layout.LEDGER), key=lambda entry: entry.name):
                if entry.name not in layout.LEDGER_NAMES:
                    severe("stray_file", f"{layout.LEDGER}/{entry.name}", None, "the ledger's own files only", "")
        if "samples" in names:
            self._not_checked.append("samples/: a log of its own")

    def _orphans(self, name: str, seen: set[str]) -> None:
        """Kept files nothing commits to: what a crash between two writes leaves."""
        folder = self._folder / name
        if folder.is_dir() and not folder.is_symlink():
            for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
                if entry.name not in seen:
                    code = f"{Path(name).name.removesuffix('s')}_orphan"
                    self._findings.note(code, f"{name}/{entry.name}", None, "a commitment to it", "none")

    # ------------------------------------------------------------ evidence from outside

    def _anchor(self, entry: dict[str, Any], view: LedgerView) -> None:
        digest, line = entry["token_sha256"], entry["line"]
        try:
            token = read_token(self._folder, digest)
            if token is None:
                return self._findings.error("token_missing", layout.ENTRIES, line, digest, "nothing")
            self._evidence(entry, token, checkpoint_text(view.origin, entry["size"], bytes.fromhex(entry["root"])))
        except NotTrusted as why:
            self._not_checked.append(f"the {entry['type']} of entry {line}: {why}")
        except AuditError as error:
            self._not_checked.append(f"the {entry['type']} of entry {line}: {error.what}")
        except ValueError as error:
            self._findings.error("token_altered", layout.ENTRIES, line, digest, str(error))
        return None

    def _evidence(self, entry: dict[str, Any], token: bytes, text: bytes) -> None:
        if entry["type"] == "cosignature":
            check_cosignature(token, text, self._trust.witnesses)
            self._cosigned = max(self._cosigned, entry["size"])
        elif entry["type"] == "rfc3161":
            if not self._trust.authorities:
                raise NotTrusted("no time-stamping authority is trusted here")
            check_stamp(token, text, self._trust.authorities)
            self._stamped = max(self._stamped, entry["size"])
        else:
            raise NotTrusted("a kind of evidence not known here")

    # ------------------------------------------------------------ assurance

    def _assurance(self, view: LedgerView | None) -> str:
        if view is None:
            return "L0"
        if not view.known_key:
            self._not_checked.append("who signed the ledger: no key of it is known here (--key)")
            return "L0"
        if not view.remembered:
            self._not_checked.append("rollback and forks: no earlier checkpoint is remembered here")
        for size, what in (
            (self._stamped, "time: no third party's time stamp"),
            (self._cosigned, "other copies: no witness's cosignature"),
        ):
            if size < view.entries:
                self._not_checked.append(f"{what} over entries after {size}" if size else what)
        return "L4" if self._cosigned else "L3" if self._stamped else "L2" if view.remembered else "L1"

    def _remember(self, view: LedgerView) -> None:
        try:
            if self._state and view.sealed:
                save_pin(self._state, Pin(view.origin, view.sealed, view.root_at(view.sealed)))
                keys.remember_folder(self._state, self._folder, view.origin)
        except OSError as error:
            self._not_checked.append(f"the next time: this checkpoint could not be remembered ({error.strerror})")


def load_pin(state: Path, origin: str) -> Pin | None:
    """The checkpoint remembered of a log, or None."""
    try:
        data = json.loads(layout.pin_path(state, origin).read_text("utf-8"))
        pin = Pin(data["origin"], data["size"], bytes.fromhex(data["root"]))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise AuditError(f"a remembered checkpoint cannot be read ({error})", where=str(state)) from None
    return pin if pin.origin == origin and type(pin.size) is int and pin.size > 0 else None


def save_pin(state: Path, pin: Pin) -> None:
    """Remember a checkpoint, unless a later one is remembered already."""
    known = load_pin(state, pin.origin)
    if known is None or known.size < pin.size:
        text = json.dumps({"origin": pin.origin, "size": pin.size, "root": pin.root.hex()})
        keys.write_private(layout.pin_path(state, pin.origin), text)


def _report(
    findings: Findings, assurance: str, not_checked: list[str], *, spans: int, traces: int, view: LedgerView | None
) -> Report:
    return Report(
        findings.verdict,
        assurance,
        spans,
        findings.items,
        not_checked,
        traces=traces,
        log=view.origin or None if view else None,
        entries=view.entries if view else 0,
        omitted=sum(findings.counts.values()) - len(findings.items),
    )
