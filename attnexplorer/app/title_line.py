"""The title of the experiment, and how its notes begin, as a quiet line right of the tabs; the tip has all notes."""

from __future__ import annotations

import html

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolButton

from attnexplorer.document.document import Document
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.whole_errors import with_whole_errors

_MARGIN = 10
_LEAST_ROOM = 40
_LONGEST_NOTES = 900


@with_whole_errors
class TitleLine(QToolButton):
    """A press asks for title and notes. It takes only the room that is left over, and none without a title."""

    def __init__(self, document: Document, appearance: Appearance) -> None:
        super().__init__()
        self._document, self._appearance = document, appearance
        self._begins = ""
        self.setObjectName("title_line")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        document.experiment_changed.connect(self._refresh)
        appearance.changed.connect(self.update)
        self._refresh()

    def sizeHint(self) -> QSize:
        return QSize(0, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._appearance.theme, QPainter(self)
        middle, half = self.height() / 2, self.fontMetrics().height() / 2
        painter.setPen(QColor(theme.border))
        painter.drawLine(QPointF(_MARGIN, middle - half), QPointF(_MARGIN, middle + half))
        room = self.rect().adjusted(2 * _MARGIN, 0, -_MARGIN, 0)
        room.setLeft(room.left() + self._paint(painter, self.text(), room, theme.text) + _MARGIN)
        self._paint(painter, self._begins, room, theme.text if self.underMouse() else theme.muted)
        if self.hasFocus():
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
            painter.setPen(QPen(QColor(theme.accent), 2.0))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(2, 3, -2, -3), 5, 5)
        painter.end()

    def _paint(self, painter: QPainter, text: str, room: QRect, colour: str) -> int:
        """Paint a text, shortened where there is no room for it, and return its width."""
        shown = self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, max(room.width(), 0))
        if room.width() < _LEAST_ROOM and shown != text:
            return 0
        painter.setFont(self.font())
        painter.setPen(QColor(colour))
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)
        return self.fontMetrics().horizontalAdvance(shown)

    def _refresh(self) -> None:
        experiment = self._document.experiment
        title, notes = " ".join(experiment.title.split()), experiment.notes.strip().replace("*", "")
        if (title, notes) == (self.text(), self.property("notes")):
            return
        self.setText(title)
        self._begins = " ".join(notes[:_LONGEST_NOTES].split())
        self.setProperty("notes", notes)
        self.setAccessibleName(f"Title: {title}")
        self.setAccessibleDescription(notes)
        self.setToolTip(_tip(title, notes))
        self.setVisible(bool(title))


def _tip(title: str, notes: str) -> str:
    shown = notes if len(notes) <= _LONGEST_NOTES else notes[:_LONGEST_NOTES].rstrip() + "…"
    parts = [f"<b>{html.escape(title)}</b>", *(html.escape(line) for line in shown.splitlines())]
    return "<br>".join(parts)
