from __future__ import annotations

import numpy as np
import pytest

from attnexplorer.compute.feed_forward import activated, hidden

ACTIVATIONS = ("relu", "gelu", "gelu_tanh", "silu")


@pytest.mark.parametrize(
    ("activation", "at_minus_one", "at_one"),
    [
        ("relu", 0.0, 1.0),
        ("gelu", -0.158655253931457, 0.841344746068543),
        ("gelu_tanh", -0.158808, 0.841192),
        ("silu", -0.268941421369995, 0.731058578630005),
    ],
)
def test_activations_have_their_published_values(activation, at_minus_one: float, at_one: float) -> None:
    values = activated(np.array([[-1.0, 0.0, 1.0]]), activation)
    np.testing.assert_allclose(values, [[at_minus_one, 0.0, at_one]], rtol=0, atol=1e-6)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_activations_of_large_numbers_neither_overflow_nor_warn(activation) -> None:
    values = activated(np.array([[-1e4, 1e4]]), activation)
    assert values.tolist() == [[0.0, 1e4]]


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_activations_keep_single_precision(activation) -> None:
    assert activated(np.ones((1, 2), dtype=np.float32), activation).dtype == np.float32


def test_a_gate_multiplies_what_is_let_through() -> None:
    u, W_1, W_gate = np.array([[2.0]]), np.array([[3.0]]), np.array([[-1.0]])
    assert hidden(u, "relu", W_1, np.array([1.0]), W_gate).tolist() == [[0.0]]
    assert hidden(u, "relu", W_1, np.array([1.0]), -W_gate).tolist() == [[14.0]]
    assert hidden(u, "relu", W_1, np.array([1.0]), None).tolist() == [[7.0]]
