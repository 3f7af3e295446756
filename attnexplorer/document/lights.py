"""Which cells light up for the cell under the pointer (or the selected one): what it is made from, what it feeds."""

from __future__ import annotations

from typing import Literal, NamedTuple

from PySide6.QtCore import QObject, Signal

from attnexplorer.compute.engine import Evaluation
from attnexplorer.compute.links import Area, sources, targets
from attnexplorer.document.cursor import Cell
from attnexplorer.document.document import Document

Kind = Literal["source", "target", "cell"]


class Light(NamedTuple):
    """A lit rectangle of cells."""

    area: Area
    kind: Kind


class Lights(QObject):
    """The lit areas by the path of their matrix."""

    changed = Signal(object)
    """Emitted with the paths whose lights differ from before."""

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self._document = document
        self._lit: dict[str, tuple[Light, ...]] = {}
        document.cursor.hover_changed.connect(self._on_cursor_changed)
        document.cursor.selection_changed.connect(self._on_cursor_changed)
        document.evaluated.connect(self._on_document_evaluated)

    def on(self, path: str) -> tuple[Light, ...]:
        """Return what is lit in a matrix."""
        return self._lit.get(path, ())

    def _on_cursor_changed(self, _cell: Cell | None) -> None:
        before, now = self._lit, self._areas(self._document.cursor.shown)
        self._lit = now
        differing = {path for path in before.keys() | now.keys() if before.get(path) != now.get(path)}
        if differing:
            self.changed.emit(differing)

    def _on_document_evaluated(self, _evaluation: Evaluation) -> None:
        self._on_cursor_changed(self._document.cursor.shown)

    def _areas(self, cell: Cell | None) -> dict[str, tuple[Light, ...]]:
        if cell is None or self._document.matrix(cell.path) is None:
            return {}
        experiment = self._document.evaluation.experiment
        lit: dict[str, list[Light]] = {}
        own = Area(cell.path, range(cell.row, cell.row + 1), range(cell.column, cell.column + 1))
        lit.setdefault(cell.path, []).append(Light(own, "cell"))
        for area in targets(experiment, *cell):
            lit.setdefault(area.path, []).append(Light(area, "target"))
        for area in sources(experiment, *cell):
            lit.setdefault(area.path, []).append(Light(area, "source"))
        return {path: tuple(lights) for path, lights in lit.items()}
