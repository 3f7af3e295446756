"""All stages in files of other programs: npz is tested beside the trace, safetensors here."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from exported_scripts import differences, experiments_to_export, stages_of
from safetensors import safe_open
from safetensors.numpy import load

from attnexplorer.experiment.examples import load_example
from attnexplorer.interop.stages_safetensors import stages_safetensors


def test_every_stage_of_every_reference_is_a_tensor_bit_for_bit() -> None:
    for name, experiment in experiments_to_export().items():
        got = load(stages_safetensors(experiment))
        assert differences(got, stages_of(experiment), 0.0) == [], name
        assert {array.dtype for array in got.values()} == {np.dtype(np.float64)}


def test_tokens_stand_in_the_metadata(tmp_path: Path) -> None:
    experiment = load_example("cross-attention")
    (tmp_path / "stages.safetensors").write_bytes(stages_safetensors(experiment))
    with safe_open(tmp_path / "stages.safetensors", framework="numpy") as file:
        texts = json.loads(file.metadata()["attnexplorer"])
    assert texts == {"tokens": list(experiment.query_tokens), "source_tokens": list(experiment.key_tokens)}


def test_chosen_stages_leave_the_others_out() -> None:
    assert set(load(stages_safetensors(load_example("animal-street"), ["weights"]))) == {"layers.0.weights"}


def test_equal_experiments_give_equal_bytes() -> None:
    first, second = (stages_safetensors(load_example("multi-head")) for _ in range(2))
    assert first == second
