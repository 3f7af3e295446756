"""The bytes of a PNG file: whatever is in the rows of an image, it comes back bit for bit, and cells stay small."""

from __future__ import annotations

import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from PySide6.QtGui import QImage

from attnexplorer.figures.colours import image_of
from attnexplorer.figures.png import image_png

WIDTH = 240


def pixels_of(data: bytes) -> NDArray[np.uint8]:
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))


def image_from(pixels: NDArray[np.uint8]) -> QImage:
    red, green, blue = (pixels[..., k].astype(np.uint32) for k in range(3))
    return image_of(np.ascontiguousarray(0xFF000000 | red << 16 | green << 8 | blue)).convertToFormat(
        QImage.Format.Format_RGB32
    )


def test_noise_and_equal_rows_next_to_each_other_come_back_as_they_were() -> None:
    random = np.random.default_rng(1)
    noise = random.integers(0, 256, (300, WIDTH, 3), dtype=np.uint8)
    level = np.repeat(random.integers(0, 256, (1, WIDTH, 3), dtype=np.uint8), 300, axis=0)
    pixels = np.concatenate([noise, level, noise[:7], level])

    assert np.array_equal(pixels_of(image_png(image_from(pixels))), pixels)


def test_rows_that_differ_in_a_few_pixels_come_back_as_they_were() -> None:
    random = np.random.default_rng(2)
    pixels = np.full((600, WIDTH, 3), 200, dtype=np.uint8)
    for row in range(0, 600, 3):
        pixels[row, random.integers(0, WIDTH, row % 40)] = random.integers(0, 256, 3)

    assert np.array_equal(pixels_of(image_png(image_from(pixels))), pixels)


def test_an_image_of_cells_takes_little_more_than_one_row_of_each() -> None:
    cells = np.random.default_rng(3).integers(0, 256, (8, 8, 3), dtype=np.uint8)
    pixels = np.repeat(np.repeat(cells, 100, axis=0), 100, axis=1)

    assert len(image_png(image_from(pixels))) < 8_000
