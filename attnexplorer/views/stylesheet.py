"""A theme as Qt palette and style sheet.

Widgets choose a style by a dynamic property: `look` is "card", "title", "caption", "section", "tag-edit",
"tag-pinned", "link", "fit", "primary", "segment", "error", "warning", "note" or "chip".
"""

from __future__ import annotations

from string import Template

from PySide6.QtGui import QColor, QPalette

from attnexplorer.assets import resource
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


def stylesheet_for(theme: Theme, text_scale: float) -> str:
    """Return the style sheet of a theme."""
    colours = {name: getattr(theme, name) for name in theme.__slots__ if isinstance(getattr(theme, name), str)}
    sheet = Template(resource("themes", "window.qss").read_text(encoding="utf-8"))
    return sheet.substitute(small=round(11 * text_scale), **colours)


def palette_for(theme: Theme) -> QPalette:
    """Return the palette of a theme, for what the style sheet does not reach."""
    palette = QPalette()
    for role, name in _ROLES.items():
        palette.setColor(role, QColor(getattr(theme, name)))
    for role in (QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText, QPalette.ColorRole.WindowText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(theme.muted))
    return palette
