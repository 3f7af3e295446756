"""Who else has a file open: windows and programs of one user on one computer notice each other.

Each of them holds one of a file's few locks in the state folder, where a lock can be made even if the file's own folder
cannot be written. The lock of a program that has died counts for nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QLockFile

from attnexplorer.document.recovery import state_folder

MOST = 8
"""Windows and programs that are told apart for one file; a ninth sees the others and is not seen."""


def presence_folder() -> Path:
    """Return the folder with the locks; what happens in it is somebody coming or going."""
    return state_folder() / "open"


class Presence:
    """The sign that one window has a file open; made at once, and taken away by `leave`."""

    def __init__(self, path: Path) -> None:
        import hashlib  # loads a cryptographic library, which the first picture can do without

        place = os.path.normcase(os.path.realpath(path))
        self._key = hashlib.sha256(os.fsencode(place)).hexdigest()[:32]
        self._lock: QLockFile | None = None
        self._file: Path | None = None
        self._announce()

    def others(self) -> tuple[bool, ...]:
        """Return an entry for each other who has the file open: whether it is a window of this very program."""
        return tuple(self._others())

    def leave(self) -> None:
        """Take the sign away."""
        if self._lock is not None:
            self._lock.unlock()
            self._lock, self._file = None, None

    def _announce(self) -> None:
        try:
            presence_folder().mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError:
            return  # nobody can be told, which is no reason not to open the file
        for file in self._files():
            lock = _lock_on(file)
            if lock.tryLock(0):
                self._lock, self._file = lock, file
                return

    def _others(self) -> Iterator[bool]:
        for file in self._files():
            if file == self._file or not file.exists():
                continue
            lock = _lock_on(file)
            if lock.tryLock(0):
                lock.unlock()
            elif lock.error() == QLockFile.LockError.LockFailedError:
                yield _holder(lock) == os.getpid()

    def _files(self) -> list[Path]:
        return [presence_folder() / f"{self._key}.{number}.lock" for number in range(MOST)]


def _lock_on(file: Path) -> QLockFile:
    lock = QLockFile(str(file))
    lock.setStaleLockTime(0)  # a lock does not become old: only the death of its program frees it
    return lock


def _holder(lock: QLockFile) -> int:
    """Return the number of the process that holds a lock."""
    number, _computer, _program = lock.getLockInfo()
    return int(number)
