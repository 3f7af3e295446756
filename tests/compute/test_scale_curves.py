"""A head under any scale, and its rows over all scales."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hand_made import one_layer, with_scores

from attnexplorer.compute.engine import Engine, Evaluation
from attnexplorer.compute.metrics import row_metrics
from attnexplorer.compute.projections import scaled
from attnexplorer.compute.scale_curves import (
    between_scale_and_temperature,
    curve_factors,
    folding_difference,
    scale_curves,
    shift_difference,
    weights_at_scale,
)
from attnexplorer.compute.scaling import row_at_scale, scaling_units
from attnexplorer.compute.units import Unit
from attnexplorer.experiment.examples import load_example
from attnexplorer.experiment.model import Experiment, Mask, Position
from attnexplorer.experiment.paths import replace

RNG = np.random.default_rng(7)
X = RNG.normal(size=(5, 4))


def evaluated(experiment: Experiment, head: int = 0) -> Evaluation:
    return Engine().evaluate(experiment, {*scaling_units(experiment, 0, head), Unit("weights", 0, head)})


def settings() -> list[Any]:
    pin = np.full((5, 5), np.nan)
    pin[2, 1] = 0.5
    blocked = np.full((5, 5), np.nan)
    blocked[4, 0] = -np.inf
    return [
        pytest.param(one_layer(X), id="plain"),
        pytest.param(one_layer(X, softcap=2.0, temperature=0.7), id="softcap and temperature"),
        pytest.param(one_layer(X, position=Position("alibi")), id="alibi"),
        pytest.param(one_layer(X, mask=Mask(causal=True)), id="causal"),
        pytest.param(one_layer(X, pins={"layers.0.scaled.0": pin, "layers.0.masked.0": blocked}), id="pins"),
        pytest.param(one_layer(X, scale=3.0, padding=[False, True, False, False, False]), id="padding"),
    ]


@pytest.mark.parametrize("experiment", settings())
def test_at_the_set_scale_the_weights_are_those_of_the_evaluation_bit_for_bit(experiment: Experiment) -> None:
    evaluation = evaluated(experiment)
    factor = experiment.layers[0].attention.scale_factor
    weights = weights_at_scale(experiment, evaluation.arrays.__getitem__, 0, 0, factor)
    assert np.array_equal(weights, evaluation.arrays[Unit("weights", 0, 0)])


@pytest.mark.parametrize("softcap", [None, 2.0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_many_scales_at_once_give_each_scale_s_row_bit_for_bit(dtype: type[np.floating[Any]], softcap: float) -> None:
    row = RNG.normal(size=(1, 6)).astype(dtype) * 30
    row[0, 2] = -np.inf
    factors = np.array([0.0, -0.5, 0.1, 1 / 3, 4.0])
    with np.errstate(invalid="ignore"):
        at_once = scaled(row, factors.astype(dtype)[:, None], softcap)
        one_by_one = np.concatenate([scaled(row, float(factor), softcap) for factor in factors])
    assert at_once.dtype == one_by_one.dtype == dtype
    assert np.array_equal(at_once, one_by_one)


@pytest.mark.parametrize("experiment", settings())
def test_a_curve_passes_through_the_metrics_of_its_row_at_every_scale(experiment: Experiment) -> None:
    array_of = evaluated(experiment).arrays.__getitem__
    factors = curve_factors(0.05, 4.0, 10, 3, (0.5, 1.0))
    for row in range(5):
        curves = scale_curves(experiment, array_of, 0, 0, row, factors)
        for index, factor in enumerate(factors):
            alone = row_metrics(row_at_scale(experiment, array_of, 0, 0, row, float(factor)).weights[None, :])
            found = (curves.entropy, curves.effective_keys, curves.largest, curves.gradient)
            expected = (alone.entropy, alone.effective_keys, alone.largest, alone.gradient)
            assert [numbers[index] for numbers in found] == pytest.approx([number[0] for number in expected], abs=1e-12)


@pytest.mark.parametrize(
    ("factor", "numbers"),
    [
        (2**-0.5, (1.723, 3.301, 0.529, 0.404)),
        (1.0, (1.469, 2.768, 0.647, 0.355)),
        (4.0, (0.051, 1.036, 0.995, 0.008)),
    ],
)
def test_the_curves_of_the_row_of_it_have_the_known_numbers(factor: float, numbers: tuple[float, ...]) -> None:
    experiment = load_example("animal-street")
    row = experiment.query_tokens.index("it")
    curves = scale_curves(experiment, evaluated(experiment).arrays.__getitem__, 0, 0, row, np.array([factor]))
    found = (curves.entropy, curves.effective_keys, curves.largest, curves.gradient)
    assert [round(float(number[0]), 3) for number in found] == list(numbers)


def test_at_scale_0_all_visible_keys_are_equal() -> None:
    experiment = one_layer(X, mask=Mask(causal=True))
    weights = weights_at_scale(experiment, evaluated(experiment).arrays.__getitem__, 0, 0, 0.0)
    assert weights[2] == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0, 0])


def test_a_fully_masked_row_has_nothing_at_any_scale() -> None:
    experiment = one_layer(X, padding=[True] * 5)
    curves = scale_curves(experiment, evaluated(experiment).arrays.__getitem__, 0, 0, 0, np.array([0.0, 1.0, 4.0]))
    assert curves.entropy.tolist() == curves.largest.tolist() == curves.gradient.tolist() == [0.0, 0.0, 0.0]


def test_huge_scores_give_a_curve_that_is_a_number_wherever_softmax_is() -> None:
    experiment = with_scores([[1e308, -1e308]])
    curves = scale_curves(experiment, evaluated(experiment).arrays.__getitem__, 0, 0, 0, np.array([0.0, 1.0, 4.0]))
    assert curves.largest[:2].tolist() == [0.5, 1.0]
    assert np.isnan(curves.largest[2])


def test_the_scales_of_a_curve_begin_with_0_rise_and_hold_the_marks_exactly() -> None:
    factors = curve_factors(1 / 12, 4.0, 100, 6, (1 / 3, 3**-0.5, 1.0))
    assert factors[0] == 0.0
    assert factors[-1] == 4.0
    assert (np.diff(factors) > 0).all()
    assert {1 / 3, 3**-0.5, 1.0, 1 / 12} <= set(factors.tolist())


@pytest.mark.parametrize("temperature", [0.5, 2.0, 3.7])
def test_temperature_is_the_scale_by_another_name(temperature: float) -> None:
    experiment = one_layer(X, scale=0.9, mask=Mask(causal=True))
    array_of = evaluated(experiment).arrays.__getitem__
    assert between_scale_and_temperature(experiment, 0, 0, 4) == ()
    assert folding_difference(experiment, array_of, 0, 0, 4, temperature) < 1e-12


@pytest.mark.parametrize(
    ("experiment", "between"),
    [
        (one_layer(X, softcap=1.0), ("softcap",)),
        (one_layer(X, position=Position("alibi")), ("alibi",)),
        (one_layer(X, pins={"layers.0.scaled.0": RNG.normal(size=(5, 5))}), ("pins",)),
    ],
)
def test_softcap_alibi_and_pins_make_them_two_knobs(experiment: Experiment, between: tuple[str, ...]) -> None:
    array_of = evaluated(experiment).arrays.__getitem__
    assert between_scale_and_temperature(experiment, 0, 0, 4) == between
    assert folding_difference(experiment, array_of, 0, 0, 4, 2.0) > 1e-3


def test_adding_a_constant_to_a_row_of_scores_changes_no_weight_without_softcap() -> None:
    experiment = one_layer(X, temperature=0.8)
    array_of = evaluated(experiment).arrays.__getitem__
    assert shift_difference(experiment, array_of, 0, 0, 3, 5.0) < 1e-12
    capped = replace(experiment, "layers.0.attention.softcap", 2.0)
    assert shift_difference(capped, evaluated(capped).arrays.__getitem__, 0, 0, 3, 5.0) > 1e-3
