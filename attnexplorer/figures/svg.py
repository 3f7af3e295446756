"""SVG: real texts and cells, every style inline, one canvas size, nothing that slide programs cannot read."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable
from html import escape
from itertools import pairwise

from attnexplorer.figures.carrying import marked
from attnexplorer.figures.figure import Figure, paint_figure
from attnexplorer.figures.recording import Ellipse, Ink, Outline, Picture, Recorder, Rectangle, Shape, Text, text_lines

_MM_PER_POINT = 25.4 / 72
_FAMILIES = {
    "Inter": "Inter, 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif",
    "JetBrains Mono": "'JetBrains Mono', Menlo, Consolas, 'Liberation Mono', monospace",
    "STIX": "STIX, 'STIX Two Text', 'Times New Roman', 'Liberation Serif', serif",
}
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def svg_bytes(figure: Figure, carried: bytes | None = None) -> bytes:
    """Return a figure as the bytes of an SVG file."""
    return "\n".join([*_lines(figure, recorded(figure), carried), ""]).encode("utf-8")


def recorded(figure: Figure) -> list[Shape]:
    """Return the shapes of a figure, in pixels of the layout, in the order in which they are painted."""
    recorder = Recorder()
    try:
        paint_figure(recorder, figure)
    finally:
        recorder.end()
    return recorder.shapes


def xml_text(text: str) -> str:
    """Return a text as it stands in XML; what no XML can hold becomes a replacement character."""
    return escape(_NOT_IN_XML.sub("\ufffd", text), quote=True)


def number(value: float) -> str:
    """Return a coordinate with up to three decimals."""
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def _lines(figure: Figure, shapes: Iterable[Shape], carried: bytes | None) -> Iterable[str]:
    width, height = (number(points * _MM_PER_POINT) for points in figure.points)
    box = f"0 0 {number(figure.width)} {number(figure.height)}"
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" version="1.1"'
        f' width="{width}mm" height="{height}mm" viewBox="{box}">'
    )
    if figure.title:
        yield f"<title>{xml_text(figure.title)}</title>"
    if figure.description:
        yield f"<desc>{xml_text(figure.description)}</desc>"
    if carried:
        yield f"<metadata>{marked(carried)}</metadata>"
    yield from map(_element, text_lines(shapes))
    yield "</svg>"


def _element(shape: Shape | tuple[Text, ...]) -> str:
    match shape:
        case Rectangle():
            return _rectangle(shape)
        case Ellipse():
            rx, ry = shape.width / 2, shape.height / 2
            place = f'cx="{number(shape.x + rx)}" cy="{number(shape.y + ry)}" rx="{number(rx)}" ry="{number(ry)}"'
            return f"<ellipse {place}{_ink(shape.ink)}/>"
        case Outline():
            return f'<path d="{_path(shape)}"{_ink(shape.ink)}/>'
        case Picture():
            return _picture(shape)
        case Text():
            return _text((shape,))
        case _:
            return _text(shape)


def _rectangle(shape: Rectangle) -> str:
    rounded = f' rx="{number(shape.radius)}"' if shape.radius else ""
    return f"<rect {_box(shape)}{rounded}{_ink(shape.ink)}/>"


def _box(shape: Rectangle | Picture) -> str:
    return f'x="{number(shape.x)}" y="{number(shape.y)}" width="{number(shape.width)}" height="{number(shape.height)}"'


def _path(shape: Outline) -> str:
    return "".join(name + " ".join(number(value) for value in values) for name, values in shape.steps)


def _ink(ink: Ink) -> str:
    parts = [f' fill="{ink.fill or "none"}"']
    if ink.fill and ink.fill_opacity < 1:
        parts.append(f' fill-opacity="{number(ink.fill_opacity)}"')
    if ink.line:
        parts.append(f' stroke="{ink.line}" stroke-width="{number(ink.line_width)}"')
        if ink.line_opacity < 1:
            parts.append(f' stroke-opacity="{number(ink.line_opacity)}"')
        if ink.dashes:
            parts.append(f' stroke-dasharray="{" ".join(map(number, ink.dashes))}"')
        if ink.round_ends:
            parts.append(' stroke-linecap="round"')
    return "".join(parts)


def _picture(shape: Picture) -> str:
    data = base64.b64encode(shape.png).decode("ascii")
    # xlink: as well, for programs that do not know SVG 2.
    return (
        f'<image {_box(shape)} preserveAspectRatio="none" image-rendering="optimizeSpeed"'
        f' xlink:href="data:image/png;base64,{data}"/>'
    )


def _text(line: tuple[Text, ...]) -> str:
    """Return a text; what goes on in another style follows wherever the fonts at hand let the part before it end."""
    first = line[0]
    parts = [f'<text x="{number(first.x)}" y="{number(first.y)}"{_face(first)}']
    if first.anchor != "start":
        parts.append(f' text-anchor="{first.anchor}"')
    if first.angle:
        parts.append(f' transform="rotate({number(first.angle)} {number(first.x)} {number(first.y)})"')
    if len(line) > 1 or first.text != " ".join(first.text.split()):
        parts.append(' xml:space="preserve"')
    parts.append(f">{xml_text(first.text)}")
    for before, text in pairwise(line):
        shift = text.y - before.y
        moved = f' dy="{number(shift)}"' if abs(shift) > 0.001 else ""
        moved += f' dx="{number(text.gap)}"' if text.gap > 0.5 else ""
        parts.append(f"<tspan{moved}{_face(text)}>{xml_text(text.text)}</tspan>")
    return "".join([*parts, "</text>"])


def _face(shape: Text) -> str:
    family = _FAMILIES.get(shape.family, f"'{xml_text(shape.family)}', sans-serif")
    weight = f' font-weight="{shape.weight}"'
    style = ' font-style="italic"' if shape.italic else ""
    return f' font-family="{family}" font-size="{number(shape.pixels)}"{weight}{style} fill="{shape.colour}"'
