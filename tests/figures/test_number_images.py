"""Numbers kept as images: no more of them than are worth the memory."""

from __future__ import annotations

from PySide6.QtGui import QFont, QGuiApplication

from attnexplorer.figures.number_images import number_images
from attnexplorer.views.appearance import Appearance


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


def test_many_numbers_in_many_sizes_take_no_more_room_than_was_set_aside(qapp: QGuiApplication) -> None:
    sizes = range(20, 32)
    for size in sizes:
        images = number_images(QFont("monospace", size), "#222222", 1)
        for number in range(200):
            images[str(number)]
    kept = [number_images(QFont("monospace", size), "#222222", 1) for size in reversed(sizes)]
    assert len(kept[0]) == 200
    assert len(kept[-1]) == 0
    assert sum(it.bytes for it in kept) <= 20 << 20
    assert kept[0].bytes == sum(image.sizeInBytes() for image in kept[0].values())


def test_fonts_that_are_used_together_never_make_each_other_go(qapp: QGuiApplication) -> None:
    looks = [(QFont("monospace", size), colour) for size in (30, 31) for colour in ("#333333", "#444444")]
    first = [number_images(face, colour, 1) for face, colour in looks]
    for number in range(3000):
        for (face, colour), images in zip(looks, first, strict=True):
            assert number_images(face, colour, 1) is images
            images[f"{number}.25"]


def test_another_theme_or_size_of_type_lets_go_of_what_was_drawn_before(qapp: QGuiApplication) -> None:
    appearance = Appearance()
    for change in (lambda: appearance.choose_theme("dark"), lambda: appearance.set_text_scale(1.5)):
        first = number_images(QFont("monospace", 9), "#000000", 1)
        first["0.25"]
        change()
        assert number_images(QFont("monospace", 9), "#000000", 1) is not first
