"""How every number explains itself: the arithmetic on the page is true."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest
from experiment_strategies import experiments
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attnexplorer.compute.explanation import (
    EXPLAINED_STAGES,
    Explanation,
    Line,
    Reference,
    explain,
    explain_parameter,
    localised,
    needed_units,
    spans,
)
from attnexplorer.compute.explanation_text import line_text
from attnexplorer.compute.stages import STAGES, heads_of
from attnexplorer.compute.trace import evaluate
from attnexplorer.compute.units import Unit
from attnexplorer.experiment import model, paths
from attnexplorer.experiment.arrays import Matrix, frozen

TOKENS = ("animal", "street", "because", "it")
E = frozen([[0.9, 0.2], [0.1, 0.8], [0.2, 0.1], [0.5, 0.5]])
ONES, IDENTITY = frozen(np.ones((2, 2))), frozen(np.eye(2))
PINS = {
    "layers.0.key.0": frozen([[1.5, 1.0], [0.2, 0.8], [0.1, 0.1], [0.5, 0.5]]),
    "layers.0.value.0": frozen([[1.0, 0.2], [0.1, 1.0], [0.2, 0.1], [0.5, 0.5]]),
}
SLOW = settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def animal_street(pins: dict[str, Matrix] | None = None, **changes: object) -> model.Experiment:
    attention = model.Attention((ONES,), (IDENTITY,), (IDENTITY,), mask=model.Mask(causal=True))
    return model.Experiment(
        sequence=model.Sequence(TOKENS, (False,) * 4),
        embedding=model.Embedding(TOKENS, E),
        layers=(model.Layer(replace(attention, **changes)),),  # type: ignore[arg-type]
        pins=PINS if pins is None else pins,
    )


def random_heads(tokens: int = 4, width: int = 2, heads: int = 1, kv_heads: int = 1) -> model.Experiment:
    random = np.random.default_rng(1)
    words = tuple(f"w{i}" for i in range(tokens))
    W = [tuple(frozen(random.normal(size=(width, width))) for _ in range(n)) for n in (heads, kv_heads, kv_heads)]
    return model.Experiment(
        sequence=model.Sequence(words, (False,) * tokens),
        embedding=model.Embedding(words, frozen(random.normal(size=(tokens, width)))),
        layers=(model.Layer(model.Attention(*W)),),
    )


def explained(experiment: model.Experiment, stage: str, row: int, column: int, head: int = 0) -> Explanation:
    per = STAGES[stage].per.value
    unit = {"experiment": Unit(stage), "layer": Unit(stage, 0)}.get(per, Unit(stage, 0, head))
    return explain(experiment, evaluate(experiment).array, unit, row, column)


def units_of(experiment: model.Experiment) -> Iterator[Unit]:
    given_vectors = experiment.source is not None and experiment.source.X is not None
    for name in EXPLAINED_STAGES:
        stage = STAGES[name]
        if (given_vectors and name == "source_embeddings") or (name == "source_position_table"):
            continue
        if stage.per.value == "experiment":
            yield from [Unit(name)] if stage.exists(experiment, 0) else []
            continue
        for layer in range(len(experiment.layers)):
            if stage.exists(experiment, layer):
                yield from (Unit(name, layer, head) for head in heads_of(experiment, name, layer))


class Calculator:
    """Reads a line of arithmetic as a person would and works it out from the full values of its numbers."""

    FUNCTIONS: dict[str, Callable[..., float]] = {  # noqa: RUF012
        "√": np.sqrt,
        "e^": np.exp,
        "tanh": np.tanh,
        "cos": np.cos,
        "sin": np.sin,
        "erf": math.erf,
        "max": max,
    }

    def __init__(self, line: Line) -> None:
        self.pieces = [piece for piece in line if piece.kind != "note"]
        self.place = 0
        self.largest = 0.0
        """The largest term of any sum: what is left when large terms cancel is only as exact as they are."""

    def value(self) -> float:
        with np.errstate(all="ignore"):
            return float(self.sum())

    def next_is(self, *texts: str) -> bool:
        piece = self.pieces[self.place] if self.place < len(self.pieces) else None
        return piece is not None and piece.kind == "operator" and piece.text in texts

    def take(self) -> str:
        self.place += 1
        return self.pieces[self.place - 1].text

    def sum(self) -> float:
        total = self.product()
        while self.next_is("+", "−"):
            self.largest = max(self.largest, abs(total))
            total = total + self.product() if self.take() == "+" else total - self.product()
        return total

    def gives(self, result: float) -> bool:
        value = self.value()
        return close(value, result) or (math.isfinite(self.largest) and abs(value - result) < 1e-12 * self.largest)

    def product(self) -> float:
        total = self.power()
        while self.next_is("×", "÷"):
            total = total * self.power() if self.take() == "×" else total / self.power()
        return total

    def power(self) -> float:
        base = self.atom()
        return base ** {"²": 2, "³": 3}[self.take()] if self.next_is("²", "³") else base

    def atom(self) -> float:
        piece = self.pieces[self.place]
        self.place += 1
        if piece.value is not None:
            return np.float64(piece.value)
        function = (lambda x: x) if piece.text == "(" else self.FUNCTIONS[piece.text]
        assert piece.text == "(" or self.take() == "("
        arguments = [self.sum()]
        while self.next_is(","):
            self.take()
            arguments.append(self.sum())
        assert self.take() == ")"
        return function(*arguments)


def equations(explanation: Explanation) -> Iterator[tuple[Line, float]]:
    for step in explanation.steps:
        for line in step.lines:
            texts = [piece.text for piece in line]
            if "=" in texts:
                result = line[texts.index("=") + 1]
                assert result.kind == "result"
                assert result.value is not None
                yield line[: texts.index("=")], result.value


def close(a: float, b: float) -> bool:
    return a == b or (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)


@SLOW
@given(experiments(), st.data())
def test_every_explained_number_is_the_computed_one_and_its_arithmetic_is_true(
    experiment: model.Experiment, data: st.DataObject
) -> None:
    trace = evaluate(experiment)
    seed = data.draw(st.integers(0, 1000))
    for unit in units_of(experiment):
        array = trace.array(unit)
        row, column = divmod(seed % array.size, array.shape[1])
        found = explain(experiment, trace.array, unit, row, column)
        assert close(found.value, float(array[row, column]))
        for arithmetic, result in equations(found):
            assert Calculator(arithmetic).gives(result), (unit, line_text(arithmetic), result)
        made = found.steps[(found.made_in or 0) - 1]
        assert made.result is not None
        assert close(made.result, found.value), (unit, made)


@SLOW
@given(experiments(), st.data())
def test_every_shown_number_stands_in_the_cell_it_points_to(experiment: model.Experiment, data: st.DataObject) -> None:
    trace = evaluate(experiment)
    units = {unit.path: unit for unit in units_of(experiment)}
    seed = data.draw(st.integers(0, 1000))
    exponentiated = ("exponentiate", "normalise")
    for unit in units.values():
        row, column = divmod(seed % trace.array(unit).size, trace.array(unit).shape[1])
        for step in explain(experiment, trace.array, unit, row, column).steps:
            for piece in step.arithmetic if step.verb not in exponentiated else ():
                if piece.reference is not None and piece.value is not None:
                    path, r, c = piece.reference
                    if path == "source_position_table":
                        continue
                    matrix = trace.array(units[path]) if path in units else paths.get(experiment, path)
                    assert close(float(np.atleast_2d(matrix)[r, c]), piece.value), (unit, step, piece)


@SLOW
@given(experiments(), st.data())
def test_an_explanation_reads_only_the_units_it_names(experiment: model.Experiment, data: st.DataObject) -> None:
    trace = evaluate(experiment)
    seed = data.draw(st.integers(0, 1000))
    for unit in units_of(experiment):
        arrays = {needed: trace.array(needed) for needed in needed_units(experiment, unit)}
        row, column = divmod(seed % arrays[unit].size, arrays[unit].shape[1])
        assert explain(experiment, arrays.__getitem__, unit, row, column).path == unit.path


def test_a_weight_is_followed_from_its_query_to_what_it_carries() -> None:
    found = explained(animal_street(), "weights", 3, 0)
    assert (found.heading, found.value_text) == ("A[it, animal]", "52.94 %")
    verbs = ["project", "pin", "compare", "scale", "mask", "exponentiate", "normalise", "carry"]
    assert [step.verb for step in found.steps] == verbs
    assert [step.number for step in found.steps] == list(range(1, 9))
    texts = [[line_text(line) for line in step.lines] for step in found.steps]
    assert texts[2] == ["1.00 × 1.50 + 1.00 × 1.00 = 2.500"]
    assert texts[3] == ["2.50 ÷ √2 = 1.768"]
    assert texts[6] == ["1.00 + 0.3462 + 0.1966 + 0.3462 = 1.889", "1.00 ÷ 1.889 = 0.5294"]
    assert texts[7] == ["0.5294 × 1.00 = 0.5294", "0.5294 × 0.20 = 0.1059", "of z = [0.6601, 0.3912]"]
    assert found.steps[4].subject == "allowed: position 1 ≤ 4"
    compared = found.steps[2].lines[0]
    assert compared[0].reference == Reference("layers.0.query.0", 3, 0)
    assert compared[2].reference == Reference("layers.0.key.0", 0, 0)
    assert found.made_in == 7


@pytest.mark.parametrize(
    ("mask", "rule"),
    [
        (model.Mask(causal=True), "the causal mask (position 3 > 2)"),
        (model.Mask(window=1), "the window of 1 (1 apart)"),
        (model.Mask(segments=("a", "a", "b", "b")), "the segments (a and b differ)"),
        (model.Mask(blocked=((1, 2),)), "hand (this very pair)"),
        (model.Mask(causal=True, window=1), "the causal mask (position 3 > 2) and the window of 1 (1 apart)"),
    ],
)
def test_a_blocked_pair_names_the_rules_that_block_it_and_weighs_exactly_nothing(mask: model.Mask, rule: str) -> None:
    found = explained(animal_street(mask=mask), "weights", 1, 2)
    step = next(step for step in found.steps if step.verb == "mask")
    assert step.subject == f"blocked by {rule}"
    assert line_text(step.lines[0]) == "−∞ so the weight is exactly 0"
    assert (found.value, found.value_text) == (0.0, "0 %")


def test_padding_is_named_as_what_blocks() -> None:
    experiment = replace(animal_street(), sequence=model.Sequence(TOKENS, (False, False, True, False)))
    found = explained(experiment, "masked", 3, 2)
    assert found.steps[-1].subject == "blocked by padding (key 3, because, is padding)"


@pytest.mark.parametrize(
    ("mask", "reason"),
    [
        (model.Mask(), "no rule blocks this pair"),
        (model.Mask(causal=True, allowed=((1, 2),)), "this pair is allowed by hand, over every rule"),
        (model.Mask(causal=True, prefix=3), "position 3 is in the prefix of 3"),
        (model.Mask(window=2), "1 apart, less than the window of 2"),
    ],
)
def test_a_seen_pair_says_why_it_is_seen(mask: model.Mask, reason: str) -> None:
    found = explained(animal_street(mask=mask), "masked", 1, 2)
    assert found.steps[-1].subject == f"allowed: {reason}"


def test_a_row_that_sees_nothing_says_so() -> None:
    mask = model.Mask(blocked=tuple((0, key) for key in range(4)))
    found = explained(animal_street(mask=mask), "weights", 0, 1)
    assert found.value == 0.0
    assert "No key is visible" in next(step for step in found.steps if step.verb == "normalise").note
    assert "No key is visible" in explained(animal_street(mask=mask), "head_output", 0, 1).steps[-1].note


def test_a_pinned_cell_says_that_what_is_upstream_is_not_used() -> None:
    pin = np.full((4, 4), np.nan)
    pin[3, 0] = 5.0
    found = explained(animal_street({"layers.0.scaled.0": frozen(pin)}), "weights", 3, 0)
    assert [step.verb for step in found.steps][:2] == ["pin", "mask"]
    assert found.steps[0].note == "what is upstream is not used"
    assert found.steps[0].result == 5.0


def test_a_long_sum_shows_its_largest_terms_and_the_rest() -> None:
    found = explained(random_heads(width=64), "scores", 1, 2)
    compared = found.steps[-1].lines[0]
    assert sum(piece.text == "×" for piece in compared) == 6
    assert "(… 58 more)" in [piece.text for piece in compared]
    assert close(Calculator(compared[: [p.text for p in compared].index("=")]).value(), found.value)
    assert len(found.steps[0].lines) == 1


def test_the_arithmetic_of_wide_matrices_is_true_at_every_stage() -> None:
    experiment = random_heads(tokens=12, width=64, heads=2)
    trace = evaluate(experiment)
    for unit in units_of(experiment):
        found = explain(experiment, trace.array, unit, 9, 7)
        assert all(Calculator(arithmetic).gives(result) for arithmetic, result in equations(found))


def test_a_shared_kv_head_is_named() -> None:
    found = explained(random_heads(heads=4, kv_heads=2), "scores", 1, 2, head=3)
    assert "head 4 uses KV head 2 of 2" in found.steps[-1].note


def test_a_muted_head_is_named_where_heads_are_joined() -> None:
    found = explained(animal_street(muted_heads=(0,)), "concat", 3, 1)
    assert found.value == 0.0
    assert found.steps[0].note == "head 1 is muted: zeros stand in its place"


def test_repeated_and_invisible_tokens_have_labels_that_tell_them_apart() -> None:
    words = ("it", "\n")
    experiment = replace(
        animal_street({}),
        sequence=model.Sequence(("it", "\n", "it"), (False,) * 3),
        embedding=model.Embedding(words, frozen(np.eye(2))),
    )
    assert explained(experiment, "weights", 2, 1).heading == "A[it (3), token 2]"


def test_curly_brackets_in_tokens_are_not_markup() -> None:
    experiment = replace(
        animal_street({}),
        sequence=model.Sequence(("a}_{b\\",), (False,)),
        embedding=model.Embedding(("a}_{b\\",), frozen([[1.0, 2.0]])),
    )
    subject = explained(experiment, "query", 0, 0).steps[-1].subject
    assert [span.text for span in spans(subject)][:2] == ["q", "a}_{b\\"]


def test_a_parameter_says_what_it_is() -> None:
    found = explain_parameter("layers.0.attention.W_Q.0", 1, 0, 2.5)
    assert found.notes[0].startswith("W_Q, layer 1, head 1: from d_model 2 to d_k 1")
    assert "fixed at inference" in found.notes[0]
    assert found.value_text == "2.500"
    assert explain_parameter("embedding.E", 3, 1, 0.5, animal_street()).row_label == "it"


def test_the_decimal_comma_reaches_every_number() -> None:
    found = localised(explained(animal_street(), "weights", 3, 0), ",")
    assert found.value_text == "52,94 %"
    lines = [line_text(line) for step in found.steps for line in step.lines]
    assert not any("." in line for line in lines)
    assert lines[-1] == "of z = [0,6601; 0,3912]"


def test_infinite_values_behind_a_mask_do_not_enter_the_mix() -> None:
    value = np.array(PINS["layers.0.value.0"])
    value[3] = 1e308
    found = explained(animal_street({"layers.0.value.0": frozen(value)}), "head_output", 0, 0)
    assert found.value == 1.0
    assert found.steps[-1].note == "3 keys with weight 0 add nothing"


def test_products_that_are_too_large_are_explained_as_infinite() -> None:
    huge = {f"layers.0.{name}.0": frozen(np.full((4, 2), 1e200)) for name in ("query", "key")}
    assert explained(animal_street(huge), "scores", 0, 0).value == math.inf
