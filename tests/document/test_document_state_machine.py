"""Whatever is edited, undone, redone, saved and read again: what is shown is what a full evaluation gives, bit for bit,
and undoing everything restores what was saved, bit for bit.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from hand_made import one_layer
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from PySide6.QtCore import QCoreApplication, QEvent

from attnexplorer.compute.engine import Engine
from attnexplorer.compute.reading import shape_of
from attnexplorer.compute.stages import STAGES, heads_of, stages_of
from attnexplorer.compute.units import Per, Unit
from attnexplorer.document import recompute
from attnexplorer.document.document import Document
from attnexplorer.document.storage import Loaded, Storage, load_file
from attnexplorer.experiment.arrays import same_bits
from attnexplorer.experiment.comparison import identical
from attnexplorer.experiment.edits import blocks, heads, layers, masks, positions, source, tokens, vocabulary, widths
from attnexplorer.experiment.edits.growth import Growth
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.model import Experiment, Mask, Position
from attnexplorer.experiment.pinning import pinnable_paths

Edit = Callable[[Experiment, int, int, int], Experiment]

RANDOM, WORDS = Growth("random", 3), ("the", "cat", "", "it")
NUMBERS = st.sampled_from((0.0, -0.0, 1.0, -2.5, 1 / 3, 1e-300, 5e-324, 1e6, -1e200, 1e308, np.inf, -np.inf, np.nan))
SMALL = st.integers(0, 4)


def _side(experiment: Experiment, a: int) -> Any:
    return "source" if experiment.source is not None and a % 2 else "sequence"


def _at(experiment: Experiment, a: int) -> int:
    return a % len(experiment.layers)


STRUCTURAL: dict[str, Edit] = {
    "add a token": lambda e, a, b, c: tokens.add_token(e, _side(e, a), b, WORDS[c % 4], RANDOM),
    "remove a token": lambda e, a, b, c: tokens.remove_token(e, _side(e, a), b),
    "move a token": lambda e, a, b, c: tokens.move_token(e, _side(e, a), b, c),
    "rename a token": lambda e, a, b, c: tokens.rename_token(e, _side(e, a), b, WORDS[c % 4]),
    "pad a token": lambda e, a, b, c: tokens.set_padding(e, _side(e, a), b, bool(c % 2)),
    "remove unused words": lambda e, a, b, c: vocabulary.remove_unused_words(e),
    "set d_model": lambda e, a, b, c: widths.set_d_model(e, a, RANDOM),
    "set d_k": lambda e, a, b, c: widths.set_d_k(e, _at(e, a), b, RANDOM),
    "set d_v": lambda e, a, b, c: widths.set_d_v(e, _at(e, a), b, RANDOM),
    "set heads": lambda e, a, b, c: heads.set_heads(e, _at(e, a), b, RANDOM),
    "set KV heads": lambda e, a, b, c: heads.set_kv_heads(e, _at(e, a), b, "mean" if c % 2 else "first"),
    "mute a head": lambda e, a, b, c: heads.set_muted(e, _at(e, a), b, bool(c % 2)),
    "move a head": lambda e, a, b, c: heads.move_head(e, _at(e, a), b, c),
    "add a layer": lambda e, a, b, c: layers.add_layer(e, a, RANDOM) if len(e.layers) < 3 else e,
    "remove a layer": lambda e, a, b, c: layers.remove_layer(e, _at(e, a), RANDOM),
    "add W_O": lambda e, a, b, c: blocks.create_W_O(e, _at(e, a)),
    "add a bias": lambda e, a, b, c: blocks.create_bias(e, _at(e, a), ("b_Q", "b_K", "b_V", "b_O")[b % 4]),
    "set the residual": lambda e, a, b, c: blocks.set_residual(e, _at(e, a), bool(b % 2)),
    "set the norm": lambda e, a, b, c: blocks.set_norm(
        e, _at(e, a), (None, "layernorm", "rmsnorm")[b % 3], "pre" if c % 2 else "post"
    ),
    "add an FFN": lambda e, a, b, c: blocks.create_ffn(e, _at(e, a), "gelu", b or None),
    "set the unembedding": lambda e, a, b, c: blocks.set_unembedding(e, (None, "tied", "own")[a % 3], RANDOM),
    "set the position": lambda e, a, b, c: positions.set_position_kind(
        e, ("none", "sinusoidal", "learned", "rope", "alibi")[a]
    ),
    "toggle causal": lambda e, a, b, c: masks.toggle_causal(e, _at(e, a)),
    "set the window": lambda e, a, b, c: masks.set_window(e, _at(e, a), b or None),
    "block or allow a pair": lambda e, a, b, c: masks.cycle_pair(e, _at(e, a), b, c),
    "add a source": lambda e, a, b, c: source.make_cross_attention(e, WORDS[: 1 + a % 3], None, RANDOM),
    "remove the source": lambda e, a, b, c: source.make_self_attention(e, RANDOM),
}


def starts() -> tuple[Experiment, ...]:
    """Small experiments to begin with: each has what the edits alone would rarely bring together."""
    random = np.random.default_rng(1)
    plain = one_layer(random.normal(size=(3, 2)))
    grouped = one_layer(random.normal(size=(2, 2)), heads=2, mask=Mask(causal=True), softcap=2.0)
    half = np.array([[np.nan, 1.5], [np.nan, np.nan], [0.5, np.nan]])
    pinned = one_layer(
        random.normal(size=(3, 2)),
        position=Position("rope"),
        pins={"layers.0.key.0": half, "layers.0.scores.0": [[0, -np.inf, np.nan]] * 3},
        padding=(False, True, False),
    )
    deep = layers.add_layer(blocks.create_ffn(blocks.set_norm(plain, 0, "layernorm", "pre"), 0, "silu", 3), 1, RANDOM)
    return plain, grouped, pinned, deep


STARTS = starts()


def every_unit(experiment: Experiment) -> list[Unit]:
    """All public units of an experiment."""
    whole = [
        Unit(stage.name)
        for stage in STAGES.values()
        if stage.per is Per.EXPERIMENT and not stage.internal and stage.exists(experiment, 0)
    ]
    return whole + [
        Unit(stage, layer, head)
        for layer in range(len(experiment.layers))
        for stage in stages_of(experiment, layer)
        for head in heads_of(experiment, stage, layer)
    ]


def parameters(experiment: Experiment) -> list[str]:
    """The paths of the matrices of parameters that there always are."""
    found = ["embedding.E"]
    for index, layer in enumerate(experiment.layers):
        attention = layer.attention
        found += [f"layers.{index}.attention.W_Q.{head}" for head in range(attention.heads)]
        found += [f"layers.{index}.attention.{name}.{h}" for name in ("W_K", "W_V") for h in range(attention.kv_heads)]
        found += [f"layers.{index}.attention.W_O"] if attention.W_O is not None else []
    return found


class OpenDocument(RuleBasedStateMachine):
    """A document with its file, and beside it what each place of the undo history is to look like."""

    def __init__(self) -> None:
        super().__init__()
        self._folder = Path(tempfile.mkdtemp())
        self._long = recompute.LONG
        self._file: Path | None = None
        self._step = 1

    @initialize(start=st.sampled_from(STARTS), in_worker=st.booleans())
    def open(self, start: Experiment, in_worker: bool) -> None:
        recompute.LONG = 0.0 if in_worker else self._long
        self._take(Loaded(start))

    @rule(which=SMALL, row=SMALL, column=SMALL, number=NUMBERS, more=st.none() | NUMBERS)
    def set_a_number(self, which: int, row: int, column: int, number: float, more: float | None) -> None:
        paths = parameters(self.document.experiment)
        path = paths[which * 7 % len(paths)]
        gesture = self.document.new_gesture()
        self._try(lambda: self.document.set_cell(path, row, column, number, gesture))
        if more is not None:
            self._try(lambda: self.document.set_cell(path, row, column, more, gesture))

    @rule(which=st.integers(0, 30), row=SMALL, column=SMALL, number=NUMBERS)
    def pin_a_cell(self, which: int, row: int, column: int, number: float) -> None:
        path = self._pinnable(which)
        self._try(lambda: self.document.set_cell(path, row, column, number))

    @rule(which=st.integers(0, 30))
    def pin_what_is_shown(self, which: int) -> None:
        path = self._pinnable(which)
        self._try(lambda: self.document.pin_as_shown(path))

    @rule(which=SMALL, row=SMALL, column=SMALL, whole=st.booleans())
    def release_a_pin(self, which: int, row: int, column: int, whole: bool) -> None:
        pins = sorted(self.document.experiment.pins)
        if pins:
            path = pins[which % len(pins)]
            self._try(lambda: self.document.release(path, None if whole else [(row, column)]))

    @rule(layer=SMALL, scale=st.sampled_from(("sqrt_dk", "none", 0.0, 0.25, -1.0, np.nan)), again=st.booleans())
    def set_the_scale(self, layer: int, scale: Any, again: bool) -> None:
        path = f"layers.{_at(self.document.experiment, layer)}.attention.scale"
        gesture = self.document.new_gesture()
        for value in (0.7, scale) if again else (scale,):
            self._try(lambda value=value: self.document.set_value(path, value, "Set the scale", gesture))

    @rule(name=st.sampled_from(sorted(STRUCTURAL)), a=SMALL, b=SMALL, c=SMALL)
    def change_the_structure(self, name: str, a: int, b: int, c: int) -> None:
        edit = STRUCTURAL[name]
        self._try(lambda: self.document.apply(name, lambda experiment: edit(experiment, a, b, c)))

    @rule(steps=st.integers(1, 5))
    def undo(self, steps: int) -> None:
        for _ in range(steps):
            self.document.undo_stack.undo()
            self._check_history()

    @rule(steps=st.integers(1, 5))
    def redo(self, steps: int) -> None:
        for _ in range(steps):
            self.document.undo_stack.redo()
            self._check_history()

    @rule(step=st.integers(1, 4))
    def show_only_some_stages(self, step: int) -> None:
        self._step = step
        self.document.recomputation.request()

    @rule()
    def save(self) -> None:
        self._file = self._folder / "saved.attn"
        self.storage.save_as(self._file)
        assert not self.document.modified
        assert identical(load_file(self._file).experiment, self.document.experiment)

    @precondition(lambda self: self._file is not None)
    @rule()
    def undo_everything_and_read_the_file_again(self) -> None:
        self._undo_everything()
        self._take(load_file(self._file))

    @invariant()
    def what_is_shown_is_what_a_full_evaluation_gives(self) -> None:
        if not hasattr(self, "storage"):
            return
        self.document.recomputation.finish()
        shown = self.document.evaluation
        assert identical(shown.experiment, self.document.experiment)
        units = self._units(self.document.experiment)
        assert set(shown.arrays) == units
        fresh = Engine().evaluate(self.document.experiment, units)
        for unit in units:
            assert same_bits(shown.arrays[unit], fresh.arrays[unit]), unit
            assert shown.arrays[unit].shape == shape_of(self.document.experiment, unit), unit

    @invariant()
    def the_document_is_modified_exactly_when_it_is_not_where_it_was_saved(self) -> None:
        if hasattr(self, "storage"):
            stack = self.document.undo_stack
            assert self.document.modified == (stack.index() != stack.cleanIndex())

    def teardown(self) -> None:
        recompute.LONG = self._long
        try:
            if hasattr(self, "storage"):
                self._undo_everything()
                self._close()
        finally:
            shutil.rmtree(self._folder)

    @property
    def document(self) -> Document:
        return self.storage.document

    def _take(self, loaded: Loaded) -> None:
        if hasattr(self, "storage"):
            self._close()
        self.storage = Storage(loaded)
        self._base = loaded.experiment
        self._states = {0: loaded.experiment}
        self.document.recomputation.watch(self, self._units)

    def _close(self) -> None:
        self.document.close()
        self.storage.deleteLater()
        QCoreApplication.sendPostedEvents(self.storage, QEvent.Type.DeferredDelete.value)

    def _units(self, experiment: Experiment) -> frozenset[Unit]:
        return frozenset(every_unit(experiment)[:: self._step])

    def _pinnable(self, which: int) -> str:
        paths = pinnable_paths(self.document.experiment)
        return paths[which % len(paths)]

    def _try(self, edit: Callable[[], None]) -> None:
        """Make an edit; a refusal must leave everything as it was."""
        stack, before = self.document.undo_stack, self.document.experiment
        place = (stack.index(), stack.count())
        try:
            edit()
        except ExperimentError:
            assert self.document.experiment is before
            assert (stack.index(), stack.count()) == place
            return
        if stack.index() in self._states and stack.index() <= place[0] and self.document.experiment is before:
            return
        merged_away = stack.index() < place[0]
        if merged_away:
            self._check_history()
        self._states = {index: state for index, state in self._states.items() if index < stack.index()}
        self._states[stack.index()] = self.document.experiment

    def _check_history(self) -> None:
        assert identical(self.document.experiment, self._states[self.document.undo_stack.index()])

    def _undo_everything(self) -> None:
        while self.document.undo_stack.canUndo():
            self.document.undo_stack.undo()
            self._check_history()
        assert identical(self.document.experiment, self._base)


def test_any_succession_of_edits_shows_the_truth_and_can_be_undone(qapp: QCoreApplication) -> None:
    run_state_machine_as_test(
        OpenDocument,
        settings=settings(
            max_examples=200,
            stateful_step_count=30,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        ),
    )
