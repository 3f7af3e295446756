"""A name for a file that says what is in it: animal-street-weights-head-1.png."""

from __future__ import annotations

from pathlib import Path

from attnexplorer.compute.stages import STAGES
from attnexplorer.compute.units import Per
from attnexplorer.experiment.model import Experiment
from attnexplorer.figures.command_words import ANIMATIONS
from attnexplorer.figures.export import FORMATS, Export, Format
from attnexplorer.figures.spec import FigureSpec

_WITH_STAGE = ("heads", "explain", "compare")
_ONE_HEAD = ("flow", "pipeline", "projections", "scaling", "explain", "geometry", "compare", "walkthrough")
_LONGEST = 120


def figure_name(stem: str, spec: FigureSpec, export: Export, experiment: Experiment) -> str:
    """Return the name of a figure of an experiment whose own file is called `stem`; it counts from 1."""
    words = [stem, *_what(spec)]
    if _is_of_one_head(spec):
        words.append("all-heads" if spec.head is None else f"head-{spec.head + 1}")
    if len(experiment.layers) > 1 and "." not in spec.what:
        words.append(f"layer-{spec.layer + 1}")
    if export.form in ANIMATIONS:
        words.append(f"{export.sweep}-sweep" if export.sweep == "scale" else export.sweep)
    return f"{'-'.join(words)[:_LONGEST]}.{export.form}"


def free_path(folder: Path, name: str) -> Path:
    """Return a file of that name, or with a number after it, that is not there yet."""
    path = folder / name
    number = 2
    while path.exists() and number < 1000:
        path = folder / f"{Path(name).stem}-{number}{Path(name).suffix}"
        number += 1
    return path


def known_format(text: str) -> Format | None:
    """Return the format that the end of a file's name says, or None."""
    ending = text.strip().lower()
    return next((form for form in FORMATS if ending.endswith(f".{form}")), None)


def _what(spec: FigureSpec) -> list[str]:
    words = [_plain(spec.what)]
    if spec.what in _WITH_STAGE:
        words.append(spec.stage)
    if spec.what == "scaling" and spec.row is not None:
        words.append(f"row-{spec.row + 1}")
    if spec.what == "explain":
        words += [f"row-{(spec.row or 0) + 1}", f"column-{(spec.column or 0) + 1}"]
    return words


def _plain(what: str) -> str:
    """Return a path as words: W_Q-head-2 for layers.0.attention.W_Q.1."""
    parts = what.split(".")
    if len(parts) == 1:
        return what
    if parts[-1].isdigit() and len(parts) > 2:
        return f"{parts[-2]}-head-{int(parts[-1]) + 1}"
    return parts[-1]


def _is_of_one_head(spec: FigureSpec) -> bool:
    if spec.what in _WITH_STAGE and STAGES[spec.stage].per not in (Per.HEAD, Per.KV_HEAD):
        return False
    return spec.what in _ONE_HEAD or (spec.what in STAGES and STAGES[spec.what].per in (Per.HEAD, Per.KV_HEAD))
