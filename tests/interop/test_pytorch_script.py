"""The exported PyTorch code: sound, complete, and where PyTorch is at hand, the same numbers."""

from __future__ import annotations

import ast
import os
from pathlib import Path

from experiment_strategies import experiments
from exported_scripts import differences, experiments_to_export, run_scripts, stages_of
from hypothesis import given, settings

from attnexplorer.experiment.examples import load_example
from attnexplorer.experiment.model import Experiment
from attnexplorer.interop.pytorch_script import pytorch_script

TORCH_PYTHON = "ATTNEXPLORER_TORCH_PYTHON"
"""Names a Python that has PyTorch; the program itself never needs it."""


def test_scripts_of_all_references_and_examples_show_every_stage_and_agree_where_pytorch_is_at_hand(
    tmp_path: Path,
) -> None:
    exported = experiments_to_export()
    scripts = {name: pytorch_script(experiment) for name, experiment in exported.items()}
    for name, experiment in exported.items():
        assert shown_stages(scripts[name]) == list(stages_of(experiment))
    python = os.environ.get(TORCH_PYTHON)
    computed = run_scripts(python, scripts, tmp_path) if python else {}
    wrong = {name: differences(found, stages_of(exported[name]), 1e-12) for name, found in computed.items()}
    assert {name: stages for name, stages in wrong.items() if stages} == {}


@settings(max_examples=40)
@given(experiments())
def test_any_mixture_of_features_is_sound_code_that_needs_pytorch_alone(experiment: Experiment) -> None:
    text = pytorch_script(experiment)
    compile(text, "script", "exec")
    imported = [name.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import) for name in node.names]
    assert set(imported) <= {"math", "torch"}
    assert sorted(shown_stages(text)) == sorted(stages_of(experiment))


def test_it_computes_in_double_precision_and_says_how_linear_stores_weights() -> None:
    text = pytorch_script(load_example("animal-street"))
    assert "torch.set_default_dtype(torch.float64)" in text
    assert "torch.nn.Linear stores its transpose, [out, in]" in text
    assert "np." not in text


def shown_stages(text: str) -> list[str]:
    """Return the names of the stages that a script shows, in order."""
    calls = [node for node in ast.parse(text).body if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)]
    names = [it.value.args[0].value for it in calls if getattr(it.value.func, "id", "") == "show"]  # type: ignore[attr-defined]
    return [str(name) for name in names]
