"""The system's dialogs for files of numbers and of code."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

_ALL = "All files (*)"


def ask_for_matrix_file(parent: QWidget, folder: Path) -> Path | None:
    """Return the chosen file, or None."""
    # Not needed to start.
    from attnexplorer.interop.arrays.reading import SUFFIXES

    known = f"Matrices ({' '.join(f'*{suffix}' for suffix in SUFFIXES)})"
    chosen, _ = QFileDialog.getOpenFileName(parent, "Import a matrix", str(folder), f"{known};;{_ALL}")
    return Path(chosen) if chosen else None


def ask_for_file_to_write(
    parent: QWidget, title: str, suggestion: Path, filters: tuple[tuple[str, str], ...]
) -> Path | None:
    """Return the chosen file, with a suffix, or None; the dialog itself asks before a file is replaced.

    `filters` are names of formats with their suffixes; the first is the one that a name without a suffix gets.
    """
    shown = [f"{name} (*{suffix})" for name, suffix in filters]
    dialog = QFileDialog(parent, title, str(suggestion.parent), ";;".join(shown))
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    suffixes = {text: suffix.removeprefix(".") for text, (_, suffix) in zip(shown, filters, strict=True)}
    dialog.setDefaultSuffix(suffixes[shown[0]])
    dialog.filterSelected.connect(lambda text: dialog.setDefaultSuffix(suffixes[text]))
    dialog.selectFile(suggestion.name)
    accepted = dialog.exec() == QFileDialog.DialogCode.Accepted
    files = dialog.selectedFiles()
    dialog.deleteLater()
    return Path(files[0]) if accepted and files else None
