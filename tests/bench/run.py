"""run.py [P1 P2 …] [--quick] [--json FILE]: runs benchmarks, prints a table, writes a line of JSON a row.

Each time is a median with the first and the ninth tenth in brackets, in milliseconds; each row is a ratio to
something that was measured in turn with it. Nothing here passes or fails.
"""

from __future__ import annotations

import argparse
import atexit
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import surroundings
from measuring import Row

BENCHMARKS = {
    "P1": "edit_to_pixels",
    "P2": "slider_drag",
    "P3": "engine_forward",
    "P4": "start_up",
    "P5": "figure_export",
    "P6": "start_up",
    "P7": "growth",
    "P8": "whole_files",
}
RESULTS = Path(__file__).parent / "results"


def main() -> None:
    """Run what was asked for, or everything."""
    options = _options()
    surroundings.restart_isolated()
    atexit.register(shutil.rmtree, os.environ["ATTNEXPLORER_BENCH"], ignore_errors=True)
    file = options.json or RESULTS / f"{time.strftime('%Y%m%d-%H%M%S')}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", encoding="utf-8") as lines:
        about = surroundings.described()
        print(", ".join(f"{name}: {value}" for name, value in about.items()))
        lines.write(json.dumps(about, ensure_ascii=False) + "\n")
        for name in options.benchmarks or BENCHMARKS:
            module = import_module(BENCHMARKS[name])
            measure: Callable[[bool], Iterator[Row]] = module.memory_rows if name == "P6" else module.rows
            for row in measure(options.quick):
                print(_line(row), flush=True)
                lines.write(json.dumps(row.as_json(), ensure_ascii=False) + "\n")
    print(f"The rows are in {file}.")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    known = f"{', '.join(BENCHMARKS)}; all by default"
    parser.add_argument("benchmarks", nargs="*", metavar="NAME", type=str.upper, help=known)
    parser.add_argument("--quick", action="store_true", help="small sizes and few rounds")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where the rows go; tests/bench/results by default")
    options = parser.parse_args()
    unknown = [name for name in options.benchmarks if name not in BENCHMARKS]
    if unknown:
        parser.error(f"there is no benchmark {unknown[0]}; there are {', '.join(BENCHMARKS)}")
    return options


def _line(row: Row) -> str:
    aim = "" if row.reach is None else f"≤ {row.reach:.3g} {'met' if row.met else 'MISSED'}"
    notes = ", ".join(f"{name} {_short(value)}" for name, value in row.notes.items() if value is not None)
    if row.processor_ratio is not None:
        notes = f"processor {row.times.processor:.2f} : {row.reference.processor:.2f}, {notes}"
    columns = (f"{row.benchmark} {row.case}", str(row.times), f"{row.against} {row.reference}")
    return f"{columns[0]:<42} {columns[1]:<26} {columns[2]:<34} × {row.ratio:<8.3f}{aim:<15}{notes}"


def _short(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    main()
