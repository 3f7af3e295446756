"""How one number is made, written out as arithmetic with the numbers in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtGui import QPainter

from attnexplorer.compute.explaining.pieces import Line, Step
from attnexplorer.compute.explanation import EXPLAINED_STAGES, Explanation, explain, localised, needed_units
from attnexplorer.compute.stages import STAGES, unit_for
from attnexplorer.figures.errors import FigureError
from attnexplorer.figures.figure import Group, Piece, Placed, beside, stacked
from attnexplorer.figures.kinds import Built, Kind, register
from attnexplorer.figures.request import Fit, Request
from attnexplorer.figures.step_words import WordStyle, line_words
from attnexplorer.figures.theme import Theme
from attnexplorer.figures.titles import Title
from attnexplorer.figures.typeset import Run, Style, TextLine, marked_up, wrapped

_WIDTH = 430.0
_INDENT = 26.0
_BETWEEN = 9.0
_GUTTER = 30.0


def build_explain(request: Request, fit: Fit) -> Built:
    """Return the steps by which the chosen number is made; the last token's first key unless one is chosen."""
    explanation = _explanation(request)
    width = _WIDTH if fit.width is None else fit.width
    theme = request.spec.colours
    steps: list[Piece] = [_step(step, theme, width) for step in explanation.steps]
    pieces: list[Piece] = [_in_columns(steps, fit)]
    for note in explanation.notes:
        lines = wrapped(marked_up(_plain(note), Style("text", 12.0, theme.muted)), max(width, pieces[0].width))
        pieces.append(stacked(lines))
    title = Title(f"{_plain(explanation.heading)} = {explanation.value_text}", "")
    return Built(stacked(pieces, _BETWEEN), title, "How one number is made, step by step.")


def _in_columns(steps: list[Piece], fit: Fit) -> Piece:
    """Return the steps below one another, or in as many columns as make them largest in a wide room."""
    if fit.aspect is None:
        return stacked(steps, _BETWEEN)
    ways = [beside([stacked(column, _BETWEEN) for column in _split(steps, count)], _GUTTER) for count in (1, 2, 3)]
    return max(ways, key=lambda way: fit.scale_of(way.width, way.height))


def _split(steps: list[Piece], count: int) -> list[list[Piece]]:
    """Return the steps, in their order, as columns that are about equally high."""
    whole, reached = sum(step.height for step in steps), 0.0
    columns: list[list[Piece]] = [[] for _ in range(count)]
    for step in steps:
        columns[min(count - 1, int((reached + step.height / 2) / whole * count))].append(step)
        reached += step.height
    return [column for column in columns if column]


def _explanation(request: Request) -> Explanation:
    spec, experiment = request.spec, request.experiment
    if spec.stage not in EXPLAINED_STAGES:
        raise FigureError(f"there is no explanation of {spec.stage!r}")
    if not STAGES[spec.stage].exists(experiment, request.layer):
        raise FigureError(f"layer {request.layer} has no {spec.stage!r}")
    unit = unit_for(experiment, spec.stage, request.layer, request.head)
    rows, columns = request.array(unit).shape
    row, column = (rows - 1 if spec.row is None else spec.row), (spec.column or 0)
    if not (0 <= row < rows and 0 <= column < columns):
        raise FigureError(f"there is no row {row}, column {column}: {spec.stage} is {rows} × {columns}, counted from 0")
    arrays = request.arrays(needed_units(experiment, unit))
    return localised(explain(experiment, arrays.__getitem__, unit, row, column), spec.decimal_point)


@dataclass(frozen=True, slots=True)
class _Indented:
    """Lines with a number at their left."""

    number: TextLine
    lines: Group

    @property
    def width(self) -> float:
        return _INDENT + self.lines.width

    @property
    def height(self) -> float:
        return self.lines.height

    def paint(self, painter: QPainter) -> None:
        Group(self.width, self.height, (Placed(0, 0, self.number), Placed(_INDENT, 0, self.lines))).paint(painter)


def _step(step: Step, theme: Theme, width: float) -> _Indented:
    room = width - _INDENT
    said = Style("text", 13.0, theme.text)
    verb = Run(f"{step.verb} ", Style("text", 13.0, theme.text, bold=True))
    lines = [*wrapped((verb, *marked_up(step.subject, said)), room)]
    for line in step.lines:
        lines += wrapped(_arithmetic(line, theme), room)
    if step.note:
        lines += wrapped(marked_up(_plain(step.note), Style("text", 12.0, theme.muted)), room)
    number = TextLine((Run(str(step.number), Style("number", 13.0, theme.accent, bold=True)),))
    return _Indented(number, stacked(lines))


def _arithmetic(line: Line, theme: Theme) -> Iterator[Run]:
    """Yield the runs of a line of arithmetic: numbers tinted, the result bold, blanks where they belong."""
    styles: dict[WordStyle, Style] = {
        "number": Style("number", 12.0, theme.text),
        "operator": Style("number", 12.0, theme.muted),
        "result": Style("number", 12.0, theme.text, bold=True),
        "note": Style("text", 12.0, theme.muted),
    }
    for place, word in enumerate(line_words(line)):
        if place and not word.tight:
            yield Run(" ", styles["operator"], glued=word.bound)
        yield Run(word.text, styles[word.style], glued=place > 0 and (word.tight or word.bound))


def _plain(text: str) -> str:
    """Return a text as markup that shows it as it is."""
    return text.replace("\\", "\\\\").replace("{", "\\{").replace("}", "\\}")


register(Kind("explain", "how one number is made, written out", build_explain, needs=("masked",)))
