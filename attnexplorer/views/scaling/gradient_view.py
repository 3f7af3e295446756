"""What is left of the gradient: the softmax's Jacobian of one row, and one number a cell of all rows."""

from __future__ import annotations

import numpy as np
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from attnexplorer.compute.metrics import gradient_left
from attnexplorer.compute.numbers import significant_text
from attnexplorer.figures.content import NumberStyle
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.elided_label import ElidedLabel
from attnexplorer.views.scaling.map_grid import MapGrid
from attnexplorer.views.scaling.map_layout import Map
from attnexplorer.views.scaling.pictures import between, jacobian_content, sensitivity_content
from attnexplorer.views.scaling.shown import Against, ScaledHead, Shown

_DIFFERENCES = "B − A of both, each on limits that hold what differs; the numbers in words are B’s"


class GradientCard(QFrame):
    """The two gradient pictures at the scale that is set; colours always go to the most that there can be."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self.setProperty("look", "card")
        self.setObjectName("gradient-card")
        self.setAccessibleName("Gradient of softmax")
        self._title, self._caption = QLabel("Gradient"), ElidedLabel()
        self._caption.setProperty("look", "caption")
        self._caption.setObjectName("gradient-caption")
        self.maps = MapGrid(appearance, least=210, most=2)
        self.maps.setObjectName("gradient-maps")
        self.maps.setAccessibleName("Derivatives of the weights by the scores")
        heading = QHBoxLayout()
        heading.setSpacing(8)
        heading.addWidget(self._title)
        heading.addWidget(self._caption, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 10, 12, 10)
        layout.addLayout(heading)
        layout.addWidget(self.maps)
        layout.addStretch(1)

    def show_row(self, shown: Shown, chosen: ScaledHead, against: Against | None = None) -> None:
        """Show the gradient of a head at the scale that is set, and of one of its rows; or what differs in them."""
        mark, theme = self._appearance.decimal_point, self._appearance.theme
        numbers = NumberStyle(2, mark, self._appearance.text_scale)
        with np.errstate(all="ignore"):
            of_row = jacobian_content(shown, chosen, theme, numbers)
            of_all = sensitivity_content(shown, chosen, theme, numbers)
            norm = float(gradient_left(chosen.weights[shown.row : shown.row + 1])[0])
            moved = float(of_all.picture.values[shown.row].sum())
            if against is not None:
                other = (against.shown, against.chosen, theme, numbers)
                of_row = between(jacobian_content(*other), of_row)
                of_all = between(sensitivity_content(*other), of_all)
        self._caption.setText(_sentence(norm, shown.row_name) if against is None else _DIFFERENCES)
        norm_text, moved_text = (significant_text(value, 3, mark) for value in (norm, moved))
        self.maps.show_maps(
            (
                Map(
                    f"∂aᵢ/∂sⱼ of “{shown.row_name}”",
                    (f"down: weights, across: scores; norm {norm_text}", f"norm {norm_text}"),
                    of_row,
                    tip="by how much the weight of the row’s token moves with the score of the column’s",
                    marks_row=False,
                ),
                Map(
                    "2aⱼ(1 − aⱼ), all rows",
                    (f"Σᵢ|∂aᵢ/∂sⱼ| in every cell; marked row in all {moved_text}", f"row in all {moved_text}"),
                    of_all,
                    tip="by how much all weights of the row move with this score",
                ),
            ),
            shown.row,
            shown.key,
        )

    def apply_appearance(self) -> None:
        """Take over fonts and colours that have changed."""
        self._title.setFont(self._appearance.font("mathematics", 15, bold=True))
        self.maps.apply_appearance()


def _sentence(norm: float, name: str) -> str:
    if norm == 0.0:
        return f"the row of “{name}” passes none: all its derivatives are 0"
    return "how weights answer to scores at the scale that is set; colours go to ± ¼ and to ½, the most there can be"
