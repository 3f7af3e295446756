"""A hundredth of each soak run; `dev.py soak` runs them at full length."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SOAK = Path(__file__).resolve().parent.parent.parent / "packaging" / "soak.py"
PATIENCE = 300
"""Seconds after which a run counts as hanging."""


def soak(kind: str, count: float) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SOAK), kind, "--count", str(count), "--seed", "5"]
    variables = {name: value for name, value in os.environ.items() if name != "ATTNEXPLORER_STATE"}
    return subprocess.run(command, env=variables, capture_output=True, encoding="utf-8", timeout=PATIENCE, check=False)


@pytest.mark.parametrize(
    ("kind", "count", "said"),
    [
        ("fuzz", 500, "500 inputs with seed 5"),
        ("monkey", 200, " events with seed 5"),
        ("long", 0.02, "The slider moved"),
        pytest.param(
            *("kill", 20, "19 rounds without a window with seed 5"),
            marks=pytest.mark.skipif(os.name == "nt", reason="processes are forked and killed as on Unix"),
        ),
    ],
)
def test_a_short_soak_finds_nothing(kind: str, count: float, said: str) -> None:
    run = soak(kind, count)
    assert run.returncode == 0, run.stdout + run.stderr
    assert said in run.stdout
    assert run.stdout.endswith("Nothing was found.\n")
    assert run.stderr == ""
