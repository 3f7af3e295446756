"""How scales, metrics and pins are put into words wherever the scale is shown."""

from __future__ import annotations

from attnexplorer.compute.metrics import RowMetrics
from attnexplorer.compute.numbers import significant_text

_LONGEST_NAME = 24
_STAGE_WORDS = {"scaled": "scaled scores", "masked": "masked scores", "weights": "weights"}


def factor_text(factor: float, decimal_point: str) -> str:
    """Return a factor with up to four digits and no idle zeros: "0.7071", "4"."""
    text = significant_text(factor)
    if "." in text and "e" not in text:
        text = text.rstrip("0").rstrip(".")
    return text.replace(".", decimal_point)


def metrics_told(metrics: RowMetrics, decimal_point: str) -> str:
    """Return the metrics of a matrix's first row with what they mean, in several lines."""
    numbers = (metrics.entropy[0], metrics.effective_keys[0], metrics.largest[0], metrics.gradient[0])
    entropy, effective, largest, gradient = (significant_text(float(n), 6, decimal_point) for n in numbers)
    return (
        "Of the row at the scale that is set:\n"
        f"entropy {entropy} bits: how spread the weights are; equal weights have the most;\n"
        f"effective keys {effective}: so many equal weights would be as spread, 2 to the power of the entropy;\n"
        f"largest weight {largest};\n"
        f"gradient left {gradient}: the norm of the softmax's Jacobian; near 0 the row no longer learns."
    )


def pin_sentence(stage: str, whole: bool) -> str:
    """Say what a pin behind the scale does to a row; `whole`: all cells of the row are pinned."""
    what = _STAGE_WORDS[stage]
    if stage == "weights":
        row = "The weights" if whole else "Some weights"
        return f"{row} of this row are pinned: the scale does not reach them. The bars show softmax without that pin."
    if whole:
        return f"The {what} of this row are pinned: the scale has no effect on it."
    return f"Some {what} of this row are pinned: the scale has no effect on those."


def shortened(name: str) -> str:
    """Return a token's name, cut with an ellipsis where it is long."""
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"
