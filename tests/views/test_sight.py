"""What of a widget is in sight: scrolled, hidden, and below children that paint all of themselves."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRect
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from attnexplorer.views.opaque import paints_all_of_itself
from attnexplorer.views.sight import is_in_sight, sight_of


class Scrolled:
    """A card of 200 × 300 at 20, 40 on a page, with an opaque child that leaves a margin of 10."""

    def __init__(self) -> None:
        self.area, self.page = QScrollArea(), QWidget()
        self.page.resize(400, 900)
        self.card = QWidget(self.page)
        self.card.setGeometry(20, 40, 200, 300)
        self.child = QWidget(self.card)
        self.child.setGeometry(10, 10, 180, 280)
        paints_all_of_itself(self.child)
        self.area.setWidget(self.page)
        self.area.setFrameStyle(0)
        self.area.resize(150, 100)


@pytest.fixture
def scrolled(qtbot: QtBot) -> Scrolled:
    made = Scrolled()
    qtbot.addWidget(made.area)
    with qtbot.waitExposed(made.area):
        made.area.show()
    return made


def test_what_is_cut_off_is_not_in_sight(scrolled: Scrolled) -> None:
    view = scrolled.area.viewport().size()
    assert sight_of(scrolled.page) == QRect(0, 0, view.width(), view.height())
    assert sight_of(scrolled.card) == QRect(0, 0, view.width() - 20, view.height() - 40)
    assert sight_of(scrolled.child) == QRect(0, 0, view.width() - 30, view.height() - 50)


def test_a_card_covered_by_its_own_child_is_in_sight(scrolled: Scrolled) -> None:
    scrolled.area.horizontalScrollBar().setValue(45)
    scrolled.area.verticalScrollBar().setValue(100)
    assert scrolled.card.visibleRegion().isEmpty()
    view = scrolled.area.viewport().size()
    assert sight_of(scrolled.card) == QRect(25, 60, view.width(), view.height())


def test_what_is_scrolled_away_or_hidden_is_out_of_sight(scrolled: Scrolled) -> None:
    assert is_in_sight(scrolled.card)
    scrolled.area.verticalScrollBar().setValue(400)
    assert not is_in_sight(scrolled.card)
    scrolled.area.verticalScrollBar().setValue(0)
    scrolled.card.hide()
    assert not is_in_sight(scrolled.card)
    assert sight_of(scrolled.card) == QRect()


def test_a_window_is_in_sight_as_a_whole(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(300, 200)
    QVBoxLayout(window)
    assert not is_in_sight(window)
    with qtbot.waitExposed(window):
        window.show()
    assert sight_of(window) == window.rect()
