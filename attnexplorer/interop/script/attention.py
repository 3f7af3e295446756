"""The attention of one layer as code: projections, rotation, scores, mask, softmax, mixing, heads side by side."""

from __future__ import annotations

import numpy as np

from attnexplorer.compute.positions import alibi_slopes
from attnexplorer.experiment.model import Attention
from attnexplorer.interop.script import literals
from attnexplorer.interop.script.context import Context


def attention_lines(context: Context, layer: int, origin: str) -> list[str]:
    """Return the lines from the rows `origin` [n, d_model] to `attention_output` [n, d_out]."""
    attention = context.experiment.layers[layer].attention
    sections = (
        _sizes(attention),
        _parameters(context, attention),
        _projections(context, layer, origin),
        _rotation(context, layer),
        _sharing(context, layer),
        _scores(context, layer),
        _scaling(context, layer),
        _masking(context, layer),
        _mixing(context, layer),
        _joining(context, layer),
    )
    return [line for section in sections if section for line in (*section, "")][:-1]


def _sizes(attention: Attention) -> list[str]:
    names = "heads, kv_heads, d_k, d_v"
    return [f"{names} = {attention.heads}, {attention.kv_heads}, {attention.d_k}, {attention.d_v}"]


def _parameters(context: Context, attention: Attention) -> list[str]:
    lines: list[str] = []
    for letter, heads, width, rows in (
        ("Q", "heads", "d_k", "d_model"),
        ("K", "kv_heads", "d_k", "d_source" if context.crosses else "d_model"),
        ("V", "kv_heads", "d_v", "d_source" if context.crosses else "d_model"),
    ):
        lines += context.array(f"W_{letter}", np.stack(getattr(attention, f"W_{letter}")), f"{heads}, {rows}, {width}")
        bias = getattr(attention, f"b_{letter}")
        if bias is not None:
            lines += context.array(f"b_{letter}", np.stack(bias), f"{heads}, {width}")
    return lines


def _projections(context: Context, layer: int, origin: str) -> list[str]:
    attention = context.experiment.layers[layer].attention
    lines = ["# Projections of row vectors: q = x W_Q; every head has a matrix of its own."]
    key_origin = "X_source" if context.crosses else origin
    for letter, stage, rows, heads, shape in (
        ("Q", "query", origin, attention.heads, "[heads, n, d_k]"),
        ("K", "key", key_origin, attention.kv_heads, "[kv_heads, m, d_k]"),
        ("V", "value", key_origin, attention.kv_heads, "[kv_heads, m, d_v]"),
    ):
        bias = "" if getattr(attention, f"b_{letter}") is None else f" + b_{letter}[:, None, :]"
        lines.append(f"{letter} = {rows} @ W_{letter}{bias}  # {shape}")
        lines += context.pinned_heads(layer, stage, letter, heads)
        lines.append(context.shown(f"layers.{layer}.{stage}", letter))
    return lines


def _rotation(context: Context, layer: int) -> list[str]:
    position = context.experiment.position
    if position.kind != "rope":
        return []
    attention = context.experiment.layers[layer].attention
    lines = ["# RoPE: each pair of columns turns by an angle that grows with the position."]
    for letter, stage, heads in (("Q", "query", attention.heads), ("K", "key", attention.kv_heads)):
        lines.append(f"{letter} = rotated({letter}, {position.offset}, {literals.number(position.base)})")
        lines += context.pinned_heads(layer, f"{stage}_rotated", letter, heads)
        lines.append(context.shown(f"layers.{layer}.{stage}_rotated", letter))
    return lines


def _sharing(context: Context, layer: int) -> list[str]:
    attention = context.experiment.layers[layer].attention
    times = attention.heads // attention.kv_heads
    if times == 1:
        return []
    what = "All query heads share one" if attention.kv_heads == 1 else f"Each {times} neighbouring query heads share a"
    repeated = (f"{x} = {context.dialect.repeated.format(x=x, times=times)}" for x in ("K", "V"))
    return [f"# {what} KV head: [kv_heads, m, …] → [heads, m, …]", *repeated]


def _scores(context: Context, layer: int) -> list[str]:
    return [
        "# Every query's dot product with every key.",
        f"S = Q @ {context.dialect.transposed.format(x='K')}  # [heads, n, m]",
        *_pair_stage(context, layer, "scores", "S"),
    ]


def _scaling(context: Context, layer: int) -> list[str]:
    attention = context.experiment.layers[layer].attention
    factor = "1.0 / d_k**0.5" if attention.scale == "sqrt_dk" else literals.number(attention.scale_factor)
    lines = [f"scale = {factor}", "scaled = S * scale  # [heads, n, m]"]
    if not attention.scale_factor > 0 and _blocks_scores(context, layer):
        np_ = context.module
        lines[1:] = [
            f"blocked = {np_}.isneginf(S)  # a score that is pinned to -inf stays -inf under every scale",
            f"scaled = {np_}.where(blocked, -inf, {np_}.where(blocked, 0.0, S) * scale)",
        ]
    if attention.softcap is not None:
        lines += [
            f"softcap = {literals.number(attention.softcap)}",
            f"scaled = softcap * {context.module}.tanh(scaled / softcap)  # never beyond ±softcap",
        ]
    return [*lines, *_pair_stage(context, layer, "scaled", "scaled")]


def _masking(context: Context, layer: int) -> list[str]:
    attention, module = context.experiment.layers[layer].attention, context.module
    lines = [*_visibility(context, layer), *_penalty(context, attention)]
    penalised = "scaled - penalty" if context.experiment.position.kind == "alibi" else "scaled"
    if attention.temperature != 1.0:
        lines.append(f"temperature = {literals.number(attention.temperature)}")
        penalised = f"({penalised}) / temperature" if " " in penalised else f"{penalised} / temperature"
    lines += [
        "# A blocked pair is exactly -inf, so that its weight is exactly 0.",
        f"masked = {module}.where(seen, {penalised}, -inf)  # [heads, n, m]",
    ]
    return [*lines, *_pair_stage(context, layer, "masked", "masked")]


def _visibility(context: Context, layer: int) -> list[str]:
    """Return the lines that make `seen` [n, m]: True where a query may attend to a key."""
    experiment, module = context.experiment, context.module
    mask, padding = experiment.layers[layer].attention.mask, experiment.key_padding
    lines = ["# Which query may see which key.", f"seen = {context.dialect.all_true}  # [n, m]"]
    if mask.causal or mask.window is not None:
        shift = " + (m - n)" if context.crosses and mask.align == "end" else ""
        lines.append(f"query_at = {module}.arange(n)[:, None]{shift}  # where each query stands among the keys")
        lines.append(f"key_at = {module}.arange(m)[None, :]")
    prefix = f" | (key_at < {mask.prefix})" if mask.prefix else ""
    if mask.causal:
        rule = f"(key_at <= query_at){prefix}" if prefix else "key_at <= query_at"
        lines.append(f"seen &= {rule}  # causal{', but for the prefix' if prefix else ''}")
    if mask.window is not None:
        near = f"{module}.abs(query_at - key_at) < {mask.window}"
        lines.append(f"seen &= {f'({near}){prefix}' if prefix else near}  # window")
    if mask.segments is not None:
        lines += literals.texts("segments", [str(segment) for segment in mask.segments])
        inside = f"{context.dialect.flags}([[a == b for b in segments] for a in segments])"
        lines.append(f"seen &= {inside}  # only within one segment")
    if any(padding):
        lines += [*literals.flags("padding", context.dialect.flags, padding), "seen &= ~padding  # nobody sees padding"]
    for pairs, value in ((mask.blocked, False), (mask.allowed, True)):
        if pairs:
            head = "for query, key in "
            lines += f"{head}{literals.pairs(pairs, len(head) + 1)}:".split("\n")
            last = "  # has the last word" if value else ""
            lines.append(f"    seen[query, key] = {value}{last}")
    return lines


def _penalty(context: Context, attention: Attention) -> list[str]:
    if context.experiment.position.kind != "alibi":
        return []
    module, heads = context.module, attention.heads
    how = "the slope of head h is 2^(-8(h+1)/heads)"
    if heads & (heads - 1):
        whole = 1 << (heads.bit_length() - 1)
        how = f"slopes for {whole} heads, then the 1st, 3rd, … slope for {2 * whole} heads"
    return [
        f"# ALiBi: a penalty on distance; {how}.",
        *literals.assigned("slopes", context.dialect.array, np.array(alibi_slopes(heads))),
        f"distance = {module}.abs({module}.arange(n)[:, None] + (m - n) - {module}.arange(m)[None, :])  # [n, m]",
        "penalty = slopes[:, None, None] * distance  # [heads, n, m]",
    ]


def _mixing(context: Context, layer: int) -> list[str]:
    lines = [
        "# Each row of weights sums to 1; a row that sees no key is all zeros.",
        "A = softmax(masked)  # [heads, n, m]",
        *_pair_stage(context, layer, "weights", "A"),
        "# Each output is a mean of the values, weighted by A.",
    ]
    attention = context.experiment.layers[layer].attention
    if all(np.isfinite(value).all() for value in context.trace.layers[layer].value):
        lines.append("Z = A @ V  # [heads, n, d_v]")
    else:
        lines.append("# V holds numbers that are not finite: keys of weight 0 are left out, as 0 times them is nan.")
        lines.append(f"Z = {context.dialect.stacked_sums}  # [heads, n, d_v]")
    lines += context.pinned_heads(layer, "head_output", "Z", attention.heads)
    return [*lines, context.shown(f"layers.{layer}.head_output", "Z")]


def _joining(context: Context, layer: int) -> list[str]:
    attention = context.experiment.layers[layer].attention
    lines, heard = ["# The heads side by side."], "Z"
    if attention.muted_heads:
        heard = "heard"
        lines.append(f"heard = {context.dialect.copied.format(x='Z')}")
        lines += [f"heard[{head}] = 0.0  # muted" for head in sorted(set(attention.muted_heads))]
    lines.append(f"concat = {context.dialect.joined.format(x=heard)}  # [n, heads * d_v]")
    lines += context.pinned(layer, "concat", "concat")
    lines += [context.shown(f"layers.{layer}.concat", "concat"), *_output_parameters(context, attention)]
    product = "concat" if attention.W_O is None else "concat @ W_O"
    bias = "" if attention.b_O is None else " + b_O"
    lines.append(f"attention_output = {product}{bias}  # [n, d_out]")
    lines += context.pinned(layer, "attention_output", "attention_output")
    return [*lines, context.shown(f"layers.{layer}.attention_output", "attention_output")]


def _output_parameters(context: Context, attention: Attention) -> list[str]:
    lines = [] if attention.W_O is None else context.array("W_O", attention.W_O, "heads * d_v, d_out")
    return lines if attention.b_O is None else [*lines, *context.array("b_O", attention.b_O, "d_out")]


def _pair_stage(context: Context, layer: int, stage: str, variable: str) -> list[str]:
    heads = context.experiment.layers[layer].attention.heads
    pins = context.pinned_heads(layer, stage, variable, heads)
    return [*pins, context.shown(f"layers.{layer}.{stage}", variable)]


def _blocks_scores(context: Context, layer: int) -> bool:
    pins = context.experiment.pins
    heads = context.experiment.layers[layer].attention.heads
    found = (pins.get(f"layers.{layer}.scores.{head}") for head in range(heads))
    return any(pin is not None and np.isneginf(pin).any() for pin in found)
