"""From an experiment to the text of an `.attn` file that people can read and compare line by line.

Required keys are always written, and so are those that people change most by hand (position kind, scale, causal); every
other key only where it differs from its default. One line holds one matrix row, and numbers load back bit for bit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attnexplorer.experiment.captured import Capture
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.fileformat.layout import KnownTexts, laid_out
from attnexplorer.experiment.model import (
    DEFAULT_BASE,
    DEFAULT_EPS,
    FORMAT,
    VERSION,
    Attention,
    Embedding,
    Experiment,
    FeedForward,
    FinalNorm,
    Layer,
    Mask,
    Norm,
    Position,
    Sequence,
    Source,
    Unembedding,
)

_Keys = dict[str, Any]


def dumps(experiment: Experiment, known: KnownTexts | None = None) -> str:
    """Return the text of the file that holds an experiment, with a newline at its end.

    With the `known` texts of the last file only the arrays that are not in there are put into words.

    Raises
    ------
    ExperimentError
        If `view` or an unknown key holds what JSON cannot, or if it is a capture.
    """
    if isinstance(experiment, Capture):
        raise ExperimentError("", "captured weights are no experiment: they are kept in an .npz file")
    return (known.laid_out if known else laid_out)(_experiment(experiment)) + "\n"


def _experiment(experiment: Experiment) -> _Keys:
    return {
        "format": FORMAT,
        "version": VERSION,
        **_unless("title", experiment.title, ""),
        **_unless("notes", experiment.notes, ""),
        "sequence": _sequence(experiment.sequence),
        **_part("source", experiment.source, _source),
        "embedding": _embedding(experiment.embedding),
        "position": _position(experiment.position),
        "layers": [_layer(layer) for layer in experiment.layers],
        **_part("final_norm", experiment.final_norm, _final_norm),
        **_part("unembedding", experiment.unembedding, _unembedding),
        **_filled("pins", experiment.pins),
        **_filled("view", experiment.view),
        **experiment.extra,
    }


def _sequence(sequence: Sequence) -> _Keys:
    return {"tokens": list(sequence.tokens), **_padding(sequence.padding), **sequence.extra}


def _source(source: Source) -> _Keys:
    tokens = {"tokens": list(source.tokens), **_padding(source.padding)}
    return {**tokens, **_unless("X", source.X, None), **source.extra}


def _padding(padding: tuple[bool, ...]) -> _Keys:
    return {"padding": list(padding)} if any(padding) else {}


def _embedding(embedding: Embedding) -> _Keys:
    return {"vocabulary": list(embedding.vocabulary), "E": embedding.E, **embedding.extra}


def _position(position: Position) -> _Keys:
    return {
        "kind": position.kind,
        **_unless("base", position.base, DEFAULT_BASE),
        **_unless("interleaved", position.interleaved, False),
        **_unless("offset", position.offset, 0),
        **_unless("table", position.table, None),
        **position.extra,
    }


def _layer(layer: Layer) -> _Keys:
    return {
        "attention": _attention(layer.attention),
        **_part("norm", layer.norm, _norm),
        **_unless("residual", layer.residual, False),
        **_part("ffn", layer.ffn, _feed_forward),
        **layer.extra,
    }


def _attention(attention: Attention) -> _Keys:
    return {
        **{name: list(getattr(attention, name)) for name in ("W_Q", "W_K", "W_V")},
        **{key: value for name in ("b_Q", "b_K", "b_V") for key, value in _vectors(name, getattr(attention, name))},
        **_unless("W_O", attention.W_O, None),
        **_unless("b_O", attention.b_O, None),
        "scale": attention.scale,
        **_unless("temperature", attention.temperature, 1.0),
        **_unless("softcap", attention.softcap, None),
        "mask": _mask(attention.mask),
        **_filled("muted_heads", attention.muted_heads),
        **attention.extra,
    }


def _mask(mask: Mask) -> _Keys:
    return {
        "causal": mask.causal,
        **_unless("window", mask.window, None),
        **_unless("prefix", mask.prefix, None),
        **({} if mask.segments is None else {"segments": list(mask.segments)}),
        **_unless("align", mask.align, "end"),
        **_filled("blocked", mask.blocked),
        **_filled("allowed", mask.allowed),
        **mask.extra,
    }


def _norm(norm: Norm) -> _Keys:
    return {
        "kind": norm.kind,
        "placement": norm.placement,
        **_unless("eps", norm.eps, DEFAULT_EPS),
        "gain": list(norm.gain),
        **dict(_vectors("bias", norm.bias)),
        **norm.extra,
    }


def _feed_forward(ffn: FeedForward) -> _Keys:
    return {
        "activation": ffn.activation,
        "W_1": ffn.W_1,
        **_unless("b_1", ffn.b_1, None),
        "W_2": ffn.W_2,
        **_unless("b_2", ffn.b_2, None),
        **_unless("W_gate", ffn.W_gate, None),
        **ffn.extra,
    }


def _final_norm(norm: FinalNorm) -> _Keys:
    return {
        "kind": norm.kind,
        **_unless("eps", norm.eps, DEFAULT_EPS),
        "gain": norm.gain,
        **_unless("bias", norm.bias, None),
        **norm.extra,
    }


def _unembedding(unembedding: Unembedding) -> str | _Keys:
    return "tied" if unembedding.W_U is None else {"W_U": unembedding.W_U, **unembedding.extra}


def _unless(key: str, value: Any, default: Any) -> _Keys:
    """Return the key unless its value is the default; a matrix never is."""
    return {} if value is default or (isinstance(value, (str, int, float)) and value == default) else {key: value}


def _part(key: str, value: Any, keys_of: Any) -> _Keys:
    return {} if value is None else {key: keys_of(value)}


def _filled(key: str, value: Mapping[str, Any] | tuple[Any, ...]) -> _Keys:
    if not value:
        return {}
    return {key: dict(value) if isinstance(value, Mapping) else [_listed(entry) for entry in value]}


def _listed(entry: Any) -> Any:
    return list(entry) if isinstance(entry, tuple) else entry


def _vectors(key: str, rows: tuple[Any, ...] | None) -> list[tuple[str, Any]]:
    return [] if rows is None else [(key, list(rows))]
