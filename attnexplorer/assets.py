"""Where the program's own files are: examples, lessons, icons, themes, fonts, help.

The only module that knows the place of `resources/`. It is beside the package in a source tree, inside it when the
program was installed with pip, and in the unpacked folder of a frozen program.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path


def resource(*parts: str) -> Path:
    """Return the path of one of the program's own files, such as ``resource("examples", "animal-street.attn")``.

    Raises
    ------
    FileNotFoundError
        The program was installed without that file.
    """
    path = _root().joinpath(*parts)
    if not path.exists():
        raise FileNotFoundError(f"The program's own file {'/'.join(parts)} is missing; it was expected at {path}.")
    return path


def folder(name: str) -> Path:
    """Return one of the folders of the program's own files, such as ``folder("examples")``.

    Raises
    ------
    FileNotFoundError
        The program was installed without that folder.
    """
    path = resource(name)
    if not path.is_dir():
        raise FileNotFoundError(f"The program's own folder {name} is missing; {path} is a file.")
    return path


@cache
def _root() -> Path:
    for place in _places():
        if place.is_dir():
            return place
    raise FileNotFoundError(f"The program's own files are missing; they were expected in {_places()[-1]}.")


def _places() -> tuple[Path, ...]:
    """The possible places, the likeliest first. An installed package must not look at a folder beside it."""
    package = Path(__file__).resolve().parent
    inside = package / "resources"
    unpacked = getattr(sys, "_MEIPASS", None)
    if unpacked is not None:
        return (Path(unpacked) / "resources", inside)
    if (package.parent / "pyproject.toml").is_file():
        return (package.parent / "resources", inside)
    return (inside,)
