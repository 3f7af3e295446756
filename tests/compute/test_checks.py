from __future__ import annotations

from dataclasses import replace as with_fields

import numpy as np
import pytest
from experiment_strategies import experiments
from hand_made import one_layer, with_scores
from hypothesis import given

from attnexplorer.compute import check_result as checks
from attnexplorer.compute.check_result import Check
from attnexplorer.compute.checks import check_units, last_units, run_checks, run_layer_checks
from attnexplorer.compute.engine import Engine
from attnexplorer.compute.findings import Place
from attnexplorer.compute.trace import evaluate
from attnexplorer.compute.units import Unit
from attnexplorer.experiment import model
from attnexplorer.experiment.arrays import frozen
from attnexplorer.experiment.paths import replace

CAUSAL = model.Mask(causal=True)
ZEROS = np.zeros((3, 3))
NAN = np.nan


def found(experiment: model.Experiment, name: str, counting_from: int = 0) -> Check:
    results = run_checks(experiment, evaluate(experiment).array, counting_from=counting_from)
    return next(check for check in results if check.name == name)


def statuses(experiment: model.Experiment) -> dict[str, str]:
    return {check.name: check.status for check in run_checks(experiment, evaluate(experiment).array)}


def pinned_weights(weights, **settings) -> model.Experiment:
    return with_scores(np.zeros(np.shape(weights)), pins={"layers.0.weights.0": weights}, **settings)


def test_an_ordinary_causal_layer_passes_every_check_that_applies() -> None:
    assert statuses(one_layer(np.eye(3), mask=CAUSAL)) == {
        checks.SHAPES: "ok",
        checks.SUMS: "ok",
        checks.BLOCKED: "ok",
        checks.FUTURE: "ok",
        checks.PADDING: "not applicable",
        checks.SCALE: "ok",
        checks.SOFTMAX: "ok",
        checks.FULLY_MASKED: "ok",
        checks.FINITE: "ok",
    }


def test_each_check_says_what_it_looked_at() -> None:
    experiment = one_layer(np.ones((4, 2)), heads=2, mask=CAUSAL, padding=(False, False, False, True))
    assert found(experiment, checks.SHAPES).sentence == (
        "Q is 4 × 2, K is 4 × 2, V is 4 × 2, so scores and weights are 4 × 4 (queries × keys) "
        "and the head output is 4 × 2."
    )
    assert found(experiment, checks.SUMS).sentence.startswith("8 rows of 2 heads that see a key")
    assert found(experiment, checks.BLOCKED).sentence == "14 blocked pairs of 2 heads: each weight is exactly 0."
    assert found(experiment, checks.PADDING).sentence == (
        "8 pairs with a padded key in 2 heads: each weight is exactly 0."
    )
    assert found(experiment, checks.SCALE).sentence == "Scores are multiplied by 1/√2 = 0.707107."


def test_a_row_that_does_not_sum_to_one_fails_and_is_named() -> None:
    check = found(pinned_weights([[0.5, 0.5], [0.5, 0.7]]), checks.SUMS)
    assert check.status == "FAIL"
    assert check.sentence == "The sum is not 1 in 1 of 2 rows that see a key; head 0, row 1 sums to 1.2."
    assert (check.head, check.where) == (0, Place(Unit("weights", 0, 0), 1))


@pytest.mark.parametrize(("excess", "status"), [(5e-10, "ok"), (2e-9, "FAIL")])
def test_a_sum_may_miss_one_by_a_billionth(excess: float, status: str) -> None:
    assert found(pinned_weights([[0.5, 0.5 + excess]]), checks.SUMS).status == status


def test_no_sum_is_claimed_for_a_fully_masked_row() -> None:
    experiment = with_scores(ZEROS, mask=model.Mask(blocked=((0, 0), (0, 1), (0, 2))))
    assert found(experiment, checks.SUMS).sentence.startswith("2 rows of head 0 that see a key")
    check = found(experiment, checks.FULLY_MASKED)
    assert (check.status, check.where) == ("note", Place(Unit("masked", 0, 0), 0))
    assert "1 of 3 rows" in check.sentence


def test_where_no_row_sees_a_key_no_sum_is_claimed_at_all() -> None:
    results = statuses(with_scores(ZEROS, padding=(True, True, True)))
    assert (results[checks.SUMS], results[checks.FULLY_MASKED]) == ("not applicable", "note")
    assert "FAIL" not in results.values()


def test_weight_on_a_blocked_pair_fails() -> None:
    experiment = pinned_weights([[0.5, 0.5], [0.5, 0.5]], mask=model.Mask(blocked=((0, 1),)))
    check = found(experiment, checks.BLOCKED)
    assert check.status == "FAIL"
    assert check.sentence == (
        "The weight is not 0 on 1 of 1 blocked pair; the first is 0.5 in weights, head 0, row 0, column 1."
    )
    assert check.where == Place(Unit("weights", 0, 0), 0, 1)


def test_weight_on_the_future_fails_under_the_causal_mask() -> None:
    check = found(pinned_weights([[0.5, 0.5], [0.5, 0.5]], mask=CAUSAL), checks.FUTURE)
    assert (check.status, check.where) == ("FAIL", Place(Unit("weights", 0, 0), 0, 1))


def test_a_layer_that_is_not_causal_is_noted() -> None:
    assert found(one_layer(ZEROS), checks.FUTURE).status == "note"


def test_another_sequence_has_no_future() -> None:
    experiment = with_scores(np.zeros((2, 3)))
    assert experiment.source is not None
    assert found(experiment, checks.FUTURE).status == "not applicable"


@pytest.mark.parametrize(
    "settings",
    [
        {"mask": model.Mask(causal=True, prefix=2)},
        {"mask": model.Mask(causal=True, allowed=((0, 1),))},
        {"mask": CAUSAL, "pins": {"layers.0.masked.0": [[NAN, 0.0, NAN], [NAN] * 3, [NAN] * 3]}},
    ],
)
def test_a_future_that_was_made_visible_is_noted_and_no_failure(settings) -> None:
    experiment = with_scores(ZEROS, **settings)
    check = found(experiment, checks.FUTURE)
    assert (check.status, check.where) == ("note", Place(Unit("weights", 0, 0), 0, 1))
    assert "FAIL" not in statuses(experiment).values()


def test_padding_with_weight_fails() -> None:
    experiment = pinned_weights([[0.0, 1.0], [1.0, 0.0]], padding=(False, True))
    assert found(experiment, checks.PADDING).status == "FAIL"


def test_padding_that_an_allowed_pair_makes_visible_is_noted() -> None:
    experiment = with_scores(ZEROS, padding=(False, False, True), mask=model.Mask(allowed=((1, 2),)))
    check = found(experiment, checks.PADDING)
    assert (check.status, check.where) == ("note", Place(Unit("weights", 0, 0), 1, 2))


@pytest.mark.parametrize(
    ("scale", "status"), [("sqrt_dk", "ok"), (1 / np.sqrt(3), "ok"), ("none", "note"), (0.0, "note"), (1 / 3, "note")]
)
def test_a_scale_other_than_the_usual_one_is_noted(scale: float | str, status: str) -> None:
    assert found(one_layer(ZEROS, scale=scale), checks.SCALE).status == status


def test_temperature_and_softcap_are_mentioned_beside_the_scale() -> None:
    sentence = found(one_layer(ZEROS, temperature=2.0, softcap=30.0), checks.SCALE).sentence
    assert "temperature 2" in sentence
    assert "softcap 30" in sentence


def test_pinned_weights_are_not_called_a_softmax() -> None:
    assert found(pinned_weights([[1.0]]), checks.SOFTMAX).status == "not applicable"


def test_weights_normalised_over_the_queries_are_found() -> None:
    experiment = one_layer(np.diag([1.0, 2.0, 3.0]))
    trace = evaluate(experiment)
    wrong = np.exp(trace.layers[0].masked[0])
    wrong = wrong / wrong.sum(axis=0, keepdims=True)

    def array_of(unit: Unit):
        return wrong if unit.stage == "weights" else trace.array(unit)

    status = {check.name: check.status for check in run_checks(experiment, array_of)}
    assert (status[checks.SOFTMAX], status[checks.SUMS]) == ("FAIL", "FAIL")


def test_transposed_keys_are_found_by_their_shape() -> None:
    experiment = one_layer(np.ones((3, 2)))
    trace = evaluate(experiment)

    def array_of(unit: Unit):
        return trace.array(unit).T if unit.stage == "key" else trace.array(unit)

    check = run_checks(experiment, array_of)[0]
    assert (check.name, check.status) == (checks.SHAPES, "FAIL")
    assert check.sentence == "key, KV head 0 is 2 × 3, but 3 × 2 was expected."


@pytest.mark.parametrize("wrong", [np.inf, -np.inf, np.nan])
def test_an_infinite_value_fails_even_behind_a_mask(wrong: float) -> None:
    source = model.Source(("a", "b"), (False, True), frozen([[1.0, 2.0], [wrong, 0.0]]))
    check = found(one_layer([[1.0, 1.0]], source=source), checks.FINITE)
    assert check.status == "FAIL"
    assert f"{wrong} in " in check.sentence


def test_minus_infinity_is_right_where_a_pair_is_blocked_and_nowhere_else() -> None:
    blocked = with_scores(ZEROS, mask=CAUSAL)
    assert found(blocked, checks.FINITE).status == "ok"
    assert "3 cells" in found(blocked, checks.FINITE).sentence
    overflowing = one_layer([[1e200, 0.0], [-1e200, 0.0]])
    assert found(overflowing, checks.FINITE).status == "FAIL"


@pytest.mark.parametrize("stage", ["scores", "scaled", "masked"])
def test_minus_infinity_that_is_pinned_blocks_and_is_right(stage: str) -> None:
    pin = [[NAN, -np.inf, NAN], [NAN] * 3, [NAN] * 3]
    experiment = one_layer(np.eye(3), pins={f"layers.0.{stage}.0": pin})
    assert found(experiment, checks.FINITE).status == "ok"
    assert found(experiment, checks.BLOCKED).sentence == "1 blocked pair of head 0: each weight is exactly 0."


def test_a_score_too_small_for_any_number_blocks_no_pair() -> None:
    experiment = one_layer([[1e200, 0.0], [-1e200, 1.0]])
    check = found(experiment, checks.BLOCKED)
    assert (check.status, check.sentence) == ("not applicable", "No pair of head 0 is blocked.")
    causal = found(one_layer([[1e200, 0.0], [-1e200, 1.0]], mask=CAUSAL), checks.BLOCKED)
    assert "of 1 blocked pair" in causal.sentence


def test_plus_infinity_that_is_pinned_fails() -> None:
    experiment = one_layer(np.eye(2), pins={"layers.0.scaled.0": [[np.inf, NAN], [NAN, NAN]]})
    check = found(experiment, checks.FINITE)
    assert (check.status, check.where) == ("FAIL", Place(Unit("scaled", 0, 0), 0, 0))


def test_sentences_for_the_screen_count_from_one() -> None:
    experiment = pinned_weights([[0.5, 0.5], [0.5, 0.7]])
    assert "head 1, row 2 sums to 1.2" in found(experiment, checks.SUMS, counting_from=1).sentence
    assert found(experiment, checks.SUMS, counting_from=1).where == Place(Unit("weights", 0, 0), 1)


def test_what_comes_after_the_layers_is_looked_at_too() -> None:
    big = replace(one_layer([[1e200]]), "unembedding", model.Unembedding(frozen([[1e200]])))
    assert last_units(big) == (Unit("logits"), Unit("probabilities"))
    last = run_checks(big, evaluate(big).array)[-1]
    assert (last.name, last.layer, last.status) == (checks.FINITE, None, "FAIL")


def test_some_heads_of_one_layer_are_checked_with_the_units_asked_for_and_no_others() -> None:
    experiment = one_layer(np.eye(3), heads=4, kv_heads=2, mask=CAUSAL)
    units = check_units(experiment, 0, [3])
    assert {unit.head for unit in units if unit.stage in ("query", "weights")} == {3}
    assert {unit.head for unit in units if unit.stage in ("key", "value")} == {1}
    assert "output" not in {unit.stage for unit in units}
    arrays = Engine().evaluate(experiment, units).arrays
    results = run_layer_checks(experiment, 0, [3], arrays.__getitem__, counting_from=1)
    assert {check.status for check in results} == {"ok", "not applicable"}
    assert "head 4" in results[1].sentence


def test_a_failure_in_any_head_is_found() -> None:
    experiment = one_layer(np.eye(2), heads=3, pins={"layers.0.weights.2": [[1.0, 1.0], [0.5, 0.5]]})
    check = found(experiment, checks.SUMS)
    assert (check.status, check.head) == ("FAIL", 2)


def test_every_layer_is_checked() -> None:
    experiment = one_layer(np.eye(2))
    stacked = with_fields(experiment, layers=experiment.layers * 3)
    results = run_checks(stacked, evaluate(stacked).array)
    assert [check.layer for check in results] == sorted(list(range(3)) * 9)


def test_large_rows_are_sampled_for_the_softmax() -> None:
    experiment = with_scores(np.zeros((600, 600)))
    check = found(experiment, checks.SOFTMAX)
    assert check.status == "ok"
    assert check.sentence.startswith("109 rows")


def test_single_precision_rows_sum_to_one_within_single_precision() -> None:
    experiment = with_scores(np.random.default_rng(1).normal(size=(8, 8)))
    results = run_checks(experiment, evaluate(experiment, dtype=np.float32).array)
    assert "FAIL" not in {check.status for check in results}


@given(experiments())
def test_without_pins_nothing_fails(experiment: model.Experiment) -> None:
    free = replace(experiment, "pins", model.NOTHING)
    failures = [check for check in run_checks(free, evaluate(free).array) if check.status == "FAIL"]
    assert failures == []


@given(experiments())
def test_every_finding_has_its_place_and_every_check_its_sentence(experiment: model.Experiment) -> None:
    trace = evaluate(experiment)
    for check in run_checks(experiment, trace.array):
        assert check.sentence.endswith(".")
        assert "\n" not in check.sentence
        if check.where is not None:
            assert check.where.unit.head == check.head
            array = trace.array(check.where.unit)
            assert 0 <= check.where.row < array.shape[0]
            assert check.where.column is None or 0 <= check.where.column < array.shape[1]
