"""Numbers kept as images: no more of them than are worth the memory."""

from __future__ import annotations

from PySide6.QtGui import QFont, QGuiApplication

from attnexplorer.figures.number_images import number_images


def test_the_same_font_and_colour_share_their_images(qapp: QGuiApplication) -> None:
    first = number_images(QFont("monospace", 9), "#000000", 1)
    assert number_images(QFont("monospace", 9), "#000000", 1) is first
    assert number_images(QFont("monospace", 9), "#ffffff", 1) is not first


def test_images_of_fonts_that_are_no_longer_asked_for_are_let_go_of(qapp: QGuiApplication) -> None:
    first, used = number_images(QFont("monospace", 9), "#000000", 1), number_images(QFont("monospace", 9), "#111111", 1)
    for size in range(10, 40):
        number_images(QFont("monospace", size), "#000000", 1)
        assert number_images(QFont("monospace", 9), "#111111", 1) is used
    assert number_images(QFont("monospace", 9), "#000000", 1) is not first
