"""What a card says about its matrix: symbol and caption. Subscripts and superscripts are HTML."""

from __future__ import annotations

from attnexplorer.compute.stages import unit_at
from attnexplorer.experiment.model import Experiment

_STAGES = {
    "embeddings": ("E[t]", "looked-up rows"),
    "position_table": ("P", "position"),
    "source_input": ("X′", "second sequence"),
    "input": ("X", "input"),
    "attention_input": ("norm(X)", "normalised"),
    "query": ("Q", "queries"),
    "key": ("K", "keys"),
    "value": ("V", "values"),
    "query_rotated": ("Q′", "rotated queries"),
    "key_rotated": ("K′", "rotated keys"),
    "scores": ("Q K<sup>T</sup>", "raw scores"),
    "scaled": ("÷ √d<sub>k</sub>", "scaled"),
    "masked": ("mask", ""),
    "weights": ("softmax", "weights A"),
    "head_output": ("Z = A V", "head output"),
    "concat": ("concat", "heads side by side"),
    "attention_output": ("concat · W<sub>O</sub>", "attention output"),
    "attention_residual": ("r", "after attention"),
    "ffn_input": ("u", "FFN input"),
    "ffn_hidden": ("h", "FFN hidden"),
    "ffn_output": ("FFN(u)", "FFN output"),
    "output": ("output", "of the layer"),
    "final": ("norm", "final norm"),
    "logits": ("logits", ""),
    "probabilities": ("p", "next token"),
}


def card_title(experiment: Experiment, path: str) -> tuple[str, str]:
    """Return a matrix's symbol (HTML) and its caption."""
    unit = unit_at(path)
    if unit is None:
        return _parameter_title(path)
    symbol, caption = _STAGES[unit.stage]
    if unit.stage == "scaled" and unit.layer is not None:
        softcap = experiment.layers[unit.layer].attention.softcap
        capped = "" if softcap is None else f", capped at {softcap:g}"
        return _scaled_title(experiment, unit.layer), f"scaled{capped}"
    if unit.stage == "masked" and unit.layer is not None:
        return symbol, _mask_caption(experiment, unit.layer)
    if unit.stage == "attention_output" and unit.layer is not None:
        has_matrix = experiment.layers[unit.layer].attention.W_O is not None
        return (symbol if has_matrix else "concat", caption)
    return symbol, caption


def _scaled_title(experiment: Experiment, layer: int) -> str:
    scale = experiment.layers[layer].attention.scale
    if scale == "sqrt_dk":
        return "÷ √d<sub>k</sub>"
    return "× 1" if scale == "none" else f"× {float(scale):.4g}"


def _mask_caption(experiment: Experiment, layer: int) -> str:
    attention = experiment.layers[layer].attention
    mask = attention.mask
    rules = [
        name
        for name, on in (
            ("causal", mask.causal),
            ("window", mask.window is not None),
            ("prefix", bool(mask.prefix) and (mask.causal or mask.window is not None)),
            ("segments", mask.segments is not None),
            ("padding", any(experiment.key_padding)),
            ("pairs", bool(mask.blocked or mask.allowed)),
            ("ALiBi", experiment.position.kind == "alibi"),
            ("temperature", attention.temperature != 1),
        )
        if on
    ]
    return " + ".join(rules) if rules else "none"


def _parameter_title(path: str) -> tuple[str, str]:
    parts = path.split(".")
    name = next((part for part in reversed(parts) if not part.isdigit()), path)
    if name in ("gain", "bias"):
        which = "final norm" if parts[0] == "final_norm" else f"{'FFN' if parts[-1] == '1' else 'attention'} norm"
        return name, which
    if path == "position.table":
        return "P", "learned positions"
    if path == "source.X":
        return "X′", "second sequence"
    base, _, subscript = name.partition("_")
    return (f"{base}<sub>{subscript}</sub>" if subscript else base), ""
