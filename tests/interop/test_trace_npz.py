from __future__ import annotations

import io
from zipfile import ZipFile

import numpy as np
from experiment_strategies import experiments
from hand_made import one_layer, with_scores
from hypothesis import given

from attnexplorer.compute.trace import evaluate
from attnexplorer.experiment import model
from attnexplorer.experiment.examples import load_example
from attnexplorer.interop.trace_npz import write_trace_npz


def written(experiment: model.Experiment, stages=None) -> io.BytesIO:
    file = io.BytesIO()
    write_trace_npz(experiment, file, stages)
    file.seek(0)
    return file


@given(experiments(with_extra=False))
def test_every_stage_loads_back_bit_for_bit_without_pickle(experiment: model.Experiment) -> None:
    trace = evaluate(experiment)
    with np.load(written(experiment), allow_pickle=False) as archive:
        assert archive["embeddings"].tobytes() == trace.embeddings.tobytes()
        for index, layer in enumerate(trace.layers):
            for name in layer.stages:
                np.testing.assert_array_equal(
                    archive[f"layers.{index}.{name}"], np.asarray(getattr(layer, name)), strict=True
                )


def test_tokens_and_blind_rows_are_in_it() -> None:
    with np.load(written(with_scores(np.zeros((2, 3)), source_padding=(True,) * 3)), allow_pickle=False) as archive:
        assert archive["tokens"].tolist() == ["t0", "t1"]
        assert archive["source_tokens"].tolist() == ["s0", "s1", "s2"]
        assert archive["layers.0.fully_masked_rows"].tolist() == [[0, 0], [0, 1]]


def test_chosen_stages_leave_the_others_out() -> None:
    with np.load(written(one_layer(np.eye(2)), ["query"]), allow_pickle=False) as archive:
        assert set(archive) == {"tokens", "layers.0.query", "layers.0.fully_masked_rows"}
        assert archive["layers.0.query"].shape == (1, 2, 2)


def test_the_same_experiment_gives_the_same_bytes_at_any_time() -> None:
    experiment = load_example("animal-street")
    first = written(experiment)
    assert first.getvalue() == written(experiment).getvalue()
    with ZipFile(first) as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
