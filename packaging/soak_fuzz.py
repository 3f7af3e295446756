"""Fuzzing: files of every kind and typed texts, mutated or made up; each is read or refused, and soon."""

from __future__ import annotations

import faulthandler
import io
import json
import random
import resource
import sys
import tempfile
import time
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hypothesis
import numpy as np
import safetensors.numpy
from hypothesis import strategies as st
from soak_mutations import mutated, mutated_json

from attnexplorer.compute.trace import evaluate
from attnexplorer.experiment.comparison import identical
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.examples import example_names, example_path, load_example
from attnexplorer.experiment.expressions import NumberError, parse_block, parse_number
from attnexplorer.experiment.fileformat import dumps, parse
from attnexplorer.experiment.model import Experiment
from attnexplorer.figures import carrying
from attnexplorer.interop.arrays.reading import layouts_in_text, read_arrays, read_text, table_in_text
from attnexplorer.interop.capture import capture, capture_bytes, holds_capture, read_capture

LONGEST = 2.0
"""Seconds that one input may take."""
MOST_MEMORY = 1_500_000_000
"""Bytes of address space beyond what the process has at first; more is refused by the system, which counts as found."""
LARGEST_GROWTH = 300
"""Megabytes by which the process may have grown at its largest."""
SMALL = 4000
"""Numbers up to which an accepted experiment is evaluated as well."""
REFUSALS = (ExperimentError, NumberError)
DREAMT = 0.1
"""The share of inputs that hypothesis makes up."""

Seeds = dict[str, list[bytes]]
ALPHABET = "0123456789.,;+-*/()eE \t\n\r[]{}\"'πinfa_sqrt√²×−"


class Fuzzer:
    """One run. Each input has a number; with the seed it is made again exactly."""

    def __init__(self, seed: int, folder: Path) -> None:
        self._seed, self._folder = seed, folder
        self.found: list[str] = []
        self.counts: Counter[str] = Counter()
        self.accepted: Counter[str] = Counter()
        self.slowest = 0.0
        self._seeds = seeds()
        self._readers: dict[str, Callable[[bytes], None]] = {
            ".attn": _read_experiment,
            **dict.fromkeys(carrying.SUFFIXES, _read_figure),
            ".csv": lambda data: self._read_table(data, ".csv"),
            ".tsv": lambda data: self._read_table(data, ".tsv"),
            ".json": lambda data: self._read_arrays(data, ".json"),
            ".npy": lambda data: self._read_arrays(data, ".npy"),
            ".npz": lambda data: self._read_arrays(data, ".npz"),
            ".safetensors": lambda data: self._read_arrays(data, ".safetensors"),
            "capture": self._read_capture,
            "typed": _read_typed,
        }

    def mutate(self, number: int) -> None:
        """Try the input with this number."""
        dice = random.Random(f"{self._seed}:{number}")
        kinds = list(self._seeds)
        kind = dice.choices(kinds, [6 if it == ".attn" else 2 if it in carrying.SUFFIXES else 3 for it in kinds])[0]
        start = dice.choice(self._seeds[kind])
        if kind in (".attn", ".json") and dice.random() < 0.6:
            data = mutated_json(start, dice)
        elif kind in carrying.SUFFIXES and dice.random() < 0.4:
            data = _figures([mutated_json(dice.choice(self._seeds[".attn"]), dice)])[kind][0]
        else:
            data = mutated(start, dice, dice.choice(self._seeds[kind]))
        self.try_one(kind, data, f"input {number} of seed {self._seed}")

    def try_one(self, kind: str, data: bytes, name: str) -> None:
        """Read one input; what is neither read nor refused is found."""
        self.counts[kind] += 1
        began = time.monotonic()
        faulthandler.dump_traceback_later(10 * LONGEST, exit=True)
        try:
            self._readers[kind](data)
            self.accepted[kind] += 1
        except REFUSALS as refusal:
            if not str(refusal).strip():
                self._add(kind, data, name, "it is refused without a sentence")
        except Exception as error:
            self._add(kind, data, name, f"{type(error).__name__}: {error}")
        faulthandler.cancel_dump_traceback_later()
        seconds = time.monotonic() - began
        self.slowest = max(self.slowest, seconds)
        if seconds > LONGEST:
            self._add(kind, data, name, f"it took {seconds:.1f} s")

    def _add(self, kind: str, data: bytes, name: str, what: str) -> None:
        kept = Path(tempfile.gettempdir()) / f"attnexplorer-fuzz-{len(self.found)}{kind if kind[0] == '.' else '.bin'}"
        kept.write_bytes(data)
        self.found.append(f"{name} ({kind}, kept in {kept}): {what[:500]}")
        print(f"FOUND {self.found[-1]}", flush=True)

    def _file(self, data: bytes, suffix: str) -> Path:
        file = self._folder / f"input{suffix}"
        file.write_bytes(data)
        return file

    def _read_arrays(self, data: bytes, suffix: str) -> None:
        found = read_arrays(self._file(data, suffix))
        for array in found.arrays[:4]:
            assert found.load(array.name).shape == array.shape

    def _read_table(self, data: bytes, suffix: str) -> None:
        text = read_text(self._file(data, suffix))
        for layout in layouts_in_text(text, "input"):
            table_in_text(text, layout, "input")

    def _read_capture(self, data: bytes) -> None:
        file = self._file(data, ".npz")
        holds_capture(file)
        read = read_capture(file)
        read.weights(0, 0)


def fuzz(count: int, seed: int) -> list[str]:
    """Try `count` inputs and return what was found."""
    warnings.simplefilter("error")
    _limit_memory()
    with tempfile.TemporaryDirectory(prefix="attnexplorer-fuzz-") as folder:
        fuzzer = Fuzzer(seed, Path(folder))
        before, began = _largest(), time.monotonic()
        dreamt = round(count * DREAMT)
        for number in range(count - dreamt):
            fuzzer.mutate(number)
            if number % 5000 == 4999:
                print(f"{number + 1} inputs, {len(fuzzer.found)} found, {_largest() - before:.0f} MB more", flush=True)
        _dream(fuzzer, dreamt, seed)
        growth = _largest() - before
    kinds = ", ".join(f"{kind} {number} ({fuzzer.accepted[kind]} read)" for kind, number in fuzzer.counts.items())
    print(f"{sum(fuzzer.counts.values())} inputs with seed {seed} in {time.monotonic() - began:.0f} s: {kinds}.")
    print(f"The slowest took {fuzzer.slowest:.2f} s; the process grew by {growth:.0f} MB at most.")
    if growth > LARGEST_GROWTH:
        fuzzer.found.append(f"memory grew by {growth:.0f} MB")
    return fuzzer.found


def seeds() -> Seeds:
    """Return whole files of each kind to begin with."""
    texts = [example_path(name).read_bytes() for name in example_names()]
    small = sorted(texts, key=len)[:8]
    matrix = np.arange(6.0).reshape(2, 3)
    weights = capture(np.full((1, 2, 2, 2), 0.5, np.float32), ("a", "b"))
    return {
        ".attn": small,
        **_figures(small[:3]),
        ".csv": [b"1,2,3\n4,5,6\n", b"a;b\n1,5;2\n3;4\n", b"\xef\xbb\xbfx,y\r\n1e3,-2\r\n", "1\t2\n".encode("utf-16")],
        ".tsv": [b"1\t2\n3\t4\n", b"\tthe\tcat\nthe\t1\t2\ncat\t3\t4\n"],
        ".json": [b"[[1, 2], [3, 4]]", json.dumps({"a": matrix.tolist(), "b": {"c": [1, 2]}}).encode()],
        ".npy": [_npy(matrix), _npy(matrix.astype(np.float32)), _npy(np.array([[1, 2]], np.int8)), _npy(matrix.T)],
        ".npz": [_npz(a=matrix, b=matrix[0]), _npz(packed=True, a=matrix)],
        ".safetensors": [safetensors.numpy.save({"a": matrix, "b": matrix.astype(np.float16)})],
        "capture": [capture_bytes(weights)],
        "typed": [
            b"1/3",
            b"sqrt(2)*-1e-3",
            b"2**10",
            b"0,5",
            b"1\t2\n3\t4",
            b"(1+2)/(3-4)",
            b"[[1, 2], [3, 4]]",
            b"pi",
        ],
    }


def _figures(texts: list[bytes]) -> Seeds:
    marks = [carrying.marked(text).encode("ascii") for text in texts]

    def pptx(mark: bytes) -> bytes:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("[Content_Types].xml", "<Types/>")
            archive.writestr(carrying.PPTX_PART, mark)
        return buffer.getvalue()

    def pdf(text: bytes) -> bytes:
        head = b"%PDF-1.4\n5 0 obj\n<< /Length " + str(len(text)).encode() + b" >>\nstream\n" + text + b"\nendstream\n"
        return head + b"endobj\n6 0 obj\n<< /F (experiment.attn) /EF << /F 5 0 R >> >>\nendobj\n%%EOF\n"

    end = carrying.chunk(b"IEND", b"")
    return {
        ".png": [carrying.PNG_SIGNATURE + carrying.png_chunk(text) + end for text in texts],
        ".svg": [b"<svg xmlns='http://www.w3.org/2000/svg'><metadata>" + mark + b"</metadata></svg>" for mark in marks],
        ".pdf": [pdf(text) for text in texts],
        ".pptx": [pptx(mark) for mark in marks],
    }


def _npy(array: np.ndarray[tuple[int, ...], np.dtype[np.generic]]) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def _npz(*, packed: bool = False, **arrays: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> bytes:
    buffer = io.BytesIO()
    if packed:
        np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]
    else:
        np.savez(buffer, **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


def _read_experiment(data: bytes) -> None:
    _check(parse(data, "input").experiment)


def _read_figure(data: bytes) -> None:
    experiment = carrying.extract_from(data, "input")
    if experiment is not None:
        _check(experiment)


def _check(experiment: Experiment) -> None:
    """What was accepted is written and read again as the same, and can be evaluated."""
    text = dumps(experiment)
    assert identical(parse(text.encode("utf-8"), "again").experiment, experiment), "it is read again as another"
    if len(text) < SMALL * 8:
        evaluate(experiment)


def _read_typed(data: bytes) -> None:
    text = data.decode("utf-8", errors="replace")
    for point in ".,":
        try:
            parse_block(text, point)
        except NumberError:
            parse_number(text, point)


def _dream(fuzzer: Fuzzer, count: int, seed: int) -> None:
    """Have hypothesis make inputs up from nothing."""
    values = st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(_KEYS) | st.text(), inner),
        max_leaves=12,
    )
    header = {"format": "attention-explorer", "version": 1}
    documents = values.map(lambda value: json.dumps({**header, "x": value}).encode())
    changes = st.dictionaries(st.sampled_from(_KEYS), values, max_size=4).map(_changed)
    inputs = st.one_of(
        st.tuples(st.just(".attn"), documents | changes | st.binary(max_size=200)),
        st.tuples(st.just("typed"), st.text(ALPHABET, max_size=60).map(str.encode)),
        st.tuples(st.sampled_from((".csv", ".tsv")), st.text(ALPHABET, max_size=120).map(str.encode)),
        st.tuples(st.just(".json"), values.map(lambda value: json.dumps(value).encode())),
        st.tuples(st.sampled_from(tuple(fuzzer._seeds)[1:]), st.binary(max_size=300)),
    )

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=max(1, count),
        database=None,
        deadline=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(inputs)
    def run(kind_and_data: tuple[str, bytes]) -> None:
        fuzzer.try_one(*kind_and_data, f"dreamt with seed {seed}")

    if count:
        run()


def _changed(changes: dict[str, Any]) -> bytes:
    return json.dumps({**json.loads(dumps(_FIRST)), **changes}).encode()


def _limit_memory() -> None:
    if sys.platform.startswith("linux"):
        size = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size + MOST_MEMORY, resource.RLIM_INFINITY))


def _largest() -> float:
    """Return the most memory that the process has had in use, in megabytes."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (2**20 if sys.platform == "darwin" else 2**10)


_FIRST = load_example(example_names()[0])
_KEYS = (
    "format",
    "version",
    "title",
    "sequence",
    "embedding",
    "layers",
    "position",
    "source",
    "pins",
    "view",
    "notes",
    "tokens",
    "matrix",
    "vocabulary",
    "attention",
    "mask",
    "scale",
    "heads",
    "W_Q",
    "W_O",
    "norm",
    "ffn",
    "kind",
)
