"""Where imported numbers come from: a file, or text that may be readable in more than one way."""

from __future__ import annotations

from pathlib import Path

from attnexplorer.interop.arrays.found import ArrayFile
from attnexplorer.interop.arrays.reading import (
    is_text_table,
    layouts_in_text,
    read_arrays,
    read_text,
    table_in_text,
)
from attnexplorer.interop.arrays.text_tables import LAYOUTS, Layout

CLIPBOARD = "the clipboard"


class ArraySource:
    """Arrays by name. For text, `layouts` are the possible ways to read it, the likeliest first; else there are none.

    Raises
    ------
    FileError
        If there is nothing in it that can be imported.
    """

    def __init__(self, name: str, text: str | None, arrays: ArrayFile | None) -> None:
        self.name = name
        self._text = text
        self.layouts: tuple[Layout, ...] = () if text is None else layouts_in_text(text, name)
        if arrays is None:
            assert text is not None
            arrays = table_in_text(text, self.layouts[0], name)
        self.arrays = arrays

    @classmethod
    def of_file(cls, path: Path) -> ArraySource:
        """Return what a file holds."""
        if is_text_table(path):
            return cls(path.name, read_text(path), None)
        return cls(path.name, None, read_arrays(path))

    @classmethod
    def of_text(cls, text: str) -> ArraySource:
        """Return what a copied text holds."""
        return cls(CLIPBOARD, text, None)

    @property
    def unclear(self) -> bool:
        """Whether the text can be read in more than one way, so that somebody has to be asked."""
        return len(self.layouts) > 1

    @property
    def choosable_layouts(self) -> tuple[Layout, ...]:
        """Every layout, the possible ones first; none where there is nothing to choose."""
        if self._text is None:
            return ()
        return (*self.layouts, *(layout for layout in LAYOUTS if layout not in self.layouts))

    def read_as(self, layout: Layout) -> None:
        """Read the text in another way; `FileError` if it is no table then, and what was read before stays."""
        assert self._text is not None
        self.arrays = table_in_text(self._text, layout, self.name)


def layout_name(layout: Layout) -> str:
    """Return a layout in words."""
    separators = {"\t": "tabs", ";": "semicolons", ",": "commas", " ": "blanks"}
    mark = "point" if layout.decimal_point == "." else "comma"
    return f"{separators[layout.separator]}, decimal {mark}"
