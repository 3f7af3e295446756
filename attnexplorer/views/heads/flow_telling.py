"""What the flow says about the token that stands out: what it is most tied to, or what has changed most for it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from attnexplorer.compute.numbers import cell_text, telling_text
from attnexplorer.figures.flow import End, FlowPicture


def strongest(weights: Sequence[NDArray[np.floating]], end: End) -> tuple[int, float]:
    """Return the token at the other end of a token's strongest line, and the weight; of several heads, the largest."""
    if not weights:
        return 0, 0.0
    rows = [matrix[end.token] if end.side == "query" else matrix[:, end.token] for matrix in weights]
    largest = np.max(rows, axis=0)
    other = int(largest.argmax())
    return other, float(largest[other])


def told_change(picture: FlowPicture, decimal_point: str) -> str:
    """Return in words which weight of the isolated token has changed the most."""
    end = picture.isolated
    if end is None:
        return ""
    more, less = (strongest([flow.weights for flow in picture.flows[start::2]], end) for start in (0, 1))
    (other, weight), word = (more, "more") if more[1] >= less[1] else (less, "less")
    query, key = (end.token, other) if end.side == "query" else (other, end.token)
    if not weight:
        labels = picture.queries if end.side == "query" else picture.keys
        return f"nothing has changed for “{labels.texts[end.token]}”"
    number = telling_text(weight, 2, decimal_point)
    return f"“{picture.queries.texts[query]}” draws {number} {word} from “{picture.keys.texts[key]}”"


def told(picture: FlowPicture, decimal_point: str) -> str:
    """Return in words what the isolated token is most tied to."""
    end = picture.isolated
    if end is None:
        return ""
    other, weight = strongest([flow.weights for flow in picture.flows], end)
    number = cell_text(weight, 2, decimal_point=decimal_point)
    if end.side == "query":
        if not weight:
            return f"“{picture.queries.texts[end.token]}” sees nothing"
        return f"“{picture.queries.texts[end.token]}” draws {number} from “{picture.keys.texts[other]}”"
    if not weight:
        return f"nobody draws from “{picture.keys.texts[end.token]}”"
    return f"“{picture.keys.texts[end.token]}” gives most to “{picture.queries.texts[other]}”, {number}"
