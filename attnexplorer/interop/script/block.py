"""One layer as code: the attention, and the norms, residual sums and feed-forward network around it."""

from __future__ import annotations

from attnexplorer.experiment.arrays import Matrix
from attnexplorer.experiment.model import FeedForward, NormKind
from attnexplorer.interop.script.attention import attention_lines
from attnexplorer.interop.script.context import Context
from attnexplorer.interop.script.literals import number

_NORMS = {"layernorm": "layer_norm", "rmsnorm": "rms_norm"}


def layer_lines(context: Context, layer: int) -> list[str]:
    """Return the lines from the layer's input `X` to its output, which is called `X` again."""
    it = context.experiment.layers[layer]
    lines = [*context.pinned(layer, "input", "X"), context.shown(f"layers.{layer}.input", "X"), ""]
    origin = "X"
    if it.norm is not None and it.norm.placement == "pre":
        origin = "Y"
        lines += ["# Pre-norm: the attention reads normalised rows, X itself goes on as it is."]
        lines += _layer_norm(context, layer, 0, "Y", "X")
        lines += [context.shown(f"layers.{layer}.attention_input", "Y"), ""]
    lines += attention_lines(context, layer, origin)
    output = "attention_output"
    if it.residual or it.norm is not None or it.ffn is not None:
        lines += ["", *_after(context, layer, 0, "r", "X", "attention_output")]
        lines += [context.shown(f"layers.{layer}.attention_residual", "r")]
        output = "r"
    if it.ffn is not None:
        lines += ["", *_ffn(context, layer, it.ffn), "", *_after(context, layer, 1, "output", "r", "ffn_output")]
        output = "output"
    lines += ["", f"X = {output}  # [n, d_out]", *context.pinned(layer, "output", "X")]
    return [*lines, context.shown(f"layers.{layer}.output", "X")]


def norm_lines(
    context: Context, target: str, rows: str, kind: NormKind, eps: float, gain: Matrix, bias: Matrix | None
) -> list[str]:
    """Return the lines that normalise rows with a gain and, where there is one, a bias."""
    lines = context.array("gain", gain, "d")
    if bias is not None:
        lines += context.array("bias", bias, "d")
    added = "" if bias is None else " + bias"
    return [*lines, f"{target} = {_NORMS[kind]}({rows}, {number(eps)}) * gain{added}  # [n, d]"]


def _layer_norm(context: Context, layer: int, row: int, target: str, rows: str) -> list[str]:
    norm = context.experiment.layers[layer].norm
    assert norm is not None
    bias = None if norm.bias is None else norm.bias[row]
    return norm_lines(context, target, rows, norm.kind, norm.eps, norm.gain[row], bias)


def _after(context: Context, layer: int, row: int, target: str, stream: str, added: str) -> list[str]:
    """Return the residual sum and the post-norm, as far as the layer has them."""
    it = context.experiment.layers[layer]
    lines = ["# The residual stream."] if it.residual else []
    lines.append(f"{target} = {f'{stream} + {added}' if it.residual else added}  # [n, d_out]")
    if it.norm is not None and it.norm.placement == "post":
        lines += ["# Post-norm.", *_layer_norm(context, layer, row, target, target)]
    return lines


def _ffn(context: Context, layer: int, ffn: FeedForward) -> list[str]:
    it = context.experiment.layers[layer]
    lines = ["# The feed-forward network, for each row by itself."]
    if it.norm is not None and it.norm.placement == "pre":
        lines += _layer_norm(context, layer, 1, "u", "r")
    else:
        lines.append("u = r")
    lines += [context.shown(f"layers.{layer}.ffn_input", "u"), *_ffn_parameters(context, ffn)]
    bias = "" if ffn.b_1 is None else " + b_1"
    inner = f"u @ W_1{bias}"
    gated = f"{ffn.activation}(u @ W_gate) * ({inner})"
    lines.append(f"hidden = {f'{ffn.activation}({inner})' if ffn.W_gate is None else gated}  # [n, hidden]")
    lines += [*context.pinned(layer, "ffn_hidden", "hidden"), context.shown(f"layers.{layer}.ffn_hidden", "hidden")]
    lines.append(f"ffn_output = hidden @ W_2{'' if ffn.b_2 is None else ' + b_2'}  # [n, d_out]")
    lines += context.pinned(layer, "ffn_output", "ffn_output")
    return [*lines, context.shown(f"layers.{layer}.ffn_output", "ffn_output")]


def _ffn_parameters(context: Context, ffn: FeedForward) -> list[str]:
    given = (
        ("W_gate", ffn.W_gate, "d, hidden"),
        ("W_1", ffn.W_1, "d, hidden"),
        ("b_1", ffn.b_1, "hidden"),
        ("W_2", ffn.W_2, "hidden, d_out"),
        ("b_2", ffn.b_2, "d_out"),
    )
    return [line for name, values, axes in given if values is not None for line in context.array(name, values, axes)]
