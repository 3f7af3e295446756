"""Heads beside each other: what waits for what, the same bits as one after the other, and errors that arrive."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from experiment_strategies import experiments
from hypothesis import given, settings
from hypothesis import strategies as st

from attnexplorer.compute import engine as engine_module
from attnexplorer.compute.beside import MOST_THREADS, levels, processors, run_beside
from attnexplorer.compute.engine import Engine
from attnexplorer.compute.stages import heads_of, stages_of
from attnexplorer.compute.units import Unit
from attnexplorer.experiment import model
from attnexplorer.experiment.arrays import same_bits
from attnexplorer.experiment.edits.creation import new_experiment
from attnexplorer.experiment.paths import replace


def all_units(experiment: model.Experiment) -> list[Unit]:
    return [
        Unit(stage, layer, head)
        for layer in range(len(experiment.layers))
        for stage in stages_of(experiment, layer)
        for head in heads_of(experiment, stage, layer)
    ]


@pytest.fixture
def always_beside(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setattr(engine_module, "_WORTH_THREADS", -1.0)
        yield


@given(experiments(max_layers=3))
def test_every_unit_reads_what_earlier_levels_made_or_its_own_chain_before(experiment: model.Experiment) -> None:
    plan = Engine().plan(experiment, all_units(experiment))
    there: set[Unit] = set()
    for level in levels(plan.missing, lambda unit: plan.recipes[unit].reads):
        before = set(there)
        for chain in level:
            own: set[Unit] = set()
            for unit in chain:
                reads = {read for read in plan.recipes[unit].reads if type(read) is Unit}
                assert reads <= before | own, unit
                own.add(unit)
            assert not own & there
            there |= own
    assert there == set(plan.missing)


def test_heads_are_beside_each_other_and_what_they_share_comes_before() -> None:
    experiment = new_experiment(["a", "b", "c"], 8, 2, 2, 4, seed=1)
    plan = Engine().plan(experiment, [Unit("output", 0)])
    chains = levels(plan.missing, lambda unit: plan.recipes[unit].reads)
    assert [len(level) for level in chains] == [1, 4, 4, 1]
    assert [{unit.stage for unit in chain} for chain in chains[1]] == [{"key", "value"}] * 4
    for level in chains[1:3]:
        assert sorted(sorted({unit.head for unit in chain}) for chain in level) == [[0], [1], [2], [3]]
    assert chains[3][0][-1] == Unit("output", 0)


@pytest.mark.usefixtures("always_beside")
@settings(max_examples=60, deadline=None)
@given(experiments(max_layers=3), st.integers(2, 5), st.data())
def test_numbers_are_the_same_to_the_bit_on_any_number_of_threads(
    experiment: model.Experiment, threads: int, data: st.DataObject
) -> None:
    units = all_units(experiment)
    alone, beside = Engine(), Engine(threads=threads)
    for _ in range(3):
        asked = data.draw(st.lists(st.sampled_from(units), min_size=1, max_size=12))
        layer = data.draw(st.integers(0, len(experiment.layers) - 1))
        experiment = replace(experiment, f"layers.{layer}.attention.scale", data.draw(st.floats(0.1, 3.0)))
        first, second = alone.evaluate(experiment, asked), beside.evaluate(experiment, asked)
        assert set(first.recomputed) == set(second.recomputed)
        assert all(same_bits(first.arrays[unit], second.arrays[unit]) for unit in asked)


@pytest.mark.usefixtures("always_beside")
def test_hidden_matrices_are_let_go_of_on_any_number_of_threads() -> None:
    experiment = new_experiment([f"t{k}" for k in range(12)], 16, 4, 4, 4, seed=1)
    kept = []
    for threads in (1, 4):
        engine = Engine(threads=threads)
        engine.evaluate(experiment, [Unit("output", 0), Unit("weights", 0, 2)])
        kept.append({unit for unit, memory in engine._memories.items() if memory.array is not None})
    assert kept[0] == kept[1]
    assert {unit.head for unit in kept[0] if unit.stage in ("scores", "weights")} == {2}


def test_every_call_is_made_once_and_on_several_threads() -> None:
    meeting = threading.Barrier(3, timeout=20.0)
    done: list[int] = []

    def call(number: int) -> None:
        # Nobody gets past here alone: three threads must be at work.
        meeting.wait()
        done.append(number)

    run_beside([lambda number=number: call(number) for number in range(6)], 3)
    assert sorted(done) == list(range(6))


def test_an_error_of_any_call_arrives_after_all_others_have_returned() -> None:
    begun, ended = threading.Barrier(2, timeout=20.0), threading.Event()

    def fails() -> None:
        begun.wait()
        raise MemoryError("too large")

    def goes_on() -> None:
        begun.wait()
        threading.Event().wait(0.05)
        ended.set()

    for calls in ([fails, goes_on], [goes_on, fails]):
        ended.clear()
        with pytest.raises(MemoryError, match="too large"):
            run_beside(calls, 2)
        assert ended.is_set()


def test_one_call_or_none_needs_no_thread() -> None:
    here: list[threading.Thread] = []
    run_beside([], 4)
    run_beside([lambda: here.append(threading.current_thread())], 4)
    assert here == [threading.current_thread()]


def test_there_is_at_least_one_processor() -> None:
    assert 1 <= processors() <= MOST_THREADS
