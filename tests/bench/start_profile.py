"""start_profile.py: what the modules cost that a start imports, by whose they are, and the dearest of them.

The smallest of five starts is taken for each, in milliseconds, with compiled code at hand. What a start costs beyond
its imports is the building and painting of the window.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

STARTS = 5
DEAREST = 30
_LINE = re.compile(r"import time:\s+(\d+) \|\s+\d+ \|\s*(\S+)")
_OWNERS = {
    "attnexplorer": "this program",
    "numpy": "NumPy",
    "PySide6": "Qt",
    "shiboken6": "Qt",
    "shibokensupport": "Qt",
}


def main() -> None:
    """Print the profile."""
    with tempfile.TemporaryDirectory() as folder:
        profiles = [_profile(Path(folder)) for _ in range(STARTS + 1)][1:]
    least = {name: min(it.get(name, cost) for it in profiles) for name, cost in profiles[0].items()}
    sums: Counter[str] = Counter()
    for name, cost in least.items():
        sums[_OWNERS.get(name.split(".")[0], "Python and others")] += cost
    for owner, cost in sums.most_common():
        print(f"{cost / 1e3:7.1f}  {owner}")
    print()
    for name, cost in sorted(least.items(), key=lambda item: -item[1])[:DEAREST]:
        print(f"{cost / 1e3:7.1f}  {name}")


def _profile(folder: Path) -> dict[str, int]:
    """Return what each module of a start took by itself, in microseconds."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    places = dict.fromkeys(("XDG_CONFIG_HOME", "XDG_STATE_HOME", "ATTNEXPLORER_STATE"), str(folder / "state"))
    places |= {"PYTHONPYCACHEPREFIX": str(folder / "compiled"), "QT_QPA_PLATFORM": "offscreen"}
    script = Path(__file__).with_name("start_program.py")
    done = subprocess.run(
        [sys.executable, "-X", "importtime", str(script)],
        capture_output=True,
        text=True,
        env={**kept, **places},
        check=True,
    )
    return {found[2]: int(found[1]) for found in _LINE.finditer(done.stderr)}


if __name__ == "__main__":
    main()
