"""From the bytes of an `.attn` file to a valid experiment."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

from attnexplorer.experiment.errors import ExperimentError, FileError
from attnexplorer.experiment.fileformat import json_checks as check
from attnexplorer.experiment.fileformat.json_text import LARGEST_FILE, json_from_bytes, too_large
from attnexplorer.experiment.fileformat.objects import Fields
from attnexplorer.experiment.model import (
    DEFAULT_BASE,
    DEFAULT_EPS,
    FORMAT,
    VERSION,
    Align,
    Attention,
    Embedding,
    Experiment,
    FeedForward,
    FinalNorm,
    Layer,
    Mask,
    Norm,
    Position,
    Scale,
    Sequence,
    Source,
    Unembedding,
)
from attnexplorer.experiment.validation import validate

_Part = TypeVar("_Part")
_MOST_WARNINGS = 50
_Builder = Callable[[Fields], _Part]


class ReadResult(NamedTuple):
    """An experiment and a sentence for each key that this version does not know."""

    experiment: Experiment
    warnings: tuple[str, ...]


def read(path: str | os.PathLike[str]) -> ReadResult:
    """Read an experiment from a file.

    Raises
    ------
    FileError
        If the file cannot be read or is no valid experiment, with one sentence that names the place.
    """
    return parse(_bytes_of(Path(path)), Path(path).name)


def load(path: str | os.PathLike[str]) -> Experiment:
    """Read an experiment from a file, without the warnings about unknown keys; see `read`."""
    return read(path).experiment


def parse(data: bytes, file_name: str) -> ReadResult:
    """Read an experiment from the bytes of a file; `file_name` only begins the sentence of an error.

    Raises
    ------
    FileError
        If the bytes are no valid experiment.
    """
    warnings: list[str] = []
    try:
        experiment = _experiment(Fields.of(json_from_bytes(data), "", warnings))
        validate(experiment)
    except ExperimentError as error:
        raise FileError(file_name, str(error)) from None
    except MemoryError:
        raise FileError(file_name, "the file needs more memory than there is") from None
    return ReadResult(experiment, tuple(f"{file_name}: {warning}" for warning in _shortened(warnings)))


def loads(text: str, file_name: str = "text") -> Experiment:
    """Read an experiment from text."""
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError:
        raise FileError(file_name, "the text holds half a surrogate pair, which is no character") from None
    return parse(data, file_name).experiment


def _shortened(warnings: list[str]) -> list[str]:
    more = len(warnings) - _MOST_WARNINGS
    return warnings if more <= 0 else [*warnings[:_MOST_WARNINGS], f"{more:,} more keys are not known; they are kept"]


def _bytes_of(path: Path) -> bytes:
    try:
        refusal = _refusal(path.stat())
        if refusal is None:
            with path.open("rb") as file:
                return file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise FileError(path.name, _unreadable(error)) from None
    except ValueError:
        raise FileError(path.name.replace("\0", "?"), "this is no file name") from None
    raise FileError(path.name, refusal)


def _refusal(status: os.stat_result) -> str | None:
    """Return why a file is not even opened: a folder, a pipe that may never end, or too many bytes."""
    if stat.S_ISDIR(status.st_mode):
        return "this is a folder, but a file was expected"
    if not stat.S_ISREG(status.st_mode):
        return "this is a device or a pipe, but a regular file was expected"
    return str(too_large()) if status.st_size > LARGEST_FILE else None


def _unreadable(error: OSError) -> str:
    """Return the sentence for a file that cannot be read."""
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    if isinstance(error, PermissionError):
        return "there is no permission to read this file"
    return f"the file cannot be read ({error.strerror or error})"


def _experiment(fields: Fields) -> Experiment:
    _check_header(fields)
    return Experiment(
        title=fields.optional("title", check.text, ""),
        notes=fields.optional("notes", check.text, ""),
        sequence=_required_part(fields, "sequence", _sequence),
        source=_part(fields, "source", _source, None),
        embedding=_required_part(fields, "embedding", _embedding),
        position=_part(fields, "position", _position, Position()),
        layers=_layers(fields),
        final_norm=_part(fields, "final_norm", _final_norm, None),
        unembedding=_unembedding(fields),
        pins=_pins(fields),
        view=check.frozen_mapping(fields.optional("view", _plain_mapping, {})),
        extra=fields.unknown(),
    )


def _check_header(fields: Fields) -> None:
    found = fields.take("format")
    if found is None:
        raise ExperimentError("", f'the file is no experiment: "format": "{FORMAT}" was expected in it')
    if found != FORMAT:
        check.wrong("format", found, f'"{FORMAT}"')
    version = fields.required("version", check.integer)
    if version != VERSION:
        check.wrong("version", version, f"{VERSION}, the one that this program reads,")


def _part(fields: Fields, key: str, build: _Builder[_Part], default: Any) -> _Part:
    inner = fields.inner(key)
    return cast(_Part, default) if inner is None else build(inner)


def _required_part(fields: Fields, key: str, build: _Builder[_Part]) -> _Part:
    inner = fields.inner(key)
    if inner is None:
        raise fields.missing(key)
    return build(inner)


def _padding(fields: Fields, tokens: tuple[str, ...]) -> tuple[bool, ...]:
    padding: tuple[bool, ...] = fields.optional("padding", check.booleans, (False,) * len(tokens))
    return padding


def _sequence(fields: Fields) -> Sequence:
    tokens = fields.required("tokens", check.texts)
    return Sequence(tokens, _padding(fields, tokens), fields.unknown())


def _source(fields: Fields) -> Source:
    tokens = fields.required("tokens", check.texts)
    return Source(tokens, _padding(fields, tokens), fields.optional("X", check.matrix, None), fields.unknown())


def _embedding(fields: Fields) -> Embedding:
    return Embedding(fields.required("vocabulary", check.texts), fields.required("E", check.matrix), fields.unknown())


def _position(fields: Fields) -> Position:
    return Position(
        kind=fields.optional("kind", check.text, "none"),
        base=fields.optional("base", check.number, DEFAULT_BASE),
        interleaved=fields.optional("interleaved", check.boolean, False),
        offset=fields.optional("offset", check.integer, 0),
        table=fields.optional("table", check.matrix, None),
        extra=fields.unknown(),
    )


def _layers(fields: Fields) -> tuple[Layer, ...]:
    entries = fields.required("layers", lambda value, place: check.items(value, place, "a list of layers"))
    return tuple(_layer(fields.entry("layers", index, entry)) for index, entry in enumerate(entries))


def _layer(fields: Fields) -> Layer:
    return Layer(
        attention=_required_part(fields, "attention", _attention),
        norm=_part(fields, "norm", _norm, None),
        residual=fields.optional("residual", check.boolean, False),
        ffn=_part(fields, "ffn", _feed_forward, None),
        extra=fields.unknown(),
    )


def _attention(fields: Fields) -> Attention:
    return Attention(
        W_Q=fields.required("W_Q", check.matrices),
        W_K=fields.required("W_K", check.matrices),
        W_V=fields.required("W_V", check.matrices),
        b_Q=fields.optional("b_Q", check.vectors, None),
        b_K=fields.optional("b_K", check.vectors, None),
        b_V=fields.optional("b_V", check.vectors, None),
        W_O=fields.optional("W_O", check.matrix, None),
        b_O=fields.optional("b_O", check.vector, None),
        scale=fields.optional("scale", _scale, "sqrt_dk"),
        temperature=fields.optional("temperature", check.number, 1.0),
        softcap=fields.optional("softcap", check.number, None),
        mask=_part(fields, "mask", _mask, Mask()),
        muted_heads=fields.optional("muted_heads", check.integers, ()),
        extra=fields.unknown(),
    )


def _scale(value: Any, place: str) -> Scale:
    if value in ("sqrt_dk", "none"):
        return cast(Scale, value)
    if type(value) not in (int, float):
        check.wrong(place, value, '"sqrt_dk", "none" or a number')
    return check.number(value, place)


def _mask(fields: Fields) -> Mask:
    return Mask(
        causal=fields.optional("causal", check.boolean, False),
        window=fields.optional("window", check.integer, None),
        prefix=fields.optional("prefix", check.integer, None),
        segments=fields.optional("segments", check.labels, None),
        align=cast(Align, fields.optional("align", check.text, "end")),
        blocked=fields.optional("blocked", check.pairs, ()),
        allowed=fields.optional("allowed", check.pairs, ()),
        extra=fields.unknown(),
    )


def _norm(fields: Fields) -> Norm:
    return Norm(
        kind=fields.required("kind", check.text),
        placement=fields.required("placement", check.text),
        gain=fields.required("gain", check.vectors),
        bias=fields.optional("bias", check.vectors, None),
        eps=fields.optional("eps", check.number, DEFAULT_EPS),
        extra=fields.unknown(),
    )


def _feed_forward(fields: Fields) -> FeedForward:
    return FeedForward(
        activation=fields.required("activation", check.text),
        W_1=fields.required("W_1", check.matrix),
        W_2=fields.required("W_2", check.matrix),
        b_1=fields.optional("b_1", check.vector, None),
        b_2=fields.optional("b_2", check.vector, None),
        W_gate=fields.optional("W_gate", check.matrix, None),
        extra=fields.unknown(),
    )


def _final_norm(fields: Fields) -> FinalNorm:
    return FinalNorm(
        kind=fields.required("kind", check.text),
        gain=fields.required("gain", check.vector),
        bias=fields.optional("bias", check.vector, None),
        eps=fields.optional("eps", check.number, DEFAULT_EPS),
        extra=fields.unknown(),
    )


def _unembedding(fields: Fields) -> Unembedding | None:
    value = fields.values.get("unembedding")
    if value == "tied":
        fields.take("unembedding")
        return Unembedding()
    if value is not None and not isinstance(value, dict):
        check.wrong("unembedding", value, '"tied" or an object with W_U')
    return _part(fields, "unembedding", lambda inner: Unembedding(_W_U(inner), inner.unknown()), None)


def _W_U(fields: Fields) -> Any:
    return fields.required("W_U", check.matrix)


def _pins(fields: Fields) -> Any:
    pins = fields.optional("pins", check.mapping, {})
    return check.frozen_mapping(
        {path: check.pin_matrix(value, check.inside("pins", path)) for path, value in pins.items()}
    )


def _plain_mapping(value: Any, place: str) -> dict[str, Any]:
    return cast(dict[str, Any], check.plain(check.mapping(value, place), place))
