"""The experiment: everything that is saved, as frozen dataclasses.

The names are those of the file format. `None` stands for what a file may leave out. Arrays are read-only float64;
each head's matrix is an array of its own, so that changing one head leaves the others the very same objects.
`extra` keeps the keys of newer files that this version does not know; they are written back unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from attnexplorer.experiment.arrays import Matrix

FORMAT = "attnexplorer"
VERSION = 1

PositionKind = Literal["none", "sinusoidal", "learned", "rope", "alibi"]
NormKind = Literal["layernorm", "rmsnorm"]
Placement = Literal["pre", "post"]
Activation = Literal["relu", "gelu", "gelu_tanh", "silu"]
Align = Literal["end", "start"]
Scale = float | Literal["sqrt_dk", "none"]
Pair = tuple[int, int]
Extra = Mapping[str, Any]

NOTHING: Extra = MappingProxyType({})
DEFAULT_EPS = 1e-5
DEFAULT_BASE = 10000.0


def _nothing() -> Extra:
    return NOTHING


@dataclass(frozen=True, slots=True, eq=False)
class Sequence:
    """The n tokens that ask. `padding[i]`: nobody may attend to token i."""

    tokens: tuple[str, ...]
    padding: tuple[bool, ...]
    extra: Extra = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """The m tokens that keys and values come from. `X`: [m, d_source], or None to look the tokens up in E."""

    tokens: tuple[str, ...]
    padding: tuple[bool, ...]
    X: Matrix | None = None
    extra: Extra = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True, eq=False)
class Embedding:
    """`E`: [vocabulary, d_model], one row a word."""

    vocabulary: tuple[str, ...]
    E: Matrix
    extra: Extra = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True, eq=False)
class Position:
    """How the place of a token enters. `table`: [positions, d_model], for the kind "learned"."""

    kind: PositionKind = "none"
    base: float = DEFAULT_BASE
    interleaved: bool = False
    offset: int = 0
    table: Matrix | None = None
    extra: Extra = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True, eq=False)
class Mask:
    """The rules that say which key a query may see, the same for all heads of a layer."""

    causal: bool = False
    window: int | None = None
    prefix: int | None = None
    segments: tuple[str | int, ...] | None = None
    align: Align = "end"
    blocked: tuple[Pair, ...] = ()
    allowed: tuple[Pair, ...] = ()
    extra: Extra = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True, eq=False)
class Attention:
    """One attention layer's parameters, a matrix a head.

    `W_Q`: heads × [d_model, d_k]; `W_K`: kv_heads × [d_source, d_k]; `W_V`: kv_heads × [d_source, d_v];
    biases: heads or kv_heads × [width]; `W_O`: [heads · d_v, d_out]; `b_O`: [d_out].
    """

    W_Q: tuple[Matrix, ...]
    W_K: tuple[Matrix, ...]
    W_V: tuple[Matrix, ...]
    b_Q: tuple[Matrix, ...] | None = None
    b_K: tuple[Matrix, ...] | None = None
    b_V: tuple[Matrix, ...] | None = None
    W_O: Matrix | None = None
    b_O: Matrix | None = None
    scale: Scale = "sqrt_dk"
    temperature: float = 1.0
    softcap: float | None = None
    mask: Mask = field(default_factory=Mask)
    muted_heads: tuple[int, ...] = ()
    extra: Extra = field(default_factory=_nothing)

    @property
    def heads(self) -> int:
        """The number of query heads."""
        return len(self.W_Q)

    @property
    def kv_heads(self) -> int:
        """The number of key and value heads; it divides `heads`."""
        return len(self.W_K)

    @property
    def d_k(self) -> int:
        """The width of a query and of a key."""
        return int(self.W_Q[0].shape[1])

    @property
    def d_v(self) -> int:
        """The width of a value."""
        return int(self.W_V[0].shape[1])

    @property
    def d_model(self) -> int:
        """The width of what queries are made from."""
        return int(self.W_Q[0].shape[0])

    @property
    def d_source(self) -> int:
        """The width of what keys and values are made from."""
        return int(self.W_K[0].shape[0])

    @property
    def d_out(self) -> int:
        """The width of `attention_output`."""
        return self.heads * self.d_v if self.W_O is None else int(self.W_O.shape[1])

    def kv_head_of(self, head: int) -> int:
        """Return the KV head that query head `head` uses."""
        return head // (self.heads // self.kv_heads)

    @property
    def scale_factor(self) -> float:
        """The number that QKᵀ is multiplied by."""
        if self.scale == "sqrt_dk":
            return float(1.0 / self.d_k**0.5)
        return 1.0 if isinstance(self.scale, str) else float(self.scale)


@dataclass(frozen=True, slots=True, eq=False)
class Norm:
    """A layer's norms: `gain[0]` and `bias[0]` for attention, `gain[1]` and `bias[1]` for the FFN."""

    kind: NormKind
    placement: Placement
    gain: tuple[Matrix, ...]
    bias: tuple[Matrix, ...] | None = None
    eps: float = DEFAULT_EPS
    extra: Extra = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True, eq=False)
class FeedForward:
    """The FFN: `W_1` [d, hidden], `b_1` [hidden], `W_2` [hidden, d_out], `b_2` [d_out], `W_gate` [d, hidden]."""

    activation: Activation
    W_1: Matrix
    W_2: Matrix
    b_1: Matrix | None = None
    b_2: Matrix | None = None
    W_gate: Matrix | None = None
    extra: Extra = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """One layer: attention, and the block around it where there is one."""

    attention: Attention
    norm: Norm | None = None
    residual: bool = False
    ffn: FeedForward | None = None
    extra: Extra = field(default_factory=_nothing)

    @property
    def d_out(self) -> int:
        """The width of the layer's `output`."""
        return self.attention.d_out if self.ffn is None else int(self.ffn.W_2.shape[1])


@dataclass(frozen=True, slots=True, eq=False)
class FinalNorm:
    """The norm before the unembedding; `gain` and `bias` are [d]."""

    kind: NormKind
    gain: Matrix
    bias: Matrix | None = None
    eps: float = DEFAULT_EPS
    extra: Extra = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True, eq=False)
class Unembedding:
    """`W_U`: [d, vocabulary], or None for the transposed E ("tied" in the file)."""

    W_U: Matrix | None = None
    extra: Extra = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True, eq=False)
class Experiment:
    """Everything that is saved.

    `pins` maps a stage path such as ``layers.0.key.0`` to a matrix in which NaN means *stays computed* (null in the
    file) and -inf means *blocked*. `view` is window state and never changes a number.
    """

    sequence: Sequence
    embedding: Embedding
    layers: tuple[Layer, ...]
    title: str = ""
    notes: str = ""
    source: Source | None = None
    position: Position = field(default_factory=Position)
    final_norm: FinalNorm | None = None
    unembedding: Unembedding | None = None
    pins: Mapping[str, Matrix] = field(default_factory=_nothing)
    view: Mapping[str, Any] = field(default_factory=_nothing)
    extra: Extra = field(default_factory=_nothing)

    @property
    def query_tokens(self) -> tuple[str, ...]:
        """The n tokens that label the rows of a score matrix."""
        return self.sequence.tokens

    @property
    def key_tokens(self) -> tuple[str, ...]:
        """The m tokens that label the columns of a score matrix."""
        return self.sequence.tokens if self.source is None else self.source.tokens

    @property
    def key_padding(self) -> tuple[bool, ...]:
        """Which of the m keys are padding."""
        return self.sequence.padding if self.source is None else self.source.padding

    @property
    def d_model(self) -> int:
        """The width of the embedding."""
        return int(self.embedding.E.shape[1])
