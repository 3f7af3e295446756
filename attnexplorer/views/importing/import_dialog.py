"""Asks which array of a file goes where, which way round, and how a fused one is split; shows what would come of it."""

from __future__ import annotations

from itertools import product

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QLabel, QVBoxLayout, QWidget

from attnexplorer.compute.stages import unit_at
from attnexplorer.document.document import Document
from attnexplorer.document.names import matrix_name
from attnexplorer.experiment.arrays import Matrix
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.pinning import PINNABLE
from attnexplorer.experiment.rules import counted
from attnexplorer.experiment.validation import validate
from attnexplorer.interop.arrays.found import Numbers, shape_words
from attnexplorer.interop.mapping import Choice, Kind, Order, Target, imported, matrices, targets
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.dialogs.plain_buttons import without_pictures
from attnexplorer.views.importing.array_source import ArraySource, layout_name
from attnexplorer.views.importing.preview import MOST_COLUMNS, MOST_ROWS, MatrixPreview
from attnexplorer.views.importing.target_names import target_name
from attnexplorer.views.input.check_box import CheckBox
from attnexplorer.views.input.fields import ChoiceBox
from attnexplorer.views.whole_errors import with_whole_errors

_TRANSPOSE = "PyTorch's Linear stores its weight as [out, in]; here a row belongs to an input"
MOST_SLICES = 2_000


@with_whole_errors
class ImportDialog(QDialog):
    """Makes the edit itself when it is accepted: one undo step."""

    def __init__(
        self,
        document: Document,
        appearance: Appearance,
        source: ArraySource,
        path: str | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"Import from {source.name}")
        self._document, self._appearance, self._source = document, appearance, source
        self._targets = _targets(document, path)
        self._array: Numbers | None = None
        self._found: dict[str, Matrix] = {}
        layouts = [(str(index), layout_name(layout)) for index, layout in enumerate(source.choosable_layouts)]
        self.layout_box = _box("import-layout", "Separators", "How the text is written", layouts)
        self.array_box = _box("import-array", "Array", "Which of the arrays", ())
        self.slice_box = _box("import-slice", "Part", "Which of the matrices that are stacked in the array", ())
        self.transpose = CheckBox("import-transpose", "Transpose", _TRANSPOSE)
        names = [target_name(document.experiment, target) for target in self._targets]
        entries = [(str(index), name) for index, name in enumerate(names)]
        self.target_box = _box("import-target", "Into", "Where the numbers go", entries)
        orders = [(order.name, order.value) for order in Order]
        self.order_box = _box("import-order", "Columns", "How Q, K and V stand side by side in the array", orders)
        self.preview_box = _box("import-shown", "Preview", "Which of the resulting matrices is shown below", ())
        self.preview = MatrixPreview(appearance)
        self._note, self._error = _label("import-note", "note"), _label("import-error", "error")
        self._summary = _label("import-summary", "caption")
        self._lay_out()
        self._connect()
        if source.unclear:
            self._ask_for_layout()
        else:
            self._fill_arrays()
        if path is not None:
            self._choose_target(path)
        self._offer_fitting()

    def accept(self) -> None:
        target = self._target
        name = target_name(self._document.experiment, target)
        text, found = f"Import into {name}", self._found
        try:
            if target.kind is Kind.MATRIX:
                self._document.set_matrix(target.path, found[target.path], text)
            else:
                self._document.apply(text, lambda experiment: imported(experiment, found))
        except ExperimentError as refusal:
            self._say(str(refusal))
            return
        super().accept()

    @property
    def _target(self) -> Target:
        return self._targets[self.target_box.currentIndex()]

    @property
    def _choice(self) -> Choice:
        index = self.slice_box.currentData()
        slices = tuple(map(int, index.split(","))) if index else ()
        return Choice(slices, self.transpose.isChecked(), Order[self.order_box.currentData()])

    def _lay_out(self) -> None:
        self._form = QFormLayout()
        self._form.addRow("&Written with", self.layout_box)
        self._form.setRowVisible(self.layout_box, self.layout_box.count() > 0)
        self._form.addRow("&Array", self.array_box)
        self._form.addRow("&Part", self.slice_box)
        self._form.addRow("", self.transpose)
        self._form.addRow("&Into", self.target_box)
        self._form.addRow("&Columns", self.order_box)
        self._form.addRow("P&review", self.preview_box)
        self._buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        self._buttons.button(QDialogButtonBox.StandardButton.Ok).setText("Import")
        self._buttons.accepted.connect(self.accept)
        self._buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addWidget(self._note)
        column.addLayout(self._form)
        column.addWidget(self.preview)
        column.addWidget(self._summary)
        column.addWidget(self._error)
        column.addStretch(1)
        column.addWidget(self._buttons)
        without_pictures(self)

    def _connect(self) -> None:
        self.layout_box.currentIndexChanged.connect(self._on_layout_changed)
        self.array_box.currentIndexChanged.connect(self._on_array_changed)
        for box in (self.slice_box, self.target_box, self.order_box):
            box.currentIndexChanged.connect(self._refresh)
        self.transpose.toggled.connect(self._refresh)
        self.preview_box.currentIndexChanged.connect(self._show_preview)

    def _ask_for_layout(self) -> None:
        """Choose nothing: what is unclear is said by the user."""
        ways = counted(len(self._source.layouts), "way")
        self._note.setText(f"These numbers can be read in {ways}: choose how they are written.")
        self._note.show()
        self.layout_box.blockSignals(True)
        self.layout_box.setPlaceholderText("Choose…")
        self.layout_box.setCurrentIndex(-1)
        self.layout_box.blockSignals(False)
        self._refuse("")
        self._show_rows()

    def _fill_arrays(self) -> None:
        self.array_box.blockSignals(True)
        self.array_box.clear()
        for found in self._source.arrays.arrays:
            self.array_box.addItem(f"{found.name}  ({shape_words(found.shape)})", found.name)
        self.array_box.blockSignals(False)
        self._on_array_changed()

    def _on_layout_changed(self, index: int) -> None:
        self._note.hide()
        try:
            self._source.read_as(self._source.choosable_layouts[index])
        except ExperimentError as refusal:
            self._array = None
            self._refuse(str(refusal))
            return
        self._fill_arrays()

    def _on_array_changed(self) -> None:
        try:
            self._array = self._source.arrays.load(self.array_box.currentData())
        except ExperimentError as refusal:
            self._array = None
            self._refuse(str(refusal))
            return
        self._fill_slices(self._array.shape)
        self._refresh()

    def _fill_slices(self, shape: tuple[int, ...]) -> None:
        self.slice_box.blockSignals(True)
        self.slice_box.clear()
        leading = shape[:-2]
        if len(leading) == 1:
            self.slice_box.addItem("the whole stack, a matrix a head", "")
        for _, places in zip(range(MOST_SLICES), product(*map(range, leading)), strict=False):
            if places:
                self.slice_box.addItem(", ".join(str(place + 1) for place in places), ",".join(map(str, places)))
        self.slice_box.blockSignals(False)

    def _choose_target(self, path: str) -> None:
        for index, target in enumerate(self._targets):
            if target.path == path:
                self.target_box.setCurrentIndex(index)

    def _offer_fitting(self) -> None:
        """Begin with the transpose where only that fits."""
        if not self._found and self._array is not None:
            self.transpose.setChecked(True)
            if not self._found:
                self.transpose.setChecked(False)

    def _refresh(self) -> None:
        if self._array is None:
            return
        self._show_rows()
        experiment = self._document.experiment
        try:
            found = matrices(experiment, self._array, self._target, self._choice)
            if self._target.kind is not Kind.MATRIX:
                validate(imported(experiment, found))
        except ExperimentError as refusal:
            self._refuse(str(refusal))
            return
        self._found = found
        self._fill_preview()
        self._say("")

    def _show_rows(self) -> None:
        """Ask only what there is a choice of."""
        self._form.setRowVisible(self.order_box, self._target.kind is Kind.FUSED)
        self._form.setRowVisible(self.slice_box, self.slice_box.count() > 0)
        self._form.setRowVisible(self.array_box, self.array_box.count() > 1)

    def _fill_preview(self) -> None:
        before = self.preview_box.currentIndex()
        self.preview_box.blockSignals(True)
        self.preview_box.clear()
        for path in self._found:
            self.preview_box.addItem(matrix_name(self._document.experiment, path), path)
        self.preview_box.setCurrentIndex(before if 0 <= before < len(self._found) else 0)
        self.preview_box.blockSignals(False)
        self._form.setRowVisible(self.preview_box, len(self._found) > 1)
        self._show_preview()

    def _show_preview(self) -> None:
        matrix = self._found.get(self.preview_box.currentData())
        self.preview.show_matrix(matrix)
        if matrix is not None:
            shape = matrix.shape
            cut = shape[-1] > MOST_COLUMNS or (len(shape) > 1 and shape[0] > MOST_ROWS)
            several = f"{counted(len(self._found), 'matrix')}, this one " if len(self._found) > 1 else ""
            self._summary.setText(f"{several}{shape_words(shape)}{', its beginning' if cut else ''}")

    def _refuse(self, sentence: str) -> None:
        """Show the array as it is, and why nothing can come of it."""
        self._found = {}
        self.preview.show_matrix(None if self._array is None else self._array[(0,) * (self._array.ndim - 2)])
        self._form.setRowVisible(self.preview_box, False)
        self._summary.setText("")
        self._say(sentence)

    def _say(self, sentence: str) -> None:
        # A sentence that begins with the name of a file keeps it as it is.
        self._error.setText(sentence[:1].upper() + sentence[1:] if sentence.startswith("the ") else sentence)
        self._error.setVisible(bool(sentence))
        self._summary.setVisible(not sentence)
        self._buttons.button(QDialogButtonBox.StandardButton.Ok).setEnabled(bool(self._found))


def _targets(document: Document, path: str | None) -> tuple[Target, ...]:
    """Return what can be imported into; a stage that can be pinned only if it was asked for."""
    found = targets(document.experiment)
    unit = None if path is None else unit_at(path)
    if path is not None and unit is not None and unit.stage in PINNABLE:
        return (Target(path, Kind.MATRIX), *found)
    return found


def _box(name: str, accessible: str, tip: str, entries: list[tuple[str, str]] | tuple[()]) -> ChoiceBox:
    box = _WideBox(name, entries)
    box.setAccessibleName(accessible)
    box.setToolTip(tip)
    return box


@with_whole_errors
class _WideBox(ChoiceBox):
    """A choice with long names; it is as wide as the dialog."""

    def sizeHint(self) -> QSize:
        return QSize(round(22 * self.fontMetrics().height()), super().sizeHint().height())


def _label(name: str, look: str) -> QLabel:
    label = QLabel()
    label.setObjectName(name)
    label.setProperty("look", look)
    label.setWordWrap(True)
    label.hide()
    return label
