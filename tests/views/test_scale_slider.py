"""The slider of the scale: its track, its detents, its labels, and real mouse, wheel and key events."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from attnexplorer.views.appearance import Appearance
from attnexplorer.views.scale_slider import RADIUS, ScaleSlider
from attnexplorer.views.scale_track import LARGEST, ScaleTrack

LEFT = Qt.MouseButton.LeftButton
USUAL = 1 / 2**0.5


@pytest.fixture
def slider(qtbot: QtBot) -> ScaleSlider:
    made = ScaleSlider(Appearance())
    qtbot.addWidget(made)
    made.factor_requested.connect(lambda factor, begins: made.show_factor(factor, made.track.d_k))
    made.resize(400, made.sizeHint().height())
    made.show_factor(USUAL, 2)
    made.show()
    made.activateWindow()
    made.setFocus()
    qtbot.waitUntil(made.hasFocus)
    return made


def at(slider: ScaleSlider, factor: float, right: float = 0.0) -> QPoint:
    place = slider.place_of(factor)
    return QPoint(round(place.x() + right), round(place.y()))


def requests(slider: ScaleSlider) -> list[tuple[float, bool]]:
    found: list[tuple[float, bool]] = []
    slider.factor_requested.connect(lambda factor, begins: found.append((factor, begins)))
    return found


def turn(slider: ScaleSlider, notches: int) -> bool:
    place = QPointF(slider.rect().center())
    buttons, keys = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
    global_place, delta = QPointF(slider.mapToGlobal(place)), QPoint(0, 120 * notches)
    event = QWheelEvent(place, global_place, QPoint(), delta, buttons, keys, Qt.ScrollPhase.NoScrollPhase, False)
    QApplication.sendEvent(slider, event)
    return event.isAccepted()


@pytest.mark.parametrize("d_k", [1, 2, 3, 64, 4096])
def test_zero_is_at_the_left_end_and_then_the_track_is_logarithmic_up_to_four(d_k: int) -> None:
    track = ScaleTrack(d_k)
    assert track.fraction(0.0) == 0.0
    assert track.fraction(4.0) == 1.0
    steps = [track.fraction(1 / (4 * d_k) * 2**k) for k in range(1, 4)]
    assert steps[1] - steps[0] == pytest.approx(steps[2] - steps[1])
    assert track.fraction(1 / (4 * d_k)) == pytest.approx(0.06)


@given(st.integers(1, 8192), st.floats(0.0, 1.0))
def test_a_place_on_the_track_gives_a_factor_that_lies_there(d_k: int, fraction: float) -> None:
    track = ScaleTrack(d_k)
    factor = track.factor(fraction)
    assert 0.0 <= factor <= LARGEST
    assert track.fraction(factor) == pytest.approx(fraction, abs=0.005)


@given(st.integers(1, 8192), st.floats(-10, 1e6))
def test_a_step_goes_in_its_direction_and_never_past_a_stop(d_k: int, factor: float) -> None:
    track = ScaleTrack(d_k)
    right = track.stepped(factor, 0.05)
    assert right >= factor
    assert not [s for s in track.stops if factor < s.factor < right and s.factor != track.stepped(factor, 0.05)]
    assert track.stepped(factor, -0.05) <= factor


@pytest.mark.parametrize("d_k", [1, 2, 3, 4, 64, 4096])
@pytest.mark.parametrize("width", [130, 200, 300, 700])
def test_labels_never_touch_and_stay_inside(qtbot: QtBot, d_k: int, width: int) -> None:
    slider = ScaleSlider(Appearance())
    qtbot.addWidget(slider)
    slider.resize(width, 60)
    slider.show()
    slider.show_factor(1.0, d_k)
    for first, second in itertools.combinations(slider.labels, 2):
        assert not first.rect.intersects(second.rect), (first, second)
    assert all(label.rect.left() >= 0 and label.rect.right() <= width + 0.5 for label in slider.labels)
    assert all(label.rect.bottom() <= slider.sizeHint().height() + 1 for label in slider.labels)
    usual = "1/√dₖ"
    assert any(usual in label.text or (d_k == 1 and label.text == "1") for label in slider.labels)


def test_three_detents_that_are_one_number_are_one_mark() -> None:
    assert [stop.factor for stop in ScaleTrack(1).stops] == [0.0, 1.0, 4.0]
    assert ScaleTrack(1).stops[1].names[0] == "1/dₖ = 1/√dₖ = 1"


def test_a_press_on_the_handle_changes_nothing(qtbot: QtBot, slider: ScaleSlider) -> None:
    found = requests(slider)
    qtbot.mouseClick(slider, LEFT, pos=at(slider, slider.factor, 3))
    assert found == []


def test_a_press_beside_a_detent_is_drawn_to_its_exact_number(qtbot: QtBot, slider: ScaleSlider) -> None:
    found = requests(slider)
    qtbot.mouseClick(slider, LEFT, pos=at(slider, 0.5, 4))
    assert found == [(0.5, True)]
    qtbot.mouseClick(slider, LEFT, pos=at(slider, USUAL, -4))
    assert found[1:] == [(USUAL, True)]


def test_with_shift_no_detent_draws_the_handle(qtbot: QtBot, slider: ScaleSlider) -> None:
    found = requests(slider)
    qtbot.mouseClick(slider, LEFT, Qt.KeyboardModifier.ShiftModifier, at(slider, 1.0, 4))
    assert found[0][0] != 1.0
    assert found[0][0] == pytest.approx(1.0, rel=0.1)


def test_every_move_of_a_drag_asks_for_a_factor_and_only_the_first_begins_a_gesture(
    qtbot: QtBot, slider: ScaleSlider
) -> None:
    found = requests(slider)
    qtbot.mousePress(slider, LEFT, pos=at(slider, slider.factor))
    for factor in (1.5, 2.0, 3.0):
        qtbot.mouseMove(slider, at(slider, factor))
    qtbot.mouseMove(slider, QPoint(5000, 5))
    qtbot.mouseRelease(slider, LEFT, pos=QPoint(5000, 5))
    assert [begins for _, begins in found] == [True, False, False, False]
    assert [factor for factor, _ in found] == pytest.approx([1.5, 2.0, 3.0, 4.0], rel=0.03)


def test_a_drag_back_to_its_start_asks_for_the_very_number_it_began_with(qtbot: QtBot, slider: ScaleSlider) -> None:
    slider.show_factor(0.123456789, 2)
    found = requests(slider)
    qtbot.mousePress(slider, LEFT, pos=at(slider, 0.123456789))
    qtbot.mouseMove(slider, at(slider, 2.0))
    qtbot.mouseMove(slider, at(slider, 0.123456789))
    qtbot.mouseRelease(slider, LEFT, pos=at(slider, 0.123456789))
    assert found[-1] == (0.123456789, False)


def test_escape_takes_a_drag_back(qtbot: QtBot, slider: ScaleSlider) -> None:
    qtbot.mousePress(slider, LEFT, pos=at(slider, slider.factor))
    qtbot.mouseMove(slider, at(slider, 3.0))
    qtbot.keyClick(slider, Qt.Key.Key_Escape)
    assert slider.factor == USUAL
    qtbot.mouseMove(slider, at(slider, 2.0))
    assert slider.factor == USUAL
    qtbot.mouseRelease(slider, LEFT, pos=at(slider, 2.0))


def test_keys_step_jump_to_the_ends_and_from_mark_to_mark(qtbot: QtBot, slider: ScaleSlider) -> None:
    control = Qt.KeyboardModifier.ControlModifier
    qtbot.keyClick(slider, Qt.Key.Key_Right)
    assert USUAL < slider.factor < 0.8
    qtbot.keyClick(slider, Qt.Key.Key_Left, control)
    assert slider.factor == USUAL
    qtbot.keyClick(slider, Qt.Key.Key_Left, control)
    assert slider.factor == 0.5
    qtbot.keyClick(slider, Qt.Key.Key_Home)
    assert slider.factor == 0.0
    qtbot.keyClick(slider, Qt.Key.Key_PageUp)
    assert slider.factor > 0.0
    qtbot.keyClick(slider, Qt.Key.Key_End)
    assert slider.factor == 4.0
    qtbot.keyClick(slider, Qt.Key.Key_Right)
    assert slider.factor == 4.0
    qtbot.keyClick(slider, Qt.Key.Key_PageDown)
    assert slider.factor < 4.0


def test_arrow_keys_alone_reach_every_detent_exactly(qtbot: QtBot, slider: ScaleSlider) -> None:
    qtbot.keyClick(slider, Qt.Key.Key_Home)
    reached = set()
    for _ in range(260):
        qtbot.keyClick(slider, Qt.Key.Key_Right)
        reached.add(slider.factor)
    assert {0.5, USUAL, 1.0, 4.0} <= reached


def test_the_wheel_moves_it_only_while_it_has_the_focus(qtbot: QtBot, slider: ScaleSlider) -> None:
    found = requests(slider)
    assert turn(slider, 2)
    assert turn(slider, 2)
    assert [begins for _, begins in found] == [True, False]
    slider.clearFocus()
    assert not turn(slider, 2)
    assert len(found) == 2


def test_the_screen_reader_is_told_the_number_and_its_name(slider: ScaleSlider) -> None:
    assert slider.accessibleDescription() == "0.7071, 1/√dₖ"
    slider.show_factor(7.0, 2)
    assert slider.accessibleDescription() == "7.000, beyond the end of the slider"


def test_the_handle_is_painted_where_the_factor_lies(slider: ScaleSlider) -> None:
    accent = Appearance().theme.accent
    for factor in (0.0, 0.5, 4.0, 90.0):
        slider.show_factor(factor, 2)
        place = slider.place_of(min(factor, 4.0))
        assert slider.grab().toImage().pixelColor(round(place.x()), round(place.y())).name() == accent
        assert RADIUS <= place.x() <= slider.width() - RADIUS
