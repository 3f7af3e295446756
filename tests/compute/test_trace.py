from __future__ import annotations

import numpy as np
import pytest
from hand_made import one_layer, with_scores

from attnexplorer.compute.trace import evaluate
from attnexplorer.experiment import model
from attnexplorer.experiment.arrays import frozen
from attnexplorer.experiment.paths import replace


def test_stages_have_the_shapes_of_the_format() -> None:
    layer = evaluate(one_layer(np.ones((4, 3)), heads=2, kv_heads=1)).layers[0]
    assert np.asarray(layer.query).shape == (2, 4, 3)
    assert np.asarray(layer.key).shape == (1, 4, 3)
    assert np.asarray(layer.weights).shape == (2, 4, 4)
    assert layer.concat.shape == (4, 6)


def test_heads_are_a_sequence() -> None:
    weights = evaluate(one_layer(np.eye(2), heads=3)).layers[0].weights
    assert len(weights) == 3
    assert len(weights[1:]) == 2
    assert weights[-1] is weights[2]
    with pytest.raises(IndexError):
        weights[3]


def test_the_same_array_is_handed_out_each_time_and_cannot_be_changed() -> None:
    layer = evaluate(one_layer(np.eye(2))).layers[0]
    assert layer.output is layer.output
    with pytest.raises(ValueError, match="read-only"):
        layer.output[0, 0] = 1.0


def test_a_stage_that_the_layer_does_not_have_is_named_with_those_it_has() -> None:
    layer = evaluate(one_layer(np.eye(2))).layers[0]
    with pytest.raises(AttributeError, match=r"layer 0 has no stage 'query_rotated'; it has input, query"):
        _ = layer.query_rotated
    assert "weights" in dir(layer)


def test_what_comes_after_the_layers_exists_only_with_an_unembedding() -> None:
    experiment = one_layer(np.eye(2))
    bare = evaluate(experiment)
    assert bare.last_stages == ()
    with pytest.raises(AttributeError, match="no final norm or unembedding"):
        _ = bare.logits
    with pytest.raises(AttributeError, match="a trace has no 'wieghts'"):
        _ = bare.wieghts
    tied = evaluate(replace(experiment, "unembedding", model.Unembedding()))
    assert tied.last_stages == ("logits", "probabilities")
    assert tied.logits.tolist() == tied.layers[0].output.tolist()
    np.testing.assert_allclose(tied.probabilities.sum(axis=1), [1.0, 1.0])


def test_embeddings_are_the_rows_looked_up() -> None:
    experiment = one_layer([[1.0, 2.0], [3.0, 4.0]])
    sequence = model.Sequence(("t1", "t0", "t1"), (False,) * 3)
    assert evaluate(replace(experiment, "sequence", sequence)).embeddings.tolist() == [[3, 4], [1, 2], [3, 4]]


def test_a_learned_table_is_added_from_the_offset_on() -> None:
    table = frozen([[0.0, 0.0], [10.0, 20.0], [30.0, 40.0]])
    position = model.Position("learned", offset=1, table=table)
    assert evaluate(one_layer(np.eye(2), position=position)).layers[0].input.tolist() == [[11, 20], [30, 41]]


def test_given_source_vectors_get_no_position_added() -> None:
    source = model.Source(("a", "b", "c"), (False,) * 3, frozen(np.eye(3)))
    layer = evaluate(one_layer(np.eye(3)[:2], source=source, position=model.Position("sinusoidal"))).layers[0]
    assert layer.key[0].tolist() == np.eye(3).tolist()
    assert layer.scores[0].shape == (2, 3)


def test_single_precision_is_given_on_request() -> None:
    trace = evaluate(with_scores(np.ones((2, 2))), dtype=np.float32)
    assert trace.layers[0].weights[0].dtype == np.float32
    assert np.asarray(trace.layers[0].weights).dtype == np.float32


def test_overflow_is_a_result_and_not_a_warning() -> None:
    layer = evaluate(one_layer([[1e200, 1e200]])).layers[0]
    assert layer.scores[0].tolist() == [[np.inf]]
    assert np.isnan(layer.weights[0]).all()
