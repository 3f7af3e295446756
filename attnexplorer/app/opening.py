"""Opening a file, whatever it is: an experiment, a figure that carries one, or captured weights."""

from __future__ import annotations

import os
from pathlib import Path

from attnexplorer.document.storage import SUFFIX, Loaded, load_file
from attnexplorer.experiment.captured import CAPTURE_SUFFIX
from attnexplorer.experiment.errors import FileError
from attnexplorer.figures.carrying import SUFFIXES as FIGURE_SUFFIXES
from attnexplorer.figures.carrying import extract
from attnexplorer.figures.errors import FigureError

OPENABLE = (SUFFIX, *FIGURE_SUFFIXES, CAPTURE_SUFFIX)
"""How the names of files end that can be opened."""


def is_figure(path: str | os.PathLike[str]) -> bool:
    """Tell whether the name of a file says that it is a figure."""
    return Path(path).suffix.lower() in FIGURE_SUFFIXES


def load_any(path: str | os.PathLike[str]) -> Loaded:
    """Read an experiment or a capture; what a figure carries becomes an untitled copy.

    Raises
    ------
    FileError
        With a sentence, if it cannot be read or the figure carries none.
    """
    from attnexplorer.interop.capture import read_capture, read_capture_from  # the first picture does without

    if Path(path).suffix.lower() == CAPTURE_SUFFIX:
        return Loaded(read_capture(Path(path)), Path(os.path.abspath(path)))
    if not is_figure(path):
        return load_file(path)
    name = Path(path).name
    try:
        experiment = extract(path, read_capture_from)
    except FigureError as error:
        raise FileError(name, str(error).removeprefix(f"{name}: ")) from None
    if experiment is None:
        raise FileError(name, "this figure carries no experiment")
    return Loaded(experiment)
