"""Scripts that were exported, run by another Python, and what they must arrive at."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnexplorer.experiment.examples import example_names, load_example
from attnexplorer.experiment.fileformat import parse
from attnexplorer.experiment.model import Experiment
from attnexplorer.interop.trace_parts import trace_parts

Stages = dict[str, NDArray[Any]]
REFERENCE = Path(__file__).parent / "data" / "reference"

# It lies in a folder of its own, so that nothing but the interpreter's own packages can be imported; every script is
# run as a main program is, with warnings as errors.
_RUNNER = """
import contextlib, io, pathlib, runpy, sys, warnings
import numpy

warnings.simplefilter("error")
for file in sorted(pathlib.Path(sys.argv[1]).glob("*.py")):
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        stages = runpy.run_path(str(file), run_name="__main__")["stages"]
    assert printed.getvalue().endswith("agrees with Attention Explorer.\\n")
    assert all(f"{name}  [" in printed.getvalue() for name in stages)
    numpy.savez(file.with_suffix(".npz"), **{name: numpy.asarray(array) for name, array in stages.items()})
assert not any(name.startswith("attnexplorer") for name in sys.modules)
"""


def experiments_to_export() -> dict[str, Experiment]:
    """Return every reference case and every example by name."""
    found = {f"example_{name}": load_example(name) for name in example_names()}
    for file in sorted(REFERENCE.glob("*.json")):
        case = json.loads(file.read_text(encoding="utf-8"))
        found[file.stem], _ = parse(json.dumps(case["experiment"]).encode(), file.name)
    return found


def stages_of(experiment: Experiment) -> Stages:
    """Return every stage by the name that exports give it."""
    found: Stages = {}
    for part in trace_parts(experiment):
        prefix = "" if part.layer is None else f"layers.{part.layer}."
        found |= {prefix + name: np.asarray(array) for name, array in part.arrays.items()}
    return found


def run_scripts(python: str, scripts: dict[str, str], folder: Path) -> dict[str, Stages]:
    """Return the stages that each script computes in an isolated interpreter."""
    (folder / "scripts").mkdir()
    (folder / "runner.py").write_text(_RUNNER, encoding="utf-8")
    for name, text in scripts.items():
        (folder / "scripts" / f"{name}.py").write_text(text, encoding="utf-8")
    command = [python, "-I", str(folder / "runner.py"), str(folder / "scripts")]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    computed = {}
    for name in scripts:
        with np.load(folder / "scripts" / f"{name}.npz", allow_pickle=False) as archive:
            computed[name] = {stage: archive[stage] for stage in archive.files}
    return computed


def differences(got: Stages, wanted: Stages, tolerance: float) -> list[str]:
    """Return the stages that differ by more than tolerance · max(1, |wanted|), or are missing or too many."""
    common = wanted.keys() & got.keys()
    unequal = (name for name in common if _differ(got[name], wanted[name], tolerance))
    return [*sorted(got.keys() ^ wanted.keys()), *sorted(unequal)]


def _differ(got: NDArray[Any], wanted: NDArray[Any], tolerance: float) -> bool:
    finite = np.isfinite(wanted)
    if got.shape != wanted.shape or not np.array_equal(got[~finite], wanted[~finite], equal_nan=True):
        return True
    error = np.abs(got[finite] - wanted[finite])
    return bool((error > tolerance * np.maximum(1.0, np.abs(wanted[finite]))).any())
