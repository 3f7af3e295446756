"""A figure carries its experiment: what comes out is what went in, and what is broken is refused in a sentence."""

from __future__ import annotations

import io
import random
import zipfile
import zlib
from pathlib import Path

import pytest

from attnexplorer.experiment.comparison import identical
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.examples import load_example
from attnexplorer.figures import carrying
from attnexplorer.figures.errors import FigureError
from attnexplorer.figures.export import Export, Format, figure_bytes, write_figure
from attnexplorer.figures.spec import FigureSpec

pytestmark = pytest.mark.usefixtures("qapp")
CARRIERS: tuple[Format, ...] = ("png", "svg", "pdf", "pptx")
SPEC = FigureSpec("weights", dpi=40)


@pytest.mark.parametrize("form", CARRIERS)
@pytest.mark.parametrize("name", ["animal-street", "multi-head", "cross-attention"])
def test_the_experiment_comes_out_of_a_figure_bit_for_bit(form: Format, name: str, tmp_path: Path) -> None:
    experiment = load_example(name)
    file = tmp_path / f"figure.{form}"
    write_figure(file, SPEC, experiment)
    found = carrying.extract(file)
    assert found is not None
    assert identical(found, experiment, with_view=True)
    assert carrying.carries(file)


@pytest.mark.parametrize("form", CARRIERS)
def test_a_figure_carries_nothing_where_that_is_asked_for_or_the_experiment_is_too_long(form: Format) -> None:
    experiment = load_example("animal-street")
    for limit in (0, 100):
        data = figure_bytes(SPEC, experiment, Export(form, carry=limit))
        assert carrying.extract_from(data, "figure") is None
        assert b"attnexplorer-experiment" not in data


@pytest.mark.parametrize("form", CARRIERS)
def test_damaged_figures_give_an_experiment_nothing_or_one_sentence(form: Format) -> None:
    experiment = load_example("animal-street")
    whole = figure_bytes(SPEC, experiment, Export(form))
    chance = random.Random(11)
    outcomes = set()
    for _ in range(60):
        data = bytearray(whole)
        for _ in range(chance.randrange(1, 30)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        damaged = bytes(data[: chance.randrange(len(data))]) if chance.random() < 0.3 else bytes(data)
        outcomes.add(_outcome(damaged))
    sentences = outcomes - {"NoneType", "Experiment"}
    assert all(sentence.startswith("figure: ") and "\n" not in sentence for sentence in sentences)


def test_what_unpacks_to_far_too_much_is_refused() -> None:
    bomb = zlib.compress(b" " * (carrying.LARGEST_TEXT + 10), 9)
    with pytest.raises(FigureError, match="the experiment in the figure is larger than 64 MB"):
        carrying._inflated(bomb, "bomb.png")


def test_a_zip_that_unpacks_to_far_too_much_is_read_only_so_far() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(carrying.PPTX_PART, b" " * (carrying.LARGEST_TEXT + 1000))
    assert carrying.extract_from(buffer.getvalue(), "bomb.pptx") is None


def test_what_is_no_figure_carries_nothing(tmp_path: Path) -> None:
    for content in (b"", b"\x89PNG\r\n\x1a\n", b"PK\x03\x04", b"%PDF-1.4", b"<svg/>", b"text"):
        assert carrying.extract_from(content, "file") is None
    assert not carrying.carries(tmp_path / "nothing.png")
    with pytest.raises(FigureError, match=r"nothing\.png: there is no such file"):
        carrying.extract(tmp_path / "nothing.png")


def _outcome(data: bytes) -> str:
    try:
        return type(carrying.extract_from(data, "figure")).__name__
    except ExperimentError as error:
        return str(error)
