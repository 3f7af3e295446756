"""A figure that carries its experiment is opened like a file, as an untitled copy; one that carries none is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from real_windows import trigger

from attnexplorer.app import file_dialogs
from attnexplorer.app.launch import _loaded
from attnexplorer.app.main_window import MainWindow
from attnexplorer.app.opening import load_any
from attnexplorer.app.windows import Windows
from attnexplorer.document.storage import load_copy_of_example
from attnexplorer.experiment.comparison import identical
from attnexplorer.experiment.errors import FileError
from attnexplorer.experiment.examples import load_example
from attnexplorer.figures.export import Export, write_figure
from attnexplorer.figures.spec import FigureSpec

FORMS = ("png", "svg", "pdf", "pptx")


@pytest.fixture
def window(windows: Windows) -> MainWindow:
    return windows.show_new(load_copy_of_example("animal-street"))


def figure(folder: Path, form: str, carry: int = 5_000_000) -> Path:
    path = folder / f"figure.{form}"
    write_figure(path, FigureSpec("weights", dpi=50), load_example("tired"), Export(form, carry))  # type: ignore[arg-type]
    return path


def drop(window: MainWindow, path: Path) -> bool:
    """Drop a file as another program does; False if it is not taken."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    place, buttons, keys = QPointF(200, 200), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(place.toPoint(), Qt.DropAction.CopyAction, data, buttons, keys)
    enter.ignore()
    QApplication.sendEvent(window, enter)
    if enter.isAccepted():
        QApplication.sendEvent(window, QDropEvent(place, Qt.DropAction.CopyAction, data, buttons, keys))
    return enter.isAccepted()


@pytest.mark.parametrize("form", FORMS)
def test_opening_a_figure_brings_its_experiment_back(
    form: str, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = figure(tmp_path, form)
    monkeypatch.setattr(file_dialogs, "ask_for_file_to_open", lambda parent, folder: path)
    trigger(window, "file_open")
    assert identical(window.document.experiment, load_example("tired"))
    assert window.storage.path is None and not window.storage.modified
    assert window.windowTitle().startswith("Untitled")


@pytest.mark.parametrize("form", FORMS)
def test_a_dropped_figure_brings_its_experiment_back(
    form: str, window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    assert drop(window, figure(tmp_path, form))
    qtbot.waitUntil(lambda: identical(window.document.experiment, load_example("tired")))


def test_nothing_open_is_lost(window: MainWindow, windows: Windows, tmp_path: Path) -> None:
    window.document.set_cell("embedding.E", 0, 0, 7.0)
    windows.open_file(figure(tmp_path, "png"))
    assert len(windows.open) == 2
    assert window.document.present_value("embedding.E", 0, 0) == 7.0


def test_saving_never_replaces_the_figure(window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = figure(tmp_path, "png")
    before = path.read_bytes()
    windows_file = tmp_path / "saved.attn"
    monkeypatch.setattr(file_dialogs, "ask_for_file_to_save", lambda parent, suggestion: windows_file)
    monkeypatch.setattr(file_dialogs, "ask_for_file_to_open", lambda parent, folder: path)
    trigger(window, "file_open")
    trigger(window, "file_save")
    assert windows_file.is_file() and path.read_bytes() == before


@pytest.mark.parametrize("form", FORMS)
def test_a_figure_without_an_experiment_is_refused_in_a_sentence(
    form: str, window: MainWindow, windows: Windows, tmp_path: Path
) -> None:
    before = window.document.experiment
    windows.open_file(figure(tmp_path, form, carry=0))
    assert window.messages.texts == (f"figure.{form}: this figure carries no experiment.",)
    assert window.document.experiment is before


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "figure.png: this figure carries no experiment"),
        (b"\x89PNG\r\n\x1a\n" + b"\xff" * 40, "figure.png: this figure carries no experiment"),
        (None, "figure.png: the experiment in the figure is damaged"),
    ],
)
def test_a_damaged_figure_is_refused_in_a_sentence(content: bytes | None, sentence: str, tmp_path: Path) -> None:
    path = figure(tmp_path, "png")
    if content is None:
        whole = path.read_bytes()
        start = whole.index(b"attnexplorer-experiment-1[") + 40
        content = whole[:start] + b"AAAA" + whole[start + 4 :]
    path.write_bytes(content)
    with pytest.raises(FileError) as refusal:
        load_any(path)
    assert str(refusal.value) == sentence


def test_a_figure_that_is_not_there_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"^nothing\.svg: there is no such file$"):
        load_any(tmp_path / "nothing.svg")


def test_the_command_line_opens_a_figure_too(tmp_path: Path, qapp: QApplication) -> None:
    loaded = _loaded(str(figure(tmp_path, "svg")))
    assert loaded.path is None and identical(loaded.experiment, load_example("tired"))


def test_a_picture_of_another_kind_is_not_taken(window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "photo.jpg"
    path.write_bytes(b"\xff\xd8")
    assert not drop(window, path)


def test_a_figure_can_be_compared_with(window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = figure(tmp_path, "pdf")
    monkeypatch.setattr(file_dialogs, "ask_for_file_to_open", lambda parent, folder: path)
    trigger(window, "compare_file")
    kept = window.document.comparison.experiment
    assert kept is not None and identical(kept, load_example("tired"))
