"""The line through what a process held at several looks."""

from __future__ import annotations

import numpy as np
import pytest
from soak_growth import growth


def test_what_varies_about_a_level_has_not_grown() -> None:
    levels = [155.1, 159.0, 162.1, 158.2, 158.0, 160.6, 160.2, 158.1, 158.4, 165.1]
    assert levels[-1] / levels[0] > 1.06
    assert abs(growth(levels)) < 0.03


def test_what_is_never_given_back_is_found_however_it_varies() -> None:
    random = np.random.default_rng(1)
    assert growth([150 + 2 * look + random.normal(scale=4) for look in range(10)]) == pytest.approx(18 / 159, rel=0.3)


def test_an_even_growth_is_told_exactly() -> None:
    assert growth([100.0, 105.0, 110.0]) == pytest.approx(10 / 105)
    assert growth([100.0]) == 0.0
