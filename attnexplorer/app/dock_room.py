"""Docks give way to the workspace where the window is too narrow for both, and come back where it is wide again."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow

from attnexplorer.views.appearance import Appearance
from attnexplorer.views.soon import soon

_LEAST, _LEAST_OF_TYPE = 160, 200
"""The room in pixels that a workspace has beside docks: a fixed part, and one that grows with type."""


class DockRoom(QObject):
    """Looks after the docks of a window.

    A dock that is opened in a narrow window stays open: docks give way only when the window becomes too narrow.

    Parameters
    ----------
    docks, widths
        The docks, the last of which gives way first, and how wide each is at the usual size of type.
    """

    def __init__(
        self, window: QMainWindow, appearance: Appearance, docks: Sequence[QDockWidget], widths: Sequence[int]
    ) -> None:
        super().__init__(window)
        self._window, self._appearance = window, appearance
        self._docks, self._widths = tuple(docks), tuple(widths)
        self._gone: set[QDockWidget] = set()
        self._missing = 0
        self._scale = appearance.text_scale
        for dock in docks:
            dock.toggleViewAction().triggered.connect(lambda _, dock=dock: self._gone.discard(dock))
        appearance.changed.connect(self._on_appearance_changed)

    @property
    def gone(self) -> frozenset[QDockWidget]:
        """The docks that gave way."""
        return frozenset(self._gone)

    def settle(self) -> None:
        """Have docks give way to a window that has become narrower, or come back to one that has become wider."""
        missing = self._too_many()
        stay = len(self._docks) - missing
        if missing > self._missing:
            for dock in self._docks[stay:]:
                if not dock.isHidden() and self._stands_beside(dock):
                    dock.hide()
                    self._gone.add(dock)
        back = [dock for dock in self._docks[:stay] if dock in self._gone]
        for dock in back:
            self._gone.discard(dock)
            dock.show()
        self._missing = missing
        if back:
            # Where a dock was narrow in the narrow window it would stay so.
            self.widen()
        # How wide the docks are is known once the window has laid them out.
        soon(self, self._leave_room)

    def begin_anew(self) -> None:
        """Take the docks as they have just been arranged."""
        self._gone.clear()
        self._missing = 0
        self.settle()

    def widen(self) -> None:
        """Give each dock the width that it has at first, for the present size of type."""
        widths = [round(width * self._appearance.text_scale) for width in self._widths]
        self._window.resizeDocks(list(self._docks), widths, Qt.Orientation.Horizontal)

    def _too_many(self) -> int:
        """Return how many of the docks, the last ones, find no room."""
        scale, room, fitting = self._appearance.text_scale, self._room(), 0
        for count in range(len(self._docks) + 1):
            if sum(self._widths[:count]) * scale <= room:
                fitting = count
        return len(self._docks) - fitting

    def _room(self) -> float:
        """Return the width that the workspace leaves to docks."""
        return self._window.width() - _LEAST - _LEAST_OF_TYPE * self._appearance.text_scale

    def _leave_room(self) -> None:
        """Take from docks that were made wide in a wider window what the workspace needs."""
        beside = [dock for dock in self._docks if dock.isVisible() and self._stands_beside(dock)]
        usual = self._appearance.text_scale * sum(self._widths[self._docks.index(dock)] for dock in beside)
        if usual <= self._room() < sum(dock.width() for dock in beside):
            self.widen()

    def _stands_beside(self, dock: QDockWidget) -> bool:
        sides = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea
        return not dock.isFloating() and self._window.dockWidgetArea(dock) in sides

    def _on_appearance_changed(self) -> None:
        scale = self._appearance.text_scale
        if scale == self._scale:
            return
        self.settle()
        docks = [dock for dock in self._docks if not dock.isHidden() and self._stands_beside(dock)]
        widths = [round(dock.width() * scale / self._scale) for dock in docks]
        self._scale = scale
        self._window.resizeDocks(docks, widths, Qt.Orientation.Horizontal)
