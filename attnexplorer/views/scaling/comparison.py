"""Softmax at 1/√d_k, at the scale that is set, and at 1: all rows as maps, the selected row as bars."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from attnexplorer.compute.explaining.context import token_label
from attnexplorer.compute.metrics import effective_keys, largest_weight
from attnexplorer.compute.projections import Array
from attnexplorer.compute.scaling import pinned_after_scores
from attnexplorer.figures.bars import Bar, BarsPicture, share_text
from attnexplorer.figures.content import NumberStyle
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.elided_label import ElidedLabel
from attnexplorer.views.input.fields import ChoiceBox
from attnexplorer.views.scale_texts import factor_text, pin_sentence
from attnexplorer.views.scale_track import LARGEST, ScaleTrack
from attnexplorer.views.scaling.map_grid import MapGrid
from attnexplorer.views.scaling.map_layout import Map
from attnexplorer.views.scaling.pictures import between, weights_content
from attnexplorer.views.scaling.shown import Against, ScaledHead, Shown, same
from attnexplorer.views.weight_bars import WeightBars


class ComparisonCard(QFrame):
    """Shows one head under two or three scales; a row is chosen here for the whole workspace."""

    row_chosen = Signal(int)

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._fixed: dict[float, ScaledHead] = {}
        self._former: dict[float, ScaledHead] = {}
        self._maps: dict[float, tuple[tuple[object, ...], Map]] = {}
        self._depends: tuple[object, ...] = ()
        self._against: Against | None = None
        self.setProperty("look", "card")
        self.setObjectName("comparison-card")
        self.setAccessibleName("Softmax at three scales")
        self._title, self._caption, self._note = QLabel("Softmax"), ElidedLabel(), QLabel()
        self._caption.setProperty("look", "caption")
        self._caption.setObjectName("comparison-caption")
        self._note.setProperty("look", "warning")
        self._note.setObjectName("comparison-note")
        self._note.setWordWrap(True)
        self._note.setTextFormat(Qt.TextFormat.PlainText)
        self._note.hide()
        self._row_label = QLabel("Row")
        self.rows = ChoiceBox("scaling-row", ())
        self.rows.setAccessibleName("Row")
        self.rows.setToolTip("The row that bars, curves and gradients are of; a click on a map chooses it too")
        self.rows.chosen.connect(lambda value: self.row_chosen.emit(int(value)))
        self.maps = MapGrid(appearance, least=120)
        self.maps.setObjectName("comparison-maps")
        self.maps.setAccessibleName("Weights of all rows under each scale")
        self.bars = WeightBars(appearance)
        self.bars.setObjectName("comparison-bars")
        self._tokens: tuple[str, ...] = ()
        self._arrange()

    def show_row(self, shown: Shown, chosen: ScaledHead, against: Against | None = None, remark: str = "") -> None:
        """Show a head with one of its rows marked, or what differs in it; `chosen` is it at the scale that is set."""
        self._refresh_fixed(shown, against)
        several = shown.attention.heads > 1
        self._against = against
        which = f"all rows of head {shown.head + 1}" if several else "all rows"
        below = f"the row of “{shown.row_name}”{' of A and of B' if against is not None else ''}"
        self._caption.setText(f"{which} side by side; below, {below}")
        self._show_rows(shown)
        compared = self._compared(shown, chosen)
        self.maps.show_maps(tuple(self._map(shown, *it) for it in compared), shown.row, shown.key)
        self._show_bars(shown, compared)
        notes = [*([remark] if remark else []), *self._notes(shown, chosen)]
        self._note.setText("\n".join(notes))
        self._note.setVisible(bool(notes))

    def apply_appearance(self) -> None:
        """Take over fonts and colours that have changed."""
        self._title.setFont(self._appearance.font("mathematics", 15, bold=True))
        self.maps.apply_appearance()

    def _arrange(self) -> None:
        heading = QHBoxLayout()
        heading.setSpacing(8)
        heading.addWidget(self._title)
        heading.addWidget(self._caption, 1)
        heading.addWidget(self._row_label)
        heading.addWidget(self.rows)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 10, 12, 10)
        layout.setSpacing(8)
        layout.addLayout(heading)
        for part in (self._note, self.maps, self.bars):
            layout.addWidget(part)
        layout.addStretch(1)

    def _refresh_fixed(self, shown: Shown, against: Against | None) -> None:
        """Compute softmax at 1/√d_k and at 1 anew where what they depend on has changed; the set scale is no part."""
        depends = (*shown.depends(), *(against.shown.depends() if against is not None else ()))
        if not same(depends, self._depends):
            self._depends = depends
            self._maps.clear()
            usual = ScaleTrack(shown.attention.d_k).usual
            self._fixed = {factor: shown.at_scale(factor) for factor in dict.fromkeys((usual, 1.0))}
            if against is not None:
                former = {usual: ScaleTrack(against.shown.attention.d_k).usual, 1.0: 1.0}
                self._former = {factor: against.shown.at_scale(former[factor]) for factor in self._fixed}

    def _compared(self, shown: Shown, chosen: ScaledHead) -> list[tuple[str, ScaledHead, bool]]:
        usual = ScaleTrack(shown.attention.d_k).usual
        first = "× 1/√dₖ" if usual != 1.0 else "× 1 = 1/√dₖ"
        middle = f"× {factor_text(chosen.factor, self._appearance.decimal_point)}"
        last = [] if usual == 1.0 else [("× 1", self._fixed[1.0], False)]
        return [(first, self._fixed[usual], False), (middle, chosen, True), *last]

    def _map(self, shown: Shown, label: str, scaled: ScaledHead, chosen: bool) -> Map:
        """Return a map; those of the fixed scales are made once a row, so that a drag repaints one map only."""
        depends = (shown.row, label, self._appearance.theme.name, self._appearance.decimal_point)
        known = self._maps.get(scaled.factor)
        if not chosen and known is not None and known[0] == depends:
            return known[1]
        made = self._new_map(shown, label, scaled, chosen)
        if not chosen:
            self._maps[scaled.factor] = (depends, made)
        return made

    def _new_map(self, shown: Shown, label: str, scaled: ScaledHead, chosen: bool) -> Map:
        mark = self._appearance.decimal_point
        theme, numbers = self._appearance.theme, NumberStyle(2, mark, self._appearance.text_scale)
        content, row = weights_content(shown, scaled, theme, numbers), slice(shown.row, shown.row + 1)
        captions = captions_of(scaled.weights[row], mark)
        if self._against is not None:
            former = self._against.chosen if chosen else self._former[scaled.factor]
            if chosen and former.factor != scaled.factor:
                label = f"{label} less × {factor_text(former.factor, mark)}"
            content = between(weights_content(self._against.shown, former, theme, numbers), content)
            captions = captions_between(former.weights[row], scaled.weights[row], mark)
        title = f"{label}, set" if chosen else (f"{label}, no scaling" if label == "× 1" else label)
        return Map(
            title,
            captions,
            content,
            chosen,
            "the weight that the query gives to the key" if self._against is None else "B’s weight less A’s",
        )

    def _show_bars(self, shown: Shown, compared: list[tuple[str, ScaledHead, bool]]) -> None:
        names = _names(shown.experiment.key_tokens)
        bars = tuple(_bar(label, scaled.weights[shown.row], chosen) for label, scaled, chosen in compared)
        if self._against is not None:
            bars = tuple(
                _bar(f"{name} × {factor_text(it.factor, self._appearance.decimal_point)}", it.weights[shown.row], bold)
                for name, it, bold in (("A", self._against.chosen, False), ("B", compared[1][1], True))
            )
        mark = self._appearance.decimal_point
        self.bars.show_picture(BarsPicture(bars, names, self._appearance.theme, mark))
        blind = not compared[0][1].visible[shown.row].any()
        self.bars.setVisible(not blind)

    def _show_rows(self, shown: Shown) -> None:
        tokens = shown.experiment.query_tokens
        if tokens != self._tokens:
            self._tokens = tokens
            self.rows.clear()
            for row, name in enumerate(_names(tokens)):
                self.rows.addItem(name, str(row))
        self.rows.setCurrentIndex(shown.row)

    def _notes(self, shown: Shown, chosen: ScaledHead) -> list[str]:
        pinned = pinned_after_scores(shown.experiment, shown.layer, shown.head, shown.row)
        notes = [pin_sentence(stage, whole) for stage, whole in pinned]
        if not chosen.visible[shown.row].any():
            notes.append("This row is fully masked: no key can be seen, every weight is 0.")
        if ScaleTrack(1).beyond(chosen.factor):
            end = "left end, 0" if chosen.factor < 0 else f"right end, {LARGEST:g}"
            value = factor_text(chosen.factor, self._appearance.decimal_point)
            notes.append(f"× {value} lies beyond slider and curves, whose marks stand at the {end}.")
        return notes


@lru_cache(maxsize=8)
def _names(tokens: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(token_label(tokens, index) for index in range(len(tokens)))


def captions_of(weights: Array, decimal_point: str) -> tuple[str, ...]:
    """Return the largest weight and the effective keys of one row, the longest form first. Shape: [1, m]."""
    if not np.isfinite(weights).all():
        return ("the row is not a number", "NaN")
    largest = share_text(float(largest_weight(weights)[0]), decimal_point)
    keys = f"{effective_keys(weights)[0]:.2f}".replace(".", decimal_point)
    return (
        f"row: largest {largest} · effective keys {keys}",
        f"largest {largest} · {keys} keys",
        f"{largest} · {keys} keys",
    )


def captions_between(before: Array, after: Array, decimal_point: str) -> tuple[str, ...]:
    """Return the largest weight and the effective keys of one row of A and of B. Shapes: [1, m] each."""
    a, b = (captions_of(weights, decimal_point) for weights in (before, after))
    return (f"A: {a[1]}; B: {b[1]}", f"{a[-1]} → {b[-1]}", f"B: {b[-1]}")


def _bar(label: str, weights: Array, chosen: bool) -> Bar:
    if not np.isfinite(weights).all():
        return Bar(label, None, chosen, "the scores become infinite, and softmax of them is not a number")
    return Bar(label, tuple(weights.tolist()), chosen)
