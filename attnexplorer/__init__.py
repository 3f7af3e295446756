"""Attention Explorer: attention with every number of it in your hands.

For scripts and notebooks::

    import attnexplorer as ax

    experiment = ax.load("lesson.attn")      # or ax.load_example("animal-street")
    trace = ax.evaluate(experiment)          # lazy, read-only arrays; dtype=np.float32 on request
    trace.layers[0].weights[0]               # head 0, a NumPy array [queries, keys]
    ax.save(experiment, "copy.attn")
    ax.show(attention, tokens)               # a window on another program's weights: [layers, heads, n, m]

The house, from the ground up; a package imports only packages with a lower number:

=============  =  ======================================================================================
`experiment`   0  what is saved: frozen dataclasses, edits, validation, the file format, examples
`compute`      1  small pure functions from an experiment to every number of it, lazily evaluated; checks
`interop`      2  numbers in and out in other programs' formats
`figures`      2  painting and export, with QtGui but without widgets
`document`     2  the open, live experiment: commands, undo, recomputation, selection
`views`        3  the widgets: tables, heatmaps, panels, workspaces, dialogs
`app`          4  where objects are wired together; the window and the command line
=============  =  ======================================================================================

`assets` alone knows where the program's own files are. Nothing here imports Qt, and each name is imported when it is
first used, so that ``import attnexplorer`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from attnexplorer.app.show import show
    from attnexplorer.compute.trace import Trace, evaluate
    from attnexplorer.experiment.errors import ExperimentError, FileError
    from attnexplorer.experiment.examples import example_names, load_example
    from attnexplorer.experiment.fileformat import load
    from attnexplorer.experiment.model import Experiment
    from attnexplorer.experiment.saving import save

__version__ = "0.1.0"
__all__ = [
    "Experiment",
    "ExperimentError",
    "FileError",
    "Trace",
    "__version__",
    "evaluate",
    "example_names",
    "load",
    "load_example",
    "save",
    "show",
]

_HOMES = {
    "Experiment": "attnexplorer.experiment.model",
    "ExperimentError": "attnexplorer.experiment.errors",
    "FileError": "attnexplorer.experiment.errors",
    "Trace": "attnexplorer.compute.trace",
    "evaluate": "attnexplorer.compute.trace",
    "example_names": "attnexplorer.experiment.examples",
    "load": "attnexplorer.experiment.fileformat",
    "load_example": "attnexplorer.experiment.examples",
    "save": "attnexplorer.experiment.saving",
    "show": "attnexplorer.app.show",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'attnexplorer' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
