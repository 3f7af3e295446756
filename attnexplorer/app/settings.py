"""What is remembered between two runs: recent files, look, layout, figures. An INI file of the user's."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import cast

from PySide6.QtCore import QByteArray, QSettings

from attnexplorer.figures.theme import THEMES, ThemeName

MOST_RECENT = 10


class Settings:
    """Typed access; what is damaged or of the wrong kind counts as not there."""

    def __init__(self) -> None:
        name = "attnexplorer"
        self._store = QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, name, name)

    @property
    def recent_files(self) -> tuple[Path, ...]:
        """The files that were open, the latest first; those that are gone are left out."""
        return tuple(path for path in map(Path, self._recent()) if os.path.exists(path))

    def add_recent_file(self, path: Path) -> None:
        """Put a file at the head of the recent ones."""
        others = [other for other in self._recent() if other != str(path)]
        self._store.setValue("recent", [str(path), *others][:MOST_RECENT])

    def forget_recent_files(self) -> None:
        """Empty the list."""
        self._store.remove("recent")

    @property
    def theme(self) -> ThemeName | None:
        """The chosen theme, or None to follow the system."""
        value = self._store.value("theme")
        return cast(ThemeName, value) if value in THEMES else None

    @theme.setter
    def theme(self, name: ThemeName | None) -> None:
        self._store.setValue("theme", name or "system")

    @property
    def text_scale(self) -> float | None:
        """How much larger than usual type was chosen to be; None if nobody chose."""
        try:
            return min(max(float(str(self._store.value("text_scale"))), 0.5), 4.0)
        except ValueError:
            return None

    @text_scale.setter
    def text_scale(self, scale: float) -> None:
        self._store.setValue("text_scale", scale)

    @property
    def layout(self) -> tuple[QByteArray, QByteArray] | None:
        """Geometry and docks of the window that was closed last."""
        geometry, docks = self._store.value("window/geometry"), self._store.value("window/docks")
        if isinstance(geometry, QByteArray) and isinstance(docks, QByteArray):
            return geometry, docks
        return None

    def keep_layout(self, geometry: QByteArray, docks: QByteArray) -> None:
        """Remember geometry and docks."""
        self._store.setValue("window/geometry", geometry)
        self._store.setValue("window/docks", docks)

    @property
    def figure_choices(self) -> str:
        """How the last figure was set, as a text."""
        return self._text("figure/choices")

    @figure_choices.setter
    def figure_choices(self, text: str) -> None:
        self._store.setValue("figure/choices", text)

    @property
    def figure_presets(self) -> dict[str, str]:
        """Settings of figures that were saved, by name."""
        try:
            found = json.loads(self._text("figure/presets") or "{}")
        except (ValueError, RecursionError):
            return {}
        if not isinstance(found, dict):
            return {}
        return {name: text for name, text in found.items() if isinstance(text, str) and name}

    def keep_figure_preset(self, name: str, text: str) -> None:
        """Save settings of figures under a name."""
        self._store.setValue("figure/presets", json.dumps(self.figure_presets | {name: text}))

    def forget_figure_preset(self, name: str) -> None:
        """Forget the settings of a name."""
        kept = {other: text for other, text in self.figure_presets.items() if other != name}
        self._store.setValue("figure/presets", json.dumps(kept))

    @property
    def figure_folder(self) -> Path | None:
        """Where the last figure was written, if it is still there."""
        text = self._text("figure/folder")
        return Path(text) if text and os.path.isdir(text) else None

    @figure_folder.setter
    def figure_folder(self, folder: Path | None) -> None:
        self._store.setValue("figure/folder", "" if folder is None else str(folder))

    def _text(self, name: str) -> str:
        value = self._store.value(name)
        return value if isinstance(value, str) else ""

    def _recent(self) -> list[str]:
        # A list with one entry comes back from the file as a bare text.
        value = self._store.value("recent")
        entries = [value] if isinstance(value, str) else value if isinstance(value, list) else []
        return [entry for entry in entries if isinstance(entry, str) and entry]
