"""A theme as Qt palette and style sheet.

Widgets choose a style by a dynamic property: `look` is "card", "title", "caption", "section", "tag-edit",
"tag-pinned", "link", "primary", "segment", "error", "warning", "note" or "chip".
"""

from __future__ import annotations

from PySide6.QtGui import QColor, QPalette

from attnexplorer.figures.theme import Theme

_ROLES = {
    QPalette.ColorRole.Window: "ground",
    QPalette.ColorRole.WindowText: "text",
    QPalette.ColorRole.Base: "card",
    QPalette.ColorRole.AlternateBase: "ground",
    QPalette.ColorRole.Text: "text",
    QPalette.ColorRole.PlaceholderText: "muted",
    QPalette.ColorRole.Button: "card",
    QPalette.ColorRole.ButtonText: "text",
    QPalette.ColorRole.ToolTipBase: "card",
    QPalette.ColorRole.ToolTipText: "text",
    QPalette.ColorRole.Highlight: "accent",
    QPalette.ColorRole.HighlightedText: "on_accent",
    QPalette.ColorRole.Link: "accent",
}

_SHEET = """
QMainWindow, QDialog {{ background: {ground}; }}
QMainWindow::separator {{ background: {border}; width: 1px; height: 1px; }}
QMenuBar {{ background: {card}; color: {text}; padding: 2px 6px; }}
QMenuBar::item {{ padding: 4px 9px; border-radius: 4px; background: transparent; }}
QMenuBar::item:selected {{ background: {accent_soft}; color: {accent}; }}
QMenu {{ background: {card}; color: {text}; border: 1px solid {border}; padding: 4px; }}
QMenu::item {{ padding: 5px 24px 5px 22px; border-radius: 4px; }}
QMenu::item:selected {{ background: {accent_soft}; color: {accent}; }}
QMenu::item:disabled {{ color: {muted}; }}
QMenu::separator {{ height: 1px; background: {border}; margin: 4px 6px; }}
QToolTip {{ background: {card}; color: {text}; border: 1px solid {border}; padding: 3px; }}
QStatusBar {{ background: {card}; color: {muted}; border-top: 1px solid {border}; }}
QStatusBar::item {{ border: none; }}
QDockWidget {{ color: {muted}; }}
QDockWidget > QWidget {{ background: {card}; }}
QDockWidget::title {{ background: {card}; padding: 5px 10px; }}
QScrollArea {{ border: none; background: transparent; }}
QWidget[look="ground"] {{ background: {ground}; }}
QWidget[look="panel"] {{ background: {card}; }}
QFrame[look="card"] {{ background: {card}; border: 1px solid {border}; border-radius: 8px; }}
QFrame[look="card"][current="true"] {{ border: 1px solid {accent}; }}
QLabel {{ background: transparent; color: {text}; }}
QLabel[look="caption"] {{ color: {muted}; font-size: {small}px; }}
QLabel[look="section"] {{ color: {muted}; font-size: {small}px; font-weight: 600; }}
QLabel[look="error"] {{ color: {bad}; background: {bad_soft}; border-radius: 4px; padding: 4px 8px; }}
QLabel[look="warning"] {{ color: {warning}; background: {warning_soft}; border-radius: 4px; padding: 4px 8px; }}
QLabel[look="note"] {{ color: {muted}; }}
QLabel[look="tag-edit"] {{ color: {edit}; background: {edit_soft}; border-radius: 6px; padding: 1px 6px; font-size: {small}px; }}
QLabel[look="tag-pinned"], QToolButton[look="tag-pinned"] {{ color: {warning}; background: {warning_soft}; border: none; border-radius: 6px; padding: 1px 6px; font-size: {small}px; }}
QToolButton[look="tag-edit"], QToolButton[look="tag-edit"]:disabled {{ color: {edit}; background: {edit_soft}; border: none; border-radius: 6px; padding: 1px 6px; font-size: {small}px; }}
QToolButton[look="tag-pinned"]:hover {{ color: {text}; }}
QToolButton[look="link"], QPushButton[look="link"] {{ font-size: {small}px; color: {accent}; background: transparent; border: none; padding: 1px 3px; text-align: left; }}
QToolButton[look="link"]:hover, QPushButton[look="link"]:hover {{ text-decoration: underline; }}
QToolButton[look="link"]:focus, QPushButton[look="link"]:focus {{ border: 1px solid {accent}; border-radius: 4px; }}
QPushButton {{ background: {card}; color: {text}; border: 1px solid {border}; border-radius: 5px; padding: 4px 12px; }}
QPushButton:hover {{ border-color: {accent}; }}
QPushButton:focus {{ border: 1px solid {accent}; }}
QPushButton:disabled {{ color: {muted}; }}
QPushButton[look="primary"] {{ background: {accent}; color: {on_accent}; border: 1px solid {accent}; }}
QPushButton[look="segment"] {{ border-radius: 0; padding: 4px 7px; margin: 0; }}
QPushButton[look="segment"]:checked {{ background: {accent}; color: {on_accent}; border-color: {accent}; }}
QPushButton[look="segment"]:focus {{ border: 1px solid {text}; }}
QPushButton[look="tab"] {{ background: transparent; border: none; border-radius: 5px; padding: 6px 12px; }}
QPushButton[look="tab"]:checked {{ background: {accent_soft}; color: {accent}; }}
QPushButton[look="tab"]:focus {{ border: 1px solid {accent}; }}
QToolButton {{ background: transparent; color: {text}; border: 1px solid transparent; border-radius: 4px; padding: 2px 4px; }}
QToolButton:hover {{ background: {accent_soft}; color: {accent}; }}
QToolButton:focus {{ border: 1px solid {accent}; }}
QToolButton:disabled {{ color: {hatch_line}; }}
QLineEdit, QPlainTextEdit, QTextEdit, QSpinBox, QDoubleSpinBox, QComboBox {{ background: {card}; color: {text}; border: 1px solid {border}; border-radius: 5px; padding: 3px 6px; selection-background-color: {accent}; selection-color: {on_accent}; }}
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus, QSpinBox:focus, QComboBox:focus {{ border: 1px solid {accent}; }}
QLineEdit[bad="true"] {{ border: 1px solid {bad}; }}
QComboBox QAbstractItemView {{ background: {card}; color: {text}; border: 1px solid {border}; selection-background-color: {accent_soft}; selection-color: {accent}; }}
QCheckBox, QRadioButton {{ color: {text}; spacing: 6px; background: transparent; }}
QCheckBox:focus, QRadioButton:focus {{ color: {accent}; }}
QTableView {{ background: transparent; border: 1px solid transparent; gridline-color: transparent; }}
QTableView:focus {{ border: 1px solid {accent}; }}
QTableView QLineEdit {{ border: 2px solid {accent}; border-radius: 0; padding: 0 2px; }}
QHeaderView, QHeaderView::section, QTableCornerButton::section {{ background: transparent; border: none; }}
QListView {{ background: transparent; border: none; color: {text}; }}
QScrollBar:vertical {{ background: transparent; width: 10px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: 10px; margin: 0; }}
QScrollBar::handle {{ background: {hatch_line}; border-radius: 3px; margin: 2px; min-height: 20px; min-width: 20px; }}
QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; width: 0; height: 0; }}
QTabWidget::pane {{ border: 1px solid {border}; }}
"""


def stylesheet_for(theme: Theme, text_scale: float) -> str:
    """Return the style sheet of a theme."""
    colours = {name: getattr(theme, name) for name in theme.__slots__ if isinstance(getattr(theme, name), str)}
    return _SHEET.format(small=round(11 * text_scale), **colours)


def palette_for(theme: Theme) -> QPalette:
    """Return the palette of a theme, for what the style sheet does not reach."""
    palette = QPalette()
    for role, name in _ROLES.items():
        palette.setColor(role, QColor(getattr(theme, name)))
    for role in (QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText, QPalette.ColorRole.WindowText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(theme.muted))
    return palette
