"""What figures and cards call the matrices. Subscripts and superscripts are written ``_{…}`` and ``^{…}``."""

from __future__ import annotations

import re
from typing import NamedTuple

from attnexplorer.compute.stages import STAGES, unit_at
from attnexplorer.compute.units import Per, Unit
from attnexplorer.experiment.captured import Capture
from attnexplorer.experiment.model import Experiment, Layer


class Title(NamedTuple):
    """The symbol of a matrix, marked up, and what it is in words."""

    symbol: str
    words: str


class _Named(NamedTuple):
    """The title in a figure, which stands alone, and on a card, which stands among others."""

    figure: Title
    card: Title


def _named(symbol: str, words: str, caption: str | None = None, card_symbol: str | None = None) -> _Named:
    """Return the titles of a matrix; `caption` and `card_symbol` are those of its card where they are others."""
    card = Title(symbol if card_symbol is None else card_symbol, words if caption is None else caption)
    return _Named(Title(symbol, words), card)


_STAGES = {
    "embeddings": _named("E[t]", "looked-up rows"),
    "position_table": _named("P", "positions", "position"),
    "source_input": _named("X′", "second sequence"),
    "input": _named("X", "input"),
    "attention_input": _named("norm(X)", "normalised input", "normalised"),
    "query": _named("Q", "queries"),
    "key": _named("K", "keys"),
    "value": _named("V", "values"),
    "query_rotated": _named("Q′", "rotated queries"),
    "key_rotated": _named("K′", "rotated keys"),
    "scores": _named("Q K^{T}", "raw scores"),
    "scaled": _named("", "scaled scores", "scaled"),
    "masked": _named("mask", "masked scores"),
    "weights": _named("A", "attention weights", "weights A", "softmax"),
    "head_output": _named("Z = A V", "head output"),
    "concat": _named("concat", "heads side by side"),
    "attention_output": _named("concat · W_{O}", "attention output"),
    "attention_residual": _named("r", "after attention"),
    "ffn_input": _named("u", "FFN input"),
    "ffn_hidden": _named("h", "FFN hidden"),
    "ffn_output": _named("FFN(u)", "FFN output"),
    "output": _named("output", "of the layer"),
    "final": _named("norm", "final norm"),
    "logits": _named("logits", "a score a word", ""),
    "probabilities": _named("p", "probability of the next word", "next token"),
}
_PARAMETERS = {
    "embedding.E": _named("E", "embedding", ""),
    "position.table": _named("P", "learned positions"),
    "source.X": _named("X′", "second sequence"),
}
_OF_KV_HEADS = ("W_K", "W_V", "b_K", "b_V")
"""Parameters that are one a key and value head, which several heads may share."""
_PARAMETER_WORDS = {"W": "parameters", "b": "bias"}
_SCRIPT = re.compile(r"([_^])\{([^{}]*)\}")
_TAGS = {"_": "sub", "^": "sup"}


def matrix_title(experiment: Experiment, path: str) -> Title:
    """Return the title of a figure of the matrix at a path, with no head and no layer in it."""
    named, unit = _names_at(path), unit_at(path)
    if unit is not None and unit.stage == "scaled":
        return Title(scale_symbol(experiment.layers[unit.layer or 0]), named.figure.words)
    if unit is not None and unit.stage == "masked":
        return Title(named.figure.symbol, mask_words(experiment, unit.layer or 0))
    return _without_matrix(experiment, unit, named.figure)


def card_title(experiment: Experiment, path: str) -> Title:
    """Return the title of a card with the matrix at a path: its words say what its neighbours do not."""
    named, unit = _names_at(path), unit_at(path)
    if unit is not None and unit.stage == "scaled":
        layer = experiment.layers[unit.layer or 0]
        softcap = layer.attention.softcap
        capped = "" if softcap is None else f", capped at {softcap:g}"
        return Title(scale_symbol(layer), f"{named.card.words}{capped}")
    if unit is not None and unit.stage == "masked":
        rules = [rule.card for rule in _mask_rules(experiment, unit.layer or 0)]
        return Title(named.card.symbol, " + ".join(rules) if rules else "none")
    return _without_matrix(experiment, unit, named.card)


def html(symbol: str) -> str:
    """Return a marked-up symbol as HTML."""
    return _SCRIPT.sub(lambda found: f"<{_TAGS[found[1]]}>{found[2]}</{_TAGS[found[1]]}>", symbol)


def place_words(experiment: Experiment, path: str) -> str:
    """Return which head and layer a matrix belongs to, where there are several: "head 2, layer 1", "KV head 1"."""
    unit = unit_at(path) or _parameter_unit(path)
    parts = []
    if unit.layer is not None and unit.head is not None and experiment.layers[unit.layer].attention.heads > 1:
        parameter = unit.stage.split(".")[-2] if "." in unit.stage else ""
        shared = parameter in _OF_KV_HEADS if parameter else STAGES[unit.stage].per is Per.KV_HEAD
        attention = experiment.layers[unit.layer].attention
        noun = "KV head" if shared and attention.kv_heads < attention.heads else "head"
        parts.append(f"{noun} {unit.head + 1}")
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
    rules = [rule.figure for rule in _mask_rules(experiment, layer) if rule.figure]
    return " + ".join(rules) if rules else "no mask"


def experiment_words(experiment: Experiment, layer: int) -> str:
    """Return a caption that the data says: tokens, heads, and what is known of width, scale and mask."""
    attention = experiment.layers[layer].attention
    keys = len(experiment.key_tokens)
    tokens = _counted(len(experiment.query_tokens), "token")
    tokens += f" attending to {_counted(keys, 'token')}" if experiment.source is not None else ""
    parts: tuple[str, ...] = (tokens, _counted(attention.heads, "head"))
    if isinstance(experiment, Capture):
        parts = (*parts, "captured weights")
    else:
        parts = (*parts, f"dₖ = {attention.d_k}", _scale_words(experiment.layers[layer]), mask_words(experiment, layer))
    place = f" (layer {layer + 1} of {len(experiment.layers)})" if len(experiment.layers) > 1 else ""
    sentence = ", ".join(parts) + place
    return f"{' '.join(experiment.title.split())}: {sentence}." if experiment.title else f"{sentence}."


def stage_words(stage: str) -> str:
    """Return what a stage is in words."""
    words = _STAGES[stage].figure.words if stage in _STAGES else stage
    return words if stage != "output" else "output of the layer"


class _MaskRule(NamedTuple):
    """What a rule of the mask is called on a card and in a figure, whose caption says some of them."""

    card: str
    figure: str


def _mask_rules(experiment: Experiment, layer: int) -> list[_MaskRule]:
    attention = experiment.layers[layer].attention
    mask = attention.mask
    rules = (
        (mask.causal, _MaskRule("causal", "causal")),
        (mask.window is not None, _MaskRule("window", f"window {mask.window}")),
        (bool(mask.prefix) and (mask.causal or mask.window is not None), _MaskRule("prefix", "")),
        (mask.segments is not None, _MaskRule("segments", "segments")),
        (any(experiment.key_padding), _MaskRule("padding", "padding")),
        (bool(mask.blocked or mask.allowed), _MaskRule("pairs", "chosen pairs")),
        (experiment.position.kind == "alibi", _MaskRule("ALiBi", "")),
        (attention.temperature != 1, _MaskRule("temperature", "")),
    )
    return [rule for on, rule in rules if on]


def _scale_words(layer: Layer) -> str:
    attention = layer.attention
    known = {"sqrt_dk": "scale 1/√dₖ", "none": "no scaling"}
    return known.get(str(attention.scale), f"scale {attention.scale_factor:.4g}")


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _without_matrix(experiment: Experiment, unit: Unit | None, title: Title) -> Title:
    """Return a title, without W_O in it where there is none."""
    if unit is None or unit.stage != "attention_output":
        return title
    return title if experiment.layers[unit.layer or 0].attention.W_O is not None else Title("concat", title.words)


def _names_at(path: str) -> _Named:
    unit = unit_at(path)
    if unit is not None:
        return _STAGES[unit.stage] if unit.stage in _STAGES else _named(unit.stage, "")
    if path in _PARAMETERS:
        return _PARAMETERS[path]
    parts = path.split(".")
    name = next((part for part in reversed(parts) if not part.isdigit()), path)
    if name in ("gain", "bias"):
        which = "final norm" if parts[0] == "final_norm" else f"{'FFN' if parts[-1] == '1' else 'attention'} norm"
        return _named(name, which)
    base, _, subscript = name.partition("_")
    return _named(f"{base}_{{{subscript}}}" if subscript else base, _PARAMETER_WORDS.get(base, ""), "")


def _parameter_unit(path: str) -> Unit:
    parts = path.split(".")
    if parts[0] != "layers" or not parts[1].isdigit():
        return Unit(path)
    per_head = len(parts) > 4 and parts[2] == "attention" and parts[-1].isdigit()
    return Unit(path, int(parts[1]), int(parts[-1]) if per_head else None)
