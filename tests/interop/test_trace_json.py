from __future__ import annotations

import json
import math

import numpy as np
import pytest
from experiment_strategies import experiments
from hand_made import one_layer, with_scores
from hypothesis import given

from attnexplorer.compute.stages import STAGES, stages_of
from attnexplorer.compute.trace import evaluate
from attnexplorer.experiment import model
from attnexplorer.experiment.arrays import frozen
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.interop.trace_json import cells, trace_json
from attnexplorer.interop.trace_parts import stage_names

NUMBERS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


def traced(experiment: model.Experiment, stages=None) -> dict:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    return json.loads("".join(trace_json(experiment, stages)), parse_constant=refuse)


def as_array(nested) -> np.ndarray:
    return np.vectorize(lambda cell: float(NUMBERS.get(cell, cell)))(np.array(nested, dtype=object))


def test_the_keys_are_those_of_the_format() -> None:
    trace = traced(one_layer(np.eye(2)))
    assert list(trace) == ["tokens", "source_tokens", "embeddings", "layers"]
    assert list(trace["layers"][0]) == [*stages_of(one_layer(np.eye(2)), 0), "fully_masked_rows"]
    assert trace["source_tokens"] is None


def test_a_source_has_its_tokens_beside_those_of_the_sequence() -> None:
    source = model.Source(("x", "y", "z"), (False,) * 3, frozen(np.eye(3)))
    trace = traced(one_layer(np.eye(3)[:2], source=source))
    assert (trace["tokens"], trace["source_tokens"]) == (["t0", "t1"], ["x", "y", "z"])
    assert np.shape(trace["layers"][0]["weights"]) == (1, 2, 3)


def test_infinities_are_text_and_blind_rows_are_listed_by_head() -> None:
    layer = traced(with_scores(np.zeros((2, 2)), padding=(True, True)))["layers"][0]
    assert layer["masked"] == [[["-inf"] * 2] * 2]
    assert layer["weights"] == [[[0.0] * 2] * 2]
    assert layer["fully_masked_rows"] == [[0, 0], [0, 1]]


def test_every_kind_of_number_json_lacks_is_text() -> None:
    assert cells(np.array([[np.inf, -np.inf, np.nan, 0.1]])) == [["inf", "-inf", "nan", 0.1]]


def test_chosen_stages_leave_the_others_out() -> None:
    trace = traced(one_layer(np.eye(2)), ["weights", "output"])
    assert list(trace) == ["tokens", "source_tokens", "layers"]
    assert list(trace["layers"][0]) == ["weights", "output", "fully_masked_rows"]


@pytest.mark.parametrize("name", ["wieghts", "query_rotated", "visible", ""])
def test_a_stage_that_is_not_there_is_refused_with_those_that_are(name: str) -> None:
    with pytest.raises(ExperimentError, match=f"there is no stage '{name}' here; there are embeddings, input, query"):
        traced(one_layer(np.eye(2)), [name])


@given(experiments())
def test_every_number_loads_back_bit_for_bit(experiment: model.Experiment) -> None:
    written, trace = traced(experiment), evaluate(experiment)
    assert as_array(written["embeddings"]).tobytes() == trace.embeddings.tobytes()
    for name in trace.last_stages:
        np.testing.assert_array_equal(as_array(written[name]), getattr(trace, name), strict=True)
    for layer, found in zip(trace.layers, written["layers"], strict=True):
        assert [tuple(row) for row in found["fully_masked_rows"]] == list(layer.fully_masked_rows)
        for name in layer.stages:
            np.testing.assert_array_equal(as_array(found[name]), np.asarray(getattr(layer, name)), strict=True)


@given(experiments())
def test_internal_stages_have_no_name_outside(experiment: model.Experiment) -> None:
    names = stage_names(experiment)
    assert not [name for name in names if STAGES[name].internal]
    assert list(names) == sorted(names, key=list(STAGES).index)
