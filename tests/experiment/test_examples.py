"""The built-in experiments."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attnexplorer.experiment.comparison import identical
from attnexplorer.experiment.errors import FileError
from attnexplorer.experiment.examples import (
    DEFAULT_EXAMPLE,
    example_names,
    example_path,
    example_summaries,
    load_example,
)
from attnexplorer.experiment.fileformat import read
from attnexplorer.experiment.model import Experiment

ROOT = Path(__file__).resolve().parent.parent.parent
PROMISED = {
    *("animal-street", "given-scores", "tired", "flooded", "dog-bites-man", "sky-is-blue", "saturated"),
    *("multi-head", "cross-attention"),
}


def _builders() -> dict[str, Callable[[], Experiment]]:
    spec = importlib.util.spec_from_file_location("make_examples", ROOT / "packaging" / "make_examples.py")
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    builders: dict[str, Callable[[], Experiment]] = module.EXAMPLES
    return builders


def test_the_promised_examples_are_there_and_the_default_comes_first() -> None:
    assert set(example_names()) >= PROMISED
    assert example_names()[0] == DEFAULT_EXAMPLE


@pytest.mark.parametrize("name", example_names())
def test_every_example_loads_without_a_warning_and_says_what_to_try(name: str) -> None:
    result = read(example_path(name))
    assert result.warnings == ()
    assert result.experiment.title
    assert result.experiment.notes.endswith(".")


def test_every_summary_is_one_sentence() -> None:
    summaries = example_summaries()
    assert [summary.name for summary in summaries] == list(example_names())
    assert all(summary.summary.endswith(".") and ". " not in summary.summary for summary in summaries)


def test_the_files_are_what_the_script_makes() -> None:
    builders = _builders()
    assert set(builders) == set(example_names())
    for name, build in builders.items():
        assert identical(build(), load_example(name), with_view=True), name


def test_an_unknown_example_gets_a_sentence_with_the_names() -> None:
    with pytest.raises(FileError, match=r"^example:nothing: there is no such example; there are animal-street, "):
        load_example("nothing")
    with pytest.raises(FileError, match="there is no such example"):
        example_path("../examples/tired")


def test_tired_and_flooded_differ_by_their_last_word_only() -> None:
    tired, flooded = load_example("tired"), load_example("flooded")
    assert tired.sequence.tokens[:-1] == flooded.sequence.tokens[:-1]
    assert (tired.sequence.tokens[-1], flooded.sequence.tokens[-1]) == ("tired", "flooded")
    assert len(tired.sequence.tokens) == 11
    assert tired.embedding.vocabulary == flooded.embedding.vocabulary
    assert np.array_equal(tired.embedding.E, flooded.embedding.E)
    assert tired.layers[0].attention.mask.causal


def test_it_looks_at_animal_and_street() -> None:
    weights = _scaled_softmax(load_example("tired"), 8)
    assert weights.sum() == pytest.approx(1)
    assert set(np.argsort(weights)[-2:].tolist()) == {1, 6}


def test_the_saturated_example_saturates_without_its_scale_only() -> None:
    experiment = load_example("saturated")
    assert experiment.layers[0].attention.d_k == 64
    largest = [_scaled_softmax(experiment, row, scale).max() for scale in (1.0, 1 / 8) for row in range(11)]
    assert np.median(largest[:11]) > 0.65
    assert np.median(largest[11:]) < 0.35


def _scaled_softmax(experiment: Experiment, row: int, scale: float | None = None) -> np.ndarray[Any, Any]:
    attention = experiment.layers[0].attention
    rows = [experiment.embedding.vocabulary.index(token) for token in experiment.sequence.tokens]
    x = experiment.embedding.E[rows]
    keys = row + 1 if attention.mask.causal else len(x)
    factor = attention.scale_factor if scale is None else scale
    scores = (x[row] @ attention.W_Q[0]) @ (x[:keys] @ attention.W_K[0]).T * factor
    weights = np.exp(scores - scores.max())
    normalised: np.ndarray[Any, Any] = weights / weights.sum()
    return normalised
