"""New experiments."""

from __future__ import annotations

from collections.abc import Sequence as ListOf

from attnexplorer.experiment import rules
from attnexplorer.experiment.arrays import Matrix, frozen
from attnexplorer.experiment.edits.growth import Growth
from attnexplorer.experiment.edits.widths import require_count
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.model import Attention, Embedding, Experiment, Layer, Sequence

DEFAULT_TOKENS = ("the", "cat", "sat", "down")


def new_experiment(tokens: ListOf[str], d_model: int, d_k: int, d_v: int, heads: int, seed: int) -> Experiment:
    """Return one layer of self-attention over `tokens` with seeded random E, W_Q, W_K and W_V, without a mask."""
    words = tuple(tokens)
    if not words:
        raise ExperimentError("The sequence", "needs at least one token.")
    rules.check_texts(words, "The sequence")
    for name, number in (("d_model", d_model), ("d_k", d_k), ("d_v", d_v), ("The number of heads", heads)):
        require_count(name, number)
    growth, vocabulary = Growth("random", seed), tuple(dict.fromkeys(words))

    def stack(name: str, width: int) -> tuple[Matrix, ...]:
        return tuple(frozen(growth(f"0.{head}.{name}", (d_model, width))) for head in range(heads))

    return Experiment(
        sequence=Sequence(words, (False,) * len(words)),
        embedding=Embedding(vocabulary, frozen(growth("E", (len(vocabulary), d_model)))),
        layers=(Layer(Attention(W_Q=stack("W_Q", d_k), W_K=stack("W_K", d_k), W_V=stack("W_V", d_v))),),
    )


def default_experiment() -> Experiment:
    """Return the experiment that the dialog for a new one starts from."""
    return new_experiment(DEFAULT_TOKENS, d_model=4, d_k=2, d_v=2, heads=2, seed=0)
