"""The d_k laboratory: variances, histograms, how many pairs are enough, and stopping."""

from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest

from attnexplorer.compute.dot_products import (
    BINS,
    CHUNK,
    SPAN,
    WIDTHS,
    components,
    dot_products,
    normal_density,
    pairs_for,
    standard_error,
)


def test_the_widths_are_the_powers_of_two_up_to_4096() -> None:
    assert WIDTHS == (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)


@pytest.mark.parametrize(("d_k", "pairs"), [(1, 51_200), (2, 32_000), (4096, 12_810)])
def test_so_many_pairs_are_drawn(d_k: int, pairs: int) -> None:
    assert pairs_for(d_k) == pairs


@pytest.mark.parametrize("d_k", WIDTHS)
def test_five_percent_is_four_standard_errors_and_no_pair_is_idle(d_k: int) -> None:
    assert 4 * standard_error(d_k, pairs_for(d_k)) <= 0.05 * (1 + 1e-12)
    assert 4 * standard_error(d_k, pairs_for(d_k) - 1) > 0.05


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_variance_is_within_five_percent_of_d_k_and_scaled_of_1(seed: int) -> None:
    for d_k in WIDTHS:
        found = dot_products(d_k, seed)
        assert found is not None
        assert found.pairs == pairs_for(d_k)
        assert found.variance == pytest.approx(d_k, rel=0.05)
        assert found.scaled_variance == pytest.approx(1.0, rel=0.05)


@pytest.mark.parametrize("seed", range(3, 15))
def test_so_it_is_for_any_seed_at_widths_that_are_quickly_drawn(seed: int) -> None:
    for d_k in WIDTHS[:6]:
        found = dot_products(d_k, seed)
        assert found is not None
        assert found.variance == pytest.approx(d_k, rel=0.05)
        assert found.scaled_variance == pytest.approx(1.0, rel=0.05)


def test_unscaled_rows_saturate_as_vectors_get_wider_and_scaled_ones_do_not() -> None:
    found = [dot_products(d_k, 1) for d_k in (1, 8, 64, 512)]
    unscaled = [it.largest for it in found if it is not None]
    scaled = [it.scaled_largest for it in found if it is not None]
    assert unscaled == sorted(unscaled)
    assert unscaled[-1] > 0.9
    assert max(scaled) - min(scaled) < 0.03
    assert scaled[0] == unscaled[0]


def test_the_histogram_holds_every_dot_product_and_follows_the_normal_curve_where_vectors_are_wide() -> None:
    found = dot_products(256, 5)
    assert found is not None
    assert found.counts.sum() + found.beyond == found.pairs
    assert found.edges[[0, -1]] == pytest.approx([-SPAN * 16, SPAN * 16])
    middles = (found.edges[1:] + found.edges[:-1]) / 2
    expected = normal_density(middles, 256.0)
    # A bin's count has a standard deviation of about its square root.
    error = np.sqrt(np.maximum(expected * found.pairs * np.diff(found.edges), 1.0)) / found.pairs / np.diff(found.edges)
    assert len(middles) == BINS
    assert (np.abs(found.density - expected) < 5 * error).all()


def test_the_same_seed_gives_the_same_numbers_and_another_seed_others() -> None:
    first, again, other = dot_products(8, 3), dot_products(8, 3), dot_products(8, 4)
    assert first is not None
    assert again is not None
    assert other is not None
    assert first.variance == again.variance
    assert first.variance != other.variance


def test_progress_tells_all_the_work_and_can_stop_it() -> None:
    told: list[int] = []

    def go_on(drawn: int) -> bool:
        told.append(drawn)
        return True

    assert dot_products(64, 1, go_on) is not None
    assert sum(told) == components(64)
    assert max(told) <= CHUNK
    calls = iter([True, True, False])
    assert dot_products(64, 1, lambda drawn: next(calls)) is None
    assert next(calls, None) is None


def test_memory_stays_bounded_at_the_widest() -> None:
    left = [40]

    def a_while(drawn: int) -> bool:
        left[0] -= 1
        return left[0] > 0

    tracemalloc.start()
    dot_products(4096, 1, a_while)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 * (4 * CHUNK + 2 * pairs_for(4096))


def test_the_normal_curve_has_area_1() -> None:
    x = np.linspace(-60, 60, 4001)
    assert np.trapezoid(normal_density(x, 64.0), x) == pytest.approx(1.0)
    assert normal_density(np.zeros(1), 4.0)[0] == pytest.approx(1 / math.sqrt(8 * math.pi))
