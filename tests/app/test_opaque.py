"""Widgets that say that they paint all of themselves do so, in every workspace and theme."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage, QRegion
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot
from real_windows import click, in_front

from attnexplorer.app.windows import Windows
from attnexplorer.figures.theme import ThemeName

OPAQUE = Qt.WidgetAttribute.WA_OpaquePaintEvent


def painted_over(widget: QWidget, ground: Qt.GlobalColor) -> QImage:
    """A picture of what a widget itself paints over a colour, without its children and what lies below it."""
    image = QImage(widget.size(), QImage.Format.Format_RGB32)
    image.fill(ground)
    widget.render(image, QPoint(), QRegion(), QWidget.RenderFlag(0))
    return image


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("workspace", ["pipeline", "heads", "scaling", "geometry"])
def test_nothing_shows_through_a_widget_that_paints_all_of_itself(
    windows: Windows, qtbot: QtBot, workspace: str, theme: ThemeName
) -> None:
    window = in_front(windows, "animal-street", qtbot)
    windows.appearance.choose_theme(theme)
    click(window, f"tab_{workspace}")
    for _ in range(3):
        window.document.recomputation.finish()
        QApplication.processEvents()
    widgets: list[Any] = [it for it in window.findChildren(QWidget) if it.testAttribute(OPAQUE) and it.isVisible()]
    assert widgets
    through = [
        (type(it).__name__, it.objectName())
        for it in widgets
        if painted_over(it, Qt.GlobalColor.magenta) != painted_over(it, Qt.GlobalColor.green)
    ]
    assert through == []
