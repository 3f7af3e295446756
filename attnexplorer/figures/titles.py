"""What a figure calls its matrices. Subscripts and superscripts are written ``_{…}`` and ``^{…}``."""

from __future__ import annotations

from typing import NamedTuple

from attnexplorer.compute.stages import Unit, unit_at
from attnexplorer.experiment.model import Experiment, Layer

_STAGES = {
    "embeddings": ("E[t]", "looked-up rows"),
    "position_table": ("P", "positions"),
    "source_input": ("X′", "second sequence"),
    "input": ("X", "input"),
    "attention_input": ("norm(X)", "normalised input"),
    "query": ("Q", "queries"),
    "key": ("K", "keys"),
    "value": ("V", "values"),
    "query_rotated": ("Q′", "rotated queries"),
    "key_rotated": ("K′", "rotated keys"),
    "scores": ("Q K^{T}", "raw scores"),
    "scaled": ("", "scaled scores"),
    "masked": ("mask", "masked scores"),
    "weights": ("A", "attention weights"),
    "head_output": ("Z = A V", "head output"),
    "concat": ("concat", "heads side by side"),
    "attention_output": ("concat · W_{O}", "attention output"),
    "attention_residual": ("r", "after attention"),
    "ffn_input": ("u", "FFN input"),
    "ffn_hidden": ("h", "FFN hidden"),
    "ffn_output": ("FFN(u)", "FFN output"),
    "output": ("output", "of the layer"),
    "final": ("norm", "final norm"),
    "logits": ("logits", "a score a word"),
    "probabilities": ("p", "probability of the next word"),
}
_PARAMETERS = {
    "embedding.E": ("E", "embedding"),
    "position.table": ("P", "learned positions"),
    "source.X": ("X′", "second sequence"),
}


class Title(NamedTuple):
    """The symbol of a matrix, marked up, and what it is in words."""

    symbol: str
    words: str


def matrix_title(experiment: Experiment, path: str) -> Title:
    """Return the title of the matrix at a path, with no head and no layer in it."""
    unit = unit_at(path)
    if unit is None:
        return _parameter_title(path)
    symbol, words = _STAGES.get(unit.stage, (unit.stage, ""))
    if unit.stage == "scaled":
        return Title(scale_symbol(experiment.layers[unit.layer or 0]), words)
    if unit.stage == "masked":
        return Title(symbol, mask_words(experiment, unit.layer or 0))
    if unit.stage == "attention_output" and experiment.layers[unit.layer or 0].attention.W_O is None:
        return Title("concat", words)
    return Title(symbol, words)


def place_words(experiment: Experiment, path: str) -> str:
    """Return which head and layer a matrix belongs to, where there are several: "head 2, layer 1"."""
    unit = unit_at(path) or _parameter_unit(path)
    parts = []
    if unit.layer is not None and unit.head is not None and experiment.layers[unit.layer].attention.heads > 1:
        parts.append(f"head {unit.head + 1}")
    if unit.layer is not None and len(experiment.layers) > 1:
        parts.append(f"layer {unit.layer + 1}")
    return ", ".join(parts)


def scale_symbol(layer: Layer) -> str:
    """Return what the scale does, marked up: "÷ √d_{k}", "× 1", "× 0.5"."""
    scale = layer.attention.scale
    if scale == "sqrt_dk":
        return "÷ √d_{k}"
    return "× 1" if scale == "none" else f"× {float(scale):.4g}"


def mask_words(experiment: Experiment, layer: int) -> str:
    """Return the rules of a layer's mask in words."""
    mask = experiment.layers[layer].attention.mask
    rules = [
        name
        for name, on in (
            ("causal", mask.causal),
            (f"window {mask.window}", mask.window is not None),
            ("segments", mask.segments is not None),
            ("padding", any(experiment.key_padding)),
            ("chosen pairs", bool(mask.blocked or mask.allowed)),
        )
        if on
    ]
    return " + ".join(rules) if rules else "no mask"


def experiment_words(experiment: Experiment, layer: int) -> str:
    """Return a caption that the data says: tokens, heads, width, scale and mask."""
    attention = experiment.layers[layer].attention
    keys = len(experiment.key_tokens)
    tokens = _counted(len(experiment.query_tokens), "token")
    tokens += f" attending to {_counted(keys, 'token')}" if experiment.source is not None else ""
    scale = {"sqrt_dk": "scale 1/√dₖ", "none": "no scaling"}.get(
        str(attention.scale), f"scale {attention.scale_factor:.4g}"
    )
    parts = (tokens, _counted(attention.heads, "head"), f"dₖ = {attention.d_k}", scale, mask_words(experiment, layer))
    place = f" (layer {layer + 1} of {len(experiment.layers)})" if len(experiment.layers) > 1 else ""
    sentence = ", ".join(parts) + place
    return f"{' '.join(experiment.title.split())}: {sentence}." if experiment.title else f"{sentence}."


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _parameter_title(path: str) -> Title:
    if path in _PARAMETERS:
        return Title(*_PARAMETERS[path])
    parts = path.split(".")
    name = next((part for part in reversed(parts) if not part.isdigit()), path)
    if name in ("gain", "bias"):
        which = "final norm" if parts[0] == "final_norm" else f"{'FFN' if parts[-1] == '1' else 'attention'} norm"
        return Title(name, which)
    base, _, subscript = name.partition("_")
    words = {"W": "parameters", "b": "bias"}.get(base, "")
    return Title(f"{base}_{{{subscript}}}" if subscript else base, words)


def _parameter_unit(path: str) -> Unit:
    parts = path.split(".")
    if parts[0] != "layers" or not parts[1].isdigit():
        return Unit(path)
    per_head = len(parts) > 4 and parts[2] == "attention" and parts[-1].isdigit()
    return Unit(path, int(parts[1]), int(parts[-1]) if per_head else None)


def stage_words(stage: str) -> str:
    """Return what a stage is in words."""
    words = _STAGES.get(stage, ("", stage))[1]
    return words if stage != "output" else "output of the layer"
