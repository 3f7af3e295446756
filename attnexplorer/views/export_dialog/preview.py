"""The figure as it will be, painted by the routine that writes it."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from attnexplorer.figures.figure import Figure
from attnexplorer.figures.png import figure_image
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.whole_errors import with_whole_errors

_MARGIN = 14
_LARGEST_SCALE = 2.0
_SQUARE = 8


@with_whole_errors
class FigurePreview(QWidget):
    """Shows a figure as large as it fits, on a chequered ground where it is transparent."""

    resized = Signal()

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self._appearance = appearance
        self._figure: Figure | None = None
        self._image: QImage | None = None
        self.setObjectName("figure-preview")
        self.setAccessibleName("Preview")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    @property
    def figure(self) -> Figure | None:
        """What is shown."""
        return self._figure

    @property
    def image(self) -> QImage | None:
        """What is painted."""
        return self._image

    def show_figure(self, figure: Figure | None) -> None:
        """Show a figure, or none."""
        self._figure = figure
        self._image = None if figure is None else self._painted(figure)
        self.setAccessibleDescription("" if figure is None else f"{figure.title}. {figure.description}")
        self.update()

    def scale_of(self, figure: Figure) -> float:
        """Return how many pixels of the screen a pixel of the layout gets."""
        room = (max(40, self.width() - 2 * _MARGIN), max(40, self.height() - 2 * _MARGIN))
        return min(room[0] / figure.width, room[1] / figure.height, _LARGEST_SCALE)

    def _painted(self, figure: Figure) -> QImage:
        ratio = self.devicePixelRatioF()
        scale = self.scale_of(figure) * ratio
        size = (max(1, round(figure.width * scale)), max(1, round(figure.height * scale)))
        image = figure_image(figure, scale, size)
        image.setDevicePixelRatio(ratio)
        return image

    def sizeHint(self) -> QSize:
        return QSize(560, 420)

    def minimumSizeHint(self) -> QSize:
        return QSize(240, 160)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self._image is not None and self._figure is not None:
            size = self._image.deviceIndependentSize()
            place = QPointF(round((self.width() - size.width()) / 2), round((self.height() - size.height()) / 2))
            frame = QRectF(place, size)
            if not self._figure.ground:
                self._paint_chequers(painter, frame)
            painter.drawImage(place, self._image)
            painter.setPen(QPen(QColor(self._appearance.theme.border), 1))
            painter.drawRect(frame.adjusted(-0.5, -0.5, 0.5, 0.5))
        painter.end()

    def _paint_chequers(self, painter: QPainter, frame: QRectF) -> None:
        theme = self._figure.theme if self._figure is not None else self._appearance.theme
        tile = QImage(2 * _SQUARE, 2 * _SQUARE, QImage.Format.Format_RGB32)
        tile.fill(QColor(theme.card))
        with QPainter(tile) as other:
            for x, y in ((0, 0), (_SQUARE, _SQUARE)):
                other.fillRect(x, y, _SQUARE, _SQUARE, QColor(theme.ground))
        painter.setBrushOrigin(frame.topLeft())
        painter.setBrush(tile)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawRect(frame)
        painter.setBrush(Qt.BrushStyle.NoBrush)
