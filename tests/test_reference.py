"""Every stage agrees with an independent implementation, and with worked examples that were published."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from attnexplorer.experiment.fileformat import parse
from attnexplorer.interop.trace_json import trace_json

CASES = sorted((Path(__file__).parent / "data" / "reference").glob("*.json"))
NUMBERS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


def test_all_reference_cases_are_here() -> None:
    assert len(CASES) == 44


@pytest.mark.parametrize("file", CASES, ids=lambda file: file.stem)
def test_every_stage_agrees_with_the_reference(file: Path) -> None:
    case = json.loads(file.read_text(encoding="utf-8"))
    experiment, warnings = parse(json.dumps(case["experiment"]).encode(), file.name)
    trace = json.loads("".join(trace_json(experiment)))

    assert list(differences("", trace, case["expected"], case.get("tolerance", 1e-9))) == []
    assert warnings == ()


@pytest.mark.parametrize(
    ("got", "wanted", "agree"),
    [
        ([1.0], [1.0 + 1e-10], True),
        ([1.0], [1.0 + 1e-8], False),
        ([1e6], [1e6 + 1e-4], True),
        (["-inf"], ["-inf"], True),
        (["inf"], ["-inf"], False),
        ([0.0], ["nan"], False),
        ([1.0, 2.0], [1.0], False),
        ({"a": 1.0}, {"b": 1.0}, False),
    ],
)
def test_the_comparison_itself_can_tell_numbers_apart(got: Any, wanted: Any, agree: bool) -> None:
    assert (list(differences("", got, wanted, 1e-9)) == []) is agree


def differences(place: str, got: Any, wanted: Any, tolerance: float) -> Iterator[str]:
    """Yield what differs by more than tolerance · max(1, |wanted|)."""
    if isinstance(wanted, dict):
        for key, value in wanted.items():
            if not isinstance(got, dict) or key not in got:
                yield f"{place}.{key} is missing"
            else:
                yield from differences(f"{place}.{key}", got[key], value, tolerance)
    elif isinstance(wanted, list):
        if not isinstance(got, list) or len(got) != len(wanted):
            yield f"{place} has another length"
            return
        for index, (mine, value) in enumerate(zip(got, wanted, strict=True)):
            yield from differences(f"{place}[{index}]", mine, value, tolerance)
    elif isinstance(wanted, (bool, type(None))) or (isinstance(wanted, str) and wanted not in NUMBERS):
        if got != wanted:
            yield f"{place} is {got!r}, not {wanted!r}"
    elif not close(NUMBERS.get(got, got), NUMBERS.get(wanted, wanted), tolerance):
        yield f"{place} is {got!r}, not {wanted!r}"


def close(got: float, wanted: float, tolerance: float) -> bool:
    """Tell whether two numbers agree; NaN agrees with NaN, an infinity with itself."""
    if math.isnan(wanted) or math.isinf(wanted):
        return math.isnan(got) if math.isnan(wanted) else got == wanted
    return abs(got - wanted) <= tolerance * max(1.0, abs(wanted))
