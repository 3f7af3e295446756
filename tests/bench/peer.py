"""A program under another Python that measures on demand: "again" on its input, seconds on its output."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

MATPLOTLIB = "ATTNEXPLORER_MATPLOTLIB_PYTHON"
"""Names the Python that has matplotlib, where this one has not."""


class Peer:
    """Runs a script of this folder under the Python that an environment variable names, or under this one."""

    def __init__(self, variable: str, script: str, *arguments: object) -> None:
        # Here, as the script itself also imports this module, under a Python that may not have the program.
        from attnexplorer.app.product_threads import VARIABLES

        python = os.environ.get(variable) or sys.executable
        file = Path(__file__).with_name(script)
        self._process = subprocess.Popen(
            [python, str(file), *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            # What the program chooses for its own linear algebra is not to hold back another's.
            env={name: value for name, value in os.environ.items() if name not in VARIABLES},
        )
        self.introduction = self._line()
        """The script's first line: what it is; empty where it cannot run, as when a library is missing."""

    def run(self) -> float:
        """Have it measure once."""
        assert self._process.stdin is not None
        self._process.stdin.write("again\n")
        self._process.stdin.flush()
        return float(self._line())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate()

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


def serve(introduction: str, measure: Callable[[], float]) -> None:
    """Answer every line with a measurement until the input ends."""
    print(introduction, flush=True)
    for _ in sys.stdin:
        print(measure(), flush=True)
