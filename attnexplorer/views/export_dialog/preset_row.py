"""Saved choices: one is taken, the present ones are saved under a name, or some are removed."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QStackedWidget, QWidget

from attnexplorer.views.export_dialog.fields import WideChoice
from attnexplorer.views.export_dialog.memory import Memory
from attnexplorer.views.whole_errors import with_whole_errors

_LONGEST = 60


class PresetRow(QWidget):
    """A list of the saved ones with its two buttons; a name is typed in the place of the list."""

    taken = Signal(str)
    """Emitted with the text of saved choices."""
    save_requested = Signal(str)
    """Emitted with the name."""

    def __init__(self, memory: Memory) -> None:
        super().__init__()
        self._memory = memory
        self.list = WideChoice("figure-preset", "Preset", "Take choices that were saved")
        self.name = _NameField()
        self.save = _button("figure-preset-save", "Save…", "Save the present choices under a name")
        self.remove = _button("figure-preset-remove", "Remove", "Remove the preset that is shown")
        self._places = QStackedWidget()
        self._places.addWidget(self.list)
        self._places.addWidget(self.name)
        self._places.setMaximumHeight(self.list.sizeHint().height())
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        for widget in (self._places, self.save, self.remove):
            row.addWidget(widget, 1 if widget is self._places else 0)
        self.list.chosen.connect(self._on_list_chosen)
        self.save.clicked.connect(self._on_save_clicked)
        self.remove.clicked.connect(self._on_remove_clicked)
        self.name.entered.connect(self._on_name_entered)
        self.name.left.connect(self._show_list)
        self.refill("")

    def refill(self, shown: str) -> None:
        """List what is saved, and show one of them."""
        names = sorted(self._memory.figure_presets, key=str.casefold)
        self.list.offer([("", "Last used"), *((name, name) for name in names)], shown)
        self.remove.setEnabled(bool(self.list.currentData()))

    def show_none(self) -> None:
        """Show that the choices are those of no preset."""
        if self.list.currentData():
            self.list.show_value("")
            self.remove.setEnabled(False)

    def _on_list_chosen(self, name: str) -> None:
        self.remove.setEnabled(bool(name))
        text = self._memory.figure_presets.get(name) if name else None
        if text is not None:
            self.taken.emit(text)

    def _on_save_clicked(self) -> None:
        if self._places.currentWidget() is self.name:
            self._on_name_entered()
            return
        self.name.setText(self.list.currentData() or "")
        self.name.selectAll()
        self._places.setCurrentWidget(self.name)
        self.name.setFocus()

    def _on_name_entered(self) -> None:
        name = " ".join(self.name.text().split())
        if name:
            self.save_requested.emit(name)
            self.refill(name)
        self._show_list()

    def _on_remove_clicked(self) -> None:
        self._memory.forget_figure_preset(self.list.currentData())
        self.refill("")

    def _show_list(self) -> None:
        self._places.setCurrentWidget(self.list)


@with_whole_errors
class _NameField(QLineEdit):
    """Enter saves, Esc leaves; neither reaches the dialog."""

    entered = Signal()
    left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("figure-preset-name")
        self.setAccessibleName("Name of the preset")
        self.setToolTip("The name of the preset; Enter saves it")
        self.setPlaceholderText("Name of the preset")
        self.setMaxLength(_LONGEST)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entered.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)


def _button(name: str, text: str, tip: str) -> QPushButton:
    button = QPushButton(text)
    button.setObjectName(name)
    button.setToolTip(tip)
    button.setAccessibleName(tip)
    return button
