"""Plots that are zoomed and pushed with real wheels, drags and keys: curves, the laboratory, the distance of tokens."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from pointing import drag, turn_wheel
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QImage, QPalette
from PySide6.QtWidgets import QApplication, QMenu, QToolButton
from pytestqt.qtbot import QtBot

from attnexplorer.document.document import Document
from attnexplorer.document.lights import Lights
from attnexplorer.experiment.comparison import identical
from attnexplorer.experiment.examples import load_example
from attnexplorer.figures.axes import linear_axis
from attnexplorer.figures.curves import Marker, Plot, place_on, plot_image
from attnexplorer.figures.series import Line
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.plot.zoom_view import CLOSEST
from attnexplorer.views.scaling.curve_data import Table
from attnexplorer.views.scaling.curve_view import CurveView
from attnexplorer.views.scaling.plot_view import PlotView
from attnexplorer.views.scaling.workspace import ScalingWorkspace
from attnexplorer.views.table_context import TableContext

CONTROL, ALT, NONE = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
    Qt.KeyboardModifier.NoModifier,
)
MIDDLE = Qt.MouseButton.MiddleButton
WHOLE = ((0.0, 1.0), (0.0, 1.0))


@pytest.fixture
def view(qtbot: QtBot) -> PlotView:
    """A plot of a straight line from corner to corner, on the card's colour as in its card."""
    appearance = Appearance()
    appearance.choose_theme("light")
    view = PlotView("Straight", appearance)
    qtbot.addWidget(view)
    palette = QPalette()
    palette.setColor(QPalette.ColorRole.Window, QColor(appearance.theme.card))
    view.setPalette(palette)
    view.setAutoFillBackground(True)
    view.resize(400, 260)
    axis = linear_axis(0.0, 1.0, 2)
    line = Line((0.0, 0.5, 1.0), (0.0, 0.5, 1.0))
    plot = Plot("Straight", axis, axis, (line,), appearance.theme, value="1.0", marker=Marker(0.5, 0.5))
    view.show_plot(plot, Table(("x", "y"), ((0.0, 0.5, 1.0), (0.0, 0.5, 1.0))))
    with qtbot.waitExposed(view):
        view.show()
    return view


class Curves:
    """The Scaling workspace on the first example."""

    def __init__(self) -> None:
        self.document = Document(load_example("animal-street"))
        self.appearance = Appearance()
        context = TableContext(self.document, self.appearance, Lights(self.document))
        self.workspace = ScalingWorkspace(context)

    @property
    def entropy(self) -> CurveView:
        return self.workspace.curves.views[0]

    @property
    def scale(self) -> float:
        return self.document.experiment.layers[0].attention.scale_factor

    def settle(self) -> None:
        for _ in range(3):
            QApplication.processEvents()
            self.document.recomputation.finish()


@pytest.fixture
def curves(qtbot: QtBot) -> Iterator[Curves]:
    bench = Curves()
    qtbot.addWidget(bench.workspace)
    bench.workspace.resize(906, 600)
    bench.workspace.show()
    bench.settle()
    bench.workspace.ensureWidgetVisible(bench.workspace.curves)
    bench.settle()
    yield bench
    bench.workspace.close()
    bench.workspace.laboratory.sampling.wait()
    bench.document.close()


def numbers_at(view: PlotView, place: QPointF) -> tuple[float, float]:
    plot, area = view.seen_plot, view.area()
    assert plot is not None
    across, up = (place.x() - area.left()) / area.width(), (area.bottom() - place.y()) / area.height()
    return plot.x.value(across), plot.y.value(up)


def colour(image: QImage, place: QPointF) -> QColor:
    ratio = image.devicePixelRatio()
    return image.pixelColor(int(place.x() * ratio), int(place.y() * ratio))


def fit_button(view: PlotView) -> QToolButton:
    button = view.findChild(QToolButton, "plot-fit")
    assert isinstance(button, QToolButton)
    return button


def test_the_wheel_with_ctrl_zooms_about_the_pointer(view: PlotView) -> None:
    place = QPointF(120, 90)
    before = numbers_at(view, place)
    for notch in range(1, 8):
        assert turn_wheel(view, place, 1, CONTROL)
        assert numbers_at(view, place) == pytest.approx(before, abs=1e-6)
        (left, right), (low, high) = view.windows
        assert (right - left, high - low) == pytest.approx((1.2**-notch, 1.2**-notch))


def test_without_ctrl_the_wheel_scrolls_the_page(curves: Curves) -> None:
    view, bar = curves.entropy, curves.workspace.verticalScrollBar()
    before = bar.value()
    assert before > 0
    assert not turn_wheel(view, view.area().center(), 1)
    assert view.windows == WHOLE
    turn_wheel(curves.workspace.viewport(), QPointF(20, 20), 1)
    assert bar.value() < before


def test_over_the_numbers_of_one_axis_that_one_alone_is_zoomed(view: PlotView) -> None:
    area = view.area()
    turn_wheel(view, QPointF(area.center().x(), area.bottom() + 8), 2, CONTROL)
    assert view.windows[0] != (0.0, 1.0)
    assert view.windows[1] == (0.0, 1.0)
    view.fit()
    turn_wheel(view, QPointF(area.left() - 8, area.center().y()), 2, CONTROL)
    assert view.windows[0] == (0.0, 1.0)
    assert view.windows[1] != (0.0, 1.0)


def test_there_is_nothing_beyond_the_whole_and_an_end_to_coming_closer(view: PlotView) -> None:
    place = view.area().center()
    turn_wheel(view, place, 60, CONTROL)
    (left, right), (low, high) = view.windows
    assert (right - left, high - low) == pytest.approx((CLOSEST, CLOSEST))
    turn_wheel(view, place, -80, CONTROL)
    assert view.windows == WHOLE
    assert not view.zoomed


def test_what_is_zoomed_follows_a_drag_as_far_as_there_is_something(view: PlotView) -> None:
    turn_wheel(view, view.area().center(), 6, CONTROL)
    start, end = QPointF(200, 120), QPointF(170, 150)
    held = numbers_at(view, start)
    drag(view, [start, QPointF(190, 130), end])
    assert numbers_at(view, end) == pytest.approx(held, abs=1e-6)
    drag(view, [QPointF(20, 250), QPointF(380, 20)], MIDDLE)
    drag(view, [QPointF(20, 250), QPointF(380, 20)], MIDDLE)
    (left, _), (low, _) = view.windows
    assert (left, low) == pytest.approx((0.0, 0.0))


def test_as_a_whole_it_cannot_be_pushed(view: PlotView) -> None:
    drag(view, [QPointF(200, 120), QPointF(150, 150)])
    assert view.windows == WHOLE


def test_a_button_shows_all_of_it_again_and_is_there_only_when_it_is_of_use(qtbot: QtBot, view: PlotView) -> None:
    button = fit_button(view)
    assert button.isHidden()
    turn_wheel(view, view.area().center(), 3, CONTROL)
    assert button.isVisible()
    assert view.rect().contains(button.geometry())
    assert "a part is enlarged" in view.accessibleDescription()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert view.windows == WHOLE
    assert button.isHidden()
    assert "enlarged" not in view.accessibleDescription()


def test_a_double_click_and_the_menu_show_all_of_it_too(qtbot: QtBot, view: PlotView) -> None:
    turn_wheel(view, view.area().center(), 3, CONTROL)
    qtbot.mouseDClick(view, Qt.MouseButton.LeftButton, pos=view.area().center().toPoint())
    assert view.windows == WHOLE
    turn_wheel(view, view.area().center(), 3, CONTROL)
    menu = QMenu(view)
    view.fill_menu(menu)
    texts = [action.text() for action in menu.actions()]
    assert "Copy data" in texts
    assert not any("Export" in text for text in texts)
    menu.actions()[texts.index("Show all of it")].trigger()
    assert view.windows == WHOLE


def test_plus_minus_0_and_arrow_keys_do_it_without_a_pointer(qtbot: QtBot, view: PlotView) -> None:
    qtbot.keyClick(view, Qt.Key.Key_Plus)
    qtbot.keyClick(view, Qt.Key.Key_Plus, Qt.KeyboardModifier.ShiftModifier)
    (left, right), _ = view.windows
    assert (left + right) / 2 == pytest.approx(0.5, abs=0.01)
    assert right - left == pytest.approx(1 / 1.44)
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert view.windows[0][0] > left
    qtbot.keyClick(view, Qt.Key.Key_Up, ALT)
    assert view.windows[1][1] > right
    qtbot.keyClick(view, Qt.Key.Key_Minus)
    qtbot.keyClick(view, Qt.Key.Key_0)
    assert view.windows == WHOLE


@pytest.mark.parametrize("notches", [0, 5])
def test_the_screen_shows_the_very_pixels_of_the_figure(view: PlotView, notches: int) -> None:
    turn_wheel(view, QPointF(150, 150), notches, CONTROL)
    fit_button(view).hide()
    view.clearFocus()
    seen = view.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    assert view.seen_plot is not None
    painted = plot_image(view.seen_plot, view.plot_layout, seen.devicePixelRatio())
    painted.setDevicePixelRatio(seen.devicePixelRatio())
    assert seen == painted


@pytest.mark.parametrize(
    "changed",
    [
        {"series": (Line((0.0, 0.5, 1.0), (1.0, 0.2, 0.4)),)},
        {"series": (Line((0.0, 1.0), (0.0, 1.0), "bad", name="named"),)},
        {"value": "", "marker": None},
        {"value": "0.25", "marker": Marker(0.25, 0.75)},
        {"y": linear_axis(0.0, 7.0, 3)},
        {"caption": "in bits", "guides": (0.3,)},
    ],
)
def test_whatever_changes_is_painted_anew_over_what_was_kept(view: PlotView, changed: dict[str, Any]) -> None:
    view.clearFocus()
    view.grab()
    assert view.plot is not None
    view.show_plot(replace(view.plot, **changed), None)
    seen = view.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    painted = plot_image(view.plot, view.plot_layout, seen.devicePixelRatio())
    painted.setDevicePixelRatio(seen.devicePixelRatio())
    assert seen == painted


def test_the_curve_is_painted_where_its_numbers_lie_in_the_part(view: PlotView) -> None:
    theme = view.seen_plot.theme
    turn_wheel(view, QPointF(150, 150), 8, CONTROL)
    (left, right), (low, high) = view.windows
    at = (max(left, low) + min(right, high)) / 2
    image = view.grab().toImage()
    place = place_on(view.seen_plot, view.plot_layout, at, at)
    seen, accent = colour(image, place), QColor(theme.accent)
    assert max(abs(seen.red() - accent.red()), abs(seen.green() - accent.green())) < 16
    assert colour(image, place + QPointF(0, 25)) == QColor(theme.card)


def test_the_copied_picture_is_of_the_part_that_is_looked_at(view: PlotView) -> None:
    turn_wheel(view, QPointF(150, 150), 5, CONTROL)
    view.copy_picture()
    copied = QApplication.clipboard().image().convertToFormat(QImage.Format.Format_RGB32)
    assert copied == plot_image(view.seen_plot, view.plot_layout).convertToFormat(QImage.Format.Format_RGB32)


def test_a_zoomed_curve_has_finer_numbers_and_the_names_of_the_scale(curves: Curves) -> None:
    view = curves.entropy
    turn_wheel(view, view.place_of(1.2), 14, CONTROL)
    texts = [tick.texts[0] for tick in view.seen_plot.x.ticks]
    assert texts[0] == "1 (no scaling)"
    assert "1.2" in texts


def test_the_cursor_is_dragged_in_a_zoomed_curve_to_what_stands_under_the_pointer(curves: Curves) -> None:
    view, before = curves.entropy, curves.document.experiment
    turn_wheel(view, view.place_of(1.5), 8, CONTROL)
    area = view.area()
    goal = QPointF(area.left() + 0.8 * area.width(), area.center().y())
    wanted = view.seen_plot.x.value(0.8)
    drag(view, [view.place_of(1.5), area.center(), goal])
    curves.settle()
    assert 1.5 < curves.scale == pytest.approx(wanted, rel=0.003)
    assert curves.document.undo_stack.count() == 1
    assert view.place_of(curves.scale).x() == pytest.approx(goal.x(), abs=1.5)
    curves.document.undo_stack.undo()
    assert identical(curves.document.experiment, before)


def test_a_drag_to_the_edge_of_a_zoomed_curve_stops_at_the_edge(curves: Curves) -> None:
    view = curves.entropy
    turn_wheel(view, view.place_of(1.5), 8, CONTROL)
    least = view.seen_plot.x.value(0.0)
    drag(view, [view.place_of(1.5), QPointF(-300, 60)])
    curves.settle()
    assert curves.scale == pytest.approx(least, rel=0.01)


@pytest.mark.parametrize(("button", "modifiers"), [(MIDDLE, NONE), (Qt.MouseButton.LeftButton, CONTROL)])
def test_a_zoomed_curve_is_pushed_without_setting_the_scale(
    curves: Curves, button: Qt.MouseButton, modifiers: Qt.KeyboardModifier
) -> None:
    view = curves.entropy
    turn_wheel(view, view.place_of(1.5), 8, CONTROL)
    start = view.area().center()
    held = numbers_at(view, start)
    drag(view, [start, start - QPointF(20, 6), start - QPointF(40, 12)], button, modifiers)
    curves.settle()
    assert curves.document.undo_stack.count() == 0
    assert numbers_at(view, start - QPointF(40, 12)) == pytest.approx(held, rel=1e-6)
    assert view.cursor().shape() == Qt.CursorShape.SizeHorCursor


def test_keys_move_the_cursor_and_what_is_seen_goes_along(qtbot: QtBot, curves: Curves) -> None:
    view = curves.entropy
    turn_wheel(view, view.place_of(curves.scale), 10, CONTROL)
    before = view.windows
    qtbot.keyClick(view, Qt.Key.Key_End)
    curves.settle()
    assert curves.scale == 4.0
    assert view.windows != before
    assert view.windows[0][1] == pytest.approx(1.0)
    qtbot.keyClick(view, Qt.Key.Key_Left, ALT)
    curves.settle()
    assert curves.scale == 4.0
    assert view.windows[0][1] < 1.0


def test_another_row_and_another_theme_leave_the_part_as_it_is(curves: Curves) -> None:
    view = curves.entropy
    turn_wheel(view, view.place_of(1.0), 6, CONTROL)
    before = view.windows
    curves.workspace.comparison.row_chosen.emit(1)
    curves.appearance.choose_theme("dark")
    curves.settle()
    assert view.windows == before
    assert view.seen_plot.theme.name == "dark"
    curves.appearance.choose_theme(None)


def test_in_a_zoomed_plot_of_the_laboratory_a_click_chooses_and_a_drag_pushes(qtbot: QtBot, curves: Curves) -> None:
    card = curves.workspace.laboratory
    curves.workspace.ensureWidgetVisible(card)
    qtbot.waitUntil(lambda: len(card.sampling.results(card.seed)) >= 7, timeout=120_000)
    card.cancel.click()
    card.sampling.wait()
    QApplication.processEvents()
    view = card.variance
    turn_wheel(view, place_on(view.seen_plot, view.plot_layout, 16.0, 16.0), 5, CONTROL)
    chosen = card.chosen_width
    start = view.area().center()
    drag(view, [start, start + QPointF(10, 0), start + QPointF(30, 0)])
    assert card.chosen_width == chosen
    place = place_on(view.seen_plot, view.plot_layout, 16.0, 16.0)
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=place.toPoint())
    assert card.chosen_width == 16
    assert {tick.texts[0] for tick in view.seen_plot.x.ticks} >= {"8", "16", "32"}
