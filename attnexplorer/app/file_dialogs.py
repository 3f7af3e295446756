"""The system's dialogs for choosing files."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from attnexplorer.app.opening import OPENABLE
from attnexplorer.document.storage import SUFFIX

_FILTER = f"Experiments (*{SUFFIX});;All files (*)"
_TO_OPEN = (
    f"Experiments, figures that carry one, captures ({' '.join(f'*{suffix}' for suffix in OPENABLE)});;"
    f"Experiments (*{SUFFIX});;All files (*)"
)


def ask_for_file_to_open(parent: QWidget, folder: Path) -> Path | None:
    """Return the chosen file, or None."""
    chosen, _ = QFileDialog.getOpenFileName(parent, "Open an experiment", str(folder), _TO_OPEN)
    return Path(chosen) if chosen else None


def ask_for_file_to_save(parent: QWidget, suggestion: Path) -> Path | None:
    """Return the chosen file, with a suffix, or None; the dialog itself asks before a file is replaced."""
    dialog = QFileDialog(parent, "Save the experiment", str(suggestion.parent), _FILTER)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix(SUFFIX.removeprefix("."))
    dialog.selectFile(suggestion.name)
    accepted = dialog.exec() == QFileDialog.DialogCode.Accepted
    files = dialog.selectedFiles()
    dialog.deleteLater()
    return Path(files[0]) if accepted and files else None
