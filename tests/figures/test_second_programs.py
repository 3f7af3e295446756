"""Programs that people open figures with see in them what the PNG shows: librsvg and Poppler."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hand_made import with_scores
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage

from attnexplorer.assets import folder
from attnexplorer.experiment.arrays import frozen
from attnexplorer.experiment.examples import load_example
from attnexplorer.experiment.model import Embedding, Experiment, Sequence
from attnexplorer.figures.export import Export, Format, figure_bytes
from attnexplorer.figures.figure import Group
from attnexplorer.figures.layout import lay_out
from attnexplorer.figures.matrix_figure import MatrixPanel
from attnexplorer.figures.spec import FigureSpec

pytestmark = [
    pytest.mark.usefixtures("qapp"),
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="`dev.py test` installs these programs on Linux"),
]
WIDTH, HEIGHT, BLOCK = 640, 480, 4
KINDS = ("weights", "masked", "heads", "flow", "pipeline", "projections", "scaling", "explain", "geometry")
TOKENS = ("<b>&amp;", "\"quoted'", "مرحبا", "你好", "Ġthe", "naïve", " ", "a\x00b")
OUR_FONTS = ("Inter", "JetBrainsMono", "STIX")


class Font(NamedTuple):
    """A line of pdffonts."""

    name: str
    embedded: bool
    with_unicode: bool


@pytest.fixture(scope="module")
def our_fonts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fontconfig of the program's own fonts, so that only the drawing can differ and not the letters."""
    place = tmp_path_factory.mktemp("fonts")
    file = place / "fonts.conf"
    file.write_text(f"<fontconfig><dir>{folder('fonts')}</dir><cachedir>{place}</cachedir></fontconfig>")
    return file


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("what", KINDS)
def test_librsvg_draws_an_svg_like_the_png(what: str, theme: str, tmp_path: Path, our_fonts: Path) -> None:
    spec = _whole_pixels(what, theme)
    _expect_alike(_by_librsvg(_figure("svg", spec), spec, tmp_path, our_fonts), _figure("png", spec))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_librsvg_gives_every_cell_the_colour_that_the_png_has(theme: str, tmp_path: Path, our_fonts: Path) -> None:
    spec = FigureSpec("weights", dpi=192, numbers=False, theme=theme)  # type: ignore[arg-type]
    figure, png = lay_out(spec, load_example("animal-street")), QImage.fromData(_figure("png", spec))
    drawn = _by_librsvg(_figure("svg", spec), spec, tmp_path, our_fonts)
    seen = np.tri(4)
    scale, compared = png.width() / figure.width, 0
    for row, column, rect in _cells(figure.content):
        if seen[row, column]:
            place = (rect.center() * scale).toPoint()
            assert drawn.pixelColor(place) == png.pixelColor(place)
            compared += 1
    assert compared == 10


def test_poppler_reads_every_text_of_a_pdf(tmp_path: Path) -> None:
    data = figure_bytes(FigureSpec("weights", title="a <&> “b”"), _odd(), Export("pdf"))
    text = _poppler("pdftotext", data, tmp_path, "-layout", "-")
    for token in ("<b>&amp;", "\"quoted'", "你好", "Ġthe", "naïve", "␣", "a␀b", "a <&> “b”"):
        assert token in text, token
    # What is written from right to left is read in the order of its letters, in one of Unicode's two ways to write it.
    assert "مرحبا" in text or "ﻣﺮﺣﺒﺎ" in text or "ابحرم" in text
    assert text.count("0.") >= 8


@pytest.mark.parametrize("what", KINDS)
def test_all_fonts_of_a_pdf_are_embedded_and_can_be_copied_from(what: str, tmp_path: Path) -> None:
    fonts = _fonts(_figure("pdf", FigureSpec(what)), tmp_path)
    assert fonts
    assert all(font.embedded and font.with_unicode for font in fonts)
    assert all(font.name.split("+")[-1].startswith(OUR_FONTS) for font in fonts)


@pytest.mark.parametrize(("slide", "size"), [("16:9", "960 x 540"), ("4:3", "720 x 540")])
def test_pdfinfo_counts_the_pages_of_a_walkthrough(slide: str, size: str, tmp_path: Path) -> None:
    spec = FigureSpec("walkthrough", slide=slide)  # type: ignore[arg-type]
    info = _poppler("pdfinfo", _figure("pdf", spec), tmp_path)
    assert re.search(r"^Pages:\s+12$", info, re.MULTILINE)
    assert re.search(rf"^Page size:\s+{size} pts", info, re.MULTILINE)


def test_pdfinfo_sees_a_page_as_large_as_its_figure(tmp_path: Path) -> None:
    info = _poppler("pdfinfo", _figure("pdf", FigureSpec(width_cm=10.16, height_cm=7.62)), tmp_path)
    assert re.search(r"^Page size:\s+288 x 216 pts", info, re.MULTILINE)
    assert re.search(r"^Pages:\s+1$", info, re.MULTILINE)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("what", KINDS)
def test_poppler_draws_a_pdf_like_the_png(what: str, theme: str, tmp_path: Path) -> None:
    spec = _whole_pixels(what, theme)
    (tmp_path / "figure.pdf").write_bytes(_figure("pdf", spec))
    size = ["-scale-to-x", str(WIDTH), "-scale-to-y", str(HEIGHT)]
    _run("pdftoppm", "-png", "-singlefile", *size, str(tmp_path / "figure.pdf"), str(tmp_path / "drawn"))
    _expect_alike(QImage(str(tmp_path / "drawn.png")), _figure("png", spec))


def _whole_pixels(what: str, theme: str) -> FigureSpec:
    return FigureSpec(what, dpi=96, width_px=WIDTH, height_px=HEIGHT, theme=theme)  # type: ignore[arg-type]


def _expect_alike(drawn: QImage, png: bytes) -> None:
    """Surfaces and lines are where they were; letters are smoothed differently, so blocks of pixels are compared."""
    assert (drawn.width(), drawn.height()) == (WIDTH, HEIGHT)
    difference = np.abs(_blocks(drawn) - _blocks(QImage.fromData(png))).max(axis=2)
    assert difference.mean() < 2.5
    assert np.quantile(difference, 0.97) < 25
    assert np.quantile(difference, 0.99) < 45


def _blocks(image: QImage) -> np.ndarray:
    return _array(image).reshape(HEIGHT // BLOCK, BLOCK, WIDTH // BLOCK, BLOCK, 3).mean(axis=(1, 3))


def _figure(form: Format, spec: FigureSpec) -> bytes:
    return figure_bytes(spec, load_example("animal-street"), Export(form))


def _odd() -> Experiment:
    size = len(TOKENS)
    experiment = with_scores(np.arange(size * size).reshape(size, size) / size**2)
    table = frozen(np.zeros((size, experiment.embedding.E.shape[1])))
    return replace(experiment, sequence=Sequence(TOKENS, (False,) * size), embedding=Embedding(TOKENS, table))


def _by_librsvg(svg: bytes, spec: FigureSpec, place: Path, fonts: Path) -> QImage:
    file, out = place / "figure.svg", place / "by-librsvg.png"
    file.write_bytes(svg)
    dpi = str(spec.dpi)
    _run("rsvg-convert", "-d", dpi, "-p", dpi, "-o", str(out), str(file), FONTCONFIG_FILE=str(fonts))
    return QImage(str(out))


def _fonts(pdf: bytes, place: Path) -> list[Font]:
    lines = _poppler("pdffonts", pdf, place).splitlines()
    columns = lines[0].index("emb"), lines[0].index("uni")
    return [Font(line.split()[0], *(line[at : at + 3] == "yes" for at in columns)) for line in lines[2:]]


def _poppler(program: str, pdf: bytes, place: Path, *after: str) -> str:
    file = place / "read.pdf"
    file.write_bytes(pdf)
    return _run(program, str(file), *after)


def _run(*command: str, **variables: str) -> str:
    line = ["env", *(f"{name}={value}" for name, value in variables.items()), *command]
    done = subprocess.run(line, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _array(image: QImage) -> np.ndarray:
    assert not image.isNull()
    converted = image.convertToFormat(QImage.Format.Format_RGB32)
    data = np.frombuffer(converted.constBits(), dtype=np.uint8)
    return data.reshape(converted.height(), converted.width(), 4)[..., :3].copy()


def _cells(group: Group, x: float = 0.0, y: float = 0.0) -> list[tuple[int, int, QRectF]]:
    found: list[tuple[int, int, QRectF]] = []
    for left, top, piece in group.placed:
        if isinstance(piece, Group):
            found += _cells(piece, x + left, y + top)
        elif isinstance(piece, MatrixPanel):
            rows, columns = piece.content.shape
            for row, column in np.ndindex(rows, columns):
                rect = piece.cell.rect(row, column).translated(piece.corner)
                found.append((row, column, rect.translated(x + left, y + top)))
    return found
