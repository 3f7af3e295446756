"""P3: the engine's full forward of one causal layer, every stage kept, against PyTorch eager and bare NumPy."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from measuring import Row, Run, interleaved, timed
from numpy.typing import NDArray
from peer import Peer

from attnexplorer.compute.beside import processors
from attnexplorer.compute.engine import Engine
from attnexplorer.compute.units import Unit
from attnexplorer.experiment.arrays import frozen
from attnexplorer.experiment.edits.creation import new_experiment
from attnexplorer.experiment.model import Experiment, Mask

TOKENS = (64, 256, 1024)
HEADS, WIDTH = 12, 64
TORCH_VARIABLE = "ATTNEXPLORER_TORCH_PYTHON"
"""Names the Python that has PyTorch, where this one has not."""
REACH = 1.0
STAGES = ("query", "key", "value", "scores", "scaled", "masked", "weights", "head_output")


def rows(quick: bool) -> Iterator[Row]:
    """Measure every size in both precisions."""
    threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    for tokens in TOKENS[:2] if quick else TOKENS:
        for dtype in ("float32", "float64"):
            with Peer(TORCH_VARIABLE, "torch_peer.py", tokens, HEADS, WIDTH, dtype, threads) as peer:
                yield from _rows(tokens, dtype, peer, 15)


def _rows(tokens: int, dtype: str, peer: Peer, rounds: int) -> Iterator[Row]:
    experiment = _experiment(tokens)
    runs: dict[str, Run] = {"engine": _engine(experiment, dtype), "NumPy": timed(_numpy(experiment, dtype))}
    if peer.introduction:
        runs["PyTorch"] = peer.run
    else:
        print(f"PyTorch is not installed; {TORCH_VARIABLE} can name a Python that has it.")
    times = interleaved(runs, rounds, warm_up=3)
    case = f"{tokens} tokens × {HEADS} × {WIDTH}, {dtype}"
    if peer.introduction:
        yield Row("P3", case, times["engine"], "PyTorch", times["PyTorch"], REACH, {"peer": peer.introduction})
    yield Row("P3", case, times["engine"], "NumPy", times["NumPy"])


def _experiment(tokens: int) -> Experiment:
    words = [f"t{index}" for index in range(tokens)]
    d_model = HEADS * WIDTH
    made = new_experiment(words, d_model, WIDTH, WIDTH, HEADS, seed=1)
    W_O = frozen(np.random.default_rng(2).standard_normal((d_model, d_model)) * 0.03)
    attention = replace(made.layers[0].attention, W_O=W_O, mask=Mask(causal=True))
    return replace(made, layers=(replace(made.layers[0], attention=attention),))


def _engine(experiment: Experiment, dtype: str) -> Run:
    """Each run has another X, so that every stage but the mask is computed anew; the weights stay as they are."""
    units = [Unit(stage, 0, head) for stage in STAGES for head in range(HEADS)]
    units += [Unit("concat", 0), Unit("attention_output", 0)]
    engine, factors = Engine(dtype, threads=processors()), itertools.cycle((1.0, 0.9, 1.1))

    def run() -> float:
        E = frozen(experiment.embedding.E * next(factors))
        edited = replace(experiment, embedding=replace(experiment.embedding, E=E))
        start = time.perf_counter()
        done = engine.evaluate(edited, units)
        seconds = time.perf_counter() - start
        assert len(done.recomputed) >= len(units), "something was not computed anew"
        return seconds

    return run


def _numpy(experiment: Experiment, dtype: str) -> Callable[[], object]:
    attention = experiment.layers[0].attention
    X = experiment.embedding.E.astype(dtype)
    W = [tuple(w.astype(dtype) for w in stack) for stack in (attention.W_Q, attention.W_K, attention.W_V)]
    assert attention.W_O is not None
    W_O = attention.W_O.astype(dtype)
    hidden = np.triu(np.ones((len(X), len(X)), dtype=np.bool_), 1)

    def forward() -> tuple[list[NDArray[np.floating]], ...]:
        kept: tuple[list[NDArray[np.floating]], ...] = tuple([] for _ in STAGES)
        for head in range(HEADS):
            query, key, value = (X @ stack[head] for stack in W)
            scores = query @ key.T
            scaled = scores * np.asarray(attention.scale_factor, dtype=dtype)
            masked = scaled.copy()
            np.putmask(masked, hidden, -np.inf)
            weights = masked - masked.max(axis=1, keepdims=True)
            np.exp(weights, out=weights)
            weights /= weights.sum(axis=1, keepdims=True)
            for place, array in zip(
                kept, (query, key, value, scores, scaled, masked, weights, weights @ value), strict=True
            ):
                place.append(array)
        concat = np.concatenate(kept[-1], axis=1)
        return (*kept, [concat, concat @ W_O])

    return forward
