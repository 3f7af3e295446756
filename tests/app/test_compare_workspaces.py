"""A, B and B − A in every workspace: Heads, Scaling, Geometry and Explain, in real windows."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QToolButton, QWidget
from pytestqt.qtbot import QtBot
from real_windows import child, click, label_text

from attnexplorer.app.main_window import MainWindow
from attnexplorer.app.windows import Windows
from attnexplorer.compute.engine import Engine
from attnexplorer.compute.head_metrics import head_metrics, head_part, output_rows
from attnexplorer.compute.scale_curves import masked_at_scale
from attnexplorer.compute.softmax import softmax
from attnexplorer.compute.units import Unit
from attnexplorer.document.comparison import Shown
from attnexplorer.document.cursor import Cell
from attnexplorer.document.storage import Loaded
from attnexplorer.experiment.edits.blocks import create_W_O
from attnexplorer.experiment.edits.creation import new_experiment
from attnexplorer.experiment.edits.masks import set_scale, toggle_causal
from attnexplorer.experiment.examples import load_example
from attnexplorer.experiment.model import Experiment
from attnexplorer.figures.colours import largest_magnitude
from attnexplorer.views.explain.panel import ExplainPanel
from attnexplorer.views.geometry.workspace import GeometryWorkspace
from attnexplorer.views.heads.workspace import HeadsWorkspace
from attnexplorer.views.scaling.workspace import ScalingWorkspace

W = TypeVar("W", bound=QWidget)
LEFT = Qt.MouseButton.LeftButton


def several(seed: int, tokens: int = 6, heads: int = 3) -> Experiment:
    words = [f"word{index + 1}" for index in range(tokens)]
    return create_W_O(toggle_causal(new_experiment(words, 4 * heads, 4, 4, heads, seed=seed), 0), 0)


A, B = several(4), several(3)


def compared(windows: Windows, a: Experiment, b: Experiment, workspace: str, shown: Shown = "B-A") -> MainWindow:
    window = windows.show_new(Loaded(b))
    click(window, f"tab_{workspace}")
    window.document.comparison.keep(a, "kept", shown)
    settle(window)
    return window


def settle(window: MainWindow) -> None:
    for _ in range(4):
        window.document.recomputation.finish()
        window.document.comparison.finish()
        QApplication.processEvents()


def show(window: MainWindow, shown: Shown) -> None:
    window.document.comparison.show(shown)
    settle(window)


def part(window: MainWindow, kind: type[W]) -> W:
    (found,) = window.findChildren(kind)
    return found


def heads_of(window: MainWindow) -> HeadsWorkspace:
    heads = part(window, HeadsWorkspace)
    heads.canvas.numbers.finish()
    QApplication.processEvents()
    return heads


def weights(experiment: Experiment, head: int, stage: str = "weights") -> np.ndarray:
    unit = Unit(stage, 0, head)
    return np.asarray(Engine().evaluate(experiment, [unit]).arrays[unit])


def tiles_of(heads: HeadsWorkspace) -> list[np.ndarray]:
    pictures = [tile.picture for tile in heads.canvas.grid.grid.tiles]
    return [picture.values for picture in pictures if picture is not None]


def test_the_small_maps_and_the_enlarged_one_show_A_B_and_what_differs(windows: Windows) -> None:
    window = compared(windows, A, B, "heads")
    expected = {
        "A": [weights(A, head) for head in range(3)],
        "B": [weights(B, head) for head in range(3)],
        "B-A": [weights(B, head) - weights(A, head) for head in range(3)],
    }
    for shown in ("A", "B", "B-A"):
        show(window, shown)
        heads = heads_of(window)
        assert all(np.array_equal(a, b) for a, b in zip(tiles_of(heads), expected[shown], strict=True)), shown
        assert heads.canvas.map is not None
        assert np.array_equal(heads.canvas.map.table.content.picture.values, expected[shown][0]), shown


def test_differences_of_all_heads_have_one_scale_with_zero_in_its_middle(windows: Windows) -> None:
    window = compared(windows, A, B, "heads")
    heads = heads_of(window)
    largest = max(largest_magnitude(weights(B, head) - weights(A, head)) for head in range(3))
    scales = {
        (tile.picture.scale.kind, tile.picture.scale.low, tile.picture.scale.high)
        for tile in heads.canvas.grid.grid.tiles
        if tile.picture is not None
    }
    assert scales == {("diverging", -largest, largest)}
    assert heads.canvas.map is not None and heads.canvas.map.table.content.picture.scale.high == largest
    assert not heads.tools.limits.button("fixed").isEnabled() and heads.tools.limits.value == "shared"
    show(window, "B")
    assert heads.tools.limits.value == "fixed"


def test_scores_of_A_of_B_and_their_difference_share_one_scale(windows: Windows) -> None:
    window = compared(windows, A, B, "heads")
    window.document.display.choose("heads_stage", "scores")
    scales = set()
    for shown in ("A", "B", "B-A"):
        show(window, shown)
        for tile in heads_of(window).canvas.grid.grid.tiles:
            assert tile.picture is not None
            scales.add((tile.picture.scale.kind, tile.picture.scale.low, tile.picture.scale.high))
    assert len(scales) <= 2 and all(low == -high for _, low, high in scales)


def test_the_metrics_of_a_difference_are_differences_with_their_sign(windows: Windows) -> None:
    heads = heads_of(compared(windows, A, B, "heads"))
    for head in range(3):
        found, before = head_metrics(weights(B, head)), head_metrics(weights(A, head))
        change = found.entropy - before.entropy
        text = heads.canvas.grid.grid.tiles[head].metrics[0].text.replace("−", "-")
        assert text[0] == ("0" if abs(change) < 0.005 else "+" if change > 0 else "-")
        assert float(text) == pytest.approx(change, abs=0.0051)


def test_the_flow_draws_what_is_more_and_what_is_less_in_two_colours(windows: Windows) -> None:
    window = compared(windows, A, B, "heads")
    flow = heads_of(window).canvas.flow
    more, less = flow.view.picture.flows
    change = weights(B, 0) - weights(A, 0)
    assert np.array_equal(more.weights, np.maximum(change, 0)) and np.array_equal(less.weights, np.maximum(-change, 0))
    assert more.colour != less.colour
    assert flow.view.picture.full == np.abs(change).max()
    assert "red: more in B, blue: less" in flow.caption.text()
    show(window, "A")
    (only,) = flow.view.picture.flows
    assert np.array_equal(only.weights, weights(A, 0))


def test_what_a_head_adds_is_shown_as_a_difference_too(windows: Windows) -> None:
    window = compared(windows, A, B, "heads")
    output = heads_of(window).canvas.output
    rows = [output_rows(it.layers[0].attention, 0) for it in (A, B)]
    parts = [head_part(weights(it, 0, "head_output"), own) for it, own in zip((A, B), rows, strict=True)]
    assert output.rows.picture is not None and output.written.picture is not None
    assert np.allclose(output.rows.picture.values, rows[1] - rows[0], atol=1e-15)
    assert np.allclose(output.written.picture.values, parts[1][-1:] - parts[0][-1:], atol=1e-14)
    norms = output.bars.bars.values
    assert norms[0] == pytest.approx(np.linalg.norm(parts[1] - parts[0], axis=1).mean(), rel=1e-12)
    assert "differ" in output.caption.text()


def test_matrices_of_unequal_shapes_have_no_difference_and_a_sentence_says_so(windows: Windows) -> None:
    window = compared(windows, several(4, tokens=5), B, "heads")
    heads = heads_of(window)
    sentence = "A is 5 × 5, B is 6 × 6: there is no difference to show."
    assert tiles_of(heads) == []
    assert label_text(heads, "heads-limits-text") == sentence
    assert heads.canvas.flow.view.picture.flows == () and heads.canvas.flow.caption.text() == sentence
    show(window, "A")
    assert [values.shape for values in tiles_of(heads)] == [(5, 5)] * 3


def test_heads_that_A_does_not_have_show_no_difference(windows: Windows) -> None:
    window = compared(windows, several(4, heads=2), B, "heads")
    tiles = heads_of(window).canvas.grid.grid.tiles
    assert [tile.picture is None for tile in tiles] == [False, False, True]
    assert tiles[2].metrics[0].text == "–"


def test_heads_are_not_edited_while_something_else_than_B_is_shown(windows: Windows, qtbot: QtBot) -> None:
    window = compared(windows, A, B, "heads", "A")
    heads = heads_of(window)
    heads.canvas.grid.setFocus()
    qtbot.keyClick(heads.canvas.grid, Qt.Key.Key_M)
    assert not window.storage.modified
    assert heads.notice.message.text() == "A = kept is shown, and only B can be changed: show B first."
    assert heads.notice.message.isVisible()
    assert not child(heads, QToolButton, "heads-edit").isEnabled()
    assert not heads.canvas.sharing.kv_heads.isEnabled()
    show(window, "B")
    assert not heads.notice.message.isVisible() and child(heads, QToolButton, "heads-edit").isEnabled()
    qtbot.keyClick(heads.canvas.grid, Qt.Key.Key_M)
    assert window.document.experiment.layers[0].attention.muted_heads == (0,)


def test_an_edit_of_B_moves_the_difference(windows: Windows) -> None:
    window = compared(windows, B, B, "heads")
    assert not any(values.any() for values in tiles_of(heads_of(window)))
    window.document.apply("Sharpen", lambda it: set_scale(it, 0, 3.0))
    settle(window)
    assert all(values.any() for values in tiles_of(heads_of(window)))


def at_scale(experiment: Experiment, factor: float) -> np.ndarray:
    units = [Unit(stage, 0, 0) for stage in ("scores",)] + [Unit("visible", 0)]
    arrays = Engine().evaluate(experiment, units).arrays
    return np.asarray(softmax(masked_at_scale(experiment, arrays.__getitem__, 0, 0, factor)))


def test_softmax_at_every_scale_is_shown_as_a_difference(windows: Windows) -> None:
    a = set_scale(A, 0, 0.9)
    window = compared(windows, a, B, "scaling")
    scaling = part(window, ScalingWorkspace)
    usual, chosen, plain = (it.content.picture.values for it in scaling.comparison.maps.maps)
    assert np.allclose(usual, at_scale(B, 0.5) - at_scale(a, 0.5), atol=1e-15)
    assert np.allclose(chosen, at_scale(B, 0.5) - at_scale(a, 0.9), atol=1e-15)
    assert np.allclose(plain, at_scale(B, 1.0) - at_scale(a, 1.0), atol=1e-15)
    assert scaling.comparison.maps.maps[1].title == "× 0.5 less × 0.9, set"
    assert [bar.label for bar in scaling.comparison.bars.picture.bars] == ["A × 0.9", "B × 0.5"]
    show(window, "A")
    assert np.allclose(scaling.comparison.maps.maps[1].content.picture.values, at_scale(a, 0.9), atol=1e-15)
    assert label_text(window, "knobs-caption").startswith("of B")


def test_curves_stand_beside_each_other_and_their_data_name_them(windows: Windows) -> None:
    window = compared(windows, A, B, "scaling")
    curves = part(window, ScalingWorkspace).curves
    scroll = part(window, ScalingWorkspace)
    scroll.ensureWidgetVisible(curves)
    settle(window)
    QTest.qWait(1)
    settle(window)
    plot = curves.views[0].plot
    assert plot is not None
    former, own = plot.series
    assert former.ys != own.ys
    assert label_text(curves, "curves-caption").endswith("B in blue, A dashed")
    curves._copy_all()
    header = QApplication.clipboard().text().splitlines()[0]
    assert "entropy_bits_B" in header and "entropy_bits_A" in header


def test_scaling_says_where_there_is_no_difference_and_shows_B(windows: Windows) -> None:
    window = compared(windows, several(4, tokens=5), B, "scaling")
    scaling = part(window, ScalingWorkspace)
    sentence = "A is 5 × 5, B is 6 × 6: there is no difference to show. What is shown is B."
    assert label_text(scaling, "comparison-note") == sentence
    assert np.allclose(scaling.comparison.maps.maps[1].content.picture.values, at_scale(B, 0.5), atol=1e-15)


def test_the_plane_shows_how_each_vector_differs_and_lets_nothing_be_dragged(windows: Windows) -> None:
    window = compared(windows, A, B, "geometry")
    geometry = part(window, GeometryWorkspace)
    rows = {it.kind: it for it in geometry._rows}
    assert np.array_equal(rows["query"].values, weights(B, 0, "query") - weights(A, 0, "query"))
    assert geometry.view.picture.arrows[0].letter == "Δq"
    window.document.cursor.select(Cell("layers.0.query.0", 0, 0))
    place = geometry.view.tip_place(geometry.vectors.index(("query", 0))).toPoint()
    QTest.mousePress(geometry.view, LEFT, Qt.KeyboardModifier.NoModifier, place)
    QTest.mouseRelease(geometry.view, LEFT, Qt.KeyboardModifier.NoModifier, place)
    assert not window.storage.modified
    show(window, "A")
    rows = {it.kind: it for it in geometry._rows}
    assert np.array_equal(rows["query"].values, weights(A, 0, "query"))


def test_the_plane_says_why_there_is_no_difference(windows: Windows) -> None:
    window = compared(windows, several(4, tokens=5), B, "geometry")
    geometry = part(window, GeometryWorkspace)
    assert geometry.vectors == ()
    assert label_text(geometry, "geometry-elsewhere") == "A is 5 × 4, B is 6 × 4: there is no difference to show."


def test_the_explanation_is_of_the_experiment_that_is_seen(windows: Windows, qtbot: QtBot) -> None:
    window = compared(windows, A, B, "pipeline", "A")
    window.document.cursor.select(Cell("layers.0.weights.1", 5, 2))
    settle(window)
    explain = part(window, ExplainPanel)
    assert child(explain, QLabel, "explain-title").text() == "HOW A’S NUMBER IS MADE"
    qtbot.waitUntil(lambda: not explain.waits)
    assert explain.explanation is not None
    assert explain.explanation.value == pytest.approx(weights(A, 1)[5, 2])
    show(window, "B-A")
    qtbot.waitUntil(lambda: not explain.waits)
    assert child(explain, QLabel, "explain-title").text() == "HOW B’S NUMBER IS MADE"
    assert explain.explanation.value == pytest.approx(weights(B, 1)[5, 2])
    click(window, "compare-leave")
    settle(window)
    qtbot.waitUntil(lambda: not explain.waits)
    assert child(explain, QLabel, "explain-title").text() == "HOW THIS NUMBER IS MADE"


def test_under_the_causal_mask_the_row_of_it_differs_by_exactly_nothing_in_every_workspace(windows: Windows) -> None:
    window = compared(windows, load_example("tired"), load_example("flooded"), "heads")
    row = 8
    assert not tiles_of(heads_of(window))[0][row].any() and tiles_of(heads_of(window))[0].any()
    click(window, "tab_scaling")
    settle(window)
    for it in part(window, ScalingWorkspace).comparison.maps.maps:
        assert not it.content.picture.values[row].any() and it.content.picture.values.any()
    click(window, "tab_geometry")
    settle(window)
    geometry = part(window, GeometryWorkspace)
    assert not {it.kind: it for it in geometry._rows}["query"].values[row].any()
