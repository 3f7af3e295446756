"""Which file a document belongs to: opening, saving, going back, and noticing that someone else changed the file."""

from __future__ import annotations

import dataclasses
import os
import re
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

from attnexplorer.document.document import Document
from attnexplorer.experiment.errors import FileError
from attnexplorer.experiment.examples import load_example
from attnexplorer.experiment.fileformat import read
from attnexplorer.experiment.model import Experiment
from attnexplorer.experiment.saving import save

SUFFIX = ".attn"
UNTITLED = "Untitled"
_LONGEST_NAME = 60


class Fingerprint(NamedTuple):
    """How a file was when it was last read or written; equal digests are equal contents."""

    size: int
    modified_ns: int
    digest: str


@dataclass(frozen=True, slots=True, eq=False)
class Loaded:
    """An experiment, the file it belongs to (None: no file yet), and whether that file holds it."""

    experiment: Experiment
    path: Path | None = None
    fingerprint: Fingerprint | None = None
    warnings: tuple[str, ...] = ()
    saved: bool = True


def load_file(path: str | os.PathLike[str]) -> Loaded:
    """Read a file; `FileError` says in a sentence why it cannot be read."""
    place = Path(os.path.abspath(path))
    before = _stamp(place)
    experiment, warnings = read(place)
    known = fingerprint(place)
    # A file that changed while it was read counts as changed since then.
    return Loaded(experiment, place, known if known and known[:2] == before else None, warnings)


def load_copy_of_example(name: str) -> Loaded:
    """Read a built-in experiment as an untitled copy; `FileError` if there is none of that name."""
    return Loaded(load_example(name))


def fingerprint(path: Path) -> Fingerprint | None:
    """Return how a regular file is now, or None if it cannot be read."""
    import hashlib  # loads a cryptographic library, which the first picture can do without

    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            return Fingerprint(status.st_size, status.st_mtime_ns, hashlib.file_digest(file, "sha256").hexdigest())
    except (OSError, ValueError):
        return None


def shortened(text: str, longest: int) -> str:
    """Return a text of at most so many characters, an ellipsis for what is cut off."""
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return status.st_size, status.st_mtime_ns


def present_experiment(document: Document) -> Experiment:
    """Return the experiment of a document with the display choices in its `view`, as it is saved."""
    experiment = document.experiment
    return dataclasses.replace(experiment, view=MappingProxyType(document.display.as_view(experiment.view)))


class Storage(QObject):
    """The file of one document. The undo stack's clean state is the only sign of unsaved edits."""

    changed = Signal()
    """Emitted when the file, or whether everything is saved in it, became another."""

    def __init__(self, loaded: Loaded, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.document = Document(loaded.experiment, self)
        self._path: Path | None = None
        self._fingerprint: Fingerprint | None = None
        self._belong(loaded)
        self.document.undo_stack.cleanChanged.connect(self._on_undo_stack_clean_changed)

    @property
    def path(self) -> Path | None:
        """The file, or None if there is none yet."""
        return self._path

    @property
    def known_state(self) -> Fingerprint | None:
        """How the file was when it was last read or written here."""
        return self._fingerprint

    @property
    def name(self) -> str:
        """The name for titles and messages."""
        return UNTITLED if self._path is None else self._path.name

    @property
    def called(self) -> str:
        """The experiment as sentences name it: its file or its title in quotation marks, or "the new experiment"."""
        name = "" if self._path is None else self._path.name
        name = name or shortened(" ".join(self.document.experiment.title.split()), _LONGEST_NAME)
        return f"“{name}”" if name else "the new experiment"

    @property
    def modified(self) -> bool:
        """Whether there are edits that are not saved."""
        return self.document.modified

    @property
    def suggested_path(self) -> Path:
        """A file for a first save, named after the title."""
        if self._path is not None:
            return self._path
        words = re.sub(r"[^\w]+", "-", self.document.experiment.title.lower()).strip("-")
        return Path((words[:60].strip("-") or UNTITLED.lower()) + SUFFIX)

    def take(self, loaded: Loaded) -> None:
        """Go on with another experiment and its file; undo starts anew."""
        self.document.replace_experiment(loaded.experiment)
        self._belong(loaded)
        self.changed.emit()

    def touched_on_disk(self) -> bool:
        """Tell whether size or time of the file are others than those that are known, which is quick to see."""
        known = self._fingerprint
        return self._path is not None and known is not None and _stamp(self._path) != known[:2]

    def changed_on_disk(self) -> bool:
        """Tell whether the file holds something else than was last read or written here."""
        if self._path is None or not os.path.lexists(self._path):
            return False
        now = fingerprint(self._path)
        return now is None or self._fingerprint is None or now.digest != self._fingerprint.digest

    def save(self) -> None:
        """Write to the document's file, whatever it holds now; `FileError` says why it could not be written."""
        if self._path is None:
            raise FileError(self.name, "not saved: it has no file yet")
        self.save_as(self._path)

    def save_as(self, path: str | os.PathLike[str]) -> None:
        """Write to a file, which is the document's own from then on."""
        target = Path(os.path.abspath(path))
        save(present_experiment(self.document), target)
        self._path, self._fingerprint = target, fingerprint(target)
        self.document.undo_stack.setClean()
        self.changed.emit()

    def revert(self) -> tuple[str, ...]:
        """Read the file again and return the warnings; undo starts anew. Nothing is lost if it cannot be read."""
        if self._path is None:
            raise FileError(self.name, "there is no file to go back to")
        loaded = load_file(self._path)
        self.take(loaded)
        return loaded.warnings

    def close(self) -> None:
        """Stop all work; what is still connected hears nothing while the parts of the document are taken down."""
        self.document.close()
        self.document.undo_stack.blockSignals(True)

    def _belong(self, loaded: Loaded) -> None:
        self._path, self._fingerprint = loaded.path, loaded.fingerprint
        if not loaded.saved:
            self.document.undo_stack.resetClean()

    def _on_undo_stack_clean_changed(self) -> None:
        self.changed.emit()
