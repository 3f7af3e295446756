"""Keys for tests: each goes where a keyboard's goes, to the menu that is open or to the widget with the focus."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from attnexplorer.app.main_window import MainWindow
from attnexplorer.views.geometry.plane_view import PlaneView
from attnexplorer.views.matrix_table import MatrixTable

Key, Modifier = Qt.Key, Qt.KeyboardModifier
CONTROL, SHIFT, ALT, NONE = Modifier.ControlModifier, Modifier.ShiftModifier, Modifier.AltModifier, Modifier.NoModifier
_MOST = 400


def focused() -> QWidget:
    """Return the widget with the focus."""
    widget = QApplication.focusWidget()
    assert widget is not None, "nothing has the focus"
    return widget


def press(*keys: Qt.Key, modifiers: Qt.KeyboardModifier = NONE) -> None:
    """Press keys one after the other, all with the same modifiers."""
    for key in keys:
        _wait_for_the_keyboard()
        target = QApplication.activePopupWidget() or QApplication.focusWidget() or QApplication.activeWindow()
        assert target is not None
        QTest.keyClick(target, key, modifiers)
        QApplication.processEvents()


def _wait_for_the_keyboard() -> None:
    """Wait until a menu or a window has it: when a menu or a window closes, the display passes it on a moment later."""
    QGuiApplication.sync()
    for _ in range(_MOST):
        if QApplication.activePopupWidget() is not None or QApplication.activeWindow() is not None:
            return
        QTest.qWait(10)


def write(text: str) -> None:
    """Type a text; each key goes to what has the focus by then."""
    for character in text:
        QTest.keyClicks(focused(), character)


def leave(*, forward: bool = True) -> None:
    """Go to the next stop of Tab, out of what has a use for Tab itself by F6."""
    keeps_tab = isinstance(focused(), MatrixTable | PlaneView)
    shift = NONE if forward else SHIFT
    if keeps_tab:
        press(Key.Key_F6, modifiers=shift)
    else:
        press(Key.Key_Tab if forward else Key.Key_Backtab, modifiers=shift)


def go_to(found: Callable[[QWidget], bool], *, forward: bool = True) -> QWidget:
    """Go on by Tab until a widget is found; fail if it never comes."""
    for _ in range(_MOST):
        if found(focused()):
            return focused()
        leave(forward=forward)
    raise AssertionError("Tab never came to it")


def go_to_name(name: str, *, forward: bool = True) -> QWidget:
    """Go on by Tab to a widget with an object name."""
    return go_to(lambda widget: widget.objectName() == name, forward=forward)


def go_to_choice(name: str) -> QWidget:
    """Go on by Tab to the chosen one of the buttons of a choice."""

    def is_one(widget: QWidget) -> bool:
        parent = widget.parentWidget()
        return parent is not None and parent.objectName() == name

    return go_to(is_one)


def go_to_table(path: str) -> MatrixTable:
    """Go on by Tab to the table of a matrix."""
    table = go_to(lambda widget: isinstance(widget, MatrixTable) and widget.path == path)
    assert isinstance(table, MatrixTable)
    return table


def confirm(window: MainWindow) -> None:
    """Accept what an edit asks about before it is made, by keys; nothing if it asks nothing."""
    QApplication.processEvents()
    asked = [widget for widget in window.findChildren(QWidget, "accept") if widget.isVisible()]
    if asked:
        go_to(lambda widget: widget is asked[0])
        press(Key.Key_Return)


def choose_by_letters(window: MainWindow, letters: str) -> None:
    """Open a menu by Alt and its letter, then press the letters of its entries: "vt" is View, then Theme."""
    assert QTest.qWaitForWindowActive(window)
    QGuiApplication.sync()
    QTest.keyClick(window, getattr(Key, f"Key_{letters[0].upper()}"), ALT)
    QApplication.processEvents()
    assert isinstance(QApplication.activePopupWidget(), QMenu), f"no menu opened by Alt+{letters[0]}"
    press(*(getattr(Key, f"Key_{letter.upper()}") for letter in letters[1:]))


def choose_entry(text: str) -> None:
    """Go down the open menu by arrow keys to an entry, and press Return."""
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    texts = [action.text().replace("&", "") for action in menu.actions()]
    assert text in texts, texts
    for _ in range(len(texts) + 1):
        active = menu.activeAction()
        if active is not None and active.text().replace("&", "") == text:
            press(Key.Key_Return)
            return
        press(Key.Key_Down)
    raise AssertionError(f"arrow keys never came to {text}")


@contextlib.contextmanager
def in_the_menu(answer: Callable[[], None]) -> Iterator[None]:
    """Do something with the next menu that opens and holds the program up until it closes."""
    done: list[bool] = []
    timer = QTimer()

    def on_timeout() -> None:
        if isinstance(QApplication.activePopupWidget(), QMenu) and not done:
            done.append(True)
            answer()

    timer.timeout.connect(on_timeout)
    timer.start(10)
    yield
    timer.stop()
    assert done, "no menu opened"
