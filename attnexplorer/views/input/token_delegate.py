"""How a row of the token list is laid out, painted and edited."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from attnexplorer.compute.numbers import cell_text
from attnexplorer.document.cursor import Cell
from attnexplorer.figures.colours import contrast
from attnexplorer.figures.theme import Theme, position_colour
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.input.token_model import TokenModel
from attnexplorer.views.whole_errors import with_whole_errors

Index = QModelIndex | QPersistentModelIndex
ROW = 28.0
CIRCLE = 18.0
NUMBER = 38.0
MARK = 14.0
GAP = 4.0
SMALLEST_TOKEN = 44.0
"""Numbers that would leave a token less room than this are not shown. All in pixels at the usual size of type."""


@dataclass(frozen=True, slots=True)
class RowParts:
    """Where the parts of a row are."""

    badge: QRect
    token: QRect
    numbers: tuple[QRect, ...]
    padding: QRect
    menu: QRect

    def number_at(self, point: QPoint) -> int | None:
        """Return which number is at a point."""
        return next((column for column, rect in enumerate(self.numbers) if rect.contains(point)), None)


def row_parts(row: QRect, numbers: int, digits: int, scale: float) -> RowParts:
    """Lay a row out; `digits`: of the largest position, which the badges must hold."""

    def scaled(length: float) -> int:
        return round(length * scale)

    def part(left: int, width: int, height: int) -> QRect:
        return QRect(left, row.center().y() - height // 2 + 1, width, height)

    badge = part(row.left() + scaled(GAP), scaled(CIRCLE + 7 * max(0, digits - 2)), scaled(CIRCLE))
    menu = QRect(row.right() - scaled(MARK), row.top(), scaled(MARK), row.height())
    padding = QRect(menu.left() - scaled(MARK + GAP), row.top(), scaled(MARK + GAP), row.height())
    start, end = badge.right() + 1 + scaled(2 * GAP), padding.left() - scaled(GAP / 2)
    step = scaled(NUMBER + GAP)
    if end - numbers * step - start < scaled(SMALLEST_TOKEN):
        numbers = 0
    first = end - numbers * step
    cells = tuple(part(first + scaled(GAP) + k * step, scaled(NUMBER), scaled(ROW - 8)) for k in range(numbers))
    return RowParts(badge, QRect(start, row.top(), max(0, first - start), row.height()), cells, padding, menu)


@with_whole_errors
class TokenDelegate(QStyledItemDelegate):
    """Paints a badge in the position's colour, the token, its numbers, the padding mark and a menu sign."""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self.selected_cell: Cell | None = None
        self.typed: tuple[int, str] | None = None
        """The row and text of an editor that was left with a new text."""

    def parts(self, index: Index, rect: QRect) -> RowParts:
        """Return where the parts of a row are that fills `rect`."""
        model = self._model(index)
        digits = len(str(len(model.rows.tokens)))
        return row_parts(rect, model.rows.numbers, digits, self._appearance.text_scale)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, round(ROW * self._appearance.text_scale))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        parts, theme = self.parts(index, option.rect), self._appearance.theme
        place = self._model(index).token_at(index.row())
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter, option, theme)
        if place is not None:
            self._paint_badge(painter, parts.badge, place)
            self._paint_token(painter, parts.token, index, place)
            self._paint_numbers(painter, parts, index, place)
            padded = self._model(index).rows.padding[place]
            if padded or option.state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver):
                self._paint_padding(painter, parts.padding, padded=padded)
            self._paint_menu(painter, parts.menu)
        painter.restore()

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = QLineEdit(parent)
        editor.setObjectName("token-editor")
        editor.setAccessibleName("New token" if self._model(index).token_at(index.row()) is None else "Rename token")
        editor.setToolTip("Enter keeps the text, Esc takes it back")
        self.typed = None
        return editor

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        assert isinstance(editor, QLineEdit)
        if editor.isModified():
            self.typed = (index.row(), editor.text())

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        parts = self.parts(index, option.rect)
        left = parts.token.left() - round(7 * self._appearance.text_scale)
        editor.setGeometry(QRect(QPoint(left, option.rect.top()), QPoint(parts.padding.left(), option.rect.bottom())))

    def _paint_ground(self, painter: QPainter, option: QStyleOptionViewItem, theme: Theme) -> None:
        state = option.state
        chosen = bool(state & QStyle.StateFlag.State_Selected)
        if not chosen and not state & QStyle.StateFlag.State_MouseOver:
            return
        focused = chosen and bool(state & QStyle.StateFlag.State_HasFocus)
        painter.setPen(QPen(QColor(theme.accent)) if focused else Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.accent_soft if chosen else theme.ground))
        painter.drawRoundedRect(QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)

    def _paint_badge(self, painter: QPainter, rect: QRect, place: int) -> None:
        colour, theme = position_colour(place), self._appearance.theme
        light, dark = QColor(theme.cell_light_text), QColor(theme.cell_dark_text)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawRoundedRect(rect, rect.height() / 2, rect.height() / 2)
        painter.setPen(light if contrast(colour, light) >= contrast(colour, dark) else dark)
        painter.setFont(self._appearance.font("text", 11, bold=True))
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, str(place + 1))

    def _paint_token(self, painter: QPainter, rect: QRect, index: Index, place: int) -> None:
        theme, padded = self._appearance.theme, self._model(index).rows.padding[place]
        painter.setPen(QColor(theme.muted if padded else theme.text))
        painter.setFont(self._appearance.font("text", 13))
        text = painter.fontMetrics().elidedText(str(index.data()), Qt.TextElideMode.ElideRight, rect.width())
        flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(rect, flags | Qt.TextFlag.TextSingleLine, text)

    def _paint_numbers(self, painter: QPainter, parts: RowParts, index: Index, place: int) -> None:
        rows, theme = self._model(index).rows, self._appearance.theme
        painter.setFont(self._appearance.font("number", 11))
        for column, rect in enumerate(parts.numbers):
            assert rows.matrix is not None
            chosen = rows.cell(place, column) == self.selected_cell
            painter.setPen(QPen(QColor(theme.accent if chosen else theme.border), 2 if chosen else 1))
            painter.setBrush(QColor(theme.card))
            painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
            painter.setPen(QColor(theme.text))
            value = float(rows.matrix[rows.places[place], column])
            text = cell_text(value, decimal_point=self._appearance.decimal_point)
            painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_padding(self, painter: QPainter, rect: QRect, *, padded: bool) -> None:
        """Paint a little box, hatched like the cells that padding blocks."""
        theme, side = self._appearance.theme, round(12 * self._appearance.text_scale)
        box = QRect(0, 0, side, side)
        box.moveCenter(rect.center())
        painter.setPen(QColor(theme.muted))
        painter.setBrush(QColor(theme.hatch_ground) if padded else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), 2, 2)
        if padded:
            painter.setClipRect(box.adjusted(1, 1, -1, -1))
            for offset in range(-side, side, max(3, side // 3)):
                left = box.left() + offset
                painter.drawLine(left, box.bottom() + 1, left + side, box.bottom() - side + 1)
            painter.setClipping(False)

    def _paint_menu(self, painter: QPainter, rect: QRect) -> None:
        scale = self._appearance.text_scale
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._appearance.theme.muted))
        centre = QRectF(rect).center()
        for dot in (-1, 0, 1):
            painter.drawEllipse(QRectF(centre.x() - scale, centre.y() + (4 * dot - 1) * scale, 2 * scale, 2 * scale))

    @staticmethod
    def _model(index: Index) -> TokenModel:
        model = index.model()
        assert isinstance(model, TokenModel)
        return model
