"""How many threads the linear algebra takes for one product, settled before NumPy is loaded."""

from __future__ import annotations

import sys
from collections.abc import MutableMapping

VARIABLES = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
"""What OpenBLAS, MKL and Accelerate read when they are loaded."""


def one_thread_a_product(variables: MutableMapping[str, str]) -> None:
    """Choose one thread, unless the user chose already.

    The threads of OpenBLAS wait for the next product by spinning, on the processors that compute other heads and paint
    meanwhile. Heads are computed beside each other instead: `attnexplorer.compute.beside`.
    """
    if "numpy" not in sys.modules:
        for name in VARIABLES:
            variables.setdefault(name, "1")
