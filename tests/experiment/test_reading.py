"""Reading `.attn` files: what is accepted, with which defaults, and what is kept of newer files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attnexplorer.experiment.comparison import identical
from attnexplorer.experiment.errors import FileError
from attnexplorer.experiment.fileformat import load, loads, parse, read

REFERENCE = Path(__file__).resolve().parent.parent / "data" / "reference"
CASES = sorted(REFERENCE.glob("*.json"))


def small(**changes: Any) -> dict[str, Any]:
    """Return a file of two tokens and one head with keys replaced."""
    attention = {"W_Q": [[[1, 2], [3, 4]]], "W_K": [[[1, 0], [0, 1]]], "W_V": [[[1], [2]]]}
    plain = {
        "format": "attnexplorer",
        "version": 1,
        "sequence": {"tokens": ["a", "b"]},
        "embedding": {"vocabulary": ["a", "b"], "E": [[1, 2], [3, 4]]},
        "layers": [{"attention": attention}],
    }
    return {**plain, **changes}


def as_bytes(value: Any) -> bytes:
    return json.dumps(value).encode()


def test_there_are_44_reference_cases() -> None:
    assert len(CASES) == 44


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_every_reference_experiment_is_read_without_a_warning(case: Path) -> None:
    experiment = json.loads(case.read_text(encoding="utf-8"))["experiment"]
    result = parse(as_bytes(experiment), case.name)
    assert result.warnings == ()
    assert list(result.experiment.sequence.tokens) == experiment["sequence"]["tokens"]
    assert result.experiment.layers[0].attention.W_Q[0].tolist() == experiment["layers"][0]["attention"]["W_Q"][0]


def test_what_may_be_left_out_gets_its_default() -> None:
    experiment = parse(as_bytes(small()), "a.attn").experiment
    attention = experiment.layers[0].attention
    assert experiment.sequence.padding == (False, False)
    assert (experiment.title, experiment.notes, experiment.source) == ("", "", None)
    assert (experiment.position.kind, experiment.position.base, experiment.position.offset) == ("none", 10000.0, 0)
    assert (attention.scale, attention.temperature, attention.softcap) == ("sqrt_dk", 1.0, None)
    assert (attention.mask.causal, attention.mask.align, attention.mask.blocked) == (False, "end", ())
    assert (experiment.final_norm, experiment.unembedding, dict(experiment.pins)) == (None, None, {})


def test_null_means_the_default_everywhere() -> None:
    nothing = dict.fromkeys(("title", "notes", "source", "position", "final_norm", "unembedding", "pins", "view"))
    attention = dict.fromkeys(("b_Q", "b_K", "b_V", "W_O", "b_O", "scale", "temperature", "softcap", "muted_heads"))
    mask = dict.fromkeys(("causal", "window", "prefix", "segments", "align", "blocked", "allowed"))
    file = small(**nothing)
    file["sequence"]["padding"] = None
    file["layers"][0].update(norm=None, residual=None, ffn=None)
    file["layers"][0]["attention"].update(attention, mask=mask)
    assert identical(parse(as_bytes(file), "a.attn").experiment, parse(as_bytes(small()), "a.attn").experiment)
    file["position"] = dict.fromkeys(("kind", "base", "interleaved", "offset", "table"))
    assert identical(parse(as_bytes(file), "a.attn").experiment, parse(as_bytes(small()), "a.attn").experiment)


def test_a_null_cell_of_a_pin_stays_computed_and_a_text_cell_is_minus_infinity() -> None:
    file = small(pins={"layers.0.masked.0": [[1.5, "-inf"], [None, 2]]})
    pin = parse(as_bytes(file), "a.attn").experiment.pins["layers.0.masked.0"]
    assert np.array_equal(pin, [[1.5, -np.inf], [np.nan, 2.0]], equal_nan=True)


def test_matrices_are_read_only() -> None:
    experiment = parse(as_bytes(small()), "a.attn").experiment
    with pytest.raises(ValueError, match="read-only"):
        experiment.embedding.E[0, 0] = 1.0


def test_a_byte_order_mark_is_accepted() -> None:
    assert parse(b"\xef\xbb\xbf" + as_bytes(small()), "a.attn").experiment.sequence.tokens == ("a", "b")


def test_unicode_tokens_are_read_as_they_are() -> None:
    tokens = ["你好", "שלום", "👩\u200d👩\u200d👧", "Ġthe", "", "\n"]
    table = [[1, 2]] * len(tokens)
    file = small(sequence={"tokens": tokens}, embedding={"vocabulary": tokens, "E": table})
    for text in (json.dumps(file), json.dumps(file, ensure_ascii=False)):
        assert loads(text).sequence.tokens == tuple(tokens)


def test_an_unknown_key_is_kept_and_warned_about_with_its_place() -> None:
    file = small(colour="blue")
    file["layers"][0]["attention"]["mask"] = {"stripes": [1, {"wide": True}]}
    result = parse(as_bytes(file), "a.attn")
    assert result.experiment.extra == {"colour": "blue"}
    assert result.experiment.layers[0].attention.mask.extra == {"stripes": [1, {"wide": True}]}
    assert result.warnings == (
        "a.attn: layers[0].attention.mask.stripes is not known to this version; it is kept and written back",
        "a.attn: colour is not known to this version; it is kept and written back",
    )


def test_many_unknown_keys_give_a_bounded_number_of_warnings() -> None:
    result = parse(as_bytes(small(**{f"key{number}": number for number in range(1000)})), "a.attn")
    assert len(result.warnings) == 51
    assert result.warnings[-1] == "a.attn: 950 more keys are not known; they are kept"
    assert len(result.experiment.extra) == 1000


def test_a_source_with_vectors_takes_any_text_as_tokens() -> None:
    file = small(source={"tokens": ["not in the vocabulary", "x", ""], "X": [[1, 2, 3]] * 3})
    file["layers"][0]["attention"].update(W_K=[[[1, 0]] * 3], W_V=[[[1]] * 3])
    assert parse(as_bytes(file), "a.attn").experiment.key_tokens == ("not in the vocabulary", "x", "")


def test_a_table_must_not_reach_tokens_that_are_labels_only() -> None:
    file = small(
        source={"tokens": ["x", "y", "z"], "X": [[1, 2]] * 3}, position={"kind": "learned", "table": [[0, 0]] * 2}
    )
    assert parse(as_bytes(file), "a.attn").experiment.position.kind == "learned"


def test_a_file_is_read_by_path_and_named_in_warnings(tmp_path: Path) -> None:
    path = tmp_path / "lesson.attn"
    path.write_bytes(as_bytes(small(colour="blue")))
    assert identical(load(path), read(str(path)).experiment)
    assert read(path).warnings[0].startswith("lesson.attn: colour ")


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda path: None, "there is no such file"),
        (lambda path: path.mkdir(), "this is a folder, but a file was expected"),
        (lambda path: path.symlink_to("/dev/zero"), "this is a device or a pipe, but a regular file was expected"),
        (lambda path: path.write_bytes(b""), "the file is empty"),
        (lambda path: path.symlink_to(path), "the file cannot be read (Too many levels of symbolic links)"),
    ],
)
def test_what_is_no_readable_file_gets_a_sentence(tmp_path: Path, make: Any, sentence: str) -> None:
    path = tmp_path / "lesson.attn"
    make(path)
    with pytest.raises(FileError) as caught:
        read(path)
    assert str(caught.value) == f"lesson.attn: {sentence}"


def test_a_file_above_the_largest_size_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "big.attn"
    with path.open("wb") as file:
        file.truncate(600 * 1024 * 1024)
    with pytest.raises(FileError, match=r"^big\.attn: the file is larger than 512 MB$"):
        read(path)


def test_a_path_with_a_zero_character_gets_a_sentence() -> None:
    with pytest.raises(FileError, match="this is no file name"):
        read("a\0b.attn")
