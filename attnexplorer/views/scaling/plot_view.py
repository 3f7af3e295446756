"""A plot on screen, with a menu that copies and saves its numbers and its picture."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QGuiApplication,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
)
from PySide6.QtWidgets import QFileDialog, QMenu, QSizePolicy, QWidget

from attnexplorer.figures.axes import WHOLE
from attnexplorer.figures.curves import (
    Plot,
    PlotLayout,
    frame_of,
    paint_frame,
    paint_plotted,
    paint_setting,
    part_of_plot,
    plot_area,
    plot_image,
    plot_png,
    plot_svg,
    value_rect,
)
from attnexplorer.views.accessible import Speaking
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.opaque import paints_all_of_itself
from attnexplorer.views.plot.zoom_view import ZoomView
from attnexplorer.views.scaling.curve_data import Table
from attnexplorer.views.whole_errors import with_whole_errors

_FONT = 11.5
_BESIDE = 6
_HELP = (
    "Ctrl and the wheel zoom, dragging moves what is seen, a double click shows all.\n"
    "Ctrl C copies the numbers; more in the menu of the right button."
)
_DATA_FILTER = "Tab-separated text (*.tsv)"
_PICTURE_FILTER = "SVG picture (*.svg);;PNG picture (*.png)"


@with_whole_errors
class PlotView(Speaking, ZoomView):
    """Shows a plot, or a part of it, and has the table it was made from; `name` is its name in menus and files."""

    spoken_role = QAccessible.Role.Chart
    failed = Signal(str)
    """Why a file could not be written."""

    def __init__(self, name: str, appearance: Appearance, parent: QWidget | None = None) -> None:
        self._plot: Plot | None = None
        self._appearance = appearance
        super().__init__(parent)
        self.name = name
        self._seen: tuple[object, Plot] | None = None
        self._frame: tuple[object, QPixmap] | None = None
        self._ground: tuple[object, QPixmap] | None = None
        self.table: Table | None = None
        paints_all_of_itself(self)
        self.setAccessibleName(name)
        self.setToolTip(_HELP)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.part_changed.connect(self.say_value)

    @property
    def plot(self) -> Plot | None:
        """What is shown, as a whole."""
        return self._plot

    @property
    def seen_plot(self) -> Plot | None:
        """The part of it that is looked at, as it is painted."""
        windows = self.windows
        if self._plot is None or windows == (WHOLE, WHOLE):
            return self._plot
        key = (self._plot, windows)
        if self._seen is None or self._seen[0] != key:
            self._seen = key, part_of_plot(self._plot, *windows)
        return self._seen[1]

    @property
    def plot_layout(self) -> PlotLayout:
        """The size of the plot and of its type."""
        return PlotLayout(self.width(), self.height(), _FONT * self._appearance.text_scale)

    def show_plot(self, plot: Plot, table: Table | None) -> None:
        """Show a plot; nothing is painted again if it is the same."""
        self.table = table
        if plot != self._plot:
            self._plot = plot
            self.say_value()
            self.canvas.refresh()

    def spoken(self) -> str:
        """Return what the plot is of, its number, and whether a part of it is enlarged."""
        if self._plot is None:
            return ""
        seen = "a part is enlarged" if self.zoomed else ""
        return " ".join(part for part in (self._plot.title, self._plot.caption, self._plot.value, seen) if part)

    def area(self) -> QRectF:
        plot = self.seen_plot
        return super().area() if plot is None else plot_area(plot, self.plot_layout)

    def fit_corner(self) -> QPointF:
        if self._plot is None:
            return super().fit_corner()
        value = value_rect(self._plot, self.plot_layout)
        return QPointF(value.left() - (_BESIDE if self._plot.value else 0), value.center().y())

    def fill_menu(self, menu: QMenu) -> None:
        """Add what can be done with the plot."""
        actions = (
            ("Copy data", self.copy_data),
            ("Save data…", self.save_data),
            ("Copy picture", self.copy_picture),
            ("Save picture…", self.save_picture),
        )
        for text, call in actions:
            action = menu.addAction(text)
            action.setEnabled(self._plot is not None and self.table is not None)
            action.triggered.connect(call)
        menu.addSeparator()
        whole = menu.addAction("Show all of it")
        whole.setEnabled(self.zoomed)
        whole.triggered.connect(self.fit)

    def copy_data(self) -> None:
        """Put the numbers on the clipboard, as a spreadsheet takes them."""
        if self.table is not None:
            QGuiApplication.clipboard().setText(self.table.text(self._appearance.decimal_point))

    def save_data(self) -> None:
        """Ask for a file and write the numbers into it."""
        if self.table is not None:
            save_table(self, self.table, self.name, self.failed.emit)

    def copy_picture(self) -> None:
        """Put the picture on the clipboard, of the part that is looked at."""
        if self.seen_plot is not None:
            QGuiApplication.clipboard().setImage(plot_image(self.seen_plot, self.plot_layout))

    def save_picture(self) -> None:
        """Ask for a file and write the picture into it, as SVG or PNG by its suffix."""
        if self._plot is None:
            return
        chosen, kind = QFileDialog.getSaveFileName(self, "Save the picture", f"{self.name}.svg", _PICTURE_FILTER)
        if not chosen:
            return
        path = Path(chosen)
        if path.suffix.lower() not in (".svg", ".png"):
            path = path.with_name(path.name + (".png" if "png" in kind else ".svg"))
        try:
            path.write_bytes(self._picture(path.suffix.lower()))
        except OSError as error:
            self.failed.emit(f"{path.name} could not be written: {error.strerror}.")

    def sizeHint(self) -> QSize:
        scale = self._appearance.text_scale
        return QSize(round(215 * scale), round(150 * scale))

    def minimumSizeHint(self) -> QSize:
        scale = self._appearance.text_scale
        return QSize(round(140 * scale), round(118 * scale))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), QColor(self._appearance.theme.card))
        painter.end()

    def paint(self, painter: QPainter) -> None:
        plot = self.seen_plot
        if plot is not None:
            painter.drawPixmap(0, 0, self._ground_of(plot))
            paint_setting(painter, plot, self.plot_layout)
        if self.hasFocus():
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            painter.setPen(QPen(QColor(self._appearance.theme.accent), 1.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            # Around the axes: around the whole plot it would touch its texts.
            within = self.rect().adjusted(0, 0, -1, -1)
            painter.drawRect(self.area().adjusted(0, -3, 3, 0).toAlignedRect().intersected(within))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_C and event.modifiers() == Qt.KeyboardModifier.ControlModifier:
            self.copy_data()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = QMenu(self)
        self.fill_menu(menu)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.canvas.refresh()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.canvas.refresh()

    def _ground_of(self, plot: Plot) -> QPixmap:
        """Return what stays while the cursor moves, painted once."""
        frame, ratio = frame_of(plot), self.devicePixelRatioF()
        key = (frame, plot.series, self.plot_layout, ratio)
        if self._ground is None or self._ground[0] != key:
            pixmap = QPixmap(self._painted_frame(frame, ratio))
            with QPainter(pixmap) as painter:
                paint_plotted(painter, plot, self.plot_layout)
            self._ground = (key, pixmap)
        return self._ground[1]

    def _painted_frame(self, frame: Plot, ratio: float) -> QPixmap:
        """Return what stays while the numbers change, painted once: its many texts take longer than the curves."""
        key = (frame, self.plot_layout, ratio)
        if self._frame is None or self._frame[0] != key:
            pixmap = QPixmap(self.size() * ratio)
            pixmap.setDevicePixelRatio(ratio)
            # Type on a transparent ground would be bolder than in the figure.
            pixmap.fill(QColor(frame.theme.card))
            with QPainter(pixmap) as painter:
                paint_frame(painter, frame, self.plot_layout)
            self._frame = (key, pixmap)
        return self._frame[1]

    def _picture(self, suffix: str) -> bytes:
        plot = self.seen_plot
        assert plot is not None
        return plot_svg(plot, self.plot_layout) if suffix == ".svg" else plot_png(plot, self.plot_layout)


def save_table(parent: QWidget, table: Table, name: str, failed: Callable[[str], object]) -> None:
    """Ask for a file and write a table into it; `failed` is told why if that cannot be done."""
    chosen, _ = QFileDialog.getSaveFileName(parent, "Save the data", f"{name}.tsv", _DATA_FILTER)
    if not chosen:
        return
    path = Path(chosen)
    path = path if path.suffix else path.with_name(f"{path.name}.tsv")
    try:
        table.save(path)
    except OSError as error:
        failed(f"{path.name} could not be written: {error.strerror}.")
