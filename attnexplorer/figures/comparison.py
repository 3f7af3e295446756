"""Two states of one matrix, A and B, and their difference, on colours that can be compared."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from attnexplorer.compute.differences import difference
from attnexplorer.compute.numbers import telling_decimals
from attnexplorer.figures.colours import ColourScale, largest_magnitude
from attnexplorer.figures.content import MatrixContent
from attnexplorer.figures.labels import Labels
from attnexplorer.figures.matrix import Flags, MatrixPicture

Compared = Literal["A", "B", "B-A"]


def compared(a: MatrixContent, b: MatrixContent, which: Compared) -> MatrixContent:
    """Return A, B or B − A (of equal shape) with the colours that all three share.

    Signed matrices have one symmetric scale that holds all three. Weights keep theirs; their difference has a
    symmetric scale of its own, as large as itself, since one as wide as the weights would hide it.
    """
    if which == "B-A":
        return _difference(a, b)
    shown = a if which == "A" else b
    if shown.picture.scale.kind == "sequential":
        return shown
    return replace(shown, picture=replace(shown.picture, scale=_shared_scale(a, b), _memo={}))


def _difference(a: MatrixContent, b: MatrixContent) -> MatrixContent:
    first, second = a.picture, b.picture
    values = difference(first.values, second.values)
    if second.scale.kind == "sequential":
        limit = largest_magnitude(values) or 1.0
        scale = ColourScale("diverging", -limit, limit)
    else:
        scale = _shared_scale(a, b)
    picture = MatrixPicture(
        values=values,
        scale=scale,
        theme=second.theme,
        decimals=telling_decimals(values, second.decimals),
        decimal_point=second.decimal_point,
        hatched=_blocked_in_both(first, second),
        empty_where_hatched=True,
    )
    return replace(b, picture=picture, rows=_renamed(a.rows, b.rows), columns=_renamed(a.columns, b.columns))


def _shared_scale(a: MatrixContent, b: MatrixContent) -> ColourScale:
    limits = [largest_magnitude(content.picture.values) for content in (a, b)]
    if a.shape == b.shape:
        limits.append(largest_magnitude(difference(a.picture.values, b.picture.values)))
    limit = max(limits) or 1.0
    return ColourScale("diverging", -limit, limit)


def _blocked_in_both(first: MatrixPicture, second: MatrixPicture) -> Flags | None:
    if first.hatched is None or second.hatched is None:
        return None
    both = np.asarray(first.hatched & second.hatched)
    return both if both.any() else None


def _renamed(before: Labels, after: Labels) -> Labels:
    """Return the labels of B; where A has another token there, both."""
    texts = (old if old == new else f"{old} → {new}" for old, new in zip(before.texts, after.texts, strict=True))
    return replace(after, texts=tuple(texts))
