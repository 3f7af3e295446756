"""Position, mask, softmax, source and size in the dock Input, with real keys and clicks."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QSpinBox, QWidget
from pytestqt.qtbot import QtBot

from attnexplorer.document.document import Document
from attnexplorer.experiment.comparison import identical
from attnexplorer.experiment.edits.creation import new_experiment
from attnexplorer.experiment.edits.masks import block_pair, cycle_pair, toggle_causal
from attnexplorer.experiment.edits.pins import pin_cell
from attnexplorer.experiment.edits.positions import set_position_kind
from attnexplorer.experiment.edits.tokens import set_padding
from attnexplorer.experiment.examples import example_names, load_example
from attnexplorer.experiment.model import Experiment, Mask
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.input.panel import WIDTH, InputPanel
from attnexplorer.views.input.section import Section

LEFT = Qt.MouseButton.LeftButton
TOKENS = ("the", "cat", "sat", "down")


class Shown:
    """A panel on a document of its own."""

    def __init__(self, experiment: Experiment, qtbot: QtBot, width: int = 260) -> None:
        self.appearance = Appearance()
        self.appearance.choose_theme("light")
        self.document = Document(experiment)
        self.panel = InputPanel(self.document, self.appearance)
        qtbot.addWidget(self.panel)
        self.panel.resize(width, 1100)
        self.panel.show()
        self.panel.activateWindow()
        qtbot.waitUntil(self.panel.isActiveWindow)

    @property
    def experiment(self) -> Experiment:
        return self.document.experiment

    @property
    def mask(self) -> Mask:
        return self.experiment.layers[self.document.display["layer"]].attention.mask

    @property
    def undo_text(self) -> str:
        return self.document.undo_stack.undoText()

    def undone(self) -> Experiment:
        """Undo everything."""
        while self.document.undo_stack.canUndo():
            self.document.undo_stack.undo()
        return self.experiment


Show = Callable[..., Shown]


@pytest.fixture
def show(qtbot: QtBot) -> Iterator[Show]:
    everything: list[Shown] = []

    def shown(experiment: Experiment | None = None, width: int = 260) -> Shown:
        everything.append(Shown(experiment or new_experiment(TOKENS, 4, 2, 2, 2, 0), qtbot, width))
        return everything[-1]

    yield shown
    for one in everything:
        one.document.close()


def enter(qtbot: QtBot, field: QLineEdit | QSpinBox, text: str) -> None:
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, text)
    qtbot.keyClick(field, Qt.Key.Key_Return)


def message_of(section: Section) -> str:
    label = section.notice.findChild(QLabel, "message")
    assert isinstance(label, QLabel)
    return label.text() if label.isVisible() else ""


def _is_ours(control: QWidget) -> bool:
    return control.objectName() != "" and not control.objectName().startswith("qt_")


def turn_wheel(widget: QWidget, steps: int) -> None:
    centre = QPointF(widget.rect().center())
    event = QWheelEvent(
        centre,
        widget.mapToGlobal(centre),
        QPoint(0, 0),
        QPoint(0, 120 * steps),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(widget, event)


# Position


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("sinusoidal", "Use sinusoidal positions"),
        ("learned", "Use learned positions"),
        ("rope", "Use RoPE"),
        ("alibi", "Use ALiBi"),
    ],
)
def test_a_click_chooses_the_kind_of_position(show: Show, qtbot: QtBot, kind: str, text: str) -> None:
    shown = show()
    before = shown.experiment
    qtbot.mouseClick(shown.panel.position_section.kind.button(kind), LEFT)
    assert shown.experiment.position.kind == kind
    assert shown.undo_text == text
    assert identical(shown.undone(), before)
    assert shown.panel.position_section.kind.value == "none"


def test_an_arrow_key_goes_to_the_next_kind_of_position(show: Show, qtbot: QtBot) -> None:
    shown = show()
    button = shown.panel.position_section.kind.button("none")
    button.setFocus()
    qtbot.keyClick(button, Qt.Key.Key_Right)
    assert shown.experiment.position.kind == "sinusoidal"


def test_only_what_belongs_to_the_kind_of_position_is_shown(show: Show, qtbot: QtBot) -> None:
    section = show().panel.position_section
    fields = {
        "none": (False, False, False),
        "sinusoidal": (True, True, False),
        "learned": (False, True, False),
        "rope": (True, True, True),
        "alibi": (False, False, False),
    }
    for kind, expected in fields.items():
        qtbot.mouseClick(section.kind.button(kind), LEFT)
        answer = section.notice.accept
        if answer.isVisible():
            qtbot.mouseClick(answer, LEFT)
        assert tuple(w.isVisible() for w in (section.base, section.offset, section.interleaved)) == expected, kind


def test_base_and_first_position_are_typed(show: Show, qtbot: QtBot) -> None:
    shown = show(set_position_kind(new_experiment(TOKENS, 4, 2, 2, 2, 0), "rope"))
    before = shown.experiment
    enter(qtbot, shown.panel.position_section.base, "10**2")
    assert shown.experiment.position.base == 100.0
    assert shown.undo_text == "Set the base to 10**2"
    enter(qtbot, shown.panel.position_section.offset, "7")
    assert shown.experiment.position.offset == 7
    assert shown.undo_text == "Set the first position to 7"
    qtbot.mouseClick(shown.panel.position_section.interleaved, LEFT, pos=QPoint(5, 10))
    assert shown.experiment.position.interleaved
    assert shown.undo_text == "Turn neighbouring columns with RoPE"
    assert identical(shown.undone(), before)


def test_rope_over_an_odd_width_is_refused_beside_the_buttons(show: Show, qtbot: QtBot) -> None:
    shown = show(new_experiment(TOKENS, 4, 3, 2, 2, 0))
    section = shown.panel.position_section
    qtbot.mouseClick(section.kind.button("rope"), LEFT)
    assert message_of(section) == "Layer 1 has d_k = 3, but RoPE turns pairs of columns: make it even."
    assert section.kind.value == "none"
    assert section.kind.button("none").isChecked()


def test_leaving_a_learned_table_is_asked_first(show: Show, qtbot: QtBot) -> None:
    shown = show(load_example("multi-head"))
    section = shown.panel.position_section
    qtbot.mouseClick(section.kind.button("none"), LEFT)
    assert section.notice.losses.text() == "This drops the position table.\nChange all the same?"
    qtbot.mouseClick(section.notice.cancel, LEFT)
    assert section.kind.value == "learned"
    qtbot.mouseClick(section.kind.button("none"), LEFT)
    qtbot.mouseClick(section.notice.accept, LEFT)
    assert shown.experiment.position.kind == "none"


def test_a_learned_table_is_filled_anew(show: Show, qtbot: QtBot) -> None:
    shown = show(load_example("multi-head"))
    before = shown.experiment
    for filling in ("sines", "random", "zeros"):
        link = shown.panel.position_section.findChild(QWidget, f"fill-{filling}")
        assert link is not None
        qtbot.mouseClick(link, LEFT)
        table, old = shown.experiment.position.table, before.position.table
        assert table is not None
        assert old is not None
        assert table.shape == old.shape
        assert (abs(table).max() == 0) == (filling == "zeros")
    assert shown.undo_text == "Fill the position table with zeros"
    assert identical(shown.undone(), before)


# Mask


def test_the_rules_of_the_mask_combine(show: Show, qtbot: QtBot) -> None:
    shown = show()
    before, section = shown.experiment, shown.panel.mask_section
    texts = []
    for box in (section.causal, section.window_on, section.prefix_on, section.segments_on):
        qtbot.mouseClick(box, LEFT, pos=QPoint(5, 10))
        texts.append(shown.undo_text)
    assert texts == ["Causal mask on", "Window of 3", "Prefix of 1", "Segments on"]
    assert (shown.mask.causal, shown.mask.window, shown.mask.prefix, shown.mask.segments) == (True, 3, 1, (1, 1, 1, 1))
    enter(qtbot, section.window_size, "2")
    assert (shown.mask.window, shown.undo_text) == (2, "Window of 2")
    enter(qtbot, section.prefix_size, "4")
    assert (shown.mask.prefix, shown.undo_text) == (4, "Prefix of 4")
    for box in (section.causal, section.window_on, section.prefix_on, section.segments_on):
        qtbot.mouseClick(box, LEFT, pos=QPoint(5, 10))
    assert identical(shown.experiment, before)
    assert shown.undo_text == "Segments off"
    assert identical(shown.undone(), before)


def test_a_box_of_the_mask_is_switched_by_space(show: Show, qtbot: QtBot) -> None:
    shown = show()
    shown.panel.mask_section.causal.setFocus()
    qtbot.keyClick(shown.panel.mask_section.causal, Qt.Key.Key_Space)
    assert shown.mask.causal


def test_segments_are_typed_one_a_token(show: Show, qtbot: QtBot) -> None:
    shown = show()
    section = shown.panel.mask_section
    qtbot.mouseClick(section.segments_on, LEFT, pos=QPoint(5, 10))
    enter(qtbot, section.labels, "1 1 b b")
    assert shown.mask.segments == (1, 1, "b", "b")
    assert shown.undo_text == "Set the segments"
    enter(qtbot, section.labels, "1 2")
    assert message_of(section) == "Segments must be 4, one a token, not 2."
    assert section.labels.text() == "1 2"
    assert shown.mask.segments == (1, 1, "b", "b")


def test_the_padding_box_says_how_many_and_takes_all_marks_away(show: Show, qtbot: QtBot) -> None:
    plain = new_experiment(TOKENS, 4, 2, 2, 2, 0)
    shown = show(set_padding(set_padding(plain, "sequence", 0, True), "sequence", 3, True))
    before, section = shown.experiment, shown.panel.mask_section
    assert section.padded.text() == "2 of 4 tokens"
    qtbot.mouseClick(section.padding, LEFT, pos=QPoint(5, 10))
    assert identical(shown.experiment, plain)
    assert shown.undo_text == "No token is padding"
    assert not section.padding.isEnabled()
    assert section.padded.text() == "no token marked"
    assert identical(shown.undone(), before)


def test_pairs_set_by_hand_are_counted_and_cleared(show: Show, qtbot: QtBot) -> None:
    experiment = block_pair(new_experiment(TOKENS, 4, 2, 2, 2, 0), 0, 0, 1)
    experiment = cycle_pair(block_pair(block_pair(experiment, 0, 1, 1), 0, 2, 2), 0, 2, 2)
    shown = show(experiment)
    section = shown.panel.mask_section
    assert section.pairs.text() == "2 pairs blocked, 1 allowed by hand"
    qtbot.mouseClick(section.clear_pairs, LEFT)
    assert (shown.mask.blocked, shown.mask.allowed) == ((), ())
    assert shown.undo_text == "Leave all pairs to the rules"
    assert not section.pairs.isVisible()
    assert identical(shown.undone(), experiment)


def test_alignment_is_offered_only_where_it_matters(show: Show, qtbot: QtBot) -> None:
    assert not show().panel.mask_section.align.isVisible()
    shown = show(load_example("cross-attention"))
    section = shown.panel.mask_section
    assert section.align.isVisible()
    qtbot.mouseClick(section.align.button("start"), LEFT)
    assert shown.mask.align == "start"
    assert shown.undo_text == "Align queries and keys at their starts"
    assert not section.segments_on.isEnabled()


def test_the_sections_follow_the_layer_that_is_shown(show: Show, qtbot: QtBot) -> None:
    shown = show(load_example("block"))
    shown.document.apply("Causal", lambda e: toggle_causal(e, 1))
    section = shown.panel.mask_section
    first = section.causal.isChecked()
    shown.document.display.choose("layer", 1)
    assert section.heading.text() == "MASK, LAYER 2"
    assert section.causal.isChecked() != first
    now = shown.mask.causal
    qtbot.mouseClick(section.causal, LEFT, pos=QPoint(5, 10))
    assert shown.experiment.layers[1].attention.mask.causal != now
    assert shown.undo_text == f"Causal mask {'off' if now else 'on'}, layer 2"


# Softmax


def test_temperature_and_softcap_take_expressions(show: Show, qtbot: QtBot) -> None:
    shown = show()
    before, section = shown.experiment, shown.panel.softmax_section
    enter(qtbot, section.temperature, "1/sqrt(4)")
    attention = shown.experiment.layers[0].attention
    assert attention.temperature == 0.5
    assert section.temperature.text() == "0.5"
    assert shown.undo_text == "Set the temperature to 1/sqrt(4)"
    enter(qtbot, section.softcap, "30")
    assert shown.experiment.layers[0].attention.softcap == 30.0
    enter(qtbot, section.softcap, "off")
    assert shown.experiment.layers[0].attention.softcap is None
    assert shown.undo_text == "Softcap off"
    assert identical(shown.undone(), before)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("0", "The temperature must be a number above 0."), ("two", "“two” is not a number.")],
)
def test_a_refused_number_stays_to_be_put_right(show: Show, qtbot: QtBot, text: str, sentence: str) -> None:
    shown = show()
    section = shown.panel.softmax_section
    enter(qtbot, section.temperature, text)
    assert message_of(section).startswith(sentence)
    assert section.temperature.property("bad")
    assert section.temperature.text() == text
    qtbot.keyClick(section.temperature, Qt.Key.Key_Escape)
    assert section.temperature.text() == "1"
    assert not section.temperature.property("bad")
    assert message_of(section) == ""
    assert shown.document.undo_stack.count() == 0


def test_an_explanation_stays_while_something_else_is_edited(show: Show, qtbot: QtBot) -> None:
    shown = show()
    section = shown.panel.softmax_section
    enter(qtbot, section.temperature, "0")
    qtbot.mouseClick(shown.panel.mask_section.causal, LEFT, pos=QPoint(5, 10))
    assert message_of(section) == "The temperature must be a number above 0."
    enter(qtbot, section.temperature, "2")
    assert message_of(section) == ""
    assert shown.experiment.layers[0].attention.temperature == 2.0


# Source


def test_a_second_sequence_comes_and_goes(show: Show, qtbot: QtBot) -> None:
    shown = show()
    before = shown.experiment
    assert not shown.panel.source_token_section.isVisible()
    qtbot.mouseClick(shown.panel.source_section.choice.button("second"), LEFT)
    source = shown.experiment.source
    assert source is not None
    assert source.tokens == TOKENS
    assert shown.panel.source_token_section.isVisible()
    assert shown.undo_text == "Keys and values from a second sequence"
    qtbot.mouseClick(shown.panel.source_section.choice.button("same"), LEFT)
    assert identical(shown.experiment, before)
    assert shown.undo_text == "Keys and values from the same tokens"
    assert not shown.panel.source_token_section.isVisible()
    assert identical(shown.undone(), before)


# Size


@pytest.mark.parametrize(
    ("name", "number", "text"),
    [
        ("d_model", 6, "Set d_model to 6"),
        ("d_k", 5, "Set d_k to 5"),
        ("d_v", 3, "Set d_v to 3"),
        ("heads", 4, "Set the heads to 4"),
        ("kv_heads", 1, "Set the KV heads to 1"),
    ],
)
def test_a_typed_size_counts_on_enter(show: Show, qtbot: QtBot, name: str, number: int, text: str) -> None:
    shown = show()
    before, section = shown.experiment, shown.panel.size_section
    box = getattr(section, name)
    enter(qtbot, box, str(number))
    if section.notice.accept.isVisible():
        assert section.notice.losses.text() == "This drops 1 KV head.\nChange all the same?"
        assert shown.experiment is before
        qtbot.mouseClick(section.notice.accept, LEFT)
    attention = shown.experiment.layers[0].attention
    sizes = {name: getattr(attention, name) for name in ("d_model", "d_k", "d_v", "heads", "kv_heads")}
    assert sizes[name] == number
    assert shown.undo_text == text
    assert identical(shown.undone(), before)
    assert box.value() == getattr(before.layers[0].attention, name)


def test_a_typed_size_counts_when_its_field_is_left(show: Show, qtbot: QtBot) -> None:
    shown = show()
    box = shown.panel.size_section.d_k
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, "3")
    assert shown.experiment.layers[0].attention.d_k == 2
    qtbot.keyClick(box, Qt.Key.Key_Tab)
    assert shown.experiment.layers[0].attention.d_k == 3


def test_steps_in_a_row_are_one_undo_step(show: Show, qtbot: QtBot) -> None:
    shown = show()
    before, box = shown.experiment, shown.panel.size_section.d_k
    box.setFocus()
    for _ in range(3):
        qtbot.keyClick(box, Qt.Key.Key_Up)
    assert shown.experiment.layers[0].attention.d_k == 5
    assert shown.document.undo_stack.count() == 1
    assert shown.undo_text == "Set d_k to 5"
    assert identical(shown.undone(), before)


def test_growing_keeps_the_numbers_and_fills_by_the_chosen_rule(show: Show, qtbot: QtBot) -> None:
    shown = show()
    old = shown.experiment.layers[0].attention.W_Q[0]
    qtbot.keyClick(shown.panel.size_section.kind, Qt.Key.Key_Down)
    assert not shown.panel.size_section.seed.isVisible()
    enter(qtbot, shown.panel.size_section.d_k, "3")
    new = shown.experiment.layers[0].attention.W_Q[0]
    assert np.array_equal(new[:, :2], old)
    assert not np.any(new[:, 2])


def test_another_seed_gives_other_numbers(show: Show, qtbot: QtBot) -> None:
    columns = []
    for seed in ("0", "1"):
        shown = show()
        enter(qtbot, shown.panel.size_section.seed, seed)
        enter(qtbot, shown.panel.size_section.d_k, "3")
        columns.append(shown.experiment.layers[0].attention.W_Q[0][:, 2])
    assert not np.array_equal(*columns)


def test_fewer_kv_heads_are_the_first_or_the_mean(show: Show, qtbot: QtBot) -> None:
    for keep in ("first", "mean"):
        shown = show()
        section, old = shown.panel.size_section, shown.experiment.layers[0].attention.W_K
        if keep == "mean":
            qtbot.keyClick(section.keep, Qt.Key.Key_Down)
        section.kv_heads.setFocus()
        qtbot.keyClick(section.kv_heads, Qt.Key.Key_Down)
        qtbot.keyClick(section.notice.accept, Qt.Key.Key_Return)
        (kept,) = shown.experiment.layers[0].attention.W_K
        assert np.array_equal(kept, old[0] if keep == "first" else (old[0] + old[1]) / 2)
        assert not section.keep.isVisible()


def test_kv_heads_step_through_the_numbers_that_divide_the_heads(show: Show, qtbot: QtBot) -> None:
    shown = show(load_example("grouped-query"))
    box = shown.panel.size_section.kv_heads
    box.setFocus()
    qtbot.keyClick(box, Qt.Key.Key_Up)
    assert shown.experiment.layers[0].attention.kv_heads == 4


def test_a_size_that_cannot_be_is_explained_and_taken_back(show: Show, qtbot: QtBot) -> None:
    shown = show(load_example("grouped-query"))
    section = shown.panel.size_section
    enter(qtbot, section.kv_heads, "3")
    assert message_of(section) == "Layer 1 has 8 heads, which 3 KV heads cannot share evenly."
    assert section.kv_heads.value() == 2


def test_what_a_smaller_width_drops_is_named_first(show: Show, qtbot: QtBot) -> None:
    shown = show(pin_cell(new_experiment(TOKENS, 4, 2, 2, 1, 0), "layers.0.key.0", 1, 1, 5.0))
    before, section = shown.experiment, shown.panel.size_section
    enter(qtbot, section.d_k, "1")
    assert "This drops 1 pinned cell of K" in section.notice.losses.text()
    qtbot.mouseClick(section.notice.cancel, LEFT)
    assert shown.experiment is before
    assert section.d_k.value() == 2


def test_another_edit_takes_the_question_back(show: Show, qtbot: QtBot) -> None:
    shown = show()
    section = shown.panel.size_section
    enter(qtbot, section.d_k, "1")
    assert section.notice.accept.isVisible()
    qtbot.mouseClick(shown.panel.mask_section.causal, LEFT, pos=QPoint(5, 10))
    assert not section.notice.accept.isVisible()
    assert section.d_k.value() == 2


# The panel as a whole


def test_the_wheel_scrolls_past_fields_that_are_not_in_use(show: Show) -> None:
    shown = show()
    section = shown.panel.size_section
    for widget in (section.d_k, section.kind, section.seed):
        turn_wheel(widget, -1)
    assert (section.d_k.value(), section.kind.currentData(), section.seed.value()) == (2, "random", 0)
    section.d_k.setFocus()
    turn_wheel(section.d_k, 2)
    assert shown.experiment.layers[0].attention.d_k == 4


@pytest.mark.parametrize("name", example_names())
def test_nothing_is_wider_than_the_narrowest_panel(show: Show, qtbot: QtBot, name: str) -> None:
    panel = show(load_example(name), WIDTH).panel
    qtbot.waitUntil(lambda: panel.widget().width() == panel.viewport().width())
    for child in panel.widget().findChildren(QWidget):
        if child.isVisible() and not child.isWindow() and child.minimumSizeHint().width() > child.width():
            pytest.fail(f"{child} needs {child.minimumSizeHint().width()}, has {child.width()}")
    assert panel.widget().minimumSizeHint().width() <= panel.viewport().width()


def test_a_section_of_another_view_comes_last(show: Show, qtbot: QtBot) -> None:
    panel = show().panel
    panel.add_section("Vocabulary and E", lambda column: QLabel("E", column))
    table = next(it for it in panel.widget().findChildren(QLabel) if it.text() == "E")
    qtbot.waitUntil(table.isVisible)
    panel.widget().layout().activate()
    assert table.mapTo(panel, QPoint(0, 0)).y() > panel.size_section.mapTo(panel, QPoint(0, 0)).y()


def test_a_hidden_panel_is_brought_up_to_date_when_it_is_shown(show: Show) -> None:
    shown = show()
    shown.panel.hide()
    shown.document.apply("Causal", lambda e: toggle_causal(e, 0))
    assert not shown.panel.mask_section.causal.isChecked()
    shown.panel.show()
    assert shown.panel.mask_section.causal.isChecked()


def test_every_control_has_a_name_and_says_what_it_does(show: Show) -> None:
    panel = show(load_example("cross-attention")).panel
    for section in panel.findChildren(Section):
        for control in section.findChildren(QWidget):
            if control.focusPolicy() & Qt.FocusPolicy.TabFocus and control.isVisible() and _is_ours(control):
                spoken = control.accessibleName() or getattr(control, "text", str)()
                assert spoken, control
                assert control.toolTip() or control.objectName() == "tokens", control


@pytest.mark.parametrize("typed", ["1.5", "0", "99999999", "abc"])
def test_a_width_that_is_no_width_is_refused_in_a_sentence_and_changes_nothing(
    show: Show, qtbot: QtBot, typed: str
) -> None:
    shown = show(new_experiment(TOKENS, 4, 2, 2, 2, 0))
    before = shown.experiment
    field = shown.panel.findChild(QSpinBox, "d_k")
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, typed)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    complaint = shown.panel.window().findChild(QLabel, "complaint")
    assert complaint.text().startswith(f"“{typed}” does not fit here: a whole number from 1 to ")
    assert shown.experiment is before
    assert field.value() == 2
    assert complaint.isVisible()
    qtbot.wait(400)
    qtbot.keyClick(field, "1")
    assert not complaint.isVisible()
