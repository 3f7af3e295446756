"""Makes a figure in a process of its own, by the export command: the window never waits, and stopping is at once.

So a figure has the same bytes whether the window or the command line wrote it.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, Signal

import attnexplorer.views

_SENTENCE = "attnexplorer: "
_UNEXPECTED = "The figure could not be made: the process that makes it ended unexpectedly."


class ExportProcess(QObject):
    """One export at a time."""

    progressed = Signal(int, int)
    """Emitted with how many pages or pictures of how many are done."""
    made = Signal(object)
    """Emitted with the bytes of the file."""
    failed = Signal(str)
    """Emitted with a sentence."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._process: QProcess | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._out = Path()
        self._stopping = False

    @property
    def running(self) -> bool:
        """Whether a figure is being made."""
        return self._process is not None

    def start(self, form: str, words: Sequence[str], experiments: Sequence[bytes], suffix: str = ".attn") -> None:
        """Begin with the file of one experiment, or of two that are compared; `suffix` is how their names end."""
        self._stopping = False
        self._folder = tempfile.TemporaryDirectory(prefix="attnexplorer-")
        folder = Path(self._folder.name)
        files = [folder / f"{name}{suffix}" for name, _ in zip("ab", experiments, strict=False)]
        for file, content in zip(files, experiments, strict=True):
            file.write_bytes(content)
        self._out = folder / f"figure.{form}"
        compared = ["--with", str(files[1])] if len(files) > 1 else []
        program, *before = _program()
        process = self._process = QProcess(self)
        process.setProcessEnvironment(_environment())
        process.readyReadStandardOutput.connect(self._on_output)
        process.finished.connect(self._on_finished)
        process.errorOccurred.connect(self._on_error_occurred)
        given = ["export", str(files[0]), "-o", str(self._out), "--progress", *compared, *words]
        process.start(program, [*before, *given])

    def stop(self) -> None:
        """End at once; nothing is emitted any more."""
        process = self._process
        if process is None:
            return
        self._stopping = True
        process.kill()
        process.waitForFinished(5000)
        self._clear()

    def _on_output(self) -> None:
        if self._process is None:
            return
        lines = bytes(self._process.readAllStandardOutput().data()).decode("ascii", "replace").split()
        done, slash, total = lines[-1].partition("/") if lines else ("", "", "")
        if slash and done.isdigit() and total.isdigit():
            self.progressed.emit(int(done), int(total))

    def _on_finished(self, code: int, status: QProcess.ExitStatus) -> None:
        process = self._process
        if self._stopping or process is None:
            return
        said = bytes(process.readAllStandardError().data()).decode("utf-8", "replace")
        if code != 0 or status != QProcess.ExitStatus.NormalExit:
            self._end_with(_refusal(said))
            return
        try:
            data = self._out.read_bytes()
        except OSError:
            self._end_with(_UNEXPECTED)
            return
        self._clear()
        self.made.emit(data)

    def _on_error_occurred(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart and self._process is not None:
            self._end_with(f"The figure could not be made: {self._process.errorString()}.")

    def _end_with(self, sentence: str) -> None:
        self._clear()
        self.failed.emit(sentence)

    def _clear(self) -> None:
        if self._process is not None:
            self._process.deleteLater()
            self._process = None
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None


def _program() -> list[str]:
    """Return the words that start this program: the frozen one, or the interpreter with the package."""
    return [sys.executable] if getattr(sys, "frozen", False) else [sys.executable, "-m", "attnexplorer"]


def _environment() -> QProcessEnvironment:
    environment = QProcessEnvironment.systemEnvironment()
    if not getattr(sys, "frozen", False):
        place = str(Path(attnexplorer.views.__file__ or "").parents[2])
        known = environment.value("PYTHONPATH")
        environment.insert("PYTHONPATH", os.pathsep.join(part for part in (place, known) if part))
    return environment


def _refusal(said: str) -> str:
    """Return the sentence that the command wrote, or one that says that it wrote none."""
    sentences = [line.removeprefix(_SENTENCE) for line in said.splitlines() if line.startswith(_SENTENCE)]
    sentences = [sentence for sentence in sentences if not sentence.startswith("warning: ")]
    return sentence_of(sentences[-1]) if sentences else _UNEXPECTED


def sentence_of(text: str) -> str:
    """Return a message as a sentence; a name at its beginning stays as it is."""
    first = text.split(" ", 1)[0]
    if first.isalpha():
        text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "?", "!")) else f"{text}."
