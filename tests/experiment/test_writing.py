"""Writing `.attn` files: text that people can read, and that loads back bit for bit."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any
from unittest import mock

import numpy as np
import pytest
from experiment_strategies import experiments
from hypothesis import given, settings
from hypothesis import strategies as st

from attnexplorer.experiment.arrays import frozen
from attnexplorer.experiment.comparison import identical
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.fileformat import KnownTexts, dumps, layout, loads, parse
from attnexplorer.experiment.model import Attention, Embedding, Experiment, Layer, Mask, Sequence

REFERENCE = Path(__file__).resolve().parent.parent / "data" / "reference"

SMALL = """\
{
  "format": "attnexplorer",
  "version": 1,
  "title": "Two words – “zwei Wörter”",
  "sequence": {
    "tokens": ["a", "b"],
    "padding": [false, true]
  },
  "embedding": {
    "vocabulary": ["a", "b"],
    "E": [
      [0.1, -0.0],
      [1e-300, 3.0]
    ]
  },
  "position": {
    "kind": "none"
  },
  "layers": [
    {
      "attention": {
        "W_Q": [
          [
            [0.1, -0.0],
            [1e-300, 3.0]
          ]
        ],
        "W_K": [
          [
            [0.1, -0.0],
            [1e-300, 3.0]
          ]
        ],
        "W_V": [
          [
            [0.1, -0.0],
            [1e-300, 3.0]
          ]
        ],
        "scale": "sqrt_dk",
        "mask": {
          "causal": true,
          "blocked": [[1, 0]]
        },
        "muted_heads": [0]
      }
    }
  ],
  "pins": {
    "layers.0.masked.0": [
      [null, "-inf"],
      [1.5, null]
    ]
  },
  "view": {
    "theme": "dark"
  }
}
"""


def small() -> Experiment:
    matrix = frozen([[0.1, -0.0], [1e-300, 3.0]])
    mask = Mask(causal=True, blocked=((1, 0),))
    attention = Attention((matrix,), (matrix,), (matrix,), mask=mask, muted_heads=(0,))
    return Experiment(
        title="Two words – “zwei Wörter”",
        sequence=Sequence(("a", "b"), (False, True)),
        embedding=Embedding(("a", "b"), matrix),
        layers=(Layer(attention),),
        pins={"layers.0.masked.0": frozen([[np.nan, -np.inf], [1.5, np.nan]])},
        view={"theme": "dark"},
    )


def test_a_file_reads_like_this() -> None:
    assert dumps(small()) == SMALL


@given(experiments())
@settings(max_examples=150, deadline=None)
def test_what_was_written_loads_back_bit_for_bit(experiment: Experiment) -> None:
    text = dumps(experiment)
    assert identical(loads(text), experiment, with_view=True)
    assert dumps(loads(text)) == text


@pytest.mark.parametrize("case", sorted(REFERENCE.glob("*.json")), ids=lambda path: path.stem)
def test_every_reference_experiment_is_written_and_read_back_bit_for_bit(case: Path) -> None:
    data = json.dumps(json.loads(case.read_text(encoding="utf-8"))["experiment"]).encode()
    experiment = parse(data, case.name).experiment
    assert identical(loads(dumps(experiment)), experiment, with_view=True)


def test_a_change_of_one_number_changes_one_line() -> None:
    experiment = small()
    table = frozen([[0.1, -0.0], [1e-300, 4.0]])
    changed = replace(experiment, embedding=replace(experiment.embedding, E=table))
    lines = zip(dumps(experiment).splitlines(), dumps(changed).splitlines(), strict=True)
    assert [new for old, new in lines if old != new] == ["      [1e-300, 4.0]"]


def test_long_lists_of_tokens_take_one_line_each() -> None:
    words = tuple(f"a rather long word {number}" for number in range(9))
    experiment = small()
    table = frozen(np.ones((9, 2)))
    changed = replace(experiment, embedding=Embedding(words, table), sequence=Sequence(words, (False,) * 9), pins={})
    assert '      "a rather long word 0",\n      "a rather long word 1",\n' in dumps(changed)


def test_unknown_keys_are_written_back_where_they_stood() -> None:
    file = json.loads(SMALL)
    file["newer"] = {"deep": [1, {"x": None}], "empty": {}, "list": []}
    file["layers"][0]["attention"]["newer"] = [True, 0.1, -0.0]
    written = json.loads(dumps(loads(json.dumps(file))))
    assert repr(written["newer"]) == repr(file["newer"])
    assert repr(written["layers"][0]["attention"]["newer"]) == "[True, 0.1, -0.0]"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}, {3: "a"}, [object()]])
def test_a_view_that_no_file_can_hold_is_refused(value: Any) -> None:
    with pytest.raises(ExperimentError, match=r"^view\.bad "):
        dumps(replace(small(), view=MappingProxyType({"bad": value})))


@settings(max_examples=40, deadline=None)
@given(experiments(max_layers=2), experiments(max_layers=2), st.data())
def test_what_is_known_of_the_last_file_changes_no_byte_of_the_next(
    experiment: Experiment, other: Experiment, data: st.DataObject
) -> None:
    known = KnownTexts(data.draw(st.sampled_from((0, 200, 10**6))))
    E = experiment.embedding.E.copy()
    E[-1, -1] += 1.5
    changed = replace(experiment, embedding=replace(experiment.embedding, E=frozen(E)))
    for each in (experiment, changed, changed, other, experiment):
        assert dumps(each, known) == dumps(each)


def test_only_what_changed_is_put_into_words_again() -> None:
    known = KnownTexts()
    experiment = loads(SMALL)
    dumps(experiment, known)
    first = known.size
    assert first > 0
    E = frozen(np.array([[0.25, 2.0], [1e300, -3.0]]))
    changed = replace(experiment, embedding=replace(experiment.embedding, E=E))
    with mock.patch.object(layout, "_array", wraps=layout._array) as written:
        dumps(changed, known)
    assert [call.args[0] is E for call in written.call_args_list] == [True]


def test_texts_of_arrays_that_can_be_written_to_or_are_too_long_are_not_kept() -> None:
    writeable = np.ones((2, 2))
    known = KnownTexts()
    assert known.laid_out({"a": writeable}) == layout.laid_out({"a": writeable})
    writeable[0, 0] = 5.0
    assert known.laid_out({"a": writeable}) == layout.laid_out({"a": writeable})
    assert known.size == 0
    small = KnownTexts(most=30)
    small.laid_out({"a": frozen(np.ones((9, 9))), "b": frozen(np.ones((1, 2)))})
    assert 0 < small.size <= 30
