"""Copying a table, or the cells that are selected in it, in a form that another program takes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu

from attnexplorer.figures.matrix import Block
from attnexplorer.views.matrix_table import MatrixTable
from attnexplorer.views.transfers import Transfers

if TYPE_CHECKING:
    from attnexplorer.interop.matrix_text import TextFormat


def copy_as(table: MatrixTable, text_format: TextFormat) -> None:
    """Put the selected cells on the clipboard; the whole matrix where not more than one is selected."""
    QGuiApplication.clipboard().setText(text_of(table, text_format))


def text_of(table: MatrixTable, text_format: TextFormat) -> str:
    """Return what `copy_as` copies."""
    # Not needed to start.
    from attnexplorer.interop.matrix_text import TextStyle, matrix_text

    content, block = table.content, _block(table)
    decimals = content.picture.decimals if Transfers.of(table.document).as_shown else None
    style = TextStyle(None if decimals is None or decimals < 0 else decimals, table.appearance.decimal_point)
    rows = content.rows.texts[block.top : block.bottom]
    columns = content.columns.texts[block.left : block.right]
    return matrix_text(content.picture.values[block.slices], text_format, style, rows, columns)


def fill_copy_menu(menu: QMenu, table: MatrixTable) -> None:
    """Fill a menu with the formats, and whether numbers are rounded as on screen."""
    from attnexplorer.interop.matrix_text import TextFormat

    for text_format in TextFormat:
        action = menu.addAction(text_format.value, partial(copy_as, table, text_format))
        action.setObjectName(f"copy_as_{text_format.name.lower()}")
    menu.addSeparator()
    transfers = Transfers.of(table.document)
    rounded = menu.addAction("Round as on screen")
    rounded.setObjectName("copy_as_shown")
    rounded.setCheckable(True)
    rounded.setChecked(transfers.as_shown)
    rounded.toggled.connect(lambda on: setattr(transfers, "as_shown", on))


def _block(table: MatrixTable) -> Block:
    rows, columns = table.content.shape
    block = table.selected_block()
    if block is None or (block.bottom - block.top) * (block.right - block.left) <= 1:
        return Block(0, 0, rows, columns)
    return block
