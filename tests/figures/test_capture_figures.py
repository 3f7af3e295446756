"""Figures of captures: every format, every kind that weights alone allow, and a sentence for the others."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PIL import Image
from pptx import Presentation
from pytestqt.qtbot import QtBot

from attnexplorer.experiment.captured import Capture, captured
from attnexplorer.experiment.captured_file import capture_bytes
from attnexplorer.experiment.errors import FileError
from attnexplorer.figures.animation import sweeps_of
from attnexplorer.figures.carrying import extract_from
from attnexplorer.figures.colours import WEIGHTS, argb
from attnexplorer.figures.deck import has_walkthrough
from attnexplorer.figures.errors import FigureError
from attnexplorer.figures.export import Export, figure_bytes
from attnexplorer.figures.kinds import figure_names
from attnexplorer.figures.layout import lay_out
from attnexplorer.figures.spec import FigureSpec
from attnexplorer.figures.svg import svg_bytes
from attnexplorer.figures.theme import LIGHT
from attnexplorer.interop.capture import read_capture_from

KINDS = ("weights", "heads", "flow")
BEGINNINGS = {
    "png": b"\x89PNG\r\n",
    "svg": b"<?xml",
    "pdf": b"%PDF-",
    "pptx": b"PK\x03\x04",
    "gif": b"GIF89a",
    "webp": b"RIFF",
}


def capture(layers: int = 2, heads: int = 3, queries: int = 4, keys: int | None = None) -> Capture:
    m = queries if keys is None else keys
    attention = np.random.default_rng(0).dirichlet(np.ones(m), size=(layers, heads, queries))
    sources = None if keys is None else tuple(f"s{key}" for key in range(m))
    return captured(attention, tuple(f"Ġt{query}" for query in range(queries)), sources, "gpt")


def made(it: Capture, form: Any, **wanted: Any) -> bytes:
    return figure_bytes(FigureSpec(**{"dpi": 50.0, **wanted}), it, Export(form, sweep="rows"))


@pytest.mark.parametrize("form", BEGINNINGS)
@pytest.mark.parametrize("what", KINDS)
def test_every_format_is_written(qapp: QtBot, what: str, form: str) -> None:
    data = made(capture(), form, what=what, head=None if what == "flow" else 1, layer=1)
    assert data.startswith(BEGINNINGS[form])
    assert data == made(capture(), form, what=what, head=None if what == "flow" else 1, layer=1)


def test_the_cells_have_the_captured_numbers_and_their_colours(qapp: QtBot) -> None:
    it = capture()
    svg = made(it, "svg", layer=1, head=2).decode("utf-8")
    numbers = re.findall(r">(\d\.\d\d)<", svg)
    assert numbers == [f"{number:.2f}" for number in it.attention[1, 2].ravel()]
    assert svg.count("Ġt3") >= 2
    strongest = float(it.attention[1, 2].max())
    assert f"#{int(argb(np.array([[strongest]]), WEIGHTS, LIGHT)[0, 0]) & 0xFFFFFF:06x}" in svg


def test_the_lists_name_only_what_there_is(qapp: QtBot) -> None:
    it = capture()
    assert {name for name, _ in figure_names(it)} == {"weights", "heads", "flow", "compare"}
    assert not has_walkthrough(it)
    assert sweeps_of(it) == ("rows",)


@pytest.mark.parametrize("what", ["pipeline", "projections", "scaling", "explain", "geometry"])
def test_a_kind_that_needs_more_says_what(qapp: QtBot, what: str) -> None:
    with pytest.raises(FigureError, match=rf"{what} needs \w+, which was not captured; there are weights, .*flow"):
        lay_out(FigureSpec(what), capture())


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        ({"what": "scores"}, "layer 0 has no 'scores'; it has weights"),
        ({"what": "heads", "stage": "masked"}, "layer 0 has no 'masked'; it has weights"),
        ({"what": "W_Q"}, "there is no matrix"),
        ({"what": "E"}, "there is no matrix"),
        ({"what": "weights", "layer": 2}, "there is no layer 2"),
        ({"what": "weights", "head": 3}, "there is no head 3"),
        ({"what": "flow", "row": 4}, "there is no row 4"),
    ],
)
def test_what_is_not_there_is_refused(qapp: QtBot, wanted: dict[str, Any], sentence: str) -> None:
    with pytest.raises(FigureError, match=sentence):
        lay_out(FigureSpec(**wanted), capture())


@pytest.mark.parametrize("sweep", ["scale", "mask", "tokens"])
def test_what_nothing_here_makes_cannot_be_swept(qapp: QtBot, sweep: Any) -> None:
    with pytest.raises(FigureError, match=f"there is no sweep {sweep}; there is rows"):
        figure_bytes(FigureSpec(), capture(), Export("gif", sweep=sweep))


def test_rows_are_uncovered_one_by_one(qapp: QtBot) -> None:
    with Image.open(io.BytesIO(made(capture(queries=5), "gif"))) as picture:
        assert picture.n_frames == 6


def test_captions_and_notes_say_that_the_weights_were_captured(qapp: QtBot) -> None:
    it = capture(queries=3, keys=5)
    text = re.sub("<[^>]*>", "", made(it, "svg", caption="").decode("utf-8"))
    assert "gpt: 3 tokens attending to 5 tokens, 3 heads, captured weights (layer 1 of 2)." in text
    slides = Presentation(io.BytesIO(made(it, "pptx"))).slides
    assert slides[0].notes_slide.notes_text_frame.text.startswith("Attention Explorer: gpt")


@pytest.mark.parametrize("form", ["png", "svg", "pdf", "pptx"])
def test_a_figure_carries_the_capture_and_gives_it_back_bit_for_bit(qapp: QtBot, form: str) -> None:
    it = replace(capture(keys=7), attention=capture(keys=7).attention.astype(np.float32))
    data = made(it, form, layer=1)
    back = extract_from(data, f"a.{form}", read_capture_from)
    assert isinstance(back, Capture)
    assert np.array_equal(back.attention, it.attention)
    assert back.attention.dtype == np.float32
    assert (back.query_tokens, back.key_tokens, back.title) == (it.query_tokens, it.key_tokens, "gpt")
    assert made(back, form, layer=1) == data
    with pytest.raises(FigureError, match=f"a.{form}: the figure carries captured weights"):
        extract_from(data, f"a.{form}")


def test_a_capture_that_is_too_large_or_not_wanted_is_not_carried(qapp: QtBot) -> None:
    for carry in (0, 1000):
        data = figure_bytes(FigureSpec(dpi=50), capture(), Export("png", carry))
        assert extract_from(data, "a.png", read_capture_from) is None


def test_a_damaged_capture_in_a_figure_is_refused_in_a_sentence(qapp: QtBot) -> None:
    packed = capture_bytes(capture())
    for broken in (packed[:-30], packed.replace(b"attention.npy", b"attentiom.npy")):
        data = svg_bytes(lay_out(FigureSpec(), capture()), broken)
        with pytest.raises(FileError, match=r"a\.svg: the captured weights in it cannot be read: "):
            extract_from(data, "a.svg", read_capture_from)


def test_two_captures_are_compared(qapp: QtBot) -> None:
    first = capture()
    second = replace(first, attention=first.attention[:, ::-1], title="other")
    figure = lay_out(FigureSpec("compare"), first, second)
    assert figure.title == "attention weights of two experiments, head 1, layer 1"
    with pytest.raises(FigureError, match="weights is 4 × 4 in A, but 4 × 5 in B"):
        lay_out(FigureSpec("compare"), capture(keys=5), first)


@pytest.mark.parametrize("what", KINDS)
@pytest.mark.parametrize(("layers", "heads", "queries", "keys"), [(12, 12, 64, None), (1, 1, 1, None), (1, 2, 3, 40)])
def test_all_sizes_have_figures(
    qapp: QtBot, what: str, layers: int, heads: int, queries: int, keys: int | None
) -> None:
    it = capture(layers, heads, queries, keys)
    assert made(it, "png", what=what, layer=layers - 1, head=heads - 1).startswith(b"\x89PNG")


@pytest.mark.parametrize("form", ["png", "svg", "pdf", "pptx"])
def test_many_tokens_become_a_picture_within_the_file(qapp: QtBot, form: str) -> None:
    n = 2048
    attention = np.tri(n, dtype=np.float32) / np.arange(1, n + 1, dtype=np.float32)[:, None]
    it = captured(attention[None, None], tuple(f"t{query}" for query in range(n)))
    assert len(made(it, form)) < 8_000_000


@pytest.mark.parametrize("form", ["png", "svg", "pdf", "pptx"])
@pytest.mark.parametrize("number", [1e308, np.inf])
def test_enormous_weights_have_lines_of_a_finite_width(qapp: QtBot, form: str, number: float) -> None:
    it = captured(np.full((1, 2, 3, 3), number), ("a", "b", "c"))
    assert len(made(it, form, what="flow")) > 1000


@pytest.mark.parametrize("what", KINDS)
def test_weights_that_are_none_are_shown_as_they_are(qapp: QtBot, what: str) -> None:
    attention = np.array([[[[np.nan, 0.5], [1.5, -0.5]], [[0.0, 0.0], [np.inf, 0.25]]]])
    svg = made(captured(attention, ("a", "b")), "svg", what=what, head=0).decode("utf-8")
    if what != "flow":
        assert "NaN" in svg
        assert "1.50" in svg
    assert svg.startswith("<?xml")
