"""The look that all views share: theme, size of type, decimal mark. Views repaint when it changes."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QLocale, QObject, Qt, Signal
from PySide6.QtGui import QFont, QFontInfo, QGuiApplication, QPalette, QPixmapCache
from PySide6.QtWidgets import QApplication

from attnexplorer.figures.fonts import Face, font
from attnexplorer.figures.number_images import forget_number_images
from attnexplorer.figures.theme import THEMES, Theme, ThemeName
from attnexplorer.views.stylesheet import palette_for, stylesheet_for

SMALLEST, LARGEST = 0.8, 2.5
_TYPE, _LARGE_TYPE = 13, 17
"""The usual size of type in pixels, and from which size on a desktop's type is larger than desktops' usually is."""


class Appearance(QObject):
    """The theme (following the system unless chosen) and the size of type."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._chosen: ThemeName | None = None
        self._theme_at_start = _palette_theme()
        self._theme = THEMES[self._system_theme()]
        self._text_scale = 1.0
        self._system_text_scale = _scale_of_the_system()
        hints = QGuiApplication.styleHints()
        hints.colorSchemeChanged.connect(self._on_system_scheme_changed)

    @property
    def theme(self) -> Theme:
        """The colours in force."""
        return self._theme

    @property
    def chosen_theme(self) -> ThemeName | None:
        """The theme that was asked for, or None when the system's is followed."""
        return self._chosen

    @property
    def text_scale(self) -> float:
        """How much larger than usual type is."""
        return self._text_scale

    @property
    def system_text_scale(self) -> float:
        """How much larger than usual type is wanted to be by a desktop with large type; 1 with type of a usual size."""
        return self._system_text_scale

    @property
    def decimal_point(self) -> str:
        """The decimal mark of the user's locale."""
        return QLocale().decimalPoint()

    def font(self, face: Face, pixels: float, *, bold: bool = False, italic: bool = False) -> QFont:
        """Return a face at a size in pixels, made larger as the user asked."""
        return font(face, pixels * self._text_scale, bold=bold, italic=italic)

    def choose_theme(self, name: ThemeName | None) -> None:
        """Use a theme; None follows the system."""
        self._chosen = name
        self.apply()

    def set_text_scale(self, scale: float) -> None:
        """Make type larger or smaller, within limits."""
        self._text_scale = min(max(scale, SMALLEST), LARGEST)
        self.apply()

    def apply(self) -> None:
        """Give the application its palette, font and style sheet, and tell the views."""
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        self._theme = THEMES[self._chosen or self._system_theme()]
        face, sheet = self.font("text", _TYPE), stylesheet_for(self.theme, self._text_scale)
        # A style sheet has every widget made up anew, also when it is the one that is there.
        if app.font() != face or app.styleSheet() != sheet:
            app.setPalette(palette_for(self.theme))
            app.setFont(face)
            app.setStyleSheet(sheet)
        # What was drawn in other colours or sizes is of no use any more.
        forget_number_images()
        QPixmapCache.clear()
        self.changed.emit()

    def _on_system_scheme_changed(self) -> None:
        if self._chosen is None:
            self.apply()

    def _system_theme(self) -> ThemeName:
        scheme = QGuiApplication.styleHints().colorScheme()
        if scheme == Qt.ColorScheme.Unknown:
            return self._theme_at_start
        return "dark" if scheme == Qt.ColorScheme.Dark else "light"


@lru_cache(maxsize=1)
def _scale_of_the_system() -> float:
    """Return what the application's font asks for; asked once, before a font is applied, which changes the answer."""
    pixels = QFontInfo(QGuiApplication.font()).pixelSize()
    return min(pixels / _TYPE, LARGEST) if pixels >= _LARGE_TYPE else 1.0


def _palette_theme() -> ThemeName:
    """Return the theme of the palette; asked before a theme is applied, as that changes the palette."""
    return "dark" if QGuiApplication.palette().color(QPalette.ColorRole.Window).lightness() < 100 else "light"
