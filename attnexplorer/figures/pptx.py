"""PPTX: every cell a shape with its number in it, lines and curves as freeforms, texts that can be edited."""

from __future__ import annotations

import io
import math
import zipfile
from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple
from xml.sax.saxutils import quoteattr, unescape

from attnexplorer.figures.carrying import PPTX_PART, marked
from attnexplorer.figures.errors import FigureError
from attnexplorer.figures.figure import Figure
from attnexplorer.figures.recording import Ellipse, Ink, Outline, Picture, Rectangle, Shape, Text, text_lines
from attnexplorer.figures.spec import ASPECTS, Aspect
from attnexplorer.figures.svg import recorded, xml_text

_EMU_PER_POINT = 12_700
_EMU_PER_CM = 360_000
_FONTS = {"Inter": "Arial", "JetBrains Mono": "Consolas", "STIX": "Cambria"}
"""Fonts that slide programs bring along; the bundled ones are on few other machines."""

_NAMESPACES = (
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    ' xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
    ' xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
)
_CUSTOM_XML = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/customXml"
_EPOCH = datetime(2000, 1, 1)
_ZIP_DATE = (2000, 1, 1, 0, 0, 0)
_MARGIN_CM = 1.2
_TITLE_CM = 1.6
_LARGEST_TYPE = 26.0 / 12.0
_TITLE_POINTS = 24
_EMPTY_BODY = "<p:txBody><a:bodyPr/><a:lstStyle/><a:p/></p:txBody>"
_Box = tuple[float, float, float, float]


def pptx_bytes(
    figures: Sequence[Figure], aspect: Aspect, titles: Sequence[str], notes: Sequence[str], carried: bytes | None = None
) -> bytes:
    """Return figures as the bytes of a PPTX file, a slide a figure; `titles` are the titles of the slides."""
    presentation = _presentation(aspect)
    for figure, title, note in zip(figures, titles, notes, strict=True):
        _add_slide(presentation, figure, aspect, title, note)
    if carried:
        _carry(presentation, carried)
    for name in ("created", "modified"):
        setattr(presentation.core_properties, name, _EPOCH)
    presentation.core_properties.title = xml_text(figures[0].title)
    presentation.core_properties.author = "Attention Explorer"
    presentation.core_properties.last_modified_by = "Attention Explorer"
    buffer = io.BytesIO()
    presentation.save(buffer)
    return _without_time(buffer.getvalue())


def _presentation(aspect: Aspect) -> Any:
    try:
        from pptx import Presentation
        from pptx.util import Emu
    except ImportError:
        raise FigureError("PPTX needs the package python-pptx, which is not installed") from None
    presentation = Presentation()
    width, height = ASPECTS[aspect]
    presentation.slide_width = Emu(round(width * _EMU_PER_CM))
    presentation.slide_height = Emu(round(height * _EMU_PER_CM))
    return presentation


def _add_slide(presentation: Any, figure: Figure, aspect: Aspect, title: str, note: str) -> None:
    titled = bool(title.strip())
    slide = presentation.slides.add_slide(presentation.slide_layouts[5 if titled else 6])
    if figure.ground:
        _set_ground(slide, figure.theme.card)
    if titled:
        _set_title(slide, title, figure, aspect)
    scale, left, top = _place(figure, aspect, titled)
    tree = slide.shapes._spTree
    group = _group(figure, scale, left, top)
    writer = _Writer(scale, left, top)
    for shape in writer.shapes(recorded(replace(figure, ground=False))):
        if isinstance(shape, Picture):
            place = writer.box(shape.x, shape.y, shape.width, shape.height)
            group.append(slide.shapes.add_picture(io.BytesIO(shape.png), *place)._element)
        else:
            group.append(_parsed(shape))
    tree.append(group)
    slide.notes_slide.notes_text_frame.text = _clean(note)


def _place(figure: Figure, aspect: Aspect, titled: bool) -> tuple[float, float, float]:
    """Return EMU a pixel, and where the figure's left upper corner is on the slide, in EMU."""
    width, height = (cm - 2 * _MARGIN_CM for cm in ASPECTS[aspect])
    above = _TITLE_CM if titled else 0.0
    across, down = width * _EMU_PER_CM, (height - above) * _EMU_PER_CM
    scale = min(across / figure.width, down / figure.height, _LARGEST_TYPE * _EMU_PER_POINT)
    left = _MARGIN_CM * _EMU_PER_CM + (across - figure.width * scale) / 2
    top = (_MARGIN_CM + above) * _EMU_PER_CM + (down - figure.height * scale) / 2
    return scale, left, top


class _Writer:
    """Turns shapes into the XML of a slide; identifiers count from 10."""

    def __init__(self, scale: float, left: float, top: float) -> None:
        self._scale, self._left, self._top = scale, left, top
        self._next = 10

    def shapes(self, shapes: Sequence[Shape]) -> Iterator[str | Picture]:
        """Yield every shape; a text in the middle of a rectangle becomes that shape's own text."""
        inside = _own_texts(shapes)
        for shape in text_lines(_outside(shapes, inside)):
            match shape:
                case _Cell():
                    yield self._rectangle(shape.rectangle, shape.text)
                case Rectangle():
                    yield self._rectangle(shape, None)
                case Ellipse():
                    yield self._shape(_box(shape), _preset("ellipse"), shape.ink)
                case Outline():
                    yield self._outline(shape)
                case Picture():
                    yield shape
                case Text():
                    yield self._text((shape,))
                case _:
                    yield self._text(shape)

    def box(self, x: float, y: float, width: float, height: float) -> tuple[int, int, int, int]:
        """Return a rectangle in EMU."""
        return (
            round(self._left + x * self._scale),
            round(self._top + y * self._scale),
            max(1, round(width * self._scale)),
            max(1, round(height * self._scale)),
        )

    def _rectangle(self, shape: Rectangle, text: Text | None) -> str:
        geometry = _preset("roundRect" if shape.radius else "rect")
        body = _EMPTY_BODY if text is None else self._body((text,), "ctr")
        return self._shape(_box(shape), geometry, shape.ink, body)

    def _outline(self, shape: Outline) -> str:
        left, top, right, bottom = _bounds(shape)
        width, height = right - left, bottom - top

        def points(values: tuple[float, ...]) -> str:
            pairs = zip(values[::2], values[1::2], strict=True)
            return "".join(
                f'<a:pt x="{round((x - left) * self._scale)}" y="{round((y - top) * self._scale)}"/>' for x, y in pairs
            )

        names = {"M": "moveTo", "L": "lnTo", "C": "cubicBezTo"}
        path = "".join(
            "<a:close/>" if name == "Z" else f"<a:{names[name]}>{points(values)}</a:{names[name]}>"
            for name, values in shape.steps
        )
        _, _, w, h = self.box(left, top, width, height)
        fill = "" if shape.ink.fill else ' fill="none"'
        geometry = (
            "<a:custGeom><a:avLst/><a:gdLst/><a:ahLst/><a:cxnLst/>"
            f'<a:rect l="0" t="0" r="r" b="b"/><a:pathLst><a:path w="{w}" h="{h}"{fill}>{path}</a:path></a:pathLst>'
            "</a:custGeom>"
        )
        return self._shape((left, top, width, height), geometry, shape.ink)

    def _text(self, line: tuple[Text, ...]) -> str:
        first = line[0]
        # A box that is not much wider than high is broken into lines by some programs.
        width = max(sum(text.width + text.gap for text in line), 3 * first.pixels)
        height = first.pixels * 1.2
        shift = {"start": 0.5, "middle": 0.0, "end": -0.5}[first.anchor] * width
        angle = math.radians(first.angle)
        across, up = shift, -0.36 * first.pixels
        centre_x = first.x + across * math.cos(angle) - up * math.sin(angle)
        centre_y = first.y + across * math.sin(angle) + up * math.cos(angle)
        body = self._body(line, {"start": "l", "middle": "ctr", "end": "r"}[first.anchor])
        turned = f' rot="{round(first.angle * 60_000) % 21_600_000}"' if first.angle else ""
        place = (centre_x - width / 2, centre_y - height / 2, width, height)
        return self._shape(place, _preset("rect"), Ink(), body, turned, is_text=True)

    def _body(self, line: tuple[Text, ...], align: str) -> str:
        base = line[0]
        runs = "".join(self._run(text, base) for text in line)
        return (
            '<p:txBody><a:bodyPr wrap="none" lIns="0" tIns="0" rIns="0" bIns="0" anchor="ctr"/><a:lstStyle/>'
            f'<a:p><a:pPr algn="{align}"/>{runs}</a:p></p:txBody>'
        )

    def _run(self, text: Text, base: Text) -> str:
        raised = base.y - text.y
        script = "" if abs(raised) < 0.5 else ' baseline="30000"' if raised > 0 else ' baseline="-25000"'
        pixels = base.pixels if script else text.pixels
        size = max(100, round(pixels * self._scale / _EMU_PER_POINT * 100))
        bold = ' b="1"' if text.weight >= 600 else ""
        italic = ' i="1"' if text.italic else ""
        family = _FONTS.get(text.family, text.family)
        lead = " " if text.gap > 2.0 and not text.text.startswith(" ") else ""
        colour = f'<a:solidFill><a:srgbClr val="{text.colour[1:]}"/></a:solidFill>'
        return (
            f'<a:r><a:rPr lang="en-GB" sz="{size}"{bold}{italic}{script} dirty="0">{colour}'
            f'<a:latin typeface="{family}"/><a:cs typeface="{family}"/></a:rPr>'
            f"<a:t>{lead}{xml_text(text.text)}</a:t></a:r>"
        )

    def _shape(
        self,
        box: _Box,
        geometry: str,
        ink: Ink,
        body: str = _EMPTY_BODY,
        turned: str = "",
        *,
        is_text: bool = False,
    ) -> str:
        left, top, across, down = self.box(*box)
        number = self._next
        self._next += 1
        kind = ' txBox="1"' if is_text else ""
        return (
            f'<p:sp {_NAMESPACES}><p:nvSpPr><p:cNvPr id="{number}" name="{"Text" if is_text else "Shape"} {number}"/>'
            f"<p:cNvSpPr{kind}/><p:nvPr/></p:nvSpPr><p:spPr>"
            f'<a:xfrm{turned}><a:off x="{left}" y="{top}"/><a:ext cx="{across}" cy="{down}"/></a:xfrm>'
            f"{geometry}{self._ink(ink)}</p:spPr>{body}</p:sp>"
        )

    def _ink(self, ink: Ink) -> str:
        fill = _colour(ink.fill, ink.fill_opacity) if ink.fill else "<a:noFill/>"
        if not ink.line:
            return f"{fill}<a:ln><a:noFill/></a:ln>"
        width = max(1, round(ink.line_width * self._scale))
        kind = "sysDot" if ink.dashes and ink.dashes[0] < 2 * ink.line_width else "dash"
        dash = f'<a:prstDash val="{kind}"/>' if ink.dashes else ""
        return f'{fill}<a:ln w="{width}" cap="flat">{_colour(ink.line, ink.line_opacity)}{dash}</a:ln>'


class _Cell(NamedTuple):
    """A rectangle with its own text."""

    rectangle: Rectangle
    text: Text


def _own_texts(shapes: Sequence[Shape]) -> dict[int, Text]:
    """Return the text of each rectangle that has one in its middle with nothing painted between the two."""
    found: dict[int, Text] = {}
    places = [index for index, shape in enumerate(shapes) if isinstance(shape, Outline)]
    covers = [_bounds(shape) for shape in shapes if isinstance(shape, Outline)]
    for index, shape in enumerate(shapes):
        if isinstance(shape, Text) and shape.within is not None and shape.within not in found:
            y = shape.y - 0.36 * shape.pixels
            between = covers[bisect(places, shape.within) : bisect(places, index)]
            if not any(box[0] <= shape.x <= box[2] and box[1] <= y <= box[3] for box in between):
                found[shape.within] = shape
    return found


def _bounds(shape: Outline) -> _Box:
    xs = [value for _, values in shape.steps for value in values[::2]]
    ys = [value for _, values in shape.steps for value in values[1::2]]
    return min(xs), min(ys), max(xs), max(ys)


def _outside(shapes: Sequence[Shape], inside: dict[int, Text]) -> Iterator[Shape | _Cell]:
    """Yield the shapes without the texts that stand in rectangles; those rectangles come with their texts."""
    for index, shape in enumerate(shapes):
        if isinstance(shape, Text) and shape.within is not None and inside.get(shape.within) is shape:
            continue
        if isinstance(shape, Rectangle) and index in inside:
            yield _Cell(shape, inside[index])
        else:
            yield shape


def _box(shape: Rectangle | Ellipse) -> _Box:
    return shape.x, shape.y, shape.width, shape.height


def _preset(name: str) -> str:
    return f'<a:prstGeom prst="{name}"><a:avLst/></a:prstGeom>'


def _colour(colour: str, opacity: float) -> str:
    alpha = "" if opacity >= 1 else f'<a:alpha val="{round(opacity * 100_000)}"/>'
    return f'<a:solidFill><a:srgbClr val="{colour[1:]}">{alpha}</a:srgbClr></a:solidFill>'


def _group(figure: Figure, scale: float, left: float, top: float) -> Any:
    at = f'x="{round(left)}" y="{round(top)}"'
    size = f'cx="{round(figure.width * scale)}" cy="{round(figure.height * scale)}"'
    said = quoteattr(_clean(f"{figure.title}. {figure.description}"))
    return _parsed(
        f'<p:grpSp {_NAMESPACES}><p:nvGrpSpPr><p:cNvPr id="9" name="Figure" descr={said}/><p:cNvGrpSpPr/><p:nvPr/>'
        f"</p:nvGrpSpPr><p:grpSpPr><a:xfrm><a:off {at}/><a:ext {size}/><a:chOff {at}/>"
        f"<a:chExt {size}/></a:xfrm></p:grpSpPr></p:grpSp>"
    )


def _parsed(xml: str) -> Any:
    from pptx.oxml import parse_xml

    return parse_xml(xml.encode("utf-8"))


def _set_ground(slide: Any, colour: str) -> None:
    from pptx.dml.color import RGBColor

    fill = slide.background.fill
    fill.solid()
    fill.fore_color.rgb = RGBColor(*bytes.fromhex(colour[1:]))  # type: ignore[no-untyped-call]


def _set_title(slide: Any, title: str, figure: Figure, aspect: Aspect) -> None:
    from pptx.dml.color import RGBColor
    from pptx.enum.text import MSO_ANCHOR, PP_ALIGN
    from pptx.util import Pt

    shape = slide.shapes.title
    shape.left, shape.top = round(_MARGIN_CM * _EMU_PER_CM), round(0.8 * _EMU_PER_CM)
    shape.width = round((ASPECTS[aspect][0] - 2 * _MARGIN_CM) * _EMU_PER_CM)
    shape.height = round(_TITLE_CM * _EMU_PER_CM)
    frame = shape.text_frame
    frame.text = _clean(title)
    frame.vertical_anchor = MSO_ANCHOR.MIDDLE
    for paragraph in frame.paragraphs:
        paragraph.alignment = PP_ALIGN.LEFT
        for run in paragraph.runs:
            run.font.size, run.font.name = Pt(_TITLE_POINTS), _FONTS["Inter"]
            run.font.color.rgb = RGBColor(*bytes.fromhex(figure.theme.text[1:]))  # type: ignore[no-untyped-call]


def _clean(text: str) -> str:
    """Return a text without what XML cannot hold."""
    return unescape(xml_text(text), {"&quot;": '"', "&#x27;": "'"})


def _carry(presentation: Any, carried: bytes) -> None:
    """Add the experiment as a custom part, which slide programs keep when they save."""
    from pptx.opc.package import Part
    from pptx.opc.packuri import PackURI

    xml = f'<?xml version="1.0" encoding="UTF-8"?><experiment xmlns="urn:attnexplorer">{marked(carried)}</experiment>'
    package = presentation.part.package
    part = Part(PackURI(f"/{PPTX_PART}"), "application/xml", package, xml.encode("utf-8"))
    presentation.part.relate_to(part, _CUSTOM_XML)


def _without_time(data: bytes) -> bytes:
    """Return the same archive with every entry at one date."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as target:
        for entry in source.infolist():
            info = zipfile.ZipInfo(entry.filename, _ZIP_DATE)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o600 << 16
            target.writestr(info, source.read(entry))
    return buffer.getvalue()
