"""The menus Edit, View and Help."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

from attnexplorer.app.document_window import DocumentWindow
from attnexplorer.app.main_window import MainWindow
from attnexplorer.app.settings import Settings
from attnexplorer.figures.theme import ThemeName

TEXT_STEP = 1.1

_EDITS: tuple[tuple[str, str, QKeySequence.StandardKey, tuple[str, ...]], ...] = (
    ("Cu&t", "cut", QKeySequence.StandardKey.Cut, ("cut_selection", "cut")),
    ("&Copy", "copy", QKeySequence.StandardKey.Copy, ("copy_selection", "copy")),
    ("&Paste", "paste", QKeySequence.StandardKey.Paste, ("paste",)),
    ("C&lear", "clear", QKeySequence.StandardKey.Delete, ("clear_selection", "clear")),
    ("&Select All", "select_all", QKeySequence.StandardKey.SelectAll, ("select_all", "selectAll")),
)
_TEXTS = QLineEdit | QPlainTextEdit | QTextEdit
_THEMES: tuple[tuple[str, ThemeName | None], ...] = (("Like the &System", None), ("&Light", "light"), ("&Dark", "dark"))


def add_action(
    menu: QMenu,
    name: str,
    text: str,
    triggered: Callable[[], object],
    keys: QKeySequence | QKeySequence.StandardKey | str | None = None,
) -> QAction:
    """Add an action to a menu; `name` is its object name."""
    action = QAction(text, menu)
    action.setObjectName(name)
    if isinstance(keys, QKeySequence.StandardKey):
        action.setShortcuts(keys)
    elif keys is not None:
        action.setShortcut(keys)
    action.triggered.connect(lambda: triggered())
    menu.addAction(action)
    return action


def build_edit_menu(window: MainWindow) -> None:
    """Add the menu Edit: undo, redo, and what goes to the widget with the focus."""
    menu = window.menuBar().addMenu("&Edit")
    menu.addActions([window.undo_action, window.redo_action])
    menu.addSeparator()
    add_edits(menu, tuple(name for _, name, _, _ in _EDITS))


def add_edits(menu: QMenu, names: Sequence[str]) -> None:
    """Add entries that go to the widget with the focus: cut, copy, paste, clear, select_all."""
    for text, name, keys, methods in _EDITS:
        if name not in names:
            continue
        action = add_action(menu, f"edit_{name}", text, partial(_call_focused, methods), keys)
        if name == "clear":
            # Tokens and tables have their own Del; here the key is only shown.
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)


def build_view_menu(window: MainWindow, settings: Settings) -> QMenu:
    """Add the menu View, and return it: workspaces, docks, theme, size of type, full screen."""
    menu = window.menuBar().addMenu("&View")
    first = menu.addSeparator()
    _add_workspaces(menu, window, first)
    window.workspaces_changed.connect(lambda: _add_workspaces(menu, window, first))
    for dock, keys in ((window.input_dock, "Ctrl+Shift+I"), (window.explain_dock, "Ctrl+Shift+E")):
        toggle = dock.toggleViewAction()
        toggle.setShortcut(keys)
        toggle.setToolTip(f"Show or hide the panel {dock.windowTitle()}")
        menu.addAction(toggle)
    add_action(menu, "view_reset_layout", "&Reset Layout", window.reset_layout)
    add_looks(menu, window, settings)
    return menu


def add_looks(menu: QMenu, window: DocumentWindow, settings: Settings) -> None:
    """Add what every window's menu View has: the way through its parts, theme, size of type, full screen."""
    _add_parts(menu, window)
    menu.addSeparator()
    _add_themes(menu.addMenu("&Theme"), window, settings)
    _add_text_sizes(menu, window, settings)
    menu.addSeparator()
    _add_full_screen(menu, window)


def build_help_menu(window: DocumentWindow) -> None:
    """Add the menu Help."""
    menu = window.menuBar().addMenu("&Help")
    add_action(menu, "help_shortcuts", "&Keyboard Shortcuts", lambda: _show_shortcuts(window), "F1")
    add_action(menu, "help_about", "&About Attention Explorer", lambda: _show_about(window))


def _add_workspaces(menu: QMenu, window: MainWindow, before: QAction) -> None:
    known = {action.objectName() for action in menu.actions()}
    for number, (name, workspace) in enumerate(window.workspaces.items(), start=1):
        if f"view_workspace_{name}" not in known:
            keys = f"Alt+{number}" if number < 10 else None
            show = partial(window.show_workspace, name)
            menu.insertAction(before, add_action(menu, f"view_workspace_{name}", workspace.title, show, keys))


def _add_parts(menu: QMenu, window: DocumentWindow) -> None:
    def go(forward: bool) -> None:
        window.parts.go_to_next_part(forward=forward)

    add_action(menu, "view_next_part", "Ne&xt Part of the Window", partial(go, True), "Ctrl+F6")
    add_action(menu, "view_previous_part", "Pre&vious Part of the Window", partial(go, False), "Ctrl+Shift+F6")


def _add_themes(menu: QMenu, window: DocumentWindow, settings: Settings) -> None:
    appearance, group = window.appearance, QActionGroup(menu)

    def choose(name: ThemeName | None) -> None:
        settings.theme = name
        appearance.choose_theme(name)

    for text, name in _THEMES:
        action = add_action(menu, f"view_theme_{name or 'system'}", text, partial(choose, name))
        action.setCheckable(True)
        group.addAction(action)

    def mark_chosen() -> None:
        for action, (_, name) in zip(menu.actions(), _THEMES, strict=True):
            action.setChecked(appearance.chosen_theme == name)

    menu.aboutToShow.connect(mark_chosen)
    mark_chosen()


def _add_text_sizes(menu: QMenu, window: DocumentWindow, settings: Settings) -> None:
    appearance = window.appearance

    def scale(wanted: float) -> None:
        appearance.set_text_scale(wanted)
        settings.text_scale = appearance.text_scale

    larger = add_action(menu, "view_larger", "&Larger Type", lambda: scale(appearance.text_scale * TEXT_STEP))
    larger.setShortcuts([QKeySequence("Ctrl++"), QKeySequence("Ctrl+=")])
    add_action(menu, "view_smaller", "&Smaller Type", lambda: scale(appearance.text_scale / TEXT_STEP), "Ctrl+-")
    add_action(menu, "view_normal", "&Normal Type", lambda: scale(1.0), "Ctrl+0")


def _add_full_screen(menu: QMenu, window: DocumentWindow) -> None:
    def toggle() -> None:
        window.setWindowState(window.windowState() ^ Qt.WindowState.WindowFullScreen)

    action = add_action(menu, "view_full_screen", "&Full Screen", toggle, "F11")
    action.setCheckable(True)
    menu.aboutToShow.connect(lambda: action.setChecked(window.isFullScreen()))


def _call_focused(methods: tuple[str, ...]) -> None:
    """Call the first of the methods that the widget with the focus, or one around it, has and means like the menu."""
    widget: QWidget | None = QApplication.focusWidget()
    while widget is not None and not widget.isWindow():
        for method in methods:
            function = getattr(widget, method, None)
            if callable(function) and _is_meant(widget, method):
                function()
                return
        widget = widget.parentWidget()


def _is_meant(widget: QWidget, method: str) -> bool:
    """Tell whether a method is an edit: in Qt also bars, boxes and lists have a `clear`, which takes them apart."""
    if method == "selectAll":
        return isinstance(widget, _TEXTS | QAbstractItemView | QAbstractSpinBox)
    if method == "clear":
        return isinstance(widget, _TEXTS) and not widget.isReadOnly()
    return True


def _show_shortcuts(window: DocumentWindow) -> None:
    from attnexplorer.views.dialogs.shortcuts_dialog import ShortcutsDialog, sections_of

    dialog = ShortcutsDialog(sections_of(window.menuBar()), window)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()


def _show_about(window: DocumentWindow) -> None:
    from attnexplorer import __version__
    from attnexplorer.views.dialogs.about_dialog import AboutDialog

    dialog = AboutDialog(__version__, window)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()
