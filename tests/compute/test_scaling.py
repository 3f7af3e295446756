"""One row under any scale, with the functions of the evaluation itself."""

from __future__ import annotations

import numpy as np
import pytest

from attnexplorer.compute.metrics import row_metrics
from attnexplorer.compute.scaling import pinned_after_scores, row_at_scale, scaling_units
from attnexplorer.compute.trace import Trace, evaluate
from attnexplorer.compute.units import Unit
from attnexplorer.experiment.arrays import frozen, same_bits
from attnexplorer.experiment.examples import example_names, load_example
from attnexplorer.experiment.paths import replace

IT = 3


def row_of_it(factor: float) -> tuple[float, ...]:
    trace = evaluate(load_example("animal-street"))
    row = row_at_scale(trace.experiment, trace.array, 0, 0, IT, factor)
    metrics = row_metrics(row.weights[None, :])
    return tuple(float(m[0]) for m in (metrics.largest, metrics.entropy, metrics.effective_keys, metrics.gradient))


@pytest.mark.parametrize(
    ("factor", "expected"),
    [
        (0.5**0.5, (0.529, 1.723, 3.301, 0.404)),
        (1.0, (0.647, 1.469, 2.768, 0.355)),
        (4.0, (0.995, 0.051, 1.036, 0.008)),
    ],
)
def test_the_row_of_it_has_the_known_numbers_at_three_scales(factor: float, expected: tuple[float, ...]) -> None:
    assert row_of_it(factor) == pytest.approx(expected, abs=6e-4)


@pytest.mark.parametrize("name", example_names())
def test_at_its_own_scale_every_row_of_every_example_is_the_row_of_weights_bit_for_bit(name: str) -> None:
    trace = evaluate(load_example(name))
    for layer, it in enumerate(trace.experiment.layers):
        for head in range(it.attention.heads):
            weights = trace.array(Unit("weights", layer, head))
            for row in range(len(weights)):
                made = row_at_scale(trace.experiment, trace.array, layer, head, row, it.attention.scale_factor)
                assert same_bits(made.weights, weights[row])


def test_softcap_temperature_mask_and_alibi_act_on_the_row_as_in_the_evaluation() -> None:
    experiment = load_example("alibi")
    for path, value in (("softcap", 0.7), ("temperature", 1.7), ("scale", 2.3)):
        experiment = replace(experiment, f"layers.0.attention.{path}", value)
    trace = evaluate(experiment)
    weights = trace.array(Unit("weights", 0, 1))
    assert same_bits(row_at_scale(experiment, trace.array, 0, 1, 4, 2.3).weights, weights[4])


def test_only_the_named_units_are_read() -> None:
    experiment = load_example("alibi")
    trace = Trace(experiment)
    arrays = {unit: trace.array(unit) for unit in scaling_units(experiment, 0, 0)}
    assert np.isclose(row_at_scale(experiment, arrays.__getitem__, 0, 0, 2, 1.0).weights.sum(), 1.0)


def test_a_row_without_keys_sees_nothing_and_has_weights_zero() -> None:
    experiment = replace(load_example("animal-street"), "sequence.padding", (True,) * 4)
    row = row_at_scale(experiment, evaluate(experiment).array, 0, 0, IT, 1.0)
    assert not row.visible.any()
    assert not row.weights.any()
    assert row.finite


def test_pins_behind_the_scores_act_and_are_named_with_their_extent() -> None:
    pin = np.full((4, 4), np.nan)
    pin[IT, 0] = 0.0
    experiment = replace(load_example("animal-street"), "pins.layers.0.scaled.0", frozen(pin))
    whole = frozen(np.zeros((4, 4)))
    experiment = replace(experiment, "pins.layers.0.masked.0", whole)
    assert pinned_after_scores(experiment, 0, 0, IT) == (("scaled", False), ("masked", True))
    assert pinned_after_scores(experiment, 0, 0, 0) == (("masked", True),)
    row = row_at_scale(experiment, evaluate(experiment).array, 0, 0, IT, 9.0)
    assert row.weights.tolist() == [0.25] * 4


def test_a_scale_that_makes_infinities_gives_a_row_that_is_not_finite() -> None:
    experiment = load_example("animal-street")
    assert not row_at_scale(experiment, evaluate(experiment).array, 0, 0, IT, 1e308).finite
