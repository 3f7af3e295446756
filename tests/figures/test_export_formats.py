"""What is written is opened again: sizes, colours, texts, pages, shapes and pictures are what they should be."""

from __future__ import annotations

import base64
import io
import re
import struct
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hand_made import with_scores
from PIL import Image
from pptx import Presentation
from PySide6.QtCore import QByteArray, QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from attnexplorer.compute.trace import evaluate
from attnexplorer.experiment.arrays import frozen
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.examples import load_example
from attnexplorer.experiment.model import Embedding, Experiment, Sequence
from attnexplorer.figures.colours import WEIGHTS, colour_of
from attnexplorer.figures.errors import FigureError
from attnexplorer.figures.export import FORMATS, Export, Format, figure_bytes, write_figure
from attnexplorer.figures.figure import Group
from attnexplorer.figures.layout import lay_out
from attnexplorer.figures.matrix_figure import MatrixPanel
from attnexplorer.figures.spec import FigureSpec
from attnexplorer.figures.svg import recorded
from attnexplorer.figures.theme import DARK, LIGHT

pytestmark = pytest.mark.usefixtures("qapp")
SVG = "{http://www.w3.org/2000/svg}"
TOKENS = ("<b>&amp;", "\"quoted'", "مرحبا", "你好", "👩‍👩‍👧", "a\x00b\x1f", "", " ", "Ġthe")


def test_a_png_has_the_wanted_pixels_and_resolution() -> None:
    image = _image(_bytes("png", FigureSpec(width_cm=10.0, height_cm=8.0, dpi=254)))
    assert (image.width(), image.height()) == (1000, 800)
    assert image.dotsPerMeterX() == image.dotsPerMeterY() == 10_000


def test_a_png_can_be_asked_for_in_pixels() -> None:
    image = _image(_bytes("png", FigureSpec(width_px=777, height_px=333, dpi=96)))
    assert (image.width(), image.height()) == (777, 333)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_cells_of_a_png_have_the_colours_of_their_values(theme: str) -> None:
    spec = FigureSpec("weights", numbers=False, dpi=144, theme=theme)  # type: ignore[arg-type]
    experiment = load_example("animal-street")
    figure, image = lay_out(spec, experiment), _image(_bytes("png", spec))
    weights = evaluate(experiment).layers[0].weights[0]
    scale = image.width() / figure.width
    for row, column, rect in _cells(figure.content):
        if weights[row, column] > 0:
            colour = image.pixelColor((rect.center() * scale).toPoint())
            assert colour == colour_of(weights[row, column], WEIGHTS, LIGHT if theme == "light" else DARK)


def test_a_transparent_png_has_no_ground() -> None:
    image = _image(_bytes("png", FigureSpec(transparent=True, dpi=100)))
    assert image.pixelColor(1, 1).alpha() == 0
    assert _image(_bytes("png", FigureSpec(dpi=100))).pixelColor(1, 1) == QColor(LIGHT.card)


def test_a_png_that_would_not_fit_into_memory_is_refused() -> None:
    with pytest.raises(FigureError, match=r"the figure would be [\d,]+ × [\d,]+ pixels, but at most 100 million"):
        _bytes("png", FigureSpec(width_cm=400.0, dpi=2400))


def test_the_canvas_of_an_svg_is_one_size_everywhere() -> None:
    root = ET.fromstring(_bytes("svg", FigureSpec(width_cm=12.5, height_cm=9.0)))
    width, height = (float(root.attrib[name].removesuffix("mm")) for name in ("width", "height"))
    left, top, across, down = map(float, root.attrib["viewBox"].split())
    assert (left, top) == (0, 0)
    assert (width, height) == pytest.approx((125.0, 90.0))
    assert width / across == pytest.approx(height / down, rel=1e-4)


def test_an_svg_has_real_cells_and_texts_with_their_styles_inline() -> None:
    text = _bytes("svg", FigureSpec("weights")).decode()
    root = ET.fromstring(text)
    experiment = load_example("animal-street")
    colours = {colour_of(v, WEIGHTS, LIGHT).name() for v in evaluate(experiment).layers[0].weights[0].ravel() if v > 0}
    fills = [rect.attrib["fill"] for rect in root.iter(f"{SVG}rect")]
    assert sum(fill in colours for fill in fills) == 10
    texts = ["".join(node.itertext()) for node in root.iter(f"{SVG}text")]
    assert texts.count("animal") == 2
    assert "0.53" in texts
    assert "A  attention weights" in texts
    assert not re.search(r"rgba?\(|class=|<style|<image|xmlns:ns", text)


def test_the_numbers_of_an_svg_stand_in_the_middle_of_their_cells_in_any_font() -> None:
    root = ET.fromstring(_bytes("svg", FigureSpec("weights")))
    numbers = [node for node in root.iter(f"{SVG}text") if re.fullmatch(r"\d\.\d\d", node.text or "")]
    assert len(numbers) == 16
    assert {node.attrib.get("text-anchor") for node in numbers} == {"middle"}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("what", ["weights", "pipeline", "flow", "scaling", "geometry"])
def test_a_second_renderer_sees_in_the_svg_what_the_png_shows(what: str, theme: str) -> None:
    spec = FigureSpec(what, dpi=96, theme=theme)  # type: ignore[arg-type]
    shown = _array(_image(_bytes("png", spec)))
    # This renderer takes the list of families for the name of one.
    first_family = re.sub(r"font-family=\"'?([\w ]+)[^\"]*\"", r'font-family="\1"', _bytes("svg", spec).decode())
    renderer = QSvgRenderer(QByteArray(first_family.encode()))
    assert renderer.isValid()
    image = QImage(shown.shape[1], shown.shape[0], QImage.Format.Format_RGB32)
    image.fill(0xFFFF00FF)
    painter = QPainter(image)
    renderer.render(painter, QRectF(image.rect()))
    painter.end()
    difference = np.abs(_array(image).astype(int) - shown.astype(int)).mean()
    assert difference < 6.0


def test_a_large_map_in_an_svg_is_one_image_with_hard_edges() -> None:
    experiment = with_scores(np.arange(80 * 80).reshape(80, 80) / 1000)
    root = ET.fromstring(figure_bytes(FigureSpec("scores", numbers=False), experiment, Export("svg", carry=0)))
    (image,) = root.iter(f"{SVG}image")
    data = image.attrib["{http://www.w3.org/1999/xlink}href"].removeprefix("data:image/png;base64,")
    width = _image(base64.b64decode(data)).width()
    assert width % 80 == 0
    assert width >= 80 * 8


def test_a_page_of_a_pdf_is_as_large_as_its_figure_and_its_fonts_are_in_it() -> None:
    data = _bytes("pdf", FigureSpec(width_cm=10.16, height_cm=7.62))
    assert _pages(data) == [(288.0, 216.0)]
    assert set(re.findall(rb"/BaseFont /(?:[A-Z]{6}\+)?([\w-]+)", data)) >= {b"Inter-Regular", b"JetBrainsMono-Regular"}
    assert data.count(b"/FontFile2") >= 3


def test_a_pdf_has_vectors_and_no_image_of_a_small_matrix() -> None:
    data = _bytes("pdf", FigureSpec("weights"))
    assert b"/Subtype /Image" not in data
    drawing = b"".join(_streams(data))
    assert drawing.count(b" re") + drawing.count(b" l\n") > 20


@pytest.mark.parametrize(("slide", "size"), [("16:9", (960.0, 540.0)), ("4:3", (720.0, 540.0))])
def test_a_walkthrough_is_a_deck_from_x_to_the_output(slide: str, size: tuple[float, float]) -> None:
    spec = FigureSpec("walkthrough", slide=slide)  # type: ignore[arg-type]
    assert _pages(_bytes("pdf", spec)) == [size] * 12
    deck = Presentation(io.BytesIO(_bytes("pptx", spec)))
    titles = [slide.shapes.title.text for slide in deck.slides]
    assert titles[1] == "Q, K, V: from the tokens, by projection"
    assert titles[2] == "X: input"
    assert titles[-1] == "output: of the layer"
    assert len(titles) == 12
    assert (deck.slide_width / 12700, deck.slide_height / 12700) == pytest.approx(size, abs=0.1)


def test_a_walkthrough_is_no_picture() -> None:
    with pytest.raises(FigureError, match="walkthrough is a deck of many pages: PDF or PPTX, not PNG"):
        _bytes("png", FigureSpec("walkthrough"))


def test_a_pptx_has_a_shape_a_cell_with_its_number_in_it() -> None:
    deck = Presentation(io.BytesIO(_bytes("pptx", FigureSpec("weights"))))
    (slide,) = deck.slides
    group = next(shape for shape in slide.shapes if shape.name == "Figure")
    cells = [shape for shape in group.shapes if shape.has_text_frame and shape.text_frame.text == "0.53"]
    assert len(cells) == 1
    assert cells[0].fill.fore_color.rgb == _rgb(colour_of(0.52941, WEIGHTS, LIGHT))
    assert "4 tokens" in group._element.nvGrpSpPr.cNvPr.get("descr")
    assert "figure = weights" in slide.notes_slide.notes_text_frame.text
    assert all(0 <= shape.left <= deck.slide_width and 0 <= shape.top <= deck.slide_height for shape in group.shapes)


@pytest.mark.parametrize("what", ["pipeline", "projections", "flow", "scaling", "explain", "geometry", "heads"])
def test_every_kind_becomes_a_slide_of_shapes_without_pictures(what: str) -> None:
    deck = Presentation(io.BytesIO(_bytes("pptx", FigureSpec(what, theme="dark"))))
    group = next(shape for shape in deck.slides[0].shapes if shape.name == "Figure")
    kinds = {type(shape).__name__ for shape in group.shapes}
    assert len(group.shapes) > 8
    assert "Picture" not in kinds


def test_a_gif_of_the_scale_goes_there_and_back_and_begins_again() -> None:
    data = _bytes("gif", FigureSpec("weights", dpi=50))
    image = Image.open(io.BytesIO(data))
    assert image.n_frames > 40
    assert image.info["loop"] == 0
    durations = []
    for index in range(image.n_frames):
        image.seek(index)
        durations.append(image.info["duration"])
    assert 3000 <= sum(durations) <= 5000


def test_a_gif_uncovers_row_by_row_and_the_sequence_grows() -> None:
    rows = Image.open(io.BytesIO(_gif("rows")))
    assert rows.n_frames == 5
    assert Image.open(io.BytesIO(_gif("mask"))).n_frames == 2
    assert Image.open(io.BytesIO(_gif("tokens"))).n_frames == 4


def test_an_animation_of_a_very_long_sequence_is_refused() -> None:
    experiment = with_scores(np.zeros((300, 2)))
    with pytest.raises(FigureError, match="301 pictures, but at most 200"):
        figure_bytes(FigureSpec("weights", dpi=30), experiment, Export("gif", sweep="rows"))


@pytest.mark.parametrize("form", FORMATS)
def test_the_same_figure_is_the_same_bytes(form: Format) -> None:
    spec = FigureSpec("weights", dpi=60)
    assert _bytes(form, spec) == _bytes(form, spec)


@pytest.mark.parametrize("form", FORMATS)
def test_any_token_can_be_exported(form: Format) -> None:
    data = figure_bytes(FigureSpec("weights", title="a <&> \x01 “b”", dpi=60, stage="weights"), _odd(), Export(form))
    texts = {"svg": _svg_texts, "pptx": _pptx_texts}.get(form)
    if texts is not None:
        found = texts(data)
        for token in ("<b>&amp;", "\"quoted'", "مرحبا", "你好", "👩‍👩‍👧", "a␀b␟", "∅", "␣", "Ġthe"):
            assert token in found, token
    if form == "pdf":
        maps = b"".join(_streams(data)) + data
        for character in "مرحبا你好Ġ␀":
            # Arabic letters stand there in the form that they have in the word.
            assert f"<{ord(character):04X}".encode() in maps or character in "مرحبا", character


def test_no_kind_draws_what_a_vector_file_cannot_hold() -> None:
    for what in ("weights", "heads", "flow", "pipeline", "projections", "scaling", "explain", "geometry"):
        spec = FigureSpec(what, colour_bar=True, caption="", highlight=(0, 0))
        assert len(recorded(lay_out(spec, load_example("animal-street")))) > 10


@pytest.mark.parametrize("name", ["figure", "figure.jpg", "figure.attn"])
def test_a_file_name_without_a_known_ending_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(FigureError, match=r"the name of a figure ends in .png, .svg, .pdf, .pptx, .gif or .webp"):
        write_figure(tmp_path / name, FigureSpec(), load_example("animal-street"))


def test_a_figure_that_cannot_be_made_or_written_leaves_the_old_file_whole(tmp_path: Path) -> None:
    file = tmp_path / "old.png"
    file.write_bytes(b"old")
    with pytest.raises(FigureError):
        write_figure(file, FigureSpec("nonsense"), load_example("animal-street"))
    assert file.read_bytes() == b"old"
    with pytest.raises(ExperimentError, match="the folder does not exist"):
        write_figure(tmp_path / "nowhere" / "a.png", FigureSpec(), load_example("animal-street"))
    assert [path.name for path in tmp_path.iterdir()] == ["old.png"]


def _bytes(form: Format, spec: FigureSpec) -> bytes:
    return figure_bytes(spec, load_example("animal-street"), Export(form))


def _gif(sweep: str) -> bytes:
    export = Export("gif", sweep=sweep)  # type: ignore[arg-type]
    return figure_bytes(FigureSpec("weights", dpi=50), replace(load_example("animal-street"), pins={}), export)


def _odd() -> Experiment:
    experiment = with_scores(np.arange(81).reshape(9, 9) / 81.0)
    return replace(
        experiment,
        sequence=Sequence(TOKENS, (False,) * 9),
        embedding=Embedding(TOKENS, frozen(np.zeros((9, experiment.embedding.E.shape[1])))),
    )


def _image(data: bytes) -> QImage:
    image = QImage.fromData(data)
    assert not image.isNull()
    return image


def _array(image: QImage) -> np.ndarray:
    converted = image.convertToFormat(QImage.Format.Format_RGB32)
    data = np.frombuffer(converted.constBits(), dtype=np.uint8)
    return data.reshape(converted.height(), converted.width(), 4)[..., :3].copy()


def _cells(group: Group, x: float = 0.0, y: float = 0.0) -> Iterator[tuple[int, int, QRectF]]:
    for left, top, piece in group.placed:
        if isinstance(piece, Group):
            yield from _cells(piece, x + left, y + top)
        elif isinstance(piece, MatrixPanel):
            for row in range(piece.content.shape[0]):
                for column in range(piece.content.shape[1]):
                    rect = piece.cell.rect(row, column)
                    yield row, column, rect.translated(piece.corner).translated(x + left, y + top)


def _pages(data: bytes) -> list[tuple[float, float]]:
    found = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", data)
    return [(float(width), float(height)) for width, height in found]


def _streams(data: bytes) -> Iterator[bytes]:
    for found in re.finditer(rb"stream\r?\n(.*?)endstream", data, re.DOTALL):
        try:
            yield zlib.decompress(found.group(1))
        except zlib.error:
            continue


def _svg_texts(data: bytes) -> set[str]:
    return {"".join(node.itertext()) for node in ET.fromstring(data).iter(f"{SVG}text")}


def _pptx_texts(data: bytes) -> set[str]:
    group = next(shape for shape in Presentation(io.BytesIO(data)).slides[0].shapes if shape.name == "Figure")
    return {shape.text_frame.text for shape in group.shapes if shape.has_text_frame}


def _rgb(colour: QColor) -> tuple[int, int, int]:
    red, green, blue = struct.unpack("BBB", bytes.fromhex(colour.name()[1:]))
    return red, green, blue
