"""The exported NumPy script: it needs nothing else, and arrives at the same numbers."""

from __future__ import annotations

import ast
import contextlib
import io
import runpy
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from experiment_strategies import experiments
from exported_scripts import differences, experiments_to_export, run_scripts, stages_of
from hand_made import one_layer, with_scores
from hypothesis import given, settings

from attnexplorer.experiment import model
from attnexplorer.experiment.arrays import frozen
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.examples import load_example
from attnexplorer.experiment.model import Experiment
from attnexplorer.interop.numpy_script import numpy_script


def test_scripts_of_all_references_and_examples_reproduce_every_stage_in_a_bare_interpreter(tmp_path: Path) -> None:
    exported = experiments_to_export()
    assert len(exported) >= 44 + 9
    scripts = {name: numpy_script(experiment) for name, experiment in exported.items()}
    computed = run_scripts(sys.executable, scripts, tmp_path)
    wrong = {name: differences(computed[name], stages_of(exported[name]), 1e-12) for name in exported}
    assert {name: stages for name, stages in wrong.items() if stages} == {}


@settings(max_examples=40)
@given(experiments())
def test_any_mixture_of_features_is_reproduced(experiment: Experiment) -> None:
    assert differences(_stages(numpy_script(experiment)), stages_of(experiment), 1e-9) == []


def test_keys_of_weight_zero_add_nothing_even_where_values_overflow() -> None:
    huge = frozen(np.full((2, 2), 1e200))
    rows = [[1.0, 0.0], [1e200, 1e200]]
    experiment = one_layer(rows, W_V=(huge,), mask=model.Mask(causal=True), pins={"layers.0.scores.0": np.eye(2)})
    with np.errstate(all="ignore"):
        got = _stages(numpy_script(experiment))
    assert not np.isfinite(got["layers.0.value"]).all()
    assert np.isfinite(got["layers.0.head_output"][0, 0]).all()
    assert differences(got, stages_of(experiment), 1e-12) == []


@pytest.mark.parametrize("scale", [0.0, -2.0])
def test_a_score_pinned_to_minus_infinity_stays_blocked_under_every_scale(scale: float) -> None:
    experiment = with_scores([[-np.inf, 1.0], [0.5, -np.inf]], scale=scale)
    got = _stages(numpy_script(experiment))
    assert np.isneginf(got["layers.0.scaled"][0, 0, 0])
    assert differences(got, stages_of(experiment), 1e-12) == []


def test_only_what_the_experiment_has_is_written() -> None:
    text = numpy_script(load_example("animal-street"))
    assert "import math" not in text
    for word in ("rotated", "sinusoidal", "gelu", "slopes", "softcap", "temperature", "norm", "muted", "segments"):
        assert word not in text, word


def test_shapes_stand_in_comments() -> None:
    text = numpy_script(load_example("multi-head"))
    lines = text.splitlines()
    assert any(line.startswith("Q = ") and line.endswith("# [heads, n, d_k]") for line in lines)
    assert any(line.startswith("# W_Q [heads, d_model, d_k] = [") for line in lines)


@pytest.mark.parametrize(
    "title",
    ['"""\nraise SystemExit(1)\n"""', "coding: rot13", "a\rraise SystemExit(1)", "a\u2028b", "שלום \N{GRINNING FACE}"],
)
def test_no_title_and_no_token_can_break_out_of_the_script(title: str) -> None:
    plain = load_example("animal-street")
    tokens = (title, *plain.sequence.tokens[1:])
    vocabulary = tuple(title if word == plain.sequence.tokens[0] else word for word in plain.embedding.vocabulary)
    experiment = replace(
        plain,
        title=title,
        sequence=replace(plain.sequence, tokens=tokens),
        embedding=replace(plain.embedding, vocabulary=vocabulary),
    )
    text = numpy_script(experiment)
    assert [type(node) for node in ast.parse(text.encode()).body[:1]] == [ast.Import]
    assert differences(_stages(text), stages_of(experiment), 1e-12) == []


def test_an_experiment_with_far_too_many_numbers_is_refused_in_a_sentence() -> None:
    wide = frozen(np.zeros((1000, 1000)))
    experiment = one_layer(np.zeros((2, 1000)), W_Q=(wide,), W_K=(wide,), W_V=(wide,))
    with pytest.raises(ExperimentError, match=r"has 3,002,000 numbers, but at most 500,000 can be written out as code"):
        numpy_script(experiment)


def _stages(text: str) -> dict[str, np.ndarray]:
    with TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
        file = Path(folder) / "script.py"
        file.write_text(text, encoding="utf-8")
        stages: dict[str, np.ndarray] = runpy.run_path(str(file))["stages"]
    return stages
