"""An experiment as a NumPy script that reproduces every number of it in a bare interpreter."""

from __future__ import annotations

from attnexplorer.experiment.model import Experiment
from attnexplorer.interop.script.dialect import Dialect
from attnexplorer.interop.script.writer import script


def numpy_script(experiment: Experiment) -> str:
    """Return a script, as UTF-8 text, that needs Python and NumPy alone and prints every stage.

    Raises
    ------
    ExperimentError
        If the experiment has too many numbers to be written out as code.
    """
    return script(experiment, _NUMPY)


_SHOW = '''
stages = {}


def show(name, array):
    """Print a stage and keep it by its name."""
    stages[name] = array
    print(f"{name}  {list(array.shape)}\\n{array}\\n")
'''

_SOFTMAX = '''
def softmax(x):
    """Softmax of each row: [..., m] -> [..., m]. A row of -inf alone gives zeros."""
    largest = x.max(axis=-1, keepdims=True)
    largest = np.where(np.isneginf(largest), 0.0, largest)
    e = np.exp(x - largest)  # without the largest score no exponential overflows
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0.0, 1.0, total)
'''

_LAYER_NORM = '''
def layer_norm(x, eps):
    """(x - mean) / sqrt(variance + eps) of each row: [n, d] -> [n, d]."""
    centred = x - x.mean(axis=1, keepdims=True)
    return centred / np.sqrt((centred * centred).mean(axis=1, keepdims=True) + eps)
'''

_RMS_NORM = '''
def rms_norm(x, eps):
    """x / sqrt(mean of x^2 + eps) of each row: [n, d] -> [n, d]."""
    return x / np.sqrt((x * x).mean(axis=1, keepdims=True) + eps)
'''

_SINUSOIDAL = '''
def sinusoidal(count, width, offset, base):
    """P[p, 2i] = sin(p / base^(2i/d)), P[p, 2i+1] = cos of the same angle: [count, width]."""
    angles = np.arange(offset, offset + count)[:, None] / base ** (np.arange(0, width, 2) / width)
    P = np.empty((count, width))
    P[:, 0::2] = np.sin(angles)
    P[:, 1::2] = np.cos(angles[:, : width // 2])
    return P
'''

_ROTATED_HALVES = '''
def rotated(x, offset, base):
    """RoPE: columns i and i + d/2 turn by p * base^(-2i/d) at position p: [heads, n, d] -> [heads, n, d]."""
    n, d = x.shape[-2:]
    angles = np.arange(offset, offset + n)[:, None] * base ** (-np.arange(0, d, 2) / d)  # [n, d/2]
    a, b = x[..., : d // 2], x[..., d // 2 :]
    cos, sin = np.cos(angles), np.sin(angles)
    return np.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)
'''

_ROTATED_NEIGHBOURS = '''
def rotated(x, offset, base):
    """RoPE: columns 2i and 2i + 1 turn by p * base^(-2i/d) at position p: [heads, n, d] -> [heads, n, d]."""
    n, d = x.shape[-2:]
    angles = np.arange(offset, offset + n)[:, None] * base ** (-np.arange(0, d, 2) / d)  # [n, d/2]
    a, b = x[..., 0::2], x[..., 1::2]
    cos, sin = np.cos(angles), np.sin(angles)
    return np.stack([a * cos - b * sin, a * sin + b * cos], axis=-1).reshape(x.shape)
'''

_RELU = """
def relu(x):
    return np.maximum(x, 0.0)
"""

_GELU = '''
def gelu(x):
    """x times the share of a normal distribution below x."""
    erf = np.vectorize(math.erf, otypes=[float])
    return 0.5 * x * (1.0 + erf(x / math.sqrt(2.0)))
'''

_GELU_TANH = '''
def gelu_tanh(x):
    """The approximation of gelu by tanh."""
    return 0.5 * x * (1.0 + np.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3)))
'''

_SILU = '''
def silu(x):
    """x times the logistic function of x; exp(-|x|) never overflows."""
    small = np.exp(-np.abs(x))
    return x * np.where(x >= 0, 1.0, small) / (1.0 + small)
'''

_NUMPY = Dialect(
    library="NumPy",
    module="np",
    header="import numpy as np\n\nnp.set_printoptions(precision=6, suppress=True, linewidth=120)",
    array="np.array",
    functions={
        "show": _SHOW,
        "softmax": _SOFTMAX,
        "layer_norm": _LAYER_NORM,
        "rms_norm": _RMS_NORM,
        "sinusoidal": _SINUSOIDAL,
        "rotated_halves": _ROTATED_HALVES,
        "rotated_neighbours": _ROTATED_NEIGHBOURS,
        "relu": _RELU,
        "gelu": _GELU,
        "gelu_tanh": _GELU_TANH,
        "silu": _SILU,
    },
    repeated="np.repeat({x}, {times}, axis=0)",
    transposed="{x}.transpose(0, 2, 1)",
    joined="{x}.transpose(1, 0, 2).reshape(n, heads * d_v)",
    copied="{x}.copy()",
    flags="np.array",
    all_true="np.ones((n, m), dtype=bool)",
    stacked_sums="np.array([[row[row != 0] @ V[h][row != 0] for row in A[h]] for h in range(heads)])",
    agrees="np.allclose({x}, expected, rtol=1e-9, atol=1e-9, equal_nan=True)",
)
