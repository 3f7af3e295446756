"""A row of widgets that goes on in a next line where it is narrow."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from attnexplorer.views.whole_errors import with_whole_errors

_SPACE, _LINE_SPACE = 8, 6


@with_whole_errors
class WrappingRow(QWidget):
    """Places its widgets from the left, each as wide as it wants to be."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._widgets: list[QWidget] = []
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.installEventFilter(self)

    def add(self, *widgets: QWidget) -> None:
        """Add widgets."""
        for widget in widgets:
            widget.setParent(self)
            self._widgets.append(widget)
        self.updateGeometry()

    def _places(self, width: int) -> list[tuple[QWidget, QRect]]:
        places: list[tuple[QWidget, QRect]] = []
        line: list[tuple[QWidget, QSize]] = []
        top, left = 0, 0

        def end_line() -> None:
            nonlocal top, left
            height, x = max((size.height() for _, size in line), default=0), 0
            for widget, size in line:
                places.append((widget, QRect(QPoint(x, top + (height - size.height()) // 2), size)))
                x += size.width() + _SPACE
            top, left = top + height + _LINE_SPACE, 0
            line.clear()

        for widget in self._widgets:
            if widget.isHidden():
                continue
            wanted = widget.sizeHint()
            size = wanted.boundedTo(QSize(max(width, 1), 10_000))
            if size.width() < wanted.width() and widget.hasHeightForWidth():
                size.setHeight(max(size.height(), widget.heightForWidth(size.width())))
            if line and left + size.width() > width:
                end_line()
            line.append((widget, size))
            left += size.width() + _SPACE
        end_line()
        return places

    def _place(self) -> None:
        for widget, rect in self._places(self.width()):
            widget.setGeometry(rect)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return max((rect.bottom() + 1 for _, rect in self._places(width)), default=0)

    def sizeHint(self) -> QSize:
        width = sum(widget.sizeHint().width() + _SPACE for widget in self._widgets if not widget.isHidden())
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        widest = max((widget.sizeHint().width() for widget in self._widgets), default=0)
        return QSize(min(widest, 200), self.heightForWidth(max(self.width(), widest)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._place()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
            self._place()
        return False
