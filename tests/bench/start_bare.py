"""A bare script: PySide6, NumPy and pyqtgraph imported, an empty pyqtgraph window shown. Prints when it is painted.

Then it ends, unless it is called with --stay.
"""

from __future__ import annotations

import sys
import time

import numpy as np
import pyqtgraph
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication


class Plot(pyqtgraph.PlotWidget):  # type: ignore[misc]
    """An empty plot that ends the program once it is painted."""

    def paintEvent(self, event: object) -> None:
        super().paintEvent(event)
        QTimer.singleShot(0, self._tell)

    def _tell(self) -> None:
        print(time.monotonic(), flush=True)
        if "--stay" not in sys.argv:
            QApplication.exit(0)


if __name__ == "__main__":
    application = QApplication([])
    np.zeros(1)
    plot = Plot()
    plot.resize(1440, 900)
    plot.show()
    application.exec()
