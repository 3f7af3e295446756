"""Animations are opened again: pictures, times, how often they are played, and the limits that are said."""

from __future__ import annotations

import io
from typing import Any

import pytest
from PIL import Image

from attnexplorer.experiment.examples import load_example
from attnexplorer.figures.animation import MOST_FRAMES, AnimationFormat, Motion, animation_bytes, animation_extent
from attnexplorer.figures.errors import FigureError
from attnexplorer.figures.spec import FigureSpec, Sweep

pytestmark = pytest.mark.usefixtures("qapp")
FORMS: tuple[AnimationFormat, ...] = ("gif", "webp")
SMALL = FigureSpec("weights", dpi=50)


def opened(form: AnimationFormat, motion: Motion, spec: FigureSpec = SMALL) -> Any:
    return Image.open(io.BytesIO(animation_bytes(form, spec, load_example("animal-street"), motion)))


def times(picture: Any) -> list[int]:
    found = []
    for frame in range(picture.n_frames):
        picture.seek(frame)
        picture.load()
        found.append(picture.info["duration"])
    return found


@pytest.mark.parametrize("form", FORMS)
def test_one_round_takes_the_time_that_was_asked_for(form: AnimationFormat) -> None:
    picture = opened(form, Motion("rows", 2.0))
    assert (picture.format, picture.n_frames) == (form.upper(), 5)
    assert sum(times(picture)) == pytest.approx(2000, abs=30)


@pytest.mark.parametrize("form", FORMS)
def test_it_is_played_for_ever_or_as_often_as_wanted(form: AnimationFormat) -> None:
    assert opened(form, Motion("mask", 1.0)).info["loop"] == 0
    # A GIF counts how often it is repeated after the first time.
    assert opened(form, Motion("mask", 1.0, 3)).info["loop"] == (2 if form == "gif" else 3)
    once = opened(form, Motion("mask", 1.0, 1)).info.get("loop")
    assert once == (None if form == "gif" else 1)


def test_a_webp_has_the_very_colours_of_its_figures() -> None:
    from attnexplorer.figures.layout import lay_out
    from attnexplorer.figures.png import figure_image

    experiment = load_example("animal-street")
    picture = opened("webp", Motion("rows", 1.0))
    picture.seek(picture.n_frames - 1)
    figure = lay_out(SMALL, experiment)
    scale = figure.points_per_pixel / 72 * SMALL.dpi
    image = figure_image(figure, scale, picture.size)
    shown = picture.convert("RGB")
    for x in range(0, image.width(), 7):
        for y in range(0, image.height(), 7):
            colour = image.pixelColor(x, y)
            assert shown.getpixel((x, y)) == (colour.red(), colour.green(), colour.blue())


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("sweep", ["scale", "mask", "rows", "tokens"])
def test_the_extent_that_is_foretold_is_that_of_the_file(form: AnimationFormat, sweep: Sweep) -> None:
    experiment = load_example("animal-street")
    extent = animation_extent(form, SMALL, experiment, sweep)
    data = animation_bytes(form, SMALL, experiment, Motion(sweep))
    picture: Any = Image.open(io.BytesIO(data))
    assert (extent.frames, extent.width, extent.height) == (picture.n_frames, *picture.size)
    assert extent.size / 4 < len(data) < extent.size * 2


def test_every_picture_is_reported_and_the_last_step_says_all() -> None:
    steps: list[tuple[int, int]] = []
    animation_bytes(
        "gif", SMALL, load_example("animal-street"), Motion("rows"), lambda *step: steps.append((step[0], step[1]))
    )
    assert steps == [(done, 5) for done in range(6)]


def test_what_a_step_raises_stops_the_animation() -> None:
    def stop(done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        animation_bytes("webp", SMALL, load_example("animal-street"), Motion("scale"), stop)


@pytest.mark.parametrize(
    ("form", "spec", "motion", "sentence"),
    [
        ("gif", FigureSpec(width_px=9000, height_px=9000), Motion(), "pixels are more than 400 million pixels"),
        ("webp", FigureSpec(width_px=3000, height_px=3000), Motion(), "pixels are more than 130 million pixels"),
        ("webp", FigureSpec(width_px=17000, height_px=300), Motion("mask"), "at most 16,383 pixels"),
        ("gif", SMALL, Motion(seconds=0), "the duration is 0 s, but 0.1 to 600 s was expected"),
        ("gif", SMALL, Motion(loops=-1), "would be played -1 times, but at most 1000 are possible"),
    ],
)
def test_what_is_beyond_the_limits_is_refused_at_once(
    form: AnimationFormat, spec: FigureSpec, motion: Motion, sentence: str
) -> None:
    with pytest.raises(FigureError, match=sentence):
        animation_bytes(form, spec, load_example("animal-street"), motion)


def test_more_pictures_than_there_may_be_are_refused() -> None:
    from attnexplorer.experiment.edits.creation import new_experiment

    long = new_experiment(tuple(f"t{number}" for number in range(MOST_FRAMES + 10)), 2, 2, 2, 1, 0)
    with pytest.raises(FigureError, match="the animation would have 211 pictures, but at most 200 are possible"):
        animation_extent("gif", SMALL, long, "rows")
