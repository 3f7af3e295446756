"""Random events for the monkey: each is drawn from the seed and its number alone, and sent as a system sends it."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import (
    QAction,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QGuiApplication,
    QInputMethodEvent,
    QKeySequence,
    QWindow,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QAbstractSlider, QApplication, QMenu, QWidget

from attnexplorer.app.main_window import MainWindow
from attnexplorer.views.matrix_table import MatrixTable
from attnexplorer.views.sight import is_in_sight, sight_of

Key = Qt.Key
Keys = Qt.KeyboardModifier
Button = Qt.MouseButton

TEXTS = (
    *("1", "-2.5", "0", "1/3", "sqrt(2)", "1e308", "-1e308", "1e-320", "2**10", "nan", "inf", "-inf", "(((", "1,5"),
    *("the", "cat", "É", "你好", "שלום", "👩‍👩‍👧", "a" * 60, " ", "__import__('os')", "0x", "9" * 40, "pi", "--1"),
)
CLIPS = (
    *("1\t2\n3\t4\n", "0.5", "x\ty\r\n1\t2\r\n", "", "1;2\n3;4", "[[1, 2], [3, 4]]", "nan\tinf", "1,5;2,5"),
    *("\n".join("\t".join("0.25" for _ in range(12)) for _ in range(12)), "\x00", "the cat sat", "1\t2\n3"),
)
PLAIN_KEYS = (
    *(Key.Key_Return, Key.Key_Enter, Key.Key_Escape, Key.Key_Tab, Key.Key_Backtab, Key.Key_F2, Key.Key_F6),
    *(Key.Key_Delete, Key.Key_Backspace, Key.Key_Space, Key.Key_Home, Key.Key_End, Key.Key_PageUp, Key.Key_PageDown),
    *(Key.Key_Left, Key.Key_Right, Key.Key_Up, Key.Key_Down, Key.Key_Menu, Key.Key_Plus, Key.Key_Minus, Key.Key_F1),
    *(Key.Key_A, Key.Key_E, Key.Key_M, Key.Key_S, Key.Key_1, Key.Key_5, Key.Key_Period, Key.Key_Comma, Key.Key_F10),
)
SHORTCUTS = (
    *("Ctrl+Z", "Ctrl+Z", "Ctrl+Y", "Ctrl+Shift+Z", "Ctrl+C", "Ctrl+X", "Ctrl+V", "Ctrl+A", "Ctrl+D", "Ctrl+R"),
    *("Ctrl+S", "Ctrl+Shift+S", "Ctrl+N", "Ctrl+O", "Ctrl+W", "Ctrl++", "Ctrl+-", "Ctrl+0", "F11", "Ctrl+Shift+I"),
    *("Ctrl+Shift+E", "Alt+1", "Alt+2", "Alt+3", "Alt+4", "Alt+5", "Alt+6", "Ctrl+Shift+N", "Ctrl+Home", "Ctrl+End"),
)
MODIFIERS = (*[Keys.NoModifier] * 7, Keys.ShiftModifier, Keys.ControlModifier, Keys.AltModifier)


class Events:
    """Draws and sends events; `folder` holds files that are dropped and chosen."""

    def __init__(self, seed: int, files: Sequence[Path]) -> None:
        self._seed, self._files = seed, list(files)
        self._random = random.Random(seed)
        self._kinds: dict[str, tuple[int, Callable[[QWidget], None]]] = {
            "click": (22, self._click),
            "double click": (4, self._double_click),
            "right click": (4, self._right_click),
            "drag": (10, self._drag),
            "wheel": (8, self._wheel),
            "hover": (4, self._hover),
            "key": (16, self._key),
            "type": (8, self._type),
            "edit a cell": (8, self._edit_cell),
            "shortcut": (8, self._shortcut),
            "paste": (3, self._paste),
            "menu entry": (5, self._menu_entry),
            "drop": (2, self._drop),
            "resize": (2, self._resize),
            "theme": (1, self._theme),
            "workspace": (3, self._workspace),
            "undo storm": (1, self._undo_storm),
            "new selection": (3, self._click_table),
        }

    def draw(self, number: int) -> str:
        """Return the kind of the event with this number, and have its dice ready."""
        self._random = random.Random(f"{self._seed}:{number}")
        names = list(self._kinds)
        return self._random.choices(names, [self._kinds[name][0] for name in names])[0]

    def chance(self) -> float:
        """Return the next throw for the present event, from 0 to 1."""
        return self._random.random()

    def file(self) -> Path:
        """Return one of the files."""
        return self._random.choice(self._files)

    def send(self, kind: str, window: QWidget) -> None:
        """Send an event of a kind to a window, or to what lies over it."""
        self._kinds[kind][1](window)

    def _target(self, window: QWidget) -> tuple[QWindow, QPoint] | None:
        """Return a place: half the time anywhere, else within one of the visible widgets that take input."""
        handle: QWindow | None = window.windowHandle()
        if handle is None:
            return None
        if self.chance() < 0.4:
            return handle, self._within(window, window)
        wanted = [it for it in window.findChildren(QWidget) if _takes_input(it)]
        return handle, self._within(self._random.choice(wanted), window) if wanted else self._within(window, window)

    def _within(self, widget: QWidget, window: QWidget) -> QPoint:
        """Return a place in what can be seen of a widget, in the window's coordinates."""
        seen = sight_of(widget)
        x = seen.left() + self._random.randrange(max(1, seen.width()))
        y = seen.top() + self._random.randrange(max(1, seen.height()))
        return _inside(window, widget.mapTo(window, QPoint(x, y)) if widget is not window else QPoint(x, y))

    def _click(self, window: QWidget) -> None:
        self._press_at(self._target(window), Button.LeftButton)

    def _right_click(self, window: QWidget) -> None:
        self._press_at(self._target(window), Button.RightButton)

    def _press_at(self, place: tuple[QWindow, QPoint] | None, button: Qt.MouseButton) -> None:
        if place is not None:
            _press_button(place[0], button, self._random.choice(MODIFIERS), place[1])

    def _double_click(self, window: QWidget) -> None:
        place = self._target(window)
        if place is not None:
            _press_button(place[0], Button.LeftButton, Keys.NoModifier, place[1])
            if _is_there(place[0]):
                QTest.mouseDClick(place[0], Button.LeftButton, Keys.NoModifier, place[1])

    def _drag(self, window: QWidget) -> None:
        start = self._target(window)
        if start is None:
            return
        handle, place = start
        modifiers = self._random.choice(MODIFIERS)
        QTest.mousePress(handle, Button.LeftButton, modifiers, place)
        for _ in range(self._random.randrange(2, 8)):
            if not _is_there(handle):
                return
            place = _inside(window, place + QPoint(self._random.randrange(-60, 61), self._random.randrange(-40, 41)))
            QTest.mouseMove(handle, place)
        if self.chance() < 0.1 and _is_there(handle):
            _press_key(handle, Key.Key_Escape)
        if _is_there(handle):
            QTest.mouseRelease(handle, Button.LeftButton, modifiers, place)

    def _wheel(self, window: QWidget) -> None:
        place = self._target(window)
        if place is not None:
            turns = QPoint(0, self._random.choice((-360, -120, -15, 15, 120, 360)))
            for _ in range(self._random.randrange(1, 5)):
                if _is_there(place[0]):
                    QTest.wheelEvent(place[0], QPointF(place[1]), turns, QPoint(), self._random.choice(MODIFIERS))

    def _hover(self, window: QWidget) -> None:
        for _ in range(4):
            place = self._target(window) if _lives(window) else None
            if place is not None:
                QTest.mouseMove(*place)

    def _key(self, window: QWidget) -> None:
        handle = window.windowHandle()
        for _ in range(self._random.randrange(1, 6)):
            if handle is not None and _is_there(handle):
                _press_key(handle, *self._plain_key())

    def _plain_key(self) -> tuple[int, Keys, str]:
        key, modifiers = self._random.choice(PLAIN_KEYS), self._random.choice(MODIFIERS)
        printable = key < 128 and modifiers in (Keys.NoModifier, Keys.ShiftModifier)
        return key, modifiers, chr(key).lower() if printable else ""

    def _type(self, window: QWidget) -> None:
        self._type_text(window, self._random.choice(TEXTS))
        handle = window.windowHandle() if _lives(window) else None
        if handle is not None:
            _press_key(handle, self._random.choice((Key.Key_Return, Key.Key_Tab, Key.Key_Escape, Key.Key_Down)))

    @staticmethod
    def _type_text(window: QWidget, text: str) -> None:
        """Type letter by letter, each to what has the focus then; what no key has comes from an input method."""
        for letter in text:
            handle, focus = (window.windowHandle() if _lives(window) else None), QApplication.focusWidget()
            if handle is None or focus is None or focus.window() is not window:
                return
            if letter.isascii() and letter.isprintable():
                shift = Keys.ShiftModifier if letter.isupper() else Keys.NoModifier
                _press_key(handle, ord(letter.upper()), shift, letter)
            else:
                committed = QInputMethodEvent()
                committed.setCommitString(letter)
                QApplication.sendEvent(focus, committed)

    def _edit_cell(self, window: QWidget) -> None:
        self._click_table(window)
        if _lives(window):
            self._type(window)

    def _click_table(self, window: QWidget) -> None:
        tables = [it for it in window.findChildren(MatrixTable) if is_in_sight(it.viewport())]
        handle = window.windowHandle()
        if tables and handle is not None:
            table = self._random.choice(tables)
            place = self._within(table.viewport(), window)
            _press_button(handle, Button.LeftButton, self._random.choice(MODIFIERS), place)

    def _shortcut(self, window: QWidget) -> None:
        handle = window.windowHandle()
        if handle is not None:
            _press_keys(handle, self._random.choice(SHORTCUTS))

    def _paste(self, window: QWidget) -> None:
        QGuiApplication.clipboard().setText(self._random.choice(CLIPS))
        self._click_table(window)
        handle = window.windowHandle() if _lives(window) else None
        if handle is not None:
            _press_keys(handle, "Ctrl+V")

    def _menu_entry(self, window: QWidget) -> None:
        if not isinstance(window, MainWindow):
            return
        menus = window.menuBar().findChildren(QMenu)
        menu = self._random.choice(menus)
        menu.aboutToShow.emit()
        entries = [it for it in menu.actions() if it.isEnabled() and it.menu() is None and not it.isSeparator()]
        if entries:
            entry: QAction = self._random.choice(entries)
            entry.trigger()

    def _drop(self, window: QWidget) -> None:
        place = self._target(window)
        if place is None:
            return
        handle, point = place
        data = self._dropped()
        actions, buttons = Qt.DropAction.CopyAction, Button.LeftButton
        present: QDragEnterEvent | QDragMoveEvent = QDragEnterEvent(point, actions, data, buttons, Keys.NoModifier)
        QApplication.sendEvent(handle, present)
        for _ in range(self._random.randrange(1, 4)):
            present = QDragMoveEvent(point, actions, data, buttons, Keys.NoModifier)
            QApplication.sendEvent(handle, present)
            point = _inside(window, point + QPoint(self._random.randrange(-20, 21), self._random.randrange(-20, 21)))
        if present.isAccepted() and self.chance() < 0.9:
            # A system drops only where the place said that it takes what is dragged.
            QApplication.sendEvent(
                handle, QDropEvent(QPointF(present.position()), actions, data, buttons, Keys.NoModifier)
            )
        else:
            QApplication.sendEvent(handle, QDragLeaveEvent())

    def _dropped(self) -> QMimeData:
        data = QMimeData()
        if self.chance() < 0.2:
            data.setText(self._random.choice(CLIPS))
        else:
            data.setUrls([QUrl.fromLocalFile(str(self.file())) for _ in range(self._random.choice((1, 1, 1, 2)))])
        return data

    def _resize(self, window: QWidget) -> None:
        if window.isWindow():
            window.resize(self._random.randrange(300, 1600), self._random.randrange(200, 1200))

    def _theme(self, window: QWidget) -> None:
        if isinstance(window, MainWindow):
            name = self._random.choice(("light", "dark", "system"))
            entry = window.findChild(QAction, f"view_theme_{name}")
            assert entry is not None
            entry.trigger()

    def _workspace(self, window: QWidget) -> None:
        if isinstance(window, MainWindow):
            tabs = [it for it in window.findChildren(QAbstractButton) if it.property("look") == "tab"]
            tab = self._random.choice(tabs) if tabs else None
            if tab is None:
                raise AssertionError("the tabs of the workspaces are gone")
            if tab.isVisible():
                _click_widget(tab)

    def _undo_storm(self, window: QWidget) -> None:
        if isinstance(window, MainWindow):
            for _ in range(self._random.randrange(5, 60)):
                (window.undo_action if self.chance() < 0.6 else window.redo_action).trigger()


def _lives(window: QWidget) -> bool:
    """Tell whether a window is still there; PySide does not always learn that Qt has deleted one."""
    return any(it is window for it in QApplication.topLevelWidgets())


def _is_there(handle: QWindow) -> bool:
    return any(it is handle for it in QGuiApplication.allWindows())


def _press_key(handle: QWindow, key: int, modifiers: Keys = Keys.NoModifier, text: str = "") -> None:
    """Press and release; what the press closes gets no release, as on a real screen.

    QTest's own keys also press and release the modifiers, in windows that the key itself has closed.
    """
    for pressed in (True, False):
        if _is_there(handle):
            QTest.simulateEvent(handle, pressed, key, modifiers, text, False)


def _press_keys(handle: QWindow, shortcut: str) -> None:
    keys = QKeySequence(shortcut)[0]  # type: ignore[index]
    _press_key(handle, keys.key(), keys.keyboardModifiers())


def _press_button(handle: QWindow, button: Qt.MouseButton, modifiers: Keys, place: QPoint) -> None:
    if not _is_there(handle):
        return
    QTest.mousePress(handle, button, modifiers, place)
    if _is_there(handle):
        QTest.mouseRelease(handle, button, modifiers, place)


def _click_widget(widget: QWidget) -> None:
    handle = widget.window().windowHandle()
    if handle is not None:
        _press_button(handle, Button.LeftButton, Keys.NoModifier, widget.mapTo(widget.window(), widget.rect().center()))


def _inside(window: QWidget, place: QPoint) -> QPoint:
    return QPoint(min(max(place.x(), 0), window.width() - 1), min(max(place.y(), 0), window.height() - 1))


def _takes_input(widget: QWidget) -> bool:
    if not is_in_sight(widget):
        return False
    return widget.focusPolicy() != Qt.FocusPolicy.NoFocus or isinstance(widget, QAbstractButton | QAbstractSlider)
