"""Explanations as text, Markdown, LaTeX and NumPy."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
from experiment_strategies import experiments
from hypothesis import HealthCheck, given, settings

from attnexplorer.compute.explanation import EXPLAINED_STAGES, Explanation, explain, explain_parameter
from attnexplorer.compute.explanation_text import as_latex, as_markdown, as_numpy, as_text
from attnexplorer.compute.stages import STAGES, stages_of
from attnexplorer.compute.trace import evaluate
from attnexplorer.compute.units import Unit
from attnexplorer.experiment import model
from attnexplorer.experiment.arrays import frozen


def block() -> model.Experiment:
    """Every step that there is, in one small experiment."""
    random = np.random.default_rng(5)

    def matrices(count: int, rows: int, columns: int) -> tuple[np.ndarray, ...]:
        return tuple(frozen(random.normal(size=(rows, columns))) for _ in range(count))

    words = ("the", "{cat}", "sat_on", "50% & more")
    attention = model.Attention(
        W_Q=matrices(2, 4, 4),
        W_K=matrices(1, 4, 4),
        W_V=matrices(1, 4, 2),
        W_O=matrices(1, 4, 4)[0],
        softcap=2.0,
        temperature=0.5,
        mask=model.Mask(causal=True),
    )
    norm = model.Norm("layernorm", "pre", (frozen(np.ones(4)), frozen(np.ones(4))))
    ffn = model.FeedForward("gelu", *matrices(1, 4, 9), *matrices(1, 9, 4))
    return model.Experiment(
        sequence=model.Sequence(words, (False,) * 4),
        embedding=model.Embedding(words, matrices(1, 4, 4)[0]),
        layers=(model.Layer(attention, norm, True, ffn),),
        position=model.Position("rope"),
        final_norm=model.FinalNorm("rmsnorm", frozen(np.ones(4))),
        unembedding=model.Unembedding(),
    )


def explanations(experiment: model.Experiment, row: int, column: int) -> list[Explanation]:
    trace = evaluate(experiment)
    units = [Unit(name) for name in ("embeddings", "final", "logits", "probabilities")]
    for name in stages_of(experiment, 0):
        units.append(Unit(name, 0, 0) if "head" in STAGES[name].per.value else Unit(name, 0))
    return [explain(experiment, trace.array, unit, row, column) for unit in units if unit.stage in EXPLAINED_STAGES]


def test_plain_text_is_numbered_arithmetic() -> None:
    text = as_text(explanations(block(), 2, 1)[5])
    assert text.splitlines()[1].startswith("1. ")
    assert " = " in text
    assert "_{" not in text


def test_markdown_escapes_what_tokens_bring() -> None:
    found = next(e for e in explanations(block(), 2, 1) if e.symbol == "A")
    text = as_markdown(found)
    assert "q′<sub>sat\\_on</sub>" in text
    assert "1. **" in text


def test_latex_has_balanced_braces_and_no_bare_special_signs() -> None:
    for found in explanations(block(), 3, 1):
        text = as_latex(found)
        bare = text.replace("\\\\", "").replace("\\{", "").replace("\\}", "")
        assert bare.count("{") == bare.count("}")
        assert "50%" not in text
        assert not set("√×÷−∞²³") & set(text)


def test_the_numpy_snippet_prints_the_explained_number(tmp_path: Path) -> None:
    found = [*explanations(block(), 2, 1), *explanations(block(), 1, 1), *explanations(block(), 0, 1)]
    script = tmp_path / "snippets.py"
    script.write_text("\n".join(as_numpy(explanation) for explanation in found), encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-W", "error", script], capture_output=True, text=True, check=True, encoding="utf-8"
    )
    printed = [float(line) for line in run.stdout.split()]
    assert len(printed) == len(found)
    for number, explanation in zip(printed, found, strict=True):
        assert number == explanation.value or math.isclose(number, explanation.value, rel_tol=1e-9, abs_tol=1e-12)


@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(experiments())
def test_every_number_of_every_experiment_can_be_written_in_every_way(experiment: model.Experiment) -> None:
    trace = evaluate(experiment)
    for name in stages_of(experiment, 0):
        unit = Unit(name, 0, 0) if "head" in STAGES[name].per.value else Unit(name, 0)
        found = explain(experiment, trace.array, unit, 0, 0)
        assert found.value_text in as_text(found)
        assert as_markdown(found).startswith("**")
        assert as_latex(found).startswith("\\noindent")
        compile(as_numpy(found), name, "exec")


def test_a_parameter_can_be_written_too() -> None:
    found = explain_parameter("layers.0.attention.b_Q.0", 0, 1, -0.5)
    assert as_text(found).startswith("b_Q[1, d_k 2] = −0.5000\n")
    assert "value = (-0.5)" in as_numpy(found)
