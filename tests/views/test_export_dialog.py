"""The export dialog, alone on a real document: what it shows, what it writes, what it remembers and what it refuses."""

from __future__ import annotations

import io
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from pptx import Presentation
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QAbstractSpinBox, QComboBox, QLabel, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from real_windows import answering, button, child, click

from attnexplorer.document.cursor import Cell
from attnexplorer.document.document import Document
from attnexplorer.document.storage import present_experiment
from attnexplorer.experiment.comparison import identical
from attnexplorer.experiment.examples import load_example
from attnexplorer.experiment.saving import save
from attnexplorer.figures.carrying import extract
from attnexplorer.figures.export import Export, figure_bytes
from attnexplorer.figures.png import figure_image
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.export_dialog.choices import Choices, as_text, from_text
from attnexplorer.views.export_dialog.dialog import ExportDialog
from attnexplorer.views.export_dialog.subjects import Seen

WEIGHTS = "layers.0.weights.0"


class Kept:
    """A memory that lasts as long as a test."""

    def __init__(self) -> None:
        self.figure_choices = ""
        self.figure_presets: dict[str, str] = {}
        self.figure_folder: Path | None = None

    def keep_figure_preset(self, name: str, text: str) -> None:
        self.figure_presets[name] = text

    def forget_figure_preset(self, name: str) -> None:
        del self.figure_presets[name]


class Bench:
    """A document and the dialogs on it."""

    def __init__(self, qtbot: QtBot, folder: Path, example: str = "animal-street") -> None:
        self.qtbot, self.folder, self.memory = qtbot, folder, Kept()
        self.document = Document(load_example(example))
        self.appearance = Appearance()
        self.appearance.choose_theme("light")
        self.dialogs: list[ExportDialog] = []

    def open(self, seen: Seen | None = None) -> ExportDialog:
        experiment = present_experiment(self.document)
        dialog = ExportDialog(
            self.document, self.appearance, self.memory, seen or Seen(), experiment, "animal", self.folder
        )
        self.dialogs.append(dialog)
        self.qtbot.addWidget(dialog)
        dialog.resize(1000, 660)
        dialog.show()
        dialog.activateWindow()
        self.qtbot.waitUntil(lambda: dialog.pane.preview.figure is not None)
        return dialog

    def written(self, dialog: ExportDialog) -> Path:
        """Press Enter and wait for the file."""
        with self.qtbot.waitSignal(dialog.written, timeout=60_000) as found:
            QTest.keyClick(dialog, Qt.Key.Key_Return)
        assert found.args is not None
        path = found.args[0]
        assert isinstance(path, Path)
        return path

    def close(self) -> None:
        for dialog in self.dialogs:
            dialog.exporter.stop()
            dialog.done(0)
        self.document.close()


@pytest.fixture
def bench(qtbot: QtBot, tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(qtbot, tmp_path)
    yield bench
    bench.close()


def choose(dialog: QWidget, name: str, text: str) -> None:
    """Choose an entry of a list by what it says."""
    box = child(dialog, QComboBox, name)
    place = box.findText(text)
    assert place >= 0, [box.itemText(index) for index in range(box.count())]
    box.setCurrentIndex(place)
    box.activated.emit(place)


def type_into(dialog: QWidget, name: str, text: str) -> None:
    field = child(dialog, QLineEdit, name)
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, text)


def error(dialog: ExportDialog) -> str:
    return dialog.error.text() if dialog.error.isVisible() else ""


def extent(dialog: ExportDialog) -> str:
    return child(dialog, QLabel, "figure-extent").text()


def test_enter_writes_the_figure_of_the_view_and_it_carries_the_experiment(bench: Bench) -> None:
    path = bench.written(bench.open())
    assert path == bench.folder / "animal-pipeline-head-1.png"
    image = QImage(str(path))
    assert image.width() > 1000 and image.dotsPerMeterX() == 11_811
    carried = extract(path)
    assert carried is not None and identical(carried, present_experiment(bench.document))
    assert list(bench.folder.iterdir()) == [path]


@pytest.mark.parametrize("form", ["png", "svg", "pdf", "pptx", "webp"])
def test_the_window_writes_the_bytes_of_the_command_that_it_copies(bench: Bench, form: str) -> None:
    bench.appearance.choose_theme("dark")
    dialog = bench.open(Seen(path=WEIGHTS))
    click(dialog, form)
    click(dialog, "figure-colour-bar")
    if form == "webp":
        choose(dialog, "figure-sweep", "The causal mask, off and on")
    type_into(dialog, "figure-caption", 'It\'s a "test"')
    click(dialog, "figure-copy-command")
    words = shlex.split(QGuiApplication.clipboard().text())
    child(dialog, QPushButton, "figure-export").setFocus()
    path = bench.written(dialog)
    save(present_experiment(bench.document), bench.folder / "animal.attn")
    assert words[:3] == ["attnexplorer", "export", "animal.attn"] and words[4] == path.name
    command = [sys.executable, "-m", *words[:4], "again-" + words[4], *words[5:]]
    subprocess.run(command, cwd=bench.folder, check=True)
    assert (bench.folder / f"again-{path.name}").read_bytes() == path.read_bytes()
    # The platform of this process draws the same.
    export = Export(form, *_settings(dialog))  # type: ignore[arg-type]
    assert figure_bytes(dialog.spec, present_experiment(bench.document), export) == path.read_bytes()


def _settings(dialog: ExportDialog) -> tuple[Any, ...]:
    export = dialog.choices.export
    return export.carry, export.sweep, export.seconds, export.loops


def test_the_preview_is_painted_as_the_file_is(bench: Bench) -> None:
    dialog = bench.open(Seen(path=WEIGHTS))
    preview = dialog.pane.preview
    assert preview.figure is not None and preview.image is not None
    size = (preview.image.width(), preview.image.height())
    again = figure_image(preview.figure, preview.scale_of(preview.figure), size)
    shown = preview.grab().toImage()
    left, top = (shown.width() - again.width()) // 2, (shown.height() - again.height()) // 2
    for x in range(5, again.width() - 5, 11):
        for y in range(5, again.height() - 5, 11):
            assert shown.pixelColor(left + x, top + y).rgb() == again.pixelColor(x, y).rgb()


def test_the_preview_follows_what_is_typed(bench: Bench, qtbot: QtBot) -> None:
    dialog = bench.open(Seen(path=WEIGHTS))
    choose(dialog, "figure-size", "Another size, in cm")
    type_into(dialog, "figure-width", "10")
    type_into(dialog, "figure-height", "4")
    qtbot.waitUntil(lambda: "10.0 × 4.0 cm" in extent(dialog))
    assert "1,181 × 472 pixels at 300 dpi" in extent(dialog)
    type_into(dialog, "figure-font", "6")
    qtbot.waitUntil(lambda: "labels 6.0 pt" in extent(dialog))
    choose(dialog, "figure-size", "Another size, in pixels")
    type_into(dialog, "figure-width", "640")
    type_into(dialog, "figure-height", "480")
    qtbot.waitUntil(lambda: "640 × 480 pixels" in extent(dialog))
    image = QImage(str(bench.written(dialog)))
    assert (image.width(), image.height()) == (640, 480)


@pytest.mark.parametrize(
    ("label", "size"),
    [
        ("Slide 16 : 9, full", "33.9 × 19.1 cm"),
        ("Slide 4 : 3, half", "12.7 × 19.1 cm"),
        ("LaTeX, one of two columns", "8.6 × "),
        ("LaTeX, both columns", "17.8 × "),
    ],
)
def test_a_size_can_be_named(bench: Bench, qtbot: QtBot, label: str, size: str) -> None:
    dialog = bench.open(Seen(path=WEIGHTS))
    choose(dialog, "figure-size", label)
    qtbot.waitUntil(lambda: extent(dialog).startswith(size))


def test_the_matrix_with_the_focus_is_framed_at_the_selected_cell(bench: Bench) -> None:
    bench.document.cursor.select(Cell(WEIGHTS, 3, 0))
    dialog = bench.open(Seen(path=WEIGHTS))
    assert child(dialog, QComboBox, "figure-what").currentText() == "This matrix: weights A, head 1"
    assert (dialog.spec.what, dialog.spec.head, dialog.spec.highlight) == ("weights", 0, (3, 0))
    choose(dialog, "figure-highlight", "Its row")
    assert dialog.spec.highlight == (3, None)
    choose(dialog, "figure-highlight", "Nothing")
    assert dialog.spec.highlight is None


def test_the_selected_number_is_explained(bench: Bench, qtbot: QtBot) -> None:
    bench.document.cursor.select(Cell("layers.0.scores.0", 2, 1))
    dialog = bench.open()
    choose(dialog, "figure-what", "How the selected number is made")
    spec = dialog.spec
    assert (spec.what, spec.stage, spec.row, spec.column) == ("explain", "scores", 2, 1)
    figure = dialog.pane.preview.figure
    qtbot.waitUntil(lambda: dialog.pane.preview.figure is not figure)
    shown = dialog.pane.preview.figure
    assert shown is not None and "[because, street] = 0.3" in shown.title


@pytest.mark.parametrize("workspace", ["pipeline", "heads", "scaling", "geometry"])
def test_each_workspace_begins_with_its_own_figure(bench: Bench, workspace: str) -> None:
    assert bench.open(Seen(workspace, stage="scaled", axes=(0, 1))).spec.what == workspace


def test_every_subject_has_a_preview_in_every_format_that_is_offered(qtbot: QtBot, tmp_path: Path) -> None:
    bench = Bench(qtbot, tmp_path, "multi-head")
    bench.document.comparison.keep(load_example("multi-head"), "before")
    dialog = bench.open()
    box = child(dialog, QComboBox, "figure-what")
    for index in range(box.count()):
        box.setCurrentIndex(index)
        for form in ("png", "pdf", "pptx"):
            if child(dialog, QAbstractButton, form).isEnabled():
                click(dialog, form)
                dialog.pane._show()
                assert dialog.pane.preview.figure is not None, (box.currentText(), form, dialog.error.text())
    bench.close()


def test_a_comparison_is_offered_once_there_is_an_a_and_written_with_both(bench: Bench) -> None:
    before = bench.document.experiment
    assert child(bench.open(), QComboBox, "figure-what").findData("compare") < 0
    bench.document.comparison.keep(before, "before")
    bench.document.set_cell("embedding.E", 0, 0, 3.0)
    dialog = bench.open()
    dialog.choose_subject("compare")
    click(dialog, "svg")
    assert not child(dialog, QAbstractButton, "gif").isEnabled()
    text = bench.written(dialog).read_text(encoding="utf-8")
    assert "B − A" in text


def test_a_walkthrough_is_a_deck_of_the_chosen_stages(bench: Bench, qtbot: QtBot) -> None:
    dialog = bench.open()
    dialog.choose_subject("walkthrough")
    assert dialog.choices.form == "pptx" and not child(dialog, QAbstractButton, "png").isEnabled()
    qtbot.waitUntil(lambda: "pages of 33.9" in extent(dialog))
    menu = child(dialog, QPushButton, "figure-pages").menu()
    for action in menu.actions():
        if action.text() not in ("The pipeline", "Attention weights"):
            action.trigger()
    qtbot.waitUntil(lambda: extent(dialog).startswith("2 pages"))
    child(dialog, QAbstractSpinBox, "figure-place").stepUp()
    qtbot.waitUntil(lambda: "weights" in getattr(dialog.pane.preview.figure, "title", ""))
    deck = Presentation(str(bench.written(dialog)))
    assert len(deck.slides) == 2


def test_an_animation_says_its_size_and_its_pictures_can_be_looked_at(bench: Bench, qtbot: QtBot) -> None:
    dialog = bench.open(Seen(path=WEIGHTS))
    click(dialog, "webp")
    choose(dialog, "figure-sweep", "Row by row")
    label = child(dialog, QLabel, "figure-animation")
    qtbot.waitUntil(lambda: label.text().startswith("5 pictures of "))
    assert "up to 200 pictures and 130 million pixels are possible" in label.text()
    child(dialog, QAbstractSpinBox, "figure-place").stepUp()
    assert not child(dialog, QAbstractButton, "figure-carry").isEnabled()
    type_into(dialog, "figure-seconds", "2")
    loops = child(dialog, QAbstractSpinBox, "figure-loops")
    loops.stepUp()
    picture: Any = Image.open(io.BytesIO(bench.written(dialog).read_bytes()))
    assert (picture.n_frames, picture.info["loop"]) == (5, 1)


def test_a_long_export_leaves_the_window_alive_and_can_be_stopped(bench: Bench, qtbot: QtBot) -> None:
    dialog = bench.open(Seen(path=WEIGHTS))
    click(dialog, "gif")
    dialog.choices_form.animation_dpi.setValue(300)
    beats: list[int] = []
    pulse = QTimer()
    pulse.timeout.connect(lambda: beats.append(1))
    pulse.start(10)
    child(dialog, QAbstractButton, "gif").setFocus()
    with qtbot.waitSignal(dialog.exporter.progressed, timeout=60_000):
        QTest.keyClick(child(dialog, QAbstractButton, "gif"), Qt.Key.Key_Return)
    assert len(beats) > 5
    assert child(dialog, QPushButton, "figure-cancel").text() == "Stop"
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    pulse.stop()
    assert dialog.isVisible() and not dialog.exporter.running
    assert extent(dialog) == "Stopped: nothing was written."
    assert list(bench.folder.iterdir()) == []
    click(dialog, "png")
    assert bench.written(dialog).is_file()


def test_a_file_is_never_replaced_without_a_question(bench: Bench) -> None:
    old = bench.folder / "mine.png"
    old.write_bytes(b"old")
    dialog = bench.open()
    type_into(dialog, "figure-file", str(old))
    with answering(button("Cancel")) as asked:
        QTest.keyClick(dialog, Qt.Key.Key_Return)
    assert asked == ["Replace “mine.png”?"]
    assert old.read_bytes() == b"old" and dialog.isVisible()
    with answering(button("Replace")):
        bench.written(dialog)
    assert old.read_bytes().startswith(b"\x89PNG")


def test_the_name_that_is_offered_is_free(bench: Bench) -> None:
    first = bench.written(bench.open())
    assert bench.written(bench.open()) == first.with_name("animal-pipeline-head-1-2.png")


def test_the_ending_of_a_name_says_the_format_and_a_missing_one_is_added(bench: Bench) -> None:
    dialog = bench.open()
    type_into(dialog, "figure-file", "slides.svg")
    assert dialog.choices.form == "svg"
    click(dialog, "pdf")
    assert child(dialog, QLineEdit, "figure-file").text() == "slides.pdf"
    type_into(dialog, "figure-file", "slides")
    assert bench.written(dialog) == bench.folder / "slides.pdf"


def test_what_cannot_be_written_is_said_in_the_dialog(bench: Bench, qtbot: QtBot) -> None:
    dialog = bench.open()
    type_into(dialog, "figure-file", str(bench.folder / "nowhere" / "a.png"))
    with qtbot.waitSignal(dialog.exporter.failed, timeout=60_000):
        QTest.keyClick(dialog, Qt.Key.Key_Return)
    assert error(dialog) == "a.png: not saved: the folder does not exist."
    assert dialog.isVisible()
    type_into(dialog, "figure-file", " ")
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    assert error(dialog) == "Name the file that the figure is to be written to."
    assert list(bench.folder.iterdir()) == []


@pytest.mark.parametrize("name", ["0.25 " * 400, "~nobody-of-that-name/figure.svg", "a\0b.svg"])
def test_a_name_that_no_file_can_have_is_said_in_the_dialog(bench: Bench, qtbot: QtBot, name: str) -> None:
    dialog = bench.open()
    child(dialog, QLineEdit, "figure-file").setText(name)
    with qtbot.waitSignal(dialog.exporter.failed, timeout=60_000):
        dialog.export()
    assert "not saved: " in error(dialog)
    assert list(bench.folder.iterdir()) == []


def test_an_absurd_size_is_refused_in_a_sentence_and_nothing_is_written(bench: Bench, qtbot: QtBot) -> None:
    dialog = bench.open(Seen(path=WEIGHTS))
    choose(dialog, "figure-size", "Another size, in pixels")
    type_into(dialog, "figure-width", "100000")
    type_into(dialog, "figure-height", "100000")
    qtbot.waitUntil(lambda: error(dialog) != "")
    assert error(dialog) == "The width is 846.667 cm, but 0.5 to 500 cm was expected."
    with qtbot.waitSignal(dialog.exporter.failed, timeout=60_000):
        QTest.keyClick(dialog, Qt.Key.Key_Return)
    assert error(dialog) == "The width is 846.667 cm, but 0.5 to 500 cm was expected."
    type_into(dialog, "figure-width", "12x")
    assert child(dialog, QLineEdit, "figure-width").property("bad")
    assert list(bench.folder.iterdir()) == []


def test_the_last_choices_come_back_and_title_and_caption_do_not(bench: Bench) -> None:
    dialog = bench.open()
    for name in ("svg", "dark", "figure-transparent", "figure-labels"):
        click(dialog, name)
    type_into(dialog, "figure-title", "Once")
    bench.written(dialog)
    again = bench.open()
    choices = again.choices
    assert (choices.form, choices.theme, choices.transparent, choices.labels) == ("svg", "dark", True, False)
    assert again.spec.title is None
    assert bench.memory.figure_folder == bench.folder


def test_choices_are_saved_taken_and_removed_by_name(bench: Bench) -> None:
    dialog = bench.open()
    click(dialog, "dark")
    click(dialog, "figure-preset-save")
    QTest.keyClicks(child(dialog, QLineEdit, "figure-preset-name"), "Lecture")
    QTest.keyClick(child(dialog, QLineEdit, "figure-preset-name"), Qt.Key.Key_Return)
    assert not dialog.exporter.running
    click(dialog, "light")
    box = child(dialog, QComboBox, "figure-preset")
    assert box.currentText() == "Last used"
    choose(dialog, "figure-preset", "Lecture")
    assert dialog.choices.theme == "dark"
    click(dialog, "figure-preset-remove")
    assert bench.memory.figure_presets == {} and box.count() == 1


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "7", '{"form": "exe", "dpi": "300", "theme": 3}', '{"dpi": 1e400, "width": true}', "[" * 100_000],
)
def test_damaged_choices_count_as_not_made(text: str) -> None:
    assert from_text(text) == Choices()


def test_choices_are_the_same_after_they_were_kept() -> None:
    choices = Choices("gif", "px", 640, None, 96, 72, 8.5, "dark", True, False, 4, False, True, False, True, 0.5, "4:3")
    assert from_text(as_text(choices)) == choices


def test_a_copy_is_an_image_and_an_svg(bench: Bench) -> None:
    dialog = bench.open(Seen(path=WEIGHTS))
    dialog.choices_form.dpi.setValue(100)
    click(dialog, "figure-copy")
    data = QGuiApplication.clipboard().mimeData()
    image = QGuiApplication.clipboard().image()
    wanted = dialog.pane.figure(dialog.spec, dialog.choices.export).figure
    assert image.width() == round(wanted.points[0] / 72 * 100)
    svg = bytes(data.data("image/svg+xml").data())
    assert svg.startswith(b"<?xml") and b"attnexplorer-experiment" not in svg
    assert extent(dialog) == "Copied, as an image and as SVG."


def test_a_switch_says_how_large_the_experiment_is_and_leaves_it_out(bench: Bench, qtbot: QtBot) -> None:
    dialog = bench.open()
    switch = child(dialog, QAbstractButton, "figure-carry")
    qtbot.waitUntil(lambda: "(" in switch.text())
    assert switch.text().endswith("bytes)") and switch.isEnabled()
    click(dialog, "figure-carry")
    assert extract(bench.written(dialog)) is None


def test_everything_can_be_reached_by_keyboard_and_has_a_name(bench: Bench) -> None:
    dialog = bench.open(Seen("heads"))
    kinds = (QAbstractButton, QComboBox, QAbstractSpinBox, QLineEdit)
    for widget in [it for kind in kinds for it in dialog.findChildren(kind)]:
        inner = widget.objectName().startswith("qt_") or isinstance(widget.parentWidget(), QAbstractSpinBox)
        if inner or isinstance(widget.parentWidget(), QComboBox):
            continue
        named = widget.accessibleName() or (isinstance(widget, QAbstractButton) and widget.text())
        assert named, widget.objectName()
        assert widget.toolTip() or widget.accessibleName(), widget.objectName()
        group = widget.group() if isinstance(widget, QAbstractButton) else None
        # Of buttons of which one is chosen Tab comes to that one, and arrow keys go to the others.
        by_arrows = group is not None and group.exclusive() and group.checkedButton() is not widget
        assert by_arrows or widget.focusPolicy() & Qt.FocusPolicy.TabFocus, widget.objectName()


def test_it_fits_a_small_window(bench: Bench, qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(1024, 700)
    dialog = bench.open()
    dialog.setParent(window, Qt.WindowType.Dialog)
    assert dialog.sizeHint().width() <= 1024 and dialog.sizeHint().height() <= 700
    assert dialog.minimumSizeHint().width() <= 1000 and dialog.minimumSizeHint().height() <= 660
    dialog.setParent(None)
