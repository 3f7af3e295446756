"""One thread a product: settled before NumPy is loaded, and only by the program itself."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from attnexplorer.app.product_threads import VARIABLES, one_thread_a_product

PROGRAM = """
import os, sys
{statement}
print([os.environ.get(name) for name in {names!r}], "numpy" in sys.modules)
"""


def environment_after(statement: str, **chosen: str) -> str:
    plain = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    script = PROGRAM.format(statement=statement, names=VARIABLES)
    done = subprocess.run(
        [sys.executable, "-c", script], env={**plain, **chosen}, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()[-1]


COMMAND = "from attnexplorer.app.command_line import main; main(['trace', 'example:saturated', '--stages', 'weights'])"


def test_every_command_chooses_one_thread_before_numpy_is_loaded() -> None:
    assert environment_after(COMMAND) == "['1', '1', '1'] True"


def test_what_the_user_chose_stays() -> None:
    assert environment_after(COMMAND, OPENBLAS_NUM_THREADS="3") == "['3', '1', '1'] True"


def test_a_script_that_uses_the_package_keeps_its_threads() -> None:
    script = "import attnexplorer; attnexplorer.evaluate(attnexplorer.load_example('animal-street'))"
    assert environment_after(script) == "[None, None, None] True"


def test_nothing_is_said_when_it_is_too_late(monkeypatch: pytest.MonkeyPatch) -> None:
    variables: dict[str, str] = {}
    monkeypatch.setitem(sys.modules, "numpy", sys.modules["numpy"])
    one_thread_a_product(variables)
    assert variables == {}
