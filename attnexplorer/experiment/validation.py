"""The rules of the file format that no single value can break: shapes that must agree, indices, finite numbers.

Validation knows nothing of JSON: it serves files, edits and experiments built in Python alike. Places are paths into
the file (``layers[0].attention.W_K[0]``). It raises the first thing that it finds.
"""

from __future__ import annotations

from attnexplorer.experiment import rules
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.layer_validation import Width, check_layer
from attnexplorer.experiment.model import (
    Experiment,
    FinalNorm,
    NormKind,
    Position,
    PositionKind,
    Sequence,
    Source,
    Unembedding,
)
from attnexplorer.experiment.pinning import check_pins

__all__ = ["validate"]


def validate(experiment: Experiment) -> None:
    """Refuse an experiment that breaks a rule of the format.

    Raises
    ------
    ExperimentError
        For the first broken rule, with its place and what was expected there.
    """
    rules.check_texts([experiment.title], "title")
    rules.check_texts([experiment.notes], "notes")
    _check_tokens(experiment.sequence, "sequence")
    _check_embedding(experiment)
    _check_looked_up(experiment)
    _check_source(experiment.source)
    _check_position(experiment)
    _check_layers(experiment)
    check_pins(experiment)


def _check_tokens(part: Sequence | Source, place: str) -> None:
    tokens = len(part.tokens)
    rules.check_not_empty(tokens, f"{place}.tokens", "token")
    rules.check_texts(part.tokens, f"{place}.tokens")
    why = f"there are {rules.counted(tokens, 'token')}" if tokens != 1 else "there is 1 token"
    rules.check_count(len(part.padding), f"{place}.padding", "entry", tokens, why)


def _check_embedding(experiment: Experiment) -> None:
    embedding = experiment.embedding
    words = len(embedding.vocabulary)
    rules.check_not_empty(words, "embedding.vocabulary", "word")
    rules.check_texts(embedding.vocabulary, "embedding.vocabulary")
    if len(set(embedding.vocabulary)) < words:
        _refuse_repeated_word(embedding.vocabulary)
    rules.check_matrix(embedding.E, "embedding.E")
    rules.check_rows(embedding.E, "embedding.E", words, f"the vocabulary has {rules.counted(words, 'word')}")


def _refuse_repeated_word(vocabulary: tuple[str, ...]) -> None:
    first: dict[str, int] = {}
    for index, word in enumerate(vocabulary):
        if first.setdefault(word, index) != index:
            place = f"embedding.vocabulary[{index}]"
            raise ExperimentError(place, f"is {rules.quoted(word)}, which is already word {first[word]}")


def _check_looked_up(experiment: Experiment) -> None:
    words = set(experiment.embedding.vocabulary)
    source = experiment.source
    looked_up = {"sequence": experiment.sequence.tokens}
    if source is not None and source.X is None:
        looked_up["source"] = source.tokens
    for place, tokens in looked_up.items():
        if not words.issuperset(tokens):
            index = next(index for index, token in enumerate(tokens) if token not in words)
            message = f"is {rules.quoted(tokens[index])}, which is not in embedding.vocabulary"
            raise ExperimentError(f"{place}.tokens[{index}]", message)


def _check_source(source: Source | None) -> None:
    if source is None:
        return
    _check_tokens(source, "source")
    if source.X is not None:
        rules.check_matrix(source.X, "source.X")
        tokens = len(source.tokens)
        rules.check_rows(source.X, "source.X", tokens, f"source has {rules.counted(tokens, 'token')}")


def _check_position(experiment: Experiment) -> None:
    position = experiment.position
    rules.check_choice(position.kind, "position.kind", PositionKind)
    rules.check_positive(position.base, "position.base")
    rules.check_integer(position.offset, "position.offset", 0)
    if position.table is not None:
        rules.check_matrix(position.table, "position.table")
    if position.kind == "learned":
        _check_learned(experiment, position)


def _check_learned(experiment: Experiment, position: Position) -> None:
    if position.table is None:
        raise ExperimentError("position.table", 'is missing, but it is required with the kind "learned"')
    columns = f"the embedding has {rules.counted(experiment.d_model, 'column')}"
    rules.check_columns(position.table, "position.table", experiment.d_model, columns)
    longest = len(experiment.sequence.tokens)
    if experiment.source is not None and experiment.source.X is None:
        longest = max(longest, len(experiment.source.tokens))
    needed = position.offset + longest
    if len(position.table) < needed:
        found = rules.counted(len(position.table), "row")
        reason = f"at least {needed} are needed (offset {position.offset} + {rules.counted(longest, 'token')})"
        raise ExperimentError("position.table", f"has {found}, but {reason}")


def _check_layers(experiment: Experiment) -> None:
    rules.check_not_empty(len(experiment.layers), "layers", "layer")
    width = Width(experiment.d_model, "the embedding has")
    for index, layer in enumerate(experiment.layers):
        check_layer(experiment, index, width)
        width = Width(layer.d_out, f"layers[{index}] puts out")
    if experiment.final_norm is not None:
        _check_final_norm(experiment.final_norm, width)
    if experiment.unembedding is not None:
        _check_unembedding(experiment, experiment.unembedding, width)


def _check_final_norm(norm: FinalNorm, width: Width) -> None:
    rules.check_choice(norm.kind, "final_norm.kind", NormKind)
    rules.check_not_negative(norm.eps, "final_norm.eps")
    rules.check_vector(norm.gain, "final_norm.gain", width.columns, width.reason)
    if norm.bias is not None:
        rules.check_vector(norm.bias, "final_norm.bias", width.columns, width.reason)


def _check_unembedding(experiment: Experiment, unembedding: Unembedding, width: Width) -> None:
    if unembedding.W_U is None:
        if width.columns != experiment.d_model:
            message = f'is "tied" to an embedding of {rules.counted(experiment.d_model, "column")}, but {width.reason}'
            raise ExperimentError("unembedding", message)
        return
    place, words = "unembedding.W_U", len(experiment.embedding.vocabulary)
    rules.check_matrix(unembedding.W_U, place)
    rules.check_rows(unembedding.W_U, place, width.columns, width.reason)
    rules.check_columns(unembedding.W_U, place, words, f"the vocabulary has {rules.counted(words, 'word')}")
