"""The Heads workspace with real clicks, keys and pixels."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QToolButton
from pytestqt.qtbot import QtBot

from attnexplorer.compute.head_metrics import head_distance, head_metrics, head_part, output_rows
from attnexplorer.compute.units import Unit
from attnexplorer.document.cursor import Cell
from attnexplorer.document.document import Document
from attnexplorer.document.lights import Lights
from attnexplorer.experiment.comparison import identical
from attnexplorer.experiment.edits.creation import new_experiment
from attnexplorer.experiment.edits.masks import toggle_causal
from attnexplorer.experiment.edits.pins import pin_cell
from attnexplorer.experiment.examples import load_example
from attnexplorer.experiment.model import Experiment
from attnexplorer.figures.colours import WEIGHTS, colour_of
from attnexplorer.figures.flow import End
from attnexplorer.figures.head_grid import Part
from attnexplorer.figures.theme import LIGHT
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.heads.head_numbers import MOST_COMPARED
from attnexplorer.views.heads.workspace import HeadsWorkspace
from attnexplorer.views.table_context import TableContext

LEFT = Qt.MouseButton.LeftButton
Show = Callable[..., HeadsWorkspace]


@pytest.fixture
def show(qtbot: QtBot) -> Iterator[Show]:
    documents: list[Document] = []
    appearance = Appearance()
    appearance.choose_theme("light")

    def shown(experiment: Experiment, width: int = 900, height: int = 800) -> HeadsWorkspace:
        document = Document(experiment)
        documents.append(document)
        workspace = HeadsWorkspace(TableContext(document, appearance, Lights(document)))
        qtbot.addWidget(workspace)
        workspace.resize(width, height)
        workspace.show()
        workspace.activateWindow()
        qtbot.waitUntil(workspace.isActiveWindow)
        settle(workspace)
        return workspace

    yield shown
    for document in documents:
        document.close()


def document_of(workspace: HeadsWorkspace) -> Document:
    return workspace._document


def settle(workspace: HeadsWorkspace) -> None:
    """Let everything that was asked for be evaluated, found and shown."""
    document = document_of(workspace)
    for _ in range(3):
        document.recomputation.finish()
        QApplication.processEvents()
    workspace.canvas.numbers.finish()
    QApplication.processEvents()


def causal(tokens: int, heads: int, d_k: int = 4) -> Experiment:
    words = [f"word{index + 1}" for index in range(tokens)]
    return toggle_causal(new_experiment(words, heads * d_k, d_k, d_k, heads, seed=3), 0)


def click(qtbot: QtBot, workspace: HeadsWorkspace, tile: int, part: Part) -> None:
    layout = workspace.canvas.grid.grid_layout
    rect = layout.button_rect(tile, part) if part in ("mute", "solo") else layout.tile_rect(tile)
    place = rect.center() if part in ("mute", "solo") else rect.topLeft() + QPoint(4, 4)
    qtbot.mouseClick(workspace.canvas.grid, LEFT, pos=place)
    settle(workspace)


def press(qtbot: QtBot, workspace: HeadsWorkspace, key: Qt.Key) -> None:
    workspace.canvas.grid.setFocus()
    qtbot.keyClick(workspace.canvas.grid, key)
    settle(workspace)


def choose(qtbot: QtBot, workspace: HeadsWorkspace, name: str, value: str) -> None:
    control = {"stage": workspace.tools.stage, "limits": workspace.tools.limits}[name]
    qtbot.mouseClick(control.button(value), LEFT)
    settle(workspace)


def sort_by(workspace: HeadsWorkspace, name: str) -> None:
    box = workspace.tools.sort
    box.setCurrentIndex(box.findData(name))
    box.activated.emit(box.currentIndex())
    settle(workspace)


def act(workspace: HeadsWorkspace, text: str) -> None:
    """Choose an entry of the menu of edits."""
    workspace.tools.menu.aboutToShow.emit()
    action = next(action for action in workspace.tools.menu.actions() if action.text() == text)
    assert action.isEnabled()
    action.trigger()
    settle(workspace)


def muted(workspace: HeadsWorkspace) -> tuple[int, ...]:
    return document_of(workspace).experiment.layers[0].attention.muted_heads


def weights(workspace: HeadsWorkspace, head: int) -> np.ndarray:
    return document_of(workspace).evaluation.arrays[Unit("weights", 0, head)]


def test_every_head_has_a_tile_with_its_own_weights_and_metrics(show: Show) -> None:
    workspace = show(load_example("multi-head"))
    shown = workspace.canvas.grid.grid.tiles
    assert [tile.title for tile in shown] == [str(head + 1) for head in range(12)]
    for head, tile in enumerate(shown):
        assert tile.picture is not None and np.array_equal(tile.picture.values, weights(workspace, head))
        metrics = head_metrics(weights(workspace, head))
        assert tile.metrics[0].text == f"{metrics.entropy:.2f}"
        assert tile.metrics[1].text == f"{metrics.distance_back:.2f}"


def test_a_cell_on_screen_has_the_colour_of_its_weight(show: Show) -> None:
    workspace = show(load_example("multi-head"))
    grid = workspace.canvas.grid
    image = grid.grab().toImage()
    place = grid.grid_layout.cell_rect(3, 11, 0).topLeft() + QPoint(1, 1)
    wanted = colour_of(float(weights(workspace, 3)[11, 0]), WEIGHTS, workspace.canvas.grid.grid.theme)
    assert image.pixelColor(place) == wanted
    blocked = grid.grid_layout.cell_rect(3, 0, 11).topLeft() + QPoint(1, 1)
    theme = grid.grid.theme
    assert image.pixelColor(blocked) in (QColor(theme.hatch_ground), QColor(theme.hatch_line))


def test_clicking_a_tile_makes_it_the_head_that_is_shown_everywhere(qtbot: QtBot, show: Show) -> None:
    workspace = show(load_example("multi-head"))
    document_of(workspace).cursor.select(Cell("layers.0.weights.0", 5, 2))
    click(qtbot, workspace, 7, "tile")
    assert document_of(workspace).display["head"] == 7
    assert document_of(workspace).cursor.selected == Cell("layers.0.weights.7", 5, 2)
    card = workspace.canvas.map
    assert card is not None and card.path == "layers.0.weights.7"
    assert workspace.canvas.grid.chosen == 7


def test_clicking_and_hovering_a_cell_move_the_one_cursor(qtbot: QtBot, show: Show) -> None:
    workspace = show(load_example("multi-head"))
    cursor, grid = document_of(workspace).cursor, workspace.canvas.grid
    qtbot.mouseClick(grid, LEFT, pos=grid.grid_layout.cell_rect(4, 9, 3).center())
    assert cursor.selected == Cell("layers.0.weights.4", 9, 3)
    qtbot.mouseMove(grid, grid.grid_layout.cell_rect(2, 6, 1).center())
    qtbot.waitUntil(lambda: cursor.hovered == Cell("layers.0.weights.2", 6, 1))
    qtbot.mouseMove(grid, grid.grid_layout.tile_rect(2).topLeft() + QPoint(3, 3))
    qtbot.waitUntil(lambda: cursor.hovered is None)


def test_of_a_pooled_map_the_largest_cell_of_the_dot_is_chosen(qtbot: QtBot, show: Show) -> None:
    experiment = new_experiment([f"word{index}" for index in range(300)], 4, 2, 2, 2, seed=1)
    workspace = show(experiment, 500, 600)
    layout, grid = workspace.canvas.grid.grid_layout, workspace.canvas.grid
    assert layout.pool > 1
    qtbot.mouseClick(grid, LEFT, pos=layout.cell_rect(1, 10, 20).center())
    selected, pool = document_of(workspace).cursor.selected, layout.pool
    assert selected is not None
    block = weights(workspace, 1)[10 * pool : 11 * pool, 20 * pool : 21 * pool]
    assert weights(workspace, 1)[selected.row, selected.column] == block.max()
    assert f"{pool} × {pool}" in workspace.tools.limits_text.text()


def test_arrow_keys_go_from_head_to_head_and_enter_opens_one_in_the_pipeline(qtbot: QtBot, show: Show) -> None:
    workspace = show(load_example("multi-head"))
    display, across = document_of(workspace).display, workspace.canvas.grid.grid_layout.across
    press(qtbot, workspace, Qt.Key.Key_Right)
    assert display["head"] == 1
    press(qtbot, workspace, Qt.Key.Key_Down)
    assert display["head"] == 1 + across
    press(qtbot, workspace, Qt.Key.Key_End)
    assert display["head"] == 11
    press(qtbot, workspace, Qt.Key.Key_Right)
    assert display["head"] == 11
    display.choose("workspace", "heads")
    press(qtbot, workspace, Qt.Key.Key_Return)
    assert display["workspace"] == "pipeline"


def test_a_double_click_opens_a_head_in_the_pipeline(qtbot: QtBot, show: Show) -> None:
    workspace = show(load_example("multi-head"))
    display = document_of(workspace).display
    display.choose("workspace", "heads")
    qtbot.mouseDClick(workspace.canvas.grid, LEFT, pos=workspace.canvas.grid.grid_layout.cell_rect(3, 1, 0).center())
    assert (display["head"], display["workspace"]) == (3, "pipeline")


def test_m_mutes_a_head_in_one_undo_step(qtbot: QtBot, show: Show) -> None:
    workspace = show(load_example("multi-head"))
    click(qtbot, workspace, 5, "mute")
    assert muted(workspace) == (5,)
    assert workspace.canvas.grid.grid.tiles[5].muted
    assert document_of(workspace).undo_stack.undoText() == "Mute head 6"
    press(qtbot, workspace, Qt.Key.Key_M)
    assert muted(workspace) == (0, 5)
    document_of(workspace).undo_stack.undo()
    document_of(workspace).undo_stack.undo()
    assert muted(workspace) == ()


def test_solo_mutes_all_others_and_brings_the_former_mutes_back(qtbot: QtBot, show: Show) -> None:
    workspace = show(load_example("multi-head"))
    click(qtbot, workspace, 5, "mute")
    click(qtbot, workspace, 2, "solo")
    assert muted(workspace) == tuple(head for head in range(12) if head != 2)
    assert [tile.soloed for tile in workspace.canvas.grid.grid.tiles].index(True) == 2
    click(qtbot, workspace, 7, "solo")
    assert muted(workspace) == tuple(head for head in range(12) if head not in (2, 7))
    click(qtbot, workspace, 2, "solo")
    click(qtbot, workspace, 7, "solo")
    assert muted(workspace) == (5,)
    assert not any(tile.soloed for tile in workspace.canvas.grid.grid.tiles)


def test_a_solo_is_one_undo_step_and_ends_with_it(qtbot: QtBot, show: Show) -> None:
    workspace = show(load_example("multi-head"))
    click(qtbot, workspace, 5, "mute")
    steps = document_of(workspace).undo_stack.count()
    press(qtbot, workspace, Qt.Key.Key_S)
    assert document_of(workspace).undo_stack.count() == steps + 1
    assert workspace.canvas.grid.grid.tiles[0].soloed
    document_of(workspace).undo_stack.undo()
    settle(workspace)
    assert muted(workspace) == (5,)
    assert not workspace.canvas.grid.grid.tiles[0].soloed
    document_of(workspace).undo_stack.redo()
    settle(workspace)
    assert workspace.canvas.grid.grid.tiles[0].soloed


def test_another_stage_is_shown_in_all_tiles_and_enlarged(qtbot: QtBot, show: Show) -> None:
    workspace = show(load_example("multi-head"))
    choose(qtbot, workspace, "stage", "scores")
    arrays = document_of(workspace).evaluation.arrays
    for head, tile in enumerate(workspace.canvas.grid.grid.tiles):
        assert tile.picture is not None and np.array_equal(tile.picture.values, arrays[Unit("scores", 0, head)])
    assert workspace.canvas.map is not None and workspace.canvas.map.path == "layers.0.scores.0"
    assert not workspace.tools.limits.button("fixed").isEnabled()


def test_colour_limits_are_fixed_shared_or_own_and_it_says_which(qtbot: QtBot, show: Show) -> None:
    workspace = show(load_example("multi-head"))
    text = workspace.tools.limits_text
    assert text.text() == "Colours: 0 to 1"

    def limits() -> list[float]:
        return [tile.picture.scale.high for tile in workspace.canvas.grid.grid.tiles if tile.picture is not None]

    choose(qtbot, workspace, "stage", "scaled")
    assert len(set(limits())) == 1 and text.text().endswith("the same for all heads")
    choose(qtbot, workspace, "limits", "own")
    assert len(set(limits())) > 1 and "not to be compared" in text.text()
    card = workspace.canvas.map
    assert card is not None and card.table.content.picture.scale.high == limits()[0]
    choose(qtbot, workspace, "limits", "shared")
    assert card.table.content.picture.scale.high == max(limits())
    choose(qtbot, workspace, "stage", "weights")
    assert workspace.tools.limits.value == "shared"


def test_the_head_that_looks_back_the_least_comes_first_when_sorted_by_distance(qtbot: QtBot, show: Show) -> None:
    workspace = show(load_example("multi-head"))
    sort_by(workspace, "distance_back")
    distances = [head_metrics(weights(workspace, head)).distance_back or 0.0 for head in range(12)]
    assert list(workspace.canvas.order) == sorted(range(12), key=distances.__getitem__)
    qtbot.mouseClick(workspace.tools.direction, LEFT)
    settle(workspace)
    assert workspace.canvas.order[0] == int(np.argmax(distances))
    click(qtbot, workspace, 0, "tile")
    assert document_of(workspace).display["head"] == int(np.argmax(distances))


def test_the_mean_over_heads_is_offered_and_called_a_mean(qtbot: QtBot, show: Show) -> None:
    workspace = show(load_example("multi-head"))
    workspace.tools.mean.click()
    settle(workspace)
    tile = workspace.canvas.grid.grid.tiles[-1]
    assert tile.title == "mean of 12" and not tile.mixing and tile.picture is not None
    mean = np.mean([weights(workspace, head) for head in range(12)], axis=0)
    np.testing.assert_allclose(tile.picture.values, mean, atol=1e-12)
    before = document_of(workspace).display["head"]
    click(qtbot, workspace, 12, "tile")
    assert document_of(workspace).display["head"] == before


def test_heads_are_added_duplicated_moved_and_removed_and_undone(show: Show) -> None:
    workspace = show(load_example("multi-head"))
    document, original = document_of(workspace), document_of(workspace).experiment
    act(workspace, "Add a head")
    assert len(workspace.canvas.grid.grid.tiles) == 13 and document.display["head"] == 12
    act(workspace, "Move head 13 to the left")
    assert document.display["head"] == 11
    act(workspace, "Duplicate head 12")
    attention = document.experiment.layers[0].attention
    assert np.array_equal(attention.W_Q[11], attention.W_Q[12]) and document.display["head"] == 12
    for _ in range(3):
        document.undo_stack.undo()
    assert identical(document.experiment, original)


def test_what_removing_a_head_drops_is_named_before(qtbot: QtBot, show: Show) -> None:
    workspace = show(pin_cell(load_example("multi-head"), "layers.0.scores.0", 1, 1, 2.0))
    act(workspace, "Remove head 1")
    assert document_of(workspace).experiment.layers[0].attention.heads == 12
    label = workspace.findChild(QLabel, "losses")
    assert label is not None and label.text() == (
        "This drops 1 pinned cell of QKᵀ.\nThis drops 1 head, 1 KV head and 4 rows of W_O.\nRemove all the same?"
    )
    accept = workspace.findChild(QPushButton, "accept")
    assert accept is not None and accept.text() == "Remove"
    qtbot.mouseClick(accept, LEFT)
    settle(workspace)
    assert document_of(workspace).experiment.layers[0].attention.heads == 11
    assert document_of(workspace).undo_stack.undoText() == "Remove head 1"


def test_w_o_is_created_from_the_identity_and_changes_no_number(qtbot: QtBot, show: Show) -> None:
    workspace = show(causal(4, 2))
    before = document_of(workspace).evaluation.arrays[Unit("head_output", 0, 1)]
    button = workspace.findChild(QToolButton, "create-W_O")
    assert button is not None and button.isVisible()
    qtbot.mouseClick(button, LEFT)
    settle(workspace)
    attention = document_of(workspace).experiment.layers[0].attention
    assert attention.W_O is not None and np.array_equal(attention.W_O, np.eye(8))
    assert document_of(workspace).evaluation.arrays[Unit("head_output", 0, 1)] is before
    assert not button.isVisible()


def test_layers_are_added_and_removed(show: Show) -> None:
    workspace = show(causal(4, 2))
    act(workspace, "Add a layer after layer 1")
    assert len(document_of(workspace).experiment.layers) == 2 and document_of(workspace).display["layer"] == 1
    document_of(workspace).undo_stack.undo()
    settle(workspace)
    assert document_of(workspace).display["layer"] == 0


def test_the_number_of_kv_heads_is_drawn_and_one_that_does_not_divide_is_refused(qtbot: QtBot, show: Show) -> None:
    workspace = show(load_example("multi-head"))
    box = workspace.canvas.sharing.kv_heads
    box.setValue(1)
    settle(workspace)
    accept = workspace.findChild(QPushButton, "accept")
    assert accept is not None
    qtbot.mouseClick(accept, LEFT)
    settle(workspace)
    assert document_of(workspace).experiment.layers[0].attention.kv_heads == 1
    assert workspace.canvas.sharing.caption.text() == "multi-query: all 12 heads share one K, V"
    assert {tile.tag for tile in workspace.canvas.grid.grid.tiles} == {"KV 1"}
    box.setValue(5)
    settle(workspace)
    message = workspace.findChild(QLabel, "message")
    assert message is not None and message.isVisible() and "cannot share evenly" in message.text()
    assert box.value() == 1


def test_a_bar_is_the_mean_length_of_what_a_head_adds(qtbot: QtBot, show: Show) -> None:
    workspace = show(load_example("multi-head"), height=1600)
    document = document_of(workspace)
    attention = document.experiment.layers[0].attention
    bars = workspace.canvas.output.bars
    for head, value in enumerate(bars.bars.values):
        part = head_part(document.evaluation.arrays[Unit("head_output", 0, head)], output_rows(attention, head))
        assert value == pytest.approx(np.linalg.norm(part, axis=1).mean(), abs=1e-12)
    qtbot.mouseClick(bars, LEFT, pos=bars.bars_layout().place(4).center().toPoint())
    settle(workspace)
    assert document.display["head"] == 4
    rows, written = workspace.canvas.output.rows.picture, workspace.canvas.output.written.picture
    assert rows is not None and np.array_equal(rows.values, output_rows(attention, 4))
    output = document.evaluation.arrays[Unit("head_output", 0, 4)]
    assert written is not None and np.allclose(written.values[0], output[-1] @ output_rows(attention, 4), atol=1e-12)


def test_the_vector_is_that_of_the_selected_token(show: Show) -> None:
    workspace = show(load_example("multi-head"), height=1600)
    document_of(workspace).cursor.select(Cell("layers.0.weights.0", 2, 1))
    output = document_of(workspace).evaluation.arrays[Unit("head_output", 0, 0)]
    rows = output_rows(document_of(workspace).experiment.layers[0].attention, 0)
    written = workspace.canvas.output.written.picture
    assert written is not None and np.allclose(written.values[0], output[2] @ rows, atol=1e-12)
    assert "“saw (3)”" in workspace.canvas.output.written_caption.text()


def test_a_muted_head_is_said_to_add_nothing(qtbot: QtBot, show: Show) -> None:
    workspace = show(load_example("multi-head"), height=1600)
    click(qtbot, workspace, 5, "mute")
    note = workspace.findChild(QLabel, "output-note")
    assert note is not None and note.text() == "Head 6 is muted: it adds nothing." and note.isVisible()


def test_hovering_a_row_of_w_o_lights_up_that_cell(qtbot: QtBot, show: Show) -> None:
    workspace = show(load_example("multi-head"), height=1600)
    document_of(workspace).display.choose("head", 2)
    settle(workspace)
    rows = workspace.canvas.output.rows
    qtbot.mouseMove(rows, rows.cell_rect(1, 3).center().toPoint())
    qtbot.waitUntil(lambda: document_of(workspace).cursor.hovered == Cell("layers.0.attention.W_O", 9, 3))


def test_the_distances_between_heads_are_those_of_their_rows(qtbot: QtBot, show: Show) -> None:
    workspace = show(load_example("multi-head"), height=1900)
    distances = workspace.canvas.similarity.view.distances
    assert distances.shape == (12, 12) and np.array_equal(distances, distances.T)
    assert distances[3, 7] == pytest.approx(head_distance(weights(workspace, 3), weights(workspace, 7)), abs=1e-12)
    view = workspace.canvas.similarity.view
    qtbot.mouseClick(view, LEFT, pos=view.cell_rect(6, 2).center().toPoint())
    assert document_of(workspace).display["head"] == 6


def test_heads_without_numbers_are_not_said_to_be_alike(show: Show) -> None:
    workspace = show(load_example("multi-head"), height=1900)
    rows, columns = np.indices((48, 4)).reshape(2, -1)
    document_of(workspace).set_cells("layers.0.attention.W_Q.2", rows, columns, np.full(192, 1e308))
    settle(workspace)
    similarity = workspace.canvas.similarity
    distances = similarity.view.distances
    assert np.isinf(distances[2]).all() and np.isinf(distances[:, 2]).all()
    assert np.isfinite(np.delete(np.delete(distances, 2, 0), 2, 1)).all()
    similarity.view.show_distances(distances, 2, LIGHT, ".")
    assert similarity.view.spoken().endswith("no distance, as their weights are not finite")


def test_of_very_many_heads_no_distances_are_found(show: Show) -> None:
    experiment = new_experiment(["a", "b"], 2, 2, 2, MOST_COMPARED + 1, seed=1)
    workspace = show(experiment, height=1900)
    similarity = workspace.canvas.similarity
    assert not similarity.view.isVisible()
    assert not any(key[0] == "distance" for key in workspace.canvas.numbers._known)


def test_a_token_under_the_pointer_stands_out_in_the_flow(qtbot: QtBot, show: Show) -> None:
    workspace = show(load_example("multi-head"), height=1600)
    flow, document = workspace.canvas.flow, document_of(workspace)
    layout = flow.view.layout_now()
    qtbot.mouseMove(flow.view, layout.point(End("query", 4)).toPoint())
    qtbot.waitUntil(lambda: flow.view.picture.isolated == End("query", 4))
    row = weights(workspace, 0)[4]
    assert f"“dog (5)” draws {row.max():.2f} from" in flow.caption.text()
    assert document.cursor.hovered == Cell("layers.0.weights.0", 4, int(row.argmax()))
    qtbot.mouseMove(flow.view, layout.point(End("key", 0)).toPoint())
    qtbot.waitUntil(lambda: flow.view.picture.isolated == End("key", 0))


def test_the_threshold_says_how_much_weight_it_hides(qtbot: QtBot, show: Show) -> None:
    workspace = show(load_example("multi-head"), height=1600)
    flow = workspace.canvas.flow
    assert flow.hidden.text() == "nothing hidden"
    flow.threshold.setFocus()
    for _ in range(8):
        qtbot.keyClick(flow.threshold, Qt.Key.Key_Right)
    settle(workspace)
    assert flow.shown_threshold == pytest.approx(0.04)
    matrix = weights(workspace, 0)
    hidden = matrix[matrix < 0.04].sum() / matrix.sum()
    assert flow.hidden.text().startswith("under 0.040 hidden: ")
    assert float(flow.hidden.text().split(": ")[1].split()[0]) == pytest.approx(100 * hidden, abs=0.06)
    qtbot.mouseClick(flow.auto, LEFT)
    assert flow.hidden.text() == "nothing hidden"


def test_the_flow_draws_all_heads_or_their_mean_and_says_so(show: Show) -> None:
    workspace = show(load_example("multi-head"), height=1600)
    flow = workspace.canvas.flow
    for value, name, count in (("all", "all 12 heads", 12), ("mean", "mean over 12 heads", 1)):
        flow.drawn.setCurrentIndex(flow.drawn.findData(value))
        flow.drawn.activated.emit(flow.drawn.currentIndex())
        settle(workspace)
        assert flow.caption.text().startswith(name)
        assert len(flow.view.picture.flows) == count
    np.testing.assert_allclose(
        flow.view.picture.flows[0].weights, np.mean([weights(workspace, head) for head in range(12)], axis=0)
    )


def test_one_head_offers_no_order_no_sharing_and_no_likeness(show: Show) -> None:
    workspace = show(load_example("tired"))
    assert len(workspace.canvas.grid.grid.tiles) == 1
    assert not workspace.tools.sort.isVisible() and not workspace.tools.mean.isVisible()
    assert not workspace.canvas.sharing.isVisible() and not workspace.canvas.similarity.isVisible()
    assert not workspace.canvas.flow.drawn.isVisible()


def test_cross_attention_shows_rectangular_maps_and_no_distance(show: Show) -> None:
    workspace = show(load_example("cross-attention"))
    layout, tile = workspace.canvas.grid.grid_layout, workspace.canvas.grid.grid.tiles[0]
    assert (layout.rows, layout.columns) == (4, 5)
    assert [metric.label for metric in tile.metrics] == ["H", "first"]
    assert len(workspace.canvas.flow.view.picture.keys.texts) == 5


def test_heads_out_of_sight_are_not_computed_until_they_scroll_into_view(show: Show) -> None:
    workspace = show(causal(8, 64, 2), 500, 400)
    arrays = document_of(workspace).evaluation.arrays
    assert Unit("weights", 0, 0) in arrays and Unit("weights", 0, 63) not in arrays
    grid = workspace.canvas.grid
    bar = workspace.area.verticalScrollBar()
    bar.setValue(grid.y() + grid.grid_layout.tile_rect(63).top() - 100)
    settle(workspace)
    assert Unit("weights", 0, 63) in document_of(workspace).evaluation.arrays
    assert grid.grid.tiles[63].picture is not None


def test_distances_are_found_once_they_scroll_into_view(qtbot: QtBot, show: Show) -> None:
    workspace = show(load_example("multi-head"), 900, 500)
    view, bar = workspace.canvas.similarity.view, workspace.area.verticalScrollBar()
    assert np.isnan(view.distances).any()
    bar.setValue(bar.maximum())
    qtbot.waitUntil(lambda: not np.isnan(view.distances).any(), timeout=20_000)
    assert "most alike: heads" in workspace.canvas.similarity.caption.text()


def test_a_muted_head_is_not_among_all_heads_in_the_flow(qtbot: QtBot, show: Show) -> None:
    workspace = show(load_example("multi-head"))
    click(qtbot, workspace, 5, "mute")
    flow = workspace.canvas.flow
    flow.drawn.setCurrentIndex(flow.drawn.findData("all"))
    flow.drawn.activated.emit(flow.drawn.currentIndex())
    settle(workspace)
    assert len(flow.view.picture.flows) == 11
    assert flow.caption.text() == "all 12 heads but the 1 muted"


def test_a_hidden_workspace_asks_for_nothing(show: Show) -> None:
    workspace = show(load_example("multi-head"))
    workspace.hide()
    document_of(workspace).recomputation.finish()
    assert not document_of(workspace).evaluation.arrays


def test_a_change_of_one_head_paints_only_its_tile_anew(show: Show) -> None:
    workspace = show(causal(6, 4))
    before = [tile.picture for tile in workspace.canvas.grid.grid.tiles]
    document_of(workspace).set_cell("layers.0.attention.W_Q.2", 0, 0, 5.0)
    settle(workspace)
    after = [tile.picture for tile in workspace.canvas.grid.grid.tiles]
    assert [new is old for new, old in zip(after, before, strict=True)] == [True, True, False, True]


@pytest.mark.parametrize("width", [480, 760, 905, 1400])
@pytest.mark.parametrize("name", ["multi-head", "tired", "cross-attention", "grouped-query"])
def test_cards_never_overlap_and_stay_within_the_width(show: Show, name: str, width: int) -> None:
    workspace = show(load_example(name), width, 700)
    canvas = workspace.canvas
    cards = [canvas.grid, canvas.map, canvas.flow, canvas.output, canvas.sharing, canvas.similarity]
    places = [card.geometry() for card in cards if card is not None and card.isVisible()]
    assert not any(a.intersects(b) for index, a in enumerate(places) for b in places[index + 1 :])
    assert all(place.left() >= 0 and place.right() < canvas.width() for place in places)
    assert all(place.bottom() < canvas.height() for place in places)


def test_the_menu_of_edits_offers_every_way_to_share_keys_and_values(qtbot: QtBot, show: Show) -> None:
    workspace = show(causal(5, 6))
    workspace.tools.menu.aboutToShow.emit()
    sharing = next(action.menu() for action in workspace.tools.menu.actions() if action.menu() is not None)
    texts = [action.text() for action in sharing.actions()]
    assert texts == [
        "Every head has its own (6 KV heads)",
        "2 heads each share one (3 KV heads)",
        "3 heads each share one (2 KV heads)",
        "All heads share one (1 KV head)",
    ]
    assert [action.isChecked() for action in sharing.actions()] == [True, False, False, False]
    sharing.actions()[1].trigger()
    qtbot.mouseClick(workspace.notice.accept, LEFT)
    settle(workspace)
    assert document_of(workspace).experiment.layers[0].attention.kv_heads == 3
    assert [tile.tag for tile in workspace.canvas.grid.grid.tiles] == ["KV 1", "KV 1", "KV 2", "KV 2", "KV 3", "KV 3"]
