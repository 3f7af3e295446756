"""From a head under a scale to the contents of maps: weights, and what is left of their gradient."""

from __future__ import annotations

import dataclasses
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from attnexplorer.compute.metrics import jacobian, sensitivity
from attnexplorer.compute.projections import Array
from attnexplorer.compute.units import Unit
from attnexplorer.figures.colours import WEIGHTS, ColourScale
from attnexplorer.figures.comparison import compared
from attnexplorer.figures.content import MatrixContent, NumberStyle, token_labels, units_of
from attnexplorer.figures.labels import Labels
from attnexplorer.figures.matrix import MatrixPicture
from attnexplorer.figures.theme import Theme
from attnexplorer.views.scaling.shown import ScaledHead, Shown

STEEPEST = 0.25
"""The largest |∂aᵢ/∂sⱼ| that there can be: a(1 − a) at a = ½."""


def weights_content(shown: Shown, scaled: ScaledHead, theme: Theme, numbers: NumberStyle) -> MatrixContent:
    """Return the content of softmax at a scale. Colours go from 0 to 1."""
    return _content(shown, scaled.weights, ~scaled.visible, WEIGHTS, theme, numbers)


def sensitivity_content(shown: Shown, scaled: ScaledHead, theme: Theme, numbers: NumberStyle) -> MatrixContent:
    """Return the content of 2a(1 − a) of every cell. Colours go from 0 to the most there can be, ½."""
    colours = ColourScale("sequential", 0.0, 2 * STEEPEST)
    return _content(shown, sensitivity(scaled.weights), ~scaled.visible, colours, theme, numbers)


def jacobian_content(shown: Shown, scaled: ScaledHead, theme: Theme, numbers: NumberStyle) -> MatrixContent:
    """Return the content of ∂aᵢ/∂sⱼ of the row that is looked at. Colours go from −¼ to ¼, the most there can be."""
    unseen = ~scaled.visible[shown.row]
    hatched = unseen[:, None] | unseen
    values = jacobian(scaled.weights[shown.row])
    colours = ColourScale("diverging", -STEEPEST, STEEPEST)
    content = _content(shown, values, hatched, colours, theme, numbers)
    return dataclasses.replace(content, rows=content.columns)


def head_content(shown: Shown, unit: Unit, theme: Theme, numbers: NumberStyle) -> MatrixContent:
    """Return the evaluated weights of any head, without the names of tokens; their colours stay."""
    experiment, arrays = shown.experiment, shown.evaluation.arrays
    _, visibility = units_of(experiment, unit.path)
    found = arrays[visibility]
    hatched = np.logical_not(found) if visibility.stage == "visible" else np.isneginf(found)
    content = _content(shown, arrays[unit], hatched, WEIGHTS, theme, numbers)
    pin = experiment.pins.get(unit.path)
    picture = content.picture if pin is None else dataclasses.replace(content.picture, pinned=~np.isnan(pin), _memo={})
    rows, columns = (_unnamed(tokens) for tokens in (experiment.query_tokens, experiment.key_tokens))
    return MatrixContent(unit.path, picture, rows, columns)


def between(a: MatrixContent | None, b: MatrixContent) -> MatrixContent:
    """Return the content of B − A, or B where there is no A."""
    return b if a is None else compared(a, b, "B-A")


def _content(
    shown: Shown, values: Array, hatched: NDArray[np.bool_], colours: ColourScale, theme: Theme, numbers: NumberStyle
) -> MatrixContent:
    picture = MatrixPicture(
        values=values,
        scale=colours,
        theme=theme,
        decimals=numbers.decimals,
        decimal_point=numbers.decimal_point,
        hatched=hatched if np.any(hatched) else None,
        empty_where_hatched=True,
    )
    experiment = shown.experiment
    rows = token_labels(experiment.query_tokens, experiment.sequence.padding)
    columns = token_labels(experiment.key_tokens, experiment.key_padding)
    return MatrixContent(shown.weights_path, picture, rows, columns)


@lru_cache(maxsize=8)
def _unnamed(tokens: tuple[str, ...]) -> Labels:
    return Labels(tokens, coloured=True).without_names()
