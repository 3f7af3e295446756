"""What the dialog remembers between two runs, wherever that is kept."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol


class Memory(Protocol):
    """Kept by the program's settings."""

    @property
    def figure_choices(self) -> str:
        """The last choices, as a text; empty if there are none yet."""

    @figure_choices.setter
    def figure_choices(self, text: str) -> None: ...

    @property
    def figure_presets(self) -> Mapping[str, str]:
        """Choices that were saved, by name."""

    def keep_figure_preset(self, name: str, text: str) -> None:
        """Save choices under a name, in place of those that had it."""

    def forget_figure_preset(self, name: str) -> None:
        """Forget the choices of a name."""

    @property
    def figure_folder(self) -> Path | None:
        """The folder of the last figure, if it is still there."""

    @figure_folder.setter
    def figure_folder(self, folder: Path | None) -> None: ...
