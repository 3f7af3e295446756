"""What a matrix looks like, from an experiment to a picture with labels."""

from __future__ import annotations

import numpy as np
import pytest
from hand_made import one_layer, with_scores

from attnexplorer.compute.engine import Engine
from attnexplorer.experiment.examples import load_example
from attnexplorer.experiment.model import Experiment, Mask
from attnexplorer.figures.colours import WEIGHTS
from attnexplorer.figures.content import MatrixContent, NumberStyle, matrix_content, units_of
from attnexplorer.figures.theme import LIGHT


def content(experiment: Experiment, path: str) -> MatrixContent:
    evaluation = Engine().evaluate(experiment, units_of(experiment, path))
    made = matrix_content(experiment, evaluation.arrays, path, LIGHT, NumberStyle())
    assert made is not None
    return made


def test_rows_are_queries_and_columns_are_keys() -> None:
    made = content(with_scores(np.zeros((2, 5))), "layers.0.scores.0")
    assert made.shape == (2, 5)
    assert made.rows.texts == ("t0", "t1")
    assert made.columns.texts == ("s0", "s1", "s2", "s3", "s4")
    assert made.rows.coloured
    assert made.columns.coloured


def test_dimensions_are_counted_from_one() -> None:
    made = content(load_example("animal-street"), "layers.0.attention.W_Q.0")
    assert made.rows.texts == made.columns.texts == ("1", "2")
    assert not made.rows.coloured


def test_a_bias_is_a_matrix_of_one_row() -> None:
    made = content(one_layer(np.eye(2), b_Q=(np.array([1.0, 2.0]),)), "layers.0.attention.b_Q.0")
    assert made.picture.values.tolist() == [[1.0, 2.0]]


@pytest.mark.parametrize("stage", ["scores", "scaled", "masked", "weights"])
def test_blocked_pairs_are_hatched_in_every_pair_stage(stage: str) -> None:
    made = content(one_layer(np.eye(3), mask=Mask(causal=True)), f"layers.0.{stage}.0")
    assert made.picture.hatched is not None
    assert np.argwhere(made.picture.hatched).tolist() == [[0, 1], [0, 2], [1, 2]]
    assert made.picture.empty_where_hatched is (stage == "weights")


@pytest.mark.parametrize("stage", ["scores", "scaled", "masked", "weights"])
def test_a_pair_that_a_pin_blocks_is_hatched_too(stage: str) -> None:
    scores = [[0.0, -np.inf], [0.0, 0.0]]
    made = content(with_scores(scores), f"layers.0.{stage}.0")
    assert np.argwhere(made.picture.hatched).tolist() == [[0, 1]]


def test_nothing_is_hatched_where_nothing_is_blocked() -> None:
    assert content(one_layer(np.eye(2)), "layers.0.scores.0").picture.hatched is None


def test_weights_keep_the_scale_from_zero_to_one() -> None:
    made = content(one_layer(np.zeros((3, 3))), "layers.0.weights.0")
    assert made.picture.scale == WEIGHTS


def test_pinned_cells_are_marked() -> None:
    pin = np.full((2, 2), np.nan)
    pin[0, 1] = 5.0
    made = content(one_layer(np.eye(2), pins={"layers.0.query.0": pin}), "layers.0.query.0")
    assert made.picture.pinned.tolist() == [[False, True], [False, False]]
    assert content(one_layer(np.eye(2)), "layers.0.query.0").picture.pinned is None


def test_padded_tokens_are_faded() -> None:
    made = content(one_layer(np.eye(3), padding=(False, False, True)), "layers.0.weights.0")
    assert made.columns.faded == made.rows.faded == frozenset((2,))


def test_a_matrix_that_is_not_there_has_no_content() -> None:
    experiment = one_layer(np.eye(2))
    for path in ("layers.0.attention.W_O", "layers.7.attention.W_Q.0", "nothing", "layers.0.scores.0", "title"):
        assert matrix_content(experiment, {}, path, LIGHT, NumberStyle()) is None
