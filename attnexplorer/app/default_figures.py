"""python -m attnexplorer.app.default_figures FOLDER: the first experiment as pictures, without a display."""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtGui import QGuiApplication

from attnexplorer.compute.trace import evaluate
from attnexplorer.compute.units import Unit
from attnexplorer.document.names import matrix_name
from attnexplorer.experiment.examples import DEFAULT_EXAMPLE, load_example
from attnexplorer.figures.content import NumberStyle, matrix_content, units_of
from attnexplorer.figures.matrix import CellSize
from attnexplorer.figures.matrix_figure import MatrixPanel, heading_line, matrix_image
from attnexplorer.figures.theme import LIGHT

_STAGES = ("input", "query", "key", "value", "scores", "scaled", "masked", "weights", "head_output", "output")
_WITHOUT_HEADS = ("input", "output")


def main(arguments: list[str]) -> int:
    """Write a PNG a stage into a folder and print their names; return the exit code."""
    if len(arguments) != 1:
        print("usage: python -m attnexplorer.app.default_figures FOLDER", file=sys.stderr)
        return 2
    application = QGuiApplication.instance() or QGuiApplication(sys.argv[:1])
    folder = Path(arguments[0])
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for number, stage in enumerate(_STAGES, start=1):
            print(_write(folder / f"{number:02}-{stage}.png", stage))
    except OSError as error:
        print(f"{folder}: the figures cannot be written: {error.strerror}", file=sys.stderr)
        return 2
    application.processEvents()
    return 0


def _write(file: Path, stage: str) -> Path:
    experiment = load_example(DEFAULT_EXAMPLE)
    path = Unit(stage, 0, None if stage in _WITHOUT_HEADS else 0).path
    trace = evaluate(experiment)
    arrays = {unit: trace.array(unit) for unit in units_of(experiment, path)}
    content = matrix_content(experiment, arrays, path, LIGHT, NumberStyle())
    assert content is not None
    heading = heading_line("", matrix_name(experiment, path), LIGHT.text, LIGHT.text)
    image = matrix_image(MatrixPanel(content, CellSize(52, 34), heading))
    if not image.save(str(file)):
        raise OSError(None, "the image was refused")
    return file


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
