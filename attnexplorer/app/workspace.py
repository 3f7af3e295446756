"""A workspace of a window: what its tab says, and its widget, which is made when it is first shown."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget


class Workspace:
    """A tab across the top and what it shows.

    Parameters
    ----------
    name, title, description
        Its name in files, its title on the tab, and what it is for in a sentence.
    make
        Makes the widget. Starting the program does not wait for workspaces that nobody looks at.
    """

    def __init__(self, name: str, title: str, description: str, make: Callable[[], QWidget]) -> None:
        self.name, self.title, self.description = name, title, description
        self._make = make
        self._widget: QWidget | None = None

    @property
    def widget(self) -> QWidget:
        """The widget, made now if it was not yet."""
        if self._widget is None:
            self._widget = self._make()
        return self._widget

    def shows(self, widget: QWidget | None) -> bool:
        """Tell whether a widget is this workspace's; makes none."""
        return self._widget is not None and self._widget is widget
