"""Every change the log makes on disk goes through `Files`, so that a test can make any of them fail."""

from __future__ import annotations

import errno
import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform != "win32":
    import fcntl

_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_NONBLOCK = getattr(os, "O_NONBLOCK", 0)
_CLOEXEC = getattr(os, "O_CLOEXEC", 0)
_BINARY = getattr(os, "O_BINARY", 0)


class Files:
    """The real file system. Sizes in bytes; descriptors are the caller's to close."""

    def create(self, path: Path) -> int:
        """A new file for appending; fails when the name is taken, whatever by."""
        return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL | _NOFOLLOW | _CLOEXEC | _BINARY, 0o640)

    def open_append(self, path: Path) -> int:
        """An existing regular file for appending."""
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | _NOFOLLOW | _NONBLOCK | _CLOEXEC | _BINARY)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        return descriptor

    def make_folder(self, path: Path) -> None:
        """The folder and its missing parents, durable."""
        if not path.is_dir():
            path.mkdir(parents=True, exist_ok=True, mode=0o750)
            self.sync_folder(path.parent)

    def write(self, descriptor: int, data: bytes) -> int:
        """One write(); how many bytes it took."""
        return os.write(descriptor, data)

    def sync(self, descriptor: int) -> None:
        """The file's bytes reach the disk."""
        if sys.platform == "darwin":
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)  # fsync alone stops at the drive's cache there
        else:
            os.fsync(descriptor)

    def sync_folder(self, path: Path) -> None:
        """The folder's names reach the disk."""
        if sys.platform == "win32":
            return
        descriptor = os.open(path, os.O_RDONLY | _CLOEXEC)
        try:
            self.sync(descriptor)
        finally:
            os.close(descriptor)

    def truncate(self, descriptor: int, size: int) -> None:
        """Cut the file to `size` bytes."""
        os.ftruncate(descriptor, size)

    def rename(self, old: Path, new: Path) -> None:
        """Replace `new` by `old` in one step."""
        old.replace(new)

    def unlink(self, path: Path) -> None:
        """Remove a file."""
        path.unlink()


def append(files: Files, descriptor: int, data: bytes) -> None:
    """One write of all of `data`, durable on return. A short write is an error: the line would be torn."""
    if files.write(descriptor, data) != len(data):
        raise OSError(errno.ENOSPC, "the line was written in part")
    files.sync(descriptor)


def write_new(files: Files, path: Path, data: bytes) -> None:
    """A new file with `data`, its bytes durable on return (its name: sync the folder)."""
    descriptor = files.create(path)
    try:
        append(files, descriptor, data)
    finally:
        os.close(descriptor)


def open_regular(path: Path) -> int | None:
    """A descriptor for reading, or None when `path` is not a regular file (link, FIFO, folder, device): never hangs.

    Raises OSError when there is nothing or it cannot be read."""
    if not stat.S_ISREG(path.lstat().st_mode):
        return None
    descriptor = os.open(path, os.O_RDONLY | _NOFOLLOW | _NONBLOCK | _CLOEXEC | _BINARY)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return None
    return descriptor


def read_regular(path: Path) -> bytes:
    """The bytes of a regular file. Raises OSError when it is none."""
    descriptor = open_regular(path)
    if descriptor is None:
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    with os.fdopen(descriptor, "rb") as stream:
        return stream.read()


def claim(descriptor: int) -> bool:
    """Mark an open file as being written by this process, until the descriptor is closed or the process dies.

    False: another writer is alive. Without advisory locks (Windows) every claim is granted."""
    return True if sys.platform == "win32" else _locked(descriptor, fcntl.LOCK_EX)


def is_claimed(path: Path) -> bool:
    """Whether a living process is writing the trace at `path`."""
    if sys.platform == "win32":
        return False
    descriptor = open_regular(path)
    if descriptor is None:
        return False
    try:
        return not _locked(descriptor, fcntl.LOCK_SH)
    finally:
        os.close(descriptor)


@contextmanager
def reading(lock: Path, wait_s: float = 5.0) -> Iterator[bool]:
    """No writer changes the ledger meanwhile. False: there is no lock to take (a copy), or it stayed taken."""
    try:
        descriptor = open_regular(lock)
    except OSError:
        descriptor = None
    try:
        yield descriptor is not None and _wait_locked(descriptor, wait_s)
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _wait_locked(descriptor: int, wait_s: float) -> bool:
    if sys.platform == "win32":
        return False
    until = time.monotonic() + wait_s
    while not _locked(descriptor, fcntl.LOCK_SH):
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


def _locked(descriptor: int, kind: int) -> bool:
    if sys.platform == "win32":
        return True
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            return False
        raise
    return True
