"""Opening a file, whatever holds the experiment: a file of its own, or a figure that carries it."""

from __future__ import annotations

import os
from pathlib import Path

from attnexplorer.document.storage import SUFFIX, Loaded, load_file
from attnexplorer.experiment.errors import FileError
from attnexplorer.figures.carrying import SUFFIXES as FIGURE_SUFFIXES
from attnexplorer.figures.carrying import extract
from attnexplorer.figures.errors import FigureError

OPENABLE = (SUFFIX, *FIGURE_SUFFIXES)
"""How the names of files end that can be opened."""


def is_figure(path: str | os.PathLike[str]) -> bool:
    """Tell whether the name of a file says that it is a figure."""
    return Path(path).suffix.lower() in FIGURE_SUFFIXES


def load_any(path: str | os.PathLike[str]) -> Loaded:
    """Read an experiment; the one that a figure carries becomes an untitled copy.

    Raises
    ------
    FileError
        With a sentence, if it cannot be read or the figure carries none.
    """
    if not is_figure(path):
        return load_file(path)
    name = Path(path).name
    try:
        experiment = extract(path)
    except FigureError as error:
        raise FileError(name, str(error).removeprefix(f"{name}: ")) from None
    if experiment is None:
        raise FileError(name, "this figure carries no experiment")
    return Loaded(experiment)
