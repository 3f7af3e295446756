"""The line below the mask: what blocks the pair that is pointed at, and where the diagonal lies."""

from __future__ import annotations

from typing import Any

import numpy as np
from hand_made import one_layer
from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QApplication, QLabel
from views_of_matrices import OpenPipeline, cell_centre, click_cell, move_pointer, open_pipeline

from attnexplorer.experiment.edits.masks import set_align
from attnexplorer.experiment.edits.tokens import set_padding
from attnexplorer.experiment.examples import load_example
from attnexplorer.experiment.model import Mask

SHIFT = Qt.KeyboardModifier.ShiftModifier
TIP, SPOKEN = Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole


def foot(pipeline: OpenPipeline) -> str:
    label = pipeline.card("masked").findChild(QLabel, "mask-foot")
    assert label.isVisible()
    return label.text()


def test_the_pair_under_the_pointer_or_else_the_selected_one_tells_its_rules(qtbot: Any) -> None:
    pipeline = open_pipeline(qtbot, set_padding(load_example("animal-street"), "sequence", 3, True))
    assert foot(pipeline) == "7 of 16 pairs blocked"
    weights = pipeline.table("weights")
    move_pointer(weights, cell_centre(weights, 0, 3))
    assert foot(pipeline) == "blocked: causal, padding"
    move_pointer(weights, cell_centre(weights, 3, 3))
    assert foot(pipeline) == "blocked: padding"
    move_pointer(weights, cell_centre(weights, 3, 0))
    assert foot(pipeline) == "7 of 16 pairs blocked"
    click_cell(weights, 0, 1)
    QApplication.sendEvent(weights, QEvent(QEvent.Type.Leave))
    assert foot(pipeline) == "blocked: causal"
    move_pointer(pipeline.table("query"), cell_centre(pipeline.table("query"), 0, 1))
    assert foot(pipeline) == "7 of 16 pairs blocked"


def test_a_pair_blocked_by_hand_says_so_at_once(qtbot: Any) -> None:
    pipeline = open_pipeline(qtbot, load_example("animal-street"))
    click_cell(pipeline.table("masked"), 3, 0)
    pipeline.settle()
    assert foot(pipeline) == "blocked: by hand"
    pipeline.document.undo_stack.undo()
    pipeline.settle()
    assert foot(pipeline) == "6 of 16 pairs blocked"


def test_every_map_over_pairs_tells_the_rules_of_a_blocked_cell(qtbot: Any) -> None:
    pipeline = open_pipeline(qtbot, set_padding(load_example("animal-street"), "sequence", 3, True))
    for key in ("scores", "scaled", "masked", "weights"):
        model = pipeline.table(key).model()
        for role in (TIP, SPOKEN):
            assert model.data(model.index(0, 3), role).endswith(" (blocked: causal, padding)")
            assert "blocked" not in model.data(model.index(3, 0), role)


def test_scores_pinned_to_minus_infinity_say_that_no_rule_blocks_them(qtbot: Any) -> None:
    pins = {"layers.0.masked.0": [[np.nan, -np.inf], [np.nan, np.nan]]}
    pipeline = open_pipeline(qtbot, one_layer(np.eye(2), pins=pins))
    model = pipeline.table("weights").model()
    assert model.data(model.index(0, 1), TIP) == "t0, t1: 0.0 (blocked: pinned to −∞)"


def test_where_the_map_is_not_square_the_line_says_where_the_diagonal_lies(qtbot: Any) -> None:
    pipeline = open_pipeline(qtbot, load_example("cross-attention"))
    assert foot(pipeline) == "query i stands at key i + 1"
    pipeline.document.apply("start", lambda e: set_align(e, 0, "start"))
    pipeline.settle()
    assert foot(pipeline) == "query i stands at key i"


def test_a_mask_without_a_rule_says_that_it_blocks_nothing(qtbot: Any) -> None:
    pipeline = open_pipeline(qtbot, one_layer(np.eye(2)))
    assert foot(pipeline) == "no pair blocked"
    pipeline.document.set_value("layers.0.attention.mask", Mask(causal=True), "Causal mask on")
    pipeline.settle()
    assert foot(pipeline) == "1 of 4 pairs blocked"
    card = pipeline.card("masked")
    label = card.findChild(QLabel, "mask-foot")
    assert not label.geometry().intersects(card.table.geometry())
    assert card.rect().contains(label.geometry())
