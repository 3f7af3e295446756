"""Captures are read like any trace: their weights, what their checks say, and nothing that was not captured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from attnexplorer.compute import check_result as checks
from attnexplorer.compute.captured_checks import digits_of
from attnexplorer.compute.check_result import Check
from attnexplorer.compute.checks import check_units, last_units, run_checks
from attnexplorer.compute.engine import Engine
from attnexplorer.compute.stages import STAGES, stages_of
from attnexplorer.compute.trace import evaluate
from attnexplorer.compute.units import Unit
from attnexplorer.experiment.captured import Capture, captured
from attnexplorer.experiment.errors import ExperimentError, FileError
from attnexplorer.experiment.fileformat import dumps
from attnexplorer.experiment.paths import get
from attnexplorer.experiment.saving import save

CAUSAL = np.array([[1.0, 0.0, 0.0], [0.3, 0.7, 0.0], [0.2, 0.3, 0.5]])


def capture(*heads: Any, keys: int = 0) -> Capture:
    """Return a capture of one layer."""
    weights = np.array([heads], dtype=np.float64)
    sources = tuple(f"k{key}" for key in range(keys)) if keys else None
    return captured(weights, tuple(f"q{query}" for query in range(weights.shape[2])), sources)


def found(it: Capture, name: str) -> Check:
    return next(check for check in run_checks(it, evaluate(it).array) if check.name == name)


def statuses(it: Capture) -> dict[str, str]:
    return {check.name: check.status for check in run_checks(it, evaluate(it).array)}


def test_a_trace_gives_the_captured_weights_in_double_precision() -> None:
    attention = np.random.default_rng(0).dirichlet(np.ones(4), size=(2, 3, 4)).astype(np.float32)
    trace = evaluate(captured(attention, tuple("abcd")))
    assert np.array_equal(np.array(trace.layers[1].weights), attention[1].astype(np.float64))
    assert trace.layers[1].weights[2].dtype == np.float64
    assert not trace.layers[1].weights[2].flags.writeable
    assert trace.layers[1].stages == ("weights",)


def test_nothing_else_exists_and_nothing_else_is_made_up() -> None:
    it = capture(CAUSAL)
    assert [name for name in STAGES if STAGES[name].exists(it, 0)] == ["weights"]
    assert stages_of(it, 0) == ("weights",)
    assert check_units(it, 0, range(1)) == (Unit("weights", 0, 0),)
    assert last_units(it) == ()
    for stage in ("query", "scores", "masked", "head_output", "output", "embeddings"):
        with pytest.raises(ExperimentError, match=f"there is no {stage} here: only the weights were captured"):
            Engine().evaluate(it, [Unit(stage, 0, 0)])
    with pytest.raises(ExperimentError, match="computed by another program"):
        get(it, "layers.0.attention.W_Q.0")


def test_weights_that_did_not_change_stay_the_very_same_array() -> None:
    it, engine, unit = capture(CAUSAL), Engine(), Unit("weights", 0, 0)
    first = engine.evaluate(it, [unit])
    again = engine.evaluate(it, [unit, Unit("visible", 0)])
    assert again.arrays[unit] is first.arrays[unit]
    assert first.recomputed == (unit,)
    assert again.arrays[Unit("visible", 0)].all()


def test_a_capture_is_no_attn_file(tmp_path: Path) -> None:
    with pytest.raises(ExperimentError, match=r"kept in an \.npz file"):
        dumps(capture(CAUSAL))
    with pytest.raises(FileError, match=r"kept in an \.npz file"):
        save(capture(CAUSAL), tmp_path / "a.attn")
    assert list(tmp_path.iterdir()) == []


def test_causal_weights_pass_every_check_that_weights_alone_can_pass() -> None:
    assert statuses(capture(CAUSAL, CAUSAL)) == {
        checks.SHAPES: "ok",
        checks.SUMS: "ok",
        checks.BLOCKED: "not applicable",
        checks.FUTURE: "ok",
        checks.PADDING: "not applicable",
        checks.SCALE: "not applicable",
        checks.SOFTMAX: "ok",
        checks.FULLY_MASKED: "ok",
        checks.FINITE: "ok",
    }


def test_a_row_that_does_not_sum_to_1_fails_and_is_named() -> None:
    check = found(capture(CAUSAL, CAUSAL * [[1.0], [1.5], [1.0]]), checks.SUMS)
    assert check.status == "FAIL"
    assert check.sentence == "The sum is not 1 in 1 of 6 rows; head 1, row 1 sums to 1.5."
    assert check.head == 1


def test_exchanged_axes_are_recognised() -> None:
    sentence = found(capture(CAUSAL.T), checks.SUMS).sentence
    assert sentence.endswith("Every column does sum to 1: queries and keys may be exchanged.")


def test_a_row_of_zeros_counts_as_fully_masked_and_not_as_a_wrong_sum() -> None:
    it = capture(CAUSAL * [[1.0], [0.0], [1.0]])
    assert statuses(it)[checks.SUMS] == "ok"
    check = found(it, checks.FULLY_MASKED)
    assert (check.status, check.sentence[:33]) == ("note", "All weights are 0 in 1 of 3 rows,")
    assert evaluate(it).layers[0].fully_masked_rows == ((0, 1),)


def test_nan_and_infinity_fail_by_name() -> None:
    it = capture([[1.0, 0.0], [np.nan, 0.5]], [[np.inf, 0.0], [0.5, 0.5]])
    check = found(it, checks.FINITE)
    assert check.sentence == (
        "NaN or infinity in 2 of 8 numbers; the first is nan in weights, head 0, row 1, column 0."
    )
    assert statuses(it)[checks.SUMS] == "FAIL"


def test_numbers_that_no_softmax_makes_fail_although_they_sum_to_1() -> None:
    check = found(capture([[1.5, -0.5], [0.5, 0.5]]), checks.SOFTMAX)
    assert check.status == "FAIL"
    assert check.sentence.startswith("The weight is not between 0 and 1 in 2 of 4 pairs, the first 1.5 in weights,")


def test_weight_on_the_future_is_a_note_and_two_sequences_have_no_future() -> None:
    check = found(capture([[0.5, 0.5], [0.5, 0.5]]), checks.FUTURE)
    assert (check.status, check.where and (check.where.row, check.where.column)) == ("note", (0, 1))
    assert statuses(capture([[0.5, 0.5], [0.5, 0.5]], keys=2))[checks.FUTURE] == "not applicable"


def bfloat16(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return numbers with the digits of a bfloat16."""
    return (values.view(np.uint32) & 0xFFFF0000).view(np.float32)


@pytest.mark.parametrize(
    ("made", "name"),
    [
        (lambda it: it, "float64"),
        (lambda it: it.astype(np.float32), "float32"),
        (lambda it: it.astype(np.float32).astype(np.float64), "float32"),
        (lambda it: it.astype(np.float16), "float16"),
        (lambda it: it.astype(np.float16).astype(np.float64), "float16"),
        (lambda it: bfloat16(it.astype(np.float32)), "bfloat16"),
    ],
)
def test_sums_are_as_exact_as_the_digits_that_the_numbers_have(made: Any, name: str) -> None:
    weights = made(np.random.default_rng(1).dirichlet(np.ones(64), size=(1, 4, 64)))
    assert digits_of(weights).name == name
    it = captured(np.asarray(weights, dtype=np.float64), tuple(map(str, range(64))))
    assert statuses(it)[checks.SUMS] == "ok"
    almost = np.asarray(weights, dtype=np.float64)
    almost[0, 0, 0] *= 1.01
    assert statuses(captured(almost, tuple(map(str, range(64)))))[checks.SUMS] == "FAIL"


def test_not_a_number_says_nothing_about_digits() -> None:
    assert digits_of(np.array([np.nan, np.inf, 0.5])).name == "bfloat16"
    assert digits_of(np.array([np.nan, 1e300])).name == "float64"


def test_of_weights_that_are_nan_nothing_is_claimed() -> None:
    it = capture(np.full((3, 3), np.nan))
    assert statuses(it)[checks.SOFTMAX] == "FAIL"
    check = found(it, checks.FUTURE)
    assert check.status == "not applicable"
    assert check.sentence.startswith("3 of 3 pairs with a key after its query are NaN, the first head 0, row 0: ")
