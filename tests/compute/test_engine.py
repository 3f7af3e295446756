from __future__ import annotations

import gc
import tracemalloc
import weakref
from dataclasses import replace as with_fields

import numpy as np
import pytest
from experiment_strategies import experiments
from hand_made import one_layer
from hypothesis import given, settings
from hypothesis import strategies as st

from attnexplorer.compute.engine import Engine
from attnexplorer.compute.stages import PAIR_STAGES, STAGES, heads_of, stages_of
from attnexplorer.compute.units import Per, Unit
from attnexplorer.experiment import model
from attnexplorer.experiment.arrays import frozen, same_bits
from attnexplorer.experiment.edits.creation import new_experiment
from attnexplorer.experiment.paths import get, replace
from attnexplorer.experiment.pinning import pin_shape, pinnable_paths
from attnexplorer.interop.trace_json import trace_json

ATTENTION = "layers.0.attention"
DOWNSTREAM_OF_SCALE = ("scaled", "masked", "weights", "head_output", "concat", "attention_output", "output")


def all_units(experiment: model.Experiment) -> list[Unit]:
    outside = [
        s.name for s in STAGES.values() if s.per is Per.EXPERIMENT and not s.internal and s.exists(experiment, 0)
    ]
    inside = [
        Unit(stage, layer, head)
        for layer in range(len(experiment.layers))
        for stage in stages_of(experiment, layer)
        for head in heads_of(experiment, stage, layer)
    ]
    return [*(Unit(name) for name in outside), *inside]


def two_heads() -> model.Experiment:
    random = np.random.default_rng(7)

    def matrices() -> tuple:
        return tuple(frozen(random.normal(size=(3, 3))) for _ in range(2))

    return one_layer(random.normal(size=(4, 3)), W_Q=matrices(), W_K=matrices(), W_V=matrices())


def stages(units) -> set[str]:
    return {unit.stage for unit in units}


@pytest.fixture
def engine() -> Engine:
    return Engine(keep_all=True)


def test_only_what_is_asked_for_is_computed(engine: Engine) -> None:
    done = engine.evaluate(two_heads(), [Unit("scores", 0, 1)])
    assert set(done.recomputed) == {
        *(Unit("embeddings"), Unit("input", 0), Unit("query", 0, 1), Unit("key", 0, 1), Unit("scores", 0, 1)),
    }
    assert list(done.arrays) == [Unit("scores", 0, 1)]


def test_nothing_is_computed_twice(engine: Engine) -> None:
    experiment = two_heads()
    units = all_units(experiment)
    first = engine.evaluate(experiment, units)
    second = engine.evaluate(experiment, units)
    assert second.recomputed == ()
    assert all(first.arrays[unit] is second.arrays[unit] for unit in units)


def test_a_new_scale_leaves_everything_before_it_the_very_same_arrays(engine: Engine) -> None:
    experiment = two_heads()
    units = all_units(experiment)
    before = engine.evaluate(experiment, units)
    after = engine.evaluate(replace(experiment, f"{ATTENTION}.scale", 0.3), units)
    assert stages(after.recomputed) == set(DOWNSTREAM_OF_SCALE)
    for unit in units:
        assert (after.arrays[unit] is before.arrays[unit]) == (unit.stage not in DOWNSTREAM_OF_SCALE)


def test_another_name_for_the_same_scale_changes_nothing(engine: Engine) -> None:
    experiment = replace(two_heads(), f"{ATTENTION}.scale", 1.0)
    units = all_units(experiment)
    engine.evaluate(experiment, units)
    assert engine.evaluate(replace(experiment, f"{ATTENTION}.scale", "none"), units).recomputed == ()


def test_one_head_s_matrix_leaves_the_other_heads_alone(engine: Engine) -> None:
    experiment = two_heads()
    units = all_units(experiment)
    engine.evaluate(experiment, units)
    changed = replace(experiment, f"{ATTENTION}.W_Q.1", frozen(np.eye(3)))
    recomputed = engine.evaluate(changed, units).recomputed
    assert {unit.head for unit in recomputed if unit.head is not None} == {1}
    assert not stages(recomputed) & {"key", "value", "input", "embeddings"}


def test_the_title_the_notes_and_the_view_change_no_number(engine: Engine) -> None:
    experiment = two_heads()
    units = all_units(experiment)
    engine.evaluate(experiment, units)
    renamed = with_fields(experiment, title="Another", notes="more", view={"tab": 1})
    assert engine.evaluate(renamed, units).recomputed == ()


def test_what_is_upstream_of_a_full_pin_goes_quiet() -> None:
    experiment = one_layer(np.eye(2), pins={"layers.0.scores.0": np.eye(2)})
    recomputed = Engine().evaluate(experiment, [Unit("weights", 0, 0)]).recomputed
    assert not stages(recomputed) & {"query", "key", "input"}


def test_a_cell_that_is_pinned_leaves_the_rest_computed(engine: Engine) -> None:
    pin = [[np.nan, 9.0], [np.nan, np.nan]]
    pinned = one_layer(np.eye(2), pins={"layers.0.scores.0": pin})
    assert engine.evaluate(pinned, [Unit("scores", 0, 0)]).arrays[Unit("scores", 0, 0)].tolist() == [[1, 9], [0, 1]]


def test_releasing_a_pin_gives_the_computed_numbers_back(engine: Engine) -> None:
    free = two_heads()
    path, unit = "layers.0.query.0", Unit("output", 0)
    before = engine.evaluate(free, [unit]).arrays[unit]
    pinned = replace(free, f"pins.{path}", frozen(np.ones((4, 3))))
    assert not same_bits(engine.evaluate(pinned, [unit]).arrays[unit], before)
    assert same_bits(engine.evaluate(replace(pinned, f"pins.{path}", None), [unit]).arrays[unit], before)


def test_the_output_does_not_depend_on_whether_the_weights_are_shown() -> None:
    experiment, output = two_heads(), Unit("output", 0)
    alone = Engine().evaluate(experiment, [output]).arrays[output]
    together = Engine().evaluate(experiment, all_units(experiment)).arrays[output]
    assert same_bits(alone, together)


@pytest.mark.parametrize("stage", sorted(PAIR_STAGES))
def test_pair_matrices_of_hidden_heads_are_not_kept(stage: str) -> None:
    engine, experiment = Engine(), two_heads()
    hidden = Unit(stage, 0, 1)
    reference = weakref.ref(engine.evaluate(experiment, [hidden]).arrays[hidden])
    engine.evaluate(experiment, [Unit("weights", 0, 0), Unit("output", 0)])
    gc.collect()
    assert reference() is None


def test_what_was_let_go_of_comes_back_with_the_same_bits() -> None:
    engine, experiment, unit = Engine(), two_heads(), Unit("weights", 0, 1)
    before = engine.evaluate(experiment, [unit]).arrays[unit]
    engine.evaluate(experiment, [Unit("output", 0)])
    again = engine.evaluate(experiment, [unit])
    assert unit in again.recomputed
    assert same_bits(again.arrays[unit], before)


def test_layers_that_are_gone_are_let_go_of() -> None:
    engine, experiment = Engine(), two_heads()
    stacked = with_fields(experiment, layers=(with_out(experiment.layers[0], 3), experiment.layers[0]))
    unit = Unit("output", 1)
    reference = weakref.ref(engine.evaluate(stacked, [unit]).arrays[unit])
    engine.evaluate(with_fields(stacked, layers=stacked.layers[:1]), [Unit("output", 0)])
    gc.collect()
    assert reference() is None


def test_more_layers_than_the_interpreter_has_stack_for_are_evaluated() -> None:
    experiment = one_layer([[0.5, 1.0], [1.0, 0.25]])
    deep = with_fields(experiment, layers=experiment.layers * 1200)
    result = Engine().evaluate(deep, [Unit("output", 1199)]).arrays[Unit("output", 1199)]
    assert result.shape == (2, 2)
    assert np.isfinite(result).all()


def test_three_hundred_layers_are_traced() -> None:
    experiment = one_layer([[0.5, 1.0], [1.0, 0.25]])
    deep = with_fields(experiment, layers=experiment.layers * 300)
    assert sum('"weights"' in piece for piece in trace_json(deep)) == 300


@given(experiments())
def test_every_array_is_read_only(experiment: model.Experiment) -> None:
    arrays = Engine(keep_all=True).evaluate(experiment, all_units(experiment)).arrays
    assert [unit for unit, array in arrays.items() if array.flags.writeable] == []


def test_a_pinned_cell_keeps_single_precision_where_the_rest_is_made_without_numbers() -> None:
    experiment = one_layer([[2.0]], heads=2, muted_heads=(0, 1), pins={"layers.0.concat": [[5.0, np.nan]]})
    concat = Engine(np.float32).evaluate(experiment, [Unit("concat", 0)]).arrays[Unit("concat", 0)]
    assert (concat.dtype, concat.tolist()) == (np.float32, [[5.0, 0.0]])


@given(experiments())
def test_single_precision_is_single_throughout(experiment: model.Experiment) -> None:
    arrays = Engine(np.float32).evaluate(experiment, all_units(experiment)).arrays
    assert {array.dtype for array in arrays.values()} == {np.dtype(np.float32)}


@given(experiments())
def test_evaluation_leaves_the_experiment_bit_for_bit_alone(experiment: model.Experiment) -> None:
    before = {path: get(experiment, path).tobytes() for path in array_paths(experiment)}
    Engine().evaluate(experiment, all_units(experiment))
    assert {path: get(experiment, path).tobytes() for path in array_paths(experiment)} == before


@settings(deadline=None)
@given(st.data(), st.booleans())
def test_incremental_evaluation_equals_full_evaluation_bit_for_bit(data: st.DataObject, keep_all: bool) -> None:
    engine = Engine(keep_all=keep_all)
    experiment = data.draw(experiments())
    for _ in range(data.draw(st.integers(1, 8))):
        units = data.draw(st.lists(st.sampled_from(all_units(experiment)), min_size=1, max_size=6, unique=True))
        incremental = engine.evaluate(experiment, units).arrays
        full = Engine(keep_all=True).evaluate(experiment, all_units(experiment)).arrays
        assert [unit for unit in units if not same_bits(incremental[unit], full[unit])] == []
        experiment = edited(data, experiment)


@settings(deadline=None)
@given(st.data())
def test_an_array_is_a_new_one_only_if_it_was_recomputed(data: st.DataObject) -> None:
    engine = Engine(keep_all=True)
    experiment = data.draw(experiments())
    before = engine.evaluate(experiment, all_units(experiment)).arrays
    changed = edited(data, experiment)
    after = engine.evaluate(changed, all_units(changed))
    kept = [unit for unit in before if unit in after.arrays and after.arrays[unit] is before[unit]]
    assert set(after.arrays) - set(after.recomputed) == set(kept) - set(after.recomputed)


def with_out(layer: model.Layer, width: int) -> model.Layer:
    attention = layer.attention
    projection = frozen(np.ones((attention.heads * attention.d_v, width)))
    return with_fields(layer, attention=with_fields(attention, W_O=projection))


def array_paths(experiment: model.Experiment) -> list[str]:
    """Return the paths of the arrays that every experiment has."""
    paths = ["embedding.E"]
    for index, layer in enumerate(experiment.layers):
        for name in ("W_Q", "W_K", "W_V"):
            count = len(getattr(layer.attention, name))
            paths += [f"layers.{index}.attention.{name}.{head}" for head in range(count)]
    return [*paths, *(f"pins.{path}" for path in experiment.pins)]


def edited(data: st.DataObject, experiment: model.Experiment) -> model.Experiment:
    """Return the experiment after one random edit, or another experiment altogether."""
    layer = f"layers.{data.draw(st.integers(0, len(experiment.layers) - 1))}"
    kind = data.draw(st.sampled_from(("array", "value", "mask", "mute", "pin", "release", "padding", "another")))
    if kind == "array":
        path = data.draw(st.sampled_from(array_paths(experiment)))
        return replace(experiment, path, frozen(get(experiment, path) * data.draw(st.sampled_from((-1.0, 0.5, 3.0)))))
    if kind == "value":
        values = {"scale": ("sqrt_dk", "none", 0.0, -0.0, 0.5), "temperature": (1.0, 2.0), "softcap": (None, 4.0)}
        name = data.draw(st.sampled_from(sorted(values)))
        return replace(experiment, f"{layer}.attention.{name}", data.draw(st.sampled_from(values[name])))
    if kind == "mask":
        pairs = data.draw(st.sampled_from(((), ((0, 0),))))
        mask = model.Mask(causal=data.draw(st.booleans()), blocked=pairs)
        return replace(experiment, f"{layer}.attention.mask", mask)
    if kind == "mute":
        return replace(experiment, f"{layer}.attention.muted_heads", data.draw(st.sampled_from(((), (0,)))))
    if kind == "padding":
        side = "sequence" if experiment.source is None else "source"
        return replace(experiment, f"{side}.padding", tuple(not padded for padded in experiment.key_padding))
    if kind == "another":
        return data.draw(experiments())
    path = data.draw(st.sampled_from(pinnable_paths(experiment)))
    if kind == "release":
        return replace(experiment, f"pins.{path}", None)
    numbers = np.random.default_rng(data.draw(st.integers(0, 99))).normal(size=pin_shape(experiment, path))
    if data.draw(st.booleans()):
        numbers[numbers > 0] = np.nan
    return replace(experiment, f"pins.{path}", frozen(numbers))


def test_pair_matrices_of_hidden_heads_are_never_all_in_memory_at_once() -> None:
    tokens, heads = 256, 12
    experiment = new_experiment([f"t{index}" for index in range(tokens)], 24, 2, 2, heads, seed=1)
    engine = Engine()

    tracemalloc.start()
    try:
        done = engine.evaluate(experiment, [Unit("concat", 0)])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert {unit for unit in done.recomputed if unit.stage == "weights"} == {
        Unit("weights", 0, head) for head in range(heads)
    }
    assert peak < 6 * tokens * tokens * 8
    assert np.array_equal(
        done.arrays[Unit("concat", 0)],
        Engine(keep_all=True).evaluate(experiment, done.arrays).arrays[Unit("concat", 0)],
    )
