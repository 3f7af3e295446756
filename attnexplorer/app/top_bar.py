"""The bar across the top: workspaces as tabs on the left, layer, head, undo and redo on the right."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QStyle,
    QStyleOptionButton,
    QStylePainter,
    QToolButton,
    QWidget,
)

from attnexplorer.app.icons import turn_icon
from attnexplorer.document.document import Document
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.input.fields import ChoiceBox, CountBox
from attnexplorer.views.whole_errors import with_whole_errors

_NARROWEST_TAB = 36
_TURN_SIDE = 16


@with_whole_errors
class TopBar(QWidget):
    """The tabs say which workspace was asked for; layer and head go straight to the document's display choices."""

    workspace_requested = Signal(str)

    def __init__(self, document: Document, appearance: Appearance, undo: QAction, redo: QAction) -> None:
        super().__init__()
        self._document, self._appearance = document, appearance
        self._tabs: dict[str, QPushButton] = {}
        self._group = QButtonGroup(self)
        self._tab_row = QHBoxLayout()
        self._tab_row.setSpacing(4)
        self._layer_label, self._layer = QLabel("Layer"), _layer_chooser()
        self._head_label, self._head = QLabel("Head"), _head_chooser()
        self._turns = (_TurnButton(undo, "undo"), _TurnButton(redo, "redo"))
        self._left_out: list[QToolButton] = []
        self._lay_out()
        self._layer.entered.connect(self._on_layer_entered)
        self._head.chosen.connect(lambda head: document.display.choose("head", int(head)))
        document.display.changed.connect(self._on_display_changed)
        document.experiment_changed.connect(self._fill_choosers)
        appearance.changed.connect(self._on_appearance_changed)
        self._fill_choosers()
        self._on_appearance_changed()

    def add_workspace(self, name: str, title: str, description: str) -> None:
        """Add a tab."""
        tab = _Tab(title)
        tab.setProperty("look", "tab")
        tab.setCheckable(True)
        tab.setMinimumWidth(_NARROWEST_TAB)
        tab.setObjectName(f"tab_{name}")
        tab.setToolTip(description)
        tab.setAccessibleName(f"Workspace {title}")
        tab.clicked.connect(lambda: self.workspace_requested.emit(name))
        self._group.addButton(tab)
        self._tab_row.addWidget(tab)
        self._tabs[name] = tab

    def minimumSizeHint(self) -> QSize:
        """The tool bar hides what finds no room in it behind an arrow; so it is told of next to no least size."""
        return QSize(_NARROWEST_TAB, super().minimumSizeHint().height())

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint()

    def mark_workspace(self, name: str) -> None:
        """Show a tab as the present one; Tab stops at it, and arrow keys go from it to the others."""
        self._tabs[name].setChecked(True)
        for tab in self._tabs.values():
            tab.setFocusPolicy(Qt.FocusPolicy.StrongFocus if tab.isChecked() else Qt.FocusPolicy.ClickFocus)

    def add_title(self, title: QWidget) -> None:
        """Put a widget that takes the room left over right of the tabs."""
        self._row.insertWidget(1, title, 1000)

    def add_button(self, button: QPushButton) -> None:
        """Add a button at the right end."""
        self._row.addSpacing(6)
        self._row.addWidget(button)

    def _lay_out(self) -> None:
        self._row = row = QHBoxLayout(self)
        row.setContentsMargins(10, 5, 10, 6)
        row.setSpacing(6)
        row.addLayout(self._tab_row)
        row.addStretch(1)
        for widget in (self._layer_label, self._layer, self._head_label, self._head):
            row.addWidget(widget)
        row.addSpacing(8)
        for turn in self._turns:
            row.addWidget(turn)

    def _fill_choosers(self) -> None:
        layers = self._document.experiment.layers
        display = self._document.display
        heads = layers[display["layer"]].attention.heads
        self._layer.blockSignals(True)
        self._layer.setRange(1, len(layers))
        self._layer.blockSignals(False)
        self._layer.setSuffix(f" of {len(layers)}")
        self._layer.show_number(display["layer"] + 1)
        if self._head.count() != heads:
            self._head.clear()
            for head in range(heads):
                self._head.addItem(f"{head + 1} of {heads}", str(head))
        self._head.setCurrentIndex(display["head"])
        self._layer_label.setVisible(len(layers) > 1)
        self._layer.setVisible(len(layers) > 1)
        self._head_label.setVisible(heads > 1)
        self._head.setVisible(heads > 1)

    def _on_layer_entered(self, value: int) -> None:
        display, layers = self._document.display, self._document.experiment.layers
        display.choose("head", min(display["head"], layers[value - 1].attention.heads - 1))
        display.choose("layer", value - 1)

    def _on_display_changed(self, name: str) -> None:
        if name in ("layer", "head"):
            self._fill_choosers()

    def _on_appearance_changed(self) -> None:
        theme, side = self._appearance.theme, round(_TURN_SIDE * self._appearance.text_scale)
        for turn in self._turns:
            turn.setIconSize(QSize(side, side))
        for turn, back in zip(self._turns, (True, False), strict=True):
            turn.setIcon(turn_icon(QColor(theme.text), QColor(theme.border), back=back))
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    def _make_room(self) -> None:
        """Leave out undo and redo, which have keys, where the bar is too narrow."""
        missing = [turn for turn in self._turns if turn in self._left_out]
        wanted = self._row.sizeHint().width()
        if wanted > self.width() and not missing:
            self._left_out = [turn for turn in self._turns if not turn.isHidden()]
            for turn in self._left_out:
                turn.hide()
        elif missing and wanted + sum(it.sizeHint().width() + self._row.spacing() for it in missing) <= self.width():
            self._left_out = []
            for turn in missing:
                turn.show()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._appearance.theme
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(theme.card))
        painter.fillRect(0, self.height() - 1, self.width(), 1, QColor(theme.border))
        painter.end()


@with_whole_errors
class _Tab(QPushButton):
    """A tab that shortens its text where it is narrow."""

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, option = QStylePainter(self), QStyleOptionButton()
        self.initStyleOption(option)
        room = self.style().subElementRect(QStyle.SubElement.SE_PushButtonContents, option, self).width()
        option.text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room)
        painter.drawControl(QStyle.ControlElement.CE_PushButton, option)
        painter.end()


class _TurnButton(QToolButton):
    """A button that does, says and shows what an action does.

    It has no default action: with one, Qt 6.11 loses a little memory at each change of the action, whose text changes
    with every movement of a slider.
    """

    def __init__(self, action: QAction, name: str) -> None:
        super().__init__()
        self._action = action
        self.setObjectName(f"{name}_button")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        self.clicked.connect(action.trigger)
        action.changed.connect(self._follow)
        self._follow()

    def _follow(self) -> None:
        text = self._action.text().replace("&", "")
        if text != self.toolTip():
            self.setToolTip(text)
            self.setAccessibleName(text)
        self.setEnabled(self._action.isEnabled())


def _layer_chooser() -> CountBox:
    chooser = CountBox("layer_chooser", 1, 1)
    chooser.setAccessibleName("Layer")
    chooser.setToolTip("The layer that is shown")
    return chooser


def _head_chooser() -> ChoiceBox:
    chooser = ChoiceBox("head_chooser", ())
    chooser.setAccessibleName("Head")
    chooser.setToolTip("The head that is shown")
    return chooser
