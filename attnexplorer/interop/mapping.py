"""From an array that another program wrote to the matrices of an experiment: which, which way round, split how."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attnexplorer.experiment.arrays import Matrix, frozen
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.model import Attention, Experiment
from attnexplorer.experiment.paths import get, replace_all
from attnexplorer.experiment.pinning import pin_shape
from attnexplorer.experiment.rules import counted
from attnexplorer.interop.arrays.found import shape_words


class Kind(Enum):
    """What a target is: one matrix, one matrix a head, or queries, keys and values in one."""

    MATRIX = "matrix"
    HEADS = "heads"
    FUSED = "fused"


class Order(Enum):
    """How a fused matrix is laid out, column by column."""

    BLOCKS = "Q of all heads, then K, then V"
    """PyTorch's in_proj_weight, GPT-2's c_attn, Phi's qkv_proj."""
    BY_HEAD = "Q, K and V of head 1, then of head 2, …"
    """GPT-NeoX's and BLOOM's query_key_value."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where an array can go: `path` names a matrix, or, with heads, all matrices of that name.

    For fused matrices the path ends in ``W_QKV`` or ``b_QKV``.
    """

    path: str
    kind: Kind


class Choice(NamedTuple):
    """How an array is to be read: which of its slices, whether transposed, in which order."""

    slices: tuple[int, ...] = ()
    transposed: bool = False
    order: Order = Order.BLOCKS


def targets(experiment: Experiment) -> tuple[Target, ...]:
    """Return everything that an array can be imported into, in the order of the computation."""
    return tuple(_targets(experiment))


def matrices(experiment: Experiment, array: NDArray[np.float64], target: Target, choice: Choice) -> dict[str, Matrix]:
    """Return the matrices that an array becomes, by their paths.

    Raises
    ------
    ExperimentError
        If the shape does not fit; the sentence says what it is and what was expected.
    """
    chosen = sliced(array, choice.slices)
    if target.kind is Kind.MATRIX:
        return {target.path: _single(experiment, chosen, target.path, choice.transposed)}
    attention = _attention(experiment, target.path)
    start, name = target.path.rsplit(".", 1)
    if target.kind is Kind.HEADS:
        heads = _heads_of(attention, name)
        return _paths(f"{start}.{name}", _split(chosen, heads, name, choice.transposed))
    return _fused(chosen, attention, start, name[0], choice)


def imported(experiment: Experiment, found: Mapping[str, Matrix]) -> Experiment:
    """Return the experiment with matrices in their places; the matrices of all heads come together."""
    changes: dict[str, Any] = {}
    heads: dict[str, list[Matrix]] = {}
    for path, matrix in found.items():
        start, name, last = path.rsplit(".", 2)
        if name[:2] in ("W_", "b_") and last.isdigit() and get(experiment, f"{start}.{name}") is None:
            heads.setdefault(f"{start}.{name}", []).append(matrix)
        else:
            changes[path] = matrix
    return replace_all(experiment, changes | {path: tuple(those) for path, those in heads.items()})


def sliced(array: NDArray[np.float64], slices: tuple[int, ...]) -> NDArray[np.float64]:
    """Return what is left of an array when its first axes are fixed at `slices`."""
    part: NDArray[np.float64] = array[slices] if slices else array
    return part


def _targets(experiment: Experiment) -> Iterator[Target]:
    for path in ("embedding.E", "position.table", "source.X"):
        if _is_array(experiment, path):
            yield Target(path, Kind.MATRIX)
    for index, layer in enumerate(experiment.layers):
        start = f"layers.{index}.attention"
        for name in ("W_QKV", "b_QKV"):
            yield Target(f"{start}.{name}", Kind.FUSED)
        for name in ("W_Q", "b_Q", "W_K", "b_K", "W_V", "b_V"):
            heads = getattr(layer.attention, name)
            yield Target(f"{start}.{name}", Kind.HEADS)
            for head in range(len(heads or ())):
                yield Target(f"{start}.{name}.{head}", Kind.MATRIX)
        places = ("attention.W_O", "attention.b_O", "norm.gain.0", "norm.bias.0", "norm.gain.1", "norm.bias.1")
        ffn = ("ffn.W_gate", "ffn.W_1", "ffn.b_1", "ffn.W_2", "ffn.b_2")
        for place in (*places, *ffn):
            if _is_array(experiment, f"layers.{index}.{place}"):
                yield Target(f"layers.{index}.{place}", Kind.MATRIX)
    for path in ("final_norm.gain", "final_norm.bias", "unembedding.W_U"):
        if _is_array(experiment, path):
            yield Target(path, Kind.MATRIX)


def _is_array(experiment: Experiment, path: str) -> bool:
    try:
        return isinstance(get(experiment, path), np.ndarray)
    except (AttributeError, IndexError, TypeError, ValueError):
        return False


def _attention(experiment: Experiment, path: str) -> Attention:
    return experiment.layers[int(path.split(".")[1])].attention


def _heads_of(attention: Attention, name: str) -> int:
    return attention.heads if name.endswith("Q") else attention.kv_heads


def _single(experiment: Experiment, array: NDArray[np.float64], path: str, transposed: bool) -> Matrix:
    shape = _shape_at(experiment, path)
    name = next(part for part in reversed(path.split(".")) if not part.isdigit())
    matrix = _of_axes(array.T if transposed else array, len(shape))
    if matrix is None or matrix.shape != shape:
        fits = matrix is not None and matrix.ndim > 1 and matrix.T.shape == shape
        hint = f"; {'as it is' if transposed else 'transposed'} it would fit" if fits else ""
        found = shape_words(array.T.shape if transposed else array.shape)
        raise ExperimentError("the array", f"is {found}, but {name} is {shape_words(shape)}{hint}")
    return frozen(np.ascontiguousarray(matrix))


def _shape_at(experiment: Experiment, path: str) -> tuple[int, ...]:
    """Return the shape of a parameter, or that of a pin of a stage."""
    if _is_array(experiment, path):
        shape: tuple[int, ...] = get(experiment, path).shape
        return shape
    return pin_shape(experiment, path)


def _of_axes(array: NDArray[np.float64], axes: int) -> NDArray[np.float64] | None:
    """Return an array with so many axes: a list of numbers may stand as a row or a column of a matrix."""
    if array.ndim == axes:
        return array
    if axes == 1 and array.ndim == 2 and 1 in array.shape:
        return array.ravel()
    return array[None, :] if axes == 2 and array.ndim == 1 else None


def _split(array: NDArray[np.float64], heads: int, name: str, transposed: bool) -> tuple[Matrix, ...]:
    """Return a matrix, or for a bias a list, a head: from a stack of them, or from one with the heads side by side."""
    axes = 1 if name.startswith("b") else 2
    if array.ndim == axes + 1:
        if len(array) != heads:
            raise ExperimentError("the array", f"has {counted(len(array), 'slice')}, but {counted(heads, 'head')}")
        return tuple(frozen(np.ascontiguousarray(part.T if transposed else part)) for part in array)
    flat = _of_axes(array.T if transposed else array, axes)
    if flat is None:
        expected = "a matrix or a stack of matrices" if axes == 2 else "a list of numbers or one a head"
        raise ExperimentError("the array", f"is {shape_words(array.shape)}, but {expected} was expected")
    width = flat.shape[-1]
    if width % heads:
        what = f"has {counted(width, 'column')}, which cannot be shared among {counted(heads, 'head')}"
        raise ExperimentError("the array", what)
    return tuple(frozen(np.ascontiguousarray(part)) for part in np.split(flat, heads, axis=-1))


def _fused(
    array: NDArray[np.float64], attention: Attention, start: str, letter: str, choice: Choice
) -> dict[str, Matrix]:
    """Return W_Q, W_K and W_V (or the biases) of every head; d_k = d_v, as a fused matrix cannot tell them apart."""
    axes = 1 if letter == "b" else 2
    flat = _of_axes(array.T if choice.transposed else array, axes)
    if flat is None:
        expected = "a matrix" if axes == 2 else "a list of numbers"
        raise ExperimentError("the array", f"is {shape_words(array.shape)}, but {expected} was expected")
    heads, kv_heads = attention.heads, attention.kv_heads
    parts = heads + 2 * kv_heads
    if flat.shape[-1] % parts:
        shared = f"{counted(heads, 'head')} of Q and {kv_heads} each of K and V"
        what = f"has {counted(flat.shape[-1], 'column')}, which cannot be shared among {shared}"
        raise ExperimentError("the array", what)
    pieces = [frozen(np.ascontiguousarray(piece)) for piece in np.split(flat, parts, axis=-1)]
    if choice.order is Order.BY_HEAD:
        if heads != kv_heads:
            raise ExperimentError("the layout", "by heads needs as many KV heads as heads")
        groups = (pieces[0::3], pieces[1::3], pieces[2::3])
    else:
        groups = (pieces[:heads], pieces[heads : heads + kv_heads], pieces[heads + kv_heads :])
    found: dict[str, Matrix] = {}
    for name, group in zip("QKV", groups, strict=True):
        found |= _paths(f"{start}.{letter}_{name}", tuple(group))
    return found


def _paths(path: str, heads: tuple[Matrix, ...]) -> dict[str, Matrix]:
    return {f"{path}.{head}": matrix for head, matrix in enumerate(heads)}
