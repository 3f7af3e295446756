"""What the distance between two tokens does to their score: RoPE's turn, or ALiBi's penalty."""

from __future__ import annotations

import sys
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from attnexplorer.compute.engine import Evaluation
from attnexplorer.compute.explaining.context import token_label
from attnexplorer.compute.numbers import significant_text
from attnexplorer.compute.positions import alibi_slopes, score_over_distance
from attnexplorer.compute.projections import Array
from attnexplorer.compute.stage_reads import compared_units
from attnexplorer.compute.stages import unit_for
from attnexplorer.compute.units import Unit
from attnexplorer.document.document import Document
from attnexplorer.experiment.model import Experiment
from attnexplorer.figures.axes import linear_axis
from attnexplorer.figures.curves import Marker, Plot
from attnexplorer.figures.series import Line, Points, Series
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.elided_label import ElidedLabel
from attnexplorer.views.pipeline_card import PipelineCard, card_label
from attnexplorer.views.scale_texts import shortened
from attnexplorer.views.scaling.curve_data import Table
from attnexplorer.views.scaling.plot_view import PlotView

_SHORTEST = 16
"""The curve reaches so far at least, however few tokens there are."""
_SAMPLES = 512
_DOTTED_TO = 24


class DistanceCard(PipelineCard):
    """A curve for the selected pair of the displayed head, with the distance at which the pair stands marked."""

    def __init__(self, document: Document, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(document, appearance, parent)
        self.setObjectName("distance-card")
        self.setAccessibleName("Distance")
        self._title, self._caption = QLabel(), ElidedLabel()
        self._caption.setProperty("look", "caption")
        self._caption.setObjectName("distance-caption")
        self.plot = PlotView("score against distance", appearance)
        self.plot.setObjectName("distance-plot")
        self._told, self._error = card_label("caption", "distance-told"), card_label("error", "distance-error")
        self._error.hide()
        self.plot.failed.connect(self._on_plot_failed)
        self._arrange()

    def units(self, experiment: Experiment) -> Collection[Unit]:
        if experiment.position.kind != "rope":
            return ()
        layer, head = self.shown_head(experiment)
        return {unit_for(experiment, stage, layer, head) for stage in ("query", "key")}

    def applies(self, experiment: Experiment) -> bool:
        return experiment.position.kind in ("rope", "alibi")

    def show_numbers(self, evaluation: Evaluation) -> None:
        if evaluation.experiment.position.kind == "rope":
            self._show_rope(evaluation)
        elif evaluation.experiment.position.kind == "alibi":
            self._show_alibi(evaluation.experiment)

    def apply_appearance(self) -> None:
        self._title.setFont(self.appearance.font("mathematics", 15, bold=True))
        self.plot.setFixedHeight(round(150 * self.appearance.text_scale))

    def _show_rope(self, evaluation: Evaluation) -> None:
        experiment, (layer, head) = evaluation.experiment, self.shown_head(evaluation.experiment)
        query, key = self.shown_pair(experiment)
        q, k = (
            evaluation.arrays[unit_for(experiment, stage, layer, head)][row]
            for stage, row in (("query", query), ("key", key))
        )
        xs, distance = _distances(experiment), query - key
        with np.errstate(all="ignore"):
            ys = _scores(experiment, q, k, xs)
            here = float(_scores(experiment, q, k, np.array([float(distance)]))[0])
        one, other = self._names(experiment, query, key)
        score = significant_text(here, 4, self.appearance.decimal_point)
        self._title.setText("RoPE")
        self._caption.setText(f"{self.of_which}the score of {one} and {other} at any distance")
        self._told.setText(
            f"{one} stands {_apart(distance)} {other}: q′·k′ = {score}. Only the distance counts: "
            f"the score stays if both move by the same number of places.{_pinned_note(experiment, layer, head)}"
        )
        caption = "against distance, query’s position less key’s"
        curve = _Curve("q′·k′", caption, xs, ys, _with_dots(xs, ys), _span(ys))
        self._show_curve(curve, score, Marker(float(distance), here, bold=True))

    def _show_alibi(self, experiment: Experiment) -> None:
        layer, head = self.shown_head(experiment)
        query, key = self.shown_pair(experiment)
        slopes = alibi_slopes(experiment.layers[layer].attention.heads)
        distance = abs(query + len(experiment.key_tokens) - len(experiment.query_tokens) - key)
        slope, penalty = (self._number(value) for value in (slopes[head], slopes[head] * distance))
        one, other = self._names(experiment, query, key)
        self._title.setText("ALiBi")
        several = len(slopes) > 1
        which = f"head {head + 1} of {len(slopes)}: " if several else ""
        self._caption.setText(f"{self.of_which}{which}slope {slope}{'; other heads in grey' if several else ''}")
        self._told.setText(
            f"{one} and {other} are {distance} apart: {distance} × {slope} = {penalty} is taken off their scaled score."
        )
        xs = np.arange(0.0, _reach(experiment) + 1.0)
        end = float(xs[-1])
        lines = [Line((0.0, end), (0.0, other_slope * end), "muted") for other_slope in slopes]
        own = Line((0.0, end), (0.0, slopes[head] * end))
        span = (0.0, 1.06 * max(slopes) * end)
        curve = _Curve("penalty", "against distance", xs, slopes[head] * xs, (*lines, own), span)
        self._show_curve(curve, penalty, Marker(float(distance), slopes[head] * distance, bold=True))

    def _show_curve(self, curve: _Curve, value: str, marker: Marker) -> None:
        mark = self.appearance.decimal_point
        plot = Plot(
            curve.title,
            linear_axis(float(curve.xs[0]), float(curve.xs[-1]), 8, mark),
            linear_axis(*curve.span, 3, mark),
            curve.series,
            self.appearance.theme,
            curve.caption,
            value,
            marker=marker,
        )
        self.plot.show_plot(
            plot, Table(("distance", curve.title), (tuple(curve.xs.tolist()), tuple(curve.ys.tolist())))
        )

    def _names(self, experiment: Experiment, query: int, key: int) -> tuple[str, str]:
        pair = token_label(experiment.query_tokens, query), token_label(experiment.key_tokens, key)
        return f"“{shortened(pair[0])}”", f"“{shortened(pair[1])}”"

    def _number(self, value: float) -> str:
        text = f"{value:.6g}" if value == float(f"{value:.6g}") else f"{value:.4g}"
        return text.replace(".", self.appearance.decimal_point)

    def _on_plot_failed(self, sentence: str) -> None:
        self._error.setText(sentence)
        self._error.show()

    def _arrange(self) -> None:
        heading = QHBoxLayout()
        heading.setSpacing(8)
        heading.addWidget(self._title)
        heading.addWidget(self._caption, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 10, 12, 10)
        layout.setSpacing(7)
        layout.addLayout(heading)
        for part in (self.plot, self._told, self._error):
            layout.addWidget(part)
        layout.addStretch(1)


@dataclass(frozen=True, slots=True, eq=False)
class _Curve:
    """What a plot is made from: `xs` and `ys` are its data, `series` is what is drawn, `span` what the y axis holds."""

    title: str
    caption: str
    xs: Array
    ys: Array
    series: tuple[Series, ...]
    span: tuple[float, float]


def _with_dots(xs: Array, ys: Array) -> tuple[Series, ...]:
    """Return the curve, and a dot at each whole distance where they do not crowd: tokens stand at no others."""
    line = Line(tuple(xs.tolist()), tuple(ys.tolist()))
    if xs[-1] > _DOTTED_TO:
        return (line,)
    whole = xs == np.round(xs)
    return (line, Points(tuple(xs[whole].tolist()), tuple(ys[whole].tolist())))


def _span(ys: Array) -> tuple[float, float]:
    finite = ys[np.isfinite(ys)]
    if not finite.size:
        return 0.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    margin, most = 0.06 * high - 0.06 * low or 1.0, sys.float_info.max
    return max(low - margin, -most), min(high + margin, most)


def _reach(experiment: Experiment) -> int:
    return max(len(experiment.query_tokens), len(experiment.key_tokens), _SHORTEST)


def _distances(experiment: Experiment) -> Array:
    """Return distances from one end to the other, every whole one among them."""
    reach = _reach(experiment)
    steps = max(1, _SAMPLES // reach)
    return np.arange(-reach * steps, reach * steps + 1) / steps


def _scores(experiment: Experiment, q: Array, k: Array, distances: Array) -> Array:
    position = experiment.position
    return score_over_distance(q, k, distances, position.base, position.interleaved)


def _apart(distance: int) -> str:
    if distance == 0:
        return "at the same place as"
    places = "place" if abs(distance) == 1 else "places"
    return f"{abs(distance)} {places} {'after' if distance > 0 else 'before'}"


def _pinned_note(experiment: Experiment, layer: int, head: int) -> str:
    units = {"Q′": compared_units(experiment, layer, head)[0], "K′": compared_units(experiment, layer, head)[1]}
    units["QKᵀ"] = Unit("scores", layer, head)
    pinned = [name for name, unit in units.items() if unit.path in experiment.pins]
    return f" Cells of {' and '.join(pinned)} are pinned; the curve is without those pins." if pinned else ""
