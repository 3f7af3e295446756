"""What lights up for the cell under the pointer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication

from attnexplorer.compute.stages import heads_of, stages_of
from attnexplorer.compute.units import Unit
from attnexplorer.document.cursor import Cell
from attnexplorer.document.document import Document
from attnexplorer.document.lights import Lights
from attnexplorer.experiment.edits import tokens, widths
from attnexplorer.experiment.examples import load_example
from attnexplorer.experiment.model import Experiment


def every_unit(experiment: Experiment) -> set[Unit]:
    return {Unit(stage, 0, head) for stage in stages_of(experiment, 0) for head in heads_of(experiment, stage, 0)}


@pytest.fixture
def lit(qapp: QCoreApplication) -> Iterator[tuple[Document, Lights]]:
    document = Document(load_example("animal-street"))
    document.recomputation.watch("all", every_unit)
    document.recomputation.finish()
    yield document, Lights(document)
    document.close()


def areas(lights: Lights, path: str) -> list[tuple[str, list[int], list[int]]]:
    return [(light.kind, list(light.area.rows), list(light.area.columns)) for light in lights.on(path)]


def test_a_score_is_made_from_a_row_of_Q_and_a_row_of_K(lit: Any) -> None:
    document, lights = lit
    document.cursor.hover(Cell("layers.0.scores.0", 3, 1))
    assert areas(lights, "layers.0.scores.0") == [("cell", [3], [1])]
    assert areas(lights, "layers.0.query.0") == [("source", [3], [0, 1])]
    assert areas(lights, "layers.0.key.0") == [("source", [1], [0, 1])]
    assert areas(lights, "layers.0.scaled.0") == [("target", [3], [1])]


def test_a_weight_is_made_from_a_row_of_scores_and_feeds_a_row_of_Z(lit: Any) -> None:
    document, lights = lit
    document.cursor.select(Cell("layers.0.weights.0", 3, 0))
    assert areas(lights, "layers.0.masked.0") == [("source", [3], [0, 1, 2, 3])]
    assert areas(lights, "layers.0.head_output.0") == [("target", [3], [0, 1])]


def test_an_output_is_made_from_a_row_of_weights_and_a_column_of_V(lit: Any) -> None:
    document, lights = lit
    document.cursor.hover(Cell("layers.0.head_output.0", 2, 1))
    assert ("source", [2], [0, 1, 2, 3]) in areas(lights, "layers.0.weights.0")
    assert areas(lights, "layers.0.value.0")[0][:2] == ("source", [0, 1, 2, 3])


def test_lights_that_change_are_told_by_path(lit: Any) -> None:
    document, lights = lit
    heard: list[set[str]] = []
    lights.changed.connect(heard.append)
    document.cursor.hover(Cell("layers.0.scores.0", 0, 0))
    document.cursor.hover(Cell("layers.0.scores.0", 0, 0))
    assert len(heard) == 1
    assert {"layers.0.scores.0", "layers.0.query.0", "layers.0.key.0"} <= heard[0]
    document.cursor.hover(None)
    assert heard[1] == heard[0]
    assert lights.on("layers.0.scores.0") == ()


def test_lights_follow_edits_that_change_shapes(lit: Any) -> None:
    document, lights = lit
    document.cursor.select(Cell("layers.0.scores.0", 3, 3))
    document.apply("Remove", lambda experiment: tokens.remove_token(experiment, "sequence", 0))
    document.apply("Set d_k", lambda experiment: widths.set_d_k(experiment, 0, 5))
    document.recomputation.finish()
    assert areas(lights, "layers.0.scores.0") == [("cell", [2], [2])]
    assert areas(lights, "layers.0.query.0") == [("source", [2], [0, 1, 2, 3, 4])]
    document.undo_stack.undo()
    document.undo_stack.undo()
    document.recomputation.finish()
    assert areas(lights, "layers.0.query.0") == [("source", [2], [0, 1])]


def test_what_is_not_evaluated_has_no_lights(lit: Any) -> None:
    document, lights = lit
    document.cursor.hover(Cell("logits", 0, 0))
    assert lights.on("logits") == ()
