"""An experiment as PyTorch code that reproduces every number of it; PyTorch is needed to run it, not to write it."""

from __future__ import annotations

from attnexplorer.experiment.model import Experiment
from attnexplorer.interop.script.dialect import Dialect
from attnexplorer.interop.script.writer import script


def pytorch_script(experiment: Experiment) -> str:
    """Return a script, as UTF-8 text, that needs Python and PyTorch alone and prints every stage.

    Raises
    ------
    ExperimentError
        If the experiment has too many numbers to be written out as code.
    """
    return script(experiment, _PYTORCH)


_SHOW = '''
stages = {}


def show(name, tensor):
    """Print a stage and keep it by its name."""
    stages[name] = tensor
    print(f"{name}  {list(tensor.shape)}\\n{tensor}\\n")
'''

_SOFTMAX = '''
def softmax(x):
    """Softmax of each row: [..., m] -> [..., m]. A row of -inf alone gives zeros, where torch.softmax gives nan."""
    largest = x.amax(dim=-1, keepdim=True)
    largest = torch.where(torch.isneginf(largest), 0.0, largest)
    e = torch.exp(x - largest)  # without the largest score no exponential overflows
    total = e.sum(dim=-1, keepdim=True)
    return e / torch.where(total == 0.0, 1.0, total)
'''

_LAYER_NORM = '''
def layer_norm(x, eps):
    """(x - mean) / sqrt(variance + eps) of each row: [n, d] -> [n, d]. As torch.nn.functional.layer_norm."""
    centred = x - x.mean(dim=1, keepdim=True)
    return centred / torch.sqrt((centred * centred).mean(dim=1, keepdim=True) + eps)
'''

_RMS_NORM = '''
def rms_norm(x, eps):
    """x / sqrt(mean of x^2 + eps) of each row: [n, d] -> [n, d]. As torch.nn.functional.rms_norm."""
    return x / torch.sqrt((x * x).mean(dim=1, keepdim=True) + eps)
'''

_SINUSOIDAL = '''
def sinusoidal(count, width, offset, base):
    """P[p, 2i] = sin(p / base^(2i/d)), P[p, 2i+1] = cos of the same angle: [count, width]."""
    angles = torch.arange(offset, offset + count)[:, None] / base ** (torch.arange(0, width, 2) / width)
    P = torch.empty(count, width)
    P[:, 0::2] = torch.sin(angles)
    P[:, 1::2] = torch.cos(angles[:, : width // 2])
    return P
'''

_ROTATED_HALVES = '''
def rotated(x, offset, base):
    """RoPE: columns i and i + d/2 turn by p * base^(-2i/d) at position p: [heads, n, d] -> [heads, n, d]."""
    n, d = x.shape[-2:]
    angles = torch.arange(offset, offset + n)[:, None] * base ** (-torch.arange(0, d, 2) / d)  # [n, d/2]
    a, b = x[..., : d // 2], x[..., d // 2 :]
    cos, sin = torch.cos(angles), torch.sin(angles)
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)
'''

_ROTATED_NEIGHBOURS = '''
def rotated(x, offset, base):
    """RoPE: columns 2i and 2i + 1 turn by p * base^(-2i/d) at position p: [heads, n, d] -> [heads, n, d]."""
    n, d = x.shape[-2:]
    angles = torch.arange(offset, offset + n)[:, None] * base ** (-torch.arange(0, d, 2) / d)  # [n, d/2]
    a, b = x[..., 0::2], x[..., 1::2]
    cos, sin = torch.cos(angles), torch.sin(angles)
    return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).reshape(x.shape)
'''

_RELU = """
def relu(x):
    return torch.relu(x)
"""

_GELU = '''
def gelu(x):
    """x times the share of a normal distribution below x."""
    return 0.5 * x * (1.0 + torch.erf(x / math.sqrt(2.0)))
'''

_GELU_TANH = '''
def gelu_tanh(x):
    """The approximation of gelu by tanh."""
    return 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3)))
'''

_SILU = '''
def silu(x):
    """x times the logistic function of x."""
    return x * torch.sigmoid(x)
'''

_PYTORCH = Dialect(
    library="PyTorch",
    module="torch",
    header=(
        "import torch\n\n"
        "# A matrix here multiplies from the right, x @ W; torch.nn.Linear stores its transpose, [out, in].\n"
        "torch.set_default_dtype(torch.float64)\n"
        "torch.set_printoptions(precision=6, sci_mode=False, linewidth=120)"
    ),
    array="torch.tensor",
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
    repeated="{x}.repeat_interleave({times}, dim=0)",
    transposed="{x}.transpose(1, 2)",
    joined="{x}.transpose(0, 1).reshape(n, heads * d_v)",
    copied="{x}.clone()",
    flags="torch.tensor",
    all_true="torch.ones(n, m, dtype=torch.bool)",
    stacked_sums="torch.stack([torch.stack([row[row != 0] @ V[h][row != 0] for row in A[h]]) for h in range(heads)])",
    agrees="torch.allclose({x}, expected, rtol=1e-9, atol=1e-9, equal_nan=True)",
)
