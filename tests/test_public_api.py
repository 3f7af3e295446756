"""`import attnexplorer`: what scripts and notebooks rely on."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import attnexplorer as ax

ROOT = Path(__file__).parents[1]


def test_an_experiment_is_loaded_evaluated_and_saved(tmp_path: Path) -> None:
    experiment = ax.load_example("animal-street")
    trace = ax.evaluate(experiment)
    np.testing.assert_allclose(trace.layers[0].weights[0][3], [0.5294, 0.1833, 0.1041, 0.1833], rtol=0, atol=5e-5)
    ax.save(experiment, tmp_path / "copy.attn")
    again = ax.load(tmp_path / "copy.attn")
    assert ax.evaluate(again).layers[0].output.tobytes() == trace.layers[0].output.tobytes()


def test_single_precision_is_given_on_request() -> None:
    assert ax.evaluate(ax.load_example("tired"), dtype=np.float32).layers[0].output.dtype == np.float32


def test_every_public_name_is_there_and_listed() -> None:
    assert set(ax.__all__) <= set(dir(ax))
    assert [name for name in ax.__all__ if getattr(ax, name, None) is None] == []


def test_a_name_that_is_not_public_is_refused() -> None:
    with pytest.raises(AttributeError, match="module 'attnexplorer' has no attribute 'shwo'"):
        _ = ax.shwo


def test_a_bad_file_is_a_file_error(tmp_path: Path) -> None:
    with pytest.raises(ax.FileError, match=r"no-such\.attn: there is no such file"):
        ax.load(tmp_path / "no-such.attn")
    assert issubclass(ax.FileError, ax.ExperimentError)


def test_the_version_is_that_of_the_project_file() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert ax.__version__ == project["version"]


def test_importing_the_package_imports_neither_numpy_nor_qt() -> None:
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import attnexplorer; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"numpy", "PySide6"} & set(done.stdout.split())


def test_evaluating_imports_no_qt() -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); import attnexplorer as ax; "
        "ax.evaluate(ax.load_example('animal-street')).layers[0].output; print(*sorted(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "numpy" in done.stdout.split()
    assert not {"PySide6", "pyqtgraph"} & set(done.stdout.split())
