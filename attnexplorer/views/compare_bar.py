"""The bar that is there only while two experiments are compared: A, B or B − A, and the way back."""

from __future__ import annotations

from typing import cast

from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from attnexplorer.document.comparison import Shown
from attnexplorer.document.document import Document
from attnexplorer.document.viewpoint import SAME
from attnexplorer.experiment.comparison import identical
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.elided_label import ElidedLabel
from attnexplorer.views.input.segmented import Choice, SegmentedControl

_CHOICES = (
    Choice("A", "A", "Show the experiment that was kept (Ctrl+Alt+A)"),
    Choice("B", "B", "Show the experiment that is open, which alone can be changed (Ctrl+Alt+B)"),
    Choice("B-A", "B − A", "Show what changed from A to B (Ctrl+Alt+D)"),
)


_SLIDERS = {"pipeline": ", and sliders set it.", "scaling": ", and sliders set it."}
_NO_DIFFERENCE = {
    "pipeline": "Explain is about B.",
    "heads": "Likeness and Explain are about B.",
    "scaling": "Curves and bars show both.",
    "geometry": "The pair’s numbers are of B.",
}


class CompareBar(QFrame):
    """Follows the comparison of a document; it takes no room while there is none."""

    def __init__(self, document: Document, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document, self._comparison, self._appearance = document, document.comparison, appearance
        self._workspace = "pipeline"
        self.setObjectName("compare-bar")
        self.setProperty("look", "band")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.choice = SegmentedControl("Compare", _CHOICES)
        self._text, self._note, self._leave = QLabel(), ElidedLabel(), QToolButton()
        self._lay_out()
        self.choice.chosen.connect(lambda shown: self._comparison.show(cast(Shown, shown)))
        self._leave.clicked.connect(self._comparison.leave)
        self._comparison.changed.connect(self._refresh)
        document.evaluated.connect(self._refresh)
        appearance.changed.connect(self._fit_choice)
        self._fit_choice()
        self._refresh()

    def show_workspace(self, name: str) -> None:
        """Say what in the workspace that is shown is of B whatever is chosen, since it has no difference."""
        self._workspace = name
        self._refresh()

    def _fit_choice(self) -> None:
        self.choice.setFixedWidth(round(150 * self._appearance.text_scale))

    def _refresh(self) -> None:
        comparison = self._comparison
        self.setVisible(comparison.active)
        if comparison.active:
            self.choice.choose(comparison.shown)
            self._text.setText(comparison.text)
            self._note.setText(self._remark())

    def _remark(self) -> str:
        if not self._comparison.read_only:
            return "Changes go to B; A stays as it is."
        if self._comparison.shown == "A":
            return self._of_b()
        base = self._comparison.experiment
        same = f"{SAME} " if base is not None and identical(base, self._document.experiment) else ""
        return f"{same}{self._of_b()} {_NO_DIFFERENCE.get(self._workspace, '')}"

    def _of_b(self) -> str:
        return f"Only B can be changed{_SLIDERS.get(self._workspace, '.')}"

    def _lay_out(self) -> None:
        self._text.setObjectName("compare-text")
        self._note.setObjectName("compare-note")
        self._note.setProperty("look", "caption")
        self._leave.setText("Leave compare")
        self._leave.setObjectName("compare-leave")
        self._leave.setProperty("look", "link")
        self._leave.setToolTip("Forget A and show the open experiment as before")
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 5, 14, 5)
        row.setSpacing(10)
        row.addWidget(self.choice)
        row.addWidget(self._text)
        row.addWidget(self._note, 1)
        row.addWidget(self._leave)
