"""The list of tokens: rename in place, remove, move, insert, mark as padding, by keyboard and by pointer.

It changes nothing itself: it asks by its signals, with places counted from 0.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import (
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
    SignalInstance,
)
from PySide6.QtGui import (
    QAction,
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QAbstractItemDelegate, QListView, QMenu, QSizePolicy, QToolTip, QWidget

from attnexplorer.compute.numbers import full_text
from attnexplorer.document.cursor import Cell
from attnexplorer.experiment.splitting import visible
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.input.token_delegate import ROW, TokenDelegate
from attnexplorer.views.input.token_drag import TokenDrag
from attnexplorer.views.input.token_model import TokenModel, TokenRows, changed_places
from attnexplorer.views.whole_errors import with_whole_errors

_BEGIN_NUMBERS = "0123456789.,-−+("
MOST_ROWS = 12
"""Longer lists scroll in themselves, so that what is below stays near."""
STEPS = {QAbstractItemDelegate.EndEditHint.EditNextItem: 1, QAbstractItemDelegate.EndEditHint.EditPreviousItem: -1}


@with_whole_errors
class TokenList(QListView):
    """One row a token; only the rows that can be seen are laid out and painted."""

    rename_requested = Signal(int, str)
    insert_requested = Signal(int, str)
    remove_requested = Signal(int)
    move_requested = Signal(int, int)
    padding_requested = Signal(int)
    cell_requested = Signal(object)
    typing_requested = Signal(object, str)
    """The number of a token is to be typed, and how it begins."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._tokens = TokenModel()
        self._delegate = TokenDelegate(appearance, self)
        self._drag = TokenDrag(self)
        self._number: Cell | None = None
        self.setModel(self._tokens)
        self.setItemDelegate(self._delegate)
        self.setUniformItemSizes(True)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setMouseTracking(True)
        self.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.menu = QMenu(self)
        self._make_actions()
        self.viewport().installEventFilter(self)

    def show_rows(self, rows: TokenRows) -> None:
        """Show other tokens; the current place stays current."""
        current, before = self.current, self._tokens.rows
        if rows.tokens == before.tokens and self._tokens.draft is None:
            self._tokens.show(rows)
            for place in changed_places(before, rows):
                self.viewport().update(self.visualRect(self._tokens.index(place)))
            return
        self._tokens.show(rows)
        if current is not None and rows.tokens:
            self.go_to(min(current, len(rows.tokens) - 1))
        self.updateGeometry()

    def show_selected_cell(self, cell: Cell | None) -> None:
        """Frame the number that is the selected cell."""
        if cell != self._delegate.selected_cell:
            self._delegate.selected_cell = cell
            self.viewport().update()

    def take_appearance(self) -> None:
        """Lay the rows out anew after a change of the look."""
        self.scheduleDelayedItemsLayout()
        self.updateGeometry()
        self.viewport().update()

    @property
    def current(self) -> int | None:
        """The place of the current token."""
        row = self.currentIndex().row()
        return self._tokens.token_at(row) if row >= 0 else None

    def go_to(self, place: int) -> None:
        """Make a token the current one."""
        flag = QItemSelectionModel.SelectionFlag.ClearAndSelect
        self.selectionModel().setCurrentIndex(self._tokens.index(place), flag)

    def begin_insert(self, place: int | None = None) -> None:
        """Open a line for a new token before a place, by default after the current token."""
        if place is None:
            place = len(self._tokens.rows.tokens) if self.current is None else self.current + 1
        self._tokens.end_draft()
        index = self._tokens.begin_draft(place)
        self.updateGeometry()
        self.setCurrentIndex(index)
        self.scrollTo(index)
        self.edit(index)

    def begin_rename(self) -> None:
        """Open the current token for editing."""
        if self.current is not None:
            self.edit(self.currentIndex())

    def part_rect(self, place: int, part: str, number: int = 0) -> QRect:
        """Return where in the viewport a part of a row is: badge, token, numbers, padding or menu."""
        index = self._tokens.index(place)
        parts = self._delegate.parts(index, self.visualRect(index))
        rect = parts.numbers[number] if part == "numbers" else getattr(parts, part)
        assert isinstance(rect, QRect)
        return rect

    def _make_actions(self) -> None:
        self._add_action("&Rename", ("F2",), self.begin_rename)
        self._add_action("&Insert after", ("Ctrl+Return", "Ctrl+Enter"), self.begin_insert)
        self._add_action("Move &up", ("Alt+Up",), lambda: self._move_current(-1))
        self._add_action("Move &down", ("Alt+Down",), lambda: self._move_current(1))
        self._padding = self._add_action("&Padding", ("Space",), lambda: self._ask(self.padding_requested))
        self._padding.setCheckable(True)
        self.menu.addSeparator()
        self._add_action("Re&move", ("Delete", "Backspace"), lambda: self._ask(self.remove_requested))
        self.menu.aboutToShow.connect(self._on_menu_about_to_show)

    def _add_action(self, text: str, keys: tuple[str, ...], slot: Callable[[], None]) -> QAction:
        action = QAction(text, self)
        action.setShortcuts([QKeySequence(key) for key in keys])
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.triggered.connect(lambda: slot())
        self.addAction(action)
        self.menu.addAction(action)
        return action

    def _on_menu_about_to_show(self) -> None:
        current = self.current
        self._padding.setChecked(current is not None and self._tokens.rows.padding[current])

    def _ask(self, signal: SignalInstance) -> None:
        if self.current is not None:
            signal.emit(self.current)

    def _move_current(self, step: int) -> None:
        start = self.current
        if start is not None and 0 <= start + step < len(self._tokens.rows.tokens):
            self.move_requested.emit(start, start + step)

    def _finish_edit(self, hint: QAbstractItemDelegate.EndEditHint) -> None:
        typed, self._delegate.typed = self._delegate.typed, None
        draft = self._tokens.draft
        if draft is not None:
            self._tokens.end_draft()
            self.updateGeometry()
            self.go_to(max(0, draft - 1))
            if typed is not None and typed[1]:
                self.insert_requested.emit(draft, typed[1])
        elif typed is not None:
            self.rename_requested.emit(*typed)
        self._edit_neighbour(hint)

    def _edit_neighbour(self, hint: QAbstractItemDelegate.EndEditHint) -> None:
        step = STEPS.get(hint)
        place = None if self.current is None or step is None else self.current + step
        if place is not None and 0 <= place < len(self._tokens.rows.tokens):
            self.go_to(place)
            self.begin_rename()

    def _click(self, index: QModelIndex, point: QPoint) -> bool:
        """Do what the part of a row under the pointer is for; False where it is the token itself."""
        self._number = None
        place = self._tokens.token_at(index.row())
        parts = self._delegate.parts(index, self.visualRect(index))
        if place is None:
            return False
        if parts.padding.contains(point):
            self.padding_requested.emit(place)
        elif parts.menu.contains(point):
            self.go_to(place)
            self.menu.popup(self.viewport().mapToGlobal(parts.menu.bottomLeft()))
        elif (column := parts.number_at(point)) is not None:
            self.go_to(index.row())
            self._number = self._tokens.rows.cell(place, column)
            self.cell_requested.emit(self._number)
        else:
            return False
        return True

    def _row_height(self) -> int:
        return round(ROW * self._appearance.text_scale)

    def _tip(self, index: QModelIndex, point: QPoint) -> str:
        place = self._tokens.token_at(index.row())
        if place is None:
            return ""
        rows, parts = self._tokens.rows, self._delegate.parts(index, self.visualRect(index))
        if parts.padding.contains(point):
            state = "is padding: nobody attends to it" if rows.padding[place] else "is not padding"
            return f"“{visible(rows.tokens[place])}” {state}. Click or Space changes it."
        if parts.menu.contains(point):
            return "Rename, insert, move, remove"
        column = parts.number_at(point)
        if column is not None and rows.matrix is not None:
            value = full_text(float(rows.matrix[rows.places[place], column]), self._appearance.decimal_point)
            return f"{value}: a click selects this number, a double click or typing changes it."
        return f"{place + 1}: {visible(rows.tokens[place])}"

    def closeEditor(self, editor: QWidget, hint: QAbstractItemDelegate.EndEditHint) -> None:
        # The model is reset by an edit, and the editor must be gone before that.
        super().closeEditor(editor, QAbstractItemDelegate.EndEditHint.NoHint)
        self._finish_edit(hint)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and index.isValid():
            self.setFocus(Qt.FocusReason.MouseFocusReason)
            if self._click(index, event.position().toPoint()):
                return
            self._drag.press(index.row(), event.position().toPoint())
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._drag.is_possible and event.buttons() & Qt.MouseButton.LeftButton:
            self._drag.move(event.position().toPoint())
        else:
            super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        move = self._drag.finish()
        if move is None:
            super().mouseReleaseEvent(event)
        else:
            self.move_requested.emit(*move)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        point = event.position().toPoint()
        index = self.indexAt(point)
        if not index.isValid() or event.button() != Qt.MouseButton.LeftButton:
            return
        if self._click(index, point):
            if self._number is not None:
                self.typing_requested.emit(self._number, "")
        else:
            self._drag.cancel()
            self.go_to(index.row())
            self.begin_rename()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() == QContextMenuEvent.Reason.Mouse:
            index = self.indexAt(event.pos())
            if index.isValid():
                self.go_to(index.row())
                self.menu.popup(event.globalPos())
        elif self.current is not None:
            self.menu.popup(self.viewport().mapToGlobal(self.part_rect(self.current, "menu").bottomLeft()))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        # Qt makes the first row the current one, which alone is not seen.
        unseen = event.reason() != Qt.FocusReason.MouseFocusReason and not self.selectionModel().hasSelection()
        if unseen and self._tokens.rows.tokens:
            self.go_to(self.current or 0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._drag.gap is not None:
            self._drag.cancel()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            # An editor passes its Enter on to the list once it has taken it.
            if self.state() != QListView.State.EditingState:
                self.begin_rename()
        elif self._number is not None and _begins_a_number(event):
            self.typing_requested.emit(self._number, event.text())
        else:
            self._number = None
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.viewport() and isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            index = self.indexAt(event.pos())
            text = self._tip(index, event.pos()) if index.isValid() else ""
            QToolTip.showText(event.globalPos(), text, self.viewport())
            return True
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        self._drag.paint(QPen(QColor(self._appearance.theme.accent), 2))

    def sizeHint(self) -> QSize:
        rows = min(max(1, self._tokens.rowCount()), MOST_ROWS)
        return QSize(super().sizeHint().width(), rows * self._row_height() + 2 * self.frameWidth())

    def minimumSizeHint(self) -> QSize:
        return QSize(round(120 * self._appearance.text_scale), self.sizeHint().height())


def _begins_a_number(event: QKeyEvent) -> bool:
    shift_at_most = not event.modifiers() & ~(Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier)
    return shift_at_most and bool(event.text()) and event.text() in _BEGIN_NUMBERS
