"""torch_peer.py TOKENS HEADS WIDTH DTYPE THREADS: one layer of attention in PyTorch eager, every stage kept."""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np
from peer import serve


def main() -> None:
    """Serve measurements."""
    import torch

    tokens, heads, width = (int(argument) for argument in sys.argv[1:4])
    torch.set_num_threads(int(sys.argv[5]))
    random = np.random.default_rng(1)
    kind = getattr(torch, sys.argv[4])
    d_model = heads * width
    X = torch.tensor(random.standard_normal((tokens, d_model)), dtype=kind)
    W = [torch.tensor(random.standard_normal((d_model, d_model)) * 0.03, dtype=kind) for _ in range(4)]

    def forward() -> dict[str, Any]:
        query, key, value = ((X @ w).view(tokens, heads, width).transpose(0, 1) for w in W[:3])
        scores = query @ key.transpose(1, 2)
        scaled = scores * width**-0.5
        masked = scaled.masked_fill(hidden, -torch.inf)
        weights = torch.softmax(masked, dim=-1)
        outputs = weights @ value
        concat = outputs.transpose(0, 1).reshape(tokens, d_model)
        return {**locals(), "output": concat @ W[3]}

    def measure() -> float:
        start = time.perf_counter()
        forward()
        return time.perf_counter() - start

    hidden = torch.ones(tokens, tokens, dtype=torch.bool).triu(1)
    with torch.no_grad():
        serve(f"PyTorch {torch.__version__}, {torch.get_num_threads()} threads", measure)


if __name__ == "__main__":
    main()
