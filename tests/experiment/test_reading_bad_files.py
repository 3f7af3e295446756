"""Bad files: each gets one plain sentence that names the place and what was expected."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from attnexplorer.experiment.errors import ExperimentError, FileError
from attnexplorer.experiment.fileformat import loads, parse

REFERENCE = Path(__file__).resolve().parent.parent / "data" / "reference"
BIG = 10**400


def base(name: str = "block_pre") -> dict[str, Any]:
    """Return the experiment of a reference case."""
    found: dict[str, Any] = json.loads((REFERENCE / f"{name}.json").read_text(encoding="utf-8"))["experiment"]
    return found


def sentence_of(data: bytes) -> str:
    """Return the sentence that a bad file gets, without the file's name."""
    with pytest.raises(FileError) as caught:
        parse(data, "lesson.attn")
    text = str(caught.value)
    assert text.startswith("lesson.attn: ")
    assert "\n" not in text
    assert len(text) < 300
    return text.removeprefix("lesson.attn: ")


def put(file: Any, path: tuple[str | int, ...], value: Any) -> bytes:
    """Return the bytes of a file in which the value at `path` is `value`."""
    changed = copy.deepcopy(file)
    parent = changed
    for step in path[:-1]:
        parent = parent[step]
    parent[path[-1]] = value
    return json.dumps(changed).encode()


DEEP = b"[" * 101 + b"]" * 101
GOOD = {
    "format": "attnexplorer",
    "version": 1,
    "sequence": {"tokens": ["a", "b", "a"]},
    "embedding": {"vocabulary": ["a", "b"], "E": [[1, 2], [3, 4]]},
    "layers": [
        {
            "attention": {
                "W_Q": [[[1, 2], [3, 4]], [[1, 2], [3, 4]]],
                "W_K": [[[1, 0], [0, 1]]],
                "W_V": [[[1], [2]]],
                "mask": {},
            }
        }
    ],
    "pins": {},
}
A = ("layers", 0, "attention")
M = (*A, "mask")


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "the file is empty"),
        (b" \n\t", "the file is empty"),
        (b"\xef\xbb\xbf", "the file is empty"),
        (b"hello", "the file is not JSON: expecting value (line 1, column 1)"),
        (b'{"format": "attnexplorer"', "the file is not JSON: expecting ',' delimiter (line 1, column 26)"),
        (b'{"a": 1,}', "the file is not JSON: "),
        (b'{"a": "line\nbreak"}', "the file is not JSON: invalid control character at (line 1, column 12)"),
        (b'{"a": 01}', "the file is not JSON: expecting ',' delimiter (line 1, column 8)"),
        (b"{} {}", "the file is not JSON: extra data (line 1, column 4)"),
        (b"[1, 2]", "the file is a list, but an object was expected"),
        (b'"text"', 'the file is "text", but an object was expected'),
        (b"NaN", "the file is NaN, but an object was expected"),
        (b"{}", 'the file is no experiment: "format": "attnexplorer" was expected in it'),
        (b'{"a": 1, "b": 2, "a": 3}', 'the key "a" stands twice in one object'),
        (b'{"x": {"W_Q": 1, "W_Q": 1}}', 'the key "W_Q" stands twice in one object'),
        (DEEP, "the file is nested deeper than 100 levels"),
        (b'{"view": ' + DEEP[1:-1] + b"}", "the file is nested deeper than 100 levels"),
        (b"[" * 1_000_000, "the file is nested deeper than 100 levels"),
        (b'{"a":' * 1_000_000, "the file is nested deeper than 100 levels"),
        (b'{"a": ' + b"9" * 5000 + b"}", "the file holds an integer with too many digits"),
        ('{"a": 1}'.encode("utf-16"), "the file is UTF-16 text, but UTF-8 was expected"),
        ('{"a": 1}'.encode("utf-16-be"), "the file is not UTF-8 text: it has a zero byte at its beginning"),
        ('{"a": 1}'.encode("utf-16-le"), "the file is not UTF-8 text: it has a zero byte at its beginning"),
        ('{"a": 1}'.encode("utf-32-be"), "the file is not UTF-8 text: it has a zero byte at its beginning"),
        ('{"é": 1}'.encode("latin-1"), "the file is not UTF-8 text: byte 0xE9 at position 2 cannot be read"),
        (b'{"a": "\xed\xa0\x80"}', "the file is not UTF-8 text: byte 0xED at position 7 cannot be read"),
        (b'{"a": ["x", "\\ud800"]}', "a[1] holds half a surrogate pair, which is no character"),
        (b'{"a": {"\\udc00": 1}}', "a holds half a surrogate pair, which is no character"),
        (b'{"a": "\\\\ud83d\\udc00"}', "a holds half a surrogate pair, which is no character"),
        (b'{"a": "\\ud83d\\\\\\udc00"}', "a holds half a surrogate pair, which is no character"),
        (b"PK\x03\x04rubbish", "the file is a ZIP archive, no experiment"),
        (bytes(range(128, 256)), "the file is not UTF-8 text: byte 0x80 at position 0 cannot be read"),
    ],
)
def test_text_that_is_no_experiment_gets_its_sentence(data: bytes, sentence: str) -> None:
    assert sentence_of(data).startswith(sentence)


def test_brackets_and_quotes_within_texts_are_no_nesting() -> None:
    file = {**GOOD, "notes": "[" * 500 + '"\\' + "{" * 500, "view": {"a": ["\\", "]" * 200, '\\"[[[']}}
    assert loads(json.dumps(file)).notes == file["notes"]


def test_nesting_up_to_100_levels_is_read() -> None:
    value: Any = 1
    for _ in range(98):
        value = [value]
    assert loads(json.dumps({**GOOD, "view": {"deep": value}})).view["deep"] == value


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        (("format",), "other", 'format is "other", but "attnexplorer" was expected'),
        (("format",), 3, 'format is 3, but "attnexplorer" was expected'),
        (("version",), 2, "version is 2, but 1, the one that this program reads, was expected"),
        (("version",), "1", 'version is "1", but an integer was expected'),
        (("version",), True, "version is true, but an integer was expected"),
        (("version",), None, "version is null, but it is required"),
        (("version",), BIG, "version is a number of more than 20 digits, but 1, "),
        (("title",), 5, "title is 5, but text was expected"),
        (("notes",), ["a"], "notes is a list, but text was expected"),
        (("view",), [1], "view is a list, but an object was expected"),
        (("view",), {"a": [float("nan")]}, "view.a[0] is NaN, but a finite number was expected"),
        (("newer",), [1, float("inf")], "newer[1] is an infinite number, but a finite number was expected"),
        (("sequence",), None, "sequence is null, but it is required"),
        (("sequence",), ["a"], "sequence is a list, but an object was expected"),
        (("sequence", "tokens"), None, "sequence.tokens is null, but it is required"),
        (
            ("sequence", "tokens"),
            [],
            "sequence.tokens is empty, but a list of texts with at least one entry was expected",
        ),
        (("sequence", "tokens"), "a b", 'sequence.tokens is "a b", but a list of texts was expected'),
        (("sequence", "tokens", 1), 5, "sequence.tokens[1] is 5, but text was expected"),
        (("sequence", "tokens", 1), "c", 'sequence.tokens[1] is "c", which is not in embedding.vocabulary'),
        (("sequence", "padding"), [True], "sequence.padding has 1 entry, but there are 3 tokens"),
        (("sequence", "padding"), [0, 1, 0], "sequence.padding[0] is 0, but true or false was expected"),
        (("sequence", "padding"), True, "sequence.padding is true, but a list of true and false was expected"),
        (
            ("source",),
            {"tokens": []},
            "source.tokens is empty, but a list of texts with at least one entry was expected",
        ),
        (("source",), {"tokens": ["z"]}, 'source.tokens[0] is "z", which is not in embedding.vocabulary'),
        (("source",), {"tokens": ["z"], "X": [[1, 2], [1, 2]]}, "source.X is 2 × 2, but source has 1 token"),
        (
            ("source",),
            {"tokens": ["z"], "X": [[1, 2, 3]]},
            "layers[0].attention.W_K[0] is 2 × 2, but source.X has 3 columns",
        ),
        (("source",), {"tokens": ["a"], "padding": [True, True]}, "source.padding has 2 entries, but there is 1 token"),
        (("embedding", "vocabulary"), ["a", "a"], 'embedding.vocabulary[1] is "a", which is already word 0'),
        (("embedding", "vocabulary"), ["a", "b", "c"], "embedding.E is 2 × 2, but the vocabulary has 3 words"),
        (("embedding", "E"), [[1, 2], [3]], "embedding.E[1] has 1 number, but the first row has 2"),
        (("embedding", "E"), [[], []], "embedding.E[0] is empty, but at least one column was expected"),
        (("embedding", "E"), [], "embedding.E is empty, but a matrix with at least one entry was expected"),
        (("embedding", "E"), [1, 2], "embedding.E[0] is 1, but a row of numbers was expected"),
        (("embedding", "E"), 1, "embedding.E is 1, but a matrix was expected"),
        (("embedding", "E", 1, 0), "3", 'embedding.E[1][0] is "3", but a number was expected'),
        (("embedding", "E", 1, 0), True, "embedding.E[1][0] is true, but a number was expected"),
        (("embedding", "E", 1, 0), None, "embedding.E[1][0] is null, but a number was expected"),
        (("embedding", "E", 1, 0), [3], "embedding.E[1][0] is a list, but a number was expected"),
        (("embedding", "E", 1, 0), float("nan"), "embedding.E[1][0] is NaN, but a finite number was expected"),
        (
            ("embedding", "E", 1, 1),
            float("-inf"),
            "embedding.E[1][1] is an infinite number, but a finite number was expected",
        ),
        (
            ("embedding", "E", 1, 1),
            BIG,
            "embedding.E[1][1] is a number of more than 20 digits, but a finite number was expected",
        ),
        (("position",), "rope", 'position is "rope", but an object was expected'),
        (
            ("position",),
            {"kind": "rotary"},
            'position.kind is "rotary", but "none", "sinusoidal", "learned", "rope" or "alibi" was expected',
        ),
        (("position",), {"kind": "learned"}, 'position.table is missing, but it is required with the kind "learned"'),
        (
            ("position",),
            {"kind": "learned", "table": [[1, 2]] * 4, "offset": 2},
            "position.table has 4 rows, but at least 5 are needed (offset 2 + 3 tokens)",
        ),
        (
            ("position",),
            {"kind": "learned", "table": [[1]] * 4},
            "position.table is 4 × 1, but the embedding has 2 columns",
        ),
        (("position",), {"kind": "sinusoidal", "base": 0}, "position.base is 0.0, but a number above 0 was expected"),
        (("position",), {"offset": -1}, "position.offset is -1, but an integer at least 0 was expected"),
        (("position",), {"offset": 1.5}, "position.offset is 1.5, but an integer was expected"),
        (
            ("position",),
            {"offset": BIG},
            "position.offset is a number of more than 20 digits, but an integer from 0 to 9007",
        ),
        (("position",), {"interleaved": 1}, "position.interleaved is 1, but true or false was expected"),
        (("layers",), [], "layers is empty, but a list of layers with at least one entry was expected"),
        (("layers",), {}, "layers is an object, but a list of layers was expected"),
        (("layers", 0), [], "layers[0] is a list, but an object was expected"),
        (("layers", 0), {}, "layers[0].attention is missing, but it is required"),
        (("layers", 0, "residual"), "true", 'layers[0].residual is "true", but true or false was expected'),
        ((*A, "W_Q"), None, "layers[0].attention.W_Q is null, but it is required"),
        ((*A, "W_Q"), [], "layers[0].attention.W_Q is empty"),
        ((*A, "W_Q", 1), [[1, 2]], "layers[0].attention.W_Q[1] is 1 × 2, but the embedding has 2 columns"),
        ((*A, "W_Q", 1), [[1], [2]], "layers[0].attention.W_Q[1] is 2 × 1, but head 0 has 2 columns"),
        ((*A, "W_K", 0), [[1, 2]] * 3, "layers[0].attention.W_K[0] is 3 × 2, but the embedding has 2 columns"),
        ((*A, "W_K", 0), [[1, 2, 3]] * 2, "layers[0].attention.W_K[0] is 2 × 3, but W_Q[0] has 2 columns"),
        (
            (*A, "W_K"),
            [[[1, 2]] * 2] * 3,
            "layers[0].attention.W_K has 3 heads, but a number that divides the 2 heads of W_Q was expected",
        ),
        ((*A, "W_V"), [[[1], [2]]] * 2, "layers[0].attention.W_V has 2 heads, but W_K has 1"),
        ((*A, "W_V", 0), [[1]], "layers[0].attention.W_V[0] is 1 × 1, but the embedding has 2 columns"),
        ((*A, "W_V", 0), [[1], [2, 3]], "layers[0].attention.W_V[0][1] has 2 numbers, but the first row has 1"),
        ((*A, "b_Q"), [[1, 2]], "layers[0].attention.b_Q has 1 row, but W_Q has 2 heads"),
        ((*A, "b_Q"), [[1, 2], [1]], "layers[0].attention.b_Q[1] has 1 number, but W_Q has 2 columns"),
        ((*A, "b_K"), [[1, 2], [1, 2]], "layers[0].attention.b_K has 2 rows, but W_K has 1 head"),
        ((*A, "b_V"), [1], "layers[0].attention.b_V[0] is 1, but a list of numbers was expected"),
        ((*A, "b_V"), [["x"]], 'layers[0].attention.b_V[0][0] is "x", but a number was expected'),
        ((*A, "W_O"), [[1, 2]] * 3, "layers[0].attention.W_O is 3 × 2, but 2 heads of width 1 need 2 rows"),
        ((*A, "b_O"), [1, 2, 3], "layers[0].attention.b_O has 3 numbers, but the attention output has 2 columns"),
        ((*A, "scale"), "sqrt", 'layers[0].attention.scale is "sqrt", but "sqrt_dk", "none" or a number was expected'),
        ((*A, "scale"), True, 'layers[0].attention.scale is true, but "sqrt_dk", "none" or a number was expected'),
        (
            (*A, "scale"),
            float("inf"),
            "layers[0].attention.scale is an infinite number, but a finite number was expected",
        ),
        ((*A, "temperature"), 0, "layers[0].attention.temperature is 0.0, but a number above 0 was expected"),
        ((*A, "temperature"), "1", 'layers[0].attention.temperature is "1", but a number was expected'),
        ((*A, "softcap"), -1, "layers[0].attention.softcap is -1.0, but a number above 0 was expected"),
        ((*A, "muted_heads"), [2], "layers[0].attention.muted_heads[0] is 2, but an integer from 0 to 1 was expected"),
        ((*A, "muted_heads"), [True], "layers[0].attention.muted_heads[0] is true, but an integer was expected"),
        ((*A, "muted_heads"), 0, "layers[0].attention.muted_heads is 0, but a list of integers was expected"),
        (M, [], "layers[0].attention.mask is a list, but an object was expected"),
        ((*M, "causal"), 1, "layers[0].attention.mask.causal is 1, but true or false was expected"),
        ((*M, "window"), 0, "layers[0].attention.mask.window is 0, but an integer at least 1 was expected"),
        ((*M, "window"), 1.5, "layers[0].attention.mask.window is 1.5, but an integer was expected"),
        ((*M, "prefix"), 4, "layers[0].attention.mask.prefix is 4, but an integer from 0 to 3 was expected"),
        ((*M, "prefix"), -1, "layers[0].attention.mask.prefix is -1, but an integer from 0 to 3 was expected"),
        ((*M, "align"), "middle", 'layers[0].attention.mask.align is "middle", but "end" or "start" was expected'),
        ((*M, "segments"), [1, 2], "layers[0].attention.mask.segments has 2 entries, but the sequence has 3 tokens"),
        (
            (*M, "segments"),
            [1, 2, 1.5],
            "layers[0].attention.mask.segments[2] is 1.5, but text or an integer was expected",
        ),
        (
            (*M, "segments"),
            [1, 2, True],
            "layers[0].attention.mask.segments[2] is true, but text or an integer was expected",
        ),
        (
            (*M, "blocked"),
            [[0, 3]],
            "layers[0].attention.mask.blocked[0][1] is 3, but an integer from 0 to 2 was expected",
        ),
        (
            (*M, "blocked"),
            [[-1, 0]],
            "layers[0].attention.mask.blocked[0][0] is -1, but an integer from 0 to 2 was expected",
        ),
        ((*M, "blocked"), [[BIG, 0]], "layers[0].attention.mask.blocked[0][0] is a number of more than 20 digits, but"),
        ((*M, "blocked"), [[0, 1], [2]], "layers[0].attention.mask.blocked[1] was expected to be a pair [query, key]"),
        ((*M, "blocked"), [[0, 1.0]], "layers[0].attention.mask.blocked[0][1] is 1.0, but an integer was expected"),
        ((*M, "allowed"), [[0, "1"]], 'layers[0].attention.mask.allowed[0][1] is "1", but an integer was expected'),
        (
            (*M, "allowed"),
            {},
            "layers[0].attention.mask.allowed is an object, but a list of [query, key] pairs was expected",
        ),
        (("unembedding",), "Tied", 'unembedding is "Tied", but "tied" or an object with W_U was expected'),
        (("unembedding",), {}, "unembedding.W_U is missing, but it is required"),
        (("unembedding",), {"W_U": [[1, 2]]}, "unembedding.W_U is 1 × 2, but layers[0] puts out 2 columns"),
        (("unembedding",), {"W_U": [[1, 2, 3]] * 2}, "unembedding.W_U is 2 × 3, but the vocabulary has 2 words"),
        (("final_norm",), {"kind": "layernorm"}, "final_norm.gain is missing, but it is required"),
        (
            ("final_norm",),
            {"kind": "norm", "gain": [1, 1]},
            'final_norm.kind is "norm", but "layernorm" or "rmsnorm" was expected',
        ),
        (
            ("final_norm",),
            {"kind": "rmsnorm", "gain": [1]},
            "final_norm.gain has 1 number, but layers[0] puts out 2 columns",
        ),
        (
            ("final_norm",),
            {"kind": "rmsnorm", "gain": [1, 1], "bias": [1]},
            "final_norm.bias has 1 number, but layers[0] puts out 2 columns",
        ),
        (
            ("final_norm",),
            {"kind": "rmsnorm", "gain": [1, 1], "eps": -1},
            "final_norm.eps is -1.0, but a number of at least 0 was expected",
        ),
        (("pins",), [], "pins is a list, but an object was expected"),
        (("pins", "layers.0.probabilities"), [[1]], "pins.layers.0.probabilities is no stage that can be pinned"),
        (("pins", "layers.00.input"), [[1]], "pins.layers.00.input is no stage that can be pinned"),
        (("pins", "x y\n"), [[1]], 'pins["x y\\n"] is no stage that can be pinned'),
        (
            ("pins", "layers.1.input"),
            [[1]],
            "pins.layers.1.input: the layer is 1, but an integer from 0 to 0 was expected",
        ),
        (("pins", "layers.0.query"), [[1]], "pins.layers.0.query names no head, but query is one matrix a head"),
        (
            ("pins", "layers.0.input.0"),
            [[1]],
            "pins.layers.0.input.0 names a head, but input is the same for all heads",
        ),
        (
            ("pins", "layers.0.query.2"),
            [[1]],
            "pins.layers.0.query.2: the head is 2, but an integer from 0 to 1 was expected",
        ),
        (
            ("pins", "layers.0.key.1"),
            [[1]],
            "pins.layers.0.key.1: the KV head is 1, but an integer from 0 to 0 was expected",
        ),
        (
            ("pins", "layers.0.query_rotated.0"),
            [[1]],
            'pins.layers.0.query_rotated.0 is pinned, but query_rotated exists only with the position kind "rope"',
        ),
        (
            ("pins", "layers.0.ffn_hidden"),
            [[1]],
            "pins.layers.0.ffn_hidden is pinned, but ffn_hidden exists only with an FFN in the layer",
        ),
        (("pins", "layers.0.scores.0"), [[1, 2]] * 3, "pins.layers.0.scores.0 is 3 × 2, but scores is 3 × 3"),
        (("pins", "layers.0.key.0"), [[1, 2], [1]], "pins.layers.0.key.0[1] has 1 number, but the first row has 2"),
        (
            ("pins", "layers.0.key.0"),
            [[1, 2], [1, True]],
            'pins.layers.0.key.0[1][1] is true, but a number, null or "-inf"',
        ),
        (
            ("pins", "layers.0.key.0"),
            [[1, 2], [1, "inf"]],
            'pins.layers.0.key.0[1][1] is "inf", but a number, null or "-inf"',
        ),
        (
            ("pins", "layers.0.key.0"),
            [[1, float("nan")]],
            "pins.layers.0.key.0[0][1] is NaN, but a finite number was expected",
        ),
        (
            ("pins", "layers.0.key.0"),
            [[1, float("-inf")]],
            "pins.layers.0.key.0[0][1] is an infinite number, but a finite",
        ),
        (
            ("pins", "layers.0.key.0"),
            [[1, BIG]],
            "pins.layers.0.key.0[0][1] is a number of more than 20 digits, but a finite",
        ),
        (
            ("pins", "layers.0.weights.0"),
            [[1, 2, 3], [1, 2, "-inf"], [1, 2, 3]],
            'pins.layers.0.weights.0[1][2] is "-inf", but a finite number or null was expected in weights',
        ),
    ],
)
def test_one_wrong_value_gets_a_sentence_with_its_place(path: Any, value: Any, sentence: str) -> None:
    assert sentence_of(put(GOOD, path, value)).startswith(sentence)


def test_a_number_that_overflows_is_refused() -> None:
    data = json.dumps(GOOD).encode().replace(b"[3, 4]", b"[3, 1e999]", 1)
    assert sentence_of(data) == "embedding.E[1][1] is an infinite number, but a finite number was expected"


L, F, N = ("layers", 0), ("layers", 0, "ffn"), ("layers", 0, "norm")


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        (
            (*F, "activation"),
            "tanh",
            'layers[0].ffn.activation is "tanh", but "relu", "gelu", "gelu_tanh" or "silu" was',
        ),
        ((*F, "W_1"), None, "layers[0].ffn.W_1 is null, but it is required"),
        ((*F, "W_1"), [[1, 2]], "layers[0].ffn.W_1 is 1 × 2, but the attention output has 6 columns"),
        ((*F, "W_2"), [[1, 2]], "layers[0].ffn.W_2 is 1 × 2, but W_1 has 12 columns"),
        ((*F, "W_2"), [[1, 2]] * 12, "layers[0].ffn.b_2 has 6 numbers, but W_2 has 2 columns"),
        ((*F, "b_1"), [1], "layers[0].ffn.b_1 has 1 number, but W_1 has 12 columns"),
        ((*F, "b_2"), [1], "layers[0].ffn.b_2 has 1 number, but W_2 has 6 columns"),
        ((*F, "W_gate"), [[1] * 12] * 3, "layers[0].ffn.W_gate is 3 × 12, but the attention output has 6 columns"),
        ((*F, "W_gate"), [[1] * 3] * 6, "layers[0].ffn.W_gate is 6 × 3, but W_1 has 12 columns"),
        ((*N, "kind"), "batchnorm", 'layers[0].norm.kind is "batchnorm", but "layernorm" or "rmsnorm" was expected'),
        ((*N, "kind"), None, "layers[0].norm.kind is null, but it is required"),
        ((*N, "placement"), "middle", 'layers[0].norm.placement is "middle", but "pre" or "post" was expected'),
        ((*N, "gain"), [[1] * 6], "layers[0].norm.gain has 1 row, but 2 were expected"),
        ((*N, "gain"), [[1] * 6] * 3, "layers[0].norm.gain has 3 rows, but 2 were expected"),
        ((*N, "gain"), [[1] * 5] * 2, "layers[0].norm.gain[0] has 5 numbers, but the embedding has 6 columns"),
        ((*N, "gain"), [[1] * 6, [1]], "layers[0].norm.gain[1] has 1 number, but the attention output has 6 columns"),
        ((*N, "bias"), [[1] * 6], "layers[0].norm.bias has 1 row, but 2 were expected"),
        ((*N, "eps"), "small", 'layers[0].norm.eps is "small", but a number was expected'),
        (
            (*L, "attention", "W_O"),
            [[1] * 3] * 6,
            "layers[0].attention.b_O has 6 numbers, but the attention output has 3 columns",
        ),
        (("layers", 1, "attention", "W_Q", 0), [[1]], "layers[1].attention.W_Q[0] is 1 × 1, but layers[0] puts out 6"),
    ],
)
def test_one_wrong_value_in_a_block_gets_a_sentence_with_its_place(path: Any, value: Any, sentence: str) -> None:
    assert sentence_of(put(base(), path, value)).startswith(sentence)


def test_an_odd_width_cannot_be_turned_by_rope() -> None:
    file: Any = copy.deepcopy(GOOD)
    file["layers"][0]["attention"].update(W_Q=[[[1], [3]]], W_K=[[[1], [0]]])
    file["position"] = {"kind": "rope"}
    expected = (
        'layers[0].attention.W_Q has d_k 1, but the position kind "rope" turns pairs of columns and needs an even d_k'
    )
    assert sentence_of(json.dumps(file).encode()) == expected


def test_a_residual_sum_needs_equal_widths() -> None:
    file: Any = copy.deepcopy(GOOD)
    file["layers"][0]["residual"] = True
    data = put(file, (*A, "W_O"), [[1], [1]])
    sums = "adds the layer's input to the attention output"
    expected = f"is true and {sums}, but the embedding has 2 columns and the attention output has 1 column"
    assert sentence_of(data) == f"layers[0].residual {expected}"


def test_a_residual_sum_after_the_ffn_needs_equal_widths() -> None:
    file: Any = copy.deepcopy(GOOD)
    file["layers"][0].update(residual=True, ffn={"activation": "relu", "W_1": [[1], [1]], "W_2": [[1, 2, 3]]})
    sums = "adds the FFN's output to what went in"
    expected = f"is true and {sums}, but the FFN puts out 3 columns and the attention output has 2 columns"
    assert sentence_of(json.dumps(file).encode()) == f"layers[0].residual {expected}"


def test_segments_do_not_go_with_a_source() -> None:
    file: Any = copy.deepcopy(GOOD)
    file["source"] = {"tokens": ["a"]}
    data = put(file, (*M, "segments"), [1, 1, 1])
    assert sentence_of(data) == "layers[0].attention.mask.segments was expected to be null, because there is a source"


def test_a_tied_unembedding_needs_the_width_of_the_embedding() -> None:
    file = {**GOOD, "unembedding": "tied"}
    data = put(file, (*A, "W_O"), [[1], [1]])
    expected = 'unembedding is "tied" to an embedding of 2 columns, but layers[0] puts out 1 column'
    assert sentence_of(data) == expected


def _byte_changes(data: bytes, draw: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(draw.randint(1, 4)):
        at = draw.randrange(len(changed))
        changed[at : at + draw.randint(0, 3)] = bytes(
            draw.choices(b'[]{}",:0123456789.-eEnNtf\\u\x00\xff ', k=draw.randint(0, 3))
        )
    return bytes(changed)


def _value_changes(data: bytes, draw: random.Random) -> bytes:
    file = json.loads(data)
    for _ in range(draw.randint(1, 3)):
        parent = file
        while True:
            keys = list(parent) if isinstance(parent, dict) else list(range(len(parent)))
            if not keys:
                break
            key = draw.choice(keys)
            if isinstance(parent[key], (dict, list)) and parent[key] and draw.random() < 0.8:
                parent = parent[key]
                continue
            strange: list[Any] = [
                None,
                True,
                "",
                "-inf",
                -1,
                1.5,
                BIG,
                [],
                {},
                [[]],
                [[1, 2], [3]],
                float("nan"),
                float("inf"),
            ]
            parent[key] = draw.choice([*strange, parent[draw.choice(keys)]])
            break
    return json.dumps(file).encode()


def _truncation(data: bytes, draw: random.Random) -> bytes:
    return data[: draw.randrange(len(data))]


@pytest.mark.parametrize("change", [_byte_changes, _value_changes, _truncation], ids=lambda change: change.__name__)
@pytest.mark.parametrize(
    "name", ["pins_everywhere", "grouped_query", "cross_rope", "block_silu_post", "prefix_segments"]
)
def test_a_mutated_file_is_read_or_refused_with_a_sentence(
    change: Callable[[bytes, random.Random], bytes], name: str
) -> None:
    draw, data = random.Random(name), json.dumps(base(name)).encode()
    sentences = [sentence for _ in range(40) if (sentence := _refusal(change(data, draw))) is not None]
    assert sentences
    assert all(sentence.startswith("mutated.attn: ") and "\n" not in sentence for sentence in sentences)


def _refusal(data: bytes) -> str | None:
    try:
        parse(data, "mutated.attn")
    except FileError as error:
        return str(error)
    return None


def test_errors_of_files_are_errors_of_experiments() -> None:
    with pytest.raises(ExperimentError):
        loads("{}")


@pytest.mark.parametrize(
    ("start", "sentence"),
    [
        (b"GIF89a\x10\x00", "the file is a GIF picture, which carries no experiment; figures in PNG, SVG"),
        (b"RIFF\x24\x00\x00\x00WEBPVP8 ", "the file is a WebP picture, which carries no experiment"),
        (b"\xff\xd8\xff\xe0", "the file is a JPEG picture, which carries no experiment"),
        (b"\x89PNG\r\n\x1a\n", "the file is a PNG picture, but its name says that it is an experiment; called .png"),
        (b"%PDF-1.4", "the file is a PDF document, but"),
        (b"PK\x03\x04", "the file is a ZIP archive, no experiment"),
        (b"\x93NUMPY\x01\x00", "the file is a NumPy array (.npy), no experiment"),
        (b"\x40\x00\x00\x00\x00\x00\x00\x00{}", "the file is a safetensors file of weights, no experiment"),
    ],
)
def test_a_file_of_another_kind_is_called_what_it_is(start: bytes, sentence: str) -> None:
    with pytest.raises(ExperimentError) as raised:
        parse(start + b"\xea\x00" * 20, "x.attn")
    assert sentence in str(raised.value)
