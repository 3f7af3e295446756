"""A painter that paints nothing and remembers everything: what is drawn, as shapes that a file format can name.

SVG and PPTX are written from the same painting routines as the screen and PNG. Qt's own SVG generator forgets how
texts are aligned and where one shape ends, and knows no PPTX.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFontMetricsF,
    QImage,
    QPainter,
    QPainterPath,
    QPolygonF,
    QTransform,
)

from attnexplorer.figures.png import image_png

Anchor = Literal["start", "middle", "end"]
_ANCHOR_TOLERANCE = 0.75
_WORD_GAP = 0.8


@dataclass(frozen=True, slots=True)
class Ink:
    """Fill and line of a shape as #rrggbb, or empty for none, with their opacities."""

    fill: str = ""
    fill_opacity: float = 1.0
    line: str = ""
    line_opacity: float = 1.0
    line_width: float = 0.0
    dashes: tuple[float, ...] = ()
    round_ends: bool = False


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A rectangle, its corners rounded by a radius."""

    x: float
    y: float
    width: float
    height: float
    ink: Ink
    radius: float = 0.0


@dataclass(frozen=True, slots=True)
class Ellipse:
    """An ellipse within a rectangle."""

    x: float
    y: float
    width: float
    height: float
    ink: Ink


@dataclass(frozen=True, slots=True)
class Outline:
    """A path: each step is M, L, C or Z with its coordinates."""

    steps: tuple[tuple[str, tuple[float, ...]], ...]
    ink: Ink


@dataclass(frozen=True, slots=True)
class Text:
    """A text on a base line, `x` at its start, middle or end; turned about that point by `angle` degrees."""

    x: float
    y: float
    text: str
    family: str
    pixels: float
    weight: int
    italic: bool
    colour: str
    anchor: Anchor
    width: float
    angle: float = 0.0
    within: int | None = None
    """The index of the rectangle in whose middle the text stands."""
    continues: bool = False
    """Whether it goes on where the text before it ends, in another style; `gap` is the room between the two."""
    gap: float = 0.0


@dataclass(frozen=True, slots=True)
class Picture:
    """An image as the bytes of a PNG file."""

    x: float
    y: float
    width: float
    height: float
    png: bytes


Shape = Rectangle | Ellipse | Outline | Text | Picture
_Any = TypeVar("_Any")


def text_lines(shapes: Iterable[_Any]) -> Iterator[_Any | tuple[Text, ...]]:
    """Yield the shapes with texts that go on in another style put together."""
    line: list[Text] = []
    for shape in shapes:
        if line and not (isinstance(shape, Text) and shape.continues):
            yield tuple(line)
            line = []
        if isinstance(shape, Text):
            line.append(shape)
        else:
            yield shape
    if line:
        yield tuple(line)


class Recorder(QPainter):
    """A QPainter whose drawing methods append to `shapes`; its state (pen, font, transform) is Qt's own."""

    def __init__(self) -> None:
        self._canvas = QImage(1, 1, QImage.Format.Format_ARGB32_Premultiplied)
        super().__init__(self._canvas)
        self.shapes: list[Shape] = []
        self._rectangles: dict[int, list[int]] = {}

    # ------------------------------------------------------------------ Qt's names

    def fillRect(self, rect: Any, brush: Any) -> None:  # type: ignore[override]
        colour = QColor(brush.color() if isinstance(brush, QBrush) else brush)
        self._add_rectangle(QRectF(rect), self._filled(colour))

    def drawRect(self, *arguments: Any) -> None:
        rect = QRectF(arguments[0]) if len(arguments) == 1 else QRectF(*arguments)
        self._add_rectangle(rect, self._ink())

    def drawRects(self, rects: Any) -> None:  # type: ignore[override]
        for rect in rects:
            self.drawRect(rect)

    def drawRoundedRect(self, rect: Any, x_radius: float, y_radius: float, mode: Any = None) -> None:  # type: ignore[override]
        self._add_rectangle(QRectF(rect), self._ink(), x_radius * self._scale())

    def drawEllipse(self, *arguments: Any) -> None:
        if len(arguments) == 3:
            centre, rx, ry = arguments
            rect = QRectF(centre.x() - rx, centre.y() - ry, 2 * rx, 2 * ry)
        else:
            rect = QRectF(*arguments)
        mapped = self.transform().mapRect(rect)
        self.shapes.append(Ellipse(mapped.x(), mapped.y(), mapped.width(), mapped.height(), self._ink()))

    def drawLine(self, *arguments: Any) -> None:
        self.drawLines([QLineF(*arguments)])

    def drawLines(self, lines: Any) -> None:  # type: ignore[override]
        steps: list[tuple[str, tuple[float, ...]]] = []
        given = list(lines)
        if given and not hasattr(given[0], "p1"):
            given = [QLineF(QPointF(a), QPointF(b)) for a, b in zip(given[::2], given[1::2], strict=True)]
        for line in given:
            mapped = self.transform().map(QLineF(line))
            steps += [("M", (mapped.x1(), mapped.y1())), ("L", (mapped.x2(), mapped.y2()))]
        if steps:
            self._add_outline(steps, self._ink(filled=False))

    def drawPolyline(self, points: Any) -> None:
        self._add_outline(self._polygon_steps(points), self._ink(filled=False))

    def drawPolygon(self, points: Any, rule: Any = None) -> None:
        self._add_outline([*self._polygon_steps(points), ("Z", ())], self._ink())

    drawConvexPolygon = drawPolygon

    def drawPath(self, path: QPainterPath) -> None:
        self._add_outline(_path_steps(self.transform().map(path)), self._ink())

    def fillPath(self, path: QPainterPath, brush: Any) -> None:
        colour = QColor(brush.color() if isinstance(brush, QBrush) else brush)
        self._add_outline(_path_steps(self.transform().map(path)), self._filled(colour))

    def strokePath(self, path: QPainterPath, pen: Any) -> None:
        before = self.pen()
        self.setPen(pen)
        self._add_outline(_path_steps(self.transform().map(path)), self._ink(filled=False))
        self.setPen(before)

    def drawImage(self, target: Any, image: QImage) -> None:  # type: ignore[override]
        mapped = self.transform().mapRect(QRectF(target))
        self.shapes.append(Picture(mapped.x(), mapped.y(), mapped.width(), mapped.height(), image_png(image)))

    def drawText(self, *arguments: Any) -> None:  # type: ignore[override]
        if isinstance(arguments[0], (int, float)):
            self._add_text(QPointF(arguments[0], arguments[1]), arguments[2], "start")
        elif len(arguments) == 2:
            self._add_text(QPointF(arguments[0]), arguments[1], "start")
        else:
            rect, flags, text = arguments
            self._add_aligned(QRectF(rect), int(getattr(flags, "value", flags)), text)

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("draw") and name not in _DRAWN:
            raise NotImplementedError(f"a vector file has no {name}")
        return super().__getattribute__(name)

    # ------------------------------------------------------------------ private

    def _add_rectangle(self, rect: QRectF, ink: Ink, radius: float = 0.0) -> None:
        transform = self.transform()
        if transform.isRotating():
            path = QPainterPath()
            path.addRect(rect)
            self._add_outline(_path_steps(transform.map(path)), ink)
            return
        mapped = transform.mapRect(rect.normalized())
        if ink.fill:
            self._rectangles.setdefault(round(mapped.center().x()), []).append(len(self.shapes))
        self.shapes.append(Rectangle(mapped.x(), mapped.y(), mapped.width(), mapped.height(), ink, radius))

    def _add_outline(self, steps: Sequence[tuple[str, tuple[float, ...]]], ink: Ink) -> None:
        if steps and (ink.fill or ink.line):
            self.shapes.append(Outline(tuple(steps), ink))

    def _polygon_steps(self, points: Any) -> list[tuple[str, tuple[float, ...]]]:
        mapped = self.transform().map(points if isinstance(points, QPolygonF) else QPolygonF(points))
        corners = [(mapped.at(k).x(), mapped.at(k).y()) for k in range(mapped.count())]
        return [("L" if place else "M", corner) for place, corner in enumerate(corners)]

    def _add_aligned(self, rect: QRectF, flags: int, text: str) -> None:
        metrics = QFontMetricsF(self.font())
        if flags & Qt.AlignmentFlag.AlignVCenter.value:
            y = rect.center().y() + (metrics.ascent() - metrics.descent()) / 2
        elif flags & Qt.AlignmentFlag.AlignBottom.value:
            y = rect.bottom() - metrics.descent()
        else:
            y = rect.top() + metrics.ascent()
        if flags & Qt.AlignmentFlag.AlignHCenter.value:
            self._add_text(QPointF(rect.center().x(), y), text, "middle")
        elif flags & Qt.AlignmentFlag.AlignRight.value:
            self._add_text(QPointF(rect.right(), y), text, "end")
        else:
            self._add_text(QPointF(rect.left(), y), text, "start")

    def _add_text(self, place: QPointF, text: str, anchor: Anchor) -> None:
        if not text.strip():
            return
        transform, made, scale = self.transform(), self.font(), self._scale()
        at = transform.map(place)
        width = QFontMetricsF(made).horizontalAdvance(text) * scale
        x, within = at.x(), None
        if not transform.isRotating():
            x, anchor, within = self._centred(at, made.pixelSize() * scale, width, anchor)
        angle = 0.0 if not transform.isRotating() else _angle(transform)
        colour, _ = _colour(self.pen().color())
        shape = Text(
            *(x, at.y(), text, made.family(), made.pixelSize() * scale, int(made.weight().value)),
            *(made.italic(), colour, anchor, width, angle, within),
        )
        gap = self._gap_before(shape)
        self.shapes.append(shape if gap is None else replace(shape, continues=True, gap=gap))

    def _gap_before(self, text: Text) -> float | None:
        """Return the room between a text and the one before it, if the two are one line; else None."""
        before = self.shapes[-1] if self.shapes else None
        if not isinstance(before, Text) or text.anchor != "start" or before.anchor != "start":
            return None
        gap = text.x - before.x - before.width
        near = -0.5 <= gap <= _WORD_GAP * text.pixels and abs(text.y - before.y) <= 0.6 * max(
            text.pixels, before.pixels
        )
        return gap if near and not text.angle and not before.angle else None

    def _centred(self, at: QPointF, pixels: float, width: float, anchor: Anchor) -> tuple[float, Anchor, int | None]:
        """Return where a text is anchored, and the rectangle that it stands in the middle of."""
        centre = at.x() + width * {"start": 0.5, "middle": 0.0, "end": -0.5}[anchor]
        y = at.y() - pixels * 0.36
        for key in (round(centre), round(centre) - 1, round(centre) + 1):
            for index in reversed(self._rectangles.get(key, ())):
                shape = self.shapes[index]
                assert isinstance(shape, Rectangle)
                middle = shape.x + shape.width / 2
                if abs(middle - centre) <= _ANCHOR_TOLERANCE and _holds(shape, y, pixels, width):
                    return middle, "middle", index
        return at.x(), anchor, None

    def _scale(self) -> float:
        transform = self.transform()
        return float(abs(transform.determinant()) ** 0.5)

    def _filled(self, colour: QColor) -> Ink:
        fill, opacity = _colour(colour)
        return Ink(fill, opacity * self.opacity())

    def _ink(self, filled: bool = True) -> Ink:
        pen, brush = self.pen(), self.brush()
        fill, fill_opacity = ("", 1.0)
        if filled and brush.style() != Qt.BrushStyle.NoBrush:
            fill, fill_opacity = _colour(brush.color())
        if pen.style() == Qt.PenStyle.NoPen:
            return Ink(fill, fill_opacity * self.opacity())
        line, line_opacity = _colour(pen.color())
        width = (pen.widthF() or 1.0) * (1.0 if pen.isCosmetic() else self._scale())
        return Ink(
            *(fill, fill_opacity * self.opacity(), line, line_opacity * self.opacity(), width),
            dashes=tuple(dash * width for dash in pen.dashPattern()),
            round_ends=pen.capStyle() == Qt.PenCapStyle.RoundCap,
        )


_DRAWN = frozenset(name for name in vars(Recorder) if name.startswith("draw"))


def _holds(rectangle: Rectangle, middle: float, pixels: float, width: float) -> bool:
    fits = width <= rectangle.width + 1 and pixels * 0.7 <= rectangle.height
    return fits and abs(middle - rectangle.y - rectangle.height / 2) <= max(1.5, pixels * 0.2)


def _colour(colour: QColor) -> tuple[str, float]:
    return colour.name(), colour.alphaF()


def _angle(transform: QTransform) -> float:
    line = transform.map(QLineF(0, 0, 1, 0))
    return float(-line.angle())


def _path_steps(path: QPainterPath) -> list[tuple[str, tuple[float, ...]]]:
    steps: list[tuple[str, tuple[float, ...]]] = []
    index = 0
    while index < path.elementCount():
        element = path.elementAt(index)
        if element.type == QPainterPath.ElementType.CurveToElement:
            rest = [path.elementAt(index + k) for k in range(3)]
            steps.append(("C", tuple(number for point in rest for number in (point.x, point.y))))
            index += 3
            continue
        name = "M" if element.type == QPainterPath.ElementType.MoveToElement else "L"
        steps.append((name, (element.x, element.y)))
        index += 1
    return steps
