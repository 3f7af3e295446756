from __future__ import annotations

import numpy as np
import pytest
from experiment_strategies import experiments
from hand_made import one_layer
from hypothesis import given

from attnexplorer.compute.stages import PAIR_STAGES, STAGES, heads_of, stages_of, unit_for
from attnexplorer.compute.trace import evaluate
from attnexplorer.compute.units import Per, Unit
from attnexplorer.experiment import model
from attnexplorer.experiment.pinning import PINNABLE, pin_shape, pinnable_paths

PLAIN = (
    *("input", "query", "key", "value", "scores", "scaled", "masked", "weights", "head_output"),
    *("concat", "attention_output", "output"),
)


def test_a_bare_attention_layer_has_the_stages_without_a_condition() -> None:
    assert stages_of(one_layer([[1.0]]), 0) == PLAIN


def test_rotated_stages_exist_only_with_rotary_positions() -> None:
    experiment = one_layer([[1.0, 2.0]], position=model.Position("rope"))
    assert set(stages_of(experiment, 0)) - set(PLAIN) == {"query_rotated", "key_rotated"}


def test_the_order_of_the_table_is_the_order_of_the_computation() -> None:
    names = list(STAGES)
    assert names.index("scores") < names.index("scaled") < names.index("masked") < names.index("weights")
    assert names[0] == "embeddings"
    assert names[-1] == "probabilities"


def test_pair_stages_have_a_number_for_each_query_and_key() -> None:
    assert {"scores", "scaled", "masked", "weights"} == PAIR_STAGES


def test_every_stage_that_a_file_can_pin_is_in_the_table() -> None:
    assert set(PINNABLE) <= set(STAGES)


def test_units_are_named_as_in_files() -> None:
    assert Unit("key", 0, 1).path == "layers.0.key.1"
    assert Unit("output", 2).path == "layers.2.output"
    assert Unit("logits").path == "logits"


def test_a_query_head_is_shown_with_the_key_head_that_it_uses() -> None:
    experiment = one_layer(np.eye(2), heads=6, kv_heads=2)
    assert unit_for(experiment, "key", 0, 4) == Unit("key", 0, 1)
    assert unit_for(experiment, "query", 0, 4) == Unit("query", 0, 4)
    assert unit_for(experiment, "output", 0, 4) == Unit("output", 0)
    assert unit_for(experiment, "embeddings", 0, 4) == Unit("embeddings")
    assert heads_of(experiment, "value", 0) == (0, 1)


@given(experiments())
def test_pins_have_the_shapes_of_their_stages(experiment: model.Experiment) -> None:
    trace = evaluate(experiment)
    for path in pinnable_paths(experiment):
        _, layer, stage, *head = path.split(".")
        unit = Unit(stage, int(layer), int(head[0]) if head else None)
        assert trace.array(unit).shape == pin_shape(experiment, path)


@pytest.mark.parametrize("name", [name for name, stage in STAGES.items() if not stage.internal])
def test_every_public_stage_says_what_its_rows_and_columns_are(name: str) -> None:
    stage = STAGES[name]
    assert stage.symbol
    assert all(stage.axes)
    assert (stage.per in (Per.HEAD, Per.KV_HEAD)) == (name not in WITHOUT_HEADS)


WITHOUT_HEADS = (
    *("embeddings", "input", "attention_input", "concat", "attention_output", "attention_residual"),
    *("ffn_input", "ffn_hidden", "ffn_output", "output", "final", "logits", "probabilities"),
)
