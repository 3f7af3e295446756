"""Recovery copies: where unsaved work is kept until it is saved, and how it is found after a crash.

A copy is `KEY.attn` with `KEY.json`, which says what it is a copy of, and `KEY.lock`, which a living program holds.
"""

from __future__ import annotations

import contextlib
import json
import os
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from PySide6.QtCore import QLockFile, QStandardPaths

from attnexplorer.document.storage import SUFFIX, UNTITLED, Fingerprint, Loaded
from attnexplorer.experiment.errors import FileError
from attnexplorer.experiment.fileformat import KnownTexts, read
from attnexplorer.experiment.model import Experiment
from attnexplorer.experiment.saving import save, write_whole

STATE_VARIABLE = "ATTNEXPLORER_STATE"
"""The environment variable that names another state folder than the user's own."""


class Origin(NamedTuple):
    """What a recovery copy is a copy of, when it was written, and the title of the experiment in it."""

    path: Path | None
    known_state: Fingerprint | None
    saved_at: datetime
    title: str = ""

    @property
    def name(self) -> str:
        """The name for messages."""
        return UNTITLED if self.path is None else self.path.name


def state_folder() -> Path:
    """Return the folder for what the program keeps between two runs; it may not be there yet."""
    chosen = os.environ.get(STATE_VARIABLE)
    if chosen:
        return Path(chosen)
    place = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.GenericStateLocation)
    return Path(place) / "attnexplorer"


def abandoned_copies() -> tuple[RecoveryCopy, ...]:
    """Claim and return the copies that no living program looks after, the latest first."""
    with contextlib.suppress(OSError):
        for lock in _folder().glob("*.lock"):
            if not lock.with_suffix(SUFFIX).exists():
                _tidy(lock)
    found = [RecoveryCopy(path.stem) for path in _folder().glob(f"*{SUFFIX}") if not path.name.startswith(".")]
    claimed = [copy for copy in found if copy.claim()]
    return tuple(sorted(claimed, key=lambda copy: copy.origin().saved_at, reverse=True))


class RecoveryCopy:
    """One recovery copy. Only who has claimed it may write or remove it."""

    def __init__(self, key: str | None = None) -> None:
        self._base = _folder() / (key or os.urandom(8).hex())
        self._lock: QLockFile | None = None
        self._known = KnownTexts()

    @property
    def file(self) -> Path:
        """The file that holds the experiment."""
        return self._base.with_suffix(SUFFIX)

    def claim(self) -> bool:
        """Become the one who looks after the copy; False if a living program does or the folder cannot be written."""
        if self._lock is None:
            try:
                self._base.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            except OSError:
                return False
            lock = QLockFile(str(self._base.with_suffix(".lock")))
            lock.setStaleLockTime(0)  # a lock does not become old: only the death of its program frees it
            if not lock.tryLock(0):
                return False
            self._lock = lock
        return True

    def write(self, experiment: Experiment, origin: Origin) -> None:
        """Replace the copy; `FileError` if it cannot be written, the former copy is then still whole."""
        if self._lock is None:
            raise FileError(self.file.name, f"not saved: the folder {self._base.parent} cannot be written")
        # The description first: whenever the program is killed, no copy is there that nobody knows the file of.
        write_whole(_described(origin), self._base.with_suffix(".json"))
        save(experiment, self.file, self._known)

    def origin(self) -> Origin:
        """Return what the copy is a copy of; what its description does not say is unknown."""
        try:
            return _understood(json.loads(self._base.with_suffix(".json").read_bytes()))
        except (OSError, ValueError, LookupError, TypeError, OverflowError, RecursionError):
            return Origin(None, None, _time_of(self.file))

    def load(self) -> Loaded:
        """Read the copy as unsaved work on its original file; `FileError` if it is broken."""
        origin = self.origin()
        return Loaded(read(self.file).experiment, origin.path, origin.known_state, saved=False)

    def remove(self) -> None:
        """Remove the copy and let go of it."""
        for suffix in (SUFFIX, ".json"):
            with contextlib.suppress(OSError):
                self._base.with_suffix(suffix).unlink()
        with contextlib.suppress(OSError):
            for half_written in self._base.parent.glob(f".{self._base.name}.*.tmp"):
                half_written.unlink()
        self.release()

    def release(self) -> None:
        """Let go of the copy and leave it for the next start of the program."""
        if self._lock is not None:
            self._lock.unlock()
            self._lock = None


def _folder() -> Path:
    return state_folder() / "recovery"


def _tidy(lock: Path) -> None:
    """Remove the lock and the description that a program left which died before its first copy."""
    copy = RecoveryCopy(lock.stem)
    if copy.claim():
        copy.remove()


def _described(origin: Origin) -> bytes:
    path = None if origin.path is None else str(origin.path)
    known = None if origin.known_state is None else list(origin.known_state)
    saved_at = origin.saved_at.isoformat()
    return json.dumps({"path": path, "known_state": known, "saved_at": saved_at, "title": origin.title}).encode()


def _understood(description: Any) -> Origin:
    path, known = description["path"], description["known_state"]
    state = None if known is None else Fingerprint(int(known[0]), int(known[1]), str(known[2]))
    saved_at = datetime.fromisoformat(description["saved_at"]).replace(tzinfo=None)
    return Origin(None if path is None else Path(path), state, saved_at, str(description.get("title", "")))


def _time_of(file: Path) -> datetime:
    try:
        return datetime.fromtimestamp(file.stat().st_mtime)
    except OSError:
        return datetime.fromtimestamp(0)
