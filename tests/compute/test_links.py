"""What a cell is made from and what it feeds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np
from experiment_strategies import experiments
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attnexplorer.compute.links import Area, shape_of, sources, targets, unit_of
from attnexplorer.compute.stages import STAGES, heads_of
from attnexplorer.compute.trace import evaluate
from attnexplorer.compute.units import Unit
from attnexplorer.experiment import model, paths
from attnexplorer.experiment.arrays import frozen

TOKENS = ("animal", "street", "because", "it")
SLOW = settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def experiment_of(heads: int = 1, **changes: object) -> model.Experiment:
    random = np.random.default_rng(0)
    matrices = tuple(frozen(random.normal(size=(2, 2))) for _ in range(heads))
    attention = replace(model.Attention(matrices, matrices, matrices), **changes)  # type: ignore[arg-type]
    return model.Experiment(
        sequence=model.Sequence(TOKENS, (False,) * 4),
        embedding=model.Embedding(TOKENS, frozen(random.normal(size=(4, 2)))),
        layers=(model.Layer(attention),),
    )


def units_of(experiment: model.Experiment) -> Iterator[Unit]:
    hidden = ["visible", "distance", "query_angles", "key_angles"]
    if experiment.source is None or experiment.source.X is not None:
        hidden += ["source_embeddings", "source_position_table"]
    elif experiment.position.kind not in ("sinusoidal", "learned"):
        hidden += ["source_position_table"]
    for name, stage in STAGES.items():
        if name in hidden:
            continue
        if stage.per.value == "experiment":
            if stage.exists(experiment, 0):
                yield Unit(name)
            continue
        for layer in range(len(experiment.layers)):
            if stage.exists(experiment, layer):
                yield from (Unit(name, layer, head) for head in heads_of(experiment, name, layer))


def parameters_of(experiment: model.Experiment) -> Iterator[str]:
    yield "embedding.E"
    if experiment.source is not None and experiment.source.X is not None:
        yield "source.X"
    if experiment.position.kind == "learned":
        yield "position.table"
    for layer, it in enumerate(experiment.layers):
        prefix = f"layers.{layer}"
        for name in ("W_Q", "W_K", "W_V", "b_Q", "b_K", "b_V"):
            for head in range(len(getattr(it.attention, name) or ())):
                yield f"{prefix}.attention.{name}.{head}"
        yield from (f"{prefix}.attention.{n}" for n in ("W_O", "b_O") if getattr(it.attention, n) is not None)
        if it.norm is not None:
            yield from (f"{prefix}.norm.gain.{place}" for place in range(len(it.norm.gain)))
            yield from (f"{prefix}.norm.bias.{place}" for place in range(len(it.norm.bias or ())))
        if it.ffn is not None:
            names = ("W_1", "b_1", "W_gate", "W_2", "b_2")
            yield from (f"{prefix}.ffn.{n}" for n in names if getattr(it.ffn, n) is not None)
    if experiment.final_norm is not None:
        yield "final_norm.gain"
        yield from ["final_norm.bias"] if experiment.final_norm.bias is not None else []
    if experiment.unembedding is not None and experiment.unembedding.W_U is not None:
        yield "unembedding.W_U"


def shape_at(experiment: model.Experiment, path: str) -> tuple[int, int]:
    unit = unit_of(path)
    if unit is not None:
        return shape_of(experiment, unit)
    shape = paths.get(experiment, path).shape
    return shape if len(shape) == 2 else (1, *shape)


def cells_of(areas: tuple[Area, ...]) -> set[tuple[str, int, int]]:
    return {(area.path, row, column) for area in areas for row in area.rows for column in area.columns}


def test_a_score_is_made_from_a_row_of_queries_and_a_row_of_keys() -> None:
    assert set(sources(experiment_of(), "layers.0.scores.0", 3, 1)) == {
        Area("layers.0.query.0", range(3, 4), range(2)),
        Area("layers.0.key.0", range(1, 2), range(2)),
    }


def test_a_weight_is_made_from_its_row_and_feeds_a_row_of_the_output() -> None:
    experiment = experiment_of()
    assert sources(experiment, "layers.0.weights.0", 3, 1) == (Area("layers.0.masked.0", range(3, 4), range(4)),)
    assert targets(experiment, "layers.0.weights.0", 3, 1) == (Area("layers.0.head_output.0", range(3, 4), range(2)),)


def test_an_output_is_made_from_a_row_of_weights_and_a_column_of_values() -> None:
    assert set(sources(experiment_of(), "layers.0.head_output.0", 3, 1)) == {
        Area("layers.0.weights.0", range(3, 4), range(4)),
        Area("layers.0.value.0", range(4), range(1, 2)),
    }


def test_a_word_that_stands_twice_feeds_both_places() -> None:
    experiment = replace(experiment_of(), sequence=model.Sequence(("it", "street", "it"), (False,) * 3))
    reached = cells_of(targets(experiment, "embedding.E", 3, 1))
    assert reached == {(name, row, 1) for name in ("embeddings", "layers.0.input") for row in (0, 2)}


def test_a_muted_head_feeds_nothing() -> None:
    experiment = experiment_of(heads=2, muted_heads=(1,))
    assert targets(experiment, "layers.0.head_output.1", 0, 0) == ()
    assert targets(experiment, "layers.0.head_output.0", 0, 1) == (Area("layers.0.concat", range(1), range(1, 2)),)


def test_a_pinned_cell_is_made_from_nothing_and_fed_by_nothing() -> None:
    pin = np.full((4, 2), np.nan)
    pin[2, 1] = 5.0
    experiment = replace(experiment_of(), pins={"layers.0.key.0": frozen(pin)})
    assert sources(experiment, "layers.0.key.0", 2, 1) == ()
    assert set(targets(experiment, "layers.0.attention.W_K.0", 0, 1)) == {
        Area("layers.0.key.0", range(2), range(1, 2)),
        Area("layers.0.key.0", range(3, 4), range(1, 2)),
    }


def test_the_way_to_the_output_can_be_followed_for_one_head() -> None:
    experiment = experiment_of(heads=2)
    touched = {area.path for area in targets(experiment, "layers.0.input", 1, 0, depth=None, head=1)}
    assert "layers.0.weights.1" in touched
    assert "layers.0.weights.0" not in touched
    assert "layers.0.output" in touched


def test_a_key_moves_a_column_of_scores_and_so_every_weight() -> None:
    reached = targets(experiment_of(), "layers.0.key.0", 1, 0, depth=None)
    assert Area("layers.0.scores.0", range(4), range(1, 2)) in reached
    assert Area("layers.0.weights.0", range(4), range(4)) in reached


def test_everything_above_a_number_can_be_found() -> None:
    above = {area.path for area in sources(experiment_of(), "layers.0.output", 0, 0, depth=None)}
    assert {"embedding.E", "layers.0.attention.W_Q.0", "layers.0.weights.0", "layers.0.value.0"} <= above


def test_what_is_no_matrix_has_no_links() -> None:
    experiment = experiment_of()
    for path in ("layers.0.attention.scale", "layers.0", "title", "pins.layers.0.key.0"):
        assert targets(experiment, path, 0, 0) == sources(experiment, path, 0, 0) == ()


@SLOW
@given(experiments(max_tokens=3))
def test_what_feeds_a_cell_is_exactly_what_it_is_made_from(experiment: model.Experiment) -> None:
    every = [*(unit.path for unit in units_of(experiment)), *parameters_of(experiment)]
    cells = [(p, r, c) for p in every for r, c in product(*map(range, shape_at(experiment, p)))]
    made_from = {(cell, source) for cell in cells for source in cells_of(sources(experiment, *cell))}
    feeds = {(target, cell) for cell in cells for target in cells_of(targets(experiment, *cell))}
    assert made_from == feeds
    assert {cell for pair in made_from for cell in pair} <= set(cells)


@SLOW
@given(experiments(), st.data())
def test_a_change_reaches_only_what_the_cell_feeds(experiment: model.Experiment, data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(list(parameters_of(experiment))))
    before = paths.get(experiment, path)
    row, column = (data.draw(st.integers(0, size - 1)) for size in shape_at(experiment, path))
    changed = np.array(before)
    changed[(row, column) if before.ndim == 2 else column] += 0.5
    after = paths.replace(experiment, path, frozen(changed))
    reached = cells_of(targets(experiment, path, row, column, depth=None))
    old, new = evaluate(experiment), evaluate(after)
    for unit in units_of(experiment):
        a, b = old.array(unit), new.array(unit)
        differing = np.argwhere(~((a == b) | (np.isnan(a) & np.isnan(b)))).tolist()
        assert {(unit.path, r, c) for r, c in differing} <= reached


@SLOW
@given(experiments())
def test_shapes_are_known_without_computing(experiment: model.Experiment) -> None:
    trace = evaluate(experiment)
    assert all(trace.array(unit).shape == shape_of(experiment, unit) for unit in units_of(experiment))
