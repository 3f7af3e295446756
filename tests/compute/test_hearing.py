"""Which matrices still reach the output: what lies before a whole pin does not."""

from __future__ import annotations

import numpy as np

from attnexplorer.compute.hearing import quiet_paths
from attnexplorer.compute.trace import evaluate
from attnexplorer.experiment.arrays import frozen
from attnexplorer.experiment.examples import load_example
from attnexplorer.experiment.paths import get, replace

PATHS = (
    "layers.0.attention.W_Q.0",
    "layers.0.attention.W_K.0",
    "layers.0.attention.W_V.0",
    "layers.0.input",
    "layers.0.query.0",
    "layers.0.key.0",
    "layers.0.value.0",
    "layers.0.scores.0",
    "layers.0.scaled.0",
    "layers.0.weights.0",
)


def test_the_weights_before_pinned_keys_and_values_are_quiet_and_change_nothing() -> None:
    experiment = load_example("animal-street")
    quiet = quiet_paths(experiment, 0, PATHS)
    assert quiet == {"layers.0.attention.W_K.0", "layers.0.attention.W_V.0"}
    before = evaluate(experiment).layers[0].output
    for path in PATHS[:3]:
        other = replace(experiment, path, frozen(np.asarray(get(experiment, path)) + 1.0))
        same = bool(np.array_equal(evaluate(other).layers[0].output, before))
        assert same is (path in quiet), path


def test_everything_before_given_scores_is_quiet() -> None:
    given = load_example("given-scores")
    pin = np.nan_to_num(given.pins["layers.0.scaled.0"])
    experiment = replace(given, "pins.layers.0.scaled.0", frozen(pin))
    quiet = quiet_paths(experiment, 0, PATHS)
    assert {"layers.0.attention.W_Q.0", "layers.0.query.0", "layers.0.scores.0"} <= quiet
    assert not quiet & {"layers.0.scaled.0", "layers.0.weights.0", "layers.0.value.0", "layers.0.input"}


def test_nothing_is_quiet_without_a_whole_pin() -> None:
    experiment = load_example("tired")
    assert quiet_paths(experiment, 0, PATHS) == frozenset()
    scores = np.full((11, 11), np.nan)
    scores[0, 0] = 1.0
    partly = replace(experiment, "pins.layers.0.scores.0", frozen(scores))
    assert quiet_paths(partly, 0, PATHS) == frozenset()
