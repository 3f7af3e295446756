"""What is raised when a figure cannot be made, written or read."""

from __future__ import annotations

from attnexplorer.experiment.errors import ExperimentError


class FigureError(ExperimentError):
    """A figure that cannot be made as asked: one plain sentence."""

    def __init__(self, sentence: str) -> None:
        super().__init__("", sentence)
