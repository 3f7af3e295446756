"""Fuzzing: files of every kind and typed texts, mutated or made up; each is read or refused, and soon."""

from __future__ import annotations

import faulthandler
import json
import random
import resource
import sys
import tempfile
import time
import warnings
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hypothesis
from hypothesis import strategies as st
from PySide6.QtGui import QGuiApplication
from soak_mutations import mutated, mutated_archive, mutated_header, mutated_json
from soak_seeds import CAPTURE, ZIPPED, bare_figures, bombs, figures_around, seeds

from attnexplorer.compute.trace import evaluate
from attnexplorer.experiment.arrays import same_bits
from attnexplorer.experiment.captured import Capture
from attnexplorer.experiment.comparison import identical
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.examples import example_names, load_example
from attnexplorer.experiment.expressions import NumberError, parse_block, parse_number
from attnexplorer.experiment.fileformat import dumps, parse
from attnexplorer.experiment.model import Experiment
from attnexplorer.experiment.paths import replace_all
from attnexplorer.experiment.validation import validate
from attnexplorer.figures import carrying
from attnexplorer.interop.arrays.found import Numbers
from attnexplorer.interop.arrays.reading import layouts_in_text, read_arrays, read_text, table_in_text
from attnexplorer.interop.capture import capture_bytes, holds_capture, read_capture, read_capture_from
from attnexplorer.interop.mapping import Choice, Kind, Order, imported, matrices, targets

LONGEST = 2.0
"""Seconds of the processor's time that one input may take; ten times as much by the clock ends the run."""
MOST_MEMORY = 1_500_000_000
"""Bytes of address space beyond what the process has at first; more is refused by the system, which counts as found."""
LARGEST_GROWTH = 300
"""Megabytes by which the process may have grown at its largest."""
SMALL = 4000
"""Numbers up to which an accepted experiment is evaluated as well."""
REFUSALS = (ExperimentError, NumberError)
DREAMT = 0.1
"""The share of inputs that hypothesis makes up."""
SWOLLEN = 0.002
"""The share of archives and figures that are small and swell."""

ALPHABET = "0123456789.,;+-*/()eE \t\n\r[]{}\"'πinfa_sqrt√²×−"


class Fuzzer:
    """One run. Each input has a number; with the seed it is made again exactly."""

    def __init__(self, seed: int, folder: Path) -> None:
        self._seed, self._folder = seed, folder
        self.found: list[str] = []
        self.counts: Counter[str] = Counter()
        self.accepted: Counter[str] = Counter()
        self.slowest = 0.0
        self._seeds, self._bombs = seeds(), bombs()
        self._experiments = [parse(text, "seed").experiment for text in self._seeds[".attn"]]
        self._readers: dict[str, Callable[[bytes], None]] = {
            ".attn": _read_experiment,
            **dict.fromkeys(carrying.SUFFIXES, _read_figure),
            ".csv": lambda data: self._read_table(data, ".csv"),
            ".tsv": lambda data: self._read_table(data, ".tsv"),
            ".json": lambda data: self._read_arrays(data, ".json"),
            ".npy": lambda data: self._read_arrays(data, ".npy"),
            ".npz": lambda data: self._read_arrays(data, ".npz"),
            ".safetensors": lambda data: self._read_arrays(data, ".safetensors"),
            CAPTURE: self._read_capture,
            "typed": _read_typed,
        }

    def mutate(self, number: int) -> None:
        """Try the input with this number."""
        dice = random.Random(f"{self._seed}:{number}")
        kinds = list(self._seeds)
        kind = dice.choices(kinds, [_WEIGHTS.get(it, 3) for it in kinds])[0]
        data = self._made(kind, dice)
        self.try_one(kind, data, f"input {number} of seed {self._seed}")

    def _made(self, kind: str, dice: random.Random) -> bytes:
        """Return a mutation of a kind of file: of its bytes, or of what is in it, packed again as it should be."""
        start = dice.choice(self._seeds[kind])
        way = dice.random()
        if way < SWOLLEN and kind in self._bombs:
            return dice.choice(self._bombs[kind])
        if kind in (".attn", ".json") and way < 0.6:
            return mutated_json(start, dice)
        if kind in carrying.SUFFIXES and way < 0.5:
            text = dice.choice(self._seeds[".attn"])
            if way < 0.35:
                return bare_figures([mutated_json(text, dice)])[kind][0]
            return figures_around(mutated(zlib.compress(text), dice, text))[kind][0]
        if kind in carrying.SUFFIXES and way < 0.65:
            return bare_figures([mutated_archive(dice.choice(self._seeds[CAPTURE]), dice)])[kind][0]
        if kind in ZIPPED and way < 0.75:
            return mutated_archive(start, dice)
        if kind == ".safetensors" and way < 0.5:
            return mutated_header(start, dice)
        return mutated(start, dice, dice.choice(self._seeds[kind]))

    def try_one(self, kind: str, data: bytes, name: str) -> None:
        """Read one input; what is neither read nor refused is found."""
        self.counts[kind] += 1
        began = time.process_time()
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
        seconds = time.process_time() - began
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
            numbers = found.load(array.name)
            assert numbers.shape == array.shape
            self._take_in(numbers, len(data))

    def _take_in(self, numbers: Numbers, throw: int) -> None:
        """Import an array into two places of an experiment; it fits, or is refused with a sentence."""
        experiment = self._experiments[throw % len(self._experiments)]
        places = targets(experiment)
        for target in (places[throw % len(places)], places[throw // 7 % len(places)]):
            slices = (0,) * min(throw % 3, numbers.ndim - 1)
            choice = Choice(slices, transposed=bool(throw & 1), order=tuple(Order)[throw // 2 % 2])
            refusal = "unsaid"
            try:
                found = matrices(experiment, numbers, target, choice)
                after = (replace_all if target.kind is Kind.MATRIX else imported)(experiment, found)
                validate(after)
                if numbers.size <= SMALL:
                    _check(after)
            except ExperimentError as error:
                refusal = str(error).strip()
            assert refusal, "it is not taken in, without a sentence"

    def _read_table(self, data: bytes, suffix: str) -> None:
        text = read_text(self._file(data, suffix))
        for layout in layouts_in_text(text, "input"):
            table_in_text(text, layout, "input")

    def _read_capture(self, data: bytes) -> None:
        file = self._file(data, ".npz")
        holds_capture(file)
        _check_capture(read_capture(file))


def fuzz(count: int, seed: int) -> list[str]:
    """Try `count` inputs and return what was found."""
    warnings.simplefilter("error")
    application = QGuiApplication.instance() or QGuiApplication([])
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
    del application
    kinds = ", ".join(f"{kind} {number} ({fuzzer.accepted[kind]} read)" for kind, number in fuzzer.counts.items())
    print(f"{sum(fuzzer.counts.values())} inputs with seed {seed} in {time.monotonic() - began:.0f} s: {kinds}.")
    print(f"The slowest took {fuzzer.slowest:.2f} s; the process grew by {growth:.0f} MB at most.")
    if growth > LARGEST_GROWTH:
        fuzzer.found.append(f"memory grew by {growth:.0f} MB")
    return fuzzer.found


def _read_experiment(data: bytes) -> None:
    _check(parse(data, "input").experiment)


def _read_figure(data: bytes) -> None:
    experiment = carrying.extract_from(data, "input", read_capture_from)
    if isinstance(experiment, Capture):
        _check_capture(experiment)
    elif experiment is not None:
        _check(experiment)


def _check_capture(read: Capture) -> None:
    again = read_capture_from(capture_bytes(read), "again")
    assert again.query_tokens == read.query_tokens, "it is read again as another"
    assert same_bits(again.weights(0, 0), read.weights(0, 0)), "its weights are read again as others"


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


_WEIGHTS = {".attn": 6, **dict.fromkeys(carrying.SUFFIXES, 4), CAPTURE: 4}
"""How often a kind of file comes; 3 is usual."""
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
