"""What becomes of the selected row as the scale goes from 0 to 4: four curves with one cursor."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QMenu, QVBoxLayout, QWidget

from attnexplorer.compute.metrics import Numbers, RowMetrics
from attnexplorer.compute.scale_curves import ScaleCurves, curve_factors, scale_curves
from attnexplorer.figures.axes import linear_axis, rounded_up
from attnexplorer.figures.bars import share_text
from attnexplorer.figures.curves import Marker, Plot
from attnexplorer.figures.series import Line, Values
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.elided_label import ElidedLabel
from attnexplorer.views.menu_button import MenuButton
from attnexplorer.views.scale_track import LARGEST, ScaleTrack
from attnexplorer.views.scaling.curve_data import Table, joined
from attnexplorer.views.scaling.curve_view import CurveView, scale_axis
from attnexplorer.views.scaling.plot_view import save_table
from attnexplorer.views.scaling.shown import Against, Shown, same
from attnexplorer.views.whole_errors import with_whole_errors

_POINTS, _FOOT_POINTS = 200, 12


class Kind(NamedTuple):
    """One of the curves: its name, a quiet word, its heading in tables, and what it means."""

    name: str
    caption: str
    heading: str


KINDS = (
    Kind("Entropy", "bits", "entropy_bits"),
    Kind("Effective keys", "2^entropy", "effective_keys"),
    Kind("Largest weight", "", "largest_weight"),
    Kind("Gradient left", "norm of the softmax Jacobian", "gradient_left"),
)


@with_whole_errors
class CurvesCard(QFrame):
    """Four curves of one row over the scale."""

    factor_requested = Signal(float, bool)

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._depends: tuple[object, ...] = ()
        self._plots: tuple[Plot, ...] = ()
        self._tables: tuple[Table, ...] = ()
        self._columns = 0
        self.setProperty("look", "card")
        self.setObjectName("curves-card")
        self.setAccessibleName("Curves over the scale")
        self._title, self._caption = QLabel("Over the scale"), ElidedLabel()
        self._caption.setProperty("look", "caption")
        self._caption.setObjectName("curves-caption")
        self._error = QLabel()
        self._error.setProperty("look", "error")
        self._error.setObjectName("curves-error")
        self._error.setWordWrap(True)
        self._error.hide()
        self.views = tuple(CurveView(kind.name, appearance, self) for kind in KINDS)
        for view, kind in zip(self.views, KINDS, strict=True):
            view.setObjectName(f"curve-{kind.heading}")
            view.factor_requested.connect(self.factor_requested)
            view.failed.connect(self._on_view_failed)
        self._menu = QMenu(self)
        self._menu.aboutToShow.connect(self._fill_menu)
        self._export = MenuButton("Export", self._menu)
        self._arrange()

    def show_row(self, shown: Shown, chosen: RowMetrics, against: Against | None = None) -> None:
        """Show the curves of a row, and the metrics that it has at the scale that is set; A's curves beside B's."""
        factor, track = shown.attention.scale_factor, ScaleTrack(shown.attention.d_k)
        self._refresh_curves(shown, track, against)
        numbers = (chosen.entropy, chosen.effective_keys, chosen.largest, chosen.gradient)
        for index, (view, plot) in enumerate(zip(self.views, self._plots, strict=True)):
            value = float(numbers[index][0])
            marked = replace(plot, value=self._value_text(index, value), marker=Marker(factor, value))
            view.show_factor(factor, track)
            view.show_plot(marked, self._tables[index])

    def apply_appearance(self) -> None:
        """Take over fonts and colours that have changed."""
        self._title.setFont(self._appearance.font("mathematics", 15, bold=True))
        self._depends = ()
        for view in self.views:
            view.updateGeometry()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_views()

    def _arrange(self) -> None:
        self._export.setObjectName("curves-export")
        self._export.setToolTip("Copy or save the numbers and pictures of the curves")
        self._export.setAccessibleName("Export the curves")
        heading = QHBoxLayout()
        heading.setSpacing(8)
        heading.addWidget(self._title)
        heading.addWidget(self._caption, 1)
        heading.addWidget(self._export)
        self._grid = QGridLayout()
        self._grid.setSpacing(14)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 10, 12, 10)
        layout.addLayout(heading)
        layout.addWidget(self._error)
        layout.addLayout(self._grid, 1)

    def _place_views(self) -> None:
        columns = 4 if self.width() >= 780 * self._appearance.text_scale else 2
        if columns == self._columns:
            return
        self._columns = columns
        for index, view in enumerate(self.views):
            self._grid.addWidget(view, index // columns, index % columns)
        self.updateGeometry()

    def _refresh_curves(self, shown: Shown, track: ScaleTrack, against: Against | None) -> None:
        theme, mark = self._appearance.theme, self._appearance.decimal_point
        other = () if against is None else against.shown.depends()
        depends = (*shown.depends(), *other, shown.row, theme.name, mark)
        if same(depends, self._depends):
            return
        self._depends = depends
        exact = tuple(stop.factor for stop in track.stops)
        factors = curve_factors(track.smallest, LARGEST, _POINTS, _FOOT_POINTS, exact)
        curves, former = _curves(shown, factors), None if against is None else _curves(against.shown, factors)
        both = "; B in blue, A dashed" if against is not None else ""
        self._caption.setText(f"row of “{shown.row_name}”, as the scale goes from 0 to 4{both}")
        keys = len(shown.experiment.key_tokens)
        lines = _Lines(_floats(factors), _all_values(curves), None if former is None else _all_values(former))
        self._plots = tuple(self._plot(index, lines, keys, track) for index in range(len(KINDS)))
        self._tables = tuple(lines.table(index) for index in range(len(KINDS)))

    def _plot(self, index: int, lines: _Lines, keys: int, track: ScaleTrack) -> Plot:
        kind = KINDS[index]
        tops = (math.log2(keys) or 1.0, float(max(keys, 2)), 1.0, rounded_up(lines.largest(index)))
        return Plot(
            kind.name,
            scale_axis(track, self._appearance.decimal_point),
            linear_axis(0.0, tops[index], 2, self._appearance.decimal_point),
            lines.of(index),
            self._appearance.theme,
            caption=kind.caption,
            guides=tuple(stop.factor for stop in track.stops if stop.detent),
        )

    def _value_text(self, index: int, value: float) -> str:
        mark = self._appearance.decimal_point
        if not math.isfinite(value):
            return "NaN"
        return share_text(value, mark) if index == 2 else f"{value:.3f}".replace(".", mark)

    def _fill_menu(self) -> None:
        self._menu.clear()
        self._menu.addAction("Copy data of all curves").triggered.connect(self._copy_all)
        self._menu.addAction("Save data of all curves…").triggered.connect(self._save_all)
        self._menu.addSeparator()
        for view in self.views:
            view.fill_menu(self._menu.addMenu(view.name))

    def _copy_all(self) -> None:
        QGuiApplication.clipboard().setText(joined(self._tables).text(self._appearance.decimal_point))

    def _save_all(self) -> None:
        save_table(self, joined(self._tables), "Curves over the scale", self._on_view_failed)

    def _on_view_failed(self, sentence: str) -> None:
        self._error.setText(sentence)
        self._error.setVisible(bool(sentence))


def _curves(shown: Shown, factors: Numbers) -> ScaleCurves:
    return scale_curves(shown.experiment, shown.array_of, shown.layer, shown.head, shown.row, factors)


@dataclass(frozen=True, slots=True)
class _Lines:
    """The scales, and a curve over them for each of the kinds; A's curves too where B is compared with it."""

    factors: Values
    values: tuple[Values, ...]
    former: tuple[Values, ...] | None

    def of(self, index: int) -> tuple[Line, ...]:
        """Return what is plotted of a kind, A's curve below B's."""
        line = Line(self.factors, self.values[index])
        if self.former is None:
            return (line,)
        return Line(self.factors, self.former[index], "muted", dashed=True), line

    def largest(self, index: int) -> float:
        """Return the largest number of a kind, 1 where none is a number."""
        both = (*self.values[index], *(self.former[index] if self.former is not None else ()))
        return max(filter(math.isfinite, both), default=1.0)

    def table(self, index: int) -> Table:
        """Return a kind's numbers as a table."""
        heading = KINDS[index].heading
        if self.former is None:
            return Table(("scale", heading), (self.factors, self.values[index]))
        names = ("scale", f"{heading}_B", f"{heading}_A")
        return Table(names, (self.factors, self.values[index], self.former[index]))


def _all_values(curves: ScaleCurves) -> tuple[Values, ...]:
    return tuple(map(_floats, (curves.entropy, curves.effective_keys, curves.largest, curves.gradient)))


def _floats(numbers: Numbers) -> Values:
    return tuple(numbers.tolist())
