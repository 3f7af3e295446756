"""A painter on a picture or a file ends with the block that it paints in, even by an error.

Otherwise an error leaves picture and painter to be deleted in any order, and Qt crashes if the picture goes first. A
painter on a widget is let go of by the report of the error.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QImage, QPainter

FILES = sorted((Path(__file__).resolve().parent.parent / "attnexplorer").rglob("*.py"))


def made(tree: ast.AST) -> set[ast.Call]:
    """Every painter that is made on something else than the widget itself."""
    calls = [it for it in ast.walk(tree) if isinstance(it, ast.Call) and ast.unparse(it.func) == "QPainter"]
    return {it for it in calls if not (it.args and ast.unparse(it.args[0]).startswith("self"))}


def ended(tree: ast.AST) -> set[ast.expr]:
    blocks = [it for it in ast.walk(tree) if isinstance(it, ast.With)]
    return {item.context_expr for block in blocks for item in block.items}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_painters_of_pictures_and_files_end_by_themselves(file: Path) -> None:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    assert [it.lineno for it in made(tree) - ended(tree)] == []


def test_an_error_while_a_picture_is_painted_ends_the_painter(qapp: object) -> None:
    image = QImage(8, 8, QImage.Format.Format_RGB32)

    def paint() -> None:
        with QPainter(image) as painter:
            painter.fillRect(0, 0, 8, 8, QColor("red"))
            raise ValueError("there is no such colour")

    with pytest.raises(ValueError, match="no such colour"):
        paint()
    assert not image.paintingActive()
    assert image.pixelColor(0, 0) == QColor("red")
