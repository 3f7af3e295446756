"""One matrix, of any stage or parameter; all heads of it if all are asked for."""

from __future__ import annotations

from dataclasses import replace

from attnexplorer.compute.numbers import shape_text
from attnexplorer.figures.colour_bar import ColourBar
from attnexplorer.figures.content import MatrixContent
from attnexplorer.figures.errors import FigureError
from attnexplorer.figures.kinds import Built, Kind
from attnexplorer.figures.matrix import Block, CellSize
from attnexplorer.figures.matrix_figure import LabelChoice, MatrixPanel
from attnexplorer.figures.paper import MOST_CELLS, CellStyle
from attnexplorer.figures.request import Fit, Request
from attnexplorer.figures.spec import FigureSpec
from attnexplorer.figures.titles import Title, matrix_title, place_words

_DIGIT = 7.2
"""The width of a digit of the largest type in cells, in pixels."""
_MOST_NUMBERS = 32
_MAP = 560.0
_TALLEST = 1.5


def build_matrix(request: Request, fit: Fit) -> Built:
    """Return a matrix with its labels; a grid of heads where all heads are meant."""
    spec = request.spec
    if spec.head is None and len(request.heads(spec.what)) > 1:
        from attnexplorer.figures.kind_heads import build_heads

        return build_heads(request, fit, spec.what)
    path = request.path_of(spec.what)
    content = request.content(path)
    panel = matrix_panel(content, spec, natural_cell(content, spec.numbers, fit.cells))
    title = matrix_title(request.experiment, path)
    place = place_words(request.experiment, path)
    rows, columns = content.shape
    return Built(
        panel,
        Title(title.symbol, _joined(title.words, place)),
        f"A heatmap of {shape_text(rows, columns)} cells.",
        panel.number_pixels,
    )


MATRIX = Kind("matrix", "one matrix", build_matrix)


def matrix_panel(content: MatrixContent, spec: FigureSpec, cell: CellSize, cells_in_all: int = 0) -> MatrixPanel:
    """Return a panel of a matrix, set as the specification says."""
    rows, columns = content.shape
    count = max(cells_in_all, rows * columns)
    bar = None
    if spec.colour_bar:
        picture = content.picture
        bar = ColourBar(picture.scale, picture.theme, max(40.0, min(220.0, rows * cell.height)), spec.decimal_point)
    names: LabelChoice = "names" if spec.labels else "none"
    return MatrixPanel(
        content,
        cell,
        row_labels=names,
        column_labels=names,
        style=CellStyle(spec.cell_gap, spec.numbers, drawn=count <= MOST_CELLS),
        highlight=_within(spec.highlight, rows, columns),
        rows_shown=spec.rows_shown,
        bar=bar,
    )


def natural_cell(content: MatrixContent, numbers: bool, factor: float, room: float = _MAP) -> CellSize:
    """Return the size of cells in which numbers can be read, or squares where there are too many of them."""
    rows, columns = content.shape
    if not numbers or max(rows, columns) > _MOST_NUMBERS:
        side = min(30.0, room / max(rows, columns))
        return CellSize(side * factor, side * factor)
    picture = content.picture
    characters = picture.longest_text(Block(0, 0, rows, columns), picture.decimals, False)
    most = max(rows, columns)
    width = max(46.0 if most <= 8 else 38.0 if most <= 16 else 0.0, characters * _DIGIT + 8)
    height = 32.0 if most <= 8 else 27.0 if most <= 16 else 22.0
    return CellSize(width * factor, height * min(factor, _TALLEST))


def transposed(content: MatrixContent) -> MatrixContent:
    """Return a matrix with rows and columns exchanged."""
    picture = content.picture
    turned = replace(
        picture,
        values=picture.values.T,
        hatched=None if picture.hatched is None else picture.hatched.T,
        pinned=None if picture.pinned is None else picture.pinned.T,
        _memo={},
    )
    return MatrixContent(content.path, turned, content.columns, content.rows)


def _within(
    highlight: tuple[int | None, int | None] | None, rows: int, columns: int
) -> tuple[int | None, int | None] | None:
    if highlight is None:
        return None
    for name, index, count in zip(("row", "column"), highlight, (rows, columns), strict=True):
        if index is not None and not 0 <= index < count:
            raise FigureError(f"there is no {name} {index} to highlight: the matrix is {shape_text(rows, columns)}")
    return highlight


def _joined(words: str, place: str) -> str:
    return ", ".join(part for part in (words, place) if part)
